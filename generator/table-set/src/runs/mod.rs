//! Work that survives an interruption and can be shared: whatever has been computed is kept on the disk,
//! the same command continues from there, and several processes with one directory make each result once.
//!
//! [`Runs`] is a directory of the results of one *subject*, which is everything that they depend on besides
//! their keys. Each is a file of its own, so that any number of processes write into the directory at once,
//! on any machines that see it.
//!
//! The subject or the keys have [`build`], so that no result of other code is taken.
//!
//! Promises: a file is read up to a limit and never beyond it, it is written whole or not at all, a file
//! that is damaged, or that belongs to another subject or key, is refused, and so are results whose directory
//! does not say whose they are.

mod build;
mod claims;
mod directory;
mod error;

pub use build::build;
pub use claims::Claim;
pub use directory::{Runs, Turn, count};
pub use error::StoreError;

/// How often to ask again whether another process has made a result.
pub const POLL: std::time::Duration = std::time::Duration::from_millis(50);
