//! Throughput under traffic that loads links unevenly, after Prisacari et al., "Performance Optimization of
//! Load Imbalanced Workloads in Large Scale Dragonfly Systems" (HPSR'15).
//!
//! A system of p is dfly(p, 2p, p, 2p² + 1) with the arrangement `relative`: balanced, and as large as one
//! link for each pair of groups allows. All groups send to one other group each, and every node offers a
//! flit per cycle. MIN, `VALg` and `VALn` are static: they do not look at queues. `VALg` is simulated once more
//! with the groups in random places.

use super::catalogue::{Experiment, Shift};
use super::error::ExperimentError;
use super::findings::{Findings, Texts};
use super::in_parallel::in_parallel;
use super::kept::{self, recall_or};
use super::kept_results::KeptResults;
use super::options::Options;
use super::results::{Figures, Imbalance, ROUTINGS, Routed, System};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::num::NonZeroU32;
use tvlb_base::progress::Progress;
use tvlb_chart::{Axis, Ink, Mark, Plot, Series};
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::generate::generate;
use tvlb_generator::image::Images;
use tvlb_generator::policy::PolicyPair;
use tvlb_generator::static_load::{Paths, share_count, static_loads};
use tvlb_schema::Dragonfly;
use tvlb_simulator::{BootedFabric, FaultSchedule, Run, RunError, Scheme, Settings, StopRule};
use tvlb_table_set::grammar::parse_set;
use tvlb_table_set::sha256;
use tvlb_topology::arrangement::Arrangement;
use tvlb_traffic::Placement;
use tvlb_traffic::{Pattern, PlacementRule, Traffic};

/// Raised when a run's file comes to hold other values.
const VERSION: u32 = 1;
/// Windows by whose differences the error of a throughput is judged, all of the measured cycles.
const BATCHES: u32 = 10;
/// Student's t for 95% on both sides, with one degree of freedom less than there are windows.
const T_95: f64 = 2.262;
/// What every node offers, in flits per cycle.
const LOAD: f64 = 1.0;

/// The traffic on a system with h global ports on a switch.
fn pattern(shift: Shift, h: u32) -> Pattern {
    let groups = match shift {
        Shift::Complement => return Pattern::Complement,
        Shift::Near => h + 1,
        Shift::TwoSwitches => 2 * h,
        Shift::Far => 2 * h + h / 2,
    };
    Pattern::Shift { groups, switches: 0 }
}

/// A routing of [`ROUTINGS`].
pub(super) struct Routing {
    pub(super) name: &'static str,
    pub(super) scheme: Scheme,
    pub(super) set: &'static str,
    pub(super) placement: PlacementRule,
}

pub(super) fn routings() -> [Routing; 4] {
    let of = |number: usize, scheme, set, placement| Routing {
        name: ROUTINGS[number],
        scheme,
        set,
        placement,
    };
    [
        of(0, Scheme::Min, "min", PlacementRule::Identity),
        of(1, Scheme::Vlb, "valg", PlacementRule::Identity),
        of(2, Scheme::Vlb, "valg", PlacementRule::Groups),
        of(3, Scheme::Vlb, "valn", PlacementRule::Identity),
    ]
}

/// Everything that a run depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Subject<'s> {
    load_imbalance_version: u32,
    tool_version: &'static str,
    traffic_version: u32,
    images: &'s str,
    settings: &'s Settings,
    traffic: String,
    placement: String,
    load: f64,
    seed: u64,
    batches: u32,
}

/// What is kept of a run: flits per node and cycle of each window.
#[derive(Serialize, Deserialize)]
struct Windows(Vec<f64>);

/// One run on one system.
struct Job<'j> {
    fabric: &'j Fabric,
    images: &'j Images,
    pattern: &'j Pattern,
    routing: &'j Routing,
}

pub(super) fn run(
    experiment: &Experiment,
    shift: Shift,
    (options, known): (&Options, &KeptResults),
    progress: &dyn Progress,
) -> Result<Findings, ExperimentError> {
    let mut sizes = options.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let routings = routings();
    let mut fabrics = Vec::new();
    for &p in &sizes {
        // Sizes that do not fit are refused as those of a fabric file are.
        let (a, g) = (p.saturating_mul(2), p.saturating_mul(p).saturating_mul(2).saturating_add(1));
        let dragonfly = Dragonfly::new(p, a, p, g)?;
        let fabric = Fabric::new("load-imbalance", dragonfly, Arrangement::Relative, 1)?;
        let images = |set| {
            let pair = PolicyPair::parse(set, 1).expect("the names are in the grammar");
            generate(&fabric, &pair.per_decision(), progress).map(|made| made.images)
        };
        let (valg, valn) = (images("valg")?, images("valn")?);
        fabrics.push((fabric, pattern(shift, p), valg, valn));
    }
    let jobs: Vec<Job<'_>> = fabrics
        .iter()
        .flat_map(|(fabric, pattern, valg, valn)| {
            let images = move |routing: &Routing| if routing.set == "valn" { valn } else { valg };
            routings.iter().map(move |routing| {
                let images = images(routing);
                Job { fabric, images, pattern, routing }
            })
        })
        .collect();
    let routed = in_parallel("runs", jobs, progress, |job| job.run(options, progress))?;
    let seconds = routed.iter().map(|(_, seconds)| seconds).sum();
    let mut systems = Vec::new();
    for ((fabric, pattern, ..), routed) in fabrics.iter().zip(routed.chunks(routings.len())) {
        let df = fabric.topology.dragonfly();
        let traffic = Traffic::new(pattern, df, options.seed)?;
        let share_count = share_count(&fabric.topology, &traffic);
        systems.push(System {
            dragonfly: [df.p(), df.a(), df.h(), df.g()],
            traffic: pattern.to_string(),
            estimate: 3.0 / (4.0 * f64::from(df.p())),
            share_count: share_count.expect("each group sends to one other, by one link"),
            routed: routed.iter().map(|(routed, _)| routed.clone()).collect(),
        });
    }
    let found = Imbalance { systems };
    let texts = Texts::<()> {
        csv: csv(&found),
        pictures: vec![("figure".to_owned(), picture(experiment, &found))],
        words: words(&found),
        model: None,
    };
    Ok(Findings::new(experiment, (Figures::Imbalance(found), seconds), texts, (options, known)))
}

