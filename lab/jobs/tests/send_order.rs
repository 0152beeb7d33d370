//! How long it takes that each rank of one half of a machine exchanges a message with each rank of the other
//! half, one partner after the other in ascending order. The times to compare with are those of a flow model
//! of just that order, with max-min fair sharing of links and without packets, buffers and latencies.
//!
//! Buffers are large here, because what small ones cost is not the flow model's affair: with buffers of 14
//! flits the times are 5% to 15% longer.
use crate::test_images::{Images, absolute_classic, dragonfly, images};
use std::num::NonZeroU32;
use tvlb_firmware_model::VlbPaths;
use tvlb_jobs::workload::{Job, Motif, RankMap};
use tvlb_jobs::{JobRun, MessageSettings, complete};
use tvlb_schema::{
    Bandwidth, Bandwidths, Dragonfly, End, GlobalPort, GroupId, LinkKind, NodeId, SetRule, ShapeSet,
};
use tvlb_simulator::{BootedFabric, Buffers, Scheme, Settings};

/// Packets of a message: enough for a rendezvous, whose control messages are then a small part.
const PACKETS: u32 = 98;

/// The cables of an arrangement that says where each port of a group leads: to which group, at which port.
fn cables(df: &Dragonfly, leads: impl Fn(u32, u32) -> (u32, u32)) -> Vec<(End, End)> {
    let short = |number: u32| u16::try_from(number).unwrap();
    let end = |group, port| End { group: GroupId(short(group)), port: GlobalPort(short(port)) };
    let ports = (0..df.g()).flat_map(|group| (0..df.ports_per_group()).map(move |q| (group, q)));
    ports
        .map(|(group, port)| ((group, port), leads(group, port)))
        .filter(|((group, _), (far, _))| group < far)
        .map(|((group, port), (far, at))| (end(group, port), end(far, at)))
        .collect()
}

fn relative(df: &Dragonfly) -> Vec<(End, End)> {
    cables(df, |j, q| ((j + q + 1) % df.g(), df.ports_per_group() - 1 - q))
}

fn circulant(df: &Dragonfly) -> Vec<(End, End)> {
    cables(df, |j, q| {
        let to = if q % 2 == 0 { j + q / 2 + 1 } else { j + df.g() - q / 2 - 1 };
        (to % df.g(), q ^ 1)
    })
}

/// The longest time of two random maps, in units of what a message takes on a local link.
fn longest(cables: &[(End, End)], globals: u32, half: &[NodeId], motif: &str) -> f64 {
    let df = dragonfly(2, 4, 2, 9);
    let Images { fabric, switches } = images(&df, cables, SetRule::whole(ShapeSet::ALL));
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let mut settings = Settings::new(Scheme::Min, VlbPaths::Custom);
    (settings.local_latency_cycles, settings.global_latency_cycles) = (1, 1);
    settings.buffers = Buffers::all(64);
    let globals = Bandwidth::of_thousandths(globals).unwrap();
    settings.bandwidths = Bandwidths::new(Bandwidth::ONE, Bandwidth::ONE, globals).unwrap();
    let motif: Motif = motif.parse().unwrap();
    let programs = motif.programs(144, u64::from(PACKETS) * 1024, NonZeroU32::MIN).unwrap();
    let other: Vec<NodeId> = df.nodes().filter(|node| !half.contains(node)).collect();
    let job: Job = "72x2".parse().unwrap();
    let time = |seed| {
        let nodes: Vec<NodeId> = (0..)
            .zip([half, &other])
            .flat_map(|(number, nodes)| {
                let nodes = nodes.to_vec();
                let placed = RankMap::Random.place(&df, job, nodes, None, (seed, number), &());
                placed.unwrap().node_of
            })
            .collect();
        let run = JobRun { programs: &programs, nodes: &nodes };
        let messages = MessageSettings::default();
        complete(&fabric, &settings, &[run], &messages, seed, &()).unwrap().cycles
    };
    let cycles = f64::from(time(1).max(time(2)));
    cycles * settings.bandwidths.flits_per_cycle(LinkKind::Local) / f64::from(PACKETS)
}

fn nodes(numbers: impl IntoIterator<Item = u32>) -> Vec<NodeId> {
    numbers.into_iter().map(NodeId).collect()
}

fn is_near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 0.1
}

#[test]
fn a_bisection_takes_as_long_as_its_order_of_partners_says() {
    let df = dragonfly(2, 4, 2, 9);
    // Halves that few links join, where global links are slow, and where they are fast.
    let slow = [
        (absolute_classic(&df), nodes(0..36), 891.0),
        (relative(&df), nodes((0..32).chain(36..40)), 910.0),
        (circulant(&df), nodes((0..16).chain(32..48).chain(58..62)), 911.0),
    ];
    for (cables, half, expected) in slow {
        let found = longest(&cables, 500, &half, "bisection");
        assert!(is_near(found, expected), "{found}, {expected}");
    }
    let absolute = [0..20, 24..28, 32..36, 40..42, 48..50, 56..58, 64..66];
    let of_relative = [0..18, 20..24, 28..32, 36..38, 50..52, 58..60, 64..68];
    let fast = [
        (absolute_classic(&df), nodes(absolute.into_iter().flatten()), [450.0, 309.0]),
        (relative(&df), nodes(of_relative.into_iter().flatten()), [440.0, 302.0]),
        (circulant(&df), nodes((0..72).filter(|node| node % 8 < 4)), [380.0, 251.0]),
    ];
    let found = fast.map(|(cables, half, expected)| {
        let of = |motif| longest(&cables, 4000, &half, motif);
        let found = [of("bisection"), of("bisection rotated")];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!(is_near(found, expected), "{found}, {expected}");
        }
        // The order of partners alone is worth more than the arrangement.
        assert!(found[1] < 0.75 * found[0], "{found:?}");
        found[0]
    });
    assert!((found[0] / found[1] - 1.0).abs() < 0.04, "{found:?}");
    assert!(found[2] < 0.95 * found[0], "{found:?}");
}
