//! What has been simulated so far: each run is made once, and an interrupted search goes on.
//!
//! A run's figures follow from images, traffic, load and seed alone, so remembering them changes
//! nothing but the time. The file belongs to one fabric and panel, told by a hash; one of another
//! is refused, never used in part.

use super::trial::Figures;
use crate::input_file::{self, Links};
use crate::table_set::sha256;
use crate::whole_file;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Raised when the meaning of a run changes, so that older files are refused.
const VERSION: &str = "tvlb runs 2";
/// No memory is larger: some hundred bytes for each of some thousand runs.
const MOST_BYTES: u64 = 256 << 20;
/// How often the file is brought up to date.
const SAVE_EVERY: Duration = Duration::from_secs(5);

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The operating system refused.
    #[error("{path}: cannot read or write it: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The answer.
        source: io::Error,
    },
    /// Not such a file.
    #[error("{path}: it holds no runs of an interrupted search ({why}); remove it to begin anew")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file of something else.
    #[error(
        "{path}: it belongs to a search on another fabric or panel, or by another version; remove \
         it to begin anew, or name another directory"
    )]
    Other {
        /// The file.
        path: PathBuf,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: String,
    key: String,
    runs: BTreeMap<String, Stored>,
}

/// [`Figures`] with the bits of its numbers, so that nothing is rounded.
#[derive(Serialize, Deserialize)]
struct Stored(bool, u64, u64, Vec<u64>);

/// The runs made so far.
#[derive(Debug)]
pub(super) struct Memory {
    key: String,
    path: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    runs: BTreeMap<String, Figures>,
    saved: Instant,
}

impl Memory {
    /// The runs of `path`, if that is given and exists. `subject` is all that runs depend on
    /// besides their names.
    pub(super) fn open(path: Option<PathBuf>, subject: &str) -> Result<Self, MemoryError> {
        let key = sha256(subject.as_bytes());
        let runs = match &path {
            Some(path) => read(path, &key)?,
            None => BTreeMap::new(),
        };
        Ok(Self { key, path, state: Mutex::new(State { runs, saved: Instant::now() }) })
    }

    /// The figures of a run, if it has been made.
    pub(super) fn recall(&self, run: &str) -> Option<Figures> {
        self.state().runs.get(run).cloned()
    }

    /// How many runs there are.
    pub(super) fn len(&self) -> usize {
        self.state().runs.len()
    }

    /// Keeps a run, and now and then the file.
    pub(super) fn keep(&self, run: String, figures: Figures) -> Result<(), MemoryError> {
        let mut state = self.state();
        state.runs.insert(run, figures);
        if self.path.is_some() && state.saved.elapsed() >= SAVE_EVERY {
            self.write(&state.runs)?;
            state.saved = Instant::now();
        }
        Ok(())
    }

    /// Brings the file up to date.
    pub(super) fn save(&self) -> Result<(), MemoryError> {
        self.write(&self.state().runs)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, runs: &BTreeMap<String, Figures>) -> Result<(), MemoryError> {
        let Some(path) = &self.path else { return Ok(()) };
        let stored = |figures: &Figures| {
            let populations = figures.populations.iter().map(|latency| latency.to_bits());
            let (latency, hops) = (figures.latency.to_bits(), figures.hops.to_bits());
            Stored(figures.saturated, latency, hops, populations.collect())
        };
        let file = File {
            version: VERSION.to_owned(),
            key: self.key.clone(),
            runs: runs.iter().map(|(run, figures)| (run.clone(), stored(figures))).collect(),
        };
        let bytes = serde_json::to_vec(&file).map_err(io::Error::from);
        let written = bytes.and_then(|bytes| whole_file::write(path, bytes));
        written.map_err(|source| MemoryError::Io { path: path.clone(), source })
    }
}

fn read(path: &Path, key: &str) -> Result<BTreeMap<String, Figures>, MemoryError> {
    let bytes = match input_file::read(path, MOST_BYTES, Links::Follow) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(source) => return Err(MemoryError::Io { path: path.to_owned(), source }),
    };
    let file: File = serde_json::from_slice(&bytes)
        .map_err(|error| MemoryError::Damaged { path: path.to_owned(), why: error.to_string() })?;
    if file.version != VERSION || file.key != key {
        return Err(MemoryError::Other { path: path.to_owned() });
    }
    let figures = |Stored(saturated, latency, hops, populations): Stored| Figures {
        saturated,
        latency: f64::from_bits(latency),
        hops: f64::from_bits(hops),
        populations: populations.into_iter().map(f64::from_bits).collect(),
    };
    Ok(file.runs.into_iter().map(|(run, stored)| (run, figures(stored))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_to_the_same_search_alone() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("runs");
        let open = |subject| Memory::open(Some(path.clone()), subject);
        let memory = open("one").unwrap();
        let figures = Figures {
            saturated: false,
            latency: 0.1 + 0.2,
            hops: 1.0 / 3.0,
            populations: vec![0.7, 1.1],
        };
        memory.keep("run".to_owned(), figures.clone()).unwrap();
        memory.save().unwrap();
        assert_eq!(open("one").unwrap().recall("run"), Some(figures));
        assert_eq!(open("one").unwrap().recall("other"), None);
        assert!(matches!(open("two"), Err(MemoryError::Other { .. })));
        std::fs::write(&path, "{}").unwrap();
        assert!(matches!(open("one"), Err(MemoryError::Damaged { .. })));
        std::fs::create_dir(home.path().join("directory")).unwrap();
        let error = Memory::open(Some(home.path().join("directory")), "one").unwrap_err();
        assert!(matches!(error, MemoryError::Io { .. }));
    }
}
