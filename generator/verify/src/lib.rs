//! Verifying a table set as it lies on disk: whether what was written is what it claims to be, leads
//! every packet to its destination, and cannot deadlock.
//!
//! Promises: only the files are read, and nothing is shared with the stages that made them but the
//! image formats and the datapath, which are what a switch has, the grammar of sets, by which the
//! manifest names them, and the records and digests of the manifest itself. Wiring, routes, ranks and the graph of dependencies are stated here a second
//! time, so that a mistake of the generator cannot hide itself. Every finding names the switch, the
//! pair and the path that it is about.

mod ask;
mod by_switch;
mod certificate;
mod claims;
mod crossings;
mod dead;
mod dependencies;
mod draws;
mod link_shares;
mod minimal;
mod packet;
mod planned;
mod presence;
mod routes;
mod sample;
mod update;
mod wiring;

pub use certificate::{Answers, Certificate, Extent};
pub use packet::WalkedPath;
pub use planned::Planned;

use crossings::first_links;
use dependencies::Dependencies;
use link_shares::LinkShares;
use packet::BootedSwitches;
use presence::{Crossed, Told};
use rayon::prelude::*;
use routes::Walks;
use sample::Sample;
use std::path::{Path, PathBuf};
use tvlb_firmware_model::Switch;
use tvlb_names::{NamedSwitch, Names, NamesError};
use tvlb_progress::{Cancelled, Progress};
use tvlb_schema::{Dragonfly, FabricImage, GroupId, ImageError, SwitchId, SwitchImage};
use tvlb_table_set::{MANIFEST_FILE, ReadError, TableSet, Update};

/// How much to look at.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The most VLB walks; where a table set has more, pairs of switches are sampled.
    pub most_walks: u64,
    /// Decides the sample.
    pub seed: u64,
}

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
        source: NamesError,
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
    fn with_names(mut self, names: &Names) -> Self {
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

/// Verifies the table set in a directory, its report included; if a fabric was planned, it must be
/// of that one. Each source switch is a step of the stage "switches".
///
/// # Errors
/// The first thing found that makes the set unfit.
pub fn verify(
    directory: &Path,
    planned: Option<&Planned>,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    let set = TableSet::open(directory)?;
    wiring::check_report(&set)?;
    check(&set, (planned, None), settings, progress)
}

/// Verifies an update of a table set: what switches have once it is installed. That the table set and its
/// report are what they should be is for [`verify`] to say. Each source switch is a step of the stage
/// "switches".
///
/// # Errors
/// The first thing found that makes the update unfit.
pub fn verify_update(
    directory: &Path,
    update: &Path,
    planned: Option<&Planned>,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    let set = TableSet::open(directory)?;
    let update = Update::open(update, &set)?;
    check(&set, (planned, Some(&update)), settings, progress)
}

/// Verifies the table set in a directory before its report is written, or whatever the report.
/// Each source switch is a step of the stage "switches".
///
/// # Errors
/// The first thing found that makes the set unfit.
///
/// # Example
/// ```
/// use tvlb_verify::{Settings, verify_tables};
///
/// # use tvlb_generator::fabric::Fabric;
/// # use tvlb_generator::topology::arrangement::Arrangement;
/// # let df = tvlb_schema::Dragonfly::new(1, 4, 2, 5)?;
/// # let fabric = Fabric::new("lab", df, Arrangement::default(), 1)?;
/// # use tvlb_generator::table_set::{Existing, REPORT_FILE, TableSet, WriteError, write};
/// # use tvlb_generator::{generate::generate, policy::Policy};
/// # let home = tempfile::tempdir()?;
/// # let tables = home.path().join("tables");
/// # let make = |directory: &std::path::Path, set: &str| {
/// #     let rule = tvlb_generator::set_grammar::parse_set(set, 1)?;
/// #     let policies = tvlb_schema::PerDecision::same(Policy::from(rule));
/// #     let made = generate(&fabric, &policies, &())?;
/// #     let files = made.files();
/// #     let contents = files.iter().map(|(path, bytes)| (*path, bytes.as_ref()));
/// #     let seal = |_: &std::path::Path| Ok::<_, WriteError>((REPORT_FILE, Vec::new()));
/// #     write(directory, contents, Existing::Refuse, &(), seal)?;
/// #     Ok::<_, Box<dyn std::error::Error>>(())
/// # };
/// # make(&tables, "shapes:011")?;
/// let settings = Settings { most_walks: 1_000_000, seed: 1 };
/// let certificate = verify_tables(&tables, settings, &())?;
/// assert_eq!(certificate.images, 21);
///
/// // A byte too many is found.
/// let image = tables.join("switches/00003.tvlb");
/// let mut bytes = std::fs::read(&image)?;
/// bytes.push(0);
/// std::fs::write(&image, bytes)?;
/// let finding = verify_tables(&tables, settings, &()).unwrap_err();
/// assert!(finding.is_finding() && finding.to_string().contains("00003.tvlb"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify_tables(
    directory: &Path,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    check(&TableSet::open(directory)?, (None, None), settings, progress)
}

