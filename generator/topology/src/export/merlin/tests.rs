use super::*;
use crate::Topology;
use crate::arrangement::{Arrangement, arrange};
use crate::in_turn::lay_between;
use crate::routes::wirings;
use proptest::prelude::*;
use std::collections::BTreeMap;
use tvlb_schema::{End, GlobalPort, GroupId, GroupKind};
use tvlb_table_set::names::Names;

fn arranged(p: u32, a: u32, h: u32, g: u32, arrangement: Arrangement) -> Topology {
    arrange(Dragonfly::new(p, a, h, g).unwrap(), arrangement, 1).unwrap()
}

/// A number that the text gives to a variable.
fn number(text: &str, name: &str) -> usize {
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("topo.{name} = ")));
    line.unwrap().parse().unwrap()
}

/// The cables that merlin lays by a text: pairs of (group, router, port), each link by its name, as
/// topoDragonFly makes it.
fn lay_by(text: &str) -> Vec<[(usize, usize, usize); 2]> {
    let (a, k) = (number(text, "routers_per_group"), number(text, "intergroup_links"));
    let g = number(text, "num_groups");
    let (_, list) = text.split_once("global_link_map = [").unwrap();
    let map: Vec<i64> = list
        .strip_suffix("]\n")
        .unwrap()
        .split(',')
        .filter(|entry| !entry.trim().is_empty())
        .map(|entry| entry.trim().parse().unwrap())
        .collect();
    let ports = ((g - 1) * k).div_ceil(a);
    assert_eq!(map.len(), ports * a);
    let is_absolute = text.contains("setRoutingModeAbsolute()");
    assert_ne!(is_absolute, text.contains("setRoutingModeRelative()"));
    let mut links: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for group in 0..g {
        for (place, &entry) in map.iter().enumerate() {
            let Ok(entry) = usize::try_from(entry) else {
                assert_eq!(entry, -1);
                continue;
            };
            let (slice, destination) = (entry / (g - 1), entry % (g - 1));
            assert!(slice < k);
            let other = match is_absolute {
                true if destination >= group => destination + 1,
                true => destination,
                false => (destination + group + 1) % g,
            };
            let name = (group.min(other), group.max(other), slice);
            links.entry(name).or_default().push((group, place / ports, place % ports));
        }
    }
    links.into_values().map(|ends| ends.try_into().unwrap()).collect()
}

/// The cables of the topology in that form, with ports that are all 0 unless `with_ports` says so.
fn cables(topology: &Topology, with_ports: bool) -> Vec<[(usize, usize, usize); 2]> {
    let df = topology.dragonfly();
    let end = |end: End| {
        let (index, slot) = df.split_port(end.port);
        let slot = if with_ports { slot.into() } else { 0 };
        (end.group.as_usize(), usize::from(index.0), slot)
    };
    let mut cables: Vec<_> =
        topology.cables().iter().map(|cable| [end(cable.low), end(cable.high)]).collect();
    cables.sort_unstable();
    cables
}

fn written(topology: &Topology) -> Result<String, ExportError> {
    merlin(&Wiring::new(topology, &Names::default()))
}

/// The ports of a router in a text: the entries of the first line of its map.
fn ports_per_router(text: &str) -> usize {
    let (_, map) = text.split_once("global_link_map = [\n").unwrap();
    map.lines().next().unwrap().matches(',').count()
}

/// The text says the cables: port by port where merlin's routers have as many ports, else switch by
/// switch.
fn check(topology: &Topology) -> String {
    let text = written(topology).unwrap();
    let mut laid = lay_by(&text);
    let with_ports = ports_per_router(&text) == topology.dragonfly().h() as usize;
    if !with_ports {
        laid.iter_mut().flatten().for_each(|(_, _, port)| *port = 0);
    }
    laid.sort_unstable();
    assert_eq!(laid, cables(topology, with_ports));
    text
}

fn reading(text: &str) -> Reading {
    if text.contains("setRoutingModeAbsolute()") { Reading::Absolute } else { Reading::Relative }
}

#[test]
fn the_map_says_the_cables_of_regular_arrangements() {
    use Arrangement::{AbsoluteClassic, Circulant, Palmtree, Relative};
    for [p, a, h, g] in [
        [2, 4, 2, 9],
        [4, 8, 4, 9],
        [4, 8, 4, 33],
        [1, 4, 2, 5],
        [2, 3, 1, 4],
        [1, 5, 2, 6],
        [1, 7, 3, 8],
    ] {
        let reading = |arrangement| reading(&check(&arranged(p, a, h, g, arrangement)));
        assert_eq!(reading(AbsoluteClassic), Reading::Absolute);
        for arrangement in [Relative, Circulant] {
            assert_eq!(reading(arrangement), Reading::Relative);
        }
        let palmtree = arranged(p, a, h, g, Palmtree);
        if g % 2 == 1 || a * h == g - 1 {
            assert_eq!(reading(Palmtree), Reading::Relative);
        } else {
            // Of two groups that face each other, each port leads to another port of the other.
            let error = written(&palmtree).unwrap_err();
            let slice = "gives its two ports one link number";
            assert!(error.to_string().contains(slice), "{error}");
        }
    }
}

