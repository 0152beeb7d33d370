//! Wirings to test on: the arrangement `absolute`, and random ones with missing cables.
//!
//! The tests of the balance include this file too, so it names the crate from without.

use proptest::prelude::*;
use tvlb_schema::{Dragonfly, End, SwitchId};
use tvlb_topology::Topology;
use tvlb_topology::arrangement::{Arrangement, arrange};

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
pub(crate) fn inter_group_pairs(topology: &Topology) -> Vec<(SwitchId, SwitchId)> {
    let df = topology.dragonfly();
    df.switches()
        .flat_map(|s| df.switches().map(move |d| (s, d)))
        .filter(|&(s, d)| df.place(s).0 != df.place(d).0)
        .collect()
}
