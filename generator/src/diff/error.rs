//! Why two table sets cannot be compared.

use crate::table_set::ReadError;
use crate::topology::names::NamesError;
use std::fmt;
use std::path::{Path, PathBuf};
use tvlb_base::progress::Cancelled;

/// Why two table sets cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    /// A file of one of them is missing, or is not what its manifest says.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An image that no switch would boot from.
    #[error("{path}: {text}; `tvlb verify` says more")]
    Image {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        text: String,
    },
    /// The list of names of one of them is not one.
    #[error("{path}: {source}")]
    Names {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<NamesError>,
    },
    /// More links than there is memory for.
    #[error("the fabric has {links} directed links, but at most {most} can be compared")]
    TooLarge {
        /// How many there are.
        links: usize,
        /// How many there may be.
        most: usize,
    },
    /// The caller cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl DiffError {
    pub(super) fn image(path: &Path, error: impl fmt::Display) -> Self {
        Self::Image { path: path.to_owned(), text: error.to_string() }
    }
}
