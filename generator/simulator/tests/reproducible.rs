//! The same images, settings and seed give the same figures, whatever the number of threads, and
//! those of a small table are pinned.
use crate::test_images::{Images, absolute_images};
use std::fmt::Write;
use std::num::NonZeroU32;
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{Onward, ShapeSet};
use tvlb_simulator::Scheme;
use tvlb_simulator::{BootedFabric, Point, Revision, Run, Saturation, Settings, StopRule, Study};
use tvlb_table_set::OpenWeighing;
use tvlb_traffic::{PlacementRule, Traffic};

fn settings(scheme: Scheme) -> Settings {
    let mut settings = Settings::new(scheme, VlbPaths::Custom);
    (settings.warm_up_windows, settings.window_cycles) = (1, 1000);
    settings
}

fn study(fabric: &BootedFabric<'_>, scheme: Scheme, threads: usize) -> (Vec<Point>, Saturation) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let settings = settings(scheme);
    let pattern = "tmixed(50,50,1,1)".parse().unwrap();
    let study = Study {
        fabric,
        settings: &settings,
        pattern: &pattern,
        placement: &PlacementRule::Identity,
        seeds: &[1, 2],
        series: None,
    };
    pool.install(|| (study.curve(&[0.1, 0.4], &()).unwrap(), study.saturation(0.3, &()).unwrap()))
}

/// The images where switches choose by which link a packet leaves its intermediate group.
fn looking(fabric: &[u8], switches: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let onward = Some(Onward::Cheapest);
    let weighing = OpenWeighing { onward, ..OpenWeighing::default() };
    Revision { weighing, vc_scheme: None }.apply(fabric, switches).unwrap()
}

#[test]
fn threads_change_nothing() {
    let Images { fabric: image, switches } = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&image, &switches).unwrap();
    let looking = looking(&image, &switches);
    let looking = BootedFabric::boot(&image, &looking).unwrap();
    for scheme in Scheme::ALL {
        let alone = study(&fabric, scheme, 1);
        assert_eq!(alone, study(&fabric, scheme, 3));
        let looked = study(&looking, scheme, 1);
        assert_eq!(looked, study(&looking, scheme, 3));
        assert_eq!(alone == looked, scheme == Scheme::Min, "only MIN has no intermediate group");
    }
}

#[test]
fn threads_that_share_one_run_change_nothing() {
    let Images { fabric, switches } = absolute_images(4, 8, 4, 17, ShapeSet::ALL);
    let switches = looking(&fabric, &switches);
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let pattern = "shift(1,0) then uniform in bursts(50,50) from 1500".parse().unwrap();
    let traffic = Traffic::new(&pattern, fabric.dragonfly(), 1).unwrap();
    for scheme in [Scheme::UgalL, Scheme::Par, Scheme::UgalGroup] {
        let settings = settings(scheme);
        let outcome = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut run = Run::new(&fabric, &settings, &traffic, 0.3, 1).unwrap();
            run.record_series(NonZeroU32::new(100).unwrap());
            pool.install(|| run.measure(StopRule::FullWindow, &()).unwrap())
        };
        let alone = outcome(1);
        assert!([2, 3, 7].map(outcome).iter().all(|outcome| *outcome == alone));
    }
}

#[test]
fn a_small_table_is_pinned() {
    let Images { fabric, switches } = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let mut table = String::from("scheme load latency p50 p99 most accepted hops vlb saturated\n");
    for scheme in Scheme::ALL {
        let settings = settings(scheme);
        let pattern = "shift(1,0)".parse().unwrap();
        let study = Study {
            fabric: &fabric,
            settings: &settings,
            pattern: &pattern,
            placement: &PlacementRule::Identity,
            seeds: &[1],
            series: None,
        };
        for point in study.curve(&[0.05, 0.15, 0.3], &()).unwrap() {
            let all = &point.runs[0].all;
            writeln!(
                table,
                "{scheme:?} {} {:.3} {} {} {} {:.4} {:.4} {:.4} {}",
                point.load,
                all.latency,
                all.p50,
                all.p99,
                all.most,
                all.accepted,
                all.hops,
                all.vlb_share,
                point.saturated
            )
            .unwrap();
        }
    }
    insta::assert_snapshot!(table);
}
