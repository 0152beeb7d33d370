//! For Slurm: a `topology.conf` for its plugin topology/tree, or a `topology.yaml` for that and topology/block.
//!
//! The first plugin knows trees alone, so a switch with its nodes becomes a leaf, a group a switch above its
//! leaves, and the fabric one switch above the groups. For the second a group is a block.

use super::error::ExportError;
use crate::Topology;
use std::collections::BTreeSet;
use std::fmt;
use tvlb_schema::{GroupId, GroupKind, NodeId, Nodes, SwitchId};
use tvlb_table_set::names::{Hosts, NamedPort, Names, host_list};

/// Which of Slurm's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlurmFile {
    /// `topology.conf`.
    Conf,
    /// `topology.yaml`, of Slurm 25.05 and later.
    Yaml,
}

/// A wiring for Slurm; its `Display` is the file.
#[derive(Clone, Debug)]
pub struct Slurm<'t> {
    file: SlurmFile,
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
    file: SlurmFile,
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
    Ok(Slurm { file, topology, names, hosts, nodes })
}

impl Slurm<'_> {
    /// The switches of a group that have nodes.
    fn leaves(&self, group: GroupId) -> impl Iterator<Item = SwitchId> {
        let df = self.topology.dragonfly();
        let switches = self.topology.live_indices(group).map(move |index| df.switch(group, index));
        switches.filter(|&switch| self.nodes.of_switch(switch).next().is_some())
    }

    /// The nodes of switches as a host list, and how many hosts that are.
    fn hosts(&self, switches: impl Iterator<Item = SwitchId>) -> (String, usize) {
        let nodes: Vec<NodeId> = switches.flat_map(|switch| self.nodes.of_switch(switch)).collect();
        let hosts = nodes.iter().filter_map(|&node| self.hosts.host(node).ok());
        let mut hosts: Vec<&str> = hosts.collect();
        // A host with several ports is one host.
        let mut known = BTreeSet::new();
        hosts.retain(|host| known.insert(*host));
        let count = hosts.len();
        (host_list(hosts), count)
    }

    /// The leaves of a group as a host list of switches.
    fn leaf_list(&self, group: GroupId) -> String {
        numbered("switch", self.leaves(group))
    }

    fn group_list(&self) -> String {
        numbered("group", self.nodes.groups())
    }

    /// What the machine calls a part, as a comment.
    fn comment(
        f: &mut fmt::Formatter<'_>,
        (indent, part): (&str, impl fmt::Display),
        name: Option<&str>,
    ) -> fmt::Result {
        name.map_or(Ok(()), |name| writeln!(f, "{indent}# {part}: {name}"))
    }

    fn conf(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for group in self.nodes.groups() {
            for switch in self.leaves(group) {
                Self::comment(f, ("", format_args!("switch-{switch}")), self.names.switch(switch))?;
                let (hosts, _) = self.hosts(std::iter::once(switch));
                writeln!(f, "SwitchName=switch-{switch} Nodes={hosts}")?;
            }
        }
        for group in self.nodes.groups() {
            Self::comment(f, ("", format_args!("group-{group}")), self.names.group(group))?;
            writeln!(f, "SwitchName=group-{group} Switches={}", self.leaf_list(group))?;
        }
        writeln!(f, "SwitchName=fabric Switches={}", self.group_list())
    }

    fn yaml(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const INDENT: &str = "      ";
        writeln!(f, "- topology: tree\n  cluster_default: true\n  tree:\n    switches:")?;
        let switch = |f: &mut fmt::Formatter<'_>, name: &dyn fmt::Display, of: &str, list: &str| {
            writeln!(f, "{INDENT}- switch: \"{name}\"\n{INDENT}  {of}: \"{list}\"")
        };
        switch(f, &"fabric", "children", &self.group_list())?;
        for group in self.nodes.groups() {
            Self::comment(f, (INDENT, format_args!("group-{group}")), self.names.group(group))?;
            switch(f, &format_args!("group-{group}"), "children", &self.leaf_list(group))?;
            for leaf in self.leaves(group) {
                Self::comment(f, (INDENT, format_args!("switch-{leaf}")), self.names.switch(leaf))?;
                let (hosts, _) = self.hosts(std::iter::once(leaf));
                switch(f, &format_args!("switch-{leaf}"), "nodes", &hosts)?;
            }
        }
        let blocks: Vec<(GroupId, String, usize)> = self
            .nodes
            .groups()
            .map(|group| {
                let (hosts, count) = self.hosts(self.leaves(group));
                (group, hosts, count)
            })
            .collect();
        let least = blocks.iter().map(|(.., count)| *count).min().unwrap_or(0);
        writeln!(f, "- topology: block\n  cluster_default: false\n  block:")?;
        writeln!(f, "    block_sizes:\n{INDENT}- {least}\n    blocks:")?;
        for (group, hosts, _) in &blocks {
            Self::comment(f, (INDENT, format_args!("group-{group}")), self.names.group(*group))?;
            writeln!(f, "{INDENT}- block: \"group-{group}\"\n{INDENT}  nodes: \"{hosts}\"")?;
        }
        Ok(())
    }
}

impl fmt::Display for Slurm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_comment(f)?;
        match self.file {
            SlurmFile::Conf => self.conf(f),
            SlurmFile::Yaml => self.yaml(f),
        }
    }
}

impl Slurm<'_> {
    fn write_comment(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let df = self.topology.dragonfly();
        let sizes =
            GroupKind::in_words([df.p(), df.a(), df.h(), df.g()], df.stated_kinds()).to_string();
        match self.file {
            SlurmFile::Conf => {
                writeln!(f, "# {sizes} as a tree, for Slurm's plugin topology/tree.")?;
            }
            SlurmFile::Yaml => writeln!(
                f,
                "# {sizes} as a tree and as a block for each group, for Slurm 25.05 and later. Give one of\n\
                 # the two to a partition by Topology=tree or Topology=block in slurm.conf."
            )?,
        }
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

/// Numbered names as a host list.
fn numbered(name: &str, numbers: impl Iterator<Item = impl fmt::Display>) -> String {
    let names: Vec<String> = numbers.map(|number| format!("{name}-{number}")).collect();
    host_list(names.iter().map(String::as_str))
}

#[cfg(test)]
mod tests;
