//! Verifying a table set as it lies on disk: whether what was written is what it claims to be, leads
//! every packet to its destination, and cannot deadlock.
//!
//! Promises: only the files are read, and nothing is shared with the stages that made them but the
//! image formats, the datapath, which are what a switch has, and the grammar of sets, by which the
//! manifest names them. Wiring, routes, ranks and the graph of dependencies are stated here a second
//! time, so that a mistake of the generator cannot hide itself. Every finding names the switch, the
//! pair and the path that it is about.

mod certificate;
mod dependencies;
mod link_shares;
mod packet;
mod routes;
mod wiring;

pub use certificate::{Certificate, Extent};

use crate::table_set::{MANIFEST_FILE, ReadError, TableSet};
use dependencies::Dependencies;
use link_shares::LinkShares;
use packet::Fabric;
use rayon::prelude::*;
use routes::{Modes, Walks};
use std::path::{Path, PathBuf};
use tvlb_firmware_model::Switch;
use tvlb_schema::{FabricImage, ImageError};

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
    /// A file that no table set has.
    #[error("{path}: the manifest does not list it; a table set holds nothing else")]
    Stranger {
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
        found: u16,
        /// The switch in the name.
        named: u16,
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
        from: u16,
        /// The destination.
        to: u16,
    },
    /// A path that does not do what it must.
    #[error("from switch {from} to switch {to}, {kind} path {path}: {text}")]
    Path {
        /// The source.
        from: u16,
        /// The destination.
        to: u16,
        /// `MIN`, `VLB`, …
        kind: &'static str,
        /// Its hops so far.
        path: String,
        /// What is wrong with it.
        text: String,
    },
    /// Channels that wait for each other in a circle.
    #[error("these virtual channels can wait for each other in a circle:\n{circle}")]
    Circle {
        /// Link by link.
        circle: String,
    },
    /// More channels that may wait for each other than there is memory for.
    #[error(
        "the graph of channels of {switches} switches with {ports} ports each takes {bytes} bytes, \
         accepted at most {most}"
    )]
    TooLarge {
        /// Switches.
        switches: u32,
        /// Local and global ports of each.
        ports: u32,
        /// What the graph would take.
        bytes: u64,
        /// The most that is taken.
        most: u64,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl VerifyError {
    /// Whether something is wrong with the table set; otherwise it is not known whether anything is,
    /// as where there is none, where files may not be read, or where the caller asked to stop.
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
            Self::List { .. } | Self::TooLarge { .. } | Self::Interrupted => false,
            _ => true,
        }
    }
}

