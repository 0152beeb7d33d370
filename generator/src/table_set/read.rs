//! Reading a table set back: the manifest, and images that it vouches for.
//!
//! An image is read no further than the manifest says that it goes, and handed out only if its
//! length and its hash are what the manifest says. An image of another version is called that
//! before it is called damaged.

use super::{
    FABRIC_FILE, FileEntry, MANIFEST_FILE, MANIFEST_FORMAT, Manifest, sha256, switch_file,
};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tvlb_schema::{ImageError, Switch, check_version};

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
    #[error("{path}:{}:{}: not a manifest of a table set: {}", .source.line(), .source.column(), without_place(.source))]
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
    #[error("{path}: the manifest lists {files} files, but not this one; regenerate the table set")]
    NotListed {
        /// The file.
        path: PathBuf,
        /// How many files the manifest lists.
        files: usize,
    },
    /// An image of a version that this reader does not know.
    #[error("{path}: {source}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        source: ImageError,
    },
    /// A file of another length than the manifest says.
    #[error(
        "{path}: found {found} bytes, but the manifest says {listed}; it is damaged or of another table set"
    )]
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

/// What the manifests of all formats have.
#[derive(Deserialize)]
struct Label {
    format: String,
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
        // The format before all else: another one may well have other fields.
        if let Ok(Label { format }) = serde_json::from_slice(&json)
            && format != MANIFEST_FORMAT
        {
            return Err(ReadError::Format { path, found: format });
        }
        let manifest =
            serde_json::from_slice(&json).map_err(|source| ReadError::Manifest { path, source })?;
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
            return Err(ReadError::NotListed { path, files: self.manifest.files.len() });
        };
        let (bytes, found) = read_start(&path, (*listed).min(MOST_IMAGE_BYTES))?;
        if let Err(source) = check_version(&bytes) {
            return Err(ReadError::Version { path, source });
        }
        if found != *listed {
            return Err(ReadError::Length { path, found, listed: *listed });
        }
        if found > MOST_IMAGE_BYTES {
            return Err(ReadError::TooLarge { path, found, most: MOST_IMAGE_BYTES });
        }
        let found = sha256(&bytes);
        if found != *hash {
            return Err(ReadError::Hash { path, found, listed: hash.clone() });
        }
        Ok(bytes)
    }
}

/// What the parser says, without the place that the message begins with.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> ReadError {
    move |source| ReadError::Io { path: path.to_owned(), source }
}

/// Reads a file of at most `most` bytes; a larger one is an error before it fills the memory.
fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let (bytes, found) = read_start(path, most)?;
    if found > most {
        return Err(ReadError::TooLarge { path: path.to_owned(), found, most });
    }
    Ok(bytes)
}

/// The first `most` bytes of a file, or all that it has, and its length.
fn read_start(path: &Path, most: u64) -> Result<(Vec<u8>, u64), ReadError> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(io_error(path))?;
    let length = file.metadata().map_err(io_error(path))?.len();
    file.take(most).read_to_end(&mut bytes).map_err(io_error(path))?;
    Ok((bytes, length))
}
