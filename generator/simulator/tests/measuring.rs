//! A run that measures until windows agree yields the figures of one window that is as long as all
//! of them, and as many windows as it takes.
use crate::test_images::{Images, absolute_images};
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::ShapeSet;
use tvlb_simulator::Scheme;
use tvlb_simulator::{BootedFabric, Measuring, Outcome, Run, Settings, StopRule, Study};
use tvlb_traffic::{Pattern, PlacementRule, Traffic};

/// Windows of so many cycles.
fn settings(scheme: Scheme, warm_up_windows: u32, window_cycles: u32) -> Settings {
    Settings {
        warm_up_windows,
        window_cycles,
        latency_limit_cycles: 150,
        measuring: Measuring::UntilWindowsAgree,
        ..Settings::new(scheme, VlbPaths::Custom)
    }
}

fn run(
    fabric: &BootedFabric<'_>,
    settings: &Settings,
    pattern: &str,
    load: f64,
    stop_rule: StopRule,
) -> Outcome {
    let pattern: Pattern = pattern.parse().unwrap();
    let traffic = Traffic::new(&pattern, fabric.dragonfly(), 1).unwrap();
    let run = Run::new(fabric, settings, &traffic, load, 1).unwrap();
    run.measure(stop_rule, &()).unwrap()
}

/// Loads from a tenth to the knee and beyond.
const LOADS: [f64; 8] = [0.1, 0.2, 0.24, 0.25, 0.26, 0.28, 0.3, 0.5];

#[test]
fn many_windows_are_one_long_window() {
    let Images { fabric, switches } = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let mut lengths = Vec::new();
    // Shorter windows than packets take, too: those arrive after several further windows.
    for (window_cycles, latency_limit_cycles) in [(500, 150), (20, 1000)] {
        for pattern in ["shift(1,0)", "hot-switch"] {
            for load in LOADS {
                let several =
                    Settings { latency_limit_cycles, ..settings(Scheme::UgalL, 0, window_cycles) };
                let found = run(&fabric, &several, pattern, load, StopRule::FullWindow);
                let windows = found.measured_windows.unwrap();
                let long = Settings {
                    window_cycles: windows * window_cycles,
                    measuring: Measuring::OneWindow,
                    ..several
                };
                let expected = run(&fabric, &long, pattern, load, StopRule::FullWindow);
                assert_eq!(expected.measured_windows, None);
                // Windows that agree are said not to grow.
                let growing = found.growing;
                let expected = Outcome { measured_windows: Some(windows), growing, ..expected };
                assert_eq!(found, expected, "{pattern} at {load}, {windows} windows");
                lengths.push(windows);
            }
        }
    }
    lengths.sort_unstable();
    lengths.dedup();
    assert!(lengths.len() > 3, "windows that were measured: {lengths:?}");
}

#[test]
fn a_low_load_takes_three_windows_the_knee_more_and_a_saturated_load_one() {
    let Images { fabric, switches } = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    for warm_up in [3, 7] {
        let settings = settings(Scheme::UgalL, warm_up, 500);
        let outcomes =
            LOADS.map(|load| run(&fabric, &settings, "shift(1,0)", load, StopRule::FullWindow));
        let windows = outcomes.each_ref().map(|outcome| outcome.measured_windows.unwrap());
        assert!(windows.iter().all(|windows| (1..=10 - warm_up).contains(windows)), "{windows:?}");
        let [low, .., high] = &outcomes;
        assert!(!low.saturated && !low.falls_short() && low.measured_windows == Some(3));
        assert!(high.saturated && high.falls_short() && high.measured_windows == Some(1));
        if warm_up == 3 {
            assert!(windows.iter().any(|&windows| windows > 3), "{windows:?}");
        }
    }
    // The figures at low load are those of one long window: three of warm-up are one of it.
    let several = settings(Scheme::UgalL, 3, 500);
    let long = Settings {
        warm_up_windows: 1,
        window_cycles: 1500,
        measuring: Measuring::OneWindow,
        ..several.clone()
    };
    let [found, expected] = [&several, &long]
        .map(|settings| run(&fabric, settings, "uniform", 0.2, StopRule::FullWindow));
    assert_eq!(found, Outcome { measured_windows: Some(3), ..expected });
}

#[test]
fn the_stop_rule_changes_neither_windows_nor_verdict() {
    let Images { fabric, switches } = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let settings = settings(Scheme::UgalL, 2, 500);
    let (mut saturated, mut more, mut spared) = (0, 0, [0, 0]);
    for pattern in ["hot-switch", "mixed(50,50)", "shift(1,0)"] {
        for load in [0.1, 0.28, 0.29, 0.3, 0.31, 0.5, 0.7, 0.9] {
            let run = |stop_rule| run(&fabric, &settings, pattern, load, stop_rule);
            let whole = run(StopRule::FullWindow);
            saturated += u32::from(whole.saturated);
            more += u32::from(whole.measured_windows > Some(3));
            let early = [StopRule::WhenSaturated, StopRule::WhenEachPopulationIsDecided].map(run);
            for (number, early) in early.into_iter().enumerate() {
                assert_eq!(early.saturated, whole.saturated, "{pattern} at {load}");
                spared[number] += whole.cycles - early.cycles;
                if early.measured_windows == Some(0) {
                    assert!(whole.saturated, "{pattern} at {load}: ended in the warm-up");
                    continue;
                }
                assert_eq!(early.measured_windows, whole.measured_windows, "{pattern} at {load}");
                assert_eq!(early.all.accepted.to_bits(), whole.all.accepted.to_bits());
                if !whole.saturated && number == 0 {
                    assert_eq!(early, whole, "{pattern} at {load}: nothing is given up");
                }
            }
        }
    }
    assert!((4..20).contains(&saturated), "{saturated} of 24 runs are saturated");
    assert!(more > 1, "{more} of 24 runs measure more than three windows");
    assert!(spared.iter().all(|&cycles| cycles > 500), "{spared:?} cycles are spared");
}

#[test]
fn threads_change_nothing() {
    let Images { fabric, switches } = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let settings = settings(Scheme::Par, 1, 500);
    let pattern = "tmixed(50,50,1,1)".parse().unwrap();
    let study = Study {
        fabric: &fabric,
        settings: &settings,
        pattern: &pattern,
        placement: &PlacementRule::Identity,
        seeds: &[1, 2],
        series: None,
    };
    let found = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (study.curve(&LOADS, &()).unwrap(), study.saturation(0.1, &()).unwrap()))
    });
    assert_eq!(found[0], found[1]);
}
