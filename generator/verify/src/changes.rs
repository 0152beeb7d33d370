//! Verifying what an update of a table set changes, and nothing else.
//!
//! A table set is verified whole before it has its name, and hashes say that it is still the same. What
//! faults can change is much less than the whole: which pairs of switches have MIN paths, by which links
//! they go, and of which shapes pairs have routes left. That is looked at here for every pair which the
//! faults can concern, and the rest is as it was. That no deadlock can form needs no proof of its own: the
//! rank of a channel depends neither on tables nor on what is dead.

use super::certificate::{line, write_update};
use super::crossings::{Crossings, Unlinked, first_links};
use super::dependencies::Dependencies;
use super::packet::BootedSwitches;
use super::presence::{Crossed, check_left};
use super::routes::{Notes, Walks, check_near};
use super::sample::Sample;
use super::{Settings, Tables, VerifyError, boot, in_order, open_tables, update};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use tvlb_progress::Progress;
use tvlb_schema::{FabricImage, GroupId, SwitchId, SwitchImage};
use tvlb_table_set::{TableSet, Update, UpdateRecord};

/// What was looked at of an update.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Changes {
    /// What the update says of itself.
    pub update: UpdateRecord,
    /// Switch images of the update, and of the table set.
    pub images: [usize; 2],
    /// Ordered pairs of switches of different groups whose shapes were compared with the links that live.
    pub compared: u64,
    /// Ordered pairs of switches whose MIN paths were walked, and for whose paths the datapath was asked.
    pub pairs: u64,
    /// MIN paths walked.
    pub min_walks: u64,
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_update(f, &self.update)?;
        let [changed, kept] = self.images;
        line(
            f,
            "files",
            &format_args!(
                "{changed} switch images of the update and {kept} of the table set, hashes and checksums \
                 right"
            ),
        )?;
        line(
            f,
            "shapes",
            &format_args!("of {} pairs of switches are those that have routes left", self.compared),
        )?;
        line(
            f,
            "walked",
            &format_args!(
                "{} MIN paths of the {} pairs that the faults can concern; {} of these are cut off",
                self.min_walks, self.pairs, self.update.lost.cut
            ),
        )?;
        line(
            f,
            "rest",
            &format_args!(
                "as it was verified when the table set was written; channels rise in rank whatever is dead"
            ),
        )
    }
}

/// Verifies what an update changes. The table set was verified before it was written, and is held against
/// its hashes. Each source group is a step of the stage "groups".
///
/// # Errors
/// The first thing found that makes the update unfit.
pub fn verify_changes(
    set: &TableSet,
    update: &Update,
    progress: &dyn Progress,
) -> Result<Changes, VerifyError> {
    open_tables(set, Some(update), |tables| {
        let images = set.switch_images(tables.fabric_image.dragonfly().switches())?;
        check(tables, update, &images, progress)
    })
}

/// As [`verify_changes`], for a caller that has read the images of all switches of the table set already, in
/// order ([`TableSet::switch_images`]).
///
/// # Errors
/// As for [`verify_changes`].
///
/// # Panics
/// There are not as many images as switches.
pub fn verify_changes_of(
    (set, images): (&TableSet, &[Vec<u8>]),
    update: &Update,
    progress: &dyn Progress,
) -> Result<Changes, VerifyError> {
    open_tables(set, Some(update), |tables| check(tables, update, images, progress))
}

fn check(
    tables: &Tables<'_>,
    installed: &Update,
    images: &[Vec<u8>],
    progress: &dyn Progress,
) -> Result<Changes, VerifyError> {
    let &Tables { set, planned_image, fabric_image: live, names, .. } = tables;
    let df = *live.dragonfly();
    progress.stage("groups", Some(df.g() as usize));
    let all: Vec<SwitchId> = df.switches().collect();
    assert_eq!(images.len(), all.len(), "an image for each switch");
    let new_bytes = in_order(all.par_iter().map(|&switch| {
        progress.check()?;
        Ok(installed.switch_image(switch)?)
    }))?;
    let switches =
        in_order(all.par_iter().zip(&new_bytes).zip(images).map(|((&switch, new), planned)| {
            let (path, bytes) = match new {
                Some(new) => (installed.switch_path(switch), new),
                None => (set.switch_path(switch), planned),
            };
            boot(&path, live, names, (switch, bytes))
        }))?;
    let fabric = BootedSwitches::new(&switches);
    let before: Vec<_> = installed.switches().map(|s| (s, &images[fabric.place_of(s)])).collect();
    let before = super::decode_all(set, planned_image, &before)?;
    let replaced = update::replaced(installed, &before.iter().collect::<Vec<_>>(), &fabric)?;

    let concerned = Concerned::new(planned_image, live);
    let unlinked = Unlinked::of(live);
    let before: BTreeMap<SwitchId, &SwitchImage<'_>> =
        before.iter().map(|image| (image.switch(), image)).collect();
    // A switch without an image of the update has the one that it had.
    let of_switch = |switch: SwitchId| {
        before.get(&switch).copied().unwrap_or_else(|| fabric.switch(switch).image())
    };
    let groups: Vec<GroupId> = df.groups().collect();
    let sample = Sample::new(&fabric, Settings { most_walks: u64::MAX, seed: 1 });
    let (crossed, dependencies) = (Crossed::new(df.g()), Dependencies::new(&df));
    let notes = Notes {
        sample: &sample,
        crossed: &crossed,
        dependencies: &dependencies,
        planned: planned_image,
        shares: None,
    };
    let parts = in_order(groups.par_iter().map(|&from| {
        let first = first_links(live, from);
        let mut crossings = Crossings::new(&df, &unlinked);
        let mut compared = 0;
        for &to in groups.iter().filter(|&&to| to != from && concerned.has_shapes(from, to)) {
            progress.check()?;
            crossings.count(live, &first, to, progress)?;
            compared += check_left(&fabric, &of_switch, (from, &first), (to, &crossings))?;
        }
        let mut walks = Walks::default();
        for index in df.indices(from) {
            let source = df.switch(from, index);
            let (new, old) = (fabric.switch(source).image(), before.get(&source));
            let near = concerned.near(live, source, |to| {
                old.is_some_and(|old| df.place(to).0 != from && has_lost(old, new, to))
            });
            walks.add(&check_near(&fabric, source, &near, &first, notes, progress)?);
        }
        progress.step();
        Ok((compared, walks))
    }))?;
    let (mut compared, mut walks) = (0, Walks::default());
    for (of_group, part) in &parts {
        compared += of_group;
        walks.add(part);
    }
    if let Some(cycle) = dependencies.cycle(&fabric, names, progress)? {
        return Err(VerifyError::Cycle { cycle });
    }
    update::check_record(installed, live, &replaced, &walks)?;
    Ok(Changes {
        update: installed.record().clone(),
        images: [replaced.len(), switches.len() - replaced.len()],
        compared,
        pairs: walks.pairs,
        min_walks: walks.min,
    })
}

