//! Why a table set, or an update of one, is not fit to be installed.

use super::WalkedPath;
use std::path::PathBuf;
use tvlb_base::progress::Cancelled;
use tvlb_schema::ImageError;
use tvlb_table_set::names::{NamedSwitch, Names, NamesError};
use tvlb_table_set::{MANIFEST_FILE, ReadError};

/// Why a table set is not fit to be installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file is missing, or is not what the manifest says.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An image that no switch would boot from.
    #[error("{path}: {source}")]
    Image {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ImageError,
    },
    /// The list of names is not one.
    #[error("{path}: {source}")]
    Names {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<NamesError>,
    },
    /// A file that no table set has.
    #[error("{path}: the manifest does not list it; a table set holds nothing else")]
    Stranger {
        /// The file.
        path: PathBuf,
    },
    /// A file that no update has.
    #[error("{path}: the record of the update does not list it; an update holds nothing else")]
    StrangerOfUpdate {
        /// The file.
        path: PathBuf,
    },
    /// The directory cannot be listed.
    #[error("{path}: cannot list it: {source}")]
    List {
        /// The directory.
        path: PathBuf,
        /// The answer.
        source: std::io::Error,
    },
    /// The manifest says otherwise than the images.
    #[error("{path}: it says {what} {said}, but the images say {found}")]
    Claim {
        /// The manifest.
        path: PathBuf,
        /// What it is about.
        what: &'static str,
        /// What the manifest says.
        said: String,
        /// What the images say.
        found: String,
    },
    /// An image in another switch's file.
    #[error("{path}: it is the image of switch {found}, but by its name it is that of {named}")]
    Place {
        /// The file.
        path: PathBuf,
        /// The switch in the image.
        found: NamedSwitch,
        /// The switch in the file's name.
        named: NamedSwitch,
    },
    /// Two ends that do not agree on a cable.
    #[error("{path}: {text}")]
    Wiring {
        /// The image that is wrong.
        path: PathBuf,
        /// What is wrong, with switches and ports.
        text: String,
    },
    /// Packets that decide at every hop might wait for each other for ever, or never arrive.
    #[error("{path}: {text}")]
    Escape {
        /// The escape image.
        path: PathBuf,
        /// What does not hold.
        text: String,
    },
    /// A pair of switches without a path.
    #[error("no path leads from switch {from} to switch {to}")]
    Unreachable {
        /// The source.
        from: NamedSwitch,
        /// The destination.
        to: NamedSwitch,
    },
    /// A path that does not do what it must.
    #[error("from switch {from} to switch {to}, {kind} path {path}: {text}")]
    Path {
        /// The source.
        from: NamedSwitch,
        /// The destination.
        to: NamedSwitch,
        /// `MIN`, `VLB`, …
        kind: &'static str,
        /// Its hops so far.
        path: Box<WalkedPath>,
        /// What is wrong with it.
        text: String,
    },
    /// A pair of switches for which the datapath has no path of a kind of which there is one.
    #[error(
        "from switch {from} to switch {to}, asked for a {kind} path, the datapath fails: {text}"
    )]
    Asked {
        /// The source.
        from: NamedSwitch,
        /// The destination.
        to: NamedSwitch,
        /// `MIN`, `conventional VLB`, …
        kind: &'static str,
        /// What it answers.
        text: String,
    },
    /// Channels that wait for each other in a cycle.
    #[error("these virtual channels can wait for each other in a cycle:\n{cycle}")]
    Cycle {
        /// Link by link.
        cycle: String,
    },
    /// A report that is not the one of the tables.
    #[error("{path}: {text}; generate the table set again")]
    Report {
        /// The report.
        path: PathBuf,
        /// What is wrong with it.
        text: String,
    },
    /// The tables are of another fabric than the one that was planned.
    #[error("{path}: by the fabric file {what} {planned}, but by the table set {found}")]
    Planned {
        /// The fabric file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// In the fabric file.
        planned: String,
        /// In the table set.
        found: String,
    },
    /// Cables that lead elsewhere than was planned.
    #[error("{path}: {different} of {ports} global ports lead elsewhere by the table set:{named}")]
    Cables {
        /// The fabric file.
        path: PathBuf,
        /// So many ports.
        different: usize,
        /// Of so many.
        ports: u32,
        /// The first of them, a line each.
        named: String,
    },
    /// The caller cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl VerifyError {
    /// Whether something is wrong with the table set; otherwise it is not known whether anything is,
    /// as where there is none, where files may not be read, or where the caller cancelled the work.
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

    /// The switches that a finding about a pair, a path or a file in a wrong place is about: first
    /// the two that its message begins with, then all those of a path, each once.
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

    /// The same with what the machine calls its switches.
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
