//! What a switch's image means is what the generator meant: the same routes, for every pair.
//!
//! The two sides share no code but the membership function: the generator lists routes from the
//! definition, the switch finds them in the cells of its images.

use tvlb_generator::fabric::Fabric;
use tvlb_schema::{Decision, DrawRule, Route, Shape, ShapeSet};
use tvlb_table_set::grammar::canonical;
use tvlb_tests::{arranged, boot, images, of_local_links, rule_of, shipped, uneven, with_set};
use tvlb_topology::arrangement::Arrangement;
use tvlb_topology::routes::ways::{kept, ways_of};

fn assert_same(fabric: &Fabric) {
    let generated = images(fabric);
    let df = fabric.topology.dragonfly();
    let rule = &rule_of(fabric);
    for switch in boot(&generated) {
        let source = switch.image().switch();
        for destination in df.switches() {
            let mut expected: Vec<(Route, Shape)> =
                kept(&fabric.topology, rule, source, destination)
                    .map(|way| (way.route(), way.shape()))
                    .collect();
            let mut found = Vec::new();
            switch.for_each_route(Decision::UgalL, destination, |route, shape| {
                found.push((route, shape));
            });
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{} from {source} to {destination}", canonical(rule));
            if matches!(rule.draw, DrawRule::ByShape { .. })
                && df.place(source).0 != df.place(destination).0
            {
                let shapes: ShapeSet = expected.iter().map(|(_, shape)| *shape).collect();
                assert_eq!(switch.image().set(Decision::UgalL).shapes_to(destination), shapes);
            }
        }
    }
}

/// As [`assert_same`] for a set of intermediate switches: the same walks, as often, and each route once.
fn assert_same_walks(fabric: &Fabric) {
    let generated = images(fabric);
    let df = fabric.topology.dragonfly();
    let rule = &rule_of(fabric);
    for switch in boot(&generated) {
        let source = switch.image().switch();
        for destination in df.switches() {
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            if df.place(source).0 != df.place(destination).0 {
                let ways = ways_of(&fabric.topology, rule, source, destination);
                let ways = ways.expect("it is of switches or triples");
                expected.extend(ways.map(|way| (way.route(), way.shape(), way.ways)));
            }
            switch.for_each_way(Decision::UgalL, destination, |route, shape, ways| {
                found.push((route, shape, ways));
            });
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{} from {source} to {destination}", canonical(rule));
            let mut listed = Vec::new();
            switch.for_each_route(Decision::UgalL, destination, |route, shape| {
                listed.push((route, shape));
            });
            listed.sort_unstable();
            let mut routes: Vec<_> =
                expected.iter().map(|&(route, shape, _)| (route, shape)).collect();
            routes.dedup();
            assert_eq!(listed, routes);
        }
    }
}

#[test]
fn sets_of_intermediate_switches() {
    for set in [
        "switches:2-3 with returns",
        "switches:2-3",
        "switches:1-2+2-1",
        "switches:3-3",
        "conventional",
    ] {
        assert_same_walks(&with_set(shipped("dfly-2-4-2-9.toml"), set));
        assert_same_walks(&with_set(shipped("dfly-4-8-4-9.toml"), set));
        for arrangement in Arrangement::ALL {
            assert_same_walks(&with_set(arranged((1, 3, 3, 5), arrangement), set));
        }
        for (a, h, g) in [(1, 6, 7), (1, 6, 4), (2, 2, 3), (4, 2, 2), (5, 1, 6)] {
            assert_same_walks(&with_set(arranged((1, a, h, g), Arrangement::Absolute), set));
        }
    }
}

#[test]
fn on_unequal_groups_and_local_links() {
    for fabric in uneven().into_iter().chain(of_local_links()) {
        for set in SETS {
            assert_same(&with_set(fabric.clone(), set));
        }
        for set in ["switches:2-3 with returns", "switches:3-3", "conventional"] {
            assert_same_walks(&with_set(fabric.clone(), set));
        }
    }
}

const SETS: [&str; 9] = [
    "min",
    "all",
    "2-hop by shape",
    "60% 5-hop",
    "1% shapes:121 by shape",
    "strategic-2-3 by shape",
    "strategic-3-2",
    "shapes:011",
    "3*shapes:011, 50% shapes:120",
];

#[test]
fn on_dfly_2_4_2_9() {
    for set in SETS {
        assert_same(&with_set(shipped("dfly-2-4-2-9.toml"), set));
    }
}

#[test]
fn on_dfly_4_8_4_9() {
    for set in SETS {
        assert_same(&with_set(shipped("dfly-4-8-4-9.toml"), set));
    }
}

#[test]
fn on_every_arrangement_with_unequal_pairs_and_unused_ports() {
    // a·h = 9 ports for 4 other groups: two or three links per pair, and one port left over.
    for arrangement in Arrangement::ALL {
        assert_same(&with_set(arranged((1, 3, 3, 5), arrangement), "all"));
        assert_same(&with_set(arranged((1, 3, 3, 5), arrangement), "70% shapes:121 by shape"));
    }
}

#[test]
fn where_a_group_is_one_switch_and_where_there_are_two_groups() {
    for (a, h, g) in [(1, 6, 7), (1, 6, 4), (2, 2, 3), (4, 2, 2), (5, 1, 6)] {
        assert_same(&with_set(arranged((1, a, h, g), Arrangement::Absolute), "all"));
        assert_same(&with_set(arranged((1, a, h, g), Arrangement::Absolute), "all by shape"));
    }
}
