//! Loads against closed forms, exact values of other programs, and an enumeration of every path.

use super::*;
use tvlb_schema::End;
use tvlb_schema::{GroupId, GroupKind, SwitchIndex};
use tvlb_table_set::grammar::parse_set;
use tvlb_topology::arrangement::{Arrangement, arrange};
use tvlb_topology::links::LinkNumbers;
use tvlb_topology::routes::drawn::DrawnPaths;
use tvlb_traffic::{Pattern, PlacementRule};

fn system(p: u32, a: u32, h: u32) -> Topology {
    arrange(Dragonfly::new(p, a, h, a * h + 1).unwrap(), Arrangement::Relative, 0).unwrap()
}

fn of(topology: &Topology, pattern: &str, paths: &str) -> StaticLoads {
    let traffic = Traffic::new(&pattern.parse().unwrap(), topology.dragonfly(), 1).unwrap();
    static_loads(topology, &traffic, &named(paths)).unwrap()
}

fn named(paths: &str) -> LoadPaths {
    match paths {
        "conventional" => LoadPaths::Conventional,
        set => LoadPaths::Set(parse_set(set, 1).unwrap()),
    }
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-10
}

/// (g − 2)/((g − 1)·n) for `VALg`, where n routes with one hop in the middle meet on a local link; for `VALn` of
/// complement as another program counted it; T of the share count, with four digits.
type Row = (u32, [(u32, f64); 4], f64, [f64; 4]);

/// complement, shift(h + 1), shift(2h), shift(2h + ⌊h/2⌋).
const SMALL: [Row; 3] = [
    (
        2,
        [(3, 0.2917), (3, 0.2917), (3, 0.2917), (3, 0.2917)],
        0.3182,
        [0.4167, 0.4375, 0.3750, 0.3750],
    ),
    (
        3,
        [(4, 0.2361), (4, 0.2361), (4, 0.2361), (4, 0.2361)],
        0.3908,
        [0.3246, 0.3056, 0.2222, 0.2778],
    ),
    (
        4,
        [(5, 0.1938), (5, 0.1938), (5, 0.1938), (4, 0.2422)],
        0.4227,
        [0.2614, 0.2344, 0.1562, 0.2656],
    ),
];

const LARGE: [Row; 2] = [
    (
        6,
        [(7, 0.1409), (7, 0.1409), (7, 0.1409), (5, 0.1972)],
        0.4517,
        [0.1861, 0.1597, 0.0972, 0.1736],
    ),
    (
        8,
        [(9, 0.1102), (9, 0.1102), (9, 0.1102), (6, 0.1654)],
        0.4650,
        [0.1439, 0.1211, 0.0703, 0.1289],
    ),
];

fn check_system(&(p, valg, complement_valn, shares): &Row) {
    let topology = system(p, 2 * p, p);
    let df = topology.dragonfly();
    let g = f64::from(df.g());
    let patterns = [
        "complement".to_owned(),
        format!("shift({},0)", p + 1),
        format!("shift({},0)", 2 * p),
        format!("shift({},0)", 2 * p + p / 2),
    ];
    let four = |found: f64, digits: f64| (found - digits).abs() <= 0.5e-4 + 1e-12;
    for ((pattern, (routes, digits)), share) in patterns.iter().zip(valg).zip(shares) {
        let saturation = |paths| of(&topology, pattern, paths).saturation();
        assert!(near(saturation("min"), 1.0 / (2.0 * f64::from(p * p))), "{p} {pattern}");
        let found = saturation("valg");
        assert!(near(found, (g - 2.0) / ((g - 1.0) * f64::from(routes))), "{p} {pattern} {found}");
        assert!(four(found, digits), "{p} {pattern} {found}");
        let (valn, conventional) = (saturation("valn"), saturation("conventional"));
        assert!(near(valn, conventional));
        if pattern == "complement" {
            assert!(four(valn, complement_valn), "{p} {valn}");
        } else {
            assert!(near(valn, (g - 2.0) / (2.0 * (g - 1.0))), "{p} {pattern} {valn}");
        }
        let traffic = Traffic::new(&pattern.parse().unwrap(), df, 1).unwrap();
        let found = share_count(&topology, &traffic).unwrap();
        assert!(four(found, share), "{p} {pattern} {found}");
    }
}

