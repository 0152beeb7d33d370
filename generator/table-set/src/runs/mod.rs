//! Work that survives an interruption and can be shared: results are kept on disk, the same command continues from
//! there, and several processes with one directory make each result once.
//!
//! [`Runs`] is a directory of the results of one *subject*, which is everything that they depend on besides their keys.
//! Each has its own file, so that any number of processes, on any machines that see the directory, write into it at
//! once.
//!
//! The subject or the keys include [`build`], so that results of other code are never used.
//!
//! Promises: a file is read only up to a limit, it is written whole or not at all, a damaged file or one of another
//! subject or key is refused, and so are results in a directory that names no subject.

mod build;
mod claims;
mod directory;
mod error;

pub use build::build;
pub use claims::Claim;
pub use directory::{Runs, Turn, count};
pub use error::StoreError;

/// How often to check whether another process has made a result.
pub const POLL: std::time::Duration = std::time::Duration::from_millis(50);
