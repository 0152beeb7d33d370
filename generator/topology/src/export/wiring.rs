//! A wiring for other programs: every live switch with its nodes and its links, and every link with both
//! ends.

use crate::Topology;
use tvlb_schema::{Dragonfly, End, NodeId, Nodes, SwitchId};
use tvlb_table_set::names::{NamedPort, Names};

/// The live part of a wiring, with its names.
#[derive(Clone, Debug)]
pub struct Wiring<'t> {
    topology: &'t Topology,
    names: &'t Names,
    nodes: Nodes,
    /// By rising number.
    switches: Vec<SwitchId>,
}

/// One end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkEnd {
    pub switch: SwitchId,
    /// A local port or a global one. Several live links between two switches of a group are numbered from 0.
    pub port: NamedPort,
}

/// A link, as one of its ends sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WiredLink {
    pub near: LinkEnd,
    pub far: LinkEnd,
}

impl WiredLink {
    /// Whether it joins two groups.
    pub const fn is_global(&self) -> bool {
        matches!(self.near.port, NamedPort::Global(_))
    }
}

impl<'t> Wiring<'t> {
    /// The live part of this wiring.
    pub fn new(topology: &'t Topology, names: &'t Names) -> Self {
        let switches = topology.dragonfly().switches().filter(|&switch| topology.lives(switch));
        Self { topology, names, nodes: topology.nodes(names), switches: switches.collect() }
    }

    /// The sizes, including those of dead switches.
    pub const fn dragonfly(&self) -> &'t Dragonfly {
        &self.topology.dragonfly
    }

    pub const fn topology(&self) -> &'t Topology {
        self.topology
    }

    pub const fn names(&self) -> &'t Names {
        self.names
    }

    /// The existing nodes, at live switches.
    pub const fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// The live switches, by rising number.
    pub fn switches(&self) -> &[SwitchId] {
        &self.switches
    }

    /// The position of a live switch among them, from 0: its number in a program that accepts no gaps.
    pub fn place(&self, switch: SwitchId) -> usize {
        self.switches.partition_point(|&other| other < switch)
    }

    /// Whether a switch or a node has a number above their count.
    pub fn has_gaps(&self) -> bool {
        let last = self.switches.last().map_or(0, |last| usize::from(last.0) + 1);
        last != self.switches.len()
            || self.nodes.last().is_some_and(|last| last.0 + 1 != self.nodes.count())
    }

    pub fn nodes_of(&self, switch: SwitchId) -> impl Iterator<Item = NodeId> {
        self.nodes.of_switch(switch)
    }

    /// The links of a switch by port: the local ones by the index of the other switch, then the global ones.
    pub fn links_of(&self, switch: SwitchId) -> impl Iterator<Item = WiredLink> {
        let (topology, df) = (self.topology, self.dragonfly());
        let (group, own) = df.place(switch);
        let link = move |port, far, far_port| WiredLink {
            near: LinkEnd { switch, port },
            far: LinkEnd { switch: far, port: far_port },
        };
        let others = topology.live_indices(group).filter(move |&other| other != own);
        let local = others.flat_map(move |other| {
            let (far, links) = (df.switch(group, other), topology.links_within(group, own, other));
            let numbers = 0..u16::try_from(links).expect("an image says the number in 16 bits");
            numbers.map(move |n| link(NamedPort::Local(other, n), far, NamedPort::Local(own, n)))
        });
        let global = (0..df.kind_of(group).h).filter_map(move |slot| {
            let far = topology.peer(End::new(df, group, own, slot))?;
            let (index, far_slot) = df.split_port(far.port);
            let far = df.switch(far.group, index);
            Some(link(NamedPort::Global(slot), far, NamedPort::Global(far_slot)))
        });
        local.chain(global)
    }

    /// Every link once, sorted by its lower end, which is `near`.
    pub fn links(&self) -> impl Iterator<Item = WiredLink> {
        let links = self.switches.iter().flat_map(|&switch| self.links_of(switch));
        links.filter(|link| link.near.switch < link.far.switch)
    }
}

/// For each of `count` things the least of its connected component, if these pairs are joined.
pub(crate) fn parts(count: usize, joined: impl IntoIterator<Item = [usize; 2]>) -> Vec<usize> {
    let mut below: Vec<usize> = (0..count).collect();
    let least = |below: &mut [usize], mut one: usize| {
        while below[one] != one {
            below[one] = below[below[one]];
            one = below[one];
        }
        one
    };
    for [one, other] in joined {
        let (one, other) = (least(&mut below, one), least(&mut below, other));
        below[one.max(other)] = one.min(other);
    }
    (0..count).map(|one| least(&mut below, one)).collect()
}