fn check(
    set: &TableSet,
    (planned, update): (Option<&Planned>, Option<&Update>),
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    let fabric_bytes = set.fabric_image()?;
    let fabric_image = FabricImage::decode(&fabric_bytes)
        .map_err(|source| VerifyError::Image { path: set.fabric_path(), source })?;
    let names = read_names(set, fabric_image.dragonfly())?;
    let faults = update.map(Update::faults).transpose()?;
    let mut live = fabric_image;
    if let Some((update, faults)) = update.zip(faults.as_ref()) {
        live.install_faults(faults)
            .map_err(|source| VerifyError::Image { path: update.faults_path(), source })?;
    }
    let tables = Tables {
        set,
        update,
        fabric_bytes: &fabric_bytes,
        planned_image: &fabric_image,
        fabric_image: &live,
        names: &names,
    };
    check_tables(&tables, planned, settings, progress).map_err(|found| found.with_names(&names))
}

/// What is known of a table set before its switches boot.
struct Tables<'t> {
    set: &'t TableSet,
    update: Option<&'t Update>,
    fabric_bytes: &'t [u8],
    /// Of which nothing is dead.
    planned_image: &'t FabricImage<'t>,
    /// Of which that is dead which an update says.
    fabric_image: &'t FabricImage<'t>,
    names: &'t Names,
}

/// What the machine calls its parts, if the table set has a list of names.
fn read_names(set: &TableSet, df: &Dragonfly) -> Result<Names, VerifyError> {
    let Some(text) = set.names_list()? else { return Ok(Names::default()) };
    Names::read(df, &text).map_err(|source| VerifyError::Names { path: set.names_path(), source })
}

