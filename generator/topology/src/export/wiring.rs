//! A wiring for other programs: every live switch with its nodes and its links, every link with both ends, and what a
//! format may expect of them.

use super::error::ExportError;
use crate::Topology;
use std::collections::BTreeSet;
use tvlb_base::text::counted;
use tvlb_schema::{Dragonfly, End, GroupId, NodeId, Nodes, SwitchId};
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

    /// The switches that share a link: each pair once, the lower number first, sorted.
    ///
    /// # Errors
    /// Two switches share several.
    pub(super) fn single_links(
        &self,
        program: &'static str,
    ) -> Result<Vec<[SwitchId; 2]>, ExportError> {
        let pairs = self.links().map(|link| [link.near.switch, link.far.switch]);
        let mut pairs: Vec<[SwitchId; 2]> = pairs.collect();
        pairs.sort_unstable();
        let mut shared = pairs.chunk_by(|one, next| one == next);
        let Some(shared) = shared.find(|shared| shared.len() > 1) else { return Ok(pairs) };
        let [one, other] = shared[0].map(|switch| self.names.named(switch));
        Err(ExportError::refused(
            program,
            "keeps one channel between two routers",
            format!("switches {one} and {other} share {} links", shared.len()),
            "at most 1",
        ))
    }

    /// Refuses what a program that describes one group and repeats it cannot express: dead switches, missing nodes,
    /// groups of different sizes, and two switches of a group that do not share exactly one link. If there are leaves,
    /// only they have nodes, and only a leaf and a spine share a link.
    pub(super) fn expect_like_groups(
        &self,
        program: &'static str,
        leaves: &BTreeSet<SwitchId>,
    ) -> Result<(), ExportError> {
        let (df, names) = (self.dragonfly(), self.names);
        if let Some(&dead) = self.topology.dead_switches().first() {
            return Err(ExportError::refused(
                program,
                "has every switch of every group",
                format!("switch {} is dead", names.named(dead)),
                "a wiring without dead switches",
            ));
        }
        let is_leaf = |switch| leaves.is_empty() || leaves.contains(&switch);
        let mut missing = self.nodes.missing();
        if let Some(node) = missing.find(|&node| is_leaf(df.switch_of(node).0)) {
            let role = if leaves.is_empty() { "switch" } else { "leaf" };
            let switch = names.named(df.switch_of(node).0);
            return Err(ExportError::refused(
                program,
                format!("gives every {role} {}", count(df.p(), "node")),
                format!("there is no node {node} at switch {switch}"),
                format!("as many nodes on each {role}"),
            ));
        }
        let sizes = |group| [df.switches_of(group), df.nodes_of(group)];
        let first = GroupId(0);
        if let Some(other) = df.group_numbers().find(|&group| sizes(group) != sizes(first)) {
            let [one, other] = [first, other].map(|group| {
                let [switches, nodes] = sizes(group);
                let (switches, nodes) = (count(switches, "switch"), count(nodes, "node"));
                format!("group {} has {switches} of {nodes}", names.named_group(group))
            });
            return Err(ExportError::refused(
                program,
                "describes one group and repeats it",
                format!("{one} and {other}"),
                "groups that all have as many switches and as many nodes on each",
            ));
        }
        self.expect_one_local_link(program, leaves)
    }

    fn expect_one_local_link(
        &self,
        program: &'static str,
        leaves: &BTreeSet<SwitchId>,
    ) -> Result<(), ExportError> {
        let df = self.dragonfly();
        for &low in &self.switches {
            let (group, own) = df.place(low);
            for index in df.indices(group).filter(|&index| own < index) {
                let high = df.switch(group, index);
                let found = self.topology.links_within(group, own, index);
                let is_joined =
                    leaves.is_empty() || leaves.contains(&low) != leaves.contains(&high);
                if found != u32::from(is_joined) {
                    let which =
                        if leaves.is_empty() { "two switches" } else { "leaf and every spine" };
                    let [one, other] = [low, high].map(|switch| self.names.named(switch));
                    return Err(ExportError::refused(
                        program,
                        format!("joins every {which} of a group by one link"),
                        format!("switches {one} and {other} share {found}"),
                        format!("exactly {}", u32::from(is_joined)),
                    ));
                }
            }
        }
        Ok(())
    }
}

fn count(count: u32, what: &str) -> String {
    counted(u64::from(count), what)
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
