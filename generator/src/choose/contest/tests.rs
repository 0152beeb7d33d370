//! The rules of a contest on made-up outcomes.

use super::*;
use crate::choose::panel::{Event, PanelSize};
use crate::choose::trial::Figures;
use crate::fabric_file::Latencies;
use std::collections::BTreeSet;
use std::sync::Mutex;
use tvlb_schema::Dragonfly;
use tvlb_simulator::Pattern;

/// A contender in hundredths: saturation under adversarial traffic, on guards, of the nodes that share
/// the network with a hot switch; and latency.
#[derive(Clone, Copy)]
struct Made {
    score: u32,
    guard: u32,
    others: u32,
    latency: f64,
}

struct MadeUp {
    contenders: Vec<Made>,
    asked: Mutex<Vec<(usize, Pattern, u32)>>,
}

impl Judge for MadeUp {
    fn run(&self, contender: usize, event: &Event, step: u32) -> Result<Figures, ChooseError> {
        self.asked.lock().unwrap().push((contender, event.pattern.clone(), step));
        let Made { score, guard, others, latency } = self.contenders[contender];
        let (last, several) = match event.pattern {
            Pattern::TypeTwo { .. } | Pattern::Shift { .. } => (score, false),
            Pattern::HotSwitch | Pattern::Mixed { .. } => (guard, true),
            _ => (guard, false),
        };
        let of = |last: u32| if step > last { 1e4 } else { latency };
        Ok(Figures {
            saturated: step > last,
            latency: of(last),
            hops: 3.0,
            populations: if several { vec![of(others), of(last)] } else { Vec::new() },
        })
    }
}

const CONVENTIONAL_MADE: Made = Made { score: 23, guard: 60, others: 60, latency: 57.0 };
const PAPER_MADE: Made = Made { score: 27, guard: 60, others: 60, latency: 55.0 };

fn held(contenders: &[Made], prefer: Prefer) -> (Verdict, Vec<(usize, Pattern, u32)>) {
    let all = [&[CONVENTIONAL_MADE, PAPER_MADE], contenders].concat();
    let df = Dragonfly::new(4, 8, 4, 9).unwrap();
    let panel = Panel::new(&df, Latencies { local: 10, global: 15 }, 1, PanelSize::Standard);
    let judge = MadeUp { contenders: all, asked: Mutex::default() };
    let count = judge.contenders.len();
    let verdict = contest(&judge, &panel, count, prefer, count - 1).unwrap();
    (verdict, judge.asked.into_inner().unwrap())
}

fn verdict(contenders: &[Made]) -> Verdict {
    held(contenders, Prefer::Throughput).0
}

#[test]
fn the_highest_saturation_wins() {
    let base = PAPER_MADE;
    let verdict = verdict(&[Made { score: 30, ..base }, Made { score: 33, ..base }]);
    assert_eq!(verdict.chosen, 3);
    assert!((verdict.lead_over(PAPER).mean - 0.06).abs() < 1e-9);
    assert!((verdict.lead_over(CONVENTIONAL).mean - 0.10).abs() < 1e-9);
    assert_eq!(verdict.runner_up(), Some(2));
    assert!(!verdict.none_holds);
}

#[test]
fn a_guard_excludes_what_would_win() {
    let base = PAPER_MADE;
    // 95% of 60 is 57.
    for bad in [Made { guard: 56, ..base }, Made { others: 56, ..base }] {
        let verdict = verdict(&[Made { score: 40, ..bad }, Made { score: 30, ..base }]);
        assert_eq!(verdict.chosen, 3);
        assert!(matches!(verdict.breaches[2], Some(Breach::Saturated { step: 57, .. })));
        assert!(verdict.standings.values[2].is_empty(), "what is excluded is not raced");
        assert!(verdict.finalists.iter().all(|finalist| finalist.contender != 2));
    }
    let verdict = verdict(&[Made { score: 40, guard: 57, ..base }, Made { score: 30, ..base }]);
    assert_eq!(verdict.chosen, 2, "the margin itself is allowed");
}

