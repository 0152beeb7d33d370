//! The wiring of one Dragonfly: a list of cables, from a rule or from a file.
//!
//! Everything downstream works on any such list: unequal numbers of links per pair of groups, unused ports, missing
//! cables. Only this module's children know whether a list comes from an arrangement or a file.

pub mod arrangement;
pub mod bill;
pub mod cable_list;
pub mod crossings;
pub mod dragonfly_plus;
pub mod export;
mod faults;
pub mod in_turn;
pub mod lacking;
pub mod links;
pub mod loads;
pub mod local_links;
pub mod routes;
pub mod summary;

mod absolute;
mod circulant;
mod classic;
mod extra_links;
mod palmtree;
mod random;
mod relative;
mod rotation;
mod symmetry;

// So that `routes/wirings.rs` has one name for this crate, here and where it is included.
#[cfg(test)]
extern crate self as tvlb_topology;

use local_links::{LocalLinkError, LocalLinks};
use std::collections::BTreeSet;
use tvlb_schema::{
    Bandwidths, Dragonfly, End, EndSwitches, FewerLinks, GlobalPort, GroupId, GroupLinks,
    LeavesAndSpines, Nodes, SwitchId, SwitchIndex,
};

/// A cable between two groups, its lesser end first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cable {
    /// The end in the group of lower number.
    pub low: End,
    /// The end in the group of higher number.
    pub high: End,
}

/// One direction of a cable, seen from the group that it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The port through which it leaves.
    pub from: GlobalPort,
    /// The port of the other group at which it arrives.
    pub to: GlobalPort,
}

impl Link {
    /// The same cable in the other direction.
    fn back(self) -> Self {
        Self { from: self.to, to: self.from }
    }
}

/// A Dragonfly and its cables.
///
/// # Example
/// ```
/// use tvlb_topology::Topology;
/// use tvlb_schema::{Dragonfly, End, GlobalPort, GroupId};
///
/// // Any list of cables will do, here two for three groups.
/// let df = Dragonfly::new(1, 2, 1, 3)?;
/// let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
/// let cables = [(end(0, 0), end(1, 0)), (end(1, 1), end(2, 1))];
/// let topology = Topology::from_cables(df, cables)?;
/// assert_eq!((topology.unused_ports(), topology.links_per_pair()), (2, (0, 1)));
/// // A port takes one cable.
/// assert!(Topology::from_cables(df, [cables[0], cables[0]]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    dragonfly: Dragonfly,
    cables: Vec<Cable>,
    /// By group·a·h + port.
    peers: Vec<Option<End>>,
    /// All links by source group, destination group, port.
    links: Vec<Link>,
    /// Where the links from group i to group j begin in `links`: entry i·g + j; one more at the end.
    starts: Vec<usize>,
    /// The links of the groups whose links a list names or of which a link is dead, sorted.
    listed: Vec<LocalLinks>,
    /// The switches of a group with fewer links between them than their kind states, sorted.
    fewer: Vec<FewerLinks>,
    /// How many links join each two switches of a group, see [`local_links::table`].
    within: Vec<u16>,
    /// How the switches of groups are joined.
    group_links: GroupLinks,
    /// How fast the kinds of links are, relative to each other.
    bandwidths: Bandwidths,
    dead: BTreeSet<SwitchId>,
    /// Pairs of switches of a group whose last link is dead.
    parted: BTreeSet<(SwitchId, SwitchIndex)>,
    /// The live switches with nodes.
    ends: EndSwitches,
}

/// Why a list of cables is not a wiring.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CableError {
    #[error("there is no {end}: groups are 0 to {}, switches 0 to {}, global ports 0 to {}{}", .df.g() - 1, .df.a() - 1, .df.h() - 1, at_most(.df))]
    NoSuchEnd { end: String, df: Box<Dragonfly> },
    #[error("a cable from {low} to {high} stays within one group; a global cable joins two groups")]
    WithinGroup { low: String, high: String },
    #[error(
        "{port} already has a cable, to {first}; a port takes one cable, and here is a second, to {second}"
    )]
    PortTaken { port: String, first: String, second: String },
}

