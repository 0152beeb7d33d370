//! Programs take the time that their messages need, and chunks that run ahead change nothing.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::complete::{advance, begin, figures, is_complete};
use crate::test_images::{Images, absolute_classic, absolute_images, dragonfly, images};
use crate::workload::{MessageList, Motif, Programs, Rank, Step};
use crate::{Completion, CompletionError, JobRun, JobTimes, MessageSettings, complete};
use proptest::prelude::*;
use std::num::NonZeroU32;
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{Bandwidth, Bandwidths, NodeId, SetRule, ShapeSet};
use tvlb_simulator::{BootedFabric, Buffers, Scheme, Settings};

const ONCE: NonZeroU32 = NonZeroU32::MIN;
/// Cycles for a packet that meets no other, within a switch, and over one local link more.
const ONE_SWITCH: u32 = 5;
const ONE_LOCAL: u32 = 17;
/// One cycle more than a local link's latency.
const CONTROL: u32 = 11;

fn post(from: u32, bytes: u64) -> Step {
    Step::Post { from: Rank(from), bytes }
}

fn send(to: u32, bytes: u64) -> Step {
    Step::Send { to: Rank(to), bytes }
}

fn start(to: u32, bytes: u64) -> Step {
    Step::Start { to: Rank(to), bytes }
}

fn programs<const N: usize>(ranks: [Vec<Step>; N]) -> Programs {
    Programs::new(ranks, ONCE).unwrap()
}

fn small() -> Images {
    let df = dragonfly(2, 4, 2, 9);
    images(&df, &absolute_classic(&df), SetRule::whole(ShapeSet::ALL))
}

fn settings() -> Settings {
    Settings::new(Scheme::Min, VlbPaths::Custom)
}

fn run_with(
    settings: &Settings,
    programs: &Programs,
    nodes: &[u32],
) -> Result<Completion, CompletionError> {
    let Images { fabric, switches } = small();
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let nodes: Vec<NodeId> = nodes.iter().copied().map(NodeId).collect();
    let job = JobRun { programs, nodes: &nodes };
    complete(&fabric, settings, &[job], &MessageSettings::default(), 1, &())
}

fn time<const N: usize>(ranks: [Vec<Step>; N], nodes: [u32; N]) -> u32 {
    run_with(&settings(), &programs(ranks), &nodes).unwrap().cycles
}

/// Sends one message from rank 0 to rank 1.
fn one_message(bytes: u64) -> [Vec<Step>; 2] {
    [vec![send(1, bytes)], vec![post(0, bytes), Step::Wait]]
}

#[test]
fn an_eager_message_takes_its_packets_and_the_way() {
    for (bytes, packets) in [(0, 1), (1, 1), (1024, 1), (1025, 2), (12_000, 12)] {
        assert_eq!(time(one_message(bytes), [0, 1]), packets - 1 + ONE_SWITCH, "{bytes}");
        assert_eq!(time(one_message(bytes), [0, 2]), packets - 1 + ONE_LOCAL, "{bytes}");
    }
}

#[test]
fn a_long_message_waits_for_its_receive_and_for_word_of_its_arrival() {
    let packets = 12_001_u64.div_ceil(1024);
    let way = u32::try_from(packets).unwrap() - 1 + ONE_LOCAL;
    assert_eq!(time(one_message(12_001), [0, 2]), CONTROL + way + CONTROL);
    // The receiver computes first.
    let late =
        [vec![send(1, 12_001)], vec![Step::Compute { cycles: 5000 }, post(0, 12_001), Step::Wait]];
    assert_eq!(time(late, [0, 2]), 5000 + CONTROL + way + CONTROL);
    // A short message does not wait for it.
    let late = [vec![send(1, 8)], vec![Step::Compute { cycles: 5000 }, post(0, 8), Step::Wait]];
    assert_eq!(time(late, [0, 2]), 5000);
}

/// A message leaves in its cycle, counted from the beginning of its rank's iteration, or as soon as its turn comes
/// after that; computing comes after the wait.
#[test]
fn messages_of_a_list_wait_for_their_cycle() {
    let of = |lines: &str, iterations: u32| {
        let list = MessageList::parse(&format!("from,to,bytes,at,compute\n{lines}\n")).unwrap();
        let iterations = NonZeroU32::new(iterations).unwrap();
        Motif::Messages(list).programs(2, 0, iterations).unwrap()
    };
    let steps = |programs: Programs| [0, 1].map(|rank| programs.steps(Rank(rank)).to_vec());
    let time = |lines: &str| time(steps(of(lines, 1)), [0, 2]);
    let plain = time("0,1,8,0,0");
    assert_eq!(plain, ONE_LOCAL);
    assert_eq!(time("0,1,8,500,0"), 500 + plain);
    assert_eq!(time("0,1,8,500,70"), 570 + plain);
    assert_eq!(time("0,1,8,0,700\n0,1,8,500,0"), 701 + plain);
    let twice = of("0,1,8,500,0", 2).beginning_after(90).unwrap();
    // The second iteration of rank 0 begins as its first message has left.
    assert_eq!(self::time(steps(twice), [0, 2]), 90 + 500 + 1 + 500 + plain);
}

