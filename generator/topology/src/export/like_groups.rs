//! Formats that describe one group and repeat it, or whose groups have one link between any two switches.

use super::error::ExportError;
use crate::Topology;
use std::collections::BTreeSet;
use tvlb_schema::{Dragonfly, End, GroupId, SwitchId, SwitchIndex};
use tvlb_table_set::names::Names;

/// Refuses a wiring of which a switch is dead.
///
/// # Errors
/// The first switch that is.
pub fn expect_live_switches(
    topology: &Topology,
    names: &Names,
    format: &'static str,
) -> Result<(), ExportError> {
    match topology.dead_switches().first() {
        None => Ok(()),
        Some(&switch) => Err(ExportError::DeadSwitch { format, switch: names.named(switch) }),
    }
}

/// Refuses groups in which two switches share another number of links than 1; where there are leaves, a leaf and a
/// spine share 1, and others none.
pub(super) fn expect_plain_groups(
    topology: &Topology,
    names: &Names,
    leaves: &BTreeSet<SwitchId>,
    format: &'static str,
) -> Result<(), ExportError> {
    let df = topology.dragonfly();
    let which = if leaves.is_empty() { "two switches" } else { "leaf and every spine" };
    let is_plain = leaves.is_empty() && topology.group_links().is_single();
    for group in df.groups().filter(|_| !is_plain) {
        for low in df.indices(group) {
            for high in df.indices(group).filter(|&high| low < high) {
                let found = topology.links_within(group, low, high);
                let pair = [low, high].map(|index| df.switch(group, index));
                let [one_is_leaf, other_is_leaf] = pair.map(|switch| leaves.contains(&switch));
                let accepted = u32::from(leaves.is_empty() || one_is_leaf != other_is_leaf);
                if found != accepted {
                    let [one, other] = pair.map(|switch| names.named(switch));
                    return Err(ExportError::LocalLinks {
                        format,
                        which,
                        one,
                        other,
                        found,
                        accepted,
                    });
                }
            }
        }
    }
    Ok(())
}

/// The switches that share a link, within a group or between two: each pair once, the lower number first, sorted.
///
/// # Errors
/// The first two switches that share several links.
pub(super) fn linked_switches(
    topology: &Topology,
    names: &Names,
    format: &'static str,
) -> Result<Vec<(SwitchId, SwitchId)>, ExportError> {
    let df = topology.dragonfly();
    let switch = |end: End| df.switch(end.group, df.split_port(end.port).0);
    let between = topology.cables().iter().map(|cable| (switch(cable.low), switch(cable.high)));
    let mut links: Vec<(SwitchId, SwitchId)> = between.collect();
    for group in topology.live_groups() {
        let live: Vec<SwitchIndex> = topology.live_indices(group).collect();
        for (place, &low) in live.iter().enumerate() {
            for &high in &live[place + 1..] {
                let pair = (df.switch(group, low), df.switch(group, high));
                links.extend((0..topology.links_within(group, low, high)).map(|_| pair));
            }
        }
    }
    links.sort_unstable();
    match links.chunk_by(|one, next| one == next).find(|shared| shared.len() > 1) {
        None => Ok(links),
        Some(shared) => {
            let [one, other] = <[SwitchId; 2]>::from(shared[0]).map(|switch| names.named(switch));
            Err(ExportError::ParallelCables { format, one, other, found: shared.len() })
        }
    }
}

/// Refuses groups that differ in their switches or in the nodes on each, and switches that lack a node.
/// Where there are none of these, the numbers of switches and nodes have no gaps.
pub(super) fn expect_like_groups(
    df: &Dragonfly,
    names: &Names,
    format: &'static str,
) -> Result<(), ExportError> {
    if let Some(node) = names.nodes(df).missing().next() {
        let switch = names.named(df.switch_of(node).0);
        return Err(ExportError::MissingNode { format, role: "switch", p: df.p(), node, switch });
    }
    expect_equal_groups(df, names, format)
}

/// Refuses groups that differ in their switches or in the places for nodes on each.
pub(super) fn expect_equal_groups(
    df: &Dragonfly,
    names: &Names,
    format: &'static str,
) -> Result<(), ExportError> {
    let sizes = |group: GroupId| [df.switches_of(group), df.nodes_of(group)];
    let first = GroupId(0);
    match df.group_numbers().find(|&group| sizes(group) != sizes(first)) {
        None => Ok(()),
        Some(group) => {
            let [first, found] =
                [first, group].map(|group| (names.named_group(group), sizes(group)));
            Err(ExportError::UnequalGroups { format, first, found })
        }
    }
}
