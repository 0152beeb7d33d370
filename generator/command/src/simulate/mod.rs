//! `tvlb simulate`: the network that a table set describes, cycle by cycle.

mod bench;
mod identity;
mod losses;
mod options;
mod picture;
mod report;

use identity::Identity;
pub use options::{FigureFormat, SimulateOptions};

use crate::failure::{Failure, Outcome};
use crate::files::outside_table_sets;
use crate::output::{Bars, catch_interrupt, print, tell_of_starved, write_file};
use crate::tables::Tables;
use crate::traffic;
use losses::{RunFaults, RunUpdate};
use options::At;
use report::StudyOutcome;
use std::path::PathBuf;
use tvlb_base::progress::Progress;
use tvlb_generator::counted::counted;
use tvlb_generator::vectors::RunDecisions;
use tvlb_simulator::{BootedFabric, Point, RunError, Settings, Study, StudyError};
use tvlb_table_set::names::Parts;
use tvlb_table_set::{TableSet, Update};

pub fn run(arguments: &SimulateOptions) -> Outcome {
    arguments.check()?;
    arguments.work.use_threads()?;
    outside_table_sets([
        ("--plot", arguments.plot.as_deref()),
        ("--links", arguments.links.as_deref()),
        ("--decisions", arguments.decisions.as_deref()),
    ])?;
    let tables = Tables::open(&arguments.directory)?;
    let update = arguments.update.as_deref().map(|path| Update::open(path, &tables.set));
    let tables = Tables { update: update.transpose().map_err(Failure::of)?, ..tables };
    let set = &tables.set;
    let fabric = set.fabric_image().map_err(Failure::of)?;
    let switches = tables.switch_images(&fabric, arguments.switches.revision())?;
    let updates = installed_later(arguments, set, &fabric, &switches)?;
    let fabric = tables.boot(&fabric, &switches)?;
    let names = fabric.names();
    let settings = arguments.settings((&fabric, &set.manifest().fabric));
    let given = match &tables.update {
        Some(update) => Some(losses::from_the_beginning(update, &fabric)?),
        None => losses::given(arguments, &fabric, names, &settings, updates)?,
    };
    let parts = Parts::new(fabric.dragonfly(), names);
    let pattern = traffic::pattern(&arguments.traffic, &parts)?;
    let placement = traffic::placement(&arguments.place, &parts)?;
    let study = Study {
        fabric: &fabric,
        settings: &settings,
        pattern: &pattern.rule,
        placement: &placement.rule,
        seeds: &arguments.seeds,
        series: arguments.series,
    };
    if let Some(cycles) = arguments.bench {
        return bench::run(&study, &arguments.loads(), cycles);
    }

    let decisions = recorded(arguments, &fabric, &settings)?;
    catch_interrupt()?;
    tell_of_starved(arguments.work.quiet, settings.starved_links());
    let stages = Bars::beginning(arguments.work.quiet, &beginning(arguments, &study));
    let outcome = simulated(arguments, &study, (given.as_ref(), decisions.as_ref()), &stages);
    stages.finish();
    let report = outcome.map_err(|error| match error {
        StudyError::Run { error: RunError::Cancelled(_), .. } => {
            Failure::Stopped("no run was kept; tvlb-lab sweep makes runs and keeps each".to_owned())
        }
        error => Failure::of(error),
    })?;

    let identity = Identity::new(&settings, set.manifest(), (&pattern, &placement));
    let faults = given.as_ref().map(|given| &given.record);
    let studied = report::Studied { report: &report, study: &study, identity: &identity, faults };
    if let StudyOutcome::Curve(points) = &report {
        write_beside(arguments, (&studied, points), decisions, set)?;
    }
    match arguments.format {
        FigureFormat::Table if arguments.json => report::json(&studied),
        FigureFormat::Table => print(&report::StudyText(&studied)),
        FigureFormat::Csv if arguments.series.is_some() => match &report {
            StudyOutcome::Curve(points) => print(&studied.series(points)),
            StudyOutcome::Saturation(_) => Ok(()),
        },
        FigureFormat::Csv => print(&studied.figures()),
    }
}

