//! Tests of escape networks.

use super::*;
use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;
use tvlb_schema::{Dragonfly, End, Port, SwitchId};
use tvlb_topology::arrangement::{Arrangement, arrange};
use tvlb_topology::{Cable, Topology};

fn wired(a: u32, h: u32, g: u32, arrangement: Arrangement) -> Topology {
    arrange(Dragonfly::new(1, a, h, g).unwrap(), arrangement, 1).unwrap()
}

/// The switch that a port leads to.
fn behind(topology: &Topology, switch: SwitchId, port: Port) -> Option<SwitchId> {
    let df = topology.dragonfly();
    let (group, index) = df.place(switch);
    if df.is_slot(port) {
        let end = topology.peer(End::new(df, group, index, port.0 - df.slot_port(0).0))?;
        return Some(df.switch(end.group, df.split_port(end.port).0));
    }
    let (other, k) = df.local_end(df.switches_of(group), index, port)?;
    (k < topology.links_within(group, index, other)).then(|| df.switch(group, other))
}

/// Every switch once, each port leading to the next, and the last to the first.
fn check_ring(topology: &Topology, ring: &Ring) {
    let hops = &ring.hops;
    let switches: BTreeSet<SwitchId> = hops.iter().map(|hop| hop.switch).collect();
    assert_eq!(switches.len(), hops.len());
    assert_eq!(hops.len(), topology.dragonfly().switch_count() as usize);
    for (hop, next) in hops.iter().zip(hops.iter().cycle().skip(1)) {
        assert_eq!(behind(topology, hop.switch, hop.port), Some(next.switch));
    }
}

/// Every switch but the root hangs below one, ports lead up, and the order has each switch before all that hang
/// below it.
fn check_tree(topology: &Topology, tree: &Tree) {
    let df = topology.dragonfly();
    let mut places = BTreeSet::new();
    for switch in df.switches() {
        let at = switch.as_usize();
        assert!(places.insert(tree.order[at]));
        match tree.parents[at] {
            None => assert_eq!((switch, tree.order[at]), (tree.root, 0)),
            Some((above, port)) => {
                assert_eq!(behind(topology, switch, port), Some(above));
                let (first, size) = (tree.order[above.as_usize()], tree.sizes[above.as_usize()]);
                assert!(first < tree.order[at] && tree.order[at] + tree.sizes[at] <= first + size);
            }
        }
    }
    assert_eq!(places.len(), df.switch_count() as usize);
    assert_eq!(tree.sizes[tree.root.as_usize()], df.switch_count());
}

#[test]
fn rings_are_found_by_the_first_rule_that_finds_one() {
    use Arrangement::{Absolute, AbsoluteClassic, Palmtree, Relative};
    let all = [(4, 2, 9), (8, 4, 9), (8, 4, 17), (8, 4, 33), (26, 13, 27), (12, 6, 73), (6, 3, 19)];
    let mut cases: Vec<_> = [Palmtree, Relative]
        .into_iter()
        .flat_map(|arrangement| all.map(|sizes| (arrangement, sizes, RingRule::InOrder)))
        .collect();
    for sizes in [(8, 4, 9), (8, 4, 17), (26, 13, 27)] {
        cases.push((Absolute, sizes, RingRule::InOrder));
    }
    for (sizes, stride) in [((8, 4, 33), 13), ((12, 6, 73), 31), ((6, 3, 19), 7)] {
        cases.push((Absolute, sizes, RingRule::Stride(stride)));
    }
    for (sizes, stride) in [((4, 2, 9), 2), ((8, 4, 33), 4), ((12, 6, 73), 4)] {
        cases.push((AbsoluteClassic, sizes, RingRule::Stride(stride)));
    }
    for (arrangement, (a, h, g), rule) in cases {
        let topology = wired(a, h, g, arrangement);
        let ring = Ring::of(&topology).unwrap();
        assert_eq!(ring.rule, rule, "{arrangement:?} {a} {h} {g}");
        check_ring(&topology, &ring);
    }
    // No stride works here, and a search over groups does at once.
    let topology = wired(4, 2, 9, Absolute);
    let ring = Ring::of(&topology).unwrap();
    assert!(matches!(ring.rule, RingRule::Groups { steps } if steps < 30), "{}", ring.rule);
    check_ring(&topology, &ring);
    // No group can be passed once each; over switches there is a ring.
    let topology = wired(2, 2, 5, Absolute);
    let ring = Ring::of(&topology).unwrap();
    assert!(matches!(ring.rule, RingRule::Switches { .. }), "{}", ring.rule);
    check_ring(&topology, &ring);
}

