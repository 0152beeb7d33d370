//! From a Dragonfly's fabric file to install-time routing images, as a library of stages.
//!
//! Data flows one way: fabric file, topology, routes and sets, images, written directory. Each
//! stage takes plain values and returns plain values; reading and writing stay at the edges.
//!
//! # Example
//! ```
//! use tvlb_generator::fabric::Fabric;
//! use tvlb_generator::pipeline::{self, GenerateSettings};
//! use tvlb_table_set::Existing;
//! use tvlb_verify::{With, verify};
//!
//! # let home = tempfile::tempdir()?;
//! # let lab = home.path().join("lab.toml");
//! # let text = "name = \"lab\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\n\
//! #     [routing]\nset = \"strategic-2-3 by shape\"\n";
//! # std::fs::write(&lab, text)?;
//! let fabric = Fabric::load(&lab)?;
//! let tables = home.path().join("tables");
//!
//! // The fabric file gives the sets; if it has none, they are chosen, which takes minutes. The
//! // directory appears whole and verified, or not at all. `&()` ignores progress.
//! let settings = GenerateSettings::default();
//! let (made, _) = pipeline::run(&fabric, &settings, &tables, Existing::Refuse, &())?;
//! assert_eq!(made.tables.images.switches.len(), 20);
//!
//! // Verification, at any later time, reads only the files.
//! let limits = tvlb_verify::VerifySettings { most_walks: 1_000_000, seed: 1 };
//! let certificate = verify(&tables, With::default(), limits, &())?;
//! assert_eq!((certificate.images, certificate.pairs), (21, 380));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// The programs on pages of the documentation, as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../docs/reference/co-simulation.md")]
    struct CoSimulation;
    #[doc = include_str!("../../docs/rust-library.md")]
    struct RustLibrary;
}

pub mod balance;
pub mod checked_fabric;
pub mod choose;
pub mod counted;
pub mod diff;
pub mod fabric;
pub mod fabric_file;
pub mod faults;
pub mod image;
pub mod pipeline;
pub mod plain;
pub mod policy;
pub mod recognise;
pub mod report;
pub mod routes;
pub mod set_file;
pub mod static_load;
pub mod table_policies;
pub mod tables;
pub mod vectors;
