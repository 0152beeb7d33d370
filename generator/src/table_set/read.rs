//! Reading a table set back: the manifest, and images that it vouches for.
//!
//! A file is read only after its length was found to be what the manifest says, and handed out
//! only if its hash is.

use super::{
    FABRIC_FILE, FileEntry, MANIFEST_FILE, MANIFEST_FORMAT, Manifest, sha256, switch_file,
};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tvlb_schema::Switch;

/// No manifest of ours is larger: some 150 bytes for each of at most 65 536 switches.
const MOST_MANIFEST_BYTES: u64 = 64 << 20;
/// No image of ours is larger.
const MOST_IMAGE_BYTES: u64 = 256 << 20;

/// Why a table set, or a file of it, cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The operating system refused.
    #[error("{path}: cannot read it: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The answer.
        source: io::Error,
    },
    /// The manifest is not JSON of the right form.
    #[error("{path}:{}:{}: not a manifest of a table set: {source}", .source.line(), .source.column())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The manifest is of another format.
    #[error(
        "{path}: format is {found:?}, accepted {MANIFEST_FORMAT:?}; regenerate the table set with this version of tvlb"
    )]
    Format {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: String,
    },
    /// A file that the manifest does not list.
    #[error("{path}: the manifest does not list it; the table set has {switches} switches, 0 to {}", .switches.saturating_sub(1))]
    NotListed {
        /// The file.
        path: PathBuf,
        /// How many switches the manifest lists.
        switches: usize,
    },
    /// A file of another length than the manifest says.
    #[error("{path}: found {found} bytes, but the manifest says {listed}")]
    Length {
        /// The file.
        path: PathBuf,
        /// Its length.
        found: u64,
        /// What the manifest says.
        listed: u64,
    },
    /// A file larger than any of its kind can be.
    #[error("{path}: found {found} bytes, accepted at most {most}")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its length.
        found: u64,
        /// The most accepted.
        most: u64,
    },
    /// A file of another content than the manifest says.
    #[error(
        "{path}: its SHA-256 is {found}, but the manifest says {listed}; it is damaged or of another table set"
    )]
    Hash {
        /// The file.
        path: PathBuf,
        /// Its hash.
        found: String,
        /// What the manifest says.
        listed: String,
    },
}

/// A table set on disk, known by its manifest.
#[derive(Clone, Debug)]
pub struct TableSet {
    directory: PathBuf,
    manifest: Manifest,
}

impl TableSet {
    /// Reads the manifest of the table set in `directory`.
    ///
    /// # Errors
    /// There is none, or it is not one.
    pub fn open(directory: &Path) -> Result<Self, ReadError> {
        let path = directory.join(MANIFEST_FILE);
        let json = read_at_most(&path, MOST_MANIFEST_BYTES)?;
        let manifest: Manifest = serde_json::from_slice(&json)
            .map_err(|source| ReadError::Manifest { path: path.clone(), source })?;
        if manifest.format != MANIFEST_FORMAT {
            return Err(ReadError::Format { path, found: manifest.format });
        }
        Ok(Self { directory: directory.to_owned(), manifest })
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The path of the fabric image, for messages.
    pub fn fabric_path(&self) -> PathBuf {
        self.directory.join(FABRIC_FILE)
    }

    /// The path of a switch image, for messages.
    pub fn switch_path(&self, switch: Switch) -> PathBuf {
        self.directory.join(switch_file(switch))
    }

    /// The fabric image's bytes.
    ///
    /// # Errors
    /// It cannot be read or is not what the manifest says.
    pub fn fabric_image(&self) -> Result<Vec<u8>, ReadError> {
        self.read(FABRIC_FILE)
    }

    /// A switch image's bytes.
    ///
    /// # Errors
    /// It is not in the manifest, cannot be read or is not what the manifest says.
    pub fn switch_image(&self, switch: Switch) -> Result<Vec<u8>, ReadError> {
        self.read(&switch_file(switch))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        let path = self.directory.join(name);
        let Some(FileEntry { bytes: listed, sha256: hash, .. }) =
            self.manifest.files.iter().find(|file| file.path == name)
        else {
            return Err(ReadError::NotListed {
                path,
                switches: self.manifest.files.len().saturating_sub(1),
            });
        };
        let found = fs::metadata(&path).map_err(io_error(&path))?.len();
        if found != *listed {
            return Err(ReadError::Length { path, found, listed: *listed });
        }
        let bytes = read_at_most(&path, MOST_IMAGE_BYTES)?;
        let found = sha256(&bytes);
        if found != *hash {
            return Err(ReadError::Hash { path, found, listed: hash.clone() });
        }
        Ok(bytes)
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> ReadError {
    move |source| ReadError::Io { path: path.to_owned(), source }
}

/// Reads a file of at most `most` bytes; a larger one is an error before it fills the memory.
fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(io_error(path))?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(io_error(path))?;
    if bytes.len() as u64 > most {
        let found = fs::metadata(path).map_err(io_error(path))?.len();
        return Err(ReadError::TooLarge { path: path.to_owned(), found, most });
    }
    Ok(bytes)
}
