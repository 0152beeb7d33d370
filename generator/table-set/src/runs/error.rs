//! Why kept work cannot be used.

use std::io;
use std::path::{Path, PathBuf};

/// Why kept work cannot be used, or new work cannot be kept. Each message names the file.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{path}: cannot read or write it: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "{path}: it does not hold finished work in the format of this version ({why}); remove it, \
         and the work is done again"
    )]
    Damaged { path: PathBuf, why: String },
    #[error(
        "{path}: it belongs to a run with another fabric, other traffic or other sets, or to \
         another version or build; remove it to begin again, or give another path"
    )]
    Other { path: PathBuf },
    #[error(
        "{path}: it has results, but no file `subject` that says which work they belong to, so none is used; \
         remove the directory to begin again, or give another path"
    )]
    NoSubject { path: PathBuf },
}

impl StoreError {
    /// The error for a file with impossible content.
    pub fn damaged(path: &Path, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), why: why.into() }
    }

    /// A function that adds the path to an error of the operating system.
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
