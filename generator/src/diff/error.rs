//! Why two table sets cannot be compared.

use std::fmt;
use std::path::{Path, PathBuf};
use tvlb_base::progress::Cancelled;
use tvlb_table_set::ReadError;
use tvlb_table_set::names::NamesError;

/// Why two table sets cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{path}: {text}; `tvlb verify` says more")]
    Image { path: PathBuf, text: String },
    #[error("{path}: {source}")]
    Names { path: PathBuf, source: Box<NamesError> },
    #[error("the fabric has {links} directed links, but at most {most} can be compared")]
    TooLarge { links: usize, most: usize },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl DiffError {
    pub(super) fn image(path: &Path, error: impl fmt::Display) -> Self {
        Self::Image { path: path.to_owned(), text: error.to_string() }
    }
}
