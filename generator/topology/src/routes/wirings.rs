//! Wirings to test on: the arrangement `absolute`, and random ones with missing cables.
//!
//! The tests of the balance include this file too, so it names the crate from without.

use proptest::prelude::*;
use tvlb_schema::{Dragonfly, End, GroupKind, RouteKey, SwitchId};
use tvlb_topology::Topology;
use tvlb_topology::arrangement::{Arrangement, arrange};

/// The arrangement `absolute` of dfly(p, a, h, g).
pub(crate) fn absolute(p: u32, a: u32, h: u32, g: u32) -> Topology {
    let df = Dragonfly::new(p, a, h, g).unwrap();
    arrange(df, Arrangement::Absolute, 0).unwrap()
}

/// Small Dragonflies: groups that are all alike, or of up to three kinds, of which some are absent.
pub(crate) fn sizes() -> impl Strategy<Value = Dragonfly> {
    let alike = (1_u16..=5, 1_u16..=4, 2_u16..=6).prop_map(|(a, h, g)| vec![(1, a, h, g)]);
    let kinds = prop::collection::vec((0_u16..=2, 0_u16..=5, 1_u16..=4, 1_u16..=3), 2..=3);
    prop_oneof![alike, kinds].prop_filter_map("the sizes make no Dragonfly", |kinds| {
        let kind = |(p, a, h, g)| match a {
            0 => GroupKind::absent(g),
            a => GroupKind::new(p, a, h, g),
        };
        Dragonfly::of_kinds(&kinds.into_iter().map(kind).collect::<Vec<_>>()).ok()
    })
}

/// Small wirings at random: any number of cables between any two switches of different groups,
/// from none to nearly all ports used; and up to three links, or none, between two switches of a group.
pub(crate) fn any() -> impl Strategy<Value = Topology> {
    let locals = prop_oneof![Just(None), proptest::num::u64::ANY.prop_map(Some)];
    (plain(), locals).prop_map(|(topology, seed)| match seed {
        None => topology,
        Some(seed) => with_local_links(topology, seed),
    })
}

/// The same cables, and local links at random: as many as a hash of the two switches says, where every
/// two are linked or have a third between them.
pub(crate) fn with_local_links(topology: Topology, seed: u64) -> Topology {
    let df = *topology.dragonfly();
    let mut links = Vec::new();
    for group in df.groups() {
        for low in df.indices(group) {
            for high in df.indices(group).filter(|&high| low < high) {
                let key = RouteKey(u64::from(df.switch(group, low).0) << 8 | u64::from(high.0));
                // Two in eight pairs have none, and two each have one, two and three.
                let count = key.hash(seed) >> 61 & 3;
                links.extend((0..count).map(|_| (group, low, high)));
            }
        }
    }
    topology.clone().with_local_links(links).unwrap_or(topology)
}

/// Small wirings at random, whose switches share one link with each other of their group.
pub(crate) fn plain() -> impl Strategy<Value = Topology> {
    sizes()
        .prop_flat_map(|df| {
            let ends: Vec<End> = df
                .groups()
                .flat_map(|group| df.global_ports().map(move |port| End { group, port }))
                .filter(|end| df.has_global_port_of(end.group, end.port))
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

/// All ordered pairs of switches with nodes of different groups.
pub(crate) fn inter_group_pairs(topology: &Topology) -> Vec<(SwitchId, SwitchId)> {
    let df = topology.dragonfly();
    let ends = || topology.ends().iter();
    ends()
        .flat_map(|s| ends().map(move |d| (s, d)))
        .filter(|&(s, d)| df.place(s).0 != df.place(d).0)
        .collect()
}
