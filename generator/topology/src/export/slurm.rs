//! For Slurm's plugin topology/tree: a `topology.conf`.
//!
//! The plugin knows trees alone, so a switch with its nodes becomes a leaf, a group a switch above its
//! leaves, and the fabric one switch above the groups.

use super::error::ExportError;
use crate::Topology;
use std::collections::BTreeSet;
use std::fmt;
use tvlb_schema::{GroupId, GroupKind, NodeId, Nodes, SwitchId};
use tvlb_table_set::names::{Hosts, NamedPort, Names};

/// A wiring for Slurm; its `Display` is the file.
#[derive(Clone, Debug)]
pub struct Slurm<'t> {
    topology: &'t Topology,
    names: &'t Names,
    hosts: &'t Hosts,
    nodes: Nodes,
}

/// The wiring for Slurm, with the hosts of the nodes.
///
/// # Errors
/// A node without a name that can be a host's.
pub fn slurm<'t>(
    topology: &'t Topology,
    names: &'t Names,
    hosts: &'t Hosts,
) -> Result<Slurm<'t>, ExportError> {
    let nodes = topology.nodes(names);
    for node in nodes.iter() {
        hosts.host(node).map_err(|error| {
            let (switch, terminal) = topology.dragonfly().switch_of(node);
            let name = names.port(switch, NamedPort::Node(terminal));
            ExportError::NodeName { node, name: name.map(|port| port.name.clone()), error }
        })?;
    }
    Ok(Slurm { topology, names, hosts, nodes })
}

impl Slurm<'_> {
    /// The switches of a group that have nodes.
    fn leaves(&self, group: GroupId) -> impl Iterator<Item = SwitchId> {
        let df = self.topology.dragonfly();
        let switches = self.topology.live_indices(group).map(move |index| df.switch(group, index));
        switches.filter(|&switch| self.nodes.of_switch(switch).next().is_some())
    }

    /// The nodes of a switch as a host list.
    fn hosts(&self, switch: SwitchId) -> String {
        let nodes = || self.nodes.of_switch(switch);
        let mut hosts: Vec<&str> = nodes().filter_map(|node| self.hosts.host(node).ok()).collect();
        if nodes().zip(&hosts).all(|(node, host)| *host == format!("node-{node}")) {
            return host_list("node", nodes().map(|NodeId(node)| node));
        }
        // A host with several ports at a switch is one host.
        let mut known = BTreeSet::new();
        hosts.retain(|host| known.insert(*host));
        hosts.join(",")
    }
}

impl fmt::Display for Slurm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_comment(f)?;
        for group in self.nodes.groups() {
            for switch in self.leaves(group) {
                if let Some(name) = self.names.switch(switch) {
                    writeln!(f, "# switch-{switch}: {name}")?;
                }
                writeln!(f, "SwitchName=switch-{switch} Nodes={}", self.hosts(switch))?;
            }
        }
        for group in self.nodes.groups() {
            let switches = host_list("switch", self.leaves(group).map(|switch| switch.0.into()));
            if let Some(name) = self.names.group(group) {
                writeln!(f, "# group-{group}: {name}")?;
            }
            writeln!(f, "SwitchName=group-{group} Switches={switches}")?;
        }
        let groups = host_list("group", self.nodes.groups().map(|group| group.0.into()));
        writeln!(f, "SwitchName=fabric Switches={groups}")
    }
}

impl Slurm<'_> {
    fn write_comment(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let df = self.topology.dragonfly();
        let sizes =
            GroupKind::in_words([df.p(), df.a(), df.h(), df.g()], df.stated_kinds()).to_string();
        writeln!(f, "# {sizes} as a tree, for Slurm's plugin topology/tree.")?;
        writeln!(
            f,
            "# A tree cannot say a Dragonfly. This file says which nodes share a switch and which"
        )?;
        writeln!(
            f,
            "# switches share a group. It leaves out the links between the switches of a group and"
        )?;
        writeln!(
            f,
            "# the {} cables between groups. group-N and fabric stand for no hardware.",
            self.topology.cables().len()
        )?;
        let live = df.switches().filter(|&switch| self.topology.lives(switch));
        match live.filter(|&switch| self.nodes.of_switch(switch).next().is_none()).count() {
            0 => {}
            1 => writeln!(f, "# It also leaves out 1 switch that has no nodes.")?,
            count => writeln!(f, "# It also leaves out {count} switches that have no nodes.")?,
        }
        match self.topology.dead_switches().len() {
            0 => {}
            1 => writeln!(f, "# It also leaves out 1 dead switch.")?,
            count => writeln!(f, "# It also leaves out {count} dead switches.")?,
        }
        writeln!(
            f,
            "# With TopologyParam=Dragonfly in slurm.conf, Slurm spreads a job that does not fit on one"
        )?;
        writeln!(f, "# leaf switch over as many leaf switches as possible.")
    }
}

/// Numbered names as Slurm's host lists have them: `node-3`, `node-[3-5]` or `node-[3-5],node-7`.
fn host_list(name: &str, numbers: impl Iterator<Item = u32>) -> String {
    let numbers: Vec<u32> = numbers.collect();
    let run = |run: &[u32]| match run {
        [] => String::new(),
        [number] => format!("{name}-{number}"),
        [first, .., last] => format!("{name}-[{first}-{last}]"),
    };
    let runs: Vec<String> = numbers.chunk_by(|one, next| one + 1 == *next).map(run).collect();
    runs.join(",")
}

#[cfg(test)]
mod tests;
