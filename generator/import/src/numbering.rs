//! The numbers that tvlb gives to groups, switches and ports of a machine.
//!
//! Groups and switches are numbered in the order of their names, ports in the order of their numbers, so that a change
//! of a part moves no other, and an added or removed part moves only later ones. With an earlier import, parts whose
//! names are unchanged keep their numbers: a new group comes last, a removed group leaves an absent one, and within a
//! group or switch new parts take the lowest free numbers. Switches of a group have no gaps, so the last ones fill
//! those that are left.
//!
//! Adjacent groups with equally many switches, and equally many nodes at the switch that has the most, are one kind. A
//! fabric has room for eight kinds; if that is not enough, places without a node make groups alike that differ only in
//! nodes, and if it still is not, groups are numbered by falling size. Nothing depends on the order of lines in a file.

use crate::earlier::{Earlier, EarlierPlaces, NumberedPart, Place};
use crate::machine::{LinkEnd, Machine, count};
use crate::summary::KindSummary;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use tvlb_schema::limits;

/// Why a machine cannot be numbered.
#[derive(Debug, thiserror::Error)]
pub enum NumberingError {
    #[error(
        "{file}: found one group, {name}, with all {switches} switches, accepted two groups or more"
    )]
    OneGroup { file: String, name: String, switches: usize },
    #[error(
        "with the numbers of the earlier import the kinds of groups would be {kinds}, accepted at most {}, and the \
         runs of groups that are alike, absent groups among them, {runs}, accepted at most {}; import into another \
         directory without --keep, which numbers them again",
        limits::KINDS,
        limits::RUNS
    )]
    Kinds { kinds: usize, runs: usize },
}

/// A port in use, by its switch's number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodePort {
    pub(crate) switch: u32,
    pub(crate) slot: u32,
    /// By number, as in [`Machine::nodes`].
    pub(crate) node: u32,
}

/// An end of a local link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalEnd {
    pub(crate) switch: u32,
    /// The index of the other end's switch in their group.
    pub(crate) peer: u32,
    /// Which of the links of the two switches.
    pub(crate) nth: u32,
    pub(crate) port: u32,
}

/// An end of a global link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GlobalPort {
    pub(crate) switch: u32,
    pub(crate) slot: u32,
    pub(crate) port: u32,
}

/// A global link: the group, the switch's index and the slot of either end, lower group first.
pub(crate) type Cable = [(u32, u32, u32); 2];

#[derive(Debug)]
pub(crate) struct Numbering {
    pub(crate) kinds: Vec<KindSummary>,
    /// The machine's number of each group; `None` for an absent one.
    pub(crate) groups: Vec<Option<u32>>,
    /// The names of absent groups.
    pub(crate) absent: BTreeMap<u32, String>,
    /// The number of each group's first switch, and the number of all switches at the end.
    pub(crate) starts: Vec<u32>,
    /// The machine's number of each switch.
    pub(crate) switches: Vec<u32>,
    /// The group and index of each switch by the machine's number.
    pub(crate) places: Vec<(u32, u32)>,
    pub(crate) nodes: Vec<NodePort>,
    pub(crate) locals: Vec<LocalEnd>,
    pub(crate) globals: Vec<GlobalPort>,
    /// The slots of the ends of each link of the machine; those of local links have no meaning.
    slots: Vec<[u16; 2]>,
}

impl Numbering {
    /// Numbers a machine, which was read from this file, as an earlier import did.
    pub(crate) fn of(
        machine: &Machine,
        file: &str,
        earlier: &Earlier,
    ) -> Result<Self, NumberingError> {
        if let [name] = &machine.groups[..] {
            let (name, switches) = (name.clone(), machine.switches.len());
            return Err(NumberingError::OneGroup { file: file.to_owned(), name, switches });
        }
        let numbering = Self::in_order(machine, groups(machine, earlier), earlier);
        let mut shapes = numbering.shapes();
        if !fit(&shapes) {
            level_nodes(&mut shapes);
        }
        if fit(&shapes) {
            return Ok(Self { kinds: numbering.kinds(&shapes, earlier), ..numbering });
        }
        if !earlier.is_none() {
            return Err(NumberingError::Kinds { kinds: kinds(&shapes), runs: runs(&shapes).len() });
        }
        let mut order: Vec<usize> = (0..shapes.len()).collect();
        order.sort_by_key(|&group| Reverse(shapes[group]));
        let groups = order.iter().map(|&group| numbering.groups[group]).collect();
        let shapes: Vec<_> = order.iter().map(|&group| shapes[group]).collect();
        let numbering = Self::in_order(machine, groups, earlier);
        Ok(Self { kinds: numbering.kinds(&shapes, earlier), ..numbering })
    }

