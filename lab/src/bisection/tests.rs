//! The least cuts of the small machine of Kaplan et al. (2017), and of all tiny wirings.

use super::*;
use proptest::prelude::*;
use tvlb_schema::{Dragonfly, End, GlobalPort, GroupId, GroupKind};
use tvlb_topology::arrangement::{Arrangement, arrange};

fn wired(name: &str, [p, a, h, g]: [u32; 4]) -> Topology {
    let df = Dragonfly::new(p, a, h, g).unwrap();
    arrange(df, name.parse().unwrap(), 1).unwrap()
}

fn found(topology: &Topology, ratio: &str) -> Bisection {
    let found = bisection(topology, ratio.parse().unwrap(), &()).unwrap();
    let half = topology.dragonfly().switch_count() as usize / 2;
    assert_eq!(found.first_half.len(), half);
    let cut = cut_links(topology, &found.first_half);
    assert_eq!(cut, (found.local_links, found.global_links));
    assert!(found.lower <= found.upper(), "{found:?}");
    found
}

/// The least cuts in units of a local link: at the ratios 0.5, 1, 1.25, 2, 3 and 4.
#[test]
fn the_small_machine_has_these_least_cuts() {
    for (name, expected) in [
        ("absolute-classic", [12, 20, 24, 24, 24, 24]),
        ("relative", [12, 20, 24, 28, 32, 36]),
        ("circulant", [12, 20, 24, 32, 36, 36]),
    ] {
        let topology = wired(name, [2, 4, 2, 9]);
        for (ratio, expected) in ["0.5", "1", "1.25", "2", "3", "4"].into_iter().zip(expected) {
            let found = found(&topology, ratio);
            if ["0.5", "1"].contains(&ratio) {
                assert!(found.is_least(), "{name} {ratio}: {found:?}");
            }
            assert_eq!(found.upper(), expected * found.ratio.local(), "{name} {ratio}");
            if (name, ratio) == ("circulant", "4") {
                // Two switches of every group are on each side.
                assert_eq!((found.local_links, found.global_links), (36, 0));
                assert_eq!(found.first_half.iter().filter(|switch| switch.0 / 4 == 3).count(), 2);
            }
        }
    }
}

/// The switches of nodes, of which a switch has two.
fn of_nodes(nodes: impl IntoIterator<Item = u16>) -> Vec<SwitchId> {
    let even = nodes.into_iter().filter(|node| node.is_multiple_of(2));
    even.map(|node| SwitchId(node / 2)).collect()
}

/// What the halves cut that the authors' scripts name, some of which are not the least.
#[test]
fn published_halves_cut_this_much() {
    let two = |nodes: &[u16]| nodes.iter().flat_map(|node| [*node, node + 1]).collect::<Vec<_>>();
    for (name, nodes, expected) in [
        ("absolute-classic", (0..36).collect::<Vec<_>>(), (4, 16)),
        (
            "absolute-classic",
            (0..20).chain(24..28).chain(32..36).chain(two(&[40, 48, 56, 64])).collect(),
            (24, 0),
        ),
        ("relative", (0..32).chain(36..40).collect(), (4, 16)),
        (
            "relative",
            (0..18).chain(20..24).chain(28..32).chain(two(&[36, 50, 58, 64, 66])).collect(),
            (20, 4),
        ),
        ("circulant", (0..16).chain(32..48).chain(58..62).collect(), (4, 16)),
        (
            "circulant",
            (0..12).chain(14..20).chain(22..30).chain(32..38).chain(two(&[50, 54])).collect(),
            (16, 14),
        ),
        ("circulant", (0..9).flat_map(|group| 8 * group..8 * group + 4).collect(), (36, 0)),
    ] {
        let half = of_nodes(nodes);
        assert_eq!(half.len(), 18, "{name}");
        assert_eq!(cut_links(&wired(name, [2, 4, 2, 9]), &half), expected, "{name}");
    }
}

/// If global links are no faster than local ones, counting alone proves the cut of large machines.
#[test]
fn counting_proves_cuts_of_large_machines() {
    for (sizes, ratio, expected) in [
        ([4, 8, 4, 33], "1", 272.0),
        ([8, 16, 8, 129], "0.5", 2112.0),
        ([13, 26, 13, 27], "0.5", 1267.5),
    ] {
        let found = found(&wired("relative", sizes), ratio);
        assert!(found.is_least(), "{found:?}");
        assert!((found.ratio.in_local_links(found.lower) - expected).abs() < 1e-9, "{found:?}");
    }
    // Beyond, the cut is an interval.
    let found = found(&wired("relative", [4, 8, 4, 33]), "2");
    assert_eq!((found.lower, found.upper()), (315, 380));
}

