//! Workloads of Dragonfly machines: what each rank of a job sends and awaits.
//!
//! A *job* has *ranks*, each of which runs a program: a list of [`Step`]s. [`Programs`] holds those of all
//! ranks of one job.

mod error;
mod program;
mod rank;

pub use error::WorkloadError;
pub use program::{Programs, Step};
pub use rank::Rank;