    /// Numbers all but the kinds, with the machine's groups in this order.
    fn in_order(machine: &Machine, groups: Vec<Option<u32>>, earlier: &Earlier) -> Self {
        let mut by_group: Vec<Vec<u32>> = vec![Vec::new(); machine.groups.len()];
        for (number, switch) in (0_u32..).zip(&machine.switches) {
            by_group[switch.group as usize].push(number);
        }
        let (mut starts, mut places) = (vec![0], vec![(0, 0); machine.switches.len()]);
        let mut switches = vec![0; machine.switches.len()];
        let mut start = 0;
        for (group, known) in (0..).zip(&groups) {
            let mut own =
                known.map_or_else(Vec::new, |known| mem::take(&mut by_group[known as usize]));
            own.sort_unstable_by_key(|switch| machine.switches[*switch as usize].rank);
            let size = count(own.len());
            let wanted = own.iter().map(|switch| {
                let name = &machine.switches[*switch as usize].name;
                let [before, index, _] = *earlier.places.of(NumberedPart::Switch, name).first()?;
                // Indices have no gaps, so those of the last switches may have to change.
                (before == group && index < size).then_some(index)
            });
            for (index, switch) in free_numbers(wanted).into_iter().zip(&own) {
                places[*switch as usize] = (group, index);
                switches[(start + index) as usize] = *switch;
            }
            start += size;
            starts.push(start);
        }
        let is_absent = |number: &u32| groups.get(*number as usize).is_some_and(Option::is_none);
        let absent = earlier.groups.iter().map(|(name, number)| (*number, name.clone()));
        let absent = absent.filter(|(number, _)| is_absent(number)).collect();
        let mut numbering = Self {
            kinds: Vec::new(),
            groups,
            absent,
            starts,
            switches,
            places,
            nodes: Vec::new(),
            locals: Vec::new(),
            globals: Vec::new(),
            slots: vec![[0; 2]; machine.links.len()],
        };
        numbering.number_nodes(machine, earlier);
        numbering.number_locals(machine);
        numbering.number_globals(machine, earlier);
        numbering
    }

    /// The name of a group by its number, also of an absent one.
    pub(crate) fn group_name<'n>(&'n self, machine: &'n Machine, group: u32) -> &'n str {
        match self.groups[group as usize] {
            Some(known) => &machine.groups[known as usize],
            None => self.absent.get(&group).map_or("", String::as_str),
        }
    }

    /// The places of all parts, by their names.
    pub(crate) fn parts(&self, machine: &Machine) -> EarlierPlaces {
        let mut parts = EarlierPlaces::default();
        for (number, group) in (0..).zip(&self.groups) {
            if let Some(group) = group {
                parts.push(NumberedPart::Group, &machine.groups[*group as usize], [number, 0, 0]);
            }
        }
        for ((group, index), switch) in self.places.iter().zip(&machine.switches) {
            parts.push(NumberedPart::Switch, &switch.name, [*group, *index, 0]);
        }
        let at = |switch: u32, slot: u32| {
            let (group, index) = self.places[self.switches[switch as usize] as usize];
            [group, index, slot]
        };
        for &NodePort { switch, slot, node } in &self.nodes {
            let name = machine.node_names.get(machine.nodes[node as usize].name);
            parts.push(NumberedPart::Node, name, at(switch, slot));
        }
        for &GlobalPort { switch, slot, port } in &self.globals {
            let name = machine.port_name(self.end(switch, port)).to_string();
            parts.push(NumberedPart::GlobalPort, &name, at(switch, slot));
        }
        parts
    }

    /// The number of a switch, by the machine's number.
    fn number(&self, switch: u32) -> u32 {
        let (group, index) = self.places[switch as usize];
        self.starts[group as usize] + index
    }

