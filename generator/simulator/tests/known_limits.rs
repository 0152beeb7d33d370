//! Figures that are known from elsewhere: limits by counting links, the reference's curves, and those
//! published for T-UGAL (Rahman et al., SC'19, section 4.3).
use crate::test_images::{
    Images, absolute, absolute_classic, below, by_shape, dragonfly, images, strategic_2_3,
};
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{SetRule, ShapeSet};
use tvlb_simulator::Scheme;
use tvlb_simulator::{BootedFabric, Buffers, Outcome, Run, Settings, StopRule};
use tvlb_traffic::{Pattern, Traffic};

fn outcome(fabric: &BootedFabric<'_>, settings: &Settings, pattern: &str, load: f64) -> Outcome {
    let pattern: Pattern = pattern.parse().unwrap();
    let traffic = Traffic::new(&pattern, fabric.dragonfly(), 1).unwrap();
    let run = Run::new(fabric, settings, &traffic, load, 1).unwrap();
    run.measure(StopRule::FullWindow, &()).unwrap()
}

fn assert_within(percent: f64, found: f64, expected: f64, what: &str) {
    let deviation = 100.0 * (found / expected - 1.0);
    assert!(deviation.abs() <= percent, "{what}: {found}, but {expected} is known");
}

#[test]
fn minimal_adversarial_traffic_gets_its_share_of_the_links() {
    let df = dragonfly(2, 4, 2, 9);
    let Images { fabric, switches } = images(&df, &absolute(&df), SetRule::whole(ShapeSet::ALL));
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let mut settings = Settings::new(Scheme::Min, VlbPaths::Custom);
    // All 8 nodes of a group share its one link to the next. A buffer of 32 flits covers 32 of
    // the 34 cycles that a credit takes to come back, one of 64 all of them. What links within groups have
    // does not matter to that, as long as they carry two nodes' share.
    for (buffers, use_of_link) in [
        (Buffers::all(32), 32.0 / 34.0),
        (Buffers::all(64), 1.0),
        (Buffers { local: 64, global: 32 }, 32.0 / 34.0),
        (Buffers { local: 12, global: 64 }, 1.0),
    ] {
        settings.buffers = buffers;
        let outcome = outcome(&fabric, &settings, "shift(1,0)", 0.3);
        assert!(outcome.saturated && outcome.falls_short());
        assert_within(1.0, outcome.all.accepted, use_of_link / 8.0, "accepted");
        assert_within(1.0, outcome.global_links.most, use_of_link, "busiest link");
    }
}

#[test]
fn minimal_curves_are_booksims() {
    let df = dragonfly(2, 4, 2, 9);
    let Images { fabric, switches } =
        images(&df, &absolute_classic(&df), SetRule::whole(ShapeSet::ALL));
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let settings = Settings::new(Scheme::Min, VlbPaths::Custom);
    for (pattern, load, latency) in [
        ("uniform", 0.1, 37.26),
        ("uniform", 0.3, 37.68),
        ("uniform", 0.5, 38.63),
        ("uniform", 0.7, 41.94),
        ("next-group", 0.05, 40.32),
        ("next-group", 0.1, 42.38),
    ] {
        let outcome = outcome(&fabric, &settings, pattern, load);
        assert!(!outcome.saturated && !outcome.falls_short());
        assert_within(3.0, outcome.all.latency, latency, pattern);
        assert_within(3.0, outcome.all.accepted, load, pattern);
    }
    for (pattern, load, accepted) in
        [("uniform", 0.8, 0.79), ("uniform", 0.9, 0.79), ("next-group", 0.3, 0.117)]
    {
        let outcome = outcome(&fabric, &settings, pattern, load);
        assert!(outcome.saturated);
        assert_within(3.0, outcome.all.accepted, accepted, pattern);
    }
}

#[test]
fn published_latencies_are_met() {
    let df = dragonfly(4, 8, 4, 9);
    let conventional = SetRule::whole(ShapeSet::ALL);
    let strategic = by_shape(strategic_2_3());
    for (scheme, rule, load, latency) in [
        (Scheme::UgalL, conventional, 0.1, 56.9),
        (Scheme::UgalL, strategic, 0.1, 52.1),
        (Scheme::UgalG, conventional, 0.1, 61.2),
        (Scheme::Par, conventional, 0.2, 67.6),
        (Scheme::Par, strategic, 0.2, 59.9),
    ] {
        let Images { fabric, switches } = images(&df, &absolute(&df), rule);
        let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
        let paths = if rule == conventional { VlbPaths::Conventional } else { VlbPaths::Custom };
        let mut settings = Settings::new(scheme, paths);
        settings.warm_up_windows = 1;
        let outcome = outcome(&fabric, &settings, "shift(2,0)", load);
        assert_within(5.0, outcome.all.latency, latency, &format!("{scheme:?}"));
    }
}

#[test]
fn ugal_goes_round_where_it_must_and_only_there() {
    let df = dragonfly(2, 4, 2, 9);
    let Images { fabric, switches } =
        images(&df, &absolute(&df), SetRule::whole(below(&["011", "110"])));
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let settings = Settings::new(Scheme::UgalL, VlbPaths::Custom);
    let adversarial = outcome(&fabric, &settings, "shift(1,0)", 0.25);
    assert!(!adversarial.saturated && adversarial.all.vlb_share > 0.5);
    let uniform = outcome(&fabric, &settings, "uniform", 0.3);
    assert!(!uniform.saturated && uniform.all.vlb_share < 0.2);
}
