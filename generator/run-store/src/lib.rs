//! Work that survives an interruption: whatever has been computed is kept on the disk, and the same
//! command continues from there.
//!
//! A kept result is told by its *subject*, which is everything that the result depends on. There
//! are two layouts, because there are two kinds of readers:
//!
//! - [`RunFile`] is one binary file with all results of one subject. One process writes it, and
//!   nobody else reads it.
//! - [`RunDirectory`] has one JSON file for each run, named by the hash of the run's subject. Any
//!   number of processes write into it at once, and people read what is in it.
//!
//! Promises of both: a file is read up to a limit and never beyond it, it is written whole or not at
//! all, and a file that is damaged or that belongs to another subject is refused as a whole.

mod directory;
mod error;
mod file;

pub use directory::RunDirectory;
pub use error::StoreError;
pub use file::RunFile;
