use super::*;
use crate::Topology;
use crate::arrangement::{Arrangement, arrange};
use crate::routes::wirings;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tvlb_schema::{Dragonfly, End, FaultSet, GlobalPort, GroupId, SwitchId};
use tvlb_table_set::names::Names;

const LATENCIES: ChannelLatencies = ChannelLatencies { local: 10, global: 15 };

/// What `BookSim2` makes of a file: the router of each node, and the latency of each channel.
#[derive(Debug, Default, PartialEq)]
struct Network {
    nodes: BTreeMap<u32, u32>,
    channels: BTreeMap<(u32, u32), u16>,
}

/// Reads a file as `BookSim2` does; `None` where it would stop.
fn read(text: &str) -> Network {
    let mut network = Network::default();
    for (number, line) in (0..).zip(text.lines()) {
        let mut words = line.split(' ').peekable();
        let mut thing = || {
            let kind = words.next()?;
            let number: u32 = words.next().unwrap().parse().unwrap();
            let latency = words.next_if(|word| word.as_bytes()[0].is_ascii_digit());
            Some((kind, number, latency.map(|cycles| cycles.parse::<u16>().unwrap())))
        };
        // Sequential numbers, so that every router has a line.
        assert_eq!(thing(), Some(("router", number, None)));
        while let Some((kind, other, latency)) = thing() {
            let before = match kind {
                "node" => network.nodes.insert(other, number).map(|_| 0),
                "router" => network.channels.insert((number, other), latency.unwrap()),
                _ => panic!("{kind}"),
            };
            assert_eq!(before, None, "{line}");
        }
    }
    assert!(network.nodes.keys().copied().eq(0..u32::try_from(network.nodes.len()).unwrap()));
    network
}

/// The network that should be read. Numbers are those of the lists of switches and nodes.
fn expected(topology: &Topology) -> Network {
    let df = topology.dragonfly();
    let switches: Vec<SwitchId> = df.switches().collect();
    let router = |switch| u32::try_from(switches.binary_search(&switch).unwrap()).unwrap();
    let nodes = df.nodes().filter(|&node| topology.ends().has(df.switch_of(node).0));
    let nodes = (0..).zip(nodes).map(|(n, node)| (n, router(df.switch_of(node).0))).collect();
    let mut channels = BTreeMap::new();
    for &one in &switches {
        for &other in switches.iter().filter(|&&other| other != one) {
            let ((group, index), (far_group, far)) = (df.place(one), df.place(other));
            if group == far_group && topology.links_within(group, index, far) > 0 {
                channels.insert((router(one), router(other)), LATENCIES.local);
            }
        }
    }
    let switch = |end: End| df.switch(end.group, df.split_port(end.port).0);
    for cable in topology.cables() {
        let (low, high) = (router(switch(cable.low)), router(switch(cable.high)));
        channels.insert((low, high), LATENCIES.global);
        channels.insert((high, low), LATENCIES.global);
    }
    Network { nodes, channels }
}

fn written(topology: &Topology) -> Result<String, ExportError> {
    anynet(&Wiring::new(topology, &Names::default()), LATENCIES)
}

fn has_gaps(topology: &Topology) -> bool {
    Wiring::new(topology, &Names::default()).has_gaps()
}

fn check(topology: &Topology) {
    assert_eq!(read(&written(topology).unwrap()), expected(topology));
}

#[test]
fn the_file_says_all_channels() {
    check(&wirings::absolute(2, 4, 2, 9));
    check(&wirings::absolute(4, 8, 4, 9));
    assert!(!has_gaps(&wirings::absolute(2, 4, 2, 9)));
}

#[test]
fn the_file_of_a_small_wiring_reads_well() {
    insta::assert_snapshot!(written(&wirings::absolute(2, 4, 2, 9)).unwrap());
}

