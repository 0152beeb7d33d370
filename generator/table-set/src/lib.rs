//! A table set: the directory that `generate` writes and everything else reads.
//!
//! ```text
//! manifest.json             what it is, what it was made from, and a hash of every other file
//! fabric.tvlb               the fabric image
//! switches/00000.tvlb       one switch image for each switch, by number
//! names.csv                 what the machine calls its parts, if the fabric file names such a list
//! report.html               what it is, for a person to look at
//! ```

pub mod dead_parts;
pub mod grammar;
pub mod input_file;
pub mod miscabled;
pub mod names;
pub mod runs;
pub mod whole_file;

mod aside;
mod digest;
mod directory;
mod manifest;
mod occupied;
mod open_weighing;
mod printable;
mod read;
mod seal;
mod update;
mod write;

pub use digest::{levels_digest, presence_digest, presence_is_drawn};
pub use manifest::{
    AgainContender, AgainEntry, AgainGuard, BalanceEntry, Carried, ChoiceEntry, ContenderEntry,
    ContestEntry, FabricEntry, FileEntry, FloorEntry, FrontierEntry, ImbalanceEntry, Injection,
    Lead, MANIFEST_FORMAT, Manifest, ModelEntry, ModelledEntry, Origin, PanelEntry, Regrets, STEPS,
    SetEntry, Sizes, TailEntry, Worst, all_rounded, hex, load_of, rounded, sha256, step_of,
};
pub use occupied::table_set_around;
pub use open_weighing::{OpenWeighing, WordError};
pub use printable::{escaped_controls, is_shown};
pub use read::{MOST_BYTES, MOST_NAMES_BYTES, ReadError, TableSet};
pub use seal::{SealFault, check_seal, sealed_report};
pub use update::{
    DeadEntry, FAULT_LIST_FILE, FAULTS_FILE, LostEntry, UPDATE_FILE, UPDATE_FORMAT, Update,
    UpdateRecord,
};
pub use write::{Content, Existing, WriteError, check_target, write, write_into};

/// The manifest's name in the directory.
pub const MANIFEST_FILE: &str = "manifest.json";
/// The fabric image's name in the directory.
pub const FABRIC_FILE: &str = "fabric.tvlb";

/// The name of the list of names in the directory, if there is one.
pub const NAMES_FILE: &str = "names.csv";

/// The directory of switch images in it.
pub const SWITCHES: &str = "switches";

/// The report's name in the directory. The manifest does not list it, because the report says what was verified of all
/// the rest; its last lines say which manifest it belongs to ([`sealed_report`]).
pub const REPORT_FILE: &str = "report.html";

/// A switch image's name in the directory.
pub fn switch_file(switch: tvlb_schema::SwitchId) -> String {
    format!("{SWITCHES}/{:05}.tvlb", switch.0)
}
