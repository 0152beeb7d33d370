//! The programs of every pattern against small cases that were written by hand.

use super::*;
use crate::workload::matrix_market;
use crate::workload::reduction::exchange;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A job's programs, a line for each rank: `<3` posts a receive from rank 3, `3` sends to it, `+3` starts
/// to send to it, `@9` waits for cycle 9, `=9` computes for 9 cycles, `.` waits and `|` ends a phase.
fn shown(motif: &str, ranks: u32) -> Vec<String> {
    show(&motif.parse().unwrap(), ranks)
}

fn show(motif: &Motif, ranks: u32) -> Vec<String> {
    let programs = motif.programs(ranks, 8, NonZeroU32::MIN).unwrap();
    let of_rank = |rank| -> Vec<String> {
        let step = |step: &Step| match *step {
            Step::Post { from, bytes: 8 } => format!("<{from}"),
            Step::Send { to, bytes: 8 } => to.to_string(),
            Step::Start { to, bytes: 8 } => format!("+{to}"),
            Step::Wait => ".".to_owned(),
            Step::PhaseEnd => "|".to_owned(),
            Step::Until { cycle } => format!("@{cycle}"),
            Step::Compute { cycles } => format!("={cycles}"),
            other => panic!("{other:?}"),
        };
        programs.steps(rank).iter().map(step).collect()
    };
    (0..ranks).map(|rank| of_rank(Rank(rank)).join(" ")).collect()
}

fn error(motif: &Motif, ranks: u32) -> String {
    motif.programs(ranks, 8, NonZeroU32::MIN).unwrap_err().to_string()
}

#[test]
fn all_to_all_goes_round() {
    assert_eq!(
        shown("alltoall", 4),
        [
            "<3 1 . <2 2 . <1 3 .",
            "<0 2 . <3 3 . <2 0 .",
            "<1 3 . <0 0 . <3 1 .",
            "<2 0 . <1 1 . <0 2 .",
        ]
    );
    assert_eq!(shown("alltoall", 1), [""]);
}

#[test]
fn a_hierarchical_all_to_all_goes_round_groups_and_then_between_them() {
    // Two groups of three: what goes to a place of both groups, and then what three ranks have for one.
    let all = messages("alltoall:hierarchical:3", 6, 10);
    assert_eq!(&all[..3], [(0, 1, 20), (0, 2, 20), (0, 3, 30)]);
    assert_eq!(&all[15..], [(5, 3, 20), (5, 4, 20), (5, 2, 30)]);
    let programs = |name: &str| name.parse::<Motif>().unwrap().programs(6, 8, NonZeroU32::MIN);
    let phases = programs("alltoall:hierarchical:3").unwrap();
    assert_eq!((phases.phases(), phases.steps(Rank(0)).len()), (2, 3 * 3 + 2));
    // One group, and groups of one rank, exchange as without groups.
    for group in [1, 6] {
        let name = format!("alltoall:hierarchical:{group}");
        assert_eq!(messages(&name, 6, 8), messages("alltoall", 6, 8), "{group}");
    }
    assert_eq!(
        error(&"alltoall:hierarchical:4".parse().unwrap(), 6),
        "the job has 6 ranks, accepted a multiple of 4, the ranks of a group"
    );
}

