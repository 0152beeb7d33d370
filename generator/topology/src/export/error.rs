//! Why a format cannot say a wiring.

use std::fmt;
use tvlb_base::text::counted;
use tvlb_schema::{NodeId, SwitchIndex};
use tvlb_table_set::names::{HostError, NamedGroup, NamedSwitch};

/// Why a format cannot say a wiring.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    #[error(
        "{format} has every switch of every group, but switch {switch} is dead; accepted: a wiring without dead switches"
    )]
    DeadSwitch { format: &'static str, switch: NamedSwitch },
    #[error(
        "{format} gives every {role} {}, but there is no node {node} at switch {switch}; accepted: as many nodes on each {role}",
        counted(u64::from(*.p), "node")
    )]
    MissingNode {
        format: &'static str,
        /// What has nodes.
        role: &'static str,
        p: u32,
        node: NodeId,
        switch: NamedSwitch,
    },
    #[error(
        "{format} takes the first {leaves} of the {a} switches of a group for leaves and the others for spines, but switch {switch} is {found}; accepted: as many leaves as spines, or one spine more, the leaves first"
    )]
    Halves { format: &'static str, leaves: u32, a: u32, switch: NamedSwitch, found: &'static str },
    #[error("no switch lives that has nodes; accepted: a wiring with at least one host")]
    NoHosts,
    #[error("node {node}{}: {error}", tvlb_table_set::names::after(node, .name.as_deref()))]
    NodeName { node: NodeId, name: Option<String>, error: HostError },
    #[error(
        "{format} describes one group and repeats it, but group {} has {} and group {} has {}; accepted: groups that all have as many switches and as many nodes on each",
        .first.0, switches_of_nodes(.first.1), .found.0, switches_of_nodes(.found.1)
    )]
    UnequalGroups {
        format: &'static str,
        first: (NamedGroup, [u32; 2]),
        found: (NamedGroup, [u32; 2]),
    },
    #[error(
        "{format} joins every {which} of a group by one link, but switches {one} and {other} share {found}; accepted: exactly {accepted}"
    )]
    LocalLinks {
        format: &'static str,
        /// What it joins.
        which: &'static str,
        one: NamedSwitch,
        other: NamedSwitch,
        found: u32,
        accepted: u32,
    },
    #[error(
        "merlin joins every two groups by the same number of links, but groups {} and {} share {} and groups {} and {} share {}; accepted: one number, at least 1, for all pairs of groups",
        .least.0, .least.1, .least.2, .most.0, .most.1, .most.2
    )]
    UnequalLinks {
        least: Box<(NamedGroup, NamedGroup, usize)>,
        most: Box<(NamedGroup, NamedGroup, usize)>,
    },
    #[error("no two groups share a cable; merlin needs at least 1 between every two groups")]
    NoLinks,
    #[error(
        "switch {index} of each group has {}, but merlin spreads the {} of a group over its {} and gives each at most {accepted}",
        counted(*.found as u64, "global cable"), counted(*.links as u64, "link"), counted(u64::from(*.routers), "router")
    )]
    TooManyCables { index: SwitchIndex, found: usize, links: usize, routers: u32, accepted: usize },
    #[error(
        "merlin wires all groups by one global_link_map, which cannot say these cables: in the reading `absolute` {absolute}; in the reading `relative` {relative}"
    )]
    NoCommonMap { absolute: MapConflict, relative: MapConflict },
    #[error(
        "{format} keeps one channel between two routers, but switches {one} and {other} share {found} links; accepted: at most 1"
    )]
    ParallelCables { format: &'static str, one: NamedSwitch, other: NamedSwitch, found: usize },
    #[error(
        "{format} stops at a router without endpoints, but switch {switch} has no nodes; accepted: nodes on each switch"
    )]
    NoNodes { format: &'static str, switch: NamedSwitch },
    #[error(
        "{format} stops where no path joins two routers, and none joins switches {one} and {other}; accepted: a wiring in one part"
    )]
    Apart { format: &'static str, one: NamedSwitch, other: NamedSwitch },
    #[error("HTSIM has a·h + 1 groups, but there are {found}; accepted: {accepted}")]
    HtsimGroups { found: u32, accepted: u32 },
    #[error(
        "HTSIM joins switches {one} and {other} by a cable, but here they share none; accepted: the wiring of the arrangement `relative`"
    )]
    HtsimCable { one: NamedSwitch, other: NamedSwitch },
    #[error(
        "HTSIM goes by MIN from where a path enters the intermediate group, but the path {path} does not; accepted: sets of shapes with at most one local hop in the middle"
    )]
    HtsimPath { path: String },
    #[error(
        "HTSIM knows no weights of paths, but the set draws some paths from switch {from} to switch {to} more often than others; accepted: sets that are drawn by route"
    )]
    HtsimWeights { from: NamedSwitch, to: NamedSwitch },
}

/// Why one map does not say the cables of all groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapConflict {
    /// One port needs two entries.
    Port {
        /// The switch of the port, by its index in its group.
        index: SwitchIndex,
        /// The port among the global ports of the switch.
        slot: u16,
        /// The port in one group, in words, and where it leads there.
        one: Box<(String, PortTarget)>,
        /// The port in another group, in words, where it leads elsewhere.
        other: Box<(String, PortTarget)>,
    },
    /// The two ends of a cable cannot have one link number.
    Slice {
        /// One end, in words.
        low: String,
        /// The other end, in words.
        high: String,
    },
}

/// Where a port leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortTarget {
    /// It has no cable.
    Nowhere,
    Group {
        group: NamedGroup,
        /// What the map calls this group, as seen from the port's own group.
        destination: u32,
    },
}

impl fmt::Display for MapConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Port { index, slot, one, other } => write!(
                f,
                "global port {slot} of switch {index} leads {} in {} and {} in {}",
                one.1, one.0, other.1, other.0
            ),
            Self::Slice { low, high } => write!(
                f,
                "the cable from {low} to {high} gives its two ports one link number, and so two ports with the same destination would have the same number"
            ),
        }
    }
}

impl fmt::Display for PortTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => f.write_str("nowhere"),
            Self::Group { group, destination } => {
                write!(f, "to group {group}, destination {destination} of the map,")
            }
        }
    }
}

fn switches_of_nodes([switches, nodes]: [u32; 2]) -> String {
    let counted = |count: u32, what| counted(u64::from(count), what);
    format!("{} of {}", counted(switches, "switch"), counted(nodes, "node"))
}
