//! For Slurm's plugin topology/tree: a `topology.conf`.
//!
//! The plugin knows trees alone, so a switch with its nodes becomes a leaf, a group a switch above its
//! leaves, and the fabric one switch above the groups.

use crate::Topology;
use std::fmt;
use tvlb_names::Names;
use tvlb_schema::{Dragonfly, GroupId, GroupKind};

/// A wiring for Slurm; its `Display` is the file.
#[derive(Clone, Copy, Debug)]
pub struct Slurm<'t> {
    topology: &'t Topology,
    names: &'t Names,
}

/// The wiring for Slurm.
pub fn slurm<'t>(topology: &'t Topology, names: &'t Names) -> Slurm<'t> {
    Slurm { topology, names }
}

impl fmt::Display for Slurm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let df = self.topology.dragonfly();
        write_comment(f, self.topology)?;
        for group in df.groups_with_nodes() {
            for index in df.indices(group) {
                let switch = df.switch(group, index);
                let first = u32::from(switch.0) * df.p();
                let nodes = HostList("node", first..first + df.nodes_of(group));
                if let Some(name) = self.names.switch(switch) {
                    writeln!(f, "# switch-{switch}: {name}")?;
                }
                writeln!(f, "SwitchName=switch-{switch} Nodes={nodes}")?;
            }
        }
        for group in df.groups_with_nodes() {
            let first = u32::from(group.0) * df.a();
            let switches = HostList("switch", first..first + df.switches_of(group));
            if let Some(name) = self.names.group(group) {
                writeln!(f, "# group-{group}: {name}")?;
            }
            writeln!(f, "SwitchName=group-{group} Switches={switches}")?;
        }
        let groups: Vec<u32> = df.groups_with_nodes().map(|GroupId(group)| group.into()).collect();
        let runs = groups.chunk_by(|one, next| one + 1 == *next);
        let runs =
            runs.map(|run| HostList("group", run[0]..run[0] + u32_of(run.len())).to_string());
        writeln!(f, "SwitchName=fabric Switches={}", runs.collect::<Vec<_>>().join(","))
    }
}

fn u32_of(length: usize) -> u32 {
    u32::try_from(length).expect("a fabric has at most 4097 groups")
}

fn write_comment(f: &mut fmt::Formatter<'_>, topology: &Topology) -> fmt::Result {
    let df = topology.dragonfly();
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
        topology.cables().len()
    )?;
    match switches_without_nodes(df) {
        0 => {}
        1 => writeln!(f, "# It also leaves out 1 switch that has no nodes.")?,
        count => writeln!(f, "# It also leaves out {count} switches that have no nodes.")?,
    }
    writeln!(
        f,
        "# With TopologyParam=Dragonfly in slurm.conf, Slurm spreads a job that does not fit on one"
    )?;
    writeln!(f, "# leaf switch over as many leaf switches as possible.")
}

fn switches_without_nodes(df: &Dragonfly) -> u32 {
    let without = df.groups().filter(|&group| df.nodes_of(group) == 0);
    without.map(|group| df.switches_of(group)).sum()
}

/// Names that follow each other, as Slurm's host lists have them: `node-3` or `node-[3-5]`.
struct HostList(&'static str, std::ops::Range<u32>);

impl fmt::Display for HostList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name, numbers) = self;
        match numbers.len() {
            1 => write!(f, "{name}-{}", numbers.start),
            _ => write!(f, "{name}-[{}-{}]", numbers.start, numbers.end - 1),
        }
    }
}

#[cfg(test)]
mod tests;