#[test]
fn the_text_of_a_small_wiring_reads_well() {
    use Arrangement::{AbsoluteClassic, Relative};
    insta::assert_snapshot!(written(&arranged(2, 4, 2, 9, AbsoluteClassic)).unwrap());
    insta::assert_snapshot!(written(&arranged(2, 4, 2, 9, Relative)).unwrap());
}

/// Five groups of four switches with `h` ports, of whose cables each is in another slot.
fn from_classes(h: u32, slot_of: impl Fn(u16) -> u16) -> Topology {
    let df = Dragonfly::new(1, 4, h, 5).unwrap();
    let classic = arranged(1, 4, 2, 5, Arrangement::AbsoluteClassic);
    let old = *classic.dragonfly();
    let end = |end: End| {
        let (index, slot) = old.split_port(end.port);
        End::new(&df, end.group, index, slot_of(slot))
    };
    let cables = classic.cables().iter().map(|cable| (end(cable.low), end(cable.high)));
    Topology::from_cables(df, cables).unwrap()
}

#[test]
fn ports_to_spare_are_left_out() {
    // Routers have 2 ports in merlin. Cables in the first two of 3 keep their places, others move.
    for slots in [[0, 1], [0, 2], [2, 1]] {
        let map = check(&from_classes(3, |slot| slots[usize::from(slot)]));
        assert_eq!(ports_per_router(&map), 2);
        let entries = |text: &str| text.split_once("global_link_map").unwrap().1.to_owned();
        let kept = written(&from_classes(2, |slot| slot)).unwrap();
        assert_eq!(entries(&map) == entries(&kept), slots[0] < slots[1]);
    }
}

#[test]
fn what_no_map_says_is_refused() {
    let refusal = |topology: &Topology| written(topology).unwrap_err().to_string();
    // Every group of these is wired in its own way.
    let own = wirings::absolute(2, 4, 2, 9);
    insta::assert_snapshot!(refusal(&own));
    let random = arranged(4, 8, 4, 9, Arrangement::Random);
    assert!(refusal(&random).contains("none says these cables"));
    // Two links between some groups, one between others.
    let df = Dragonfly::new(2, 4, 3, 6).unwrap();
    insta::assert_snapshot!(refusal(&lay_between(df, |_, j| if j.0 < 5 { 2 } else { 1 })));
    insta::assert_snapshot!(refusal(&Topology::from_cables(df, []).unwrap()));
    let kind = |a| GroupKind::new(2, a, 2, 2);
    let df = Dragonfly::of_kinds(&[kind(4), kind(2)]).unwrap();
    insta::assert_snapshot!(refusal(&Topology::from_cables(df, []).unwrap()));
    // All cables of a group on its first switch, where merlin would spread them.
    let df = Dragonfly::new(1, 2, 2, 3).unwrap();
    let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
    let cables = [(end(0, 0), end(1, 0)), (end(0, 1), end(2, 0)), (end(1, 1), end(2, 1))];
    insta::assert_snapshot!(refusal(&Topology::from_cables(df, cables).unwrap()));
}

#[test]
fn link_numbers_must_agree_at_both_ends() {
    // Ports 0 and 1 of each of two groups lead to the other; crossed, no numbering agrees.
    let df = Dragonfly::new(1, 2, 1, 2).unwrap();
    let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
    let straight = [(end(0, 0), end(1, 0)), (end(0, 1), end(1, 1))];
    check(&Topology::from_cables(df, straight).unwrap());
    let crossed = [(end(0, 0), end(1, 1)), (end(0, 1), end(1, 0))];
    let error = written(&Topology::from_cables(df, crossed).unwrap()).unwrap_err();
    insta::assert_snapshot!(error);
}

/// Wirings by a map that is drawn at random: g, a, ports of a router, K, the reading, and the map.
fn by_maps() -> impl Strategy<Value = Topology> {
    (2_usize..=6, 1_usize..=4, 1_usize..=3, any::<bool>()).prop_flat_map(|(g, a, k, absolute)| {
        let ports = ((g - 1) * k).div_ceil(a);
        let mut map: Vec<Option<usize>> = (0..(g - 1) * k).map(Some).collect();
        map.resize(ports * a, None);
        Just(map).prop_shuffle().prop_map(move |map| {
            let size = |size| u32::try_from(size).unwrap();
            let df = Dragonfly::new(1, size(a), size(ports), size(g)).unwrap();
            let reading = if absolute { Reading::Absolute } else { Reading::Relative };
            let map: Vec<_> = map.chunks(ports).map(<[_]>::to_vec).collect();
            let text = text(&df, reading, k, &map);
            let end = |(group, router, port): (usize, usize, usize)| {
                let port = u16::try_from(router * ports + port).unwrap();
                End { group: GroupId(u16::try_from(group).unwrap()), port: GlobalPort(port) }
            };
            let cables = lay_by(&text).into_iter();
            Topology::from_cables(df, cables.map(|[one, other]| (end(one), end(other)))).unwrap()
        })
    })
}

proptest! {
    #[test]
    fn every_wiring_by_a_map_has_a_map(topology in by_maps()) {
        check(&topology);
    }

    #[test]
    fn any_wiring_is_said_or_refused(topology in wirings::plain()) {
        if written(&topology).is_ok() {
            check(&topology);
        }
    }
}
