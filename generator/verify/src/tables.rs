//! A table set under verification, and the steps that a table set and an update have in common.

use super::crossings::{Unlinked, first_links};
use super::dependencies::Dependencies;
use super::error::{VerifyError, in_order};
use super::groups::Groups;
use super::packet::BootedSwitches;
use super::planned::{self, Planned};
use super::presence::{self, Told};
use super::routes::{self, WalkNotes};
use super::second_look::SecondLook;
use super::update::{self, BootedUpdate};
use super::walks::Walks;
use super::{claims, vlb_legs, wiring};
use rayon::prelude::*;
use std::path::Path;
use tvlb_base::progress::Progress;
use tvlb_firmware_model::Switch;
use tvlb_schema::{Dragonfly, EndSwitches, FabricImage, GroupId, SwitchId, SwitchImage};
use tvlb_table_set::names::Names;
use tvlb_table_set::{TableSet, Update};

/// Runs `work` with the table set before its switches boot, and adds the machine's names of switches to its findings.
pub(super) fn open_tables<T>(
    set: &TableSet,
    update: Option<&Update>,
    work: impl FnOnce(&UnbootedTables<'_>) -> Result<T, VerifyError>,
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
    let tables = UnbootedTables {
        set,
        update,
        fabric_bytes: &fabric_bytes,
        planned_image: &fabric_image,
        fabric_image: &live,
        names: &names,
    };
    work(&tables).map_err(|found| found.with_names(&names))
}

/// A table set before its switches boot.
pub(super) struct UnbootedTables<'t> {
    pub(super) set: &'t TableSet,
    pub(super) update: Option<&'t Update>,
    pub(super) fabric_bytes: &'t [u8],
    /// Without dead parts.
    pub(super) planned_image: &'t FabricImage<'t>,
    /// With the dead parts of the update.
    pub(super) fabric_image: &'t FabricImage<'t>,
    pub(super) names: &'t Names,
}

/// The machine's names of its parts, if the table set has a list of names.
fn read_names(set: &TableSet, df: &Dragonfly) -> Result<Names, VerifyError> {
    let Some(text) = set.names_list()? else { return Ok(Names::default()) };
    Names::read(df, &text)
        .map_err(|source| VerifyError::Names { path: set.names_path(), source: Box::new(source) })
}

impl<'t> UnbootedTables<'t> {
    /// The switches that have nodes.
    pub(super) fn ends(&self) -> EndSwitches {
        self.names.nodes(self.fabric_image.dragonfly()).ends()
    }

    /// The images that switches have, in order.
    pub(super) fn switch_images(
        &self,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<u8>>, VerifyError> {
        let switches: Vec<SwitchId> = self.fabric_image.dragonfly().switches().collect();
        in_order(switches.par_iter().map(|&switch| {
            progress.check()?;
            let updated = self.update.map_or(Ok(None), |update| update.switch_image(switch))?;
            Ok(updated.map_or_else(|| self.set.switch_image(switch), Ok)?)
        }))
    }

    /// Boots all switches from these images.
    pub(super) fn boot(
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
    pub(super) fn replaced_images(
        &self,
        update: &Update,
    ) -> Result<Vec<(SwitchId, Vec<u8>)>, VerifyError> {
        let images = self.set.switch_images(update.switches())?;
        Ok(update.switches().zip(images).collect())
    }

    /// An update, given the images that it replaces and the switches that have it.
    pub(super) fn installed(
        &self,
        update: &'t Update,
        replaced: &'t [(SwitchId, Vec<u8>)],
        fabric: &'t BootedSwitches<'t>,
    ) -> Result<BootedUpdate<'t>, VerifyError> {
        let before = in_order(replaced.par_iter().map(|(switch, bytes)| {
            let path = || self.set.switch_path(*switch);
            SwitchImage::decode(bytes, self.planned_image)
                .map_err(|source| VerifyError::Image { path: path(), source })
        }))?;
        BootedUpdate::new(update, (self.planned_image, before), fabric)
    }
}

/// The common steps.
impl<'t> UnbootedTables<'t> {
    /// The images of the switches, after a check of the fabric.
    pub(super) fn checked_images(
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

    /// Boots all switches, and checks the manifest's claims about them.
    pub(super) fn boot_as_claimed(
        &self,
        images: &'t [Vec<u8>],
        progress: &dyn Progress,
    ) -> Result<Vec<Switch<'t>>, VerifyError> {
        let switches = self.boot(images, progress)?;
        claims::check_claims(self.set, (&switches, &self.ends()), progress)?;
        claims::check_thinning(self.set.manifest(), self.set.path(), &switches)?;
        Ok(switches)
    }

    /// Checks all pairs by the tables of links; returns between which groups there are VLB paths, and the counts of
    /// sets.
    pub(super) fn look(
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
    pub(super) fn walk(
        &self,
        fabric: &BootedSwitches<'_>,
        notes: WalkNotes<'_>,
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

    /// All walks together, after a check that their channels wait for each other in no cycle.
    pub(super) fn without_cycle(
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
