//! All results of one subject in one binary file.
//!
//! The only module that knows bincode, version 2, the last that is to be used. That crate is no
//! longer maintained (RUSTSEC-2025-0141), so it serves only this: a file of our own making, on the
//! host, whose loss costs nothing but time. What bincode decodes has passed a limit of size and a
//! checksum before.
//!
//! ```text
//! label       the name and version of the format, and a line feed
//! subject     32 bytes: the SHA-256 of the subject
//! checksum    32 bytes: the SHA-256 of all that follows
//! entries     the map of results, in bincode's standard configuration
//! ```

use crate::input_file::{self, Symlinks};
use crate::runs::StoreError;
use crate::whole_file;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The version changes with the format, so that older files are refused.
const LABEL: &[u8] = b"tvlb kept work 1\n";
/// The bytes of a SHA-256.
const DIGEST: usize = 32;
/// The largest file that is read. A result takes some hundred bytes, and there are some thousands.
const MOST_BYTES: u64 = 256 << 20;
/// What the entries may take in memory while they are decoded.
const MOST_DECODED: usize = 1 << 30;
/// Saving takes at most one part in this many of the time: the file is written again only when that
/// many times the duration of the last writing has passed.
const SAVING_SHARE: u32 = 20;

/// The results of one subject, by key, in one file. All methods can be called from any thread.
///
/// # Example
/// ```
/// use tvlb_table_set::runs::RunFile;
///
/// # let home = tempfile::tempdir()?;
/// let path = home.path().join("state");
/// let subject = "squares, version 1";
/// let squares = RunFile::open(Some(&path), subject)?;
/// squares.keep(3, 9)?;
/// squares.save()?;
///
/// // Another process, perhaps.
/// let squares: RunFile<i32, i32> = RunFile::open(Some(&path), subject)?;
/// assert_eq!((squares.recall(&3), squares.recall(&4)), (Some(9), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RunFile<K, V> {
    path: Option<PathBuf>,
    subject: [u8; DIGEST],
    state: Mutex<State<K, V>>,
}

#[derive(Debug)]
struct State<K, V> {
    entries: BTreeMap<K, V>,
    is_saved: bool,
    /// When the file was written last.
    saved: Instant,
    /// How long that took.
    saving: Duration,
}