    /// The number that a part of a switch had, if it was a part of the same switch, or of the one in its place.
    fn wanted(
        &self,
        (machine, earlier): (&Machine, &Earlier),
        switch: u32,
        (part, name): (NumberedPart, &str),
    ) -> Option<u32> {
        let switch = self.switches[switch as usize] as usize;
        let (group, index) = self.places[switch];
        let before =
            earlier.places.of(NumberedPart::Switch, &machine.switches[switch].name).first();
        let of_place =
            |[group, index, _]: Place| move |place: &&Place| (place[0], place[1]) == (group, index);
        let known = earlier.places.of(part, name).iter();
        let of_switch = before.and_then(|before| known.clone().find(of_place(*before)));
        let found = of_switch.or_else(|| known.clone().find(of_place([group, index, 0])));
        found.map(|place| place[2])
    }

    fn number_nodes(&mut self, machine: &Machine, earlier: &Earlier) {
        let nodes = (0..).zip(&machine.nodes);
        let mut sorted: Vec<(u32, u32, u32)> =
            nodes.map(|(number, node)| (self.number(node.switch), node.port, number)).collect();
        sorted.sort_unstable();
        let mut nodes = Vec::with_capacity(sorted.len());
        for own in sorted.chunk_by(|one, other| one.0 == other.0) {
            let wanted = own.iter().map(|&(switch, _, node)| {
                let name = machine.node_names.get(machine.nodes[node as usize].name);
                self.wanted((machine, earlier), switch, (NumberedPart::Node, name))
            });
            let slots = free_numbers(wanted).into_iter().zip(own);
            nodes.extend(slots.map(|(slot, &(switch, _, node))| NodePort { switch, slot, node }));
        }
        nodes.sort_unstable_by_key(|node| (node.switch, node.slot));
        self.nodes = nodes;
    }

    fn number_locals(&mut self, machine: &Machine) {
        let locals = machine.links.iter().filter(|link| machine.is_local(link));
        // The lower switch first, at both ends' numbering of the links of a pair.
        let pairs = locals.map(|link| {
            let [one, other] = link.ends.map(|end| (self.number(end.switch), end.port));
            let (low, high) = (one.min(other), one.max(other));
            [low.0, high.0, low.1, high.1]
        });
        let mut pairs: Vec<[u32; 4]> = pairs.collect();
        pairs.sort_unstable();
        let index = |switch: u32| self.places[self.switches[switch as usize] as usize].1;
        let mut locals = Vec::with_capacity(2 * pairs.len());
        for same in pairs.chunk_by(|one, other| one[..2] == other[..2]) {
            for (nth, &[low, high, low_port, high_port]) in (0..).zip(same) {
                let [low_index, high_index] = [low, high].map(index);
                locals.push(LocalEnd { switch: low, peer: high_index, nth, port: low_port });
                locals.push(LocalEnd { switch: high, peer: low_index, nth, port: high_port });
            }
        }
        locals.sort_unstable_by_key(|local| (local.switch, local.peer, local.nth));
        self.locals = locals;
    }

    fn number_globals(&mut self, machine: &Machine, earlier: &Earlier) {
        let globals = (0_u32..).zip(&machine.links).filter(|(_, link)| !machine.is_local(link));
        let ends = globals.flat_map(|(number, link)| {
            [0, 1].map(|side: u8| {
                let end = link.ends[usize::from(side)];
                (self.number(end.switch), end.port, number, side)
            })
        });
        let mut ends: Vec<(u32, u32, u32, u8)> = ends.collect();
        ends.sort_unstable();
        let mut globals = Vec::with_capacity(ends.len());
        for own in ends.chunk_by(|one, other| one.0 == other.0) {
            let wanted = own.iter().map(|&(switch, port, ..)| {
                // A switch that replaces another one has the cables of that one's ports.
                let number = self.switches[switch as usize] as usize;
                let own = &machine.switches[number].name;
                let is_known = !earlier.places.of(NumberedPart::Switch, own).is_empty();
                let replaced = earlier.switches.get(&self.places[number]).filter(|_| !is_known);
                let name = machine.ports.of(replaced.unwrap_or(own), port);
                self.wanted((machine, earlier), switch, (NumberedPart::GlobalPort, &name))
            });
            for (slot, &(switch, port, link, side)) in free_numbers(wanted).into_iter().zip(own) {
                globals.push(GlobalPort { switch, slot, port });
                // Both readers refuse a port with two ends, and have fewer ports than that.
                self.slots[link as usize][usize::from(side)] =
                    u16::try_from(slot).unwrap_or(u16::MAX);
            }
        }
        globals.sort_unstable_by_key(|global: &GlobalPort| (global.switch, global.slot));
        self.globals = globals;
    }

