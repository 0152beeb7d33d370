//! The results of a study: kept in a directory, one file each, or in memory if nothing is to stay.

use super::error::SweepError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tvlb_base::table::Cell;
use tvlb_table_set::runs::{Runs, StoreError, Turn};

/// Where the results of studies are kept.
pub struct Results(Place);

enum Place {
    Directory {
        runs: Runs,
        directory: PathBuf,
    },
    /// Results by their subjects, both as JSON.
    Memory(Mutex<BTreeMap<String, String>>),
}

impl Results {
    /// In a directory, which other processes may use at the same time.
    ///
    /// # Errors
    /// The directory cannot be read, or has the results of something else.
    pub fn in_directory(directory: &Path) -> Result<Self, SweepError> {
        let runs = Runs::open(directory.join("runs"), "tvlb sweep 3")?;
        Ok(Self(Place::Directory { runs, directory: directory.to_owned() }))
    }

    /// In memory, for this process alone.
    pub const fn in_memory() -> Self {
        Self(Place::Memory(Mutex::new(BTreeMap::new())))
    }

    /// The directory that has them, if they are in one.
    pub(super) fn directory(&self) -> Option<&Path> {
        match &self.0 {
            Place::Directory { directory, .. } => Some(directory),
            Place::Memory(_) => None,
        }
    }

    fn contains(&self, subject: &impl Serialize) -> bool {
        match &self.0 {
            Place::Directory { runs, .. } => runs.contains(subject),
            Place::Memory(all) => locked(all).contains_key(&json(subject)),
        }
    }

    fn get<T: DeserializeOwned>(&self, subject: &impl Serialize) -> Result<Option<T>, StoreError> {
        match &self.0 {
            Place::Directory { runs, .. } => runs.get(subject),
            Place::Memory(all) => Ok(locked(all)
                .get(&json(subject))
                .map(|found| serde_json::from_str(found).expect("it was written by this process"))),
        }
    }
}

fn locked(all: &Mutex<BTreeMap<String, String>>) -> MutexGuard<'_, BTreeMap<String, String>> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A subject or a result as JSON.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("subjects and results are plain values")
}

/// The results that are kept, and whether missing ones are made.
pub(crate) struct ResultStore<'s> {
    results: &'s Results,
    makes: bool,
    made: AtomicUsize,
}

impl<'s> ResultStore<'s> {
    pub(crate) const fn new(results: &'s Results, makes: bool) -> Self {
        Self { results, makes, made: AtomicUsize::new(0) }
    }

    /// The directory beside the results, if they are kept in one, for work that keeps parts of its own.
    pub(super) fn directory(&self) -> Option<&Path> {
        self.results.directory()
    }

    /// How many results have been made.
    pub(super) fn made(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }

    pub(super) fn contains(&self, subject: &impl Serialize) -> bool {
        self.results.contains(subject)
    }

    /// The result of a subject, if it is kept.
    pub(super) fn kept<T: DeserializeOwned>(
        &self,
        subject: &impl Serialize,
    ) -> Result<Option<T>, SweepError> {
        Ok(self.results.get(subject)?)
    }

    /// The result of a subject, which is everything that it depends on: kept, or made now and kept. `None` if it is
    /// missing and not to be made, or if another process is making it.
    pub(crate) fn run<S: Serialize, T: DeserializeOwned>(
        &self,
        subject: &impl Serialize,
        make: impl FnOnce() -> Result<S, SweepError>,
    ) -> Result<Option<T>, SweepError> {
        if !self.makes {
            return self.kept(subject);
        }
        let runs = match &self.results.0 {
            Place::Directory { runs, .. } => runs,
            Place::Memory(all) => {
                if !self.contains(subject) {
                    let made = json(&make()?);
                    locked(all).insert(json(subject), made);
                    self.made.fetch_add(1, Ordering::Relaxed);
                }
                return self.kept(subject);
            }
        };
        match runs.claim(subject)? {
            Turn::Kept(found) => Ok(Some(found)),
            Turn::Theirs => Ok(None),
            Turn::Ours(_claim) => {
                runs.put(subject, &make()?)?;
                self.made.fetch_add(1, Ordering::Relaxed);
                self.kept(subject)
            }
        }
    }
}

/// The cells of a row of figures, as texts.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptRow(Vec<String>);

impl KeptRow {
    pub(super) fn of(cells: &[Cell]) -> Self {
        Self(cells.iter().map(Cell::to_string).collect())
    }

    /// The cells, which must be as many as there are columns.
    ///
    /// # Errors
    /// They are those of a build with other columns.
    pub(super) fn cells(&self, accepted: usize) -> Result<Vec<Cell>, SweepError> {
        let found = self.0.len();
        if found != accepted {
            return Err(SweepError::OtherColumns { found, accepted });
        }
        Ok(self.0.iter().map(|text| text.as_str().into()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For instance because a column was added since.
    #[test]
    fn a_row_of_other_columns_is_refused() {
        let kept = KeptRow::of(&["1".into(), true.into()]);
        assert_eq!(kept.cells(2).unwrap(), ["1".into(), "true".into()]);
        for accepted in [1, 3] {
            let said = kept.cells(accepted).unwrap_err().to_string();
            assert!(said.contains(&format!("has 2 figures, accepted {accepted}")), "{said}");
        }
    }

    #[test]
    fn a_result_is_made_once_wherever_it_is_kept() {
        let home = tempfile::tempdir().unwrap();
        for results in [Results::in_memory(), Results::in_directory(home.path()).unwrap()] {
            let (reads, makes) =
                (ResultStore::new(&results, false), ResultStore::new(&results, true));
            let run = |store: &ResultStore<'_>, value: u32| -> Option<u32> {
                store.run(&"subject", || Ok(value)).unwrap()
            };
            assert!(run(&reads, 1).is_none() && !reads.contains(&"subject"));
            assert_eq!(
                (run(&makes, 2), run(&makes, 3), run(&reads, 4)),
                (Some(2), Some(2), Some(2))
            );
            assert!(makes.made() == 1 && reads.contains(&"subject") && !reads.contains(&"other"));
        }
    }
}
