//! The third rule of the ring: a search over groups, depth first.

use super::inside::{has_way_through, passes};
use tvlb_schema::GroupId;
use tvlb_topology::{Link, Topology};

/// How a search ended.
pub(super) enum GroupSearchOutcome {
    /// A ring: its groups, and the link from each to the next.
    Ring { order: Vec<GroupId>, links: Vec<Link>, steps: u64 },
    /// No ring enters each group once.
    Nothing,
    /// It took too many steps.
    GivenUp { steps: u64 },
}

/// A group of the way so far.
struct Visit {
    group: GroupId,
    /// Where to go on, the last first.
    left: Vec<(GroupId, Link)>,
}

/// Searches a ring in at most this many steps: among alternatives, first the group from which the fewest unvisited ones
/// can be reached, then the lower number, then the lower port.
pub(super) fn search(topology: &Topology, most: u64) -> GroupSearchOutcome {
    let df = topology.dragonfly();
    let joined = |one: GroupId, other: GroupId| !topology.links(one, other).is_empty();
    let mut visited = vec![false; df.g() as usize];
    // For each group how many unvisited groups it is joined to.
    let mut onward: Vec<usize> = df
        .group_numbers()
        .map(|group| df.groups().filter(|&other| other != group && joined(group, other)).count())
        .collect();
    let mark = |group: GroupId, onward: &mut Vec<usize>, enters: bool| {
        for other in df.groups().filter(|&other| other != group && joined(other, group)) {
            let count = &mut onward[other.as_usize()];
            if enters { *count -= 1 } else { *count += 1 }
        }
    };
    let groups: Vec<GroupId> = df.groups().collect();
    let first = groups[0];
    visited[first.as_usize()] = true;
    mark(first, &mut onward, true);
    let left = candidates(topology, first, None, (&visited, &onward));
    let mut way = vec![Visit { group: first, left }];
    let mut links: Vec<Link> = Vec::new();
    let mut steps = 0;
    while let Some(visit) = way.last_mut() {
        let Some((group, link)) = visit.left.pop() else {
            let group = visit.group;
            way.pop();
            links.pop();
            if !way.is_empty() {
                visited[group.as_usize()] = false;
                mark(group, &mut onward, false);
            }
            continue;
        };
        steps += 1;
        if steps > most {
            return GroupSearchOutcome::GivenUp { steps: most };
        }
        links.push(link);
        if way.len() + 1 == groups.len() {
            // All are visited; only the link back is missing.
            let back = topology.links(group, first).iter();
            let mut back = back.filter(|&&back| passes(topology, group, link, back));
            if let Some(&back) = back.find(|&&back| passes(topology, first, back, links[0])) {
                links.push(back);
                let order = way.iter().map(|visit| visit.group).chain([group]).collect();
                return GroupSearchOutcome::Ring { order, links, steps };
            }
            links.pop();
            continue;
        }
        visited[group.as_usize()] = true;
        mark(group, &mut onward, true);
        let left = candidates(topology, group, Some(link), (&visited, &onward));
        way.push(Visit { group, left });
    }
    GroupSearchOutcome::Nothing
}

/// The ways to continue from a group, the best last. Links that join the same two switches are one choice.
fn candidates(
    topology: &Topology,
    group: GroupId,
    entering: Option<Link>,
    (visited, onward): (&[bool], &[usize]),
) -> Vec<(GroupId, Link)> {
    let df = topology.dragonfly();
    let others = df.groups().filter(|other| *other != group && !visited[other.as_usize()]);
    let mut found: Vec<(usize, GroupId, Link)> = Vec::new();
    for other in others {
        let mut ends = Vec::new();
        for &link in topology.links(group, other) {
            let pair = (df.split_port(link.from).0, df.split_port(link.to).0);
            let leaves = entering.is_none_or(|entering| {
                entering.to != link.from
                    && has_way_through(topology, group, df.split_port(entering.to).0, pair.0)
            });
            if leaves && !ends.contains(&pair) {
                ends.push(pair);
                found.push((onward[other.as_usize()], other, link));
            }
        }
    }
    found.sort_unstable();
    found.reverse();
    found.into_iter().map(|(_, other, link)| (other, link)).collect()
}
