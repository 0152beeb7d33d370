//! What a study can measure: units of work, each kept once it is done, whose lines make a table.

use super::error::SweepError;
use super::rows::Rows;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use tvlb_base::progress::Progress;
use tvlb_base::table::Cell;
use tvlb_simulator::StarvedLink;
use tvlb_table_set::runs::{Runs, StoreError, Turn};

/// One of the things that a study can measure.
pub(super) trait Measure: Sync {
    /// How many units of work there are.
    fn units(&self) -> usize;

    /// Makes what these units share, before they are made side by side.
    fn prepare(&mut self, _units: &[usize], _progress: &dyn Progress) -> Result<(), SweepError> {
        Ok(())
    }

    /// Whether results are kept, and not counted again whenever tables are written.
    fn keeps(&self) -> bool {
        true
    }

    /// Whether all that a unit needs is kept.
    fn is_kept(&self, unit: usize, source: &ResultStore<'_>) -> Result<bool, SweepError>;

    /// The lines of a unit's table, each with a line end; none where something is not there, or another process
    /// is at it.
    fn rows(
        &self,
        unit: usize,
        source: &ResultStore<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<Vec<Cell>>>, SweepError>;

    /// The names of the columns.
    fn columns(&self) -> Vec<&'static str>;

    /// How the table is drawn: [`tvlb_base::drawing::Drawing::parse`] reads it.
    fn drawn(&self) -> &'static str;

    /// The names of the files of the table and of its means over seeds.
    fn names(&self) -> [&'static str; 2] {
        ["figures.csv", ""]
    }

    /// Means over the seeds, where lines of several seeds stand in the table.
    fn summary(&self, _rows: &Rows) -> Option<Rows> {
        None
    }

    /// The links of its runs whose buffers are too small for what the links take.
    fn starved_links(&self) -> Vec<StarvedLink> {
        Vec::new()
    }

    /// How many panels a picture of all has, and how many lines each; no number of lines where they are marks
    /// beside each other. Nothing where no picture of all is drawn.
    fn pictured(&self) -> Option<(usize, Option<usize>)> {
        None
    }
}

/// The results that are kept, and whether missing ones are made.
pub(super) struct ResultStore<'s> {
    runs: &'s Runs,
    /// The directory beside the results, for work that keeps parts of its own.
    pub(super) directory: &'s Path,
    makes: bool,
    made: AtomicUsize,
}

impl<'s> ResultStore<'s> {
    pub(super) fn new(runs: &'s Runs, directory: &'s Path, makes: bool) -> Self {
        Self { runs, directory, makes, made: AtomicUsize::new(0) }
    }

    /// How many results have been made.
    pub(super) fn made(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }

    /// Whether results are read and none is made.
    pub(super) const fn is_collecting(&self) -> bool {
        !self.makes
    }

    pub(super) fn contains(&self, subject: &impl Serialize) -> bool {
        self.runs.contains(subject)
    }

    /// The result of a subject, if it is kept.
    pub(super) fn kept<T: DeserializeOwned>(
        &self,
        subject: &impl Serialize,
    ) -> Result<Option<T>, SweepError> {
        Ok(self.runs.get(subject)?)
    }

    /// The result of a subject, which is all that it depends on: kept, or made now and kept. None where it is
    /// not there and is not to be made, or where another process is at it.
    pub(super) fn run<S: Serialize, T: DeserializeOwned>(
        &self,
        subject: &impl Serialize,
        make: impl FnOnce() -> Result<S, SweepError>,
    ) -> Result<Option<T>, SweepError> {
        if !self.makes {
            return self.kept(subject);
        }
        match self.runs.claim(subject)? {
            Turn::Kept(found) => Ok(Some(found)),
            Turn::Theirs => Ok(None),
            Turn::Ours(_claim) => {
                self.runs.put(subject, &make()?)?;
                self.made.fetch_add(1, Ordering::Relaxed);
                self.kept(subject)
            }
        }
    }
}

/// Where the results of studies are kept.
pub(super) fn runs_in(directory: &Path) -> Result<Runs, StoreError> {
    Runs::open(directory.join("runs"), "tvlb sweep 3")
}
