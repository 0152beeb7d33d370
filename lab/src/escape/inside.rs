//! Paths through all switches of one group.

use tvlb_schema::{GroupId, SwitchIndex};
use tvlb_topology::{Link, Topology};

/// The most steps of a search within one group.
const MOST_STEPS: u32 = 100_000;

/// All switches of a group, from the one at which it is entered to another at which it is left, each linked to the
/// next; by rising index if possible. A group of one switch is entered and left there. `None` if there is no such path,
/// or a bounded search found none, which can happen only if two switches share no link.
pub(super) fn way_through(
    topology: &Topology,
    group: GroupId,
    entered: SwitchIndex,
    left: SwitchIndex,
) -> Option<Vec<SwitchIndex>> {
    let df = topology.dragonfly();
    if df.switches_of(group) == 1 {
        return Some(vec![entered]);
    }
    if entered == left {
        return None;
    }
    let between = df.indices(group).filter(|&index| index != entered && index != left);
    let way: Vec<SwitchIndex> =
        std::iter::once(entered).chain(between).chain(std::iter::once(left)).collect();
    let is_linked = |pair: &[SwitchIndex]| topology.links_within(group, pair[0], pair[1]) > 0;
    if topology.group_links().is_whole() || way.windows(2).all(is_linked) {
        return Some(way);
    }
    search(topology, group, entered, left)
}

/// Whether a group can be entered and left so, without saying how.
pub(super) fn has_way_through(
    topology: &Topology,
    group: GroupId,
    entered: SwitchIndex,
    left: SwitchIndex,
) -> bool {
    if topology.group_links().is_whole() {
        return topology.dragonfly().switches_of(group) == 1 || entered != left;
    }
    way_through(topology, group, entered, left).is_some()
}

/// Whether a ring that enters a group by one link can leave it by another.
pub(super) fn passes(topology: &Topology, group: GroupId, entering: Link, leaving: Link) -> bool {
    let df = topology.dragonfly();
    let (entered, left) = (df.split_port(entering.to).0, df.split_port(leaving.from).0);
    entering.to != leaving.from && has_way_through(topology, group, entered, left)
}

/// Depth first, the switch of the lowest index first.
fn search(
    topology: &Topology,
    group: GroupId,
    entered: SwitchIndex,
    left: SwitchIndex,
) -> Option<Vec<SwitchIndex>> {
    let indices: Vec<SwitchIndex> = topology.dragonfly().indices(group).collect();
    let mut way = vec![entered];
    // For each switch of the path, the index in the list where the search for the next one continues.
    let mut next = vec![0];
    for _ in 0..MOST_STEPS {
        let (&here, place) = (way.last()?, next.last_mut()?);
        let is_last = way.len() + 1 == indices.len();
        let fits = |&&index: &&SwitchIndex| {
            !way.contains(&index)
                && (index == left) == is_last
                && topology.links_within(group, here, index) > 0
        };
        let found = indices.iter().enumerate().skip(*place).find(|(_, index)| fits(index));
        if let Some((at, &index)) = found {
            *place = at + 1;
            way.push(index);
            next.push(0);
            if is_last {
                return Some(way);
            }
        } else {
            way.pop();
            next.pop();
        }
    }
    None
}