impl Job<'_> {
    /// Counts and simulates. The second value is the processor time of the simulation, in seconds.
    fn run(
        &self,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<(Routed, f64), ExperimentError> {
        let Self { fabric, images, pattern, routing } = self;
        let df = fabric.topology.dragonfly();
        let seed = options.seed;
        let placement: Placement = routing.placement.on(df, seed).expect("all groups are alike");
        let traffic = Traffic::new(pattern, df, seed)?.placed(&placement);
        let rule = parse_set(routing.set, 1).expect("the names are in the grammar");
        let loads = static_loads(&fabric.topology, &traffic, &Paths::Set(rule))
            .expect("every pair has third groups");
        let window = if options.quick { 1000 } else { 10_000 };
        let settings = Settings {
            buffer_flits: 64,
            window_cycles: window,
            warm_up_windows: 1,
            ..Settings::new(routing.scheme, VlbPaths::Custom)
        };
        let subject = Subject {
            load_imbalance_version: VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            traffic_version: tvlb_traffic::VERSION,
            images: &sha256(&[&images.fabric[..], &images.switches.concat()].concat()),
            settings: &settings,
            traffic: pattern.to_string(),
            placement: routing.placement.to_string(),
            load: LOAD,
            seed,
            batches: BATCHES,
        };
        let kept = kept::open(options.state.as_deref())?;
        let timed = recall_or(kept.as_ref(), &subject, || {
            simulate(images, &settings, &traffic, seed, progress)
        })?;
        let (throughput, half_width) = interval(&timed.found.0);
        let routed = Routed {
            routing: routing.name.to_owned(),
            static_saturation: loads.saturation(),
            throughput,
            half_width,
        };
        Ok((routed, timed.processor_seconds))
    }
}

