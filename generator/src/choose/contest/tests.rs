//! The rules of a contest on made-up outcomes.

use super::*;
use crate::choose::figures::RunFigures;
use crate::choose::panel::{Event, Panel, PanelSize};
use crate::choose::record::frontier;
use proptest::prelude::*;
use std::convert::Infallible;
use std::sync::Mutex;
use tvlb_schema::Dragonfly;
use tvlb_simulator::ForeseenLatency;
use tvlb_simulator::LinkSpec;
use tvlb_table_set::Carried;
use tvlb_traffic::Pattern;

/// A contender in hundredths: saturation under adversarial traffic, on guards, of the nodes that share the network with
/// a hot switch; latency and its 99th percentile. `chance` is a load at which it is not saturated on any guard although
/// it is at lower loads. `other_seeds` is the most that these nodes carry with any seed but the first, and
/// `less_of_shifts` by how much less it carries of a shift than of `TYPE_2`.
#[derive(Clone, Copy)]
struct Made {
    score: u32,
    guard: u32,
    others: u32,
    latency: f64,
    p99: u32,
    chance: u32,
    other_seeds: u32,
    less_of_shifts: u32,
}

/// The runs that a contest requested.
type Asked = Vec<(Contender, Pattern, u32)>;

struct MadeUp {
    panel: Panel,
    contenders: PerContender<Made>,
    asked: Mutex<Asked>,
}

impl MadeUp {
    /// The latencies of all nodes, and of those that share the network with a hot switch and the others.
    fn latencies(&self, contender: Contender, event: &Event, step: u32) -> (f64, Vec<f64>) {
        self.asked.lock().unwrap().push((contender, event.pattern.clone(), step));
        let Made { score, guard, others, latency, chance, other_seeds, less_of_shifts, .. } =
            self.contenders[contender];
        let (last, several) = match event.pattern {
            Pattern::TypeTwo { .. } => (score, false),
            Pattern::Shift { .. } => (score - less_of_shifts, false),
            Pattern::HotSwitch | Pattern::Mixed { .. } => (guard, true),
            _ => (guard, false),
        };
        let others = if event.seed > 1 { others.min(other_seeds) } else { others };
        let by_chance = last != score && step == chance;
        let of = |last: u32| if step > last && !by_chance { 1e4 } else { latency };
        (of(last), if several { vec![of(others), of(last)] } else { Vec::new() })
    }
}

impl Runner for MadeUp {
    fn panel(&self) -> &Panel {
        &self.panel
    }

    fn measure(
        &self,
        contender: Contender,
        event: &Event,
        step: u32,
        _: Option<u32>,
    ) -> Result<RunFigures, ChooseError> {
        let (latency, _) = self.latencies(contender, event, step);
        let p99 = self.contenders[contender].p99;
        Ok(RunFigures { saturated: latency >= 1e4, latency, accepted: 0.0, p99, worst_served: 1.0 })
    }

    fn foresee(
        &self,
        contender: Contender,
        event: &Event,
        step: u32,
    ) -> Result<ForeseenLatency, ChooseError> {
        let (all, populations) = self.latencies(contender, event, step);
        Ok(ForeseenLatency { all, populations })
    }
}

const CONVENTIONAL_MADE: Made = Made {
    score: 23,
    guard: 60,
    others: 60,
    latency: 57.0,
    p99: 100,
    chance: 0,
    other_seeds: 100,
    less_of_shifts: 0,
};
const PAPER_MADE: Made = Made { score: 27, latency: 55.0, ..CONVENTIONAL_MADE };

fn contender(number: usize) -> Contender {
    Contender::all(number + 1).last().unwrap()
}

fn panel() -> Panel {
    let df = Dragonfly::new(4, 8, 4, 9).unwrap();
    Panel::new(&df, LinkSpec::default(), 1, PanelSize::Standard)
}

