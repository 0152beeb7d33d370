//! Triples listed leg by leg from their definition, independently of the walks over crossings, to test these.

use super::minimal::{self, MinPath};
use super::triples::TripleCounts;
use super::walk::Walk;
use super::wirings;
use crate::Topology;
use std::collections::BTreeSet;
use tvlb_schema::{Dragonfly, End, GlobalPort, GroupId, SwitchId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Triple {
    /// The intermediate switch R.
    pub via: SwitchId,
    pub first: MinPath,
    pub second: MinPath,
}

impl Triple {
    /// The switches from source to destination.
    pub(super) fn walk(&self) -> Walk {
        self.first.walk.then(&self.second.walk)
    }
}

/// The triples between two switches, by rising R, then leg 1, then leg 2, both in the order of
/// [`minimal::direct`]. None from a switch to itself.
pub(super) fn triples(
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

impl TripleCounts {
    /// Counts triples one by one.
    pub(super) fn of(triples: impl IntoIterator<Item = Triple>) -> Self {
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
}

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
