//! Wirings to test on: the arrangement `absolute`, and random ones with missing cables.

use super::walk::Walk;
use crate::topology::arrangement::{Arrangement, arrange};
use crate::topology::{End, Topology};
use proptest::prelude::*;
use tvlb_schema::{Dragonfly, Switch};

/// The arrangement `absolute` of dfly(p, a, h, g).
pub(crate) fn absolute(p: u32, a: u32, h: u32, g: u32) -> Topology {
    let df = Dragonfly::new(p, a, h, g).unwrap();
    arrange(df, Arrangement::Absolute, 0).unwrap()
}

/// Small wirings at random: any number of cables between any two switches of different groups,
/// from none to nearly all ports used.
pub(crate) fn any() -> impl Strategy<Value = Topology> {
    (1_u32..=5, 1_u32..=4, 2_u32..=6)
        .prop_filter("g is at most a·h + 1", |(a, h, g)| *g <= a * h + 1)
        .prop_flat_map(|(a, h, g)| {
            let df = Dragonfly::new(1, a, h, g).unwrap();
            let ends: Vec<End> = df
                .groups()
                .flat_map(|group| df.global_ports().map(move |port| End { group, port }))
                .collect();
            let most = ends.len() / 2;
            (Just(df), Just(ends).prop_shuffle(), prop_oneof![Just(most), 0..=most])
        })
        .prop_map(|(df, ends, tries)| {
            let cables = ends
                .chunks_exact(2)
                .take(tries)
                .filter(|pair| pair[0].group != pair[1].group)
                .map(|pair| (pair[0], pair[1]));
            Topology::from_cables(df, cables).unwrap()
        })
}

/// All ordered pairs of switches of different groups.
pub(crate) fn inter_group_pairs(topology: &Topology) -> Vec<(Switch, Switch)> {
    let df = topology.dragonfly();
    df.switches()
        .flat_map(|s| df.switches().map(move |d| (s, d)))
        .filter(|&(s, d)| df.place(s).0 != df.place(d).0)
        .collect()
}

/// Whether a walk goes from `source` to `destination`, each hop over a cable that there is.
pub(super) fn is_walk(
    topology: &Topology,
    source: Switch,
    destination: Switch,
    walk: &Walk,
) -> bool {
    let df = topology.dragonfly();
    let hop = |s: Switch, d: Switch| {
        let (group, index) = df.place(s);
        s != d
            && (group == df.place(d).0
                || (0..u16::try_from(df.h()).unwrap()).any(|slot| {
                    topology
                        .peer(End::new(df, group, index, slot))
                        .is_some_and(|far| df.switch(far.group, df.split_port(far.port).0) == d)
                }))
    };
    walk.switches()[0] == source
        && walk.last() == destination
        && walk.switches().windows(2).all(|w| hop(w[0], w[1]))
}
