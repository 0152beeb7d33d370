//! Why a table set, or an update of one, is not fit to be installed.

use super::WalkedPath;
use rayon::prelude::*;
use std::path::PathBuf;
use tvlb_base::progress::Cancelled;
use tvlb_schema::ImageError;
use tvlb_table_set::miscabled::things;
use tvlb_table_set::names::{NamedSwitch, Names, NamesError};
use tvlb_table_set::{MANIFEST_FILE, ReadError};

/// Why a table set is not fit to be installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{path}: {source}")]
    Image { path: PathBuf, source: ImageError },
    #[error("{path}: {source}")]
    Names { path: PathBuf, source: Box<NamesError> },
    #[error("{path}: the manifest does not list it; a table set holds nothing else")]
    Stranger { path: PathBuf },
    #[error("{path}: the record of the update does not list it; an update holds nothing else")]
    StrangerOfUpdate { path: PathBuf },
    #[error("{path}: cannot list it: {source}")]
    List { path: PathBuf, source: std::io::Error },
    #[error("{path}: it says {what} {said}, but the images say {found}")]
    Claim { path: PathBuf, what: &'static str, said: String, found: String },
    #[error("{path}: it is the image of switch {found}, but by its name it is that of {named}")]
    Place { path: PathBuf, found: NamedSwitch, named: NamedSwitch },
    #[error("{path}: {text}")]
    Wiring { path: PathBuf, text: String },
    #[error("no path leads from switch {from} to switch {to}")]
    Unreachable { from: NamedSwitch, to: NamedSwitch },
    #[error("from switch {from} to switch {to}, {kind} path {path}: {text}")]
    Path {
        from: NamedSwitch,
        to: NamedSwitch,
        kind: &'static str,
        path: Box<WalkedPath>,
        text: String,
    },
    #[error(
        "from switch {from} to switch {to}, asked for a {kind} path, the datapath fails: {text}"
    )]
    Asked { from: NamedSwitch, to: NamedSwitch, kind: &'static str, text: String },
    #[error("these virtual channels can wait for each other in a cycle:\n{cycle}")]
    Cycle { cycle: String },
    #[error("{path}: {text}; generate the table set again")]
    Report { path: PathBuf, text: String },
    #[error("{path}: by the fabric file {what} {planned}, but by the table set {found}")]
    Planned { path: PathBuf, what: &'static str, planned: String, found: String },
    #[error(
        "{path}: by this plan {} wrong with the cables of the table set:{named}",
        things(*.wrong)
    )]
    Cables { path: PathBuf, wrong: usize, named: String },
    #[error(
        "{path}: found tables of {found}, accepted those of a fabric with the sizes of {needed} in all but g, since otherwise parts have other numbers"
    )]
    Beside { path: PathBuf, found: String, needed: String },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl VerifyError {
    /// Whether something is wrong with the table set. Otherwise that is unknown, for instance because there is none,
    /// files may not be read, or the caller cancelled the work.
    pub fn is_finding(&self) -> bool {
        use std::io::ErrorKind::{
            FileTooLarge, InvalidInput, IsADirectory, NotADirectory, NotFound, Other,
        };
        match self {
            Self::Read(ReadError::Io { path, source }) => match source.kind() {
                NotFound | NotADirectory => !path.ends_with(MANIFEST_FILE),
                FileTooLarge | InvalidInput | IsADirectory | Other => true,
                _ => false,
            },
            Self::List { .. } | Self::Cancelled(_) => false,
            _ => true,
        }
    }

    /// The switches that a finding about a pair, a path or a misplaced file names: first the two at the beginning of
    /// its message, then all others of a path, without repetition.
    pub fn switches(&self) -> Vec<&NamedSwitch> {
        let mut switches = match self {
            Self::Place { found, named, .. } => vec![found, named],
            Self::Unreachable { from, to }
            | Self::Asked { from, to, .. }
            | Self::Path { from, to, .. } => vec![from, to],
            _ => Vec::new(),
        };
        if let Self::Path { path, .. } = self {
            for switch in path.switches() {
                if !switches.contains(&switch) {
                    switches.push(switch);
                }
            }
        }
        switches
    }

    /// The same with the machine's names of its switches.
    pub(super) fn with_names(mut self, names: &Names) -> Self {
        let name = |known: &mut NamedSwitch| *known = names.named(known.switch);
        match &mut self {
            Self::Place { found: one, named: other, .. }
            | Self::Unreachable { from: one, to: other }
            | Self::Asked { from: one, to: other, .. } => [one, other].into_iter().for_each(name),
            Self::Path { from, to, path, .. } => {
                [from, to].into_iter().chain(path.switches_mut()).for_each(name);
            }
            _ => {}
        }
        self
    }
}

/// All results, or the first error in the order of the work, in whatever order it is done.
pub(super) fn in_order<T: Send>(
    work: impl IndexedParallelIterator<Item = Result<T, VerifyError>>,
) -> Result<Vec<T>, VerifyError> {
    work.collect::<Vec<_>>().into_iter().collect()
}
