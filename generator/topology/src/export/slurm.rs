//! For Slurm: a `topology.conf` for its plugin topology/tree, or a `topology.yaml` for that and topology/block.
//!
//! The first plugin knows only trees, so a switch with its nodes becomes a leaf, a group a switch above its leaves, and
//! the fabric one switch above the groups. For the second a group is a block.

use super::error::ExportError;
use super::wiring::{Wiring, parts};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use tvlb_base::text::counted;
use tvlb_schema::{Dragonfly, GroupId, NodeId, Nodes, SwitchId};
use tvlb_table_set::names::{Hosts, NamedPort, host_list};

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
pub struct Slurm<'w> {
    file: SlurmFile,
    wiring: &'w Wiring<'w>,
    hosts: &'w Hosts,
}

/// Some switches of a group that all have the same hosts.
struct Leaf<'t> {
    /// By rising number, at least one.
    switches: Vec<SwitchId>,
    /// In the order of their nodes.
    hosts: Vec<&'t str>,
}

/// The blocks of topology/block. A block has at least the base size, so a few small groups would make all blocks small:
/// the size is the one at which the most hosts are in whole blocks, and smaller groups are not blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks<'h> {
    /// The only block size.
    pub size: usize,
    /// The groups that are blocks, with their hosts in the order of their nodes.
    pub groups: BTreeMap<GroupId, Vec<&'h str>>,
}

impl<'h> Blocks<'h> {
    /// The blocks of these nodes of a fabric.
    pub fn of(df: &Dragonfly, nodes: &Nodes, hosts: &'h Hosts) -> Self {
        let mut of_groups: BTreeMap<GroupId, Vec<NodeId>> = BTreeMap::new();
        for node in nodes.iter() {
            of_groups.entry(df.place(df.switch_of(node).0).0).or_default().push(node);
        }
        let of_groups = of_groups.into_iter();
        let mut groups: BTreeMap<GroupId, Vec<&str>> =
            of_groups.map(|(group, nodes)| (group, distinct(nodes.into_iter(), hosts))).collect();
        let whole = |size: usize| size * groups.values().filter(|of| of.len() >= size).count();
        let sizes = groups.values().map(Vec::len);
        let size = sizes.max_by_key(|&size| (whole(size), size)).unwrap_or(0);
        groups.retain(|_, of| of.len() >= size.max(1));
        Self { size, groups }
    }
}

/// The hosts of nodes in their order; a host with several ports is one host.
fn distinct(nodes: impl Iterator<Item = NodeId>, hosts: &Hosts) -> Vec<&str> {
    let mut known = BTreeSet::new();
    nodes.filter_map(|node| hosts.host(node).ok()).filter(|host| known.insert(*host)).collect()
}

const INDENT: &str = "      ";

/// The wiring for Slurm, with the hosts of the nodes.
///
/// # Errors
/// No node is live, or the name of one cannot be a host's.
pub fn slurm<'w>(
    file: SlurmFile,
    wiring: &'w Wiring<'w>,
    hosts: &'w Hosts,
) -> Result<Slurm<'w>, ExportError> {
    if wiring.nodes().groups().next().is_none() {
        return Err(ExportError::NoHosts);
    }
    for node in wiring.nodes().iter() {
        hosts.host(node).map_err(|error| {
            let (switch, terminal) = wiring.dragonfly().switch_of(node);
            let name = wiring.names().port(switch, NamedPort::Node(terminal));
            ExportError::NodeName { node, name: name.map(|port| port.name.clone()), error }
        })?;
    }
    Ok(Slurm { file, wiring, hosts })
}

