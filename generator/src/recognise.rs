//! Recognises what a path leads to, to advise a user who gave one kind of thing instead of another.

use std::path::Path;
use tvlb_table_set::{MANIFEST_FILE, UPDATE_FILE};

/// The name of the fabric file that `tvlb import` writes.
const FABRIC: &str = "fabric.toml";

/// What is at a path, as far as names tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recognised {
    TableSet,
    /// The directory of an update that `tvlb faults` wrote.
    Update,
    /// A directory with a fabric file in it, as `tvlb import` writes it.
    WithFabricFile,
    File,
    /// Something else, or nothing.
    Unknown,
}

impl Recognised {
    pub fn at(path: &Path) -> Self {
        match () {
            () if path.is_file() => Self::File,
            () if path.join(MANIFEST_FILE).exists() => Self::TableSet,
            () if path.join(UPDATE_FILE).exists() => Self::Update,
            () if path.join(FABRIC).is_file() => Self::WithFabricFile,
            () => Self::Unknown,
        }
    }

    /// Advice for a user who should have given something else: what is at the path, and which command takes it. Empty
    /// for unknown things.
    pub fn hint(self, path: &Path) -> String {
        let path = path.display();
        match self {
            Self::TableSet => {
                "; if it is a table set, give the fabric file that it was made from".to_owned()
            }
            Self::Update => format!(
                "; it is an update of a table set, which `tvlb inspect TABLES --update {path}` shows and \
                 `tvlb verify TABLES --update {path}` verifies"
            ),
            Self::WithFabricFile => format!(
                "; it holds the fabric file {path}/{FABRIC}, and `tvlb generate {path}/{FABRIC} -o DIR` \
                 makes a table set from that"
            ),
            Self::File => format!(
                "; if it is a fabric file, `tvlb generate {path} -o DIR` makes a table set from it"
            ),
            Self::Unknown => String::new(),
        }
    }
}