/// Verifies the table set in a directory. `switch_done` is called after each source switch;
/// `stop` ends the work early.
///
/// # Errors
/// The first thing found that makes the set unfit.
///
/// # Example
/// ```
/// use tvlb_generator::verify::{Settings, verify};
///
/// # use tvlb_generator::fabric::Fabric;
/// # use tvlb_generator::fabric_file::FabricFile;
/// # use tvlb_generator::topology::arrangement::{Arrangement, arrange};
/// # let text = "name = \"lab\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\n[routing]\nset = \"all\"";
/// # let file = FabricFile::parse(text, "lab.toml")?;
/// # let topology = arrange(file.dragonfly, Arrangement::default(), file.seed)?;
/// # let fabric = Fabric { file, topology };
/// # use tvlb_generator::table_set::{Existing, REPORT_FILE, TableSet, WriteError, write};
/// # use tvlb_generator::{generate::generate, image::unthinned};
/// # let home = tempfile::tempdir()?;
/// # let tables = home.path().join("tables");
/// # let make = |directory: &std::path::Path, set: &str| {
/// #     let rule = tvlb_generator::set_grammar::parse_set(set, 1)?;
/// #     let rules = tvlb_schema::PerDecision::same(rule);
/// #     let made = generate(&fabric, unthinned(rules), tvlb_schema::PerDecision::same(0), &|| (), &|| false)?;
/// #     let files = made.files();
/// #     let contents = files.iter().map(|(path, bytes)| (*path, bytes.as_ref()));
/// #     let seal = |_: &std::path::Path| Ok::<_, WriteError>((REPORT_FILE, Vec::new()));
/// #     write(directory, contents, Existing::Refuse, || false, || (), seal)?;
/// #     Ok::<_, Box<dyn std::error::Error>>(())
/// # };
/// # make(&tables, "shapes:011")?;
/// let settings = Settings { most_walks: 1_000_000, seed: 1 };
/// let certificate = verify(&tables, settings, &|| (), &|| false)?;
/// assert_eq!(certificate.images, 21);
///
/// // A byte too many is found.
/// let image = tables.join("switches/00003.tvlb");
/// let mut bytes = std::fs::read(&image)?;
/// bytes.push(0);
/// std::fs::write(&image, bytes)?;
/// let finding = verify(&tables, settings, &|| (), &|| false).unwrap_err();
/// assert!(finding.is_finding() && finding.to_string().contains("00003.tvlb"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(
    directory: &Path,
    settings: Settings,
    switch_done: &(impl Fn() + Sync),
    stop: &(impl Fn() -> bool + Sync),
) -> Result<Certificate, VerifyError> {
    let set = TableSet::open(directory)?;
    let fabric_bytes = set.fabric_image()?;
    let image = |path: PathBuf| move |source| VerifyError::Image { path, source };
    let fabric_image = FabricImage::decode(&fabric_bytes).map_err(image(set.fabric_path()))?;
    let df = *fabric_image.dragonfly();
    wiring::check_fabric(&fabric_image, &set.fabric_path())?;
    let switch_bytes =
        df.switches().map(|switch| set.switch_image(switch)).collect::<Result<Vec<_>, _>>()?;
    wiring::check_files(&set, directory, &fabric_image)?;
    let switches = df
        .switches()
        .zip(&switch_bytes)
        .map(|(switch, bytes)| {
            let path = set.switch_path(switch);
            let booted = Switch::boot_in(&fabric_image, bytes);
            let booted = booted.map_err(|error| match error {
                tvlb_firmware_model::Error::SwitchImage(source) => {
                    VerifyError::Image { path: path.clone(), source }
                }
                other => VerifyError::Wiring { path: path.clone(), text: other.to_string() },
            })?;
            wiring::check_switch(&booted, switch, &path)?;
            Ok(booted)
        })
        .collect::<Result<Vec<_>, VerifyError>>()?;
    wiring::check_claims(&set, &switches)?;

    let fabric = Fabric::new(&switches);
    let dependencies = Dependencies::new(&df)?;
    let modes = Modes::new(&fabric, settings);
    let shares = modes.is_exhaustive().then(|| LinkShares::new(&fabric));
    let notes = routes::Notes { dependencies: &dependencies, shares: shares.as_ref() };
    let parts = df
        .switches()
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|source| {
            let walks = routes::check_from(&fabric, source, &modes, notes, stop)?;
            switch_done();
            Ok(walks)
        })
        .collect::<Vec<Result<Walks, VerifyError>>>();
    let mut walks = Walks::default();
    for part in parts {
        walks.add(&part?);
    }
    if let Some(circle) = dependencies.circle(&fabric) {
        return Err(VerifyError::Circle { circle });
    }
    wiring::check_thinning(set.manifest(), directory, &switches)?;
    if let Some(shares) = &shares {
        wiring::check_counts(set.manifest(), directory, (&switches[0], &walks))?;
        wiring::check_balance(set.manifest(), directory, (&fabric, shares))?;
    }
    wiring::check_sizes(set.manifest(), directory)?;
    let bytes = fabric_bytes.len() + switch_bytes.iter().map(Vec::len).sum::<usize>();
    Ok(Certificate::new(&set, &fabric, &modes, &walks, &dependencies, bytes))
}
