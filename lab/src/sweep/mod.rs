//! Studies: everything that a file asks for, measured once, on as many machines as there are, and held against
//! what a paper states if the file says it.
//!
//! One run is one file, named by the hash of everything that its outcome depends on. A run whose
//! file is there is not made again, and several processes with one directory make each run once. So a
//! study continues after any interruption, spreads over any machines, and a longer study uses what a
//! shorter one has left.
//!
//! - [`StudyFile`] reads a file; `network`, `jobs`, `cut_through`, `course`, `model` and `counted` are what a
//!   study can measure.
//! - [`Rows`] are what was found; a file says which tables are made of them, and which statements they decide.
//! - [`with_tables`] puts tables and verdicts into a document.
//!
//! # Example
//! ```
//! use tvlb_lab::sweep::{StudyFile, collect, run};
//!
//! # let home = tempfile::tempdir()?;
//! # let fabric = "name = \"lab\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\n";
//! # std::fs::write(home.path().join("lab.toml"), fabric)?;
//! # let file = home.path().join("sweep.toml");
//! # let output = home.path().join("runs");
//! # std::fs::write(&file, "fabrics = [\"lab.toml\"]\nschemes = [\"par\"]\nsets = [\"all\"]\n\
//! #     traffic = [\"uniform\"]\nloads = [0.1, 0.2]\nseeds = [1]\n[settings]\nwindow = 100\n")?;
//! let studies = StudyFile::read(&file, false)?;
//! let mut plan = studies.studies[0].plan()?;
//! let made = run(&mut plan, &output, &());
//! made.end?;
//! assert_eq!((made.runs, made.before, made.now), (2, 0, 2));
//! let collected = collect(&plan, &output)?;
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
mod jobs;
mod lists;
mod means;
mod measure;
mod model;
mod network;
mod page;
mod pivot;
mod rows;
mod select;
mod sets;
mod settings;
mod statement;
mod study;
#[cfg(test)]
mod tests;
mod verdict;

pub use error::SweepError;
pub use file::Picture;
pub use page::{PageError, with_tables};
pub use rows::Rows;
pub use statement::Known;
pub use study::{StudyFile, StudyPlan, SweepStudy, counts};
pub use verdict::{JudgedStatement, Verdict};

use measure::{ResultStore, runs_in};
use rayon::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use tvlb_base::progress::Progress;
use tvlb_base::table::Cell;
use tvlb_table_set::runs::POLL;

/// What came of making a study's runs.
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

/// Makes the runs that are not in `directory` yet, together with all processes that do the same.
pub fn run(plan: &mut StudyPlan, directory: &Path, progress: &dyn Progress) -> StudyResults {
    let (runs, mut before, now) = (plan.run_count(), 0, AtomicUsize::new(0));
    let mut make = || {
        let store = runs_in(directory)?;
        let kept = ResultStore::new(&store, directory, false);
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
                let source = ResultStore::new(&store, directory, true);
                let is_there = measure.rows(unit, &source, progress)?.is_some();
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

/// The runs of a study that are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collected {
    /// A row for each run, and for each population of its nodes where traffic has several; of searches for
    /// the load of saturation, a row for each criterion.
    pub rows: Rows,
    /// A line for all seeds of a run together, with means and standard errors, where there is such a table.
    pub summary: Option<Rows>,
    /// The names of the files that these tables have beside the runs: those of runs at loads and those of
    /// searches differ, so that one directory can hold both.
    pub names: [&'static str; 2],
    /// How many runs are there.
    pub found: usize,
    /// How many runs of the study are not.
    pub missing: usize,
}

/// Merges those runs of a study that are there, in the order of the file.
///
/// # Errors
/// No run is there, or one cannot be used.
pub fn collect(plan: &StudyPlan, directory: &Path) -> Result<Collected, SweepError> {
    let store = runs_in(directory)?;
    let source = ResultStore::new(&store, directory, false);
    let columns = plan.measure.columns().into_iter().map(str::to_owned).collect();
    let mut rows = Rows { columns, rows: Vec::new() };
    let (mut found, all) = (0, plan.run_count());
    for unit in 0..all {
        if let Some(of_unit) = plan.measure.rows(unit, &source, &())? {
            rows.rows.extend(of_unit.iter().map(|row| row.iter().map(Cell::to_string).collect()));
            found += 1;
        }
    }
    if found == 0 {
        return Err(SweepError::Missing { directory: directory.to_owned(), missing: all, all });
    }
    let how = plan.measure.drawn();
    let (summary, names) = (plan.measure.summary(&rows), plan.measure.names());
    let (rows, summary) = (rows.drawn(how), summary.map(|summary| summary.drawn(how)));
    Ok(Collected { rows, summary, names, found, missing: all - found })
}
