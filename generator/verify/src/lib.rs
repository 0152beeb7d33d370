//! Verifying a table set as it lies on disk: whether what was written is what it claims to be, leads
//! every packet to its destination, and cannot deadlock.
//!
//! Promises: only the files are read, and nothing is shared with the stages that made them but the
//! image formats and the datapath, which are what a switch has, the grammar of sets, by which the
//! manifest names them, the lists of names and of what is dead, and the records and digests of the
//! manifest itself. Wiring, routes, ranks and the graph of dependencies are stated here a second time, so
//! that a mistake of the generator cannot hide itself. Every finding names the switch, the pair and the
//! path that it is about.

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
mod through_switches;
mod update;
mod vlb_legs;
mod ways;
mod wiring;

pub use certificate::{Answers, Certificate, Extent, SchemeChannels, SetsChannels};
pub use changes::{Changes, verify_changes};
pub use error::VerifyError;
pub use packet::WalkedPath;
pub use planned::Planned;

use crossings::{Unlinked, first_links};
use dependencies::Dependencies;
use groups::Groups;
use link_shares::LinkShares;
use packet::BootedSwitches;
use presence::Told;
use rayon::prelude::*;
use routes::{Notes, Walks};
use sample::Sample;
use second_look::SecondLook;
use std::path::Path;
use tvlb_base::progress::Progress;
use tvlb_firmware_model::Switch;
use tvlb_schema::{Dragonfly, FabricImage, GroupId, SwitchId, SwitchImage};
use tvlb_table_set::names::Names;
use tvlb_table_set::{TableSet, Update};
use update::Installed;

/// How much to look at.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The most VLB walks that are held one by one against the rules of sets; where a table set has more, pairs of
    /// switches are sampled.
    pub most_walks: u64,
    /// Decides the sample.
    pub seed: u64,
}

/// What a table set is verified with.
#[derive(Clone, Copy, Debug, Default)]
pub struct With<'w> {
    /// The fabric that it must be of.
    pub planned: Option<&'w Planned>,
    /// An update of it: what switches have once that is installed is verified. That the table set and its report
    /// are what they should be is then not asked.
    pub update: Option<&'w Path>,
    /// A table set that other switches still have: packets by its tables and by these wait for each other.
    pub beside: Option<&'w Path>,
}

/// Verifies the table set in a directory, its report included. Each source switch is a step of the stage "switches".
///
/// # Errors
/// The first thing found that makes the set unfit.
pub fn verify(
    directory: &Path,
    with: With<'_>,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    let set = TableSet::open(directory)?;
    if with.update.is_none() {
        wiring::check_report(&set)?;
    }
    check(&set, with, settings, progress)
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
    check(&TableSet::open(directory)?, With::default(), settings, progress)
}

fn check(
    set: &TableSet,
    with: With<'_>,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    let update = with.update.map(|path| Update::open(path, set)).transpose()?;
    open_tables(set, update.as_ref(), |tables| match &update {
        None => check_set(tables, with, settings, progress),
        Some(update) => check_update(tables, (with, update), settings, progress),
    })
}

