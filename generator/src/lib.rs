//! From a Dragonfly's fabric file to install-time routing images, as a library of stages.
//!
//! Data flows one way: fabric file, topology, routes and sets, images, written directory. Each
//! stage takes plain values and returns plain values; reading and writing stay at the edges.
//!
//! # Example
//! ```
//! use tvlb_generator::fabric::Fabric;
//! use tvlb_generator::generate::generate;
//! use tvlb_generator::policy::Policy;
//! use tvlb_generator::set_grammar::parse_set;
//! use tvlb_generator::table_set::{Existing, REPORT_FILE, WriteError, write};
//! use tvlb_generator::verify::{Settings, verify_tables};
//! use tvlb_schema::PerDecision;
//!
//! # let home = tempfile::tempdir()?;
//! # let lab = home.path().join("lab.toml");
//! # std::fs::write(&lab, "name = \"lab\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\n")?;
//! let fabric = Fabric::load(&lab)?;
//! // One set for every decision; `choose` would find them by modelling and simulating.
//! let rule = parse_set("strategic-2-3 by shape", fabric.file.seed)?;
//! let made = generate(&fabric, &PerDecision::same(Policy::from(rule)), &())?;
//! assert_eq!(made.images.switches.len(), 20);
//!
//! // The directory appears whole, with a last file that sees the others, or not at all.
//! let tables = home.path().join("tables");
//! let files = made.files();
//! let contents = files.iter().map(|(path, bytes)| (*path, bytes.as_ref()));
//! let seal = |_: &std::path::Path| Ok::<_, WriteError>((REPORT_FILE, b"a page".to_vec()));
//! write(&tables, contents, Existing::Refuse, &(), seal)?;
//!
//! // Nothing but the files is read to verify them.
//! let certificate = verify_tables(&tables, Settings { most_walks: 1_000_000, seed: 1 }, &())?;
//! assert_eq!((certificate.images, certificate.pairs), (21, 380));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod balance;
pub mod choose;
pub mod diff;
pub mod fabric;
pub mod fabric_file;
pub mod generate;
pub mod image;
pub mod pipeline;
pub mod policy;
pub mod report;
pub mod routes;

// What stands in crates of its own, by the paths of one library.
pub use tvlb_chart as chart;
pub use tvlb_set_grammar as set_grammar;
pub use tvlb_table_set as table_set;
pub use tvlb_table_set::{input_file, whole_file};
pub use tvlb_throughput as throughput;
pub use tvlb_topology as topology;
pub use tvlb_verify as verify;
