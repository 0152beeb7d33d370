//! Traffic that changes during a run, and the windows by which it is watched.
use crate::test_images::{Images, absolute_images};
use std::num::NonZeroU32;
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::ShapeSet;
use tvlb_simulator::{BootedFabric, Outcome, Run, Scheme, SeriesWindow, Settings, StopRule, Study};
use tvlb_traffic::{PlacementRule, Traffic};

/// 8,000 cycles of a small network under UGAL-L, the last 2,000 of them measured, in windows of 500.
fn outcome(pattern: &str, load: f64) -> Outcome {
    let Images { fabric, switches } = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let mut settings = Settings::new(Scheme::UgalL, VlbPaths::Custom);
    (settings.warm_up_windows, settings.window_cycles) = (3, 2000);
    let traffic = Traffic::new(&pattern.parse().unwrap(), fabric.dragonfly(), 1).unwrap();
    let mut run = Run::new(&fabric, &settings, &traffic, load, 1).unwrap();
    run.record_series(NonZeroU32::new(500).unwrap());
    run.measure(StopRule::FullWindow, &()).unwrap()
}

#[test]
fn detours_come_and_go_with_adversarial_traffic() {
    let outcome = outcome("uniform then shift(1,0) from 2500 then uniform from 5000", 0.2);
    let windows = outcome.series.unwrap().windows;
    assert_eq!(windows.len(), 16);
    let means = |of: &[SeriesWindow], figure: fn(&SeriesWindow) -> f64| {
        of.iter().map(figure).sum::<f64>() / f64::from(u32::try_from(of.len()).unwrap())
    };
    let vlb = |of: &[SeriesWindow]| means(of, |window| window.vlb_share.unwrap());
    let latency = |of: &[SeriesWindow]| means(of, |window| window.latency.unwrap());
    // Without the first window, in which nothing arrives at once, and the one after each change.
    let (before, during, after) = (&windows[1..5], &windows[6..10], &windows[11..16]);
    assert!(vlb(during) > 2.0 * vlb(before), "{windows:?}");
    assert!(latency(during) > 1.1 * latency(before), "{windows:?}");
    assert!((vlb(after) - vlb(before)).abs() < 0.03, "{windows:?}");
    assert!((latency(after) - latency(before)).abs() < 0.03 * latency(before), "{windows:?}");
    assert!(windows[1..].iter().all(|window| (window.accepted - 0.2).abs() < 0.02), "{windows:?}");
    assert!(windows.iter().all(|window| window.losses.is_none()));
}

#[test]
fn what_is_accepted_is_compared_with_what_is_offered_in_the_measured_cycles() {
    let steady = outcome("uniform", 0.4);
    assert!(!steady.falls_short() && steady.offered.is_none());
    // Half of the measured cycles offer a quarter of the load.
    let less = outcome("uniform then uniform at 0.1 from 7000", 0.4);
    assert_eq!(less.offered, Some(0.25));
    assert!(!less.falls_short() && (less.all.accepted - 0.25).abs() < 0.01, "{less:?}");
    let more = outcome("uniform then shift(1,0) at 1 from 6000", 0.1);
    assert!(more.falls_short() && more.offered == Some(1.0));
}

#[test]
fn bursts_cost_latency_and_no_load() {
    let of = |pattern: &str| {
        let all = outcome(pattern, 0.2).all;
        (all.latency, all.accepted)
    };
    let (plain, bursts) = (of("shift(1,0)"), of("shift(1,0) in bursts(100,300)"));
    assert!(bursts.0 > 1.1 * plain.0, "{bursts:?} {plain:?}");
    assert!((bursts.1 / plain.1 - 1.0).abs() < 0.15, "{bursts:?} {plain:?}");
}

#[test]
fn a_search_asks_for_no_load_that_bursts_cannot_offer() {
    let Images { fabric, switches } = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let mut settings = Settings::new(Scheme::Min, VlbPaths::Custom);
    (settings.warm_up_windows, settings.window_cycles) = (1, 1000);
    let pattern = "uniform in bursts(50,150)".parse().unwrap();
    let study = Study {
        fabric: &fabric,
        settings: &settings,
        pattern: &pattern,
        placement: &PlacementRule::Identity,
        seeds: &[1],
        series: None,
    };
    let found = study.saturation(0.1, &()).unwrap();
    assert_eq!(found.by_latency.mean.to_bits(), 0.2_f64.to_bits());
}