#[test]
fn ranks_of_one_node_exchange_at_no_cost() {
    for bytes in [8, 1_000_000] {
        assert_eq!(time(one_message(bytes), [3, 3]), 0);
        let exchange = |with| vec![post(with, bytes), send(with, bytes), Step::Wait];
        assert_eq!(time([exchange(1), exchange(0)], [3, 3]), 0);
    }
    // Whichever of the two comes first.
    let late =
        [vec![Step::Compute { cycles: 70 }, send(1, 50_000)], one_message(50_000)[1].clone()];
    assert_eq!(time(late, [3, 3]), 70);
    let late =
        [vec![send(1, 50_000)], vec![Step::Compute { cycles: 70 }, post(0, 50_000), Step::Wait]];
    assert_eq!(time(late, [3, 3]), 70);
}

#[test]
fn sends_that_are_open_at_the_same_time_share_the_link_in_turn() {
    let both = [
        vec![start(1, 10_240), start(2, 5_120), Step::Wait],
        vec![post(0, 10_240), Step::Wait],
        vec![post(0, 5_120), Step::Wait],
    ];
    let Images { fabric, switches } = small();
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let nodes = [NodeId(0), NodeId(2), NodeId(4)];
    let programs = programs(both);
    // The shorter one is through after ten packets, the longer one after fifteen.
    let job = JobRun { programs: &programs, nodes: &nodes };
    let completion =
        complete(&fabric, &settings(), &[job], &MessageSettings::default(), 1, &()).unwrap();
    assert_eq!(completion.cycles, 15 - 1 + ONE_LOCAL);
    assert_eq!((completion.network.packets, completion.jobs.len()), (15, 1));
    // Sending them in turn takes as long, because the link is as busy.
    let after = [
        vec![send(1, 10_240), send(2, 5_120)],
        vec![post(0, 10_240), Step::Wait],
        vec![post(0, 5_120), Step::Wait],
    ];
    assert_eq!(time(after, [0, 2, 4]), 15 - 1 + ONE_LOCAL);
}

#[test]
fn a_slower_link_takes_longer() {
    let mut settings = settings();
    let half = Bandwidth::of_thousandths(500).unwrap();
    settings.bandwidths = Bandwidths::new(Bandwidth::ONE, half, Bandwidth::ONE).unwrap();
    let found = run_with(&settings, &programs(one_message(10_240)), &[0, 2]).unwrap();
    assert_eq!(found.cycles, 2 * (10 - 1) + ONE_LOCAL);
    settings.bandwidths = Bandwidths::new(half, Bandwidth::ONE, Bandwidth::ONE).unwrap();
    let found = run_with(&settings, &programs(one_message(10_240)), &[0, 2]).unwrap();
    assert_eq!(found.cycles, 2 * (10 - 1) + ONE_LOCAL);
}

#[test]
fn iterations_and_phases_have_their_times() {
    let work = |cycles| {
        vec![Step::Compute { cycles }, Step::PhaseEnd, Step::Compute { cycles: 10 }, Step::PhaseEnd]
    };
    let programs = Programs::new([work(100), work(40)], NonZeroU32::new(2).unwrap()).unwrap();
    let found = run_with(&settings(), &programs, &[0, 9]).unwrap();
    let expected =
        JobTimes { iterations: vec![110, 220], phases: vec![vec![100, 110], vec![210, 220]] };
    assert_eq!(found.jobs, [expected]);
    assert_eq!(found.jobs[0].iteration_cycles(1), Some(110));
    assert_eq!((found.jobs[0].running_time(), found.network.packets), (220, 0));
}

