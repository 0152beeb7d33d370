//! Errors in a fabric file, and their places.

use tvlb_schema::{BandwidthsError, DragonflyError};
use tvlb_table_set::grammar::SetGrammarError;

/// Why a text is not a fabric file: the place and the fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{origin}:{line}:{column}: {fault}")]
pub struct FabricFileError {
    /// The file's name, as the caller gave it.
    pub origin: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    pub fault: Box<FabricFault>,
}

/// The fault. Keys are written with their table, as in `dragonfly.h`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FabricFault {
    #[error("not TOML: {problem}; found {found}")]
    Syntax { problem: String, found: String },
    #[error("{0} is given a second time; every key and table is accepted once")]
    DuplicateKey(String),
    #[error("{key} is not a key of the fabric file; accepted here: {accepted}{}", elsewhere(.key))]
    UnknownKey { key: String, accepted: String },
    #[error("{key} is missing; it must be {accepted}")]
    MissingKey { key: String, accepted: String },
    #[error("{key} {found}, but {} must be {accepted}", .key.rsplit('.').next().unwrap_or(.key))]
    Value { key: String, found: String, accepted: String },
    #[error("{key} is too large for the other sizes: {error}")]
    Dragonfly { key: String, error: DragonflyError },
    #[error(
        "{key} is given beside {other}; accepted is one of the two, because each kind states its own sizes"
    )]
    SizeBesideKinds { key: String, other: String },
    #[error("{key} is given although {wiring}; accepted {accepted}")]
    SizeOfOther { key: String, wiring: &'static str, accepted: &'static str },
    #[error("{key} make no Dragonfly: {error}")]
    Kinds { key: String, error: DragonflyError },
    #[error(
        "{key} is given although groups are of several kinds; accepted is cables, the path of a cable list"
    )]
    ArrangementOfKinds { key: String },
    #[error(
        "{key} is given beside {other}; accepted is one of the two, because both say where the cables come from"
    )]
    TwoWirings { key: String, other: String },
    #[error("{key} does not go with the bandwidths of the other kinds of links: {error}")]
    Bandwidths { key: String, error: BandwidthsError },
    #[error("{key} is not a set of routes: {error}\n{marked}")]
    Set { key: String, error: SetGrammarError, marked: String },
}

/// Where to say instead what a key says.
fn elsewhere(key: &str) -> &'static str {
    match key {
        "routing.escape" | "routing.escape-root" | "routing.ofar" => {
            "; `tvlb-lab escape` makes escape networks"
        }
        _ => "",
    }
}
