//! Matches the switches and links of an old fabric with those of a new one.
//!
//! A switch with a name that both fabrics have is matched by name; any other by its group and index, and if the names
//! differ, the new switch replaces the old one. A link matches the link of the same ports of the same switches, and a
//! global port that of the same slot.

use super::change::Change;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use tvlb_schema::{Dragonfly, EndSwitches, GroupId, SwitchId};
use tvlb_table_set::names::{NamedSwitch, Names};
use tvlb_topology::links::LinkNumbers;

/// The groups and switches that only one of two fabrics has, or whose numbers differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PartChanges {
    /// Groups that have a switch in both.
    pub groups_in_both: usize,
    /// Groups of the old fabric without a switch in the new one.
    pub groups_gone: Vec<GroupId>,
    /// Groups of the new fabric without a switch in the old one.
    pub groups_new: Vec<GroupId>,
    /// Switches that both have.
    pub switches_in_both: usize,
    /// Those that only the old fabric has, by its numbers and names.
    pub switches_gone: Vec<NamedSwitch>,
    /// Those that only the new fabric has.
    pub switches_new: Vec<NamedSwitch>,
    /// Those with another name in the new fabric, in the same place.
    pub switches_renamed: Vec<Change<NamedSwitch>>,
    /// Those in another place in the new fabric.
    pub switches_moved: Vec<Change<NamedSwitch>>,
}

/// The switches that two fabrics have in common.
pub(super) struct Matched {
    /// For each switch of the new fabric, its old number.
    old: BTreeMap<SwitchId, SwitchId>,
    dragonfly: Change<Dragonfly>,
    /// The switches that have nodes.
    pub(super) ends: Change<EndSwitches>,
}

impl Matched {
    pub(super) fn of(dragonfly: &Change<Dragonfly>, names: &Change<&Names>) -> Self {
        let (old_df, new_df) = (dragonfly.old, dragonfly.new);
        let name = |names: &Names, switch| names.switch(switch).map(str::to_owned);
        let known: BTreeMap<String, SwitchId> = old_df
            .switches()
            .filter_map(|switch| Some((name(names.old, switch)?, switch)))
            .collect();
        let by_name =
            new_df.switches().filter_map(|new| Some((new, *known.get(&name(names.new, new)?)?)));
        let mut old: BTreeMap<SwitchId, SwitchId> = by_name.collect();
        let mut taken: BTreeSet<SwitchId> = old.values().copied().collect();
        for new in new_df.switches() {
            let (group, index) = new_df.place(new);
            let is_there = old_df.has_group(group) && old_df.has_index(group, index);
            let here = old_df.switch(group, index);
            if is_there && !old.contains_key(&new) && taken.insert(here) {
                old.insert(new, here);
            }
        }
        let ends = |names: &Names, df: &Dragonfly| names.nodes(df).ends();
        let ends = Change { old: ends(names.old, &old_df), new: ends(names.new, &new_df) };
        Self { old, dragonfly: *dragonfly, ends }
    }

    /// The switches of both fabrics, in the order of their new numbers.
    pub(super) fn switches(&self) -> impl Iterator<Item = Change<SwitchId>> {
        self.old.iter().map(|(&new, &old)| Change { old, new })
    }

    /// Whether both fabrics have the same switches with the same numbers, and ports are numbered alike.
    pub(super) fn is_whole(&self) -> bool {
        let Change { old, new } = &self.dragonfly;
        let ports = |df: &Dragonfly| (df.a(), df.h(), df.g(), df.switch_count());
        ports(old) == ports(new)
            && self.old.len() == new.switch_count() as usize
            && self.switches().all(|switch| !switch.is_change())
    }

    /// Whether a switch has nodes in both fabrics.
    fn is_end(&self, switch: Change<SwitchId>) -> bool {
        self.ends.old.has(switch.old) && self.ends.new.has(switch.new)
    }

    /// Whether packets go from one of these switches to another, in another group, in both fabrics.
    pub(super) fn is_pair(&self, from: Change<SwitchId>, to: Change<SwitchId>) -> bool {
        let Change { old, new } = &self.dragonfly;
        self.is_end(from)
            && self.is_end(to)
            && old.place(from.old).0 != old.place(to.old).0
            && new.place(from.new).0 != new.place(to.new).0
    }

