use super::*;
use crate::Topology;
use crate::routes::wirings;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tvlb_schema::{Dragonfly, End, GroupKind, SwitchId};
use tvlb_table_set::names::Names;

/// What Python makes of a text: the switch and the endpoints of each router, and the pairs that are linked.
#[derive(Debug, PartialEq)]
struct Graph {
    routers: Vec<(u16, usize)>,
    links: BTreeSet<(u16, u16)>,
}

fn numbers<N: std::str::FromStr>(line: &str) -> Vec<N> {
    let words = line.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
    words.map(|word| word.parse().ok().unwrap()).collect()
}

fn read(text: &str) -> Graph {
    let mut graph = Graph { routers: Vec::new(), links: BTreeSet::new() };
    for line in text.lines().filter(|line| line.starts_with("    (") && line.ends_with("),")) {
        match numbers::<u16>(line)[..] {
            [router, switch, endpoints] => {
                assert_eq!(usize::from(router), graph.routers.len());
                graph.routers.push((switch, endpoints.into()));
            }
            [one, other] => assert!(graph.links.insert((one, other)), "{line}"),
            _ => panic!("{line}"),
        }
    }
    let switch = |router: u16| graph.routers[usize::from(router)].0;
    graph.links = graph.links.iter().map(|&(one, other)| (switch(one), switch(other))).collect();
    graph
}

/// The graph that should be read, by each switch's ports.
fn expected(topology: &Topology) -> Graph {
    let df = topology.dragonfly();
    let mut graph = Graph { routers: Vec::new(), links: BTreeSet::new() };
    for switch in df.switches() {
        let (group, index) = df.place(switch);
        graph.routers.push((switch.0, df.kind_of(group).p.into()));
        let within = df.indices(group).filter(|&other| other != index);
        let within = within.filter(|&other| topology.links_within(group, index, other) > 0);
        let mut others: Vec<SwitchId> = within.map(|other| df.switch(group, other)).collect();
        let slots = 0..df.kind_of(group).h;
        let far = slots.filter_map(|slot| topology.peer(End::new(df, group, index, slot)));
        others.extend(far.map(|end| df.switch(end.group, df.split_port(end.port).0)));
        graph.links.extend(others.iter().map(|&other| (switch.min(other).0, switch.max(other).0)));
    }
    graph
}

fn written(topology: &Topology) -> Result<String, ExportError> {
    anytopo(&Wiring::new(topology, &Names::default()))
}

#[test]
fn the_text_of_a_small_wiring_reads_well() {
    insta::assert_snapshot!(written(&wirings::absolute(1, 2, 1, 3)).unwrap());
}

#[test]
fn a_router_without_endpoints_is_refused() {
    let kinds = [GroupKind::new(1, 2, 1, 2), GroupKind::new(0, 2, 1, 1)];
    let topology = Topology::from_cables(Dragonfly::of_kinds(&kinds).unwrap(), []).unwrap();
    insta::assert_snapshot!(written(&topology).unwrap_err(), @"merlin's anytopo stops at a router without endpoints, but switch 4 has no nodes; accepted: nodes on each switch");
}

proptest! {
    #[test]
    fn the_graph_has_every_link(topology in wirings::any()) {
        let df = topology.dragonfly();
        let mut shared: BTreeMap<(SwitchId, SwitchId), u32> = BTreeMap::new();
        for cable in topology.cables() {
            let [low, high] =
                [cable.low, cable.high].map(|end| df.switch(end.group, df.split_port(end.port).0));
            *shared.entry((low, high)).or_default() += 1;
        }
        let is_parallel = shared.values().any(|&count| count > 1)
            || df.groups().any(|group| {
                df.indices(group).any(|one| {
                    df.indices(group).any(|two| one != two && topology.links_within(group, one, two) > 1)
                })
            });
        match written(&topology).map_err(|error| error.to_string()) {
            Ok(file) => prop_assert_eq!(read(&file), expected(&topology)),
            Err(error) if error.contains("keeps one channel") => prop_assert!(is_parallel),
            Err(error) if error.contains("has no nodes") => {
                prop_assert!(df.groups().any(|group| df.kind_of(group).p == 0));
            }
            Err(error) => panic!("{error}"),
        }
    }
}
