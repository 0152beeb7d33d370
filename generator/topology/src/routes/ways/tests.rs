use super::super::is_walk::is_walk;
use super::super::{listed, wirings};
use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use tvlb_schema::{GlobalPort, GroupId, Keep, ShapeSet};

/// Everything that the definition promises of the routes of one pair.
fn check(topology: &Topology, s: SwitchId, d: SwitchId) -> Result<(), TestCaseError> {
    let df = topology.dragonfly();
    let (from, to) = (df.place(s).0, df.place(d).0);
    let mut walks = BTreeSet::new();
    let mut keys = BTreeSet::new();
    for way in routes(topology, s, d) {
        let (walk, shape, route) = (way.walk(df, (s, d)), way.shape(), way.route());
        prop_assert!(is_walk(topology, s, d, &walk));
        prop_assert!(!walk.revisits());
        prop_assert_eq!(walk.hops(), usize::from(shape.hops()));
        let groups: Vec<GroupId> = walk.switches().iter().map(|&s| df.place(s).0).collect();
        let local = |group| groups.windows(2).filter(|w| w == &[group, group]).count();
        let middle = groups[usize::from(shape.head()) + 1];
        prop_assert!(middle != from && middle != to);
        prop_assert_eq!(local(from), usize::from(shape.head()));
        prop_assert_eq!(local(middle), usize::from(shape.mid()));
        prop_assert_eq!(local(to), usize::from(shape.tail()));
        prop_assert!(keys.insert(route.key(df, s, d)));
        prop_assert!(walks.insert((route.x, route.y, walk)));
    }
    // All walks are those of the triples, with the same intermediate switch.
    let all = |triples: Vec<_>| triples.into_iter().collect::<BTreeSet<_>>();
    let of_way = |way: Way| {
        let Route { x, y, .. } = way.route();
        (df.switch(way.crossing.middle, way.through), x, y, way.walk(df, (s, d)))
    };
    let ways: Vec<_> = triples(topology, s, d).map(of_way).collect();
    let listed = || listed::triples(topology, s, d);
    let expected =
        listed().map(|t| (t.via, t.first.x.unwrap(), t.second.x.unwrap(), t.walk())).collect();
    prop_assert_eq!(ways.len(), listed().count());
    prop_assert_eq!(all(ways), all(expected));
    // Routes are just the walks of the triples that do not come to a switch twice.
    let simple: BTreeSet<(GlobalPort, GlobalPort, Walk)> = listed()
        .filter(|t| !t.walk().revisits())
        .map(|t| (t.first.x.unwrap(), t.second.x.unwrap(), t.walk()))
        .collect();
    prop_assert_eq!(walks, simple);
    Ok(())
}

#[test]
fn routes_are_the_simple_walks_of_the_triples() {
    let topology = wirings::absolute(2, 4, 2, 9);
    for (s, d) in wirings::inter_group_pairs(&topology) {
        check(&topology, s, d).unwrap();
    }
    let topology = wirings::absolute(4, 8, 4, 9);
    for (s, d) in [(0, 8), (1, 17), (71, 0), (40, 39)] {
        check(&topology, SwitchId(s), SwitchId(d)).unwrap();
    }
}

proptest! {
    #[test]
    fn routes_are_the_simple_walks_of_the_triples_on_any_wiring(topology in wirings::any()) {
        for (s, d) in wirings::inter_group_pairs(&topology) {
            check(&topology, s, d)?;
        }
    }
}

#[test]
fn the_order_is_as_documented() {
    let topology = wirings::absolute(2, 4, 2, 9);
    let df = topology.dragonfly();
    for (s, d) in wirings::inter_group_pairs(&topology) {
        let order: Vec<_> = routes(&topology, s, d)
            .map(|way| {
                let middle = df
                    .place(way.walk(df, (s, d)).switches()[usize::from(way.shape().head()) + 1])
                    .0;
                (middle, way.route())
            })
            .collect();
        assert!(order.is_sorted());
    }
}

#[test]
fn a_switch_has_no_routes_to_its_own_group() {
    let topology = wirings::absolute(2, 4, 2, 9);
    assert_eq!(routes(&topology, SwitchId(0), SwitchId(3)).count(), 0);
    assert_eq!(routes(&topology, SwitchId(0), SwitchId(0)).count(), 0);
}

#[test]
fn a_rule_keeps_whole_shapes_and_fractions() {
    let topology = wirings::absolute(4, 8, 4, 9);
    let (s, d) = (SwitchId(1), SwitchId(17));
    let shapes = ShapeSet::generated_by(&[Shape::new(0, 1, 1).unwrap()]);
    let whole = SetRule::whole(shapes);
    let expected = routes(&topology, s, d).filter(|way| shapes.contains(way.shape()));
    let routes_of = |ways: Vec<Way>| ways.iter().map(Way::route).collect::<Vec<_>>();
    let found = kept(&topology, &whole, s, d).collect();
    assert_eq!(routes_of(found), routes_of(expected.collect()));
    let mut half = SetRule::whole(ShapeSet::ALL);
    half.keep = [Keep::new(5000).unwrap(); Shape::COUNT];
    let all = routes(&topology, s, d).count();
    let count = kept(&topology, &half, s, d).count();
    // Four standard deviations of the binomial.
    assert!(count.abs_diff(all / 2) < 52, "{count} of {all}");
}

proptest! {
    /// Of the triples over each switch those with the shortest legs, as many as share the draw of the switch.
    #[test]
    fn walks_by_switch_are_the_triples_of_the_shortest_legs(topology in wirings::any()) {
        for (s, d) in wirings::inter_group_pairs(&topology) {
            let mut expected = Vec::new();
            let triples: Vec<_> = listed::triples(&topology, s, d).collect();
            for over in triples.chunk_by(|one, next| one.via == next.via) {
                let first = over.iter().map(|t| t.first.hops()).min();
                let second = over.iter().map(|t| t.second.hops()).min();
                let is_shortest = |t: &&listed::Triple| {
                    Some(t.first.hops()) == first && Some(t.second.hops()) == second
                };
                let shortest: Vec<_> = over.iter().filter(is_shortest).collect();
                expected.extend(shortest.iter().map(|t| (t.walk(), shortest.len())));
            }
            let ways = by_switch(&topology, (LegHops::ALL, true), s, d);
            let found = ways.map(|way| (way.walk(topology.dragonfly(), (s, d)), way.ways as usize));
            prop_assert_eq!(found.collect::<Vec<_>>(), expected);
        }
    }
}
