//! Loads counted by listing every path, and what a balance does.

use super::*;
use proptest::prelude::*;
use tvlb_schema::{Route, Shape};
use tvlb_table_set::grammar::parse_set;
use tvlb_topology::Topology;
use tvlb_topology::links::LinkNumbers;
use tvlb_topology::routes::walk::Walk;
use tvlb_topology::routes::ways::{Way, routes, triples};
use wirings::{absolute, any, inter_group_pairs};

#[path = "../../topology/src/routes/wirings.rs"]
mod wirings;

/// Loads of local links, and of all links between each two groups together: a walk does not say which of several
/// parallel links it takes.
fn by_walks(topology: &Topology, walks: &[(Walk, f64)]) -> (Vec<f64>, Vec<f64>) {
    let df = topology.dragonfly();
    let links = LinkNumbers::new(*df);
    let (g, mut local) = (df.g() as usize, vec![0.0; links.count()]);
    let mut between = vec![0.0; g * g];
    for (walk, share) in walks {
        for hop in walk.switches().windows(2) {
            let ((from, u), (to, v)) = (df.place(hop[0]), df.place(hop[1]));
            if from == to {
                local[links.local(from, u, v)] += share;
            } else {
                between[from.as_usize() * g + to.as_usize()] += share;
            }
        }
    }
    (local, between)
}

/// The same sums of counted loads.
fn by_groups(topology: &Topology, loads: &LinkLoads) -> (Vec<f64>, Vec<f64>) {
    let df = topology.dragonfly();
    let links = LinkNumbers::new(*df);
    let (g, mut local) = (df.g() as usize, loads.by_link.clone());
    let mut between = vec![0.0; g * g];
    for group in df.groups() {
        for port in df.global_ports() {
            let number = links.global(group, port);
            let share = std::mem::take(&mut local[number]);
            if let Some(end) = topology.peer(tvlb_schema::End { group, port }) {
                between[group.as_usize() * g + end.group.as_usize()] += share;
            } else {
                assert!(share == 0.0, "an unused port carries nothing");
            }
        }
    }
    (local, between)
}

fn assert_same(topology: &Topology, loads: &LinkLoads, walks: &[(Walk, f64)]) {
    let (counted, listed) = (by_groups(topology, loads), by_walks(topology, walks));
    let pairs = counted.0.iter().zip(&listed.0).chain(counted.1.iter().zip(&listed.1));
    for (one, other) in pairs {
        assert!((one - other).abs() < 1e-9, "counted {one}, listed {other}");
    }
}

/// Every kept route with the probability of its draw.
fn listed(topology: &Topology, rule: &SetRule, levels: &[Vec<Level>]) -> Vec<(Walk, f64)> {
    let mut walks = Vec::new();
    for (source, destination) in inter_group_pairs(topology) {
        let levels = levels.get(source.as_usize()).map_or(&[][..], Vec::as_slice);
        let kept = |shape: Shape, route: &Route| {
            let level = levels.get(route.x.as_usize()).copied().unwrap_or(Level::ALL);
            rule.keeps_at(level, shape, route.key(topology.dragonfly(), source, destination))
        };
        let all: Vec<(Shape, Walk)> = routes(topology, source, destination)
            .filter(|way| kept(way.shape(), &way.route()))
            .map(|way| (way.shape(), way.walk(topology.dragonfly(), (source, destination))))
            .collect();
        let count = |n: usize| f64::from(u32::try_from(n).unwrap());
        let of_shape = |shape| count(all.iter().filter(|(s, _)| *s == shape).count());
        let weights: f64 = Shape::all()
            .filter(|&shape| of_shape(shape) > 0.0)
            .map(|shape| f64::from(rule.weight_of(shape)))
            .sum();
        let total = count(all.len());
        walks.extend(all.iter().map(|&(shape, walk)| {
            let by_shape = || f64::from(rule.weight_of(shape)) / weights / of_shape(shape);
            (walk, if rule.is_by_shape() { by_shape() } else { 1.0 / total })
        }));
    }
    walks
}

