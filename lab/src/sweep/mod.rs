//! Many independent runs from one file, on as many machines as there are.
//!
//! One run is one file, named by the hash of everything that its outcome depends on. A run whose
//! file is there is not made again, and several processes with one directory make each run once. So a
//! sweep continues after any interruption, spreads over any machines, and a longer sweep uses what a
//! shorter one has left.
//!
//! # Example
//! ```
//! use tvlb_lab::sweep::{Plan, collect, run};
//!
//! # let home = tempfile::tempdir()?;
//! # let fabric = "name = \"lab\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\n";
//! # std::fs::write(home.path().join("lab.toml"), fabric)?;
//! # let file = home.path().join("sweep.toml");
//! # let output = home.path().join("runs");
//! # std::fs::write(&file, "fabrics = [\"lab.toml\"]\nschemes = [\"par\"]\nsets = [\"all\"]\n\
//! #     traffic = [\"uniform\"]\nloads = [0.1, 0.2]\nseeds = [1]\n[settings]\nwindow = 100\n")?;
//! let plan = Plan::read(&file)?;
//! let made = run(&plan, &output, &());
//! made.end?;
//! assert_eq!((made.runs, made.before, made.now), (2, 0, 2));
//! let collected = collect(&plan, &output)?;
//! assert_eq!((collected.found, collected.runs.lines().count()), (2, 3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod collect;
mod dead_parts;
mod error;
mod figures;
mod file;
mod lists;
mod paths;
mod plan;
mod saturation;
mod summary;
mod tables;
mod variant;

pub use collect::{Collected, collect};
pub use error::SweepError;
pub use plan::Plan;

use plan::{Subject, Tables, Unit, runs_in};
use rayon::prelude::*;
use serde::de::IgnoredAny;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_generator::faults::update;
use tvlb_generator::generate::generate;
use tvlb_generator::image::{ImageStageError, Images};
use tvlb_schema::{FabricImage, FaultSet, SwitchImage};
use tvlb_simulator::{
    BootedFabric, FaultSchedule, Run, RunError, Saturation, StopRule, Study, StudyError,
};
use tvlb_table_set::runs::{POLL, Runs, Turn};
use tvlb_traffic::Traffic;

/// What came of a sweep.
#[derive(Debug)]
pub struct Made {
    /// How many runs the sweep has.
    pub runs: usize,
    /// How many of them had been made before.
    pub before: usize,
    /// How many of them this process has made.
    pub now: usize,
    /// Whether all of them are made; otherwise the first failure, in the order of the runs.
    pub end: Result<(), SweepError>,
}

/// Makes the runs that are not in `directory` yet, together with all processes that do the same.
pub fn run(plan: &Plan, directory: &Path, progress: &dyn Progress) -> Made {
    let (runs, mut before, now) = (plan.units.len(), 0, AtomicUsize::new(0));
    let mut make = || {
        let store = runs_in(directory)?;
        let mut left: Vec<&Unit> =
            plan.units.iter().filter(|unit| !store.contains(&unit.subject)).collect();
        before = runs - left.len();
        let images = images(plan, &left, progress)?;
        progress.stage("runs", Some(left.len()));
        while !left.is_empty() {
            let of_others = left.par_iter().with_max_len(1).map(|unit| {
                match store.claim::<IgnoredAny>(&unit.subject)? {
                    Turn::Theirs => return Ok(Some(*unit)),
                    Turn::Kept(_) => {}
                    Turn::Ours(_claim) => {
                        simulate(plan, unit, &images[&unit.tables], &store, progress)?;
                        now.fetch_add(1, Ordering::Relaxed);
                    }
                }
                progress.step();
                Ok(None)
            });
            let of_others: Vec<Result<Option<&Unit>, SweepError>> = of_others.collect();
            left = of_others.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;
            progress.check()?;
            if !left.is_empty() {
                thread::sleep(POLL);
            }
        }
        Ok(())
    };
    let end = make();
    Made { runs, before, now: now.into_inner(), end }
}

