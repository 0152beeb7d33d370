//! A wiring in the formats of other programs, so that they can be held against tvlb.
//!
//! All formats look at one value, the [`Wiring`], and each is a function of it. What a format cannot say is refused or,
//! where it is no cable, left out; `docs/reference/export.md` lists what each leaves out.

pub mod anynet;
pub mod anytopo;
pub mod codes;
pub mod dot;
pub mod htsim;
pub mod merlin;
pub mod slurm;

mod error;
mod wiring;

pub use error::ExportError;
pub(crate) use wiring::parts;
pub use wiring::{LinkEnd, WiredLink, Wiring};