#[test]
fn what_takes_detours_where_hardly_anybody_sends_is_excluded() {
    let fast = Made { score: 30, ..PAPER_MADE };
    let slow = Made { score: 40, latency: CONVENTIONAL_MADE.latency * 1.06, ..fast };
    let verdict = verdict(&[slow, fast]);
    assert_eq!(verdict.chosen, 3);
    assert_eq!(verdict.breaches[2], Some(Breach::Slow { latency: slow.latency }));
    let just = Made { latency: CONVENTIONAL_MADE.latency * 1.04, ..slow };
    assert_eq!(self::verdict(&[just, fast]).chosen, 2);
}

#[test]
fn the_papers_choice_can_win_and_can_be_excluded() {
    let worse = Made { score: 24, ..PAPER_MADE };
    assert_eq!(verdict(&[worse]).chosen, PAPER);
    let judge = MadeUp {
        contenders: vec![CONVENTIONAL_MADE, Made { guard: 30, ..PAPER_MADE }, worse],
        asked: Mutex::default(),
    };
    let df = Dragonfly::new(4, 8, 4, 9).unwrap();
    let panel = Panel::new(&df, Latencies { local: 10, global: 15 }, 1, PanelSize::Standard);
    let verdict = contest(&judge, &panel, 3, Prefer::Throughput, 2).unwrap();
    assert_eq!(verdict.chosen, 2);
    assert!(verdict.standings.finished(PAPER), "it is a reference all the same");
}

#[test]
fn where_no_candidate_holds_the_fallback_is_taken_and_said() {
    let judge = MadeUp {
        contenders: [CONVENTIONAL_MADE, PAPER_MADE, PAPER_MADE, PAPER_MADE]
            .iter()
            .enumerate()
            .map(|(n, made)| if n == 0 { *made } else { Made { guard: 10, ..*made } })
            .collect(),
        asked: Mutex::default(),
    };
    let df = Dragonfly::new(4, 8, 4, 9).unwrap();
    let panel = Panel::new(&df, Latencies { local: 10, global: 15 }, 1, PanelSize::Standard);
    let verdict = contest(&judge, &panel, 4, Prefer::Throughput, 3).unwrap();
    assert_eq!((verdict.chosen, verdict.none_holds), (3, true));
}

#[test]
fn what_cannot_win_is_not_run_to_the_end() {
    let base = PAPER_MADE;
    let good = [34, 33, 32].map(|score| Made { score, ..base });
    let (verdict, asked) =
        held(&[&good[..], &[Made { score: 25, ..base }]].concat(), Prefer::Throughput);
    let bad = 5;
    assert!(!verdict.standings.finished(bad));
    let runs = |contender| asked.iter().filter(|(who, _, _)| *who == contender).count();
    assert!(3 * runs(bad) < 2 * runs(2), "{} and {}", runs(bad), runs(2));
    assert_eq!(verdict.chosen, 2);
}

#[test]
fn latency_is_compared_below_saturation() {
    let thin = Made { score: 7, ..CONVENTIONAL_MADE };
    let judge = MadeUp { contenders: vec![thin, thin, thin], asked: Mutex::default() };
    let df = Dragonfly::new(4, 8, 4, 9).unwrap();
    let panel = Panel::new(&df, Latencies { local: 10, global: 15 }, 1, PanelSize::Standard);
    let verdict = contest(&judge, &panel, 3, Prefer::Throughput, 2).unwrap();
    assert_eq!(verdict.yardstick.low_step, 3);
    assert!(verdict.finalists.iter().all(|finalist| finalist.latency < 100.0));
}

#[test]
fn the_verdict_does_not_depend_on_the_threads() {
    let base = PAPER_MADE;
    let made: Vec<Made> = (0..9).map(|n| Made { score: 24 + n, guard: 55 + n, ..base }).collect();
    let verdicts: Vec<Verdict> = [1, 2, 7]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| held(&made, Prefer::Robust).0)
        })
        .collect();
    assert_eq!(verdicts[0], verdicts[1]);
    assert_eq!(verdicts[0], verdicts[2]);
    let breached: BTreeSet<usize> =
        (0..11).filter(|&n| verdicts[0].breaches[n].is_some()).collect();
    assert_eq!(breached, BTreeSet::from([2, 3]));
}