/// Whether every rank has what every other rank had for it, if a message of a first phase holds what its receiver
/// is to hand on, and one of a second what its receiver keeps.
#[test]
fn a_hierarchical_all_to_all_brings_every_message_to_its_rank() {
    for (ranks, size) in [(12, 3), (12, 4), (12, 12), (12, 1), (72, 8)] {
        let mut held: BTreeMap<u32, Vec<(u32, u32)>> =
            (0..ranks).map(|rank| (rank, (0..ranks).map(|to| (rank, to)).collect())).collect();
        let all = messages(&format!("alltoall:hierarchical:{size}"), ranks, 1);
        let (inside, between): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(from, to, _)| from / size == to / size);
        for (phase, takes) in [
            (inside, (|to, rank, size| to % size == rank % size) as fn(u32, u32, u32) -> bool),
            (between, |to, rank, _| to == rank),
        ] {
            let before = held.clone();
            for (from, to, bytes) in phase {
                let moved = |&&(_, last): &&(u32, u32)| takes(last, to, size);
                let given: Vec<_> = before[&from].iter().filter(moved).copied().collect();
                assert_eq!(given.len() as u64, bytes, "{ranks} {size}: {from} to {to}");
                held.get_mut(&from).unwrap().retain(|block| !given.contains(block));
                held.get_mut(&to).unwrap().extend(given);
            }
        }
        for (rank, mut blocks) in held {
            blocks.sort_unstable();
            assert_eq!(blocks, (0..ranks).map(|from| (from, rank)).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_bisection_takes_partners_in_ascending_or_in_rotated_order() {
    assert_eq!(
        shown("bisection", 6),
        [
            "<3 3 <4 4 <5 5 .",
            "<3 3 <4 4 <5 5 .",
            "<3 3 <4 4 <5 5 .",
            "<0 0 <1 1 <2 2 .",
            "<0 0 <1 1 <2 2 .",
            "<0 0 <1 1 <2 2 .",
        ]
    );
    assert_eq!(
        shown("bisection rotated", 6),
        [
            "<3 3 <4 4 <5 5 .",
            "<4 4 <5 5 <3 3 .",
            "<5 5 <3 3 <4 4 .",
            "<0 0 <2 2 <1 1 .",
            "<1 1 <0 0 <2 2 .",
            "<2 2 <1 1 <0 0 .",
        ]
    );
}

#[test]
fn halves_can_be_given() {
    let on = |half: &[u32]| Motif::Bisection {
        order: PartnerOrder::Ascending,
        first_half: Some(half.iter().map(|rank| Rank(*rank)).collect()),
    };
    assert_eq!(show(&on(&[3, 0]), 4), ["<1 1 <2 2 .", "<0 0 <3 3 .", "<0 0 <3 3 .", "<1 1 <2 2 ."]);
    assert_eq!(error(&on(&[0]), 4), "the first half has 1 ranks, accepted 2, half of the job's 4");
    for half in [[0, 0], [0, 4]] {
        let said =
            format!("the first half names rank {}, accepted each rank once, of 0 to 3", half[1]);
        assert_eq!(error(&on(&half), 4), said);
    }
    let odd = "the job has 5 ranks, accepted an even number for two halves";
    assert_eq!(error(&on(&[0, 1]), 5), odd);
    assert_eq!(error(&"bisection".parse().unwrap(), 5), odd);
}

#[test]
fn a_halo_exchange_goes_over_the_axes_in_turn() {
    assert_eq!(
        shown("halo3d:3x2x1", 6),
        [
            "<1 1 . | <3 3 . | . |",
            "<0 <2 0 2 . | <4 4 . | . |",
            "<1 1 . | <5 5 . | . |",
            "<4 4 . | <0 0 . | . |",
            "<3 <5 3 5 . | <1 1 . | . |",
            "<4 4 . | <2 2 . | . |",
        ]
    );
    let wrong = error(&"halo3d:3x2x2".parse().unwrap(), 6);
    assert_eq!(wrong, "the grid 3x2x2 has 12 ranks, accepted a grid of the job's 6");
    assert_eq!(shown("halo3d", 8), shown("halo3d:2x2x2", 8));
    assert_eq!(error(&"halo3d".parse().unwrap(), 0), "the job has no ranks, accepted at least 1");
}

#[test]
fn neighbours_get_both_messages_at_once() {
    assert_eq!(
        shown("neighbour:2x1x3", 6),
        ["<2 +2 .", "<3 +3 .", "<0 <4 +0 +4 .", "<1 <5 +1 +5 .", "<2 +2 .", "<3 +3 ."]
    );
    assert_eq!(shown("neighbour:2x1x2:x", 4), ["<1 +1 .", "<0 +0 .", "<3 +3 .", "<2 +2 ."]);
    assert_eq!(shown("neighbour:y", 8), shown("neighbour:2x2x2:y", 8));
}

#[test]
fn a_graph_says_who_is_whose_neighbour() {
    let text = "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n3 1\n4 1\n4 3\n";
    let motif = Motif::Graph(matrix_market::parse(text).unwrap());
    assert_eq!(show(&motif, 4), ["<2 2 <3 3 .", ".", "<0 0 <3 3 .", "<0 0 <2 2 ."]);
    assert_eq!(error(&motif, 5), "the graph has 4 ranks, accepted one of the job's 5");
}

#[test]
fn a_list_of_messages_has_phases() {
    let text = "from,to,bytes,phase\n1,0,8,2\n0,1,8,1\n2,1,8,1\n0,2,8,2\n";
    let motif = Motif::Messages(MessageList::parse(text).unwrap());
    assert_eq!(show(&motif, 4), ["1 . | <1 2 . |", "<0 <2 . | 0 . |", "1 . | <0 . |", "| |"]);
    let motif = Motif::Messages(MessageList::parse("from,to,bytes\n0,1,8\n1,0,8\n").unwrap());
    assert_eq!(show(&motif, 3), ["<1 1 .", "<0 0 .", ""]);
    let timed = "from,to,bytes,at,compute\n0,1,8,0,0\n0,1,8,90,7\n";
    let timed = Motif::Messages(MessageList::parse(timed).unwrap());
    assert_eq!(show(&timed, 2), ["1 @90 =7 1 .", "<0 <0 ."]);
    assert_eq!(error(&motif, 1), "line 2: there is no rank 1, accepted ranks of the job, 0 to 0");
}

#[test]
fn programs_that_are_too_long_are_not_made() {
    for name in ["alltoall", "bisection", "bisection rotated", "allreduce:ring"] {
        assert_eq!(
            error(&name.parse().unwrap(), 1 << 24),
            "the job's ranks take more than 134217728 steps in an iteration, accepted at most so many"
        );
    }
}

#[test]
fn names_read_back() {
    for name in [
        "alltoall",
        "alltoall:hierarchical:8",
        "bisection",
        "bisection rotated",
        "halo3d",
        "halo3d:6x6x4",
        "neighbour:z",
        "neighbour:6x6x4:y",
        "moe-alltoall:4096:64:8",
        "moe-alltoall:4096:64:8:1.25:7",
        "moe-alltoall:1:65536:65536:0.001:0",
        "allreduce:ring",
        "allreduce:doubling",
        "allreduce:halving",
        "allreduce:hierarchical:16",
    ] {
        assert_eq!(name.parse::<Motif>().unwrap().to_string(), name);
    }
    assert_eq!("neighbour".parse::<Motif>().unwrap().to_string(), "neighbour:z");
    assert_eq!("neighbour:2x3x4".parse::<Motif>().unwrap().to_string(), "neighbour:2x3x4:z");
    let seed_one = "moe-alltoall: 8 : 4 : 2 : 1.50".parse::<Motif>().unwrap().to_string();
    assert_eq!(seed_one, "moe-alltoall:8:4:2:1.5:1");
    for text in [
        "all-to-all",
        "bisection:3",
        "halo3d:6x6",
        "neighbour:6x6x4:w",
        "neighbour:q",
        "moe-alltoall",
        "moe-alltoall:8:4",
        "moe-alltoall:0:4:2",
        "moe-alltoall:8:4:5",
        "moe-alltoall:8:65537:2",
        "moe-alltoall:8:4:2:0",
        "moe-alltoall:8:4:2:1.2345",
        "moe-alltoall:8:4:2:-1",
        "moe-alltoall:8:4:2:1:1:1",
        "allreduce",
        "allreduce:tree",
        "allreduce:ring:4",
        "allreduce:hierarchical",
        "allreduce:hierarchical:0",
    ] {
        assert!(text.parse::<Motif>().unwrap_err().to_string().contains("accepted"), "{text}");
    }
}

/// The messages of a pattern: sender, receiver and bytes.
fn messages(name: &str, ranks: u32, bytes: u64) -> Vec<(u32, u32, u64)> {
    let programs = name.parse::<Motif>().unwrap().programs(ranks, bytes, NonZeroU32::MIN).unwrap();
    programs.messages().map(|(from, to, bytes)| (from.0, to.0, bytes)).collect()
}

/// How many messages there are, and their bytes in all.
fn amount(name: &str, ranks: u32, bytes: u64) -> (u64, u64) {
    let messages = messages(name, ranks, bytes);
    (messages.len() as u64, messages.iter().map(|(_, _, bytes)| bytes).sum())
}

#[test]
fn tokens_go_to_their_experts_and_come_back() {
    // The token of every rank has both experts, which are on ranks 0 and 2.
    assert_eq!(
        shown("moe-alltoall:1:2:2", 4),
        [
            "<3 <2 <1 2 . | <2 1 2 3 . |",
            "2 0 . | <0 <2 . |",
            "<1 <0 <3 0 . | <0 3 0 1 . |",
            "0 2 . | <2 <0 . |",
        ]
    );
}

#[test]
fn a_rank_sends_what_its_experts_take() {
    // With k = n every token has all experts: the tokens of each pair of ranks are known without the draw.
    let (ranks, tokens, experts, bytes) = (6, 10, 12, 100);
    let pairs = ranks * (ranks - 1);
    let of_pair = tokens * (experts / ranks) * bytes;
    let all = |name| amount(name, u32::try_from(ranks).unwrap(), bytes);
    assert_eq!(all("moe-alltoall:10:12:12"), (2 * pairs, 2 * pairs * of_pair));
    // ceil(0.75 · 10 · 12 / 12) = 8 of the 10 tokens that each rank has for each expert.
    assert_eq!(all("moe-alltoall:10:12:12:0.75"), (2 * pairs, 2 * pairs * of_pair / 10 * 8));
    // ceil(1.25 · 10 · 12 / 12) = 13 is more than there are, so that nothing is dropped.
    assert_eq!(all("moe-alltoall:10:12:12:1.25"), (2 * pairs, 2 * pairs * of_pair));
    // One expert, on rank 0: all other ranks send it all their tokens, or ceil(0.301 · 10) = 4.
    assert_eq!(all("moe-alltoall:10:1:1"), (2 * 5, 2 * 5 * 10 * 100));
    assert_eq!(all("moe-alltoall:10:1:1:0.301"), (2 * 5, 2 * 5 * 4 * 100));
}

#[test]
fn drawn_experts_differ_and_no_capacity_is_exceeded() {
    // Two experts on ranks 0 and 2 of 4: ranks 1 and 3 send 50 tokens to 1 expert each, and none stays.
    let all = messages("moe-alltoall:50:2:1", 4, 1);
    let sent = |from| all.iter().filter(|m| m.0 == from && m.1 % 2 == 0).map(|m| m.2).sum::<u64>();
    assert_eq!((sent(1), sent(3)), (50, 50));
    // An expert for each rank: a rank sends each other rank at most ceil(1.1 · 64 · 2 / 16) = 9 tokens.
    let (free, bound) = ("moe-alltoall:64:16:2", "moe-alltoall:64:16:2:1.1");
    let [free, bound] = [free, bound].map(|name| messages(name, 16, 1));
    assert!(free.iter().any(|m| m.2 > 9) && free.len() == bound.len());
    for (free, bound) in free.iter().zip(&bound) {
        assert_eq!(*bound, (free.0, free.1, free.2.min(9)));
    }
    // What goes from one rank to another comes back.
    let sorted = |mut all: Vec<(u32, u32, u64)>| {
        all.sort_unstable();
        all
    };
    let back = bound.iter().map(|&(from, to, bytes)| (to, from, bytes)).collect();
    assert_eq!(sorted(bound.clone()), sorted(back));
}

#[test]
fn the_draws_of_a_layer_do_not_change() {
    let of_rank = |seed: u64| -> Vec<(u32, u64)> {
        let all = messages(&format!("moe-alltoall:6:4:1:4:{seed}"), 4, 1);
        let dispatched = all.into_iter().filter(|m| m.0 == 1).take(3);
        dispatched.map(|(_, to, tokens)| (to, tokens)).collect()
    };
    assert_eq!(of_rank(1), [(2, 1), (3, 3), (0, 1)]);
    assert_eq!(of_rank(2), [(2, 1), (3, 2), (0, 1)]);
}

#[test]
fn too_many_choices_are_refused_before_they_are_drawn() {
    assert_eq!(
        error(&"moe-alltoall:4294967295:64:8".parse().unwrap(), 2),
        "the tokens of 2 ranks choose an expert 68719476720 times, accepted at most 268435456 times"
    );
}

#[test]
fn a_ring_passes_parts_on() {
    // The parts of 10 bytes are 3, 3 and 4 bytes. A rank ends the first phase with the part at its own place.
    let programs = "allreduce:ring".parse::<Motif>().unwrap().programs(3, 10, NonZeroU32::MIN);
    let programs = programs.unwrap();
    let steps = |sent: [u64; 4], received: [u64; 4]| {
        let steps = (0..4).flat_map(|at| exchange((Rank(1), sent[at]), (Rank(2), received[at])));
        let mut steps: Vec<Step> = steps.collect();
        steps.insert(6, Step::PhaseEnd);
        steps.push(Step::PhaseEnd);
        steps
    };
    assert_eq!(programs.steps(Rank(0)), steps([4, 3, 3, 4], [3, 3, 4, 3]));
    assert_eq!(shown("allreduce:ring", 1), ["| |"]);
}

#[test]
fn an_all_reduce_sends_as_much_as_its_algorithm_needs() {
    let bytes = 16 * 81;
    for n in [1_u64, 2, 3, 6, 16] {
        // In each of 2(n − 1) steps all ranks together send each part once, so the whole vector.
        let ring = (2 * (n - 1) * n, 2 * (n - 1) * bytes);
        let ranks = u32::try_from(n).unwrap();
        assert_eq!(amount("allreduce:ring", ranks, bytes), ring);
        // One group of all ranks, and groups of one rank, are a ring.
        for group in [1, n] {
            let one = amount(&format!("allreduce:hierarchical:{group}"), ranks, bytes);
            assert_eq!(one, ring);
        }
    }
    // 16 ranks: log2 16 = 4 steps of the whole vector; 2·4 steps of together 2·(1 − 1/16) of the vector.
    assert_eq!(amount("allreduce:doubling", 16, bytes), (16 * 4, 16 * 4 * bytes));
    assert_eq!(amount("allreduce:halving", 16, bytes), (16 * 2 * 4, 16 * 2 * bytes * 15 / 16));
    // 13 = 8 + 5 ranks: 5 pairs with one whole vector there and one back, then 8 ranks in 3 steps.
    let pairs = 5 * 2;
    assert_eq!(amount("allreduce:doubling", 13, bytes), (pairs + 8 * 3, (pairs + 8 * 3) * bytes));
    assert_eq!(
        amount("allreduce:halving", 13, bytes),
        (pairs + 8 * 2 * 3, pairs * bytes + 8 * 2 * bytes * 7 / 8)
    );
    // 4 groups of 3 ranks. Within: 2·2 steps of all ranks, 4 vectors a step. Between: 2·3 steps, and the ranks
    // at 3 places send a third of the vector each.
    let (within, between) = (2 * 2 * 12, 2 * 3 * 12);
    assert_eq!(
        amount("allreduce:hierarchical:3", 12, bytes),
        (within + between, 2 * 2 * 4 * bytes + 2 * 3 * (3 * bytes / 3))
    );
    let outside =
        messages("allreduce:hierarchical:3", 12, bytes).into_iter().filter(|m| m.0 / 3 != m.1 / 3);
    assert_eq!(outside.map(|m| m.2).sum::<u64>(), 2 * 3 * bytes);
    assert_eq!(
        error(&"allreduce:hierarchical:5".parse().unwrap(), 12),
        "the job has 12 ranks, accepted a multiple of 5, the ranks of a group"
    );
}

#[test]
fn halving_and_doubling_by_hand() {
    assert_eq!(
        shown("allreduce:doubling", 5),
        ["1 <1 .", "<0 . <2 2 . <3 3 . 0", "<1 1 . <4 4 .", "<4 4 . <1 1 .", "<3 3 . <2 2 ."]
    );
    // Rank 1 of 4 holds part 1 of 4 in the end of the first phase.
    let programs = "allreduce:halving".parse::<Motif>().unwrap();
    let programs = programs.programs(4, 7, NonZeroU32::MIN).unwrap();
    // Parts 0 to 3 of 7 bytes have 1, 2, 2 and 2 bytes.
    let both = |with, sent, received| exchange((Rank(with), sent), (Rank(with), received));
    let scatter = [both(3, 2 + 2, 1 + 2), both(0, 1, 2)].concat();
    let gather = [both(0, 2, 1), both(3, 1 + 2, 2 + 2)].concat();
    let end = vec![Step::PhaseEnd];
    assert_eq!(programs.steps(Rank(1)), [scatter, end.clone(), gather, end].concat());
}

/// Runs programs whose every send waits for its receive, and tells whose vectors have come to each rank: a
/// message carries what its sender had received when it last waited before the send.
fn heard(programs: &Programs) -> Vec<u64> {
    let ranks = programs.ranks() as usize;
    let mut known: Vec<u64> = (0..ranks).map(|rank| 1 << rank).collect();
    let mut at = vec![0; ranks];
    // By sender and receiver the receives that are open.
    let mut open: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    let mut arrived = vec![0_u64; ranks];
    loop {
        let mut moved = false;
        for rank in 0..ranks {
            while let Some(step) = programs.steps(Rank(u32::try_from(rank).unwrap())).get(at[rank])
            {
                match *step {
                    Step::Post { from, .. } => {
                        *open.entry((from.as_usize(), rank)).or_default() += 1;
                    }
                    Step::Send { to, .. } => {
                        let to = to.as_usize();
                        match open.get_mut(&(rank, to)).filter(|open| **open > 0) {
                            Some(open) => *open -= 1,
                            None => break,
                        }
                        arrived[to] |= known[rank];
                    }
                    Step::Wait => {
                        if open.iter().any(|(&(_, to), &open)| to == rank && open > 0) {
                            break;
                        }
                        known[rank] |= arrived[rank];
                    }
                    _ => {}
                }
                (at[rank], moved) = (at[rank] + 1, true);
            }
        }
        if !moved {
            let ended = (0..).map(Rank).zip(&at).all(|(r, at)| programs.steps(r).len() == *at);
            assert!(ended, "{at:?}");
            return known;
        }
    }
}

#[test]
fn every_rank_hears_of_every_other() {
    for ranks in 1..=34 {
        let groups = (1..=ranks).filter(|group| ranks % group == 0);
        let mut names: Vec<String> =
            groups.map(|group| format!("allreduce:hierarchical:{group}")).collect();
        names.extend(["ring", "doubling", "halving"].map(|name| format!("allreduce:{name}")));
        for name in names {
            let programs = name.parse::<Motif>().unwrap().programs(ranks, 100, NonZeroU32::MIN);
            let all = u64::MAX >> (64 - ranks);
            assert_eq!(heard(&programs.unwrap()), vec![all; ranks as usize], "{name} {ranks}");
        }
    }
}

proptest! {
    /// Every pattern gives every message its receive, whatever the number of ranks.
    #[test]
    fn every_message_has_its_receive(ranks in 1..40_u32, bytes: u64, name in 0..NAMES.len()) {
        let programs = NAMES[name].parse::<Motif>().unwrap().programs(ranks, bytes, NonZeroU32::MIN);
        match programs {
            Ok(programs) => prop_assert_eq!(programs.ranks(), ranks),
            Err(error) => {
                let text = error.to_string();
                prop_assert!(text.contains("an even number") || text.contains("a multiple of"), "{text}");
            }
        }
    }
}

const NAMES: [&str; 13] = [
    "alltoall",
    "alltoall:hierarchical:2",
    "bisection",
    "bisection rotated",
    "halo3d",
    "neighbour:x",
    "neighbour",
    "moe-alltoall:30:24:3:1.05:4",
    "moe-alltoall:2:5:1",
    "allreduce:ring",
    "allreduce:doubling",
    "allreduce:halving",
    "allreduce:hierarchical:3",
];