/// MIN or conventional VLB, with one saturation on all score patterns and one on all guards.
fn steps(panel: &Panel, score: u32, guard: u32) -> Steps {
    Steps { score: vec![score; panel.score.len()], guards: vec![guard; panel.guards.len()] }
}

/// MIN carries 12 and 58, conventional VLB 20 and 40: less than conventional UGAL.
fn oblivious(panel: &Panel) -> ObliviousSteps {
    ObliviousSteps { min: steps(panel, 12, 58), vlb: steps(panel, 20, 40) }
}

/// The result of a contest of these contenders, conventional UGAL first, beside this oblivious routing,
/// and the runs that it took.
fn held_beside(
    contenders: Vec<Made>,
    prefer: Prefer,
    oblivious: &ObliviousSteps,
) -> (ContestResult, Asked) {
    let count = contenders.len();
    let contenders = contenders.into();
    let runner = MadeUp { panel: panel(), contenders, asked: Mutex::default() };
    let most_regret = MostRegret(5);
    let all: Vec<Contender> = Contender::all(count).collect();
    let (references, candidates) = (&Contender::PUBLISHED, &all[1..]);
    let rules = ContestRules { prefer, most_regret, oblivious, references, candidates };
    let result = contest(&runner, count, &rules).unwrap();
    (result, runner.asked.into_inner().unwrap())
}

fn held_by_all(contenders: Vec<Made>, prefer: Prefer) -> (ContestResult, Asked) {
    held_beside(contenders, prefer, &oblivious(&panel()))
}

fn held(candidates: &[Made], prefer: Prefer) -> (ContestResult, Asked) {
    held_by_all([&[CONVENTIONAL_MADE, PAPER_MADE], candidates].concat(), prefer)
}

fn result(candidates: &[Made]) -> ContestResult {
    held(candidates, Prefer::Throughput).0
}

/// The paper's choice carries 46 of the score patterns, and 53 of guards of which the best baseline carries 60.
#[test]
fn a_reference_that_loses_a_little_on_a_guard_comes_before_who_holds_all_and_loses_more() {
    let oblivious = ObliviousSteps { min: steps(&panel(), 12, 58), vlb: steps(&panel(), 45, 40) };
    let paper = Made { score: 46, guard: 53, ..PAPER_MADE };
    let chosen = |score| {
        let holder = Made { score, guard: 58, ..PAPER_MADE };
        let all = vec![CONVENTIONAL_MADE, paper, holder];
        let (result, _) = held_beside(all, Prefer::Throughput, &oblivious);
        assert_eq!(result.holds_guards, result.chosen == contender(2));
        result.chosen
    };
    // The one that holds them loses 24% of the score patterns, and then 4%.
    assert_eq!(chosen(34), Contender::PAPER);
    assert_eq!(chosen(43), contender(2));
}

#[test]
fn the_highest_saturation_wins() {
    let base = PAPER_MADE;
    let result = self::result(&[Made { score: 30, ..base }, Made { score: 33, ..base }]);
    assert_eq!(result.chosen, contender(3));
    assert!((result.lead_over(Contender::PAPER).mean - 0.06).abs() < 1e-9);
    assert!((result.lead_over(Contender::CONVENTIONAL).mean - 0.10).abs() < 1e-9);
    assert_eq!(result.runner_up(), Some(contender(2)));
    assert!(result.holds_guards);
    // The last saturation on the score patterns is 0.33, and conventional UGAL carries 0.23.
    assert!((result.regrets[&contender(3)].score[0] - (1.0 - 33.0 / 23.0)).abs() < 1e-9);
}

#[test]
fn a_guard_excludes_what_would_win() {
    let base = PAPER_MADE;
    // 95% of 60 is 57.
    for bad in [Made { guard: 56, ..base }, Made { others: 56, ..base }] {
        let result = self::result(&[Made { score: 40, ..bad }, Made { score: 30, ..base }]);
        assert_eq!(result.chosen, contender(3));
        assert!(matches!(
            result.failures[contender(2)],
            Some(GuardFailure::Saturated { step: 57, .. })
        ));
        assert!(result.standings.values[contender(2)].is_empty(), "what is excluded is not raced");
        assert!(result.finalists.iter().all(|finalist| finalist.contender != contender(2)));
    }
    let result = self::result(&[Made { score: 40, guard: 57, ..base }, Made { score: 30, ..base }]);
    assert_eq!(result.chosen, contender(2), "the margin itself is allowed");
}

