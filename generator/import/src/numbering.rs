//! The numbers that tvlb gives to groups, switches and ports of a machine.
//!
//! Groups and switches are numbered in the order of their names, ports in the order of their numbers, so that
//! a part that changes moves no other, and one that comes or goes moves those behind it. Groups next to each
//! other with equally many switches, and equally many nodes at the switch that has the most, are one
//! kind. A fabric has room for eight kinds; where that is too few, places without a node make groups alike that
//! differ in nodes alone, and where it still is, groups are numbered by falling size. Nothing depends on the order
//! of lines in a file.

use crate::machine::{End, Machine, count};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use tvlb_schema::limits;

/// Why a machine cannot be numbered.
#[derive(Debug, thiserror::Error)]
pub enum NumberingError {
    #[error(
        "{file}: found one group, {name}, with all {switches} switches, accepted two groups or more"
    )]
    OneGroup { file: String, name: String, switches: usize },
}

/// Groups of one size, next to each other.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) name: String,
    /// g: how many groups.
    pub(crate) groups: u32,
    /// a: switches per group.
    pub(crate) size: u32,
    /// p: the most nodes that a switch has.
    pub(crate) nodes: u32,
    /// h: the most global links that a switch has, and at least 1.
    pub(crate) global_ports: u32,
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
pub(crate) struct LocalPort {
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
    pub(crate) kinds: Vec<Kind>,
    /// The machine's number of each group.
    pub(crate) groups: Vec<u32>,
    /// The number of each group's first switch, and the number of all switches at the end.
    pub(crate) starts: Vec<u32>,
    /// The machine's number of each switch.
    pub(crate) switches: Vec<u32>,
    /// The group and index of each switch by the machine's number.
    pub(crate) places: Vec<(u32, u32)>,
    pub(crate) nodes: Vec<NodePort>,
    pub(crate) locals: Vec<LocalPort>,
    pub(crate) globals: Vec<GlobalPort>,
    /// The slots of the ends of each link of the machine; those of local links have no meaning.
    slots: Vec<[u16; 2]>,
}

impl Numbering {
    /// Numbers a machine, which was read from this file.
    pub(crate) fn of(machine: &Machine, file: &str) -> Result<Self, NumberingError> {
        if let [name] = &machine.groups[..] {
            let (name, switches) = (name.clone(), machine.switches.len());
            return Err(NumberingError::OneGroup { file: file.to_owned(), name, switches });
        }
        let (kinds, groups) = kinds(machine);
        let mut number = vec![0; groups.len()];
        for (new, group) in (0..).zip(&groups) {
            number[*group as usize] = new;
        }
        let mut switches: Vec<u32> = (0..count(machine.switches.len())).collect();
        switches.sort_unstable_by_key(|switch| {
            let switch = &machine.switches[*switch as usize];
            (number[switch.group as usize], switch.rank)
        });
        let (mut starts, mut places) = (Vec::new(), vec![(0, 0); switches.len()]);
        for (new, switch) in (0..).zip(&switches) {
            let group = number[machine.switches[*switch as usize].group as usize];
            if starts.len() <= group as usize {
                starts.push(new);
            }
            places[*switch as usize] = (group, new - starts[group as usize]);
        }
        starts.push(count(switches.len()));
        let mut numbering = Self {
            kinds,
            groups,
            starts,
            switches,
            places,
            nodes: Vec::new(),
            locals: Vec::new(),
            globals: Vec::new(),
            slots: vec![[0; 2]; machine.links.len()],
        };
        numbering.number_nodes(machine);
        numbering.number_locals(machine);
        numbering.number_globals(machine);
        Ok(numbering)
    }

    /// The number of a switch, by the machine's number.
    fn number(&self, switch: u32) -> u32 {
        let (group, index) = self.places[switch as usize];
        self.starts[group as usize] + index
    }

