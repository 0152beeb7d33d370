//! One JSON file for each run, so that processes that share nothing but a directory can share work.

use crate::input_file::{self, Symlinks};
use crate::runs::StoreError;
use crate::{sha256, whole_file};
use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Map, Value};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The largest file that is read: a run has some tens of figures, and where parts are dead a line for each
/// link with losses.
const MOST_BYTES: u64 = 1 << 20;
/// The field with the run's result. All other fields of a file are those of its subject.
const OUTCOME: &str = "outcome";

/// A directory of runs. The file of a run has the name `xx/HASH.json`, where HASH is the SHA-256 of
/// the JSON of its subject and `xx` are its first two digits. It holds the fields of the subject, the
/// run's `outcome`, and the SHA-256 of all that stands before it.
///
/// # Example
/// ```
/// use tvlb_table_set::runs::RunDirectory;
///
/// #[derive(serde::Serialize)]
/// struct Subject { load: f64, seed: u64 }
///
/// # let home = tempfile::tempdir()?;
/// let runs = RunDirectory::new(home.path());
/// let subject = Subject { load: 0.1, seed: 1 };
/// assert_eq!(runs.recall::<f64>(&subject)?, None);
/// runs.keep(&subject, &52.5)?;
/// assert_eq!(runs.recall(&subject)?, Some(52.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RunDirectory {
    directory: PathBuf,
}

#[derive(Serialize)]
struct Run<'r, S, V> {
    #[serde(flatten)]
    subject: &'r S,
    outcome: &'r V,
}

impl RunDirectory {
    /// The runs in `directory`, which is created when the first of them is kept.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// The path of the file of a run.
    ///
    /// # Panics
    /// If the subject is not a struct that JSON can hold, which no input can bring about.
    pub fn path_of(&self, subject: &impl Serialize) -> PathBuf {
        let json = serde_json::to_vec(subject).expect("a subject is a struct of plain values");
        let hash = sha256(&json);
        self.directory.join(&hash[..2]).join(format!("{hash}.json"))
    }

    /// Whether there is a file of this run. [`Self::recall`] says whether it can be used.
    pub fn contains(&self, subject: &impl Serialize) -> bool {
        self.path_of(subject).exists()
    }

    /// The outcome of a run, if its file is there.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or holds a run of another subject.
    pub fn recall<V: DeserializeOwned>(
        &self,
        subject: &impl Serialize,
    ) -> Result<Option<V>, StoreError> {
        let path = self.path_of(subject);
        let bytes = match input_file::read(&path, MOST_BYTES, Symlinks::Follow) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io(&path)(error)),
        };
        let damaged = |error: serde_json::Error| StoreError::damaged(&path, error.to_string());
        let json = without_hash(&bytes).map_err(|reason| StoreError::damaged(&path, reason))?;
        let mut fields: Map<String, Value> = serde_json::from_slice(&json).map_err(damaged)?;
        let outcome = fields
            .remove(OUTCOME)
            .ok_or_else(|| damaged(serde_json::Error::missing_field(OUTCOME)))?;
        let own = serde_json::to_value(subject).map_err(damaged)?;
        if Value::Object(fields) != own {
            return Err(StoreError::Other { path });
        }
        V::deserialize(outcome).map(Some).map_err(damaged)
    }

    /// Writes the file of a run.
    ///
    /// # Errors
    /// The file or its directory cannot be written.
    pub fn keep(
        &self,
        subject: &impl Serialize,
        outcome: &impl Serialize,
    ) -> Result<(), StoreError> {
        let path = self.path_of(subject);
        write(&path, &Run { subject, outcome }).map_err(StoreError::io(&path))
    }
}

fn write(path: &Path, run: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_vec_pretty(run)?;
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    whole_file::write(path, with_hash(&json))
}

/// What stands between the fields of a run and their hash, and after it.
const BEFORE_HASH: &[u8] = b",\n  \"sha256\": \"";
const AFTER_HASH: &[u8] = b"\"\n}\n";
/// How a JSON object ends that is written over several lines.
const END: &[u8] = b"\n}";
const HASH_DIGITS: usize = 64;

