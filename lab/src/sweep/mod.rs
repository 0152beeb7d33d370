//! Studies: everything that a file lists, measured once, on any number of machines, and compared with the statements of
//! a paper if the file has them.
//!
//! One run is one file, named by the hash of everything that its result depends on. A run whose file exists is not
//! repeated, and several processes with one directory make each run once. So a study continues after any interruption,
//! spreads over any machines, and a longer study uses the results of a shorter one.
//!
//! - [`StudyFile`] reads a file; `network`, `jobs`, `cut_through`, `course`, `model` and `counted` are the kinds of
//!   studies, each with its lists, its run and its columns; `kind` and `store` do the common work.
//! - [`Rows`] are the results; a file says which tables are made of them, and which statements they decide.
//! - [`with_tables`] puts tables and verdicts into a document.
//!
//! # Example
//! ```
//! use tvlb_lab::sweep::{Results, StudyFile, collect, run};
//!
//! # let home = tempfile::tempdir()?;
//! # let fabric = "name = \"lab\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\n";
//! # std::fs::write(home.path().join("lab.toml"), fabric)?;
//! # let file = home.path().join("sweep.toml");
//! # std::fs::write(&file, "fabrics = [\"lab.toml\"]\nschemes = [\"par\"]\nsets = [\"all\"]\n\
//! #     traffic = [\"uniform\"]\nloads = [0.1, 0.2]\nseeds = [1]\n[settings]\nwindow = 100\n")?;
//! let studies = StudyFile::read(&file, false)?;
//! let mut plan = studies.studies[0].plan()?;
//! let results = Results::in_memory();
//! let made = run(&mut plan, &results, &());
//! made.end?;
//! assert_eq!((made.runs, made.before, made.now), (2, 0, 2));
//! let collected = collect(&plan, &results)?;
//! assert_eq!((collected.found, collected.rows.rows.len()), (2, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod asked;
mod counted;
mod course;
mod cut_through;
mod dead_parts;
mod error;
mod fabrics;
mod file;
mod images;
mod inline;
mod job_run;
mod jobs;
mod kind;
mod lists;
mod means;
mod model;
mod network;
mod page;
mod pivot;
mod rows;
mod select;
mod sets;
mod settings;
mod statement;
mod store;
mod study;
mod terminal;
#[cfg(test)]
mod tests;
mod verdict;

pub(crate) use fabrics::NamedFabric;
pub(crate) use images::{BootImages, ImageKey};
pub(crate) use job_run::{JobPrograms, PlacedJobs};
pub(crate) use lists::combinations;
pub(crate) use sets::{CONVENTIONAL, StudyPaths};

pub use error::SweepError;
pub use file::Picture;
pub use page::{PageError, with_tables};
pub use rows::Rows;
pub use statement::Known;
pub use store::Results;
pub use study::{StudyFile, StudyPlan, SweepStudy, counts};
pub use verdict::{JudgedStatement, Verdict};

use kind::StudyTable;
use means::means;
use rayon::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
pub(crate) use store::ResultStore;
use tvlb_base::progress::Progress;
use tvlb_base::table::Cell;
use tvlb_table_set::runs::POLL;

/// The result of making a study's runs.
#[derive(Debug)]
pub struct StudyResults {
    /// How many runs the study has: runs at a load, searches, lines of rising loads, jobs or models.
    pub runs: usize,
    /// How many of them had been made before.
    pub before: usize,
    /// How many of them this process has made.
    pub now: usize,
    /// Whether all of them are made; otherwise the first failure, in the order of the runs.
    pub end: Result<(), SweepError>,
}

/// Makes the results that are not kept yet, together with all processes that do the same.
pub fn run(plan: &mut StudyPlan, results: &Results, progress: &dyn Progress) -> StudyResults {
    let (runs, mut before, now) = (plan.run_count(), 0, AtomicUsize::new(0));
    let mut make = || {
        let kept = ResultStore::new(results, false);
        let mut left = Vec::new();
        for unit in 0..runs {
            if !plan.measure.is_kept(unit, &kept)? {
                left.push(unit);
            }
        }
        before = runs - left.len();
        plan.measure.prepare(&left, progress)?;
        progress.stage("runs", Some(left.len()));
        let measure = &plan.measure;
        while !left.is_empty() {
            let of_others = left.par_iter().with_max_len(1).map(|&unit| {
                let source = ResultStore::new(results, true);
                let is_there = measure.make(unit, &source, progress)?;
                if is_there {
                    now.fetch_add(usize::from(source.made() > 0), Ordering::Relaxed);
                    progress.step();
                }
                Ok((!is_there).then_some(unit))
            });
            let of_others: Vec<Result<Option<usize>, SweepError>> = of_others.collect();
            left = of_others.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;
            progress.check()?;
            if !left.is_empty() {
                thread::sleep(POLL);
            }
        }
        Ok(())
    };
    let end = make();
    StudyResults { runs, before, now: now.into_inner(), end }
}

/// The results of a study that are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collected {
    /// A row for each run, and for each population of its nodes if traffic has several; for searches of the load of
    /// saturation, a row for each criterion.
    pub rows: Rows,
    /// A line for all seeds of a run together, with means and standard errors, if there is such a table.
    pub summary: Option<Rows>,
    /// The names of the files that these tables have beside the runs: those of runs at loads and those of
    /// searches differ, so that one directory can hold both.
    pub names: [&'static str; 2],
    /// The rows for the terminal, or the means over seeds if there are several: what differs, and the main figures.
    pub text: String,
    /// How many runs are there.
    pub found: usize,
    /// How many runs of the study are not.
    pub missing: usize,
}

/// Merges those results of a study that are there, in the order of the file.
///
/// # Errors
/// No run is there, or one is unusable.
pub fn collect(plan: &StudyPlan, results: &Results) -> Result<Collected, SweepError> {
    let source = ResultStore::new(results, false);
    let StudyTable { columns, figures, shown, drawn, names, means: told, .. } =
        plan.measure.table();
    let columns = columns.into_iter().map(str::to_owned).collect();
    let mut rows = Rows { columns, rows: Vec::new() };
    let (mut found, all) = (0, plan.run_count());
    for unit in 0..all {
        if let Some(of_unit) = plan.measure.rows(unit, &source)? {
            rows.rows.extend(of_unit.iter().map(|row| row.iter().map(Cell::to_string).collect()));
            found += 1;
        }
    }
    if found == 0 && all > 0 {
        let directory = results.directory().unwrap_or(Path::new("")).to_owned();
        return Err(SweepError::Missing { directory, missing: all, all });
    }
    let summary = told.as_ref().map(|told| means(&rows, told));
    let text = match (&told, &summary) {
        (Some(told), Some(means)) if means.rows.len() < rows.rows.len() => {
            let figures: Vec<String> = told.columns_of_figures().collect();
            let figures: Vec<&str> = figures.iter().map(String::as_str).collect();
            terminal::text(means, &figures, &[])
        }
        _ => terminal::text(&rows, &figures, shown),
    };
    let (rows, summary) = (rows.drawn(drawn), summary.map(|summary| summary.drawn(drawn)));
    Ok(Collected { rows, summary, names, text, found, missing: all - found })
}