    /// How many ordered pairs are like that.
    pub(super) fn pairs(&self) -> u64 {
        let groups = |switch: Change<SwitchId>| {
            let Change { old, new } = &self.dragonfly;
            (old.place(switch.old).0, new.place(switch.new).0)
        };
        // Switches whose groups, in one fabric or in both, are the same, counted by those groups.
        let mut same: [BTreeMap<_, u64>; 3] = [const { BTreeMap::new() }; 3];
        let ends = || self.switches().filter(|&switch| self.is_end(switch));
        for (old, new) in ends().map(groups) {
            for (same, key) in
                same.iter_mut().zip([(Some(old), None), (None, Some(new)), (Some(old), Some(new))])
            {
                *same.entry(key).or_default() += 1;
            }
        }
        let [of_old, of_new, of_both] =
            same.map(|same| same.values().map(|count| count * count).sum::<u64>());
        let all = ends().count() as u64;
        all * all + of_both - of_old - of_new
    }

    /// For each link of the old fabric, its number in the new one, if that has both of its switches.
    pub(super) fn links(&self) -> Vec<Option<usize>> {
        let Change { old: old_df, new: new_df } = &self.dragonfly;
        let numbers = self.dragonfly.map(|df| LinkNumbers::new(*df));
        let mut links = vec![None; numbers.old.count()];
        let mut by_group: BTreeMap<GroupId, Vec<Change<SwitchId>>> = BTreeMap::new();
        for switch in self.switches() {
            by_group.entry(old_df.place(switch.old).0).or_default().push(switch);
        }
        for switch in self.switches() {
            let (group, index) = old_df.place(switch.old);
            let (new_group, new_index) = new_df.place(switch.new);
            for slot in 0..old_df.kind_of(group).h.min(new_df.kind_of(new_group).h) {
                let ports = (old_df.global_port(index, slot), new_df.global_port(new_index, slot));
                let link = numbers.old.global(group, ports.0);
                links[link] = Some(numbers.new.global(new_group, ports.1));
            }
            for other in &by_group[&group] {
                let (far_group, far) = new_df.place(other.new);
                if far_group == new_group {
                    let link = numbers.old.local(group, index, old_df.place(other.old).1);
                    links[link] = Some(numbers.new.local(new_group, new_index, far));
                }
            }
        }
        links
    }

    /// The parts of only one fabric, and those in another place.
    pub(super) fn parts(&self, names: &Change<&Names>) -> PartChanges {
        let Change { old: old_df, new: new_df } = &self.dragonfly;
        let old: BTreeSet<SwitchId> = self.old.values().copied().collect();
        let groups_of =
            |df: &Dragonfly, of: fn(&Change<SwitchId>) -> SwitchId| -> BTreeSet<GroupId> {
                self.switches().map(|switch| df.place(of(&switch)).0).collect()
            };
        let in_both = Change {
            old: groups_of(old_df, |switch| switch.old),
            new: groups_of(new_df, |switch| switch.new),
        };
        let others = |df: &Dragonfly, in_both: &BTreeSet<GroupId>| {
            df.groups().filter(|group| !in_both.contains(group)).collect()
        };
        let is_moved =
            |switch: &Change<SwitchId>| old_df.place(switch.old) != new_df.place(switch.new);
        let named = |switch: Change<SwitchId>| Change {
            old: names.old.named(switch.old),
            new: names.new.named(switch.new),
        };
        let is_renamed = |switch: &Change<SwitchId>| {
            let [one, other] = [names.old.switch(switch.old), names.new.switch(switch.new)];
            one.zip(other).is_some_and(|(one, other)| one != other)
        };
        PartChanges {
            groups_in_both: in_both.new.len(),
            groups_gone: others(old_df, &in_both.old),
            groups_new: others(new_df, &in_both.new),
            switches_in_both: self.old.len(),
            switches_gone: old_df
                .switches()
                .filter(|switch| !old.contains(switch))
                .map(|switch| names.old.named(switch))
                .collect(),
            switches_new: new_df
                .switches()
                .filter(|switch| !self.old.contains_key(switch))
                .map(|switch| names.new.named(switch))
                .collect(),
            switches_renamed: self.switches().filter(is_renamed).map(named).collect(),
            switches_moved: self.switches().filter(is_moved).map(named).collect(),
        }
    }
}