    /// Sentences for sizes in the numbers of the whole fabric that differ from an earlier import.
    pub(crate) fn other_sizes(&self, earlier: &Earlier) -> impl Iterator<Item = String> {
        let most = |of: fn(&KindSummary) -> u32| self.kinds.iter().map(of).max().unwrap_or(0);
        let [p, a, h] = earlier.sizes;
        [
            ("nodes of a switch", "nodes, switch · p + place,", p, most(|kind| kind.p)),
            ("switches of a group", "switches, group · a + index, and of nodes", a, most(|kind| kind.a)),
            ("global ports of a switch", "a group's global ports, index · h + slot,", h, most(|kind| kind.h)),
        ]
        .into_iter()
        .filter(|(_, _, old, new)| !earlier.is_none() && old != new)
        .map(|(what, numbers, old, new)| {
            format!(
                "The most {what} were {old} in the earlier import and are {new}, so the numbers of {numbers} \
                 are others."
            )
        })
    }

    /// The sizes of each group; `None` for an absent one.
    fn shapes(&self) -> Vec<Option<Shape>> {
        let sizes = self.starts.windows(2).map(|ends| ends[1] - ends[0]);
        let mut shapes: Vec<_> = sizes.map(|size| (size > 0).then_some((size, 0))).collect();
        for node in &self.nodes {
            if let Some((_, nodes)) = &mut shapes[self.group_of(node.switch)] {
                *nodes = (node.slot + 1).max(*nodes);
            }
        }
        shapes
    }

    fn group_of(&self, switch: u32) -> usize {
        self.places[self.switches[switch as usize] as usize].0 as usize
    }

    /// The kinds of groups of these sizes. Groups of one shape are alike wherever they are. The largest p and h are no
    /// smaller than before, so that numbers keep their meaning.
    fn kinds(&self, shapes: &[Option<Shape>], earlier: &Earlier) -> Vec<KindSummary> {
        let present = || shapes.iter().flatten();
        let least = present().map(|&shape| (shape, 1));
        let ports = self
            .globals
            .iter()
            .filter_map(|global| Some((shapes[self.group_of(global.switch)]?, global.slot + 1)));
        let most = most_by(least.chain(ports));
        let mut kinds: Vec<KindSummary> = Vec::new();
        let mut group = 0;
        for run in runs(shapes) {
            let (a, p) = run[0].unwrap_or((0, 0));
            let named = (group..).take(run.len()).find_map(|group| earlier.kind(group));
            group += count(run.len());
            let is_only = most.keys().filter(|other| other.0 == a).count() == 1;
            let plain = match (run[0], named) {
                (None, _) => "absent".to_owned(),
                (_, Some(name)) => name.to_owned(),
                _ if is_only => format!("groups-of-{a}"),
                _ => format!("groups-of-{a}-p{p}"),
            };
            let others = (2..).map(|number| format!("{plain}-{number}"));
            let mut names = std::iter::once(plain.clone()).chain(others);
            let is_free = |name: &String| kinds.iter().all(|kind| kind.name != *name);
            let name = names.find(is_free).expect("there is always another number");
            let (g, h) = (count(run.len()), most.get(&(a, p)).copied().unwrap_or(0));
            kinds.push(KindSummary { name, g, a, p, h });
        }
        let [p, _, h] = earlier.sizes;
        raise(&mut kinds, |kind| &mut kind.p, p);
        raise(&mut kinds, |kind| &mut kind.h, h);
        kinds
    }

    /// A global link by the machine's number.
    pub(crate) fn cable(&self, machine: &Machine, link: usize) -> Cable {
        let ends = machine.links[link].ends;
        let side = |side: usize| {
            let (group, index) = self.places[ends[side].switch as usize];
            (group, index, u32::from(self.slots[link][side]))
        };
        let (one, other) = (side(0), side(1));
        [one.min(other), one.max(other)]
    }

