//! The MIN paths between two switches, straight from their definition.
//!
//! From a switch to itself: the path of no hops. Within a group: the one local hop, if there is a link. Between groups:
//! one path for each global link x between the two, with a local hop before x unless the source has x, and one after it
//! unless x arrives at the destination. A link x is left out if one of these hops has no link; if that excludes all
//! links, none is left out, and such a hop goes through a third switch that is linked to both.

use super::walk::Walk;
use crate::Topology;
use tvlb_schema::{GlobalPort, SwitchId, SwitchIndex};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MinPath {
    /// The port of the source group through which it leaves; `None` if it stays in the group.
    pub x: Option<GlobalPort>,
    /// The switches from source to destination.
    pub walk: Walk,
    /// How many paths there are with this x: more than one if there is a choice of third switches.
    pub ways: u32,
}

impl MinPath {
    /// Hops from switch to switch: 0 to 3, or up to 5 if local hops have no link.
    pub fn hops(&self) -> usize {
        self.walk.hops()
    }
}

/// The MIN paths from one switch to another, by rising port x and then by third switches; none if the two groups have
/// no cable between them, or two switches of a group lost their last link.
pub fn paths(topology: &Topology, source: SwitchId, destination: SwitchId) -> Vec<MinPath> {
    let direct = direct(topology, source, destination);
    let df = topology.dragonfly();
    let ((from, here), (to, there)) = (df.place(source), df.place(destination));
    if !direct.is_empty() || from == to && topology.is_parted(from, here, there) {
        return direct;
    }
    // The third switches of a hop, `None` for its own link or no hop at all.
    let ways = |group, one, other| -> Vec<Option<SwitchIndex>> {
        if topology.is_local_hop(group, one, other) {
            vec![None]
        } else {
            topology.relays(group, one, other).map(Some).collect()
        }
    };
    let mut paths = Vec::new();
    if from == to {
        let thirds: Vec<SwitchIndex> = topology.relays(from, here, there).collect();
        let ways = u32::try_from(thirds.len()).expect("a group has at most 2⁸ switches");
        paths.extend(thirds.into_iter().map(|third| {
            let walk = Walk::at(source).to(df.switch(from, third)).to(destination);
            MinPath { x: None, walk, ways }
        }));
    }
    for link in topology.links(from, to) {
        let (leaves, arrives) = (df.split_port(link.from).0, df.split_port(link.to).0);
        let (before, after) = (ways(from, here, leaves), ways(to, arrives, there));
        let count = u32::try_from(before.len() * after.len()).expect("at most 2¹⁶");
        for first in &before {
            for last in &after {
                let mut walk = Walk::at(source);
                for index in [*first, Some(leaves)].into_iter().flatten() {
                    walk = walk.to(df.switch(from, index));
                }
                for index in [Some(arrives), *last, Some(there)].into_iter().flatten() {
                    walk = walk.to(df.switch(to, index));
                }
                paths.push(MinPath { x: Some(link.from), walk, ways: count });
            }
        }
    }
    paths
}

/// The MIN paths in the order of [`paths`], and how often each is drawn: uniformly by x, and then by third
/// switches.
pub fn drawn(
    topology: &Topology,
    source: SwitchId,
    destination: SwitchId,
) -> impl Iterator<Item = (MinPath, f64)> {
    let paths = paths(topology, source, destination);
    let links = paths.chunk_by(|one, next| one.x == next.x).count();
    let links = u32::try_from(links).expect("two groups share at most 4096 links");
    paths.into_iter().map(move |path| (path, 1.0 / f64::from(links * path.ways)))
}

/// The MIN paths with a link for each local hop, by rising port x.
pub fn direct(topology: &Topology, source: SwitchId, destination: SwitchId) -> Vec<MinPath> {
    let df = topology.dragonfly();
    let ((from, here), (to, there)) = (df.place(source), df.place(destination));
    if from == to {
        let path = MinPath { x: None, walk: Walk::at(source).to(destination), ways: 1 };
        return topology.is_local_hop(from, here, there).then_some(path).into_iter().collect();
    }
    topology
        .links(from, to)
        .iter()
        .filter_map(|link| {
            let (leaves, arrives) = (df.split_port(link.from).0, df.split_port(link.to).0);
            let is_path = topology.is_local_hop(from, here, leaves)
                && topology.is_local_hop(to, arrives, there);
            let walk = Walk::at(source).to(df.switch(from, leaves)).to(df.switch(to, arrives));
            is_path.then(|| MinPath { x: Some(link.from), walk: walk.to(destination), ways: 1 })
        })
        .collect()
}

/// How many of these paths have 0, 1, 2 and 3 hops, and 4 and 5 if any has.
pub fn count_by_hops(paths: &[MinPath]) -> Vec<u64> {
    let mut counts = vec![0; 4];
    for path in paths {
        if counts.len() <= path.hops() {
            counts.resize(path.hops() + 1, 0);
        }
        counts[path.hops()] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::super::is_walk::is_walk;
    use super::super::wirings;
    use super::*;
    use proptest::prelude::*;

    fn by_hops(topology: &Topology, from: u16, to: u16) -> Vec<u64> {
        count_by_hops(&paths(topology, SwitchId(from), SwitchId(to)))
    }

    #[test]
    fn within_a_group_there_is_one_path() {
        let topology = wirings::absolute(2, 4, 2, 9);
        assert_eq!(by_hops(&topology, 5, 5), [1, 0, 0, 0]);
        assert_eq!(by_hops(&topology, 5, 7), [0, 1, 0, 0]);
    }

    #[test]
    fn every_link_of_a_pair_of_groups_makes_one_path() {
        // One link per pair of groups: from all of a group's switches to all of another's there
        // is one path of 1 hop, a - 1 of 2 at either end, and (a - 1)² of 3.
        let topology = wirings::absolute(2, 4, 2, 9);
        let mut sum = [0; 4];
        for from in 0..4 {
            for to in 32..36 {
                for (sum, count) in sum.iter_mut().zip(by_hops(&topology, from, to)) {
                    *sum += count;
                }
            }
        }
        assert_eq!(sum, [0, 1, 6, 9]);
    }

    proptest! {
        #[test]
        fn paths_walk_over_cables_and_backwards_too(topology in wirings::any()) {
            let switches: Vec<SwitchId> = topology.dragonfly().switches().collect();
            for &s in &switches {
                for &d in &switches {
                    let forth = paths(&topology, s, d);
                    for path in &forth {
                        prop_assert!(is_walk(&topology, s, d, &path.walk));
                        prop_assert!(!path.walk.revisits());
                    }
                    prop_assert_eq!(
                        count_by_hops(&forth),
                        count_by_hops(&paths(&topology, d, s))
                    );
                }
            }
        }
    }
}
