//! Work that survives an interruption: whatever has been computed is kept on the disk, and the same
//! command continues from there.
//!
//! A kept result is told by its *subject*, which is everything that the result depends on. There
//! are three layouts, because there are several kinds of readers and writers:
//!
//! - [`RunFile`] is one binary file with all results of one subject. One process writes it, and
//!   nobody else reads it.
//! - [`RunDirectory`] has one JSON file for each run, named by the hash of the run's subject. Any
//!   number of processes write into it at once, and people read what is in it.
//! - [`SharedRuns`] is such a directory for the results of one subject, with claims besides, so that
//!   processes that need the same results make each of them once.
//!
//! Promises of all: a file is read up to a limit and never beyond it, it is written whole or not at
//! all, and a file that is damaged or that belongs to another subject is refused as a whole.

mod directory;
mod error;
mod file;
mod shared;

pub use directory::RunDirectory;
pub use error::StoreError;
pub use file::RunFile;
pub use shared::{Claim, SharedRuns, Turn, count_runs};