#[test]
fn numbers_have_no_gaps() {
    let kind = |p, a, g| tvlb_schema::GroupKind::new(p, a, 2, g);
    let df = Dragonfly::of_kinds(&[kind(2, 3, 1), kind(0, 1, 1), kind(1, 2, 1)]).unwrap();
    let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
    let cables = [(end(0, 0), end(1, 0)), (end(1, 1), end(2, 3))];
    let topology = Topology::from_cables(df, cables).unwrap();
    let file = written(&topology).unwrap();
    assert!(has_gaps(&topology));
    assert_eq!(read(&file), expected(&topology));
    insta::assert_snapshot!(file, @r"
    router 0 node 0 node 1 router 1 10 router 2 10 router 3 15
    router 1 node 2 node 3 router 0 10 router 2 10
    router 2 node 4 node 5 router 0 10 router 1 10
    router 3 router 0 15 router 5 15
    router 4 node 6 router 5 10
    router 5 node 7 router 4 10 router 3 15
    ");
}

#[test]
fn two_cables_between_two_switches_are_refused() {
    let df = Dragonfly::new(1, 2, 2, 2).unwrap();
    let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
    let cables = [(end(0, 0), end(1, 2)), (end(1, 3), end(0, 1)), (end(0, 2), end(1, 0))];
    let topology = Topology::from_cables(df, cables).unwrap();
    insta::assert_snapshot!(
        written(&topology).unwrap_err(),
        @"BookSim2's anynet keeps one channel between two routers, but switches 0 and 3 share 2 links; accepted: at most 1"
    );
}

/// `BookSim2` knows no groups: switches without a local link are no reason to refuse.
#[test]
fn leaves_and_spines_are_taken() {
    for (leaves, sizes) in [(3, [2, 5, 2, 5]), (2, [1, 5, 1, 4])] {
        let [p, a, h, g] = sizes;
        let df = Dragonfly::new(p, a, h, g).unwrap();
        let plus = Arrangement::DragonflyPlus { leaves };
        let topology = arrange(df, plus, 1).unwrap();
        let names = Names::of(&plus.nodes(&df));
        let text = anynet(&Wiring::new(&topology, &names), LATENCIES).unwrap();
        assert_eq!(read(&text), expected(&topology));
    }
}

/// `BookSim2` stops where a router reaches another by no path.
#[test]
fn a_wiring_in_parts_is_refused() {
    let df = Dragonfly::new(1, 2, 1, 3).unwrap();
    let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
    let topology = Topology::from_cables(df, [(end(0, 0), end(1, 0))]).unwrap();
    insta::assert_snapshot!(
        written(&topology).unwrap_err(),
        @"BookSim2's anynet needs a path between every two routers, but none joins switches 0 and 4; accepted: a wiring in one part"
    );
}

proptest! {
    #[test]
    fn the_file_says_all_channels_of_any_wiring(topology in wirings::plain()) {
        let channels = expected(&topology).channels;
        let df = topology.dragonfly();
        let mut reached = BTreeSet::from([0]);
        while let Some(&(_, far)) =
            channels.keys().find(|(near, far)| reached.contains(near) && !reached.contains(far))
        {
            reached.insert(far);
        }
        let local: u32 = df.groups().map(|g| df.switches_of(g) * (df.switches_of(g) - 1)).sum();
        let answer = written(&topology);
        let error = answer.as_ref().map_or_else(ToString::to_string, |_| String::new());
        let is_parallel = error.contains("keeps one channel");
        let is_apart = error.contains("a wiring in one part");
        let shares = channels.len() != local as usize + 2 * topology.cables().len();
        prop_assert_eq!(is_parallel, shares);
        prop_assert_eq!(is_apart, !shares && reached.len() < df.switch_count() as usize);
        if answer.is_ok() {
            check(&topology);
        }
    }
}

/// Dead switches and their nodes are left out, and what comes after them takes their numbers.
#[test]
fn dead_switches_are_left_out() {
    let whole = wirings::absolute(1, 2, 1, 3);
    let faults = FaultSet { switches: [SwitchId(0)].into(), ..FaultSet::default() };
    let topology = whole.without(&faults);
    assert!(has_gaps(&topology));
    insta::assert_snapshot!(written(&topology).unwrap(), @r"
    router 0 node 0 router 3 15
    router 1 node 1 router 2 10
    router 2 node 2 router 1 10 router 4 15
    router 3 node 3 router 4 10 router 0 15
    router 4 node 4 router 3 10 router 2 15
    ");
}

/// Nodes that are not there are left out, and those after them take their numbers.
#[test]
fn missing_nodes_are_left_out() {
    let topology = wirings::absolute(2, 4, 2, 9);
    let list = "group,switch,port,name,physical\n0,0,node 0,,\n0,1,node 0,,\n0,1,node 1,,\n";
    let names = Names::read(topology.dragonfly(), list).unwrap();
    let wiring = Wiring::new(&topology, &names);
    assert!(wiring.has_gaps());
    let text = anynet(&wiring, LATENCIES).unwrap();
    let starts: Vec<&str> =
        text.lines().map(|line| &line[..line.find(" router ").unwrap()]).collect();
    assert_eq!(starts[..3], ["router 0 node 0", "router 1", "router 2 node 1 node 2"]);
}
