//! Verifies a table set on disk: that the files are what the manifest claims, that every packet reaches its
//! destination, and that no deadlock can form.
//!
//! Promises: only the files are read. The only code shared with the stages that made them is the image formats and the
//! datapath, which switches have too, the grammar of sets, in which the manifest names them, the lists of names and of
//! dead parts, and the records and digests of the manifest. Wiring, routes, ranks and the graph of dependencies are
//! stated here a second time, so that a mistake of the generator cannot hide itself. Every finding names the switch,
//! the pair and the path that it is about.

mod ask;
mod by_switch;
mod certificate;
mod changes;
mod claims;
mod concerned;
mod crossings;
mod dead;
mod dependencies;
mod draws;
mod error;
mod groups;
mod link_shares;
mod looks;
mod minimal;
mod packet;
mod planned;
mod presence;
mod routes;
mod sample;
mod second_look;
mod set_channels;
mod tables;
mod through_switches;
mod update;
mod vlb_legs;
mod walks;
mod ways;
mod wiring;

pub use certificate::{Answers, Certificate, Extent, SchemeChannels, SetsChannels};
pub use changes::{Changes, verify_changes};
pub use error::VerifyError;
pub use packet::WalkedPath;
pub use planned::Planned;

use dependencies::Dependencies;
use link_shares::LinkShares;
use packet::BootedSwitches;
use routes::WalkNotes;
use sample::Sample;
use std::path::Path;
use tables::{UnbootedTables, open_tables};
use tvlb_base::progress::Progress;
use tvlb_schema::Dragonfly;
use tvlb_table_set::{TableSet, Update};

/// How much to check.
#[derive(Clone, Copy, Debug)]
pub struct VerifySettings {
    /// The most VLB walks that are checked one by one against the rules of sets; if a table set has more, pairs of
    /// switches are sampled.
    pub most_walks: u64,
    /// The seed of the sample.
    pub seed: u64,
}

/// What else to verify a table set with.
#[derive(Clone, Copy, Debug, Default)]
pub struct With<'w> {
    /// The fabric that it must match.
    pub planned: Option<&'w Planned>,
    /// An update of it: the switches are verified with the update installed. The table set itself and its report are
    /// then not checked.
    pub update: Option<&'w Path>,
    /// A table set that other switches still have: packets of both wait for each other.
    pub beside: Option<&'w Path>,
}

/// Verifies the table set in a directory, its report included. Each source switch is a step of the stage "switches".
///
/// # Errors
/// The first fault that makes the set unfit.
pub fn verify(
    directory: &Path,
    with: With<'_>,
    settings: VerifySettings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    let set = TableSet::open(directory)?;
    if with.update.is_none() {
        wiring::check_report(&set)?;
    }
    check(&set, with, settings, progress)
}

/// Verifies the table set in a directory before its report is written, or ignoring it. Each source switch is a step of
/// the stage "switches".
///
/// # Errors
/// The first fault that makes the set unfit.
///
/// # Example
/// ```
/// use tvlb_verify::{VerifySettings, verify_tables};
///
/// # use tvlb_generator::fabric::Fabric;
/// # use tvlb_topology::arrangement::Arrangement;
/// # let df = tvlb_schema::Dragonfly::new(1, 4, 2, 5)?;
/// # let fabric = Fabric::new("lab", df, Arrangement::default(), 1)?;
/// # use tvlb_table_set::{Existing, REPORT_FILE, TableSet, WriteError, write};
/// # use tvlb_generator::{tables::tables_of, policy::Policy};
/// # let home = tempfile::tempdir()?;
/// # let tables = home.path().join("tables");
/// # let make = |directory: &std::path::Path, set: &str| {
/// #     let rule = tvlb_table_set::grammar::parse_set(set, 1)?;
/// #     let policies = tvlb_schema::PerDecision::same(Policy::from(rule));
/// #     let made = tables_of(&fabric, &policies, &())?;
/// #     let files = made.files();
/// #     let contents = files.iter().map(|(path, bytes)| (*path, bytes.as_ref()));
/// #     let seal = |_: &std::path::Path| Ok::<_, WriteError>((REPORT_FILE, Vec::new()));
/// #     write(directory, contents, Existing::Refuse, &(), seal)?;
/// #     Ok::<_, Box<dyn std::error::Error>>(())
/// # };
/// # make(&tables, "shapes:011")?;
/// let settings = VerifySettings { most_walks: 1_000_000, seed: 1 };
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
    settings: VerifySettings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    check(&TableSet::open(directory)?, With::default(), settings, progress)
}

fn check(
    set: &TableSet,
    with: With<'_>,
    settings: VerifySettings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    let update = with.update.map(|path| Update::open(path, set)).transpose()?;
    open_tables(set, update.as_ref(), |tables| match &update {
        None => check_set(tables, with, settings, progress),
        Some(update) => check_update(tables, (with, update), settings, progress),
    })
}

