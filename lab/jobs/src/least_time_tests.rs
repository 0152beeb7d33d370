//! No run takes fewer cycles than its least time, and the least time names what makes a run long.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::test_images::{Images, absolute_images};
use crate::workload::{Programs, Rank, Step};
use crate::{CompletionError, JobRun, LeastTime, MessageSettings, complete, least_time};
use proptest::prelude::*;
use std::num::NonZeroU32;
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{Bandwidth, Bandwidths, GroupId, NodeId, ShapeSet};
use tvlb_simulator::{BootedFabric, Scheme, Settings};

const ONCE: NonZeroU32 = NonZeroU32::MIN;

fn post(from: u32, bytes: u64) -> Step {
    Step::Post { from: Rank(from), bytes }
}

fn send(to: u32, bytes: u64) -> Step {
    Step::Send { to: Rank(to), bytes }
}

/// The cycles of a run of one job on dfly(2,4,2,9), and its least time.
fn run(
    settings: &Settings,
    programs: &Programs,
    nodes: &[NodeId],
    seed: u64,
) -> Result<(u64, LeastTime), CompletionError> {
    let Images { fabric, switches } = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let (jobs, messages) = ([JobRun { programs, nodes }], MessageSettings::default());
    let least = least_time(&fabric, settings, &jobs, &messages);
    let completion = complete(&fabric, settings, &jobs, &messages, seed, &())?;
    Ok((completion.cycles.into(), least))
}

/// Each rank of a half exchanges messages with each of the other half, by rising number or from its own
/// place on.
fn halves(ranks: u32, bytes: u64, is_rotated: bool, iterations: NonZeroU32) -> Programs {
    let half = ranks / 2;
    let steps = |rank: u32| {
        let (own, first) = if rank < half { (rank, half) } else { (rank - half, 0) };
        let mut steps = Vec::new();
        for step in 0..half {
            let partner = match (is_rotated, rank < half) {
                (false, _) => step,
                (true, true) => (own + step) % half,
                (true, false) => (own + half - step) % half,
            };
            steps.extend([post(first + partner, bytes), send(first + partner, bytes)]);
        }
        steps.push(Step::Wait);
        steps
    };
    Programs::new((0..ranks).map(steps), iterations).unwrap()
}

#[test]
fn one_message_is_a_chain_of_its_packets() {
    let settings = Settings::new(Scheme::Min, VlbPaths::Custom);
    let nodes = [0, 30].map(NodeId);
    for (bytes, chain) in [
        // Of an eager message the receiver waits for the last packet, which two node links carry.
        (12_000, 11 + 2),
        // A rendezvous begins, and ends for its sender, a control latency later.
        (20_000, 11 + 19 + 2 + 11),
    ] {
        let steps = [vec![send(1, bytes)], vec![post(0, bytes), Step::Wait]];
        let programs = Programs::new(steps, ONCE).unwrap();
        let (cycles, least) = run(&settings, &programs, &nodes, 1).unwrap();
        let packets = bytes.div_ceil(1024);
        assert_eq!((least.host.cycles, least.host.packets), (packets - 1, packets));
        assert_eq!((least.group.cycles, least.group.cables), (packets.div_ceil(8) - 1, 8));
        assert_eq!((least.group.group, least.chain.cycles), (GroupId(0), chain));
        assert!(least.cycles() == chain && chain <= cycles, "{least:?}, {cycles}");
    }
}

#[test]
fn the_order_of_partners_is_a_chain() {
    let mut settings = Settings::new(Scheme::Min, VlbPaths::Custom);
    (settings.local_latency_cycles, settings.global_latency_cycles) = (1, 1);
    let nodes: Vec<NodeId> = (0..72).map(NodeId).collect();
    let least = |is_rotated| {
        let programs = halves(72, 40_000, is_rotated, ONCE);
        let (cycles, least) = run(&settings, &programs, &nodes, 1).unwrap();
        assert!(least.cycles() <= cycles, "{least:?}, {cycles}");
        least
    };
    let (rising, rotated) = (least(false), least(true));
    assert_eq!(rising.host, rotated.host);
    assert_eq!(rising.host.cycles, 36 * 40 - 1);
    assert!(rising.chain.cycles > rising.host.cycles * 3 / 2, "{rising:?}");
    assert!(rotated.chain.cycles < rotated.host.cycles * 5 / 4, "{rotated:?}");
}

#[test]
fn slow_cables_are_a_bound_of_their_group() {
    let half = Bandwidth::of_thousandths(500).unwrap();
    let mut settings = Settings::new(Scheme::Min, VlbPaths::Custom);
    settings.bandwidths = Bandwidths::new(Bandwidth::ONE, Bandwidth::ONE, half).unwrap();
    let nodes: Vec<NodeId> = (0..72).map(NodeId).collect();
    let programs = halves(72, 10_000, true, ONCE);
    let (cycles, least) = run(&settings, &programs, &nodes, 1).unwrap();
    // 8 nodes send 10 packets to each of 36 nodes of other groups, but for the group in the middle, by 8
    // cables of half the speed.
    assert_eq!((least.group.cycles, least.group.packets), ((36 * 10 - 1) * 2, 8 * 36 * 10));
    assert!(least.group.cycles > least.host.cycles && least.cycles() <= cycles);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_run_takes_less(
        scheme in prop_oneof![Just(Scheme::Min), Just(Scheme::Vlb), Just(Scheme::Par)],
        latencies in prop_oneof![Just((1, 1, 1)), Just((10, 15, 1)), Just((2, 40, 5))],
        bytes in prop_oneof![Just(0_u64), Just(9000), Just(20_000), Just(40_001)],
        bandwidths in prop_oneof![Just((1000_u32, 1000_u32)), Just((500, 1000)), Just((1000, 400))],
        ranks in 2_u32..12,
        ranks_per_node in 1_u32..3,
        stride in 1_u32..6,
        is_rotated: bool,
        iterations in 1_u32..3,
        compute in 0_u64..200,
        seed: u64,
    ) {
        let mut settings = Settings::new(scheme, VlbPaths::Custom);
        (settings.local_latency_cycles, settings.global_latency_cycles, settings.node_latency_cycles)
            = latencies;
        let of = |thousandths| Bandwidth::of_thousandths(thousandths).unwrap();
        settings.bandwidths =
            Bandwidths::new(Bandwidth::ONE, of(bandwidths.0), of(bandwidths.1)).unwrap();
        let iterations = NonZeroU32::new(iterations).unwrap();
        let exchange = halves(ranks * 2, bytes, is_rotated, iterations);
        // Each rank computes, and waits for its cycle, before it exchanges anything.
        let steps = (0..ranks * 2).map(|rank| {
            let first = Step::Compute { cycles: compute * u64::from(rank % 3) };
            let then = Step::Until { cycle: 2 * compute };
            [first, then].into_iter().chain(exchange.steps(Rank(rank)).iter().copied())
        });
        let programs = Programs::new(steps, iterations).unwrap();
        let nodes: Vec<NodeId> =
            (0..ranks * 2).map(|rank| NodeId(rank / ranks_per_node * stride % 72)).collect();
        let (cycles, least) = run(&settings, &programs, &nodes, seed).unwrap();
        prop_assert!(least.cycles() <= cycles, "{least:?}, {cycles}");
    }
}
