//! VLB as triples (R, leg 1, leg 2), straight from their definition: the papers' way of counting.
//!
//! R is a switch outside the groups of source and destination, or for two switches of one group
//! another switch of it; leg 1 is a MIN path to R and leg 2 a MIN path from R, and each local hop of
//! either has a link. One walk can be
//! two triples, with R at either end of its hop in the intermediate group, and a walk can go
//! v→R→v. Conventional VLB draws R and then each leg uniformly, which is uniform over triples
//! where all pairs of groups have equally many links.

use super::minimal::{self, MinPath};
use super::walk::Walk;
use crate::Topology;
use serde::Serialize;
use std::collections::BTreeSet;
use tvlb_schema::SwitchId;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Triple {
    /// The intermediate switch R.
    pub via: SwitchId,
    pub first: MinPath,
    pub second: MinPath,
}

impl Triple {
    /// The switches from source to destination.
    pub fn walk(&self) -> Walk {
        self.first.walk.then(&self.second.walk)
    }
}

/// The triples between two switches, by rising R, then leg 1, then leg 2, both in the order of
/// [`minimal::direct`]. None from a switch to itself.
pub fn triples(
    topology: &Topology,
    source: SwitchId,
    destination: SwitchId,
) -> impl Iterator<Item = Triple> {
    let df = topology.dragonfly();
    let (from, _) = df.place(source);
    let (to, _) = df.place(destination);
    df.switches()
        .filter(move |&via| {
            let (group, _) = df.place(via);
            if from == to {
                source != destination && group == from && via != source && via != destination
            } else {
                group != from && group != to
            }
        })
        .flat_map(move |via| {
            let seconds = minimal::direct(topology, via, destination);
            minimal::direct(topology, source, via).into_iter().flat_map(move |first| {
                seconds.clone().into_iter().map(move |second| Triple { via, first, second })
            })
        })
}

/// What the triples between two switches add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TripleCounts {
    /// Triples by the hops of leg 1 and of leg 2, each less one: `by_legs[0][2]` is (1, 3).
    pub by_legs: [[u64; 3]; 3],
    /// Triples whose walk comes to some switch twice.
    pub revisiting: u64,
    /// Distinct walks among all triples, revisiting ones included. Walks are the same if they go
    /// over the same *cables*; two that differ only in which of two cables between the same
    /// switches they take are two.
    pub distinct_walks: u64,
}

impl TripleCounts {
    /// Counts triples one by one.
    pub fn of(triples: impl IntoIterator<Item = Triple>) -> Self {
        let mut counts = Self::default();
        let mut walks = BTreeSet::new();
        for triple in triples {
            let walk = triple.walk();
            counts.by_legs[triple.first.hops() - 1][triple.second.hops() - 1] += 1;
            counts.revisiting += u64::from(walk.revisits());
            // The two global ports and the switches say which cables the walk goes over.
            walks.insert((triple.first.x, triple.second.x, walk));
        }
        counts.distinct_walks = walks.len() as u64;
        counts
    }

    pub fn total(&self) -> u64 {
        self.by_legs.iter().flatten().sum()
    }

    /// Triples by hops from switch to switch: entry n has n hops, from 2 on.
    pub fn by_hops(&self) -> [u64; 7] {
        let mut counts = [0; 7];
        for (first, row) in self.by_legs.iter().enumerate() {
            for (second, count) in row.iter().enumerate() {
                counts[first + second + 2] += count;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::super::wirings;
    use super::*;
    use tvlb_schema::End;
    use tvlb_schema::{Dragonfly, GlobalPort, GroupId};

    fn counts(topology: &Topology, from: u16, to: u16) -> TripleCounts {
        TripleCounts::of(triples(topology, SwitchId(from), SwitchId(to)))
    }

    #[test]
    fn single_pairs_of_dfly_4_8_4_9_have_the_known_counts() {
        let topology = wirings::absolute(4, 8, 4, 9);
        let pair = counts(&topology, 0, 8);
        assert_eq!(pair.total(), 896);
        assert_eq!(pair.by_hops(), [0, 0, 0, 6, 54, 290, 546]);
        assert_eq!((pair.distinct_walks, pair.revisiting), (784, 0));
        let pair = counts(&topology, 1, 17);
        assert_eq!(pair.total(), 896);
        assert_eq!(pair.by_hops(), [0, 0, 3, 1, 85, 263, 544]);
        assert_eq!((pair.distinct_walks, pair.revisiting), (810, 182));
    }

    #[test]
    fn within_a_group_every_other_switch_is_one_triple() {
        let topology = wirings::absolute(4, 8, 4, 9);
        let pair = counts(&topology, 8, 13);
        assert_eq!(pair.by_legs, [[6, 0, 0], [0; 3], [0; 3]]);
        assert_eq!((pair.distinct_walks, pair.revisiting), (6, 0));
        assert_eq!(counts(&topology, 8, 8).total(), 0);
    }

    #[test]
    fn cables_between_the_same_two_switches_make_distinct_walks() {
        let df = Dragonfly::new(1, 1, 4, 3).unwrap();
        let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
        let cables = [(0, 1), (0, 2), (1, 2)].map(|(low, high)| {
            let port = |group, other: u16| if other > group { other - 1 } else { other };
            [0, 1].map(|k| (end(low, 2 * port(low, high) + k), end(high, 2 * port(high, low) + k)))
        });
        let topology = Topology::from_cables(df, cables.into_iter().flatten()).unwrap();
        let pair = counts(&topology, 0, 1);
        assert_eq!(pair.total(), 4);
        assert_eq!((pair.distinct_walks, pair.revisiting), (4, 0));
        assert!(triples(&topology, SwitchId(0), SwitchId(1)).all(|t| t.walk().hops() == 2));
    }
}