/// A graph that contains the waits of a table set that other switches still have.
fn dependencies(
    df: &Dragonfly,
    beside: Option<&Path>,
    settings: VerifySettings,
    progress: &dyn Progress,
) -> Result<Dependencies, VerifyError> {
    let Some(path) = beside else { return Ok(Dependencies::new(df)) };
    let set = TableSet::open(path)?;
    open_tables(&set, None, |tables| {
        let old = *tables.fabric_image.dragonfly();
        let sizes = |df: &Dragonfly| (df.p(), df.a(), df.h(), df.local_ports());
        if sizes(&old) != sizes(df) {
            let path = path.to_owned();
            return Err(VerifyError::Beside {
                path,
                found: old.to_string(),
                needed: df.to_string(),
            });
        }
        let dependencies = Dependencies::new(if old.g() > df.g() { &old } else { df });
        let bytes = tables.checked_images(None, progress)?;
        let switches = tables.boot_as_claimed(&bytes, progress)?;
        let fabric = BootedSwitches::new(&switches, &tables.ends());
        let (crossed, _) = tables.look(&fabric, progress)?;
        let notes = WalkNotes {
            sample: &Sample::new(&fabric, settings),
            crossed: &crossed,
            dependencies: &dependencies,
            planned: tables.planned_image,
            shares: None,
            is_searched: false,
        };
        tables.walk(&fabric, notes, progress)?;
        Ok(dependencies)
    })
}

/// Verifies a table set without dead parts.
fn check_set(
    tables: &UnbootedTables<'_>,
    With { planned, beside, .. }: With<'_>,
    settings: VerifySettings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    let set = tables.set;
    let (manifest, path) = (set.manifest(), set.path());
    let dependencies = dependencies(tables.fabric_image.dragonfly(), beside, settings, progress)?;
    let bytes = tables.checked_images(planned, progress)?;
    let switches = tables.boot_as_claimed(&bytes, progress)?;
    claims::check_digests(manifest, path, &switches)?;
    let fabric = BootedSwitches::new(&switches, &tables.ends());
    let sample = Sample::new(&fabric, settings);
    let (crossed, told) = tables.look(&fabric, progress)?;
    claims::check_told(manifest, path, (&switches, &told))?;
    let shares = sample.is_exhaustive().then(|| LinkShares::new(&fabric));
    let notes = WalkNotes {
        sample: &sample,
        crossed: &crossed,
        dependencies: &dependencies,
        planned: tables.planned_image,
        shares: shares.as_ref(),
        is_searched: !sample.is_exhaustive(),
    };
    let walks = tables.walk(&fabric, notes, progress)?;
    if let Some(shares) = &shares {
        claims::check_counts(manifest, path, (&switches[0], &walks))?;
        claims::check_balance(manifest, path, (&fabric, shares))?;
    }
    claims::check_sizes(manifest, path)?;
    let found = certificate::Findings {
        sample: &sample,
        walks: &walks,
        dependencies: &dependencies,
        bytes: tables.fabric_bytes.len() + bytes.iter().map(Vec::len).sum::<usize>(),
        planned: planned.is_some(),
        update: None,
        beside,
    };
    Ok(Certificate::new(set, &fabric, &found))
}

/// Verifies a table set with an update installed. The manifest does not describe what is left then, so all shapes are
/// compared with those of the table set.
fn check_update(
    tables: &UnbootedTables<'_>,
    (With { planned, beside, .. }, update): (With<'_>, &Update),
    settings: VerifySettings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    let set = tables.set;
    let dependencies = dependencies(tables.fabric_image.dragonfly(), beside, settings, progress)?;
    let bytes = tables.checked_images(planned, progress)?;
    let switches = tables.boot_as_claimed(&bytes, progress)?;
    let fabric = BootedSwitches::new(&switches, &tables.ends());
    let replaced = tables.replaced_images(update)?;
    let installed = tables.installed(update, &replaced, &fabric)?;
    installed.check_shapes(progress)?;
    let sample = Sample::new(&fabric, settings);
    let (crossed, _) = tables.look(&fabric, progress)?;
    let notes = WalkNotes {
        sample: &sample,
        crossed: &crossed,
        dependencies: &dependencies,
        planned: tables.planned_image,
        shares: None,
        is_searched: false,
    };
    let walks = tables.walk(&fabric, notes, progress)?;
    installed.check_record(&walks)?;
    claims::check_sizes(set.manifest(), set.path())?;
    let found = certificate::Findings {
        sample: &sample,
        walks: &walks,
        dependencies: &dependencies,
        bytes: tables.fabric_bytes.len() + bytes.iter().map(Vec::len).sum::<usize>(),
        planned: planned.is_some(),
        update: Some(update.record()),
        beside,
    };
    Ok(Certificate::new(set, &fabric, &found))
}