/// The recorder of what switches decide, if requested.
fn recorded<'s>(
    arguments: &SimulateOptions,
    fabric: &BootedFabric<'_>,
    settings: &'s Settings,
) -> Result<Option<RunDecisions<'s>>, Failure> {
    let Some(path) = &arguments.decisions else { return Ok(None) };
    let decisions = RunDecisions::new(fabric, settings, arguments.decisions_per_switch);
    let refused = |error| Failure::Message(format!("--decisions {}: {error}", path.display()));
    decisions.map(Some).map_err(refused)
}

/// Searches for saturation, or runs every load.
fn simulated(
    arguments: &SimulateOptions,
    study: &Study<'_>,
    (given, decisions): (Option<&RunFaults>, Option<&RunDecisions<'_>>),
    stages: &Bars,
) -> Result<StudyOutcome, StudyError> {
    if arguments.saturation {
        // A search reports how many runs it may still need.
        let resolution = arguments.resolution;
        stages.stage("saturation", None);
        let found = match given {
            None => study.saturation(resolution, stages),
            Some(RunFaults { schedule, .. }) => {
                study.saturation_with_faults(resolution, schedule, stages)
            }
        };
        return found.map(StudyOutcome::Saturation);
    }
    let loads = arguments.loads();
    stages.stage("runs", Some(loads.len() * study.seeds.len()));
    let curve = match (given, decisions) {
        (None, None) => study.curve(&loads, stages),
        (None, Some(decisions)) => study.curve_decided_by(&loads, |_| decisions.recorder(), stages),
        (Some(RunFaults { schedule, .. }), _) => study.curve_with_faults(&loads, schedule, stages),
    };
    curve.map(StudyOutcome::Curve)
}

/// Writes the requested files besides the figures.
fn write_beside(
    arguments: &SimulateOptions,
    (studied, points): (&report::Studied<'_>, &[Point]),
    decisions: Option<RunDecisions<'_>>,
    set: &TableSet,
) -> Outcome {
    if let Some(path) = &arguments.plot {
        picture::write(path, points, (studied.study, studied.identity))?;
    }
    if let Some(path) = &arguments.links {
        write_file(path, &studied.links(points))?;
    }
    if let (Some(path), Some(decisions)) = (&arguments.decisions, decisions) {
        let shown = |path: PathBuf| path.display().to_string();
        let images = |of| (shown(set.fabric_path()), shown(set.switch_path(of)));
        write_file(path, &decisions.text(images))?;
    }
    Ok(())
}

/// The line that says what will be simulated.
fn beginning(arguments: &SimulateOptions, study: &Study<'_>) -> String {
    let settings = study.settings;
    let (seeds, nodes) = (study.seeds.len(), study.fabric.nodes().count());
    let cycles = u64::from(settings.window_cycles) * (u64::from(settings.warm_up_windows) + 1);
    let what = if arguments.saturation {
        format!("searching for the saturation with {}", counted(seeds as u64, "seed"))
    } else {
        let runs = arguments.loads().len() * seeds;
        format!("simulating {} of {cycles} cycles", counted(runs as u64, "run"))
    };
    format!("{what} on {nodes} nodes")
}

/// The updates of `--update-at`, with the switch images that differ from those of the boot.
fn installed_later(
    arguments: &SimulateOptions,
    set: &TableSet,
    fabric: &[u8],
    booted: &[Vec<u8>],
) -> Result<Vec<RunUpdate>, Failure> {
    let mut updates = Vec::new();
    for At { cycle, path } in &arguments.update_at {
        let update = Update::open(path, set).map_err(Failure::of)?;
        let tables = Tables { set: set.clone(), update: Some(update.clone()) };
        let images = tables.switch_images(fabric, arguments.switches.revision())?;
        let numbers = tables.decode(fabric)?.dragonfly().switches();
        let changed = numbers.zip(images).zip(booted).filter(|((_, new), old)| new != *old);
        let switch_images = changed.map(|(new, _)| new).collect();
        updates.push(RunUpdate { cycle: *cycle, update, switch_images });
    }
    Ok(updates)
}
