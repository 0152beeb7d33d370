//! Compares the record of an update with its images; and checks that its images differ from those that they replace
//! only in the shapes that have routes, and only for routes that faults take.

use super::concerned::Concerned;
use super::crossings::{Crossings, Unlinked, first_links};
use super::error::{VerifyError, in_order};
use super::looks::check_left;
use super::packet::{BootedSwitches, Hops};
use super::presence::distinct_sets;
use super::walks::Walks;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tvlb_base::progress::Progress;
use tvlb_schema::{
    Decision, Dragonfly, End, FabricImage, FaultSet, GroupId, SetView, ShapeSet, SwitchId,
    SwitchImage,
};
use tvlb_table_set::dead_parts::parse;
use tvlb_table_set::names::Names;
use tvlb_table_set::{FAULT_LIST_FILE, SWITCHES, UPDATE_FILE, Update, UpdateRecord};

/// Checks that the fabric has the switches of an update's images.
pub(super) fn check_switches(update: &Update, df: &Dragonfly) -> Result<(), VerifyError> {
    match update.switches().find(|&switch| !df.has_switch(switch)) {
        None => Ok(()),
        Some(switch) => Err(VerifyError::Wiring {
            path: update.switch_path(switch),
            text: format!("it is the image of switch {switch}, which the fabric does not have"),
        }),
    }
}

/// An update whose switches have booted.
pub(super) struct BootedUpdate<'i> {
    update: &'i Update,
    fabric: &'i BootedSwitches<'i>,
    /// The images of the table set that it replaces.
    before: BTreeMap<SwitchId, SwitchImage<'i>>,
    pub(super) concerned: Concerned,
}

impl<'i> BootedUpdate<'i> {
    /// An update of a plan, with the images that it replaces, each of which differs only in which shapes it has routes
    /// of.
    pub(super) fn new(
        update: &'i Update,
        (planned, before): (&FabricImage<'_>, Vec<SwitchImage<'i>>),
        fabric: &'i BootedSwitches<'i>,
    ) -> Result<Self, VerifyError> {
        for old in &before {
            let new = fabric.switch(old.switch()).image();
            if let Some(what) = difference(old, new) {
                let text = format!(
                    "{what} not as in the table set, but for what is dead an image changes only in the shapes \
                     that have routes left"
                );
                return Err(VerifyError::Wiring { path: update.switch_path(new.switch()), text });
            }
        }
        let concerned = Concerned::new(planned, fabric.switches[0].image().fabric());
        let before = before.into_iter().map(|image| (image.switch(), image)).collect();
        Ok(Self { update, fabric, before, concerned })
    }

    /// The record of the update, and how many images it replaces.
    pub(super) fn record(&self) -> (&UpdateRecord, usize) {
        (self.update.record(), self.before.len())
    }

