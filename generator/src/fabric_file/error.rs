//! What can be wrong with a fabric file, and where.

use crate::set_grammar::SetGrammarError;
use tvlb_schema::{BandwidthsError, DragonflyError};

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
    /// What is wrong there.
    pub fault: Box<FabricFault>,
}

/// What is wrong. Keys are written with their table, as in `dragonfly.h`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FabricFault {
    /// The text is not TOML.
    #[error("not TOML: {problem}; found {found}")]
    Syntax {
        /// The parser's word on it.
        problem: String,
        /// The text there, quoted.
        found: String,
    },
    /// A key or table given twice.
    #[error("{0} is given a second time; every key and table is accepted once")]
    DuplicateKey(String),
    /// A key that means nothing here.
    #[error("{key} is not a key of the fabric file; accepted here: {accepted}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The keys that its table takes.
        accepted: String,
    },
    /// A key that must be there and is not.
    #[error("{key} is missing; it must be {accepted}")]
    MissingKey {
        /// The key.
        key: String,
        /// What it takes.
        accepted: String,
    },
    /// A value of the wrong type or out of range.
    #[error("{key} {found}, but {} must be {accepted}", .key.rsplit('.').next().unwrap_or(.key))]
    Value {
        /// The key.
        key: String,
        /// What it is, as in `= 0` or `is a table`.
        found: String,
        /// What it may be.
        accepted: String,
    },
    /// Sizes that are each in range but do not make a Dragonfly together.
    #[error("{key} is too large for the other sizes: {error}")]
    Dragonfly {
        /// The last key of those that matter.
        key: String,
        /// What does not fit.
        error: DragonflyError,
    },
    /// A size of all groups where each kind of groups states its own.
    #[error(
        "{key} is given beside {other}; accepted is one of the two, for each kind states its own sizes"
    )]
    SizeBesideKinds {
        /// The size's key.
        key: String,
        /// The key of the kinds.
        other: String,
    },
    /// Kinds of groups that do not make a Dragonfly together.
    #[error("{key} make no Dragonfly: {error}")]
    Kinds {
        /// The key.
        key: String,
        /// What does not fit.
        error: DragonflyError,
    },
    /// An arrangement of groups that are not alike.
    #[error(
        "{key} is given where groups are of several kinds; accepted is cables, the path of a cable list"
    )]
    ArrangementOfKinds {
        /// The key.
        key: String,
    },
    /// Two sources for the cables.
    #[error(
        "{key} is given beside {other}; accepted is one of the two, for both say where the cables come from"
    )]
    TwoWirings {
        /// The key that comes second in the file.
        key: String,
        /// The key that comes first.
        other: String,
    },
    /// Bandwidths of kinds of links that differ too much.
    #[error("{key} does not go with the bandwidths of the other kinds of links: {error}")]
    Bandwidths {
        /// The first key of those that are stated.
        key: String,
        /// What does not fit.
        error: BandwidthsError,
    },
    /// A text that is not a T-VLB set.
    #[error("{key} is not a set of routes: {error}\n{marked}")]
    Set {
        /// The key.
        key: String,
        /// What is wrong with the text; its columns count from the text's own start.
        error: SetGrammarError,
        /// The text with carets below the wrong place.
        marked: String,
    },
}
