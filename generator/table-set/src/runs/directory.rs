//! A directory of results, each in one file.
//!
//! The only module that uses bincode, version 2, the last usable one. That crate is no longer maintained
//! (RUSTSEC-2025-0141), so it serves only this: files of our own making, on the host, whose loss costs only time. A
//! limit of size and a hash are checked before bincode decodes anything.
//!
//! ```text
//! subject           the SHA-256 of the subject, and a line feed
//! xx/HASH.run       a result; HASH is the SHA-256 of its name, and xx are its first two digits
//! xx/HASH.claim     whose turn it is to make it
//! ```
//!
//! A result is a label, name and value in bincode's standard configuration, and the SHA-256 of everything before it.
//! Name and value are JSON texts, so that a reader of a result may take some of its fields. The name is the SHA-256 of
//! the subject, and the key: a result of another subject is never used, wherever its file came from.

use super::claims::{Claim, Claims};
use crate::input_file::{self, Symlinks};
use crate::runs::StoreError;
use crate::{sha256, whole_file};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The version changes with the format, so that other files are refused.
const LABEL: &[u8] = b"tvlb run 2\n";
/// The bytes of a SHA-256.
const DIGEST: usize = 32;
/// The largest file that is read: a run has some tens of figures, and a unit of the throughput model has some for each
/// of its patterns and sets.
const MOST_BYTES: u64 = 1 << 20;
/// The most memory for name and value while they are decoded.
const MOST_DECODED: usize = 1 << 22;
/// The file that says to which subject a directory belongs.
const SUBJECT_FILE: &str = "subject";
/// The ending of the file of a result.
const ENDING: &str = "run";

/// The results of one subject. All methods can be called from any thread.
///
/// # Example
/// ```
/// use tvlb_table_set::runs::{Runs, Turn};
///
/// # let home = tempfile::tempdir()?;
/// let path = home.path().join("runs");
/// let ours = Runs::open(&path, "squares, version 1")?;
/// // Another process, perhaps.
/// let theirs = Runs::open(&path, "squares, version 1")?;
///
/// let Turn::Ours(claim) = ours.claim::<u32>(&3)? else { panic!("nobody has claimed it") };
/// assert!(matches!(theirs.claim::<u32>(&3)?, Turn::Theirs));
/// ours.put(&3, &9)?;
/// drop(claim);
/// assert!(matches!(theirs.claim::<u32>(&3)?, Turn::Kept(9)));
/// assert_eq!((ours.get(&3)?, ours.get::<u32>(&4)?), (Some(9), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Runs {
    directory: PathBuf,
    /// The SHA-256 of the subject.
    subject: String,
    /// Whether the directory is known to be the subject's.
    owned: OnceLock<()>,
    claims: Claims,
}

/// Who makes a result.
#[derive(Debug)]
pub enum Turn<V, C = Claim> {
    Kept(V),
    /// This process, which is to [`Runs::put`] it and then to drop the claim. To drop the claim earlier gives it up.
    Ours(C),
    /// Another process, or another thread of this one.
    Theirs,
}

/// A name with the file of its result.
struct ResultFile {
    name: String,
    path: PathBuf,
}

impl Runs {
    /// Opens the results of `subject` in a directory, which is created with the first of them, or by [`Self::own`].
    ///
    /// # Errors
    /// The directory cannot be read, it belongs to another subject, or it has results but no subject.
    pub fn open(directory: impl Into<PathBuf>, subject: &str) -> Result<Self, StoreError> {
        let directory = directory.into();
        let (subject, owned) = (sha256(subject.as_bytes()), OnceLock::new());
        let runs = Self { directory, subject, owned, claims: Claims::default() };
        runs.is_owned()?;
        Ok(runs)
    }

    /// Makes the directory the subject's, if it has none. Of several subjects that try, one succeeds.
    ///
    /// # Errors
    /// The directory cannot be written, or as [`Self::open`].
    pub fn own(&self) -> Result<(), StoreError> {
        if self.is_owned()? {
            return Ok(());
        }
        fs::create_dir_all(&self.directory).map_err(StoreError::io(&self.directory))?;
        let path = self.directory.join(SUBJECT_FILE);
        match whole_file::write_new(&path, self.line()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(StoreError::io(&path)(error)),
        }
        if self.is_owned()? { Ok(()) } else { Err(self.no_subject()) }
    }