#[test]
fn ranks_that_wait_for_ever_are_named() {
    // Both send before they post, and a long message waits for its receive.
    let exchange = |with| vec![send(with, 50_000), post(with, 50_000), Step::Wait];
    let stuck = run_with(&settings(), &programs([exchange(1), exchange(0)]), &[0, 40]);
    insta::assert_snapshot!(stuck.unwrap_err(), @r"
    at cycle 1024, 2 ranks wait for ever:
      rank 0 of job 0, iteration 0, step 0, waits until rank 1 posts the receive
      rank 1 of job 0, iteration 0, step 0, waits until rank 0 posts the receive
    ");
    // Short ones do not wait.
    let exchange = |with| vec![send(with, 5_000), post(with, 5_000), Step::Wait];
    assert!(run_with(&settings(), &programs([exchange(1), exchange(0)]), &[0, 40]).is_ok());
    // A ring in which each rank waits for the one before it, at whatever distance.
    let ring: [Vec<Step>; 8] = std::array::from_fn(|rank| {
        let rank = u32::try_from(rank).unwrap();
        let (before, after) = ((rank + 7) % 8, (rank + 1) % 8);
        vec![post(before, 8), Step::Wait, send(after, 8)]
    });
    let stuck = run_with(&settings(), &programs(ring), &[0, 9, 18, 27, 36, 45, 54, 63]);
    insta::assert_snapshot!(stuck.unwrap_err(), @r"
    at cycle 1024, 8 ranks wait for ever:
      rank 0 of job 0, iteration 0, step 1, waits for a message that it exchanges with rank 7
      rank 1 of job 0, iteration 0, step 1, waits for a message that it exchanges with rank 0
      rank 2 of job 0, iteration 0, step 1, waits for a message that it exchanges with rank 1
      rank 3 of job 0, iteration 0, step 1, waits for a message that it exchanges with rank 2
      rank 4 of job 0, iteration 0, step 1, waits for a message that it exchanges with rank 3
      and 3 more
    ");
}

#[test]
fn jobs_that_cannot_run_are_refused() {
    let refused = |nodes: &[u32], messages: &MessageSettings, bytes| {
        let Images { fabric, switches } = small();
        let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
        let nodes: Vec<NodeId> = nodes.iter().copied().map(NodeId).collect();
        let programs = programs(one_message(bytes));
        let job = JobRun { programs: &programs, nodes: &nodes };
        complete(&fabric, &settings(), &[job], messages, 1, &()).unwrap_err().to_string()
    };
    let usual = MessageSettings::default();
    insta::assert_snapshot!(refused(&[0], &usual, 1), @"job 0 has 2 ranks and 1 nodes; accepted a node for each rank");
    insta::assert_snapshot!(refused(&[0, 72], &usual, 1), @"rank 1 of job 0 is to run on node 72; accepted a node of the fabric, 0 to 71");
    insta::assert_snapshot!(refused(&[0, 1], &usual, 1 << 41), @"a message of job 0 has 2199023255552 bytes; accepted at most 1099511627776 bytes with packets of 1024 bytes");
    let nothing = MessageSettings { packet_bytes: 0, ..usual.clone() };
    insta::assert_snapshot!(refused(&[0, 1], &nothing, 1), @"packets have 0 bytes; accepted 1 or more");
    let early = MessageSettings { control_latency_cycles: Some(10), ..usual };
    insta::assert_snapshot!(refused(&[0, 1], &early, 1), @"the control latency is 10 cycles; accepted 11 to 1000000 with this scheme and these latencies");
}

/// Every rank exchanges messages with every other, in turn.
fn all_to_all(ranks: u32, bytes: u64, iterations: u32) -> Programs {
    let of_rank = |rank: u32| {
        (1..ranks).flat_map(move |distance| {
            let (from, to) = ((rank + ranks - distance) % ranks, (rank + distance) % ranks);
            [post(from, bytes), send(to, bytes), Step::Wait]
        })
    };
    Programs::new((0..ranks).map(of_rank), NonZeroU32::new(iterations).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn chunks_that_run_ahead_change_nothing(
        scheme in prop_oneof![Just(Scheme::Min), Just(Scheme::UgalL), Just(Scheme::Par)],
        latencies in prop_oneof![Just((1, 1)), Just((10, 15)), Just((2, 40))],
        bytes in prop_oneof![Just(100_u64), Just(9000), Just(20_000)],
        global in prop_oneof![Just(1000_u32), Just(500), Just(4000)],
        ranks_per_node in 1_u32..3,
        seed: u64,
    ) {
        let Images { fabric, switches } = absolute_images(2, 6, 2, 13, ShapeSet::ALL);
        let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
        let mut settings = Settings::new(scheme, VlbPaths::Custom);
        (settings.local_latency_cycles, settings.global_latency_cycles) = latencies;
        settings.buffers = Buffers::all(4);
        let global = Bandwidth::of_thousandths(global).unwrap();
        settings.bandwidths = Bandwidths::new(Bandwidth::ONE, Bandwidth::ONE, global).unwrap();
        let programs = all_to_all(20, bytes, 2);
        let nodes: Vec<NodeId> = (0..20).map(|rank| NodeId(rank / ranks_per_node * 7)).collect();
        let jobs = [JobRun { programs: &programs, nodes: &nodes }];
        let messages = MessageSettings::default();
        let new = || begin(&fabric, &settings, &jobs, &messages, seed).unwrap();
        let (mut one, mut other) = (new(), new());
        other.keep_in_step();
        while !is_complete(&one) || !is_complete(&other) {
            advance(&mut one, 200).unwrap();
            advance(&mut other, 200).unwrap();
        }
        for run in [&one, &other] {
            run.inspect().unwrap();
            run.packets().check_messages(run.now()).unwrap();
        }
        prop_assert!(one.flit_hops() > 1000);
        prop_assert_eq!(figures(&one), figures(&other));
    }
}