impl<K, V> RunFile<K, V>
where
    K: Ord + Clone + Serialize + DeserializeOwned,
    V: Clone + Serialize + DeserializeOwned,
{
    /// Reads the results of `subject` from a file. There are none yet if the file does not exist.
    /// Without a path, results live in memory alone.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or belongs to another subject.
    pub fn open(path: Option<impl Into<PathBuf>>, subject: &str) -> Result<Self, StoreError> {
        let path = path.map(Into::into);
        let mut file = Self {
            path,
            subject: Sha256::digest(subject.as_bytes()).into(),
            state: Mutex::new(State {
                entries: BTreeMap::new(),
                is_saved: true,
                saved: Instant::now(),
                saving: Duration::ZERO,
            }),
        };
        let entries = file.read()?;
        file.state.get_mut().unwrap_or_else(PoisonError::into_inner).entries = entries;
        Ok(file)
    }

    /// The result with this key, if there is one.
    pub fn recall(&self, key: &K) -> Option<V> {
        self.state().entries.get(key).cloned()
    }

    /// A copy of all results.
    pub fn entries(&self) -> BTreeMap<K, V> {
        self.state().entries.clone()
    }

    /// How many results there are.
    pub fn len(&self) -> usize {
        self.state().entries.len()
    }

    /// Whether there is no result yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a result. The file is written at once, unless it has been written a moment ago:
    /// [`Self::save`] writes what is left.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(&self, key: K, value: V) -> Result<(), StoreError> {
        let mut state = self.state();
        state.entries.insert(key, value);
        state.is_saved = false;
        if state.saved.elapsed() >= state.saving * SAVING_SHARE {
            self.write(&mut state)?;
        }
        Ok(())
    }

    /// Writes what the file lacks.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self) -> Result<(), StoreError> {
        let mut state = self.state();
        if state.is_saved { Ok(()) } else { self.write(&mut state) }
    }

    fn state(&self) -> MutexGuard<'_, State<K, V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> Result<BTreeMap<K, V>, StoreError> {
        let Some(path) = &self.path else { return Ok(BTreeMap::new()) };
        let bytes = match input_file::read(path, MOST_BYTES, Symlinks::Follow) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(error) => return Err(StoreError::io(path)(error)),
        };
        let damaged = |why: &str| StoreError::damaged(path, why);
        let rest = bytes
            .strip_prefix(LABEL)
            .ok_or_else(|| damaged("it does not begin with the format's name and version"))?;
        let (subject, rest) = rest
            .split_first_chunk::<DIGEST>()
            .ok_or_else(|| damaged("it ends within the hash of its subject"))?;
        let (checksum, entries) = rest
            .split_first_chunk::<DIGEST>()
            .ok_or_else(|| damaged("it ends within its checksum"))?;
        if Sha256::digest(entries).as_slice() != checksum {
            return Err(damaged("its checksum is not that of its content"));
        }
        if *subject != self.subject {
            return Err(StoreError::Other { path: path.clone() });
        }
        let config = bincode::config::standard().with_limit::<MOST_DECODED>();
        let (entries, read) = bincode::serde::decode_from_slice(entries, config)
            .map_err(|error| damaged(&format!("its content cannot be decoded: {error}")))
            .map(|(map, read)| (map, entries.len() - read))?;
        if read != 0 {
            return Err(damaged("bytes follow its content"));
        }
        Ok(entries)
    }

    fn write(&self, state: &mut State<K, V>) -> Result<(), StoreError> {
        let Some(path) = &self.path else { return Ok(()) };
        let begin = Instant::now();
        let entries = bincode::serde::encode_to_vec(&state.entries, bincode::config::standard())
            .map_err(|error| StoreError::io(path)(io::Error::other(error)))?;
        let checksum = Sha256::digest(&entries);
        let bytes = [LABEL, &self.subject, &checksum, &entries].concat();
        whole_file::write(path, bytes).map_err(StoreError::io(path))?;
        state.is_saved = true;
        state.saved = Instant::now();
        state.saving = begin.elapsed();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    type Runs = RunFile<String, (bool, Vec<f64>)>;

    fn two_runs(home: &tempfile::TempDir) -> (PathBuf, Vec<u8>) {
        let path = home.path().join("state");
        let runs = Runs::open(Some(&path), "one").unwrap();
        runs.keep("first".to_owned(), (true, vec![0.1 + 0.2, f64::NAN])).unwrap();
        runs.keep("second".to_owned(), (false, vec![1.0 / 3.0])).unwrap();
        runs.save().unwrap();
        let bytes = fs::read(&path).unwrap();
        (path, bytes)
    }

    #[test]
    fn what_is_kept_comes_back_bit_for_bit_and_to_its_subject_alone() {
        let home = tempfile::tempdir().unwrap();
        let (path, bytes) = two_runs(&home);
        let runs = Runs::open(Some(&path), "one").unwrap();
        assert_eq!(runs.len(), 2);
        let (saturated, figures) = runs.recall(&"first".to_owned()).unwrap();
        assert!(saturated && figures[0].to_bits() == (0.1_f64 + 0.2).to_bits());
        assert!(figures[1].is_nan());
        assert!(runs.recall(&"third".to_owned()).is_none());
        runs.save().unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert!(matches!(Runs::open(Some(&path), "two"), Err(StoreError::Other { .. })));
        // Nothing but the state is left in the directory.
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_first_result_is_on_the_disk_at_once() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("state");
        let runs: RunFile<u32, u32> = RunFile::open(Some(&path), "one").unwrap();
        runs.keep(1, 2).unwrap();
        let read: RunFile<u32, u32> = RunFile::open(Some(&path), "one").unwrap();
        assert_eq!(read.recall(&1), Some(2));
    }

    #[test]
    fn without_a_path_nothing_is_written() {
        let runs: RunFile<u32, u32> = RunFile::open(None::<PathBuf>, "one").unwrap();
        runs.keep(1, 2).unwrap();
        runs.save().unwrap();
        assert_eq!(runs.recall(&1), Some(2));
    }

    #[test]
    fn what_cannot_be_read_or_written_is_named() {
        let home = tempfile::tempdir().unwrap();
        assert!(matches!(Runs::open(Some(home.path()), "one"), Err(StoreError::Io { .. })));
        let runs = Runs::open(Some(home.path().join("missing/state")), "one").unwrap();
        let kept = runs.keep("run".to_owned(), (true, Vec::new()));
        assert!(matches!(kept, Err(StoreError::Io { .. })));
        let huge = home.path().join("huge");
        fs::File::create(&huge).unwrap().set_len(1 << 40).unwrap();
        let error = Runs::open(Some(&huge), "one").unwrap_err().to_string();
        assert!(error.contains("found 1099511627776 bytes, accepted at most 268435456"), "{error}");
    }

    #[test]
    fn a_file_that_ends_early_is_refused_at_every_length() {
        let home = tempfile::tempdir().unwrap();
        let (path, bytes) = two_runs(&home);
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            let error = Runs::open(Some(&path), "one").unwrap_err();
            assert!(matches!(error, StoreError::Damaged { .. }), "{length}: {error}");
        }
    }

    proptest! {
        /// A changed byte is never taken for a result. In the hash of the subject it makes the file
        /// one of another subject.
        #[test]
        fn a_changed_byte_is_refused(position: prop::sample::Index, change in 1..=u8::MAX) {
            let home = tempfile::tempdir().unwrap();
            let (path, mut bytes) = two_runs(&home);
            let position = position.index(bytes.len());
            bytes[position] ^= change;
            fs::write(&path, &bytes).unwrap();
            let error = Runs::open(Some(&path), "one").unwrap_err();
            let of_subject = (LABEL.len()..LABEL.len() + DIGEST).contains(&position);
            prop_assert_eq!(matches!(error, StoreError::Other { .. }), of_subject, "{}", error);
        }

        /// Entries with a right checksum that were never written by us end in an error or in
        /// results, and never take more memory than the limit.
        #[test]
        fn no_content_makes_the_decoder_fail_badly(
            content in prop::collection::vec(any::<u8>(), 0..200)
        ) {
            let home = tempfile::tempdir().unwrap();
            let (path, bytes) = two_runs(&home);
            let subject = &bytes[LABEL.len()..LABEL.len() + DIGEST];
            let file = [LABEL, subject, &Sha256::digest(&content), &content].concat();
            fs::write(&path, file).unwrap();
            if let Err(error) = Runs::open(Some(&path), "one") {
                prop_assert!(matches!(error, StoreError::Damaged { .. }), "{}", error);
            }
        }
    }
}