#[test]
fn the_load_of_conventional_vlb_is_that_of_all_triples() {
    for topology in [absolute(2, 4, 2, 9), absolute(1, 3, 2, 4), absolute(1, 1, 4, 5)] {
        let mut walks = Vec::new();
        for (source, destination) in inter_group_pairs(&topology) {
            let pair = (source, destination);
            let walk = |way: Way| way.walk(topology.dragonfly(), pair);
            let all: Vec<Walk> = triples(&topology, source, destination).map(walk).collect();
            let count = f64::from(u32::try_from(all.len()).unwrap());
            walks.extend(all.into_iter().map(|walk| (walk, 1.0 / count)));
        }
        assert_same(&topology, &LinkLoads::one_to_each(&topology, Draw::Conventional), &walks);
    }
}

#[test]
fn the_load_of_a_set_is_that_of_all_its_routes() {
    let topology = absolute(2, 4, 2, 9);
    for text in ["all", "strategic-2-3", "shapes:110", "2*shapes:011, only:120", "4-hop by shape"] {
        let rule = parse_set(text, 3).unwrap();
        let loads = LinkLoads::one_to_each(&topology, Draw::Set { rule: &rule, levels: &[] });
        assert_same(&topology, &loads, &listed(&topology, &rule, &[]));
    }
}

#[test]
fn levels_count_by_what_they_keep() {
    let topology = absolute(2, 4, 2, 9);
    let level = |n: usize| Level::new(u8::try_from(3 + n % 13).unwrap()).unwrap();
    let levels: Vec<Vec<Level>> = (0..36)
        .map(|s| if s % 3 == 0 { Vec::new() } else { (0..8).map(|x| level(s + x)).collect() })
        .collect();
    for text in ["all", "all by shape", "30% 5-hop", "shapes:021 by shape"] {
        let rule = parse_set(text, 3).unwrap();
        let loads = LinkLoads::one_to_each(&topology, Draw::Set { rule: &rule, levels: &levels });
        assert_same(&topology, &loads, &listed(&topology, &rule, &levels));
    }
}

/// A caller that has cancelled the work.
struct Cancelling;

impl Progress for Cancelling {
    fn is_cancelled(&self) -> bool {
        true
    }
}

#[test]
fn a_balance_evens_the_load_of_links() {
    let topology = absolute(4, 8, 4, 9);
    let counter = RouteCounter::new(&topology);
    let conventional = Imbalance::of(&topology, Draw::Conventional);
    assert!((conventional.local - 1.0).abs() < 1e-9 && (conventional.global - 1.0).abs() < 1e-9);
    for (text, most) in [("strategic-2-3 by shape", 1.08), ("4-hop by shape", 1.2)] {
        let rule = parse_set(text, 1).unwrap();
        let found = balance(&counter, &rule, conventional, &()).unwrap();
        assert!(found.before.global > 1.2, "{text}: {:?}", found.before);
        assert!(found.after.against(&conventional) < most, "{text}: {:?}", found.after);
        let again = Imbalance::of(&topology, Draw::Set { rule: &rule, levels: &found.levels });
        assert_eq!(again, found.after);
    }
    let rule = parse_set("all by shape", 1).unwrap();
    assert_eq!(balance(&counter, &rule, conventional, &Cancelling), Err(Cancelled));
}

#[test]
fn levels_are_the_nearest() {
    let number = |share| nearest(share).number();
    assert_eq!([1.0, 0.97, 0.96, 0.5, 0.25, 0.0].map(number), [15, 15, 14, 7, 3, 3]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn no_pair_loses_its_last_route_and_no_balance_is_worse(
        topology in any(), seed in 0_u64..1000, set in 0_usize..3
    ) {
        let counter = RouteCounter::new(&topology);
        let conventional = Imbalance::of(&topology, Draw::Conventional);
        let text = ["shapes:011", "all by shape", "30% 6-hop"][set];
        let rule = parse_set(text, seed).unwrap();
        let found = balance(&counter, &rule, conventional, &()).unwrap();
        let (after, before) =
            (found.after.against(&conventional), found.before.against(&conventional));
        prop_assert!(after <= before);
        for (source, to) in inter_group_pairs(&topology) {
            let levels = found.levels.get(source.as_usize()).map_or(&[][..], Vec::as_slice);
            let left = shapes_when_thinned(&counter, &rule, levels, source, to);
            prop_assert!(!left.is_empty() || present_shapes(&counter, &rule, source, to).is_empty());
        }
    }
}