impl Slurm<'_> {
    /// The leaves of a group: its switches that have nodes, those with the same hosts as one.
    fn leaves(&self, group: GroupId) -> Vec<Leaf<'_>> {
        let mut leaves: Vec<Leaf<'_>> = Vec::new();
        let mut known: BTreeMap<BTreeSet<&str>, usize> = BTreeMap::new();
        for switch in self.wiring.dragonfly().switches_in(group) {
            let hosts = distinct(self.wiring.nodes_of(switch), self.hosts);
            if hosts.is_empty() {
                continue;
            }
            let at = *known.entry(hosts.iter().copied().collect()).or_insert(leaves.len());
            match leaves.get_mut(at) {
                Some(leaf) => leaf.switches.push(switch),
                None => leaves.push(Leaf { switches: vec![switch], hosts }),
            }
        }
        leaves
    }

    fn leaf_list(leaves: &[Leaf<'_>]) -> String {
        numbered("switch", leaves.iter().map(|leaf| leaf.switches[0]))
    }

    /// The switches above groups that cables join, with those groups: `fabric`, or one for each separate part of a
    /// fabric, so that no job is placed on hosts that cannot reach each other.
    fn roots(&self) -> Vec<(String, Vec<GroupId>)> {
        let cables = self.wiring.topology().cables().iter();
        let joined = cables.map(|cable| [cable.low, cable.high].map(|end| end.group.as_usize()));
        let part = parts(self.wiring.dragonfly().g() as usize, joined);
        let mut parts: BTreeMap<usize, Vec<GroupId>> = BTreeMap::new();
        for group in self.wiring.nodes().groups() {
            parts.entry(part[group.as_usize()]).or_default().push(group);
        }
        let mut parts: Vec<Vec<GroupId>> = parts.into_values().collect();
        // By their first groups with nodes.
        parts.sort_unstable();
        let is_whole = parts.len() == 1;
        let name = |at: usize| if is_whole { "fabric".into() } else { format!("fabric-{at}") };
        parts.into_iter().enumerate().map(|(at, groups)| (name(at), groups)).collect()
    }

    /// The machine's name of a part, as a comment.
    fn comment(
        f: &mut fmt::Formatter<'_>,
        (indent, part): (&str, impl fmt::Display),
        name: Option<&str>,
    ) -> fmt::Result {
        name.map_or(Ok(()), |name| writeln!(f, "{indent}# {part}: {name}"))
    }

    fn leaf_comment(
        &self,
        f: &mut fmt::Formatter<'_>,
        indent: &str,
        Leaf { switches, .. }: &Leaf<'_>,
    ) -> fmt::Result {
        if let [first, _, ..] = switches[..] {
            let all = numbered("switch", switches.iter());
            writeln!(f, "{indent}# switch-{first} is {all}, which have the same hosts")?;
        }
        switches.iter().try_for_each(|&switch| {
            Self::comment(
                f,
                (indent, format_args!("switch-{switch}")),
                self.wiring.names().switch(switch),
            )
        })
    }

    fn conf(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for group in self.wiring.nodes().groups() {
            for leaf in self.leaves(group) {
                self.leaf_comment(f, "", &leaf)?;
                let hosts = host_list(leaf.hosts.iter().copied());
                writeln!(f, "SwitchName=switch-{} Nodes={hosts}", leaf.switches[0])?;
            }
        }
        for group in self.wiring.nodes().groups() {
            Self::comment(
                f,
                ("", format_args!("group-{group}")),
                self.wiring.names().group(group),
            )?;
            let leaves = Self::leaf_list(&self.leaves(group));
            writeln!(f, "SwitchName=group-{group} Switches={leaves}")?;
        }
        for (root, groups) in self.roots() {
            writeln!(f, "SwitchName={root} Switches={}", numbered("group", groups.iter()))?;
        }
        Ok(())
    }

    fn yaml(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "- topology: tree\n  cluster_default: true\n  tree:\n    switches:")?;
        let switch = |f: &mut fmt::Formatter<'_>, name: &dyn fmt::Display, of: &str, list: &str| {
            writeln!(f, "{INDENT}- switch: \"{name}\"\n{INDENT}  {of}: \"{list}\"")
        };
        for (root, groups) in self.roots() {
            switch(f, &root, "children", &numbered("group", groups.iter()))?;
        }
        for group in self.wiring.nodes().groups() {
            Self::comment(
                f,
                (INDENT, format_args!("group-{group}")),
                self.wiring.names().group(group),
            )?;
            let leaves = self.leaves(group);
            switch(f, &format_args!("group-{group}"), "children", &Self::leaf_list(&leaves))?;
            for leaf in leaves {
                self.leaf_comment(f, INDENT, &leaf)?;
                let hosts = host_list(leaf.hosts.iter().copied());
                switch(f, &format_args!("switch-{}", leaf.switches[0]), "nodes", &hosts)?;
            }
        }
        self.blocks(f)
    }

    fn blocks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = Blocks::of(self.wiring.dragonfly(), self.wiring.nodes(), self.hosts);
        writeln!(f, "- topology: block\n  cluster_default: false\n  block:")?;
        let size = blocks.size;
        let others =
            self.wiring.nodes().groups().filter(|group| !blocks.groups.contains_key(group));
        let others = numbered("group", others);
        if !others.is_empty() {
            writeln!(
                f,
                "    # No blocks, as they have fewer than {size} hosts, which Topology=tree serves: {others}"
            )?;
        }
        writeln!(f, "    block_sizes:\n{INDENT}- {size}\n    blocks:")?;
        for (group, hosts) in &blocks.groups {
            let hosts = host_list(hosts.iter().copied());
            Self::comment(
                f,
                (INDENT, format_args!("group-{group}")),
                self.wiring.names().group(*group),
            )?;
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
        let (df, topology) = (self.wiring.dragonfly(), self.wiring.topology());
        match self.file {
            SlurmFile::Conf => {
                writeln!(f, "# {df} as a tree, for Slurm's plugin topology/tree.")?;
            }
            SlurmFile::Yaml => writeln!(
                f,
                "# {df} as a tree and as a block for each group, for Slurm 25.05 and later. Give one of\n\
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
            "# the {} between groups. group-N and fabric stand for no hardware.",
            counted(topology.cables().len() as u64, "cable")
        )?;
        let is_bare = |&&switch: &&SwitchId| self.wiring.nodes_of(switch).next().is_none();
        match self.wiring.switches().iter().filter(is_bare).count() {
            0 => {}
            1 => writeln!(f, "# It also leaves out 1 switch that has no nodes.")?,
            count => writeln!(f, "# It also leaves out {count} switches that have no nodes.")?,
        }
        match topology.dead_switches().len() {
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