fn check_tables(
    &Tables { set, update, fabric_bytes, planned_image, fabric_image, names }: &Tables<'_>,
    planned: Option<&Planned>,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    let df = *fabric_image.dragonfly();
    progress.stage("switches", Some(df.switch_count() as usize));
    wiring::check_fabric(fabric_image, names, &set.fabric_path(), progress)?;
    if let Some(planned) = planned {
        planned::check_planned(planned, set.manifest(), fabric_image, names)?;
    }
    let mut switch_bytes = Vec::new();
    for switch in df.switches() {
        progress.check()?;
        let updated = update.map_or(Ok(None), |update| update.switch_image(switch))?;
        switch_bytes.push(updated.map_or_else(|| set.switch_image(switch), Ok)?);
    }
    wiring::check_files(set, fabric_image)?;
    let mut switches = Vec::new();
    for (switch, bytes) in df.switches().zip(&switch_bytes) {
        progress.check()?;
        let path = update.filter(|update| update.has_image(switch));
        let path =
            path.map_or_else(|| set.switch_path(switch), |update| update.switch_path(switch));
        switches.push(boot(&path, fabric_image, names, (switch, bytes))?);
    }
    claims::check_claims(set, &switches, progress)?;
    claims::check_thinning(set.manifest(), set.path(), &switches)?;
    if update.is_none() {
        claims::check_digests(set.manifest(), set.path(), &switches)?;
    }

    let fabric = BootedSwitches::new(&switches);
    let crossed = Crossed::new(df.g());
    let groups: Vec<GroupId> = df.groups().collect();
    let told = in_order(groups.par_iter().map(|&group| {
        let first = first_links(fabric_image, group);
        presence::check_group(&fabric, group, &first, &crossed, progress)
    }))?;
    let told = told.iter().fold(Told::default(), |mut sum, told| {
        sum.add(told);
        sum
    });
    if update.is_none() {
        claims::check_told(set.manifest(), set.path(), (&switches, &told))?;
    }

    let sample = Sample::new(&fabric, settings);
    let dependencies = Dependencies::new(&df);
    let counts = sample.is_exhaustive() && update.is_none();
    let shares = counts.then(|| LinkShares::new(&fabric));
    let notes = routes::Notes {
        sample: &sample,
        crossed: &crossed,
        dependencies: &dependencies,
        planned: planned_image,
        shares: shares.as_ref(),
    };
    let sources: Vec<_> = df.switches().collect();
    let parts = in_order(sources.par_iter().map(|&source| {
        let first = first_links(fabric_image, df.place(source).0);
        let walks = routes::check_from(&fabric, source, &first, notes, progress)?;
        progress.step();
        Ok(walks)
    }))?;
    let mut walks = Walks::default();
    for part in &parts {
        walks.add(part);
    }
    if let Some(cycle) = dependencies.cycle(&fabric, names, progress)? {
        return Err(VerifyError::Cycle { cycle });
    }
    if let Some(shares) = &shares {
        claims::check_counts(set.manifest(), set.path(), (&switches[0], &walks))?;
        claims::check_balance(set.manifest(), set.path(), (&fabric, shares))?;
    }
    if let Some(update) = update {
        check_update(set, update, planned_image, &switches, &walks)?;
    }
    claims::check_sizes(set.manifest(), set.path())?;
    let bytes = fabric_bytes.len() + switch_bytes.iter().map(Vec::len).sum::<usize>();
    let found = certificate::Found {
        sample: &sample,
        walks: &walks,
        dependencies: &dependencies,
        bytes,
        planned: planned.is_some(),
        update: update.map(Update::record),
    };
    Ok(Certificate::new(set, &fabric, &found))
}

/// All results, or the first error in the order of the work, whatever order it is done in.
fn in_order<T: Send>(
    work: impl IndexedParallelIterator<Item = Result<T, VerifyError>>,
) -> Result<Vec<T>, VerifyError> {
    work.collect::<Vec<_>>().into_iter().collect()
}

/// What an update says of itself.
fn check_update(
    set: &TableSet,
    installed: &Update,
    planned_image: &FabricImage<'_>,
    switches: &[Switch<'_>],
    walks: &Walks,
) -> Result<(), VerifyError> {
    let mut bytes = Vec::new();
    for switch in planned_image.dragonfly().switches() {
        bytes.push((switch, set.switch_image(switch)?));
    }
    let mut before = Vec::new();
    for (switch, bytes) in &bytes {
        let image = SwitchImage::decode(bytes, planned_image);
        let path = set.switch_path(*switch);
        before.push(image.map_err(|source| VerifyError::Image { path, source })?);
    }
    let now: Vec<SwitchImage<'_>> = switches.iter().map(|switch| switch.image().clone()).collect();
    update::check_update(installed, (&before, &now), walks)
}

fn boot<'i>(
    path: &Path,
    fabric: &FabricImage<'i>,
    names: &Names,
    (switch, bytes): (SwitchId, &'i [u8]),
) -> Result<Switch<'i>, VerifyError> {
    let booted = Switch::boot_in(fabric, bytes).map_err(|error| match error {
        tvlb_firmware_model::Error::SwitchImage(source) => {
            VerifyError::Image { path: path.to_owned(), source }
        }
        other => VerifyError::Wiring { path: path.to_owned(), text: other.to_string() },
    })?;
    wiring::check_switch(&booted, switch, names, path)?;
    Ok(booted)
}