    fn number_nodes(&mut self, machine: &Machine) {
        let nodes = (0..).zip(&machine.nodes);
        let mut sorted: Vec<(u32, u32, u32)> =
            nodes.map(|(number, node)| (self.number(node.switch), node.port, number)).collect();
        sorted.sort_unstable();
        self.nodes = sorted
            .chunk_by(|one, other| one.0 == other.0)
            .flat_map(|own| {
                (0..).zip(own).map(|(slot, &(switch, _, node))| NodePort { switch, slot, node })
            })
            .collect();
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
                locals.push(LocalPort { switch: low, peer: high_index, nth, port: low_port });
                locals.push(LocalPort { switch: high, peer: low_index, nth, port: high_port });
            }
        }
        locals.sort_unstable_by_key(|local| (local.switch, local.peer, local.nth));
        self.locals = locals;
    }

    fn number_globals(&mut self, machine: &Machine) {
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
            for (slot, &(switch, port, link, side)) in (0..).zip(own) {
                globals.push(GlobalPort { switch, slot, port });
                // Both readers refuse a port with two ends, and have fewer ports than that.
                self.slots[link as usize][usize::from(side)] =
                    u16::try_from(slot).unwrap_or(u16::MAX);
            }
        }
        self.globals = globals;
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
    pub(crate) fn end(&self, switch: u32, port: u32) -> End {
        End { switch: self.switches[switch as usize], port }
    }
}

/// The sizes of a group: its switches, and the most nodes that one of them has.
type Shape = (u32, u32);

/// The kinds, and the machine's groups in their new order.
fn kinds(machine: &Machine) -> (Vec<Kind>, Vec<u32>) {
    let of_switches = |ends: &mut dyn Iterator<Item = u32>| {
        let mut numbers = vec![0_u32; machine.switches.len()];
        ends.for_each(|switch| numbers[switch as usize] += 1);
        numbers
    };
    let nodes = of_switches(&mut machine.nodes.iter().map(|node| node.switch));
    let global = machine.links.iter().filter(|link| !machine.is_local(link));
    let global = of_switches(&mut global.flat_map(|link| link.ends).map(|end| end.switch));
    let mut shapes: Vec<Shape> = vec![(0, 0); machine.groups.len()];
    // Of each group the global links of the switch that has the most.
    let mut ports = vec![1; machine.groups.len()];
    for (switch, (nodes, global)) in machine.switches.iter().zip(nodes.into_iter().zip(global)) {
        let group = switch.group as usize;
        shapes[group] = (shapes[group].0 + 1, shapes[group].1.max(nodes));
        ports[group] = ports[group].max(global);
    }
    let mut order: Vec<u32> = (0..count(shapes.len())).collect();
    if runs(&shapes, &order).len() > limits::KINDS {
        level_nodes(&mut shapes);
    }
    if runs(&shapes, &order).len() > limits::KINDS {
        order.sort_by_key(|group| Reverse(shapes[*group as usize]));
    }
    // Groups of one shape are alike wherever they stand.
    let most = most_by(shapes.iter().copied().zip(ports));
    let mut kinds: Vec<Kind> = Vec::new();
    for run in runs(&shapes, &order) {
        let shape = shapes[run[0] as usize];
        let is_only = most.keys().filter(|other| other.0 == shape.0).count() == 1;
        let plain = if is_only {
            format!("groups-of-{}", shape.0)
        } else {
            format!("groups-of-{}-p{}", shape.0, shape.1)
        };
        let before = kinds.iter().filter(|kind| (kind.size, kind.nodes) == shape).count();
        let name = if before == 0 { plain } else { format!("{plain}-{}", before + 1) };
        let groups = count(run.len());
        kinds.push(Kind {
            name,
            groups,
            size: shape.0,
            nodes: shape.1,
            global_ports: most[&shape],
        });
    }
    (kinds, order)
}

/// The groups next to each other in this order that have one shape.
fn runs<'o>(shapes: &[Shape], order: &'o [u32]) -> Vec<&'o [u32]> {
    order.chunk_by(|one, other| shapes[*one as usize] == shapes[*other as usize]).collect()
}

/// Gives groups with equally many switches as many places for nodes.
fn level_nodes(shapes: &mut [Shape]) {
    let most = most_by(shapes.iter().copied());
    for (size, nodes) in shapes {
        *nodes = most[size];
    }
}

/// The largest of the numbers that stand with each key.
fn most_by<K: Ord>(pairs: impl Iterator<Item = (K, u32)>) -> BTreeMap<K, u32> {
    let mut most = BTreeMap::new();
    for (key, number) in pairs {
        let most: &mut u32 = most.entry(key).or_default();
        *most = number.max(*most);
    }
    most
}