#[test]
fn saturations_of_balanced_systems_are_known() {
    SMALL.iter().for_each(check_system);
}

#[test]
fn saturations_of_large_balanced_systems_are_known() {
    LARGE.iter().for_each(check_system);
}

/// An odd number of switches in a group, so that one of them sends to itself.
#[test]
fn a_group_in_the_middle_sends_within_itself() {
    let topology = system(2, 3, 2);
    assert_eq!(topology.dragonfly().node_count(), 42);
    let saturation = |paths| of(&topology, "complement", paths).saturation();
    assert!(near(saturation("valg"), 0.25));
    assert!(near(saturation("valn"), 5.0 / 18.0));
}

/// The loads from pairs and probabilities, path by path.
fn listed(topology: &Topology, traffic: &Traffic, paths: &LoadPaths) -> Vec<f64> {
    let df = topology.dragonfly();
    let links = LinkNumbers::new(*df);
    let multiplicities = links.multiplicities(|g, one, other| topology.links_within(g, one, other));
    let mut loads = vec![0.0; links.count()];
    let (is_min, rule) = match paths {
        LoadPaths::Set(rule) => (rule.shapes() == ShapeSet::EMPTY, *rule),
        _ => panic!("sets are listed"),
    };
    for source in df.switches() {
        for (destination, amount) in traffic.to_switches(df, source) {
            if destination == source {
                continue;
            }
            let drawn = DrawnPaths::new(topology, &rule, source, destination);
            let mut all: Vec<(Vec<SwitchId>, Vec<_>, f64)> = Vec::new();
            // Within a group, MIN goes through a third switch, as VLB does, if there is no link.
            if is_min && !drawn.min.is_empty() || drawn.vlb.is_empty() {
                let min = drawn.min.iter();
                all.extend(min.map(|m| (m.switches.switches().to_vec(), vec![m.x], m.probability)));
            } else {
                let vlb = drawn.vlb.iter();
                all.extend(
                    vlb.map(|v| (v.switches.switches().to_vec(), vec![v.x, v.y], v.probability)),
                );
            }
            for (walk, ports, probability) in all {
                let mut ports = ports.into_iter().flatten();
                for hop in walk.windows(2) {
                    let ((from, here), (to, there)) = (df.place(hop[0]), df.place(hop[1]));
                    let link = if from == to {
                        links.local(from, here, there)
                    } else {
                        links.global(from, ports.next().unwrap())
                    };
                    loads[link] +=
                        amount * probability / multiplicities.get(link).copied().unwrap_or(1.0);
                }
            }
        }
    }
    loads
}

#[test]
fn loads_are_those_of_the_paths_one_by_one() {
    let df = Dragonfly::new(2, 4, 2, 5).unwrap();
    let kind = |p, a, g| GroupKind::new(p, a, 2, g);
    let uneven = Dragonfly::of_kinds(&[kind(2, 4, 2), kind(1, 4, 2), kind(0, 4, 1)]).unwrap();
    let doubled = Dragonfly::of_kinds(&[kind(1, 3, 5).with_local_links(2)]).unwrap();
    let lay = |df| arrange(df, Arrangement::Absolute, 0).unwrap();
    // In one group switches 0 and 1 share two links, and others none.
    let within = [(0, 1), (0, 1), (1, 2), (2, 3), (0, 3)];
    let within = within.map(|(one, other)| (GroupId(1), SwitchIndex(one), SwitchIndex(other)));
    let ring = lay(df).with_local_links(within.to_vec()).unwrap();
    let wirings = [lay(df), system(1, 4, 2), lay(uneven), lay(doubled), ring];
    for topology in &wirings {
        let df = topology.dragonfly();
        for pattern in ["uniform", "complement", "permutation", "tmixed(50,50)", "next-group"] {
            let pattern: Pattern = pattern.parse().unwrap();
            let traffic = Traffic::new(&pattern, df, 1).unwrap();
            for set in
                ["min", "valg", "valn", "all", "50% 5-hop", "strategic-2-3 by shape", "2-hop"]
            {
                let paths = named(set);
                let Ok(found) = static_loads(topology, &traffic, &paths) else {
                    assert_eq!(set, "2-hop");
                    continue;
                };
                let expected = listed(topology, &traffic, &paths);
                for (link, (found, expected)) in
                    found.links.by_link.iter().zip(expected).enumerate()
                {
                    let name = LinkNumbers::new(*df).in_words(link);
                    assert!(near(*found, expected), "{pattern} {set} {name}: {found} {expected}");
                }
                assert!(found.left_out == 0.0);
            }
        }
    }
}