#[test]
fn what_a_hot_switch_jams_with_another_seed_is_excluded() {
    let base = PAPER_MADE;
    let lucky = Made { score: 40, other_seeds: 54, ..base };
    let result = self::result(&[lucky, Made { score: 30, ..base }]);
    assert_eq!(result.chosen, contender(3));
    let failure = result.failures[contender(2)];
    assert_eq!(failure, Some(GuardFailure::Saturated { guard: 0, step: 57 }));
    // The second seed runs two steps below the first, so 52 is carried with every seed.
    let alone = Made { score: 40, other_seeds: 50, ..base };
    let contenders = vec![CONVENTIONAL_MADE, Made { guard: 30, ..base }, alone];
    let (result, _) = held_by_all(contenders, Prefer::Throughput);
    assert_eq!(result.chosen, contender(2));
    let regrets = &result.regrets[&contender(2)].guards;
    assert!((regrets[0] - (1.0 - 52.0 / 60.0)).abs() < 1e-9);
    assert!(regrets[1] <= 0.0, "the hot nodes are asked with one seed");
}

#[test]
fn more_than_the_baselines_carry_of_a_guard_is_not_looked_for() {
    let strong = Made { score: 30, guard: 90, others: 90, ..PAPER_MADE };
    let (result, asked) = held(&[strong], Prefer::Robust);
    let is_score =
        |pattern: &Pattern| matches!(pattern, Pattern::TypeTwo { .. } | Pattern::Shift { .. });
    let of_guards = asked.iter().filter(|(who, what, _)| *who == contender(2) && !is_score(what));
    assert!(of_guards.clone().any(|(_, _, step)| *step == 60));
    assert!(of_guards.into_iter().all(|(_, _, step)| *step <= 60));
    assert!(result.regrets[&contender(2)].guards.iter().all(|regret| regret.abs() < 1e-9));
}

#[test]
fn what_takes_detours_in_a_network_that_is_hardly_used_is_excluded() {
    let fast = Made { score: 30, ..PAPER_MADE };
    let slow = Made { score: 40, latency: CONVENTIONAL_MADE.latency * 1.06, ..fast };
    let result = self::result(&[slow, fast]);
    assert_eq!(result.chosen, contender(3));
    assert_eq!(result.failures[contender(2)], Some(GuardFailure::Slow { latency: slow.latency }));
    let just = Made { latency: CONVENTIONAL_MADE.latency * 1.04, ..slow };
    assert_eq!(self::result(&[just, fast]).chosen, contender(2));
}

#[test]
fn the_papers_choice_can_win_and_can_be_excluded() {
    let worse = Made { score: 24, ..PAPER_MADE };
    assert_eq!(result(&[worse]).chosen, Contender::PAPER);
    let contenders = vec![CONVENTIONAL_MADE, Made { guard: 30, ..PAPER_MADE }, worse];
    let (result, _) = held_by_all(contenders, Prefer::Throughput);
    assert_eq!(result.chosen, contender(2));
    assert!(result.standings.finished(Contender::PAPER), "it is a reference all the same");
}

