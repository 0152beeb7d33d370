//! The pairs of switches of a group that have links, and those that lack one.
//!
//! All pairs of a group are meant to be linked. If groups consist of leaves and spines, only a leaf and a spine are.

use crate::machine::{Machine, count};
use crate::notes::{MOST_LISTED, NameSample, counted};
use crate::numbering::{LocalEnd, Numbering};
use std::collections::BTreeMap;
use std::ops::Range;

/// The pairs of all groups that are meant to be linked.
#[derive(Debug)]
pub(crate) struct LocalPairs {
    /// How many pairs have each number of links.
    pub(crate) by_links: BTreeMap<usize, usize>,
    /// Whether groups are of leaves and spines.
    has_leaves: bool,
    /// The switches, by number, that have no local link in a group of several.
    alone: Vec<u32>,
    /// The groups that lack links, in order.
    incomplete: Vec<Incomplete>,
}

/// Groups next to each other that lack the same links.
#[derive(Debug)]
struct Incomplete {
    groups: Range<u32>,
    /// For each index whether a switch is a spine, if that matters.
    is_spine: Vec<bool>,
    /// For each group the pairs that have links, in order, and how many have none.
    linked: Vec<[u32; 2]>,
    missing: usize,
}

impl LocalPairs {
    pub(crate) fn of(machine: &Machine, numbering: &Numbering) -> Self {
        let spines = spines(machine);
        let has_leaves = spines.is_some();
        let is_spine = |switch: &u32| spines.as_ref().is_some_and(|is| is[*switch as usize]);
        let (by_links, alone, incomplete) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut all = Self { by_links, has_leaves, alone, incomplete };
        // Both ends of the links of a group's switches, by rising switch and peer.
        let mut locals = &numbering.locals[..];
        for (group, range) in (0_u32..).zip(numbering.starts.windows(2)) {
            let own = locals.partition_point(|local| local.switch < range[1]);
            let (here, rest) = locals.split_at(own);
            locals = rest;
            let switches = &numbering.switches[range[0] as usize..range[1] as usize];
            let is_spine = switches.iter().map(is_spine).collect();
            all.add(group, range[0], is_spine, here);
        }
        all
    }

    /// Adds the pairs of a group, which has the local links of these ends, and whose first switch has this number.
    fn add(&mut self, group: u32, first: u32, is_spine: Vec<bool>, ends: &[LocalEnd]) {
        let mut linked: Vec<[u32; 2]> = Vec::new();
        let mut has_link = vec![false; is_spine.len()];
        let same =
            |one: &LocalEnd, other: &LocalEnd| (one.switch, one.peer) == (other.switch, other.peer);
        for links in ends.chunk_by(same) {
            let [low, high] = [links[0].switch - first, links[0].peer];
            has_link[low as usize] = true;
            if low < high {
                *self.by_links.entry(links.len()).or_default() += 1;
                linked.push([low, high]);
            }
        }
        if has_link.len() > 1 {
            let without = (first..).zip(&has_link).filter(|(_, has)| !**has);
            self.alone.extend(without.map(|(switch, _)| switch));
        }
        let missing = self.pairs(&is_spine) - linked.len();
        if missing == 0 {
            return;
        }
        *self.by_links.entry(0).or_default() += missing;
        match self.incomplete.last_mut() {
            Some(last)
                if last.groups.end == group
                    && last.is_spine == is_spine
                    && last.linked == linked =>
            {
                last.groups.end += 1;
            }
            _ => {
                let groups = group..group + 1;
                self.incomplete.push(Incomplete { groups, is_spine, linked, missing });
            }
        }
    }

    /// How many pairs of a group are meant to be linked.
    fn pairs(&self, is_spine: &[bool]) -> usize {
        let (all, spines) = (is_spine.len(), is_spine.iter().filter(|is| **is).count());
        if self.has_leaves { spines * (all - spines) } else { all * all.saturating_sub(1) / 2 }
    }

