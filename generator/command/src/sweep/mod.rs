//! `tvlb sweep`: many independent runs from one file, on as many machines as there are.
//!
//! One run is one file, named by the hash of all that its outcome depends on. Whoever finds the
//! file there has nothing to do, so a sweep goes on after any interruption, shards never wait for
//! each other, and a longer sweep uses what a shorter one has left.

mod collect;
mod plan;

use crate::failure::{Failure, Outcome};
use crate::files::outside_table_sets;
use crate::output::{Interruptible, catch_interrupt, interrupted, print, progress, use_threads};
use crate::values;
use clap::Args;
use plan::{Plan, Unit};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tvlb_generator::generate::generate;
use tvlb_generator::image::{ImageStageError, Images};
use tvlb_generator::policy::policies;
use tvlb_generator::whole_file;
use tvlb_simulator::{Fabric, Run, RunError, StopRule, Traffic};

/// Simulate every combination that a sweep file lists, one run at a time, and collect the figures
///
/// A run that is in DIR already is not made again. docs/reference/sweep.md describes the file and
/// how to spread a sweep over a cluster.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The sweep file
    file: PathBuf,
    /// Where runs are kept, one file for each
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Make only the I-th of N shares of the runs
    #[arg(long, value_name = "I/N", conflicts_with = "collect")]
    shard: Option<Shard>,
    /// Simulate nothing: merge the runs in DIR into runs.csv
    #[arg(long)]
    collect: bool,
    /// Use this many threads instead of one per core; the figures are the same for any number
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = values::threads)]
    threads: Option<usize>,
    /// Show no progress: print nothing but the result and errors
    #[arg(short, long)]
    quiet: bool,
}

/// One of several equal shares.
#[derive(Clone, Copy)]
struct Shard {
    number: usize,
    of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/');
        let numbers = numbers.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err("write it as I/N, with I from 1 to N".to_owned()),
        }
    }
}

/// What a run's file holds.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Kept<'k> {
    #[serde(flatten)]
    subject: &'k plan::Subject,
    outcome: &'k tvlb_simulator::Outcome,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    use_threads(arguments.threads)?;
    outside_table_sets([("--output", Some(arguments.output.as_path()))])?;
    let plan = Plan::read(&arguments.file)?;
    if arguments.collect {
        return collect::run(&plan, &arguments.output);
    }
    catch_interrupt()?;
    let Shard { number, of } = arguments.shard.unwrap_or(Shard { number: 1, of: 1 });
    let share: Vec<&Unit> = plan.units.iter().skip(number - 1).step_by(of).collect();
    let missing: Vec<&Unit> =
        share.iter().copied().filter(|unit| !path_of(&arguments.output, unit).exists()).collect();
    let images = images(&plan, &missing).map_err(|failure| {
        failure.stopped(|| {
            format!(
                "{} keeps {} of {} runs, and the same command makes the others",
                arguments.output.display(),
                share.len() - missing.len(),
                share.len()
            )
        })
    })?;
    let bar = progress(arguments.quiet, "runs", missing.len());
    let outcomes: Vec<Outcome> = missing
        .par_iter()
        .with_max_len(1)
        .map(|unit| {
            let images = &images[&(unit.fabric, unit.set)];
            simulate(&plan, unit, images, &arguments.output)?;
            bar.inc(1);
            Ok(())
        })
        .collect();
    bar.finish_and_clear();
    let made = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let of_share = if of > 1 { format!(" of share {number}/{of}") } else { String::new() };
    for outcome in outcomes {
        outcome.map_err(|failure| {
            failure.stopped(|| {
                format!(
                    "{} keeps {} of {} runs{of_share}, and the same command makes the others",
                    arguments.output.display(),
                    share.len() - missing.len() + made,
                    share.len()
                )
            })
        })?;
    }
    print(&format_args!(
        "{}: {} runs{of_share}, {made} made now; --collect merges them\n",
        arguments.output.display(),
        share.len()
    ))
}

/// Where a run is kept.
fn path_of(directory: &Path, unit: &Unit) -> PathBuf {
    directory.join("runs").join(&unit.key[..2]).join(format!("{}.json", unit.key))
}

/// The images of every fabric and set that is to be run.
fn images(plan: &Plan, units: &[&Unit]) -> Result<BTreeMap<(usize, usize), Images>, Failure> {
    let mut made = BTreeMap::new();
    for unit in units {
        if made.contains_key(&(unit.fabric, unit.set)) {
            continue;
        }
        let (path, fabric) = &plan.fabrics[unit.fabric];
        let paths = &plan.sets[unit.set];
        let policies = policies(&paths.rules(fabric.file.seed), &paths.thresholds(fabric));
        let images = generate(fabric, &policies, &Interruptible).map_err(|error| match error {
            ImageStageError::Cancelled(_) => Failure::Interrupted,
            error => Failure::Message(format!("{}: {error}", path.display())),
        })?;
        made.insert((unit.fabric, unit.set), images.images);
    }
    Ok(made)
}

/// Makes one run and keeps it.
fn simulate(plan: &Plan, unit: &Unit, images: &Images, directory: &Path) -> Outcome {
    let fabric = Fabric::boot(&images.fabric, &images.switches).map_err(Failure::of)?;
    let failed = |error: String| {
        let plan::Subject { scheme, set, traffic, load, seed, .. } = &unit.subject;
        Failure::Message(format!("{scheme}, {set}, {traffic}, load {load}, seed {seed}: {error}"))
    };
    let seed = unit.subject.seed;
    let pattern = &plan.traffic[unit.traffic];
    let traffic = Traffic::new(pattern, fabric.dragonfly(), seed)
        .map_err(|error| failed(error.to_string()))?;
    let outcome = Run::new(&fabric, &unit.settings, &traffic, unit.subject.load, seed)
        .map_err(RunError::Settings)
        .and_then(|run| run.measure(StopRule::FullWindow, &interrupted))
        .map_err(|error| match error {
            RunError::Stopped => Failure::Interrupted,
            error => failed(error.to_string()),
        })?;
    let kept = Kept { subject: &unit.subject, outcome: &outcome };
    let mut json = serde_json::to_vec_pretty(&kept).map_err(Failure::of)?;
    json.push(b'\n');
    let path = path_of(directory, unit);
    let cannot = |error| Failure::Message(format!("{}: cannot write it: {error}", path.display()));
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(cannot)?;
    }
    whole_file::write(&path, json).map_err(cannot)
}