    /// Whether the directory says that it is the subject's; it may say nothing while it has no results.
    fn is_owned(&self) -> Result<bool, StoreError> {
        let path = self.directory.join(SUBJECT_FILE);
        let says = || match input_file::read(&path, MOST_BYTES, Symlinks::Follow) {
            Ok(found) if found == self.line().as_bytes() => Ok(true),
            Ok(_) => Err(StoreError::Other { path: self.directory.clone() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StoreError::io(&path)(error)),
        };
        // The subject is written before any result, so if there are results it is looked up once more.
        let mut is_owned = says()?;
        if !is_owned && count(&self.directory) > 0 {
            is_owned = says()?;
            if !is_owned {
                return Err(self.no_subject());
            }
        }
        if is_owned {
            self.owned.get_or_init(|| ());
        }
        Ok(is_owned)
    }

    /// The content of the subject's file.
    fn line(&self) -> String {
        format!("{}\n", self.subject)
    }

    fn no_subject(&self) -> StoreError {
        StoreError::NoSubject { path: self.directory.clone() }
    }

    /// The result with this key, if there is one.
    ///
    /// # Errors
    /// Its file cannot be read, is damaged, or holds the result of another key.
    pub fn get<V: DeserializeOwned>(
        &self,
        key: &(impl Serialize + ?Sized),
    ) -> Result<Option<V>, StoreError> {
        read(&self.place(key))
    }

    /// Whether there is a file for this key. [`Self::get`] says whether it is usable.
    pub fn contains(&self, key: &(impl Serialize + ?Sized)) -> bool {
        self.place(key).path.exists()
    }

    /// Keeps a result.
    ///
    /// # Errors
    /// Its file cannot be written.
    pub fn put(
        &self,
        key: &(impl Serialize + ?Sized),
        value: &impl Serialize,
    ) -> Result<(), StoreError> {
        let ResultFile { name, path } = self.place(key);
        self.begin(&path)?;
        let error = StoreError::io(&path);
        let value = serde_json::to_string(value).map_err(|e| error(e.into()))?;
        let config = bincode::config::standard();
        let content = bincode::serde::encode_to_vec((name, value), config)
            .map_err(|e| error(io::Error::other(e)))?;
        let bytes = [LABEL, &content].concat();
        let hash = Sha256::digest(&bytes);
        whole_file::write(&path, [&bytes[..], &hash].concat()).map_err(error)
    }

    /// The result with this key, or else who is to make it.
    ///
    /// # Errors
    /// A file of the directory cannot be read or written, or is damaged.
    pub fn claim<V: DeserializeOwned>(
        &self,
        key: &(impl Serialize + ?Sized),
    ) -> Result<Turn<V>, StoreError> {
        let place = self.place(key);
        if let Some(value) = read(&place)? {
            return Ok(Turn::Kept(value));
        }
        self.claim_unseen(&place)
    }

    /// Claims a result that was absent when last checked.
    fn claim_unseen<V: DeserializeOwned>(&self, place: &ResultFile) -> Result<Turn<V>, StoreError> {
        self.begin(&place.path)?;
        let path = place.path.with_extension("claim");
        let Some(claim) = self.claims.claim(&path).map_err(StoreError::io(&path))? else {
            return Ok(Turn::Theirs);
        };
        // It may have been made between the two checks.
        Ok(read(place)?.map_or(Turn::Ours(claim), Turn::Kept))
    }

    fn place(&self, key: &(impl Serialize + ?Sized)) -> ResultFile {
        let name = serde_json::to_string(&(&self.subject, key));
        let name = name.expect("a key is made of plain values");
        let hash = sha256(name.as_bytes());
        ResultFile { name, path: self.directory.join(&hash[..2]).join(format!("{hash}.{ENDING}")) }
    }

    /// Makes the folder of a file, and before the first the directory.
    fn begin(&self, path: &Path) -> Result<(), StoreError> {
        let folder = path.parent().unwrap_or(&self.directory);
        if self.owned.get().is_some() && folder.is_dir() {
            return Ok(());
        }
        self.own()?;
        fs::create_dir_all(folder).map_err(StoreError::io(folder))
    }
}

/// The number of results in a directory of any subject; 0 if it cannot be read.
pub fn count(directory: &Path) -> usize {
    let entries = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
    let folders = entries(directory).map(|entry| entry.path());
    let files = folders.flat_map(|folder| entries(&folder).collect::<Vec<_>>());
    files.filter(|file| file.path().extension().is_some_and(|end| end == ENDING)).count()
}

fn read<V: DeserializeOwned>(
    ResultFile { name, path }: &ResultFile,
) -> Result<Option<V>, StoreError> {
    let bytes = match input_file::read(path, MOST_BYTES, Symlinks::Follow) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io(path)(error)),
    };
    let damaged = |why: String| StoreError::damaged(path, why);
    let (found, value) = decode(&bytes).map_err(damaged)?;
    if found != *name {
        return Err(StoreError::Other { path: path.clone() });
    }
    serde_json::from_str(&value).map(Some).map_err(|error| damaged(error.to_string()))
}

/// The name and the value of a file, or why it is invalid.
fn decode(bytes: &[u8]) -> Result<(String, String), String> {
    let no_hash = "it does not end with its SHA-256";
    let (hashed, hash) = bytes.split_last_chunk::<DIGEST>().ok_or(no_hash)?;
    if Sha256::digest(hashed).as_slice() != hash {
        return Err(no_hash.to_owned());
    }
    let content =
        hashed.strip_prefix(LABEL).ok_or("it does not begin with the format's name and version")?;
    let config = bincode::config::standard().with_limit::<MOST_DECODED>();
    match bincode::serde::decode_from_slice(content, config) {
        Ok((found, read)) if read == content.len() => Ok(found),
        Ok(_) => Err("bytes follow its content".to_owned()),
        Err(error) => Err(format!("its content cannot be decoded: {error}")),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
