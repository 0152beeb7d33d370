//! The programs of every pattern against small cases that were written by hand.

use super::*;
use crate::workload::matrix_market;
use proptest::prelude::*;

/// A job's programs, a line for each rank: `<3` posts a receive from rank 3, `3` sends to it, `+3` starts
/// to send to it, `.` waits and `|` ends a phase.
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
    assert_eq!(error(&motif, 1), "line 2: there is no rank 1, accepted ranks of the job, 0 to 0");
}

#[test]
fn programs_that_are_too_long_are_not_made() {
    for name in ["alltoall", "bisection", "bisection rotated"] {
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
        "bisection",
        "bisection rotated",
        "halo3d",
        "halo3d:6x6x4",
        "neighbour:z",
        "neighbour:6x6x4:y",
    ] {
        assert_eq!(name.parse::<Motif>().unwrap().to_string(), name);
    }
    assert_eq!("neighbour".parse::<Motif>().unwrap().to_string(), "neighbour:z");
    assert_eq!("neighbour:2x3x4".parse::<Motif>().unwrap().to_string(), "neighbour:2x3x4:z");
    for text in ["all-to-all", "bisection:3", "halo3d:6x6", "neighbour:6x6x4:w", "neighbour:q"] {
        assert!(text.parse::<Motif>().unwrap_err().to_string().contains("accepted"), "{text}");
    }
}

proptest! {
    /// Every pattern gives every message its receive, whatever the number of ranks.
    #[test]
    fn every_message_has_its_receive(ranks in 1..40_u32, bytes: u64, name in 0..6_usize) {
        let name =
            ["alltoall", "bisection", "bisection rotated", "halo3d", "neighbour:x", "neighbour"][name];
        let programs = name.parse::<Motif>().unwrap().programs(ranks, bytes, NonZeroU32::MIN);
        match programs {
            Ok(programs) => prop_assert_eq!(programs.ranks(), ranks),
            Err(error) => prop_assert!(error.to_string().contains("an even number"), "{error}"),
        }
    }
}