/// The images of every fabric and set that is to be simulated, with those that switches have where parts
/// are dead.
fn images(
    plan: &Plan,
    units: &[&Unit],
    progress: &dyn Progress,
) -> Result<HashMap<Tables, Images>, SweepError> {
    let mut made = HashMap::new();
    for unit in units {
        let Tables { fabric, set, vc_scheme, dead } = unit.tables;
        if made.contains_key(&unit.tables) {
            continue;
        }
        let (path, fabric_of_file) = &plan.fabrics[fabric];
        let mut fabric_of_run = fabric_of_file.clone();
        fabric_of_run.file.virtual_channels = vc_scheme;
        let policies = plan.sets[set].policies(fabric_of_file);
        let generated = generate(&fabric_of_run, &policies, progress);
        let mut images = generated
            .map_err(|error| match error {
                ImageStageError::Cancelled(cancelled) => cancelled.into(),
                error => SweepError::Image { path: path.clone(), error },
            })?
            .images;
        if let Some(faults) = plan.dead[dead].of(fabric) {
            install(&mut images, faults, progress)?;
        }
        made.insert(unit.tables, images);
    }
    Ok(made)
}

/// Puts the images that change where parts are dead in the place of those of the plan.
fn install(
    images: &mut Images,
    faults: &FaultSet,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let decoded = "the image stage decodes what it writes";
    let fabric = FabricImage::decode(&images.fabric).expect(decoded);
    let switches: Vec<SwitchImage<'_>> = images
        .switches
        .iter()
        .map(|bytes| SwitchImage::decode(bytes, &fabric).expect(decoded))
        .collect();
    let numbers: Vec<_> = switches.iter().map(SwitchImage::switch).collect();
    let changed = update(&fabric, &switches, (1, faults), progress)?.switches;
    for (switch, bytes) in changed {
        let position = numbers.iter().position(|&number| number == switch);
        images.switches[position.expect("an update is of the fabric's switches")] = bytes;
    }
    Ok(())
}

/// Makes one run, or one search, and keeps it.
fn simulate(
    plan: &Plan,
    unit: &Unit,
    images: &Images,
    store: &Runs,
    progress: &dyn Progress,
) -> Result<(), SweepError> {
    let (_, fabric_of_file) = &plan.fabrics[unit.tables.fabric];
    let fabric = BootedFabric::boot(&images.fabric, &images.switches)?
        .with_names(fabric_of_file.names.clone());
    let faults = plan.dead[unit.tables.dead].of(unit.tables.fabric);
    let schedule = faults.map(|faults| FaultSchedule::new(&fabric, &[(0, faults.clone())], 0..=0));
    let schedule = schedule.transpose()?;
    let Subject { seed, settings, .. } = &unit.subject;
    let pattern = &plan.traffic[unit.traffic].rule;
    let rule = &plan.placements[unit.placement].rule;
    if let Some(resolution) = unit.subject.saturation {
        let study = Study { fabric: &fabric, settings, pattern, placement: rule, seeds: &[*seed] };
        let found: Result<Saturation, StudyError> = match &schedule {
            None => study.saturation(resolution, &Unreported(progress)),
            Some(schedule) => {
                study.saturation_with_faults(resolution, schedule, &Unreported(progress))
            }
        };
        let found = found.map_err(|error| match error {
            StudyError::Run { error: RunError::Cancelled(cancelled), .. } => cancelled.into(),
            error => SweepError::Saturation { run: in_words(&unit.subject), error },
        })?;
        let of_seed = found.seeds.first().expect("the study has one seed");
        return Ok(store.put(&unit.subject, of_seed)?);
    }
    let load = unit.subject.load.expect("what is no search has a load");
    let in_run = || in_words(&unit.subject);
    let traffic = Traffic::new(pattern, fabric.nodes(), *seed)
        .map_err(|error| SweepError::Traffic { run: in_run(), error })?;
    let placement = rule.on(fabric.nodes(), *seed);
    let placement = placement.map_err(|error| SweepError::Placement { run: in_run(), error })?;
    let traffic = traffic.placed(&placement);
    let run = match &schedule {
        None => Run::new(&fabric, settings, &traffic, load, *seed).map_err(RunError::Settings),
        Some(schedule) => Run::with_faults(&fabric, settings, &traffic, load, *seed, schedule),
    };
    let outcome = run.and_then(|run| run.measure(StopRule::FullWindow, progress)).map_err(
        |error| match error {
            RunError::Cancelled(cancelled) => cancelled.into(),
            error => SweepError::Run { run: in_run(), error },
        },
    )?;
    Ok(store.put(&unit.subject, &outcome)?)
}

/// A run, for an error.
fn in_words(subject: &Subject) -> String {
    let Subject { scheme, set, traffic, load, seed, .. } = subject;
    let load = load.map_or_else(|| "saturation".to_owned(), |load| format!("load {load}"));
    format!("{scheme}, {set}, {traffic}, {load}, seed {seed}")
}

/// Passes a cancellation on, but no steps: a search is one step of its sweep.
struct Unreported<'p>(&'p dyn Progress);

impl Progress for Unreported<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