#[test]
fn what_min_or_vlb_carries_is_not_to_be_lost_either() {
    let panel = panel();
    let candidates =
        [Made { guard: 60, ..PAPER_MADE }, Made { guard: 67, others: 67, ..PAPER_MADE }];
    let [worse, better] = candidates.map(|made| Made { score: 30, ..made });
    let worse = Made { score: 40, ..worse };
    let contenders = vec![CONVENTIONAL_MADE, PAPER_MADE, worse, better];
    let of = |oblivious: ObliviousSteps| {
        held_beside(contenders.clone(), Prefer::Throughput, &oblivious).0
    };
    let low = steps(&panel, 12, 58);
    let high = steps(&panel, 12, 70);
    assert_eq!(of(ObliviousSteps { min: low.clone(), vlb: low.clone() }).chosen, contender(2));
    for (min, vlb, name) in [(&high, &low, "min"), (&low, &high, "vlb")] {
        let result = of(ObliviousSteps { min: min.clone(), vlb: vlb.clone() });
        // 95% of 70 is 66.5, and 67 is the first step that is enough.
        assert_eq!(result.chosen, contender(3));
        let failure = result.failures[contender(2)];
        assert_eq!(failure, Some(GuardFailure::Saturated { guard: 0, step: 67 }));
        assert_eq!(result.baselines.guards[0].best, name);
    }
}

#[test]
fn the_margin_is_exact_in_whole_steps() {
    let carried = |best| Carried::new(best, 0, 0);
    for best in 0..=100 {
        for percent in 0..=100 {
            let required = carried(best).required(percent);
            let is_enough = |step: u32| step * 100 >= best * (100 - percent);
            assert!(is_enough(required), "{best}, {percent}");
            assert!(required == 0 || !is_enough(required - 1), "{best}, {percent}");
        }
    }
    assert_eq!(carried(66).required(3), 65);
    assert_eq!(carried(0).regret(5).to_bits(), 0.0_f64.to_bits());
    assert!((carried(50).regret(40) - 0.2).abs() < 1e-12);
}

#[test]
fn a_long_tail_excludes_what_would_win() {
    let fast = Made { score: 30, ..PAPER_MADE };
    let waits = Made { score: 40, p99: 111, ..fast };
    let result = self::result(&[waits, fast]);
    assert_eq!(result.chosen, contender(3));
    assert_eq!(result.failures[contender(2)], Some(GuardFailure::Tail { tail: 0, p99: 111 }));
    // Uniform traffic and the hot switch are compared at half of what conventional UGAL carries.
    let tails = result.baselines.tails.iter();
    assert_eq!(tails.map(|tail| (tail.guard, tail.step)).collect::<Vec<_>>(), [(1, 30), (6, 30)]);
    let just = Made { p99: 110, ..waits };
    assert_eq!(self::result(&[just, fast]).chosen, contender(2));
}

#[test]
fn where_no_candidate_holds_the_least_worst_regret_is_chosen_and_said() {
    // E is 60 on the guards and 42 on the score patterns, as conventional VLB carries there.
    let panel = panel();
    let oblivious = ObliviousSteps { min: steps(&panel, 12, 58), vlb: steps(&panel, 42, 40) };
    let base = Made { guard: 55, others: 55, ..PAPER_MADE };
    let candidates = [
        // Its worst regrets are 8% on a guard and 29% on a score pattern,
        Made { score: 30, ..base },
        // 15% and 10%,
        Made { score: 38, guard: 51, ..base },
        // 15% and 21%: no better than the one before in anything,
        Made { score: 33, guard: 51, ..base },
        // and 50%.
        Made { score: 42, guard: 30, ..base },
        // Slow, whatever it carries.
        Made { score: 42, guard: 56, latency: 99.0, ..base },
        // Some packets wait long.
        Made { score: 42, guard: 56, p99: 200, ..base },
    ];
    let papers = Made { guard: 20, ..PAPER_MADE };
    let contenders = [&[CONVENTIONAL_MADE, papers], &candidates[..]].concat();
    for prefer in [Prefer::Throughput, Prefer::Latency, Prefer::Robust] {
        let (result, _) = held_beside(contenders.clone(), prefer, &oblivious);
        assert_eq!((result.chosen, result.holds_guards), (contender(3), false));
        let regrets = &result.regrets[&contender(3)];
        assert!((regrets.worst_guard.regret - 0.15).abs() < 1e-9);
        assert!((regrets.worst() - 0.15).abs() < 1e-9);
        let frontier: Vec<Contender> = frontier(&result).iter().map(|f| f.contender).collect();
        assert_eq!(frontier, [2, 3, 5].map(contender), "less regret first, then more saturation");
        for out in [6, 7] {
            assert!(result.standings.values[contender(out)].is_empty());
        }
        assert!(result.regrets.contains_key(&Contender::PAPER));
    }
}

