//! A run that is given up early says of every mean latency what the whole run says: on which side
//! of the limit it is.
use crate::test_images::{Images, absolute, dragonfly, images};
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{SetRule, ShapeSet};
use tvlb_simulator::Scheme;
use tvlb_simulator::{BootedFabric, ForeseenLatency, Outcome, Run, Settings, StopRule};
use tvlb_traffic::{Pattern, Traffic};

#[test]
fn giving_up_early_changes_no_verdict() {
    let df = dragonfly(2, 4, 2, 9);
    let Images { fabric, switches } = images(&df, &absolute(&df), SetRule::whole(ShapeSet::ALL));
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let mut settings = Settings::new(Scheme::UgalL, VlbPaths::Custom);
    (settings.window_cycles, settings.warm_up_windows, settings.latency_limit_cycles) =
        (600, 2, 100);
    let (mut above, mut spared) = (0, [0, 0]);
    for pattern in ["hot-switch", "mixed(50,50)", "shift(1,0)", "uniform"] {
        let traffic: Pattern = pattern.parse().unwrap();
        let traffic = Traffic::new(&traffic, fabric.dragonfly(), 1).unwrap();
        for hundredths in (10_u8..100).step_by(10) {
            let load = f64::from(hundredths) / 100.0;
            let run = |stop_rule| {
                let run = Run::new(&fabric, &settings, &traffic, load, 1).unwrap();
                run.measure(stop_rule, &()).unwrap()
            };
            let whole = run(StopRule::FullWindow);
            let means = |outcome: &Outcome| {
                let all = std::iter::once(&outcome.all).chain(&outcome.populations);
                all.map(|figures| figures.latency).collect::<Vec<f64>>()
            };
            above += u32::from(whole.saturated);

            let stable = run(StopRule::WhenSaturated);
            assert_eq!(stable.saturated, whole.saturated, "{pattern} at {load}");
            spared[0] += whole.cycles - stable.cycles;
            if !whole.saturated {
                assert_eq!(stable, whole, "{pattern} at {load}: nothing is given up");
            }

            let each = run(StopRule::WhenEachPopulationIsDecided);
            assert_eq!(each.saturated, whole.saturated, "{pattern} at {load}");
            spared[1] += whole.cycles - each.cycles;

            let run = Run::new(&fabric, &settings, &traffic, load, 1).unwrap();
            let ForeseenLatency { all, populations } = run.foresee(&()).unwrap();
            let foreseen: Vec<f64> = std::iter::once(all).chain(populations).collect();
            let is_above =
                |means: &[f64]| means.iter().map(|&mean| mean > 100.0).collect::<Vec<_>>();
            assert_eq!(is_above(&foreseen), is_above(&means(&whole)), "{pattern} at {load}");
            for (found, known) in means(&each).into_iter().zip(means(&whole)) {
                assert!(found <= known + 1e-9, "{pattern} at {load}: {found} above {known}");
                assert!(found > 100.0 || found.to_bits() == known.to_bits(), "{pattern} at {load}");
            }
        }
    }
    assert!((10..30).contains(&above), "{above} of 36 runs are saturated");
    assert!(spared.iter().all(|&cycles| cycles > 3000), "{spared:?} cycles are spared");
}
