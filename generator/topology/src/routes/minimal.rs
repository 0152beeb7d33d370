//! The MIN paths between two switches, straight from their definition.
//!
//! From a switch to itself: the path of no hops. Within a group: the one local hop. Between
//! groups: one path for each global link x between the two, with a local hop before x unless the
//! source has x, and one after it unless x arrives at the destination.

use super::walk::Walk;
use crate::Topology;
use tvlb_schema::{GlobalPort, SwitchId};

/// A MIN path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MinPath {
    /// The port of the source group by which it leaves; `None` if it stays in the group.
    pub x: Option<GlobalPort>,
    /// The switches from source to destination.
    pub walk: Walk,
}

impl MinPath {
    /// Hops from switch to switch: 0 to 3.
    pub fn hops(&self) -> usize {
        self.walk.hops()
    }
}

/// The MIN paths from one switch to another, by rising port x; none where the two groups have no
/// cable between them.
pub fn paths(topology: &Topology, source: SwitchId, destination: SwitchId) -> Vec<MinPath> {
    let df = topology.dragonfly();
    let (from, _) = df.place(source);
    let (to, _) = df.place(destination);
    if from == to {
        return vec![MinPath { x: None, walk: Walk::at(source).to(destination) }];
    }
    topology
        .links(from, to)
        .iter()
        .map(|link| {
            let leaves = df.switch(from, df.split_port(link.from).0);
            let arrives = df.switch(to, df.split_port(link.to).0);
            MinPath {
                x: Some(link.from),
                walk: Walk::at(source).to(leaves).to(arrives).to(destination),
            }
        })
        .collect()
}

/// How many of these paths have 0, 1, 2 and 3 hops.
pub fn count_by_hops(paths: &[MinPath]) -> [u64; 4] {
    let mut counts = [0; 4];
    for path in paths {
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

    fn by_hops(topology: &Topology, from: u16, to: u16) -> [u64; 4] {
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
