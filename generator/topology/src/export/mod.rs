//! A wiring in the formats of other programs, to compare them with tvlb.
//!
//! All formats are functions of one value, the [`Wiring`]. What a format cannot express is refused or, unless it is a
//! cable, left out; `docs/reference/export.md` lists what each leaves out.

pub mod anynet;
pub mod anytopo;
pub mod codes;
pub mod dot;
pub mod htsim;
pub mod merlin;
pub mod slurm;

mod error;
mod expected;
mod wiring;

pub use error::ExportError;
pub(crate) use wiring::parts;
pub use wiring::{LinkEnd, WiredLink, Wiring};