    /// The image of a switch in the table set.
    fn planned(&self, switch: SwitchId) -> &SwitchImage<'i> {
        self.before.get(&switch).unwrap_or_else(|| self.fabric.switch(switch).image())
    }

    /// Checks, for every pair of switches, that the images keep exactly those of the table set's shapes that have a
    /// route left. Returns for how many pairs the links were examined.
    pub(super) fn check_shapes(&self, progress: &dyn Progress) -> Result<u64, VerifyError> {
        let live = self.fabric.switches[0].image().fabric();
        let df = live.dragonfly();
        let unlinked = Unlinked::of(live);
        let groups: Vec<GroupId> = df.groups().collect();
        let compared = in_order(groups.par_iter().map(|&from| {
            self.check_kept(from)?;
            let first = first_links(live, from);
            let mut crossings = Crossings::new(df, &unlinked);
            let mut compared = 0;
            let others = groups.iter().filter(|&&to| to != from);
            for &to in others.filter(|&&to| self.concerned.has_shapes(from, to)) {
                progress.check()?;
                crossings.count(live, &first, to, progress)?;
                let planned = |switch| self.planned(switch);
                compared += check_left(self.fabric, &planned, (from, &first), (to, &crossings))?;
            }
            Ok(compared)
        }))?;
        Ok(compared.iter().sum())
    }

    /// Checks that the images of a group agree with those of the table set for all other pairs: of groups that faults
    /// do not affect, and from or to a dead switch.
    fn check_kept(&self, group: GroupId) -> Result<(), VerifyError> {
        let df = &self.fabric.df;
        for (&from, old) in self.before.iter().filter(|(from, _)| df.place(**from).0 == group) {
            let switch = self.fabric.switch(from);
            let new = switch.image();
            let sets = distinct_sets(switch);
            let lives = |switch| new.fabric().lives(switch);
            for to in df.switches().filter(|&to| df.place(to).0 != group) {
                if lives(from) && lives(to) && self.concerned.has_shapes(group, df.place(to).0) {
                    continue;
                }
                for &decision in &sets {
                    let [was, is] = [old, new].map(|image| image.set(decision).shapes_to(to));
                    if was != is {
                        return Err(changed_without_cause((from, to), (was, is)));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether the image of a switch has routes of other shapes to another switch than in the table set, for some set;
    /// `None` if it has the table set's image.
    pub(super) fn has_lost(&self, from: SwitchId) -> Option<impl Fn(SwitchId) -> bool> {
        let switch = self.fabric.switch(from);
        let (sets, new) = (distinct_sets(switch), switch.image());
        let old = self.before.get(&from)?;
        Some(move |to| {
            let shapes = |image: &SwitchImage<'_>, decision| image.set(decision).shapes_to(to);
            sets.iter().any(|&decision| shapes(old, decision) != shapes(new, decision))
        })
    }

    /// By decision, the pairs of live switches with nodes that had a route according to the images, and have none now;
    /// `None` for a set that is not drawn by shape, about which images do not say it.
    fn lost_by_shape(&self) -> [Option<u64>; 3] {
        let first = self.fabric.switches[0].image();
        let mut lost =
            Decision::ALL.map(|decision| first.set(decision).rule().is_by_shape().then_some(0));
        for (&from, old) in self.before.iter().filter(|(from, _)| self.fabric.ends.has(**from)) {
            let new = self.fabric.switch(from).image();
            for decision in distinct_sets(self.fabric.switch(from)) {
                let gone = self.lost_from((from, old.set(decision)), new.set(decision));
                let is_same = |&other: &Decision| new.set_number(other) == new.set_number(decision);
                for (_, lost) in
                    Decision::ALL.iter().zip(&mut lost).filter(|(other, _)| is_same(other))
                {
                    *lost = lost.map(|lost| lost + gone);
                }
            }
        }
        lost
    }

    /// The number of switches with nodes to which an image had routes of a set, and has none now.
    fn lost_from(&self, (from, old): (SwitchId, &SetView<'_>), new: &SetView<'_>) -> u64 {
        let df = &self.fabric.df;
        let own = df.place(from).0;
        // The shapes for other groups were compared with the table set.
        let others = df.groups().filter(|&to| to != own && self.concerned.has_shapes(own, to));
        let switches = others.flat_map(|group| self.fabric.ends.of_group(group));
        let gone = |&to: &SwitchId| new.shapes_to(to).is_empty() && !old.shapes_to(to).is_empty();
        switches.filter(gone).count() as u64
    }

    /// Checks that the directory of the update holds its files and nothing else, and that the record describes the
    /// images correctly.
    pub(super) fn check_record(&self, walks: &Walks) -> Result<(), VerifyError> {
        let fabric = self.fabric.switches[0].image().fabric();
        let record = self.update.record();
        let path = self.update.record_path();
        let claim = |what, said: u64, found: u64| {
            let (said, found) = (said.to_string(), found.to_string());
            Err(VerifyError::Claim { path: path.clone(), what, said, found })
        };
        let mut known: BTreeSet<&str> =
            record.files.iter().map(|file| file.path.as_str()).collect();
        if known.len() != record.files.len() || !known.contains(FAULT_LIST_FILE) {
            return claim("the number of files is", record.files.len() as u64, known.len() as u64);
        }
        known.insert(UPDATE_FILE);
        let names =
            self.update.names().map_err(|(path, source)| VerifyError::List { path, source })?;
        if let Some(name) =
            names.iter().find(|name| *name != SWITCHES && !known.contains(name.as_str()))
        {
            return Err(VerifyError::StrangerOfUpdate { path: self.update.path().join(name) });
        }
        let listed = check_list(self.update, fabric)?;
        let (dead, lost) = (&record.dead, &record.lost);
        let count = |parts: usize| parts as u64;
        for (what, said, found) in [
            ("its number is", record.epoch.into(), fabric.epoch().into()),
            ("the number of dead switches is", dead.switches, count(listed.switches.len())),
            ("the number of dead cables is", dead.cables, count(listed.cables.len())),
            (
                "the number of dead local links is",
                dead.local_links,
                count(listed.local_links.len()),
            ),
            ("draining is", dead.draining.into(), listed.is_draining.into()),
            ("the number of pairs without a minimal path is", lost.min, walks.lost_min),
            ("the number of pairs that are cut off is", lost.cut, walks.cut),
        ] {
            if said != found {
                return claim(what, said, found);
            }
        }
        for (decision, found) in Decision::ALL.into_iter().zip(self.lost_by_shape()) {
            let Some(found) = found else { continue };
            let said = *lost.sets.get(decision);
            if said != found {
                return claim("the number of pairs without a route of a set is", said, found);
            }
        }
        Ok(())
    }
}

/// A difference between an image of an update and the one that it replaces, where they must agree.
fn difference(old: &SwitchImage<'_>, new: &SwitchImage<'_>) -> Option<&'static str> {
    if old.virtual_channels() != new.virtual_channels() || old.second_min() != new.second_min() {
        return Some("its virtual channels or its second look at MIN are");
    }
    if !old.physical_numbers().eq(new.physical_numbers()) {
        return Some("its port map is");
    }
    for decision in Decision::ALL {
        let (was, set) = (old.set(decision), new.set(decision));
        if was.rule() != set.rule() || old.set_number(decision) != new.set_number(decision) {
            return Some("its sets are");
        }
        if old.weighing(decision) != new.weighing(decision) {
            return Some("its candidates, threshold, gate or queue are");
        }
        let df = new.fabric().dragonfly();
        if df.global_ports().any(|port| was.level(port) != set.level(port)) {
            return Some("the levels by which it thins a set are");
        }
    }
    None
}

fn changed_without_cause(
    (from, to): (SwitchId, SwitchId),
    (was, is): (ShapeSet, ShapeSet),
) -> VerifyError {
    let (shapes, there, before) = match was.without(is) {
        denied if denied.is_empty() => (is.without(was), "a", "none"),
        denied => (denied, "no", "one"),
    };
    let shape = shapes.iter().next().expect("one of the two has more");
    let text = format!(
        "the image of switch {from} says that there is {there} route of shape {shape}, but by the table set \
         there is {before}, and no fault concerns it"
    );
    BootedSwitches::finding(from, to, "T-VLB", (Hops::default(), text))
}

/// Checks that the list of an update has the dead parts of its fault image. The list may also name cables and links of
/// dead switches.
fn check_list(update: &Update, fabric: &FabricImage<'_>) -> Result<FaultSet, VerifyError> {
    let path = update.path().join(FAULT_LIST_FILE);
    let wrong = |text: String| VerifyError::Wiring { path: path.clone(), text };
    let list = String::from_utf8(update.fault_list()?);
    let list = list.map_err(|_| wrong("it is not UTF-8 text".to_owned()))?;
    let listed = parse(&list, fabric, &Names::default()).map_err(|why| wrong(why.to_string()))?;
    let df = fabric.dragonfly();
    let lives = |switch: SwitchId| !listed.switches.contains(&switch);
    let switch_of = |end: End| df.switch(end.group, df.split_port(end.port).0);
    let low_end = |end: End| fabric.peer(end).map_or(end, |peer| end.min(peer));
    let by_itself = FaultSet {
        switches: listed.switches.clone(),
        cables: listed
            .cables
            .iter()
            .copied()
            .filter(|&end| {
                lives(switch_of(end)) && fabric.peer(end).is_some_and(|peer| lives(switch_of(peer)))
            })
            .collect(),
        local_links: listed
            .local_links
            .iter()
            .copied()
            .filter(|link| lives(link.low) && lives(df.switch(df.place(link.low).0, link.high)))
            .collect(),
        is_draining: listed.is_draining,
    };
    let mut of_image = fabric.fault_set();
    of_image.cables = of_image.cables.into_iter().map(low_end).collect();
    if listed.is_draining != of_image.is_draining {
        return Err(wrong(
            "by one of this list and the fault image what is listed is drained".to_owned(),
        ));
    }
    for (one, other, text) in [
        (&by_itself, &of_image, "is dead by this list, but not by the fault image"),
        (&of_image, &by_itself, "is dead by the fault image, but not by this list"),
    ] {
        let more = FaultSet {
            switches: one.switches.difference(&other.switches).copied().collect(),
            cables: one.cables.difference(&other.cables).copied().collect(),
            local_links: one.local_links.difference(&other.local_links).copied().collect(),
            is_draining: false,
        };
        if let Some(part) = tvlb_table_set::dead_parts::write(df, &more).lines().next() {
            return Err(wrong(format!("`{part}` {text}")));
        }
    }
    Ok(listed)
}