/// Runs the network at full load, and counts what is delivered after the warm-up, window by window.
fn simulate(
    images: &Images,
    settings: &Settings,
    traffic: &Traffic,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Windows, ExperimentError> {
    let fabric = BootedFabric::boot(&images.fabric, &images.switches)?;
    // A schedule of nothing changes nothing, and a run with one counts by windows.
    let schedule = FaultSchedule::new(&fabric, &[], 0..=0).expect("a list of nothing is in order");
    let batch = NonZeroU32::new(settings.window_cycles / BATCHES).unwrap_or(NonZeroU32::MIN);
    let outcome =
        Run::with_faults(&fabric, settings, traffic, LOAD, seed, &schedule).and_then(|mut run| {
            run.record_series(batch);
            run.measure(StopRule::FullWindow, progress)
        });
    let outcome = outcome.map_err(|error| match error {
        RunError::Cancelled(cancelled) => cancelled.into(),
        error => ExperimentError::Run { load: LOAD, error },
    })?;
    let begin = settings.warm_up_windows * settings.window_cycles;
    let series = outcome.faults.map_or_else(Vec::new, |figures| figures.series);
    let measured = series.iter().filter(|window| window.from >= begin);
    Ok(Windows(measured.take(BATCHES as usize).map(|window| window.accepted).collect()))
}

/// The mean, and half of its 95% confidence interval.
fn interval(windows: &[f64]) -> (f64, f64) {
    let estimate = tvlb_simulator::Estimate::of(windows);
    (estimate.mean, T_95 * estimate.error.unwrap_or_default())
}

fn csv(found: &Imbalance) -> String {
    let mut text =
        "p,a,h,g,traffic,routing,estimate,share-count,static-saturation,throughput,half-width\n"
            .to_owned();
    for system in &found.systems {
        let System { dragonfly: [p, a, h, g], traffic, estimate, share_count, routed } = system;
        for Routed { routing, static_saturation, throughput, half_width } in routed {
            let _ = writeln!(
                text,
                "{p},{a},{h},{g},\"{traffic}\",\"{routing}\",{estimate:.6},{share_count:.6},{static_saturation:.6},{throughput:.6},{half_width:.6}"
            );
        }
    }
    text
}

fn words(found: &Imbalance) -> String {
    let mut text = String::new();
    for system in &found.systems {
        let (name, System { traffic, estimate, share_count, routed, .. }) = (system.name(), system);
        let _ = writeln!(
            text,
            "  {name}, {traffic}: 3/(4p) is {estimate:.4}, the share count {share_count:.4}"
        );
        for Routed { routing, static_saturation, throughput, half_width } in routed {
            let _ = writeln!(
                text,
                "    {routing}: carries {throughput:.4} ± {half_width:.4}, static saturation {static_saturation:.4}"
            );
        }
    }
    text
}

/// Throughput and bounds over the size.
fn picture(experiment: &Experiment, found: &Imbalance) -> String {
    let marks = |value: &dyn Fn(&System) -> Option<(f64, f64)>, what: &str| {
        let marks = found.systems.iter().filter_map(|system| {
            let (y, error) = value(system)?;
            let hover = format!("{what}, {}: {y:.4}", system.name());
            Some(Mark::new(f64::from(system.dragonfly[0]), y, hover).with_error(error))
        });
        marks.collect::<Vec<_>>()
    };
    let mut series = Vec::new();
    for (number, routing) in ROUTINGS.into_iter().enumerate() {
        let throughput = |system: &System| {
            system.by(routing).map(|routed| (routed.throughput, routed.half_width))
        };
        series.push(Series {
            name: routing.to_owned(),
            ink: Ink::nth(number),
            joined: true,
            marks: marks(&throughput, routing),
        });
    }
    let of_valg = |system: &System| Some((system.by("VALg")?.static_saturation, 0.0));
    for (number, name, value) in [
        (4, "VALg, static saturation", &of_valg as &dyn Fn(&System) -> Option<(f64, f64)>),
        (5, "VALg, estimate 3/(4p)", &|system: &System| Some((system.estimate, 0.0))),
    ] {
        let marks = marks(value, name);
        series.push(Series { name: name.to_owned(), ink: Ink::nth(number), joined: false, marks });
    }
    let last = found.systems.last().map_or(1, |system| system.dragonfly[0]);
    Plot {
        title: format!("Load imbalance: {}", experiment.about),
        x: Axis::new("p: nodes per switch", 0.0, f64::from(last)),
        y: Axis::new("Delivered flits per node and cycle", 0.0, 0.5),
        level: None,
        series,
    }
    .file()
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    #[test]
    fn an_interval_is_that_of_students_t() {
        // Deviations of ±0.01: the standard error of the mean of ten is 0.01·√(10/9)/√10.
        let windows: Vec<f64> = (0..10).map(|n| if n % 2 == 0 { 0.31 } else { 0.29 }).collect();
        let (mean, half) = interval(&windows);
        assert!((mean - 0.3).abs() < 1e-12 && (half - 2.262 * 0.01 / 3.0).abs() < 1e-12, "{half}");
    }

    /// The smallest system, quickly: static figures are exact, and simulated ones are below them.
    #[test]
    fn a_small_system_carries_less_than_its_static_saturation() {
        let options = Options { quick: true, sizes: vec![2], ..Options::default() };
        let known = KeptResults::default();
        let findings =
            find("load-imbalance-complement").unwrap().run(&options, &known, &()).unwrap();
        let Figures::Imbalance(found) = &findings.results.figures else { panic!("{findings:?}") };
        let [system] = &found.systems[..] else { panic!("{found:?}") };
        assert_eq!((system.dragonfly, &*system.traffic), ([2, 4, 2, 9], "complement"));
        assert!((system.estimate - 0.375).abs() < 1e-12);
        assert!((system.share_count - 0.4167).abs() < 1e-4);
        let of = |routing| system.by(routing).unwrap();
        for (routing, expected) in [("MIN", 0.125), ("VALg", 7.0 / 24.0), ("VALn", 7.0 / 22.0)] {
            assert!((of(routing).static_saturation - expected).abs() < 1e-10, "{routing}");
        }
        for routing in ROUTINGS {
            let Routed { static_saturation, throughput, half_width, .. } = of(routing);
            // A group in the middle sends within itself, and goes on when the busiest link is full.
            assert!(*throughput > 0.1 && *throughput < 2.0 * static_saturation, "{routing}");
            assert!(*half_width > 0.0 && *half_width < 0.05, "{routing}: {half_width}");
        }
        let again = find("load-imbalance-complement").unwrap().run(&options, &known, &()).unwrap();
        assert_eq!(again.csv, findings.csv);
    }

    #[test]
    fn a_size_that_is_none_is_refused() {
        for p in [0, 400, u32::MAX] {
            let options = Options { quick: true, sizes: vec![p], ..Options::default() };
            let experiment = find("load-imbalance-shift-2h").unwrap();
            let error = experiment.run(&options, &KeptResults::default(), &()).unwrap_err();
            assert!(matches!(error, ExperimentError::Dragonfly(_)), "{p}: {error}");
        }
    }
}
