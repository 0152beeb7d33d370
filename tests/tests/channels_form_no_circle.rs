//! The channel dependency graph of emitted images has no circle (Dally and Seitz, 1987): over all
//! MIN paths, all VLB routes, and all that PAR's second look can make of them, no channel waits
//! for itself by way of others.

use std::collections::{BTreeMap, BTreeSet};
use tvlb_firmware_model::{Channels, Header, Scheme, Step, Switch};
use tvlb_schema::{NodeId, VcScheme};
use tvlb_tests::{Crossing, boot, carry, images, shipped};
use tvlb_topology::Topology;
use tvlb_topology::routes::ways::routes;

/// A channel: a switch, a port of it, and a virtual channel.
type Channel = (u16, u16, u8);
type Graph = BTreeMap<Channel, BTreeSet<Channel>>;

const MIN: u64 = 1;
const VLB: u64 = 2;
const SOURCE_LOCAL: u64 = 1 << 5;

fn bits(to: tvlb_schema::SwitchId, x: u16, y: u16, detour: u8, low: u64) -> Header {
    let route = u64::from(x) << 28 | u64::from(y) << 16 | u64::from(detour) << 8;
    Header::from_bits(u64::from(to.0) << 48 | route | low)
}

/// Headers of every MIN path and every VLB route from a switch, with these low bits.
fn headers(
    topology: &Topology,
    from: tvlb_schema::SwitchId,
    to: tvlb_schema::SwitchId,
) -> [Vec<Header>; 2] {
    let df = topology.dragonfly();
    let ((group, here), (to_group, there)) = (df.place(from), df.place(to));
    if from == to {
        return [Vec::new(), Vec::new()];
    }
    if group == to_group {
        let others = df.indices(group).filter(|&i| i != here && i != there);
        return [vec![bits(to, 0, 0, 0, MIN)], others.map(|i| bits(to, 0, 0, i.0, VLB)).collect()];
    }
    let min = topology.links(group, to_group).iter().map(|link| bits(to, link.from.0, 0, 0, MIN));
    let vlb = routes(topology, from, to).map(|found| {
        let route = found.route();
        let w = df.split_port(route.y).0;
        bits(to, route.x.0, route.y.0, route.detour.unwrap_or(w).0, VLB)
    });
    [min.collect(), vlb.collect()]
}

fn graph(channels: VcScheme, channel_of: impl Fn(&Crossing) -> u8) -> Graph {
    let mut fabric = shipped("dfly-2-4-2-9.toml");
    fabric.file.virtual_channels = Some(channels);
    let generated = images(&fabric);
    let needed = Channels::needed(channels, Scheme::Par);
    let switches: Vec<Switch<'_>> = boot(&generated)
        .into_iter()
        .map(|switch| switch.with_channels(Scheme::Par, needed).unwrap())
        .collect();
    let df = *fabric.topology.dragonfly();
    let mut graph = Graph::new();
    let mut add = |path: &[Crossing]| {
        let channel = |c: &Crossing| (c.from.0, c.port.0, channel_of(c));
        for pair in path.windows(2) {
            graph.entry(channel(&pair[0])).or_default().insert(channel(&pair[1]));
        }
    };
    for source in df.switches() {
        for to in df.switches() {
            let here = &switches[source.as_usize()];
            let [min, vlb] = headers(&fabric.topology, source, to);
            for header in min.iter().chain(&vlb) {
                let first = here.forward(*header).unwrap();
                let (node, path) = carry(&switches, source, first, |_, header| header).unwrap();
                assert_eq!(node, NodeId(u32::from(to.0) * df.p()));
                add(&path);
                // PAR: where a MIN packet makes a local hop first, the second switch may send it
                // by any VLB route of its own.
                let Step::Send { port, header, .. } = first else { continue };
                let (group, index) = here.neighbour(port).unwrap();
                let second = df.switch(group, index);
                let is_open = header.bits() & 0xe3 == SOURCE_LOCAL | MIN;
                if !is_open || df.place(to).0 == group {
                    continue;
                }
                let [_, rest] = headers(&fabric.topology, second, to);
                for other in rest {
                    let low = header.bits() & 0xfc;
                    let rerouted = Header::from_bits(other.bits() & !0xfc | low);
                    let (_, path) = carry(&switches, source, first, |_, header| {
                        if header.bits() & 3 == MIN { rerouted } else { header }
                    })
                    .unwrap();
                    assert!(path.len() >= 3);
                    add(&path);
                }
            }
        }
    }
    graph
}

/// Whether some channel waits for itself: what is left when those that wait for none are taken
/// away again and again.
fn has_circle(mut graph: Graph) -> bool {
    loop {
        let before = graph.len();
        let waiting: BTreeSet<Channel> = graph.keys().copied().collect();
        graph.retain(|_, next| next.iter().any(|channel| waiting.contains(channel)));
        if graph.is_empty() || graph.len() == before {
            return !graph.is_empty();
        }
    }
}

#[test]
fn no_assignment_of_channels_has_a_circle() {
    for channels in VcScheme::FOR_ANY {
        let graph = graph(channels, |crossing| crossing.virtual_channel);
        assert!(graph.len() > 500, "{channels:?}: {}", graph.len());
        assert!(!has_circle(graph), "{channels:?}");
    }
}

#[test]
fn fewer_channels_have_one() {
    // One channel for all; and PAR's second local hop on the channel of the first.
    assert!(has_circle(graph(VcScheme::Ordered, |_| 0)));
    let folded = |crossing: &Crossing| match crossing.virtual_channel {
        4 if !crossing.global => 0,
        channel => channel,
    };
    assert!(has_circle(graph(VcScheme::Positional, folded)));
}