/// Whether some set has routes of fewer shapes to a switch than it had.
fn has_lost(old: &SwitchImage<'_>, new: &SwitchImage<'_>, to: SwitchId) -> bool {
    tvlb_schema::Decision::ALL
        .into_iter()
        .any(|decision| old.set(decision).shapes_to(to) != new.set(decision).shapes_to(to))
}

/// What faults can concern.
struct Concerned {
    groups: usize,
    /// By source and destination group: whether a cable between them is dead, or there is none.
    fewer_cables: Vec<bool>,
    /// By group: whether it has a dead cable.
    with_dead_cable: Vec<bool>,
    /// Whether some local hop has no link left, by which routes of any pair can have gone.
    any_middle: bool,
    /// By switch: whether it is an end of a dead local link, or may have lost a third switch.
    ends: Vec<bool>,
}

impl Concerned {
    fn new(planned: &FabricImage<'_>, live: &FabricImage<'_>) -> Self {
        let df = live.dragonfly();
        let groups = df.g() as usize;
        let mut fewer_cables = vec![false; groups * groups];
        let mut with_dead_cable = vec![false; groups];
        for low in df.groups() {
            for high in df.groups().filter(|&high| high > low) {
                let links = planned.links(low, high);
                let left = super::crossings::links(live, low, high).count();
                let is_dead = left != links.count() as usize;
                if is_dead || left == 0 {
                    fewer_cables[low.as_usize() * groups + high.as_usize()] = true;
                    fewer_cables[high.as_usize() * groups + low.as_usize()] = true;
                }
                with_dead_cable[low.as_usize()] |= is_dead;
                with_dead_cable[high.as_usize()] |= is_dead;
            }
        }
        let mut ends = vec![false; df.switch_numbers() as usize];
        let (mut any_middle, mut without_third) = (false, vec![false; groups]);
        for link in live.dead_local_links() {
            let group = df.place(link.low).0;
            ends[link.low.as_usize()] = true;
            ends[df.switch(group, link.high).as_usize()] = true;
            any_middle |= !live.is_local_hop(group, df.place(link.low).1, link.high);
            without_third[group.as_usize()] = true;
        }
        for switch in live.dead_switches() {
            any_middle = true;
            without_third[df.place(switch).0.as_usize()] = true;
        }
        if !planned.has_whole_groups() {
            for group in df.groups().filter(|group| without_third[group.as_usize()]) {
                df.indices(group).for_each(|i| ends[df.switch(group, i).as_usize()] = true);
            }
        }
        Self { groups, fewer_cables, with_dead_cable, any_middle, ends }
    }

    /// Whether pairs of switches of two groups can have lost routes of a shape: by a hop within any group,
    /// or by a cable of either group.
    fn has_shapes(&self, from: GroupId, to: GroupId) -> bool {
        let of = |group: GroupId| self.with_dead_cable[group.as_usize()];
        self.any_middle || of(from) || of(to)
    }

    /// The switches to which the MIN paths of one can have changed, and those to which it `has_lost` routes:
    /// all that live, in order; none from a dead one.
    fn near(
        &self,
        live: &FabricImage<'_>,
        from: SwitchId,
        has_lost: impl Fn(SwitchId) -> bool,
    ) -> Vec<SwitchId> {
        let df = live.dragonfly();
        if !live.lives(from) {
            return Vec::new();
        }
        let group = df.place(from).0.as_usize();
        let is_near = |&to: &SwitchId| {
            let cables = group * self.groups + df.place(to).0.as_usize();
            self.ends[from.as_usize()]
                || self.ends[to.as_usize()]
                || self.fewer_cables[cables]
                || has_lost(to)
        };
        df.switches().filter(|&to| to != from && live.lives(to)).filter(is_near).collect()
    }
}