    /// The pairs that are meant to be linked.
    pub(crate) const fn in_words(&self) -> &'static str {
        if self.has_leaves { "pairs of a leaf and a spine" } else { "pairs of switches" }
    }

    /// Sentences for people to look at.
    pub(crate) fn warnings(&self, machine: &Machine, numbering: &Numbering) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.alone.is_empty() {
            let names = self.alone.iter().map(|switch| name(machine, numbering, *switch));
            warnings.push(format!(
                "{} no local link, in a group of several switches: {}.",
                counted(self.alone.len(), "switch has", "switches have"),
                NameSample::of(names).in_short()
            ));
        }
        let incomplete: usize = self.incomplete.iter().map(|same| same.groups.len()).sum();
        if incomplete > 0 {
            warnings.push(format!(
                "{} not fully connected inside; assumptions.txt lists the missing local links.",
                counted(incomplete, "group is", "groups are")
            ));
        }
        warnings
    }

    /// A sentence for all groups next to each other that lack the same links.
    pub(crate) fn sentences<'m>(
        &'m self,
        machine: &'m Machine,
        numbering: &'m Numbering,
    ) -> impl Iterator<Item = String> + 'm {
        self.incomplete.iter().map(move |same| self.sentence(same, machine, numbering))
    }

    fn sentence(&self, same: &Incomplete, machine: &Machine, numbering: &Numbering) -> String {
        let Incomplete { groups, is_spine, linked, missing } = same;
        let (first, last) = (groups.start, groups.end - 1);
        let (all, pairs) = (self.pairs(is_spine), self.in_words());
        let size = count(is_spine.len());
        let of_group = (0..size).flat_map(|low| (low + 1..size).map(move |high| [low, high]));
        let is_meant = |[low, high]: &[u32; 2]| {
            !self.has_leaves || is_spine[*low as usize] != is_spine[*high as usize]
        };
        let mut linked = linked.iter().peekable();
        // Names beyond a limit would not be shown, so they are not collected.
        let unlinked = of_group.filter(is_meant).filter(|pair| linked.next_if_eq(&pair).is_none());
        let shown: Vec<[u32; 2]> = unlinked.take(MOST_LISTED).collect();
        let list = |text: &dyn Fn(u32) -> String| {
            let pairs = shown.iter().map(|pair| pair.map(text).join(" and "));
            NameSample::of(pairs).of_all(*missing).in_words()
        };
        let start = numbering.starts[first as usize];
        let names = list(&|index| name(machine, numbering, start + index).to_owned());
        let group_name = |group| numbering.group_name(machine, group);
        let no_link = format!("no link between {missing} of");
        if first == last {
            let group = group_name(first);
            return format!("Group {first} ({group}) has {no_link} its {all} {pairs}: {names}.");
        }
        format!(
            "Groups {first} to {last} ({} to {}) each have {no_link} their {all} {pairs}, the same in each by the \
             numbers that switches have in a group: {}. In group {first} they are {names}.",
            group_name(first),
            group_name(last),
            list(&|index| index.to_string())
        )
    }
}

/// The name of a switch, by its number.
fn name<'m>(machine: &'m Machine, numbering: &Numbering, switch: u32) -> &'m str {
    &machine.switches[numbering.switches[switch as usize] as usize].name
}

/// For each number of the machine whether a switch is a spine, or else a leaf. `None` if groups do not consist of
/// leaves and spines: then a local link joins two switches that both have global links, or that are both linked to such
/// ones, and so on. Nodes say less: those of a leaf may be off, and a spine may have an aggregation node.
fn spines(machine: &Machine) -> Option<Vec<bool>> {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); machine.switches.len()];
    let mut is_spine: Vec<Option<bool>> = vec![None; machine.switches.len()];
    let mut found = Vec::new();
    for link in &machine.links {
        let [one, other] = link.ends.map(|end| end.switch);
        if machine.is_local(link) {
            neighbours[one as usize].push(other);
            neighbours[other as usize].push(one);
        } else {
            is_spine[one as usize] = Some(true);
            is_spine[other as usize] = Some(true);
            found.extend([one, other]);
        }
    }
    while let Some(switch) = found.pop() {
        let own = is_spine[switch as usize];
        for far in &neighbours[switch as usize] {
            let side = &mut is_spine[*far as usize];
            if side.is_none() {
                *side = own.map(|own| !own);
                found.push(*far);
            } else if *side == own {
                return None;
            }
        }
    }
    // A switch that no chain of local links joins to a global link belongs to no group of leaves and spines.
    let is_spine: Vec<bool> = is_spine.into_iter().collect::<Option<_>>()?;
    // Two switches alone do not show it.
    let has_two = |list: &Vec<u32>| list.iter().any(|far| *far != list[0]);
    neighbours.iter().any(has_two).then_some(is_spine)
}