impl Topology {
    /// The wiring of these cables, in whatever order they and their ends come.
    ///
    /// # Errors
    /// The first cable that cannot be laid.
    pub fn from_cables(
        dragonfly: Dragonfly,
        cables: impl IntoIterator<Item = (End, End)>,
    ) -> Result<Self, CableError> {
        let df = dragonfly;
        let mut peers = vec![None; df.port_numbers() as usize];
        let mut sorted = Vec::new();
        for (one, other) in cables {
            for end in [one, other] {
                if !df.has_group(end.group) || !df.has_global_port_of(end.group, end.port) {
                    let end = end.in_words(&df).to_string();
                    return Err(CableError::NoSuchEnd { end, df: Box::new(df) });
                }
            }
            if one.group == other.group {
                return Err(CableError::WithinGroup {
                    low: one.min(other).in_words(&df).to_string(),
                    high: one.max(other).in_words(&df).to_string(),
                });
            }
            for (end, far) in [(one, other), (other, one)] {
                if let Some(first) = peers[port_number(&df, end)].replace(far) {
                    return Err(CableError::PortTaken {
                        port: end.in_words(&df).to_string(),
                        first: first.in_words(&df).to_string(),
                        second: far.in_words(&df).to_string(),
                    });
                }
            }
            sorted.push(Cable { low: one.min(other), high: one.max(other) });
        }
        sorted.sort_unstable();

        let g = df.g() as usize;
        let mut starts = vec![0; g * g + 1];
        let pair = |from: GroupId, to: GroupId| from.as_usize() * g + to.as_usize();
        for cable in &sorted {
            starts[pair(cable.low.group, cable.high.group) + 1] += 1;
            starts[pair(cable.high.group, cable.low.group) + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut links = vec![Link { from: GlobalPort(0), to: GlobalPort(0) }; 2 * sorted.len()];
        // In the order of the source ports, so that each pair's links come sorted.
        for group in df.groups() {
            for port in df.global_ports() {
                if let Some(far) = peers[port_number(&df, End { group, port })] {
                    let place = &mut next[pair(group, far.group)];
                    links[*place] = Link { from: port, to: far.port };
                    *place += 1;
                }
            }
        }
        let (listed, fewer) = (Vec::new(), Vec::new());
        Ok(Self {
            dragonfly,
            cables: sorted,
            peers,
            links,
            starts,
            listed,
            fewer,
            within: Vec::new(),
            group_links: GroupLinks::of(&df, &[]),
            bandwidths: Bandwidths::ALIKE,
            dead: BTreeSet::new(),
            parted: BTreeSet::new(),
            ends: Nodes::from(&dragonfly).ends(),
        })
    }

    /// The same cables, and these links within groups, each a pair of existing, different switches. A group with a
    /// given link has only the given ones.
    ///
    /// # Errors
    /// Two switches of a group with nodes that cannot reach each other within it by two hops, or two that
    /// share too many links.
    pub fn with_local_links(
        self,
        links: Vec<(GroupId, SwitchIndex, SwitchIndex)>,
    ) -> Result<Self, LocalLinkError> {
        let listed = local_links::counted(links);
        let (dragonfly, fewer) = local_links::fewer(&self.dragonfly, &listed)?;
        let within = local_links::table(&dragonfly, &fewer);
        let group_links = GroupLinks::of(&dragonfly, &fewer);
        let topology = Self { dragonfly, listed, fewer, within, group_links, ..self };
        local_links::check(&topology)?;
        Ok(topology)
    }

    /// The same wiring with links of these relative bandwidths; by default all are equal.
    #[must_use]
    pub fn with_bandwidths(self, bandwidths: Bandwidths) -> Self {
        Self { bandwidths, ..self }
    }

    /// The same wiring, if only these switches have nodes; by default all have for which the sizes give any.
    #[must_use]
    pub fn with_ends(self, ends: EndSwitches) -> Self {
        Self { ends, ..self }
    }

    /// The switches where packets begin and end: the live ones with nodes. Whatever is counted, required or averaged
    /// over pairs of switches is over pairs of these.
    pub const fn ends(&self) -> &EndSwitches {
        &self.ends
    }

    /// How fast the kinds of links are, relative to each other.
    pub fn bandwidths(&self) -> &Bandwidths {
        &self.bandwidths
    }

    pub fn dragonfly(&self) -> &Dragonfly {
        &self.dragonfly
    }

    /// All cables, sorted by their lower and then their higher end.
    pub fn cables(&self) -> &[Cable] {
        &self.cables
    }

    /// The other end of the cable at `end`, if there is one.
    pub fn peer(&self, end: End) -> Option<End> {
        self.peers[port_number(&self.dragonfly, end)]
    }

    /// The links from one group to another, by rising port of `from`.
    pub fn links(&self, from: GroupId, to: GroupId) -> &[Link] {
        let pair = from.as_usize() * self.dragonfly.g() as usize + to.as_usize();
        &self.links[self.starts[pair]..self.starts[pair + 1]]
    }

    /// The least and the most links that any pair of groups has.
    pub fn links_per_pair(&self) -> (usize, usize) {
        let df = &self.dragonfly;
        let counts = || {
            df.groups().flat_map(move |i| {
                df.groups().filter(move |&j| j != i).map(move |j| self.links(i, j).len())
            })
        };
        (counts().min().unwrap_or(0), counts().max().unwrap_or(0))
    }

    /// How many global ports the live switches have, with or without a cable.
    pub fn global_ports(&self) -> usize {
        let df = &self.dragonfly;
        let ports_of = |&switch: &SwitchId| usize::from(df.kind_of(df.place(switch).0).h);
        df.port_count() as usize - self.dead.iter().map(ports_of).sum::<usize>()
    }

    /// How many of these have no cable.
    pub fn unused_ports(&self) -> usize {
        self.global_ports() - 2 * self.cables.len()
    }
}

/// Without dead parts.
impl LeavesAndSpines for Topology {
    fn dragonfly(&self) -> &Dragonfly {
        &self.dragonfly
    }

    fn fewer_links(&self) -> impl Iterator<Item = FewerLinks> {
        self.fewer.iter().copied()
    }

    fn has_cable(&self, switch: SwitchId) -> bool {
        let (group, index) = self.dragonfly.place(switch);
        let mut ports = self.dragonfly.global_ports().filter(|&q| self.dragonfly.is_on(q, index));
        ports.any(|port| self.peer(End { group, port }).is_some())
    }

    fn are_linked(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> bool {
        self.links_within(group, one, other) > 0
    }
}

/// A phrase after the sizes of the largest group.
fn at_most(df: &Dragonfly) -> &'static str {
    if df.is_even() { "" } else { ", and fewer in smaller groups" }
}

fn port_number(df: &Dragonfly, end: End) -> usize {
    end.group.as_usize() * df.ports_per_group() as usize + end.port.as_usize()
}