    /// A local link by the machine's number: the group, and the indices of its switches.
    pub(crate) fn local(&self, machine: &Machine, link: usize) -> (u32, [u32; 2]) {
        let [one, other] = machine.links[link].ends.map(|end| self.places[end.switch as usize]);
        (one.0, [one.1.min(other.1), one.1.max(other.1)])
    }

    /// Which of the local links of its two switches one is, by the machine's number.
    pub(crate) fn nth(&self, machine: &Machine, link: usize) -> u32 {
        let (_, [_, high]) = self.local(machine, link);
        let ends = machine.links[link].ends.map(|end| (self.number(end.switch), end.port));
        let (low, port) = ends[0].min(ends[1]);
        let first = self.locals.partition_point(|local| (local.switch, local.peer) < (low, high));
        let same = self.locals[first..].iter().take_while(|local| local.peer == high);
        let mut found = same.filter(|local| local.switch == low && local.port == port);
        found.next().expect("every local link is numbered").nth
    }

    /// The end at a port of a switch, by the switch's number.
    pub(crate) fn end(&self, switch: u32, port: u32) -> LinkEnd {
        LinkEnd { switch: self.switches[switch as usize], port }
    }
}

/// The machine's groups in the order of their names, those of an earlier import at their numbers and the others after
/// them.
fn groups(machine: &Machine, earlier: &Earlier) -> Vec<Option<u32>> {
    let mut groups = vec![None; earlier.groups.values().max().map_or(0, |last| *last as usize + 1)];
    for (group, name) in (0..).zip(&machine.groups) {
        match earlier.groups.get(name) {
            Some(number) => groups[*number as usize] = Some(group),
            None => groups.push(Some(group)),
        }
    }
    groups
}

/// A number for each, from 0: the wanted one, unless an earlier item has that, and else the lowest that is neither
/// taken nor wanted.
fn free_numbers(wanted: impl Iterator<Item = Option<u32>>) -> Vec<u32> {
    let mut taken = BTreeSet::new();
    let wanted: Vec<Option<u32>> =
        wanted.map(|number| number.filter(|&number| taken.insert(number))).collect();
    let mut free = (0..).filter(|number| !taken.contains(number));
    let numbers = wanted.into_iter().map(|number| number.or_else(|| free.next()));
    numbers.map(|number| number.expect("there is always a higher one")).collect()
}

/// Makes the largest of a size of kinds at least so large.
fn raise(kinds: &mut [KindSummary], size: fn(&mut KindSummary) -> &mut u32, least: u32) {
    let most = kinds.iter_mut().map(|kind| *size(kind)).max().unwrap_or(0);
    for size in kinds.iter_mut().map(size).filter(|size| **size == most) {
        *size = most.max(least);
    }
}

/// The sizes of a group: its switches, and the most places for nodes that one of them has.
type Shape = (u32, u32);

/// The groups next to each other that have one shape, or are absent.
fn runs(shapes: &[Option<Shape>]) -> Vec<&[Option<Shape>]> {
    shapes.chunk_by(|one, other| one == other).collect()
}

/// How many shapes differ; absent groups have none.
fn kinds(shapes: &[Option<Shape>]) -> usize {
    shapes.iter().flatten().collect::<BTreeSet<_>>().len()
}

/// Whether a fabric has room for groups of these shapes in this order.
fn fit(shapes: &[Option<Shape>]) -> bool {
    kinds(shapes) <= limits::KINDS && runs(shapes).len() <= limits::RUNS
}

/// Gives groups with equally many switches as many places for nodes.
fn level_nodes(shapes: &mut [Option<Shape>]) {
    let most = most_by(shapes.iter().flatten().copied());
    for (size, nodes) in shapes.iter_mut().flatten() {
        *nodes = most[size];
    }
}

/// The largest number of each key.
fn most_by<K: Ord>(pairs: impl Iterator<Item = (K, u32)>) -> BTreeMap<K, u32> {
    let mut most = BTreeMap::new();
    for (key, number) in pairs {
        let most: &mut u32 = most.entry(key).or_default();
        *most = number.max(*most);
    }
    most
}