#[test]
fn a_load_that_is_carried_by_chance_counts_as_what_every_seed_carries() {
    // E is 60 on the guards. At 55 the second is not saturated by chance, but it is from 41 on.
    let good = Made { guard: 55, others: 55, ..PAPER_MADE };
    let lucky = Made { score: 38, guard: 40, others: 40, chance: 55, ..PAPER_MADE };
    let papers = Made { guard: 20, ..PAPER_MADE };
    let contenders = vec![CONVENTIONAL_MADE, papers, good, lucky];
    let (result, _) = held_by_all(contenders, Prefer::Throughput);
    assert_eq!(result.chosen, contender(2));
    assert!((result.regrets[&contender(3)].guards[0] - 20.0 / 60.0).abs() < 1e-9);
}

#[test]
fn where_every_candidate_is_slow_conventional_routing_is_kept_and_said() {
    let slow = Made { latency: 99.0, ..PAPER_MADE };
    let (result, _) = held_by_all(vec![CONVENTIONAL_MADE, slow, slow, slow], Prefer::Throughput);
    assert_eq!((result.chosen, result.holds_guards), (Contender::CONVENTIONAL, false));
    assert!(
        result.standings.finished(Contender::CONVENTIONAL),
        "its figures are said all the same"
    );
}

#[test]
fn what_cannot_win_is_not_run_to_the_end() {
    let base = PAPER_MADE;
    let good = [34, 33, 32].map(|score| Made { score, ..base });
    let (result, asked) =
        held(&[&good[..], &[Made { score: 25, ..base }]].concat(), Prefer::Throughput);
    let bad = contender(5);
    assert!(!result.standings.finished(bad));
    let runs =
        |contender: Contender| asked.iter().filter(|(asked, _, _)| *asked == contender).count();
    assert!(3 * runs(bad) < 2 * runs(contender(2)), "{} and {}", runs(bad), runs(contender(2)));
    assert_eq!(result.chosen, contender(2));
}

#[test]
fn a_search_begins_where_one_of_its_kind_ended() {
    let one = Made { score: 45, less_of_shifts: 20, ..PAPER_MADE };
    let (result, asked) = held(&[one, one], Prefer::Throughput);
    let steps = |number: usize, is_asked: &dyn Fn(&Pattern) -> bool| {
        let of_searches = asked.iter().filter(|(who, pattern, step)| {
            *who == contender(number) && is_asked(pattern) && *step != result.baselines.low_step
        });
        of_searches.map(|&(_, _, step)| step).collect::<Vec<u32>>()
    };
    // The first of two equal ones provides the guess for the other on the first pattern.
    let type_2 = |pattern: &Pattern| matches!(pattern, Pattern::TypeTwo { .. });
    assert!(steps(2, &type_2).iter().any(|&step| step < 45));
    assert!(steps(3, &type_2).iter().all(|step| (45..=47).contains(step)));
    let shifts = panel().score.into_iter().map(|event| event.pattern).filter(|p| !type_2(p));
    for shift in shifts.skip(1) {
        let of_shift = steps(3, &|pattern| *pattern == shift);
        assert!(of_shift.iter().all(|step| (25..=27).contains(step)), "{of_shift:?}");
    }
}

#[test]
fn latency_is_compared_below_saturation() {
    let thin = Made { score: 7, ..CONVENTIONAL_MADE };
    let (result, _) = held_by_all(vec![thin, thin, thin], Prefer::Throughput);
    assert_eq!(result.baselines.low_step, 3);
    assert!(result.finalists.iter().all(|finalist| finalist.latency < 100.0));
}

