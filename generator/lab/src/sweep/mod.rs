//! Many independent runs from one file, on as many machines as there are.
//!
//! One run is one file, named by the hash of everything that its outcome depends on. A run whose
//! file is there is not made again. So a sweep continues after any interruption, shares never wait
//! for each other, and a longer sweep uses what a shorter one has left. The files are JSON, because
//! they are an output that users read: `docs/reference/sweep.md` describes them.
//!
//! # Example
//! ```
//! use tvlb_lab::sweep::{Plan, Share, collect, run};
//!
//! # let home = tempfile::tempdir()?;
//! # let fabric = "name = \"lab\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\n";
//! # std::fs::write(home.path().join("lab.toml"), fabric)?;
//! # let file = home.path().join("sweep.toml");
//! # let output = home.path().join("runs");
//! # std::fs::write(&file, "fabrics = [\"lab.toml\"]\nschemes = [\"par\"]\nsets = [\"all\"]\n\
//! #     traffic = [\"uniform\"]\nloads = [0.1, 0.2]\nseeds = [1]\n[settings]\nwindow = 100\n")?;
//! let plan = Plan::read(&file)?;
//! let made = run(&plan, &output, Share::default(), &());
//! made.end?;
//! assert_eq!((made.runs, made.before, made.now), (2, 0, 2));
//! let collected = collect(&plan, &output)?;
//! assert_eq!((collected.found, collected.runs.lines().count()), (2, 3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod collect;
mod error;
mod figures;
mod plan;
mod share;
mod summary;

pub use collect::{Collected, collect};
pub use error::SweepError;
pub use plan::Plan;
pub use share::Share;

use plan::{Subject, Unit, runs_in};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use tvlb_generator::generate::generate;
use tvlb_generator::image::{ImageStageError, Images};
use tvlb_progress::Progress;
use tvlb_run_store::RunDirectory;
use tvlb_simulator::{BootedFabric, Run, RunError, StopRule, Traffic};

/// What came of a share of a sweep.
#[derive(Debug)]
pub struct Made {
    /// How many runs the share has.
    pub runs: usize,
    /// How many of them had been made before.
    pub before: usize,
    /// How many of them were made now.
    pub now: usize,
    /// Whether all of them are made; otherwise the first failure, in the order of the runs.
    pub end: Result<(), SweepError>,
}

/// Makes the runs of a share that are not in `directory` yet.
pub fn run(plan: &Plan, directory: &Path, share: Share, progress: &dyn Progress) -> Made {
    let store = runs_in(directory);
    let units: Vec<&Unit> = share.of(&plan.units).collect();
    let missing: Vec<&Unit> =
        units.iter().copied().filter(|unit| !store.contains(&unit.subject)).collect();
    let (runs, before) = (units.len(), units.len() - missing.len());
    let images = match images(plan, &missing, progress) {
        Ok(images) => images,
        Err(error) => return Made { runs, before, now: 0, end: Err(error) },
    };
    progress.stage("runs", Some(missing.len()));
    let outcomes: Vec<Result<(), SweepError>> = missing
        .par_iter()
        .with_max_len(1)
        .map(|unit| {
            simulate(plan, unit, &images[&(unit.fabric, unit.set)], &store, progress)?;
            progress.step();
            Ok(())
        })
        .collect();
    let now = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    Made { runs, before, now, end: outcomes.into_iter().collect() }
}

/// The images of every fabric and set that is to be simulated.
fn images(
    plan: &Plan,
    units: &[&Unit],
    progress: &dyn Progress,
) -> Result<BTreeMap<(usize, usize), Images>, SweepError> {
    let mut made = BTreeMap::new();
    for unit in units {
        if made.contains_key(&(unit.fabric, unit.set)) {
            continue;
        }
        let (path, fabric) = &plan.fabrics[unit.fabric];
        let paths = &plan.sets[unit.set];
        let policies = paths.policies(fabric);
        let images = generate(fabric, &policies, progress).map_err(|error| match error {
            ImageStageError::Cancelled(cancelled) => cancelled.into(),
            error => SweepError::Image { path: path.clone(), error },
        })?;
        made.insert((unit.fabric, unit.set), images.images);
    }
    Ok(made)
}

/// Makes one run and keeps it.
fn simulate(
    plan: &Plan,
    unit: &Unit,
    images: &Images,
    store: &RunDirectory,
    progress: &dyn Progress,
) -> Result<(), SweepError> {
    let fabric = BootedFabric::boot(&images.fabric, &images.switches)?
        .with_names(plan.fabrics[unit.fabric].1.names.clone());
    let run = || {
        let Subject { scheme, set, traffic, load, seed, .. } = &unit.subject;
        format!("{scheme}, {set}, {traffic}, load {load}, seed {seed}")
    };
    let seed = unit.subject.seed;
    let pattern = &plan.traffic[unit.traffic];
    let traffic = Traffic::new(pattern, fabric.dragonfly(), seed)
        .map_err(|error| SweepError::Traffic { run: run(), error })?;
    let placement = plan.placements[unit.placement].on(fabric.dragonfly(), seed);
    let placement = placement.map_err(|error| SweepError::Placement { run: run(), error })?;
    let traffic = traffic.placed(&placement);
    let outcome = Run::new(&fabric, &unit.subject.settings, &traffic, unit.subject.load, seed)
        .map_err(RunError::Settings)
        .and_then(|run| run.measure(StopRule::FullWindow, progress))
        .map_err(|error| match error {
            RunError::Cancelled(cancelled) => cancelled.into(),
            error => SweepError::Run { run: run(), error },
        })?;
    Ok(store.keep(&unit.subject, &outcome)?)
}
