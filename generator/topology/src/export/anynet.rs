//! For the network `anynet` of `BookSim2`: its `network_file`, one line for each router.
//!
//! A line names a router, its nodes, and each router to which it has a channel, with the latency of
//! the channel from the line's router to the other. `BookSim2` takes no comments, wants the numbers of
//! routers and nodes without gaps from 0, and keeps one channel from a router to another.

use super::error::ExportError;
use super::like_groups::{expect_live_switches, linked_switches};
use crate::Topology;
use std::fmt;
use tvlb_schema::{End, Nodes, SwitchId};
use tvlb_table_set::names::Names;

const FORMAT: &str = "BookSim2's anynet";

/// How many cycles a channel between two routers takes, one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelLatencies {
    /// Between two switches of a group.
    pub local: u16,
    /// Between two groups.
    pub global: u16,
}

/// A wiring for `anynet`; its `Display` is the file.
#[derive(Clone, Debug)]
pub struct Anynet<'t> {
    topology: &'t Topology,
    nodes: Nodes,
    latencies: ChannelLatencies,
    /// The router of each switch, by the switch's number.
    routers: Vec<u32>,
}

/// The wiring for `anynet`.
///
/// # Errors
/// A dead switch, two switches that share several links, or two that no path joins.
pub fn anynet<'t>(
    topology: &'t Topology,
    names: &Names,
    latencies: ChannelLatencies,
) -> Result<Anynet<'t>, ExportError> {
    expect_live_switches(topology, names, FORMAT)?;
    let links = linked_switches(topology, names, FORMAT)?;
    expect_whole(topology, names, &links)?;
    let df = topology.dragonfly();
    let mut routers = vec![0; df.switch_numbers() as usize];
    for (router, switch) in (0..).zip(df.switches()) {
        routers[switch.as_usize()] = router;
    }
    Ok(Anynet { topology, nodes: topology.nodes(names), latencies, routers })
}

/// Refuses a wiring in parts, given the pairs of switches that share a link.
fn expect_whole(
    topology: &Topology,
    names: &Names,
    links: &[(SwitchId, SwitchId)],
) -> Result<(), ExportError> {
    let df = topology.dragonfly();
    let mut near = vec![Vec::new(); df.switch_numbers() as usize];
    for &(low, high) in links {
        near[low.as_usize()].push(high);
        near[high.as_usize()].push(low);
    }
    let mut is_reached = vec![false; near.len()];
    let first = df.switches().next().expect("a Dragonfly has switches");
    let mut left = vec![first];
    while let Some(switch) = left.pop() {
        if !std::mem::replace(&mut is_reached[switch.as_usize()], true) {
            left.extend(&near[switch.as_usize()]);
        }
    }
    match df.switches().find(|switch| !is_reached[switch.as_usize()]) {
        None => Ok(()),
        Some(apart) => {
            let [one, other] = [first, apart].map(|switch| names.named(switch));
            Err(ExportError::Apart { format: FORMAT, one, other })
        }
    }
}

impl Anynet<'_> {
    /// Whether some router or node has another number than its switch or node has here.
    pub fn is_renumbered(&self) -> bool {
        let df = self.topology.dragonfly();
        u32::from(df.last_switch().0) + 1 != df.switch_count()
            || self.nodes.last().is_some_and(|last| last.0 + 1 != self.nodes.count())
    }
}

impl fmt::Display for Anynet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let df = self.topology.dragonfly();
        let ChannelLatencies { local, global } = self.latencies;
        let mut nodes = 0..;
        for switch in df.switches() {
            let (group, index) = df.place(switch);
            write!(f, "router {}", self.routers[switch.as_usize()])?;
            for (_, node) in self.nodes.of_switch(switch).zip(nodes.by_ref()) {
                write!(f, " node {node}")?;
            }
            let near =
                |&other: &_| other != index && self.topology.is_local_hop(group, index, other);
            for other in df.indices(group).filter(near) {
                let router = self.routers[df.switch(group, other).as_usize()];
                write!(f, " router {router} {local}")?;
            }
            for slot in 0..df.kind_of(group).h {
                if let Some(far) = self.topology.peer(End::new(df, group, index, slot)) {
                    let other = df.switch(far.group, df.split_port(far.port).0);
                    write!(f, " router {} {global}", self.routers[other.as_usize()])?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
