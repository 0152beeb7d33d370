//! Loading a fabric: its file, and its cables from an arrangement or a list beside the file.

use crate::fabric_file::{FabricFile, FabricFileError, Wiring};
use crate::input_file::{self, Links};
use crate::topology::arrangement::arrange;
use crate::topology::cable_list::{self, CableListError};
use crate::topology::{CableError, Topology};
use std::io;
use std::path::{Path, PathBuf};

/// A fabric file says a few dozen things.
const MOST_FABRIC_FILE_BYTES: u64 = 1 << 20;
/// Enough for the 2²³ cables that a fabric can have.
const MOST_CABLE_LIST_BYTES: u64 = 256 << 20;

/// A fabric as its file describes it, with its cables laid.
#[derive(Clone, Debug)]
pub struct Fabric {
    /// What the file says.
    pub file: FabricFile,
    /// Its cables.
    pub topology: Topology,
}

/// Why a fabric cannot be loaded. Each message names the file.
#[derive(Debug, thiserror::Error)]
pub enum FabricError {
    /// The operating system refused.
    #[error("{path}: cannot read it: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The answer.
        source: io::Error,
    },
    /// The file is not text.
    #[error(
        "{path}: byte {offset}: found {found:#04x}, accepted UTF-8 text; is this the right file?"
    )]
    NotText {
        /// The file.
        path: PathBuf,
        /// Where the first byte is that is not part of a text, from 0.
        offset: usize,
        /// That byte.
        found: u8,
    },
    /// The fabric file is not one.
    #[error(transparent)]
    File(#[from] FabricFileError),
    /// The cable list is not one.
    #[error("{path}: {source}")]
    Cables {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: CableListError,
    },
    /// The arrangement cannot be laid.
    #[error("{path}: {source}")]
    Arrangement {
        /// The fabric file.
        path: PathBuf,
        /// What is wrong.
        source: CableError,
    },
}

impl Fabric {
    /// Reads a fabric file, and the cable list that it names if it does.
    ///
    /// # Errors
    /// A file that cannot be read or does not say what it should.
    pub fn load(path: &Path) -> Result<Self, FabricError> {
        let text = read(path, MOST_FABRIC_FILE_BYTES)?;
        let file = FabricFile::parse(&text, &path.display().to_string())?;
        let topology = match &file.wiring {
            Wiring::Arrangement(arrangement) => arrange(file.dragonfly, *arrangement, file.seed)
                .map_err(|source| FabricError::Arrangement { path: path.to_owned(), source })?,
            Wiring::Cables(list) => {
                let list = beside(path, list);
                cable_list::read(file.dragonfly, &read(&list, MOST_CABLE_LIST_BYTES)?)
                    .map_err(|source| FabricError::Cables { path: list, source })?
            }
        };
        Ok(Self { file, topology })
    }

    /// The file that says where the cables are: the cable list if there is one, else `path`, the
    /// fabric file.
    pub fn wiring_path(&self, path: &Path) -> PathBuf {
        match &self.file.wiring {
            Wiring::Arrangement(_) => path.to_owned(),
            Wiring::Cables(list) => beside(path, list),
        }
    }
}

/// A path in a fabric file starts at the file's own directory.
fn beside(fabric_file: &Path, list: &Path) -> PathBuf {
    fabric_file.parent().unwrap_or(Path::new("")).join(list)
}

fn read(path: &Path, most: u64) -> Result<String, FabricError> {
    let bytes = input_file::read(path, most, Links::Follow)
        .map_err(|source| FabricError::Io { path: path.to_owned(), source })?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        FabricError::NotText { path: path.to_owned(), offset, found: error.as_bytes()[offset] }
    })
}