/// The least weight that any split into halves cuts, by trying all.
fn by_trying_all(topology: &Topology, ratio: Ratio) -> u64 {
    let switches: Vec<SwitchId> = topology.dragonfly().switches().collect();
    let half = u32::try_from(switches.len() / 2).unwrap();
    let sets = (0..1_u32 << switches.len()).filter(|set| set.count_ones() == half);
    let cut = |set: u32| {
        let members = switches.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
        let members: Vec<SwitchId> = members.map(|(_, switch)| *switch).collect();
        let (local, global) = cut_links(topology, &members);
        local * ratio.local() + global * ratio.global()
    };
    sets.map(cut).min().unwrap()
}

/// A tiny machine with any cables, and perhaps groups of two kinds and missing local links.
fn tiny() -> impl Strategy<Value = Topology> {
    let kinds = prop_oneof![
        Just(vec![GroupKind::new(1, 3, 2, 4)]),
        Just(vec![GroupKind::new(1, 2, 3, 5)]),
        Just(vec![GroupKind::new(1, 4, 1, 2), GroupKind::new(1, 3, 2, 1)]),
        Just(vec![GroupKind::new(1, 4, 2, 1).with_local_links(2), GroupKind::new(1, 2, 2, 3)]),
        Just(vec![GroupKind::new(1, 1, 6, 7)]),
    ];
    (kinds, prop::collection::vec((0..100_usize, 0..100_usize), 0..20), any::<bool>()).prop_map(
        |(kinds, pairs, is_lacking)| {
            let df = Dragonfly::of_kinds(&kinds).unwrap();
            let mut ends: Vec<End> = df
                .groups()
                .flat_map(|group| {
                    let ports = (0..df.ports_per_group())
                        .map(|port| GlobalPort(u16::try_from(port).unwrap()));
                    ports.map(move |port| End { group, port })
                })
                .filter(|end| df.has_global_port_of(end.group, end.port))
                .collect();
            let mut cables = Vec::new();
            for (one, other) in pairs {
                if ends.len() < 2 {
                    break;
                }
                let one = ends.swap_remove(one % ends.len());
                let other = ends.swap_remove(other % ends.len());
                if one.group != other.group {
                    cables.push((one, other));
                }
            }
            let topology = Topology::from_cables(df, cables).unwrap();
            if !is_lacking || df.switches_of(GroupId(0)) < 3 {
                return topology;
            }
            // The first group is a path or a star about its second switch.
            let links = df.indices(GroupId(0)).filter(|index| index.0 != 1);
            let links =
                links.map(|index| (GroupId(0), tvlb_schema::SwitchIndex(1), index)).collect();
            topology.with_local_links(links).unwrap()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn the_least_cut_is_between_the_ends(topology in tiny(), ratio in 1..40_u32) {
        check(&topology, ratio);
    }

    /// The same where every two groups share links, so that all kinds of links are counted.
    #[test]
    fn the_least_cut_of_an_arrangement_is_between_the_ends(
        sizes in 0..TINY.len(), seed: u64, ratio in 1..40_u32,
    ) {
        let [a, h, g] = TINY[sizes];
        let topology = arrange(Dragonfly::new(1, a, h, g).unwrap(), Arrangement::Random, seed).unwrap();
        check(&topology, ratio);
    }
}

/// Here no start by group and no exchange of groups leads to the least split, which cuts 60 tenths.
#[test]
fn disturbed_splits_lead_to_the_least() {
    let [a, h, g] = TINY[5];
    let df = Dragonfly::new(1, a, h, g).unwrap();
    check(&arrange(df, Arrangement::Random, 5_469_184_547_488_663_799).unwrap(), 16);
}

/// The sizes a, h and g of tiny machines.
const TINY: [[u32; 3]; 7] =
    [[2, 1, 3], [2, 2, 5], [2, 3, 7], [3, 1, 4], [4, 1, 3], [4, 2, 3], [1, 4, 5]];

/// On so few switches the split that is found is the least, and the lower end is no more.
fn check(topology: &Topology, tenths: u32) {
    let ratio = format!("{}.{}", tenths / 10, tenths % 10).parse().unwrap();
    let found = bisection(topology, ratio, &()).unwrap();
    assert_eq!(found.upper(), by_trying_all(topology, ratio));
    assert!(found.lower <= found.upper(), "{found:?}");
}

struct Impatient;

impl Progress for Impatient {
    fn is_cancelled(&self) -> bool {
        true
    }
}

#[test]
fn it_can_be_cancelled() {
    let topology = wired("circulant", [2, 4, 2, 9]);
    assert_eq!(bisection(&topology, "2".parse().unwrap(), &Impatient), Err(Cancelled));
}