/// The JSON of a run with the hash of this JSON as one more field, the last. The hash is one of bytes, so
/// that no way to read and write figures can change it.
fn with_hash(json: &[u8]) -> Vec<u8> {
    let hash = sha256(json);
    let fields = json.strip_suffix(END).unwrap_or(json);
    [fields, BEFORE_HASH, hash.as_bytes(), AFTER_HASH].concat()
}

/// The JSON without the hash, if it is the one that is hashed. The error says why not.
fn without_hash(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let split = bytes.strip_suffix(AFTER_HASH).and_then(|rest| {
        let (rest, hash) = rest.split_at_checked(rest.len().checked_sub(HASH_DIGITS)?)?;
        Some((rest.strip_suffix(BEFORE_HASH)?, hash))
    });
    let Some((fields, hash)) = split else {
        return Err("it does not end with its SHA-256".to_owned());
    };
    let json = [fields, END].concat();
    let found = sha256(&json);
    if found.as_bytes() == hash {
        return Ok(json);
    }
    Err(format!("its SHA-256 is {found}, but it says {}", String::from_utf8_lossy(hash)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Serialize)]
    struct Subject {
        set: String,
        load: f64,
    }

    fn subject(load: f64) -> Subject {
        Subject { set: "all".to_owned(), load }
    }

    #[test]
    fn a_run_is_told_by_its_subject() {
        let home = tempfile::tempdir().unwrap();
        let runs = RunDirectory::new(home.path().join("runs"));
        assert!(!runs.contains(&subject(0.1)));
        runs.keep(&subject(0.1), &(1.0 / 3.0)).unwrap();
        assert!(runs.contains(&subject(0.1)) && !runs.contains(&subject(0.2)));
        assert_eq!(runs.recall(&subject(0.1)).unwrap(), Some(1.0 / 3.0));
        assert_eq!(runs.recall::<f64>(&subject(0.2)).unwrap(), None);
        let text = fs::read_to_string(runs.path_of(&subject(0.1))).unwrap();
        let plain =
            "{\n  \"set\": \"all\",\n  \"load\": 0.1,\n  \"outcome\": 0.3333333333333333\n}";
        assert_eq!(
            text.replace(&sha256(plain.as_bytes()), "HASH"),
            "{\n  \"set\": \"all\",\n  \"load\": 0.1,\n  \"outcome\": 0.3333333333333333,\n  \
             \"sha256\": \"HASH\"\n}\n"
        );
    }

    #[test]
    fn a_run_under_the_name_of_another_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let runs = RunDirectory::new(home.path());
        runs.keep(&subject(0.1), &1).unwrap();
        runs.keep(&subject(0.2), &2).unwrap();
        fs::copy(runs.path_of(&subject(0.1)), runs.path_of(&subject(0.2))).unwrap();
        let found = runs.recall::<u32>(&subject(0.2));
        assert!(matches!(found, Err(StoreError::Other { .. })), "{found:?}");
    }

    #[test]
    fn a_damaged_run_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let runs = RunDirectory::new(home.path());
        runs.keep(&subject(0.1), &1).unwrap();
        let path = runs.path_of(&subject(0.1));
        let whole = fs::read(&path).unwrap();
        let refused = || runs.recall::<u32>(&subject(0.1)).unwrap_err();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(matches!(refused(), StoreError::Damaged { .. }), "{length}");
        }
        let text = String::from_utf8(whole).unwrap();
        fs::write(&path, text.replace("\"outcome\": 1", "\"outcome\": 2")).unwrap();
        let said = refused().to_string();
        assert!(said.contains("its SHA-256 is ") && said.contains(", but it says "), "{said}");
        write(&path, &serde_json::json!({ "set": "all" })).unwrap();
        assert!(refused().to_string().contains("missing field `outcome`"));
        fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(matches!(refused(), StoreError::Io { .. }));
    }
}
