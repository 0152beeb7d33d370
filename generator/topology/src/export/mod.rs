//! A wiring in the formats of other programs, so that they can be held against tvlb.
//!
//! Each format is a pure function of the topology. What a format cannot say is refused or, where it is
//! no cable, left out; `docs/reference/export.md` lists what each leaves out. Every two switches of a
//! group are joined by one local link.

pub mod anynet;
pub mod anytopo;
pub mod codes;
pub mod htsim;
pub mod merlin;
pub mod slurm;

mod error;
mod like_groups;

pub use error::{ExportError, MapConflict, PortTarget};
pub use like_groups::expect_live_switches;