/// A graph in which the channels of a table set that other switches still have wait for each other.
fn dependencies(
    df: &Dragonfly,
    beside: Option<&Path>,
    settings: Settings,
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
        let fabric = BootedSwitches::new(&switches);
        let (crossed, _) = tables.look(&fabric, progress)?;
        let notes = Notes {
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

/// Does `work` with what is known of a table set before its switches boot, and says in what it finds what
/// the machine calls its switches.
fn open_tables<T>(
    set: &TableSet,
    update: Option<&Update>,
    work: impl FnOnce(&Tables<'_>) -> Result<T, VerifyError>,
) -> Result<T, VerifyError> {
    let fabric_bytes = set.fabric_image()?;
    let fabric_image = FabricImage::decode(&fabric_bytes)
        .map_err(|source| VerifyError::Image { path: set.fabric_path(), source })?;
    let names = read_names(set, fabric_image.dragonfly())?;
    let faults = update.map(Update::faults).transpose()?;
    let mut live = fabric_image;
    if let Some((update, faults)) = update.zip(faults.as_ref()) {
        update::check_switches(update, fabric_image.dragonfly())?;
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
    work(&tables).map_err(|found| found.with_names(&names))
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
    Names::read(df, &text)
        .map_err(|source| VerifyError::Names { path: set.names_path(), source: Box::new(source) })
}

impl<'t> Tables<'t> {
    /// The images that switches have, in order.
    fn switch_images(&self, progress: &dyn Progress) -> Result<Vec<Vec<u8>>, VerifyError> {
        let switches: Vec<SwitchId> = self.fabric_image.dragonfly().switches().collect();
        in_order(switches.par_iter().map(|&switch| {
            progress.check()?;
            let updated = self.update.map_or(Ok(None), |update| update.switch_image(switch))?;
            Ok(updated.map_or_else(|| self.set.switch_image(switch), Ok)?)
        }))
    }

    /// All switches, booted from these images.
    fn boot(
        &self,
        images: &'t [Vec<u8>],
        progress: &dyn Progress,
    ) -> Result<Vec<Switch<'t>>, VerifyError> {
        let switches: Vec<SwitchId> = self.fabric_image.dragonfly().switches().collect();
        in_order(switches.par_iter().zip(images).map(|(&switch, bytes)| {
            progress.check()?;
            let path = match self.update.filter(|update| update.has_image(switch)) {
                Some(update) => update.switch_path(switch),
                None => self.set.switch_path(switch),
            };
            boot(&path, self.fabric_image, self.names, (switch, bytes))
        }))
    }

    /// The images of the table set that an update replaces.
    fn replaced_images(&self, update: &Update) -> Result<Vec<(SwitchId, Vec<u8>)>, VerifyError> {
        let images = self.set.switch_images(update.switches())?;
        Ok(update.switches().zip(images).collect())
    }

    /// An update, given the images that it replaces and the switches that have it.
    fn installed(
        &self,
        update: &'t Update,
        replaced: &'t [(SwitchId, Vec<u8>)],
        fabric: &'t BootedSwitches<'t>,
    ) -> Result<Installed<'t>, VerifyError> {
        let before = in_order(replaced.par_iter().map(|(switch, bytes)| {
            let path = || self.set.switch_path(*switch);
            SwitchImage::decode(bytes, self.planned_image)
                .map_err(|source| VerifyError::Image { path: path(), source })
        }))?;
        Installed::new(update, (self.planned_image, before), fabric)
    }
}

/// Verifies a table set of which nothing is dead.
fn check_set(
    tables: &Tables<'_>,
    With { planned, beside, .. }: With<'_>,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    let set = tables.set;
    let (manifest, path) = (set.manifest(), set.path());
    let dependencies = dependencies(tables.fabric_image.dragonfly(), beside, settings, progress)?;
    let bytes = tables.checked_images(planned, progress)?;
    let switches = tables.boot_as_claimed(&bytes, progress)?;
    claims::check_digests(manifest, path, &switches)?;
    let fabric = BootedSwitches::new(&switches);
    let sample = Sample::new(&fabric, settings);
    let (crossed, told) = tables.look(&fabric, progress)?;
    claims::check_told(manifest, path, (&switches, &told))?;
    let shares = sample.is_exhaustive().then(|| LinkShares::new(&fabric));
    let notes = Notes {
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
    let found = certificate::Found {
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

/// Verifies a table set with an update installed. The manifest says nothing of what is left then, and all
/// shapes are held against those of the table set.
fn check_update(
    tables: &Tables<'_>,
    (With { planned, beside, .. }, update): (With<'_>, &Update),
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Certificate, VerifyError> {
    let set = tables.set;
    let dependencies = dependencies(tables.fabric_image.dragonfly(), beside, settings, progress)?;
    let bytes = tables.checked_images(planned, progress)?;
    let switches = tables.boot_as_claimed(&bytes, progress)?;
    let fabric = BootedSwitches::new(&switches);
    let replaced = tables.replaced_images(update)?;
    let installed = tables.installed(update, &replaced, &fabric)?;
    installed.check_shapes(progress)?;
    let sample = Sample::new(&fabric, settings);
    let (crossed, _) = tables.look(&fabric, progress)?;
    let notes = Notes {
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
    let found = certificate::Found {
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

/// The steps of both.
impl<'t> Tables<'t> {
    /// The images that switches have, of a fabric that is what it should be.
    fn checked_images(
        &self,
        planned: Option<&Planned>,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<u8>>, VerifyError> {
        let &Self { set, fabric_image, names, .. } = self;
        progress.stage("switches", Some(fabric_image.dragonfly().switch_count() as usize));
        wiring::check_fabric(fabric_image, names, &set.fabric_path(), progress)?;
        if let Some(planned) = planned {
            planned::check_planned(planned, set.manifest(), fabric_image, names)?;
        }
        let bytes = self.switch_images(progress)?;
        wiring::check_files(set, fabric_image)?;
        Ok(bytes)
    }

    /// All switches, booted, and what the manifest claims of them.
    fn boot_as_claimed(
        &self,
        images: &'t [Vec<u8>],
        progress: &dyn Progress,
    ) -> Result<Vec<Switch<'t>>, VerifyError> {
        let switches = self.boot(images, progress)?;
        claims::check_claims(self.set, &switches, progress)?;
        claims::check_thinning(self.set.manifest(), self.set.path(), &switches)?;
        Ok(switches)
    }

    /// Looks at all pairs by the tables of links: between which groups there are VLB paths, and what is told of
    /// sets.
    fn look(
        &self,
        fabric: &BootedSwitches<'_>,
        progress: &dyn Progress,
    ) -> Result<(Vec<Groups>, Told), VerifyError> {
        let unlinked = Unlinked::of(self.fabric_image);
        let groups: Vec<GroupId> = fabric.df.groups().collect();
        progress.stage("groups", Some(groups.len()));
        let found = in_order(groups.par_iter().map(|&group| {
            let first = first_links(self.fabric_image, group);
            let found = presence::check_group(fabric, group, (&first, &unlinked), progress)?;
            progress.step();
            Ok(found)
        }))?;
        let mut crossed = vec![Groups::none(&fabric.df); fabric.df.group_numbers().len()];
        let mut all = Told::default();
        for (group, (told, to)) in groups.iter().zip(found) {
            all.add(&told);
            crossed[group.as_usize()] = to;
        }
        Ok((crossed, all))
    }

    /// Walks from all switches.
    fn walk(
        &self,
        fabric: &BootedSwitches<'_>,
        notes: Notes<'_>,
        progress: &dyn Progress,
    ) -> Result<Walks, VerifyError> {
        let sources: Vec<_> = fabric.df.switches().collect();
        progress.stage("switches", Some(sources.len()));
        let (looks, walks): (Vec<SecondLook>, Vec<Walks>) =
            in_order(sources.par_iter().map(|&source| {
                let first = first_links(self.fabric_image, fabric.df.place(source).0);
                let look = SecondLook::at(fabric, source, &first);
                let walks = routes::check_from(fabric, source, (&first, &look), notes, progress)?;
                progress.step();
                Ok((look, walks))
            }))?
            .into_iter()
            .unzip();
        let groups: Vec<GroupId> = fabric.df.groups().collect();
        progress.stage("groups", Some(groups.len()));
        let over = in_order(groups.par_iter().map(|&group| {
            let over = vlb_legs::check_over(fabric, group, &looks, notes.dependencies, progress)?;
            progress.step();
            Ok(over)
        }))?;
        let walks = [walks, over].concat();
        self.without_cycle(&walks, (fabric, notes.dependencies), progress)
    }

    /// All walks together, whose channels wait for each other in no cycle.
    fn without_cycle(
        &self,
        parts: &[Walks],
        (fabric, dependencies): (&BootedSwitches<'_>, &Dependencies),
        progress: &dyn Progress,
    ) -> Result<Walks, VerifyError> {
        if let Some(cycle) = dependencies.cycle(fabric, self.names, progress)? {
            return Err(VerifyError::Cycle { cycle });
        }
        let mut walks = Walks::default();
        for part in parts {
            walks.add(part);
        }
        Ok(walks)
    }
}

/// All results, or the first error in the order of the work, whatever order it is done in.
fn in_order<T: Send>(
    work: impl IndexedParallelIterator<Item = Result<T, VerifyError>>,
) -> Result<Vec<T>, VerifyError> {
    work.collect::<Vec<_>>().into_iter().collect()
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