/// A wiring that has lost a share of its cables.
fn thinned(whole: &Topology, percent: usize, rng: &mut impl Rng) -> Topology {
    let mut cables: Vec<Cable> = whole.cables().to_vec();
    cables.shuffle(rng);
    cables.truncate(cables.len() * (100 - percent) / 100);
    let cables = cables.into_iter().map(|cable| (cable.low, cable.high));
    Topology::from_cables(*whole.dragonfly(), cables).unwrap()
}

#[test]
fn rings_are_found_where_cables_are_missing() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    for (a, h, g) in [(8, 4, 9), (8, 4, 33), (12, 6, 73)] {
        let whole = wired(a, h, g, Arrangement::Absolute);
        for percent in [5, 20, 40] {
            for _ in 0..3 {
                let topology = thinned(&whole, percent, &mut rng);
                let ring = Ring::of(&topology).unwrap();
                check_ring(&topology, &ring);
                check_tree(&topology, &Tree::below(&topology, SwitchId(3)).unwrap());
            }
        }
    }
}

#[test]
fn a_group_that_no_ring_can_pass_is_named() {
    let whole = wired(4, 2, 9, Arrangement::Palmtree);
    let of_group = |cable: &&Cable, group: u16| {
        let df = whole.dragonfly();
        [cable.low, cable.high]
            .into_iter()
            .find(|end| end.group.0 == group)
            .map(|end| df.split_port(end.port).0.0)
    };
    let keep = |kept: &dyn Fn(&&Cable) -> bool| {
        let cables: Vec<_> =
            whole.cables().iter().filter(kept).map(|cable| (cable.low, cable.high)).collect();
        Topology::from_cables(*whole.dragonfly(), cables).unwrap()
    };
    // All cables of group 4 at its switch 2.
    let topology = keep(&|cable| of_group(cable, 4).is_none_or(|switch| switch == 2));
    let error = Ring::of(&topology).unwrap_err();
    assert!(
        error.to_string().contains("but group 4 has its cables at one switch or none"),
        "{error}"
    );
    check_tree(&topology, &Tree::below(&topology, Tree::root_of(&topology)).unwrap());
    // None at all.
    let topology = keep(&|cable| of_group(cable, 4).is_none());
    let error = Tree::below(&topology, SwitchId(0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no escape tree: switch 16 cannot be reached from the root, switch 0"
    );
    let error = Tree::below(&topology, SwitchId(36)).unwrap_err();
    assert_eq!(error.to_string(), "escape tree: there is no switch 36; the last is 35");
}

#[test]
fn a_tree_is_as_flat_as_its_root_allows() {
    for (a, h, g) in [(4, 2, 9), (8, 4, 33), (12, 6, 73)] {
        let topology = wired(a, h, g, Arrangement::Palmtree);
        let root = Tree::root_of(&topology);
        let tree = Tree::below(&topology, root).unwrap();
        check_tree(&topology, &tree);
        // From the root to a switch of its group, over a cable, and to a switch of the other group.
        assert_eq!(tree.depth(), 3);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// On any wiring, what is found is a ring or a tree; a group that is named as cut can be in no ring.
    #[test]
    fn what_is_found_is_one(
        a in 1_u32..5, h in 1_u32..4, g in 2_u32..8, percent in 0_usize..60, seed in any::<u64>(),
    ) {
        let df = Dragonfly::new(1, a, h, g);
        prop_assume!(df.is_ok());
        let whole = arrange(df.unwrap(), Arrangement::Random, seed);
        prop_assume!(whole.is_ok());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let topology = thinned(&whole.unwrap(), percent, &mut rng);
        match Ring::of(&topology) {
            Ok(ring) => check_ring(&topology, &ring),
            Err(RingError::Cut(groups)) => prop_assert!(!groups.is_empty()),
            Err(RingError::NotFound { .. }) => {}
        }
        if let Ok(tree) = Tree::below(&topology, SwitchId(0)) {
            check_tree(&topology, &tree);
        }
    }
}
