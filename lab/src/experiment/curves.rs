//! Latency over load: a line for each scheme, variant of the settings, and rules for VLB paths, with
//! the datapath and simulator that `tvlb simulate` uses.
//!
//! Each line begins at the lowest load and goes up in coarse steps until it saturates, then looks
//! between the last two loads for its saturation. Lines are independent and run side by side.

use super::catalogue::{Change, Study, Variant};
use super::error::ExperimentError;
use super::in_parallel::in_parallel;
use super::kept::{self, Subject, recall_or};
use super::options::Options;
use super::results::{Curves, Line, Point};
use super::rules::Rules;
use std::collections::BTreeMap;
use tvlb_base::progress::Progress;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::generate::generate;
use tvlb_generator::image::Images;
use tvlb_generator::policy::Policy;
use tvlb_schema::{Dragonfly, PerDecision, VcScheme};
use tvlb_simulator::{
    BootedFabric, Measuring, Probing, Revision, Run, RunError, Scheme, Settings, StopRule,
    last_good,
};
use tvlb_table_set::sha256;
use tvlb_topology::arrangement::Arrangement;
use tvlb_traffic::{Pattern, Traffic};

/// A load of 1 in the steps that the search takes, which are hundredths.
const UNIT: f64 = 100.0;
/// The load that every line has, in hundredths: lines that saturate far from each other have at least
/// this one in common.
const LOWEST: u32 = 5;

/// One set of paths, ready to be simulated.
struct Tables {
    rules: Rules,
    policies: PerDecision<Policy>,
    images: Images,
}

/// How finely a line is looked at, in hundredths, and for how long.
struct Effort {
    coarse: u32,
    fine: u32,
    window: u32,
    warm_up: u32,
}

/// Simulates the lines of a study. The second value is the processor time of all their runs, in
/// seconds.
pub(super) fn run(
    study: &Study,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(Curves, f64), ExperimentError> {
    // A large fabric needs coarser steps, and a quick look at one must be quicker still.
    let effort = match (options.quick, study.is_large()) {
        (false, false) => Effort { coarse: 5, fine: 1, window: 10_000, warm_up: 3 },
        (false, true) => Effort { coarse: 10, fine: 1, window: 10_000, warm_up: 3 },
        (true, false) => Effort { coarse: 10, fine: 2, window: 1500, warm_up: 2 },
        // Not much shorter, though: latencies must have the time to pass the limit.
        (true, true) => Effort { coarse: 20, fine: 5, window: 1000, warm_up: 2 },
    };
    let pattern: Pattern = study.traffic.parse()?;
    let fabric = fabric(study.dragonfly)?;
    let is_shown =
        |rules: &Rules| study.schemes.iter().any(|&s| study.rules(s).any(|r| r == *rules));
    let tables: Vec<Tables> = Rules::ALL
        .into_iter()
        .filter(is_shown)
        .map(|rules| {
            let policies = rules.policies(options, fabric.file.seed)?;
            Ok(Tables { rules, images: images(&fabric, &policies, progress)?, policies })
        })
        .collect::<Result<_, ExperimentError>>()?;
    let mut wanted = Vec::new();
    for variant in study.variants {
        for &scheme in study.schemes {
            let shown = |tables: &&Tables| study.rules(scheme).any(|rules| rules == tables.rules);
            wanted.extend(tables.iter().filter(shown).map(|tables| (variant, scheme, tables)));
        }
    }
    let lines = in_parallel("lines", wanted, progress, |wanted| {
        line(wanted, &pattern, &effort, options, progress)
    })?;
    let (lines, seconds): (Vec<Line>, Vec<f64>) = lines.into_iter().unzip();
    let curves = Curves { dragonfly: study.dragonfly, traffic: study.traffic.to_owned(), lines };
    Ok((curves, seconds.iter().sum()))
}

/// The fabric of these sizes.
fn fabric([p, a, h, g]: [u32; 4]) -> Result<Fabric, ExperimentError> {
    let dragonfly = Dragonfly::new(p, a, h, g)?;
    Ok(Fabric::new("experiment", dragonfly, Arrangement::default(), 1)?)
}

/// The images of a fabric with these policies.
fn images(
    fabric: &Fabric,
    policies: &PerDecision<Policy>,
    progress: &dyn Progress,
) -> Result<Images, ExperimentError> {
    let made = generate(fabric, policies, progress)?;
    Ok(made.images)
}

fn line(
    (variant, scheme, tables): (&Variant, Scheme, &Tables),
    pattern: &Pattern,
    effort: &Effort,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(Line, f64), ExperimentError> {
    let Tables { rules, policies, images } = tables;
    // As BookSim measures, by which the paper's figures were made; a quick look has no time for that.
    let measuring = if options.quick { Measuring::OneWindow } else { Measuring::UntilWindowsAgree };
    let mut settings = Settings {
        window_cycles: effort.window,
        warm_up_windows: effort.warm_up,
        measuring,
        ..Settings::new(scheme, rules.source())
    };
    let mut revision = Revision::default();
    match variant.change {
        Change::Nothing => {}
        Change::Latencies(local, global) => {
            (settings.local_latency_cycles, settings.global_latency_cycles) = (local, global);
        }
        Change::Buffer(flits) => settings.buffer_flits = flits,
        Change::Speedup(speedup) => settings.speedup = speedup,
        Change::PerHop => revision.vc_scheme = Some(VcScheme::PerHop),
    }
    let switches = revision.apply(&images.fabric, &images.switches)?;
    let fabric = BootedFabric::boot(&images.fabric, &switches)?;
    let traffic = Traffic::new(pattern, fabric.dragonfly(), options.seed)?;
    let hash = sha256(&[&images.fabric[..], &switches.concat()].concat());
    let kept = kept::open(options.state.as_deref())?;
    let seed = options.seed;
    let mut known: BTreeMap<u32, Point> = BTreeMap::new();
    let mut processor_seconds = 0.0;
    let mut is_good = |step: u32| {
        if let Some(point) = known.get(&step) {
            return Ok(!point.saturated);
        }
        let load = f64::from(step) / UNIT;
        let subject = Subject::new(&hash, &settings, pattern, load, seed);
        let timed = recall_or(kept.as_ref(), &subject, || {
            Run::new(&fabric, &settings, &traffic, load, seed)
                .map_err(RunError::Settings)
                .and_then(|run| run.measure(StopRule::WhenSaturated, progress))
                .map(Point::from)
                .map_err(|error| match error {
                    RunError::Cancelled(cancelled) => cancelled.into(),
                    error => ExperimentError::Run { load, error },
                })
        })?;
        processor_seconds += timed.processor_seconds;
        let good = !timed.found.saturated;
        known.insert(step, timed.found);
        Ok::<bool, ExperimentError>(good)
    };
    is_good(LOWEST)?;
    let probing = Probing::Upwards { coarse: effort.coarse, fine: effort.fine };
    let good = last_good(100, probing, |steps| steps.iter().map(|&step| is_good(step)).collect())?;
    let line = Line {
        scheme: scheme.name().to_owned(),
        variant: variant.name.to_owned(),
        rules: *rules,
        set: rules.set(scheme, policies),
        saturation: f64::from(good) / UNIT,
        points: known.into_values().collect(),
    };
    Ok((line, processor_seconds))
}