#[test]
fn the_result_does_not_depend_on_the_threads() {
    let base = PAPER_MADE;
    let made: Vec<Made> = (0..9).map(|n| Made { score: 24 + n, guard: 55 + n, ..base }).collect();
    let results: Vec<ContestResult> = [1, 2, 7]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| held(&made, Prefer::Robust).0)
        })
        .collect();
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    let failed = results[0].failures.iter().filter(|(_, failure)| failure.is_some());
    let failed: Vec<Contender> = failed.map(|(contender, _)| contender).collect();
    assert_eq!(failed, [2, 3].map(contender));
}

/// Races contenders whose values are all known; also returns how many values were requested.
fn raced(values: Vec<Vec<f64>>, keep: usize) -> (Standings, usize) {
    let (count, rounds) = (values.len(), values[0].len());
    let values = PerContender::from(values);
    let mut standings = Standings { values: PerContender::same(count, Vec::new()), rounds };
    let mut asked = 0;
    let all: Vec<Contender> = Contender::all(count).collect();
    race::<Infallible>(&mut standings, (all, &Contender::PUBLISHED), keep, |round, left, _| {
        asked += left.len();
        Ok(left.iter().map(|&contender| values[contender][round]).collect())
    })
    .unwrap();
    (standings, asked)
}

/// Two references that are far ahead of all others.
fn with_references(candidates: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let reference = vec![0.9; candidates[0].len()];
    [vec![reference.clone(), reference], candidates].concat()
}

#[test]
fn what_is_far_behind_is_dropped_early() {
    let values = vec![vec![0.30; 8], vec![0.31; 8], vec![0.20; 8], vec![0.25; 8]];
    let (standings, asked) = raced(with_references(values), 1);
    assert_eq!(standings.values[contender(4)].len(), LEAST_ROUNDS);
    assert_eq!(standings.values[contender(5)].len(), LEAST_ROUNDS);
    assert!(standings.finished(contender(3)));
    assert!(asked < 24 + 16, "{asked}");
    // A difference of a hundredth takes longer to distinguish from chance.
    assert!(standings.values[contender(2)].len() > LEAST_ROUNDS);
}

#[test]
fn references_finish_and_drop_nobody() {
    let values = vec![vec![0.50; 6], vec![0.10; 6], vec![0.31; 6], vec![0.30; 6]];
    let (standings, _) = raced(values, 2);
    assert!(Contender::all(4).all(|contender| standings.finished(contender)));
}

#[test]
fn leads_are_of_the_patterns_that_both_have_met() {
    let values = vec![vec![0.4, 0.3, 0.9], vec![0.2, 0.3]].into();
    let lead = Standings { values, rounds: 3 }.lead(contender(0), contender(1));
    assert!((lead.mean - 0.1).abs() < 1e-12);
    assert!((lead.standard_error - 0.1).abs() < 1e-12);
}

proptest! {
    /// True values, the effect of each pattern on all, and noise of up to a hundredth for each candidate and pattern,
    /// like that of the search's resolution.
    #[test]
    fn the_true_winner_always_finishes(
        levels in prop::collection::vec(0.2..0.45_f64, 2..12),
        patterns in prop::collection::vec(-0.05..0.05_f64, 3..10),
        noise in prop::collection::vec(-0.005..0.005_f64, 120),
        keep in 1..4_usize,
    ) {
        let values: Vec<Vec<f64>> = levels.iter().enumerate().map(|(candidate, level)| {
            patterns.iter().enumerate().map(|(round, shift)| {
                level + shift + noise[(candidate * patterns.len() + round) % noise.len()]
            }).collect()
        }).collect();
        let (standings, _) = raced(with_references(values), keep);
        let best = (0..levels.len()).max_by(|&i, &j| levels[i].total_cmp(&levels[j])).unwrap();
        prop_assert!(standings.finished(contender(best + 2)));
    }
}