/// If groups change places, the loads depend only on the places.
#[test]
fn shuffled_groups_spread_a_shift() {
    let topology = system(3, 6, 3);
    let df = topology.dragonfly();
    let traffic = |seed| {
        let placement = PlacementRule::Groups.on(df, seed).unwrap();
        Traffic::new(&"shift(4,0)".parse().unwrap(), df, seed).unwrap().placed(&placement)
    };
    let saturation =
        |seed| static_loads(&topology, &traffic(seed), &named("valg")).unwrap().saturation();
    let mean = (1..=8).map(saturation).sum::<f64>() / 8.0;
    assert!(mean > 0.2361 && mean < 0.5, "{mean}");
    assert_eq!(saturation(3).to_bits(), saturation(3).to_bits());
}

#[test]
fn the_busiest_links_are_named() {
    let topology = system(2, 4, 2);
    let loads = of(&topology, "shift(1,0)", "min");
    let df = topology.dragonfly();
    let busiest = loads.busiest(&topology, LinkKind::Global, 2);
    let end = |group, index, slot| End::new(df, GroupId(group), SwitchIndex(index), slot);
    assert_eq!(busiest[0].link, LinkEnds::Global(end(0, 0, 0), end(1, 3, 1)));
    assert_eq!(busiest[1].link, LinkEnds::Global(end(1, 0, 0), end(2, 3, 1)));
    assert!(near(busiest[0].load, 8.0) && loads.as_busy(LinkKind::Global) == 9);
    let busiest = loads.busiest(&topology, LinkKind::Local, 1);
    // Two nodes of switch 3 send through switch 0, and packets for two nodes of switch 0 arrive at 3.
    assert_eq!(busiest[0].link, LinkEnds::Local(SwitchId(3), SwitchId(0)));
    assert!(near(busiest[0].load, 4.0));
    let nodes = loads.busiest(&topology, LinkKind::Node, 100);
    assert_eq!((nodes.len(), nodes[0].link), (72, LinkEnds::ToNode(NodeId(0))));
}

/// The link to a node is a link as well.
#[test]
fn a_node_to_which_many_send_is_the_limit() {
    let topology = system(2, 4, 2);
    let pairs = [0, 20, 30, 40].map(|from| (NodeId(from), NodeId(8)));
    let pattern = Pattern::pairs(&pairs);
    let traffic = Traffic::new(&pattern, topology.dragonfly(), 1).unwrap();
    let loads = static_loads(&topology, &traffic, &named("valg")).unwrap();
    assert!(near(loads.saturation(), 0.25));
    assert_eq!(loads.busiest(&topology, LinkKind::Node, 5).len(), 1);
}

#[test]
fn without_a_third_group_there_is_no_vlb() {
    let df = Dragonfly::new(1, 2, 1, 2).unwrap();
    let topology = arrange(df, Arrangement::Absolute, 0).unwrap();
    let traffic = Traffic::new(&"complement".parse().unwrap(), &df, 1).unwrap();
    for set in ["valg", "valn", "all", "conventional"] {
        let error = static_loads(&topology, &traffic, &named(set)).unwrap_err();
        assert_eq!(error, StaticLoadError::NoThirdGroup { groups: 2 });
        assert!(
            error.to_string().starts_with("the fabric has 2 groups, and a VLB path goes through")
        );
    }
    let loads = static_loads(&topology, &traffic, &LoadPaths::Min).unwrap();
    assert!(loads.largest() > 0.9);
}

#[test]
fn figures_are_the_same_at_any_number_of_threads() {
    let topology = system(3, 6, 3);
    let bits = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let loads = pool.install(|| of(&topology, "tmixed(30,70,3,1)", "strategic-2-3 by shape"));
        loads.links.by_link.iter().map(|load| load.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(bits(1), bits(3));
}
