//! One scheme's contest: guards first, then the race, then the choice among those that finished it.
//!
//! A candidate holds the guards if its regret is above the margin on none of them. If no candidate does, all that are
//! fast and have no long tail race, and the finalist with the least worst regret over all traffic is chosen. A
//! reference that fails a guard is chosen likewise if the candidates that hold all guards carry less of the score
//! patterns and lose more by that than it loses on the guard.
//!
//! Contenders are only numbers here. Their policies and runs are the [`Runner`]'s business, so the rules can be tested
//! on made-up outcomes. The same answers give the same result, at any number of threads.
//!
//! In the race, candidates are tried pattern by pattern, and those that can no longer win are dropped. After each
//! pattern every two candidates are compared by the mean of their differences over the patterns so far; both have met
//! the same traffic and random numbers, so a pattern's effect on both cancels. A candidate is dropped once enough
//! others are ahead of it by more than [`CONFIDENCE`] standard errors of that mean. A standard deviation counts as at
//! least [`LEAST_DEVIATION`], so that a few equal differences are not mistaken for certainty.

use super::baseline::{Baselines, GuardFailure, MostRegret, ObliviousSteps, Steps};
use super::contender::{Contender, PerContender};
use super::error::ChooseError;
use super::figures::mean;
use super::objective::{EQUAL, Finalist, Prefer, by_merit};
use super::runner::{Runner, all_of, load_of, step_of};
use std::collections::BTreeMap;
use tvlb_table_set::{Lead, Regrets};
use tvlb_traffic::Pattern;

/// By how much a contender is expected to be ahead of conventional UGAL before anything is measured.
pub(super) const FIRST_LEAD: f64 = 0.04;
/// How many standard errors make a candidate hopeless.
pub(super) const CONFIDENCE: f64 = 3.0;
/// The least standard deviation of a difference: saturations are found to a hundredth, and rounding alone shifts a
/// difference by this much.
pub(super) const LEAST_DEVIATION: f64 = 0.006;
/// Patterns before the first candidate is dropped.
pub(super) const LEAST_ROUNDS: usize = 2;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ContestResult {
    /// The baselines of all candidates.
    pub baselines: Baselines,
    /// The first guard on which each contender fails at the margin, if any.
    pub failures: PerContender<Option<GuardFailure>>,
    /// Whether the chosen contender holds all guards. If not, every candidate that does loses more elsewhere.
    pub holds_guards: bool,
    /// Each contender's saturation on each score pattern that it met.
    pub standings: Standings,
    /// The candidates that were still in the race after the last pattern, the chosen one first.
    pub finalists: Vec<Finalist>,
    /// The same figures of the references.
    pub references: Vec<Finalist>,
    /// The regrets of conventional UGAL, of the chosen contender, and of every finalist if the choice depends on them.
    pub regrets: BTreeMap<Contender, Regrets>,
    pub chosen: Contender,
}

impl ContestResult {
    /// Where to begin the search for a contender's saturation on another score pattern: at its mean, or at that of
    /// conventional UGAL.
    pub(super) fn guess(&self, contender: Contender) -> u32 {
        let of =
            if self.standings.finished(contender) { contender } else { Contender::CONVENTIONAL };
        step_of(self.standings.mean(of))
    }

    /// The second best by the objective.
    pub(super) fn runner_up(&self) -> Option<Contender> {
        self.finalists.get(1).map(|finalist| finalist.contender)
    }

    /// The lead in saturation of the chosen contender over another.
    pub(super) fn lead_over(&self, other: Contender) -> Lead {
        self.standings.lead(self.chosen, other)
    }
}

/// The rules by which a contest decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContestRules<'r> {
    /// What the user prefers among the candidates that hold all guards.
    pub prefer: Prefer,
    /// The most regret that a candidate may have on a guard.
    pub most_regret: MostRegret,
    /// What MIN and conventional VLB carry.
    pub oblivious: &'r ObliviousSteps,
    /// The contenders that finish every contest and with which all others are compared: conventional UGAL, the paper's
    /// choice, and any others that the caller names.
    pub references: &'r [Contender],
    /// The contenders that may be chosen. Conventional UGAL is kept if every candidate is slow or has a long tail, and
    /// if the best candidate carries less of the score patterns.
    pub candidates: &'r [Contender],
}

/// Decides among `count` contenders.
pub(super) fn contest(
    runner: &impl Runner,
    count: usize,
    rules: &ContestRules<'_>,
) -> Result<ContestResult, ChooseError> {
    let baselines = Baselines::measure(runner, rules.oblivious, rules.most_regret)?;
    let baselines = &baselines;
    let RaceEntrants { failures, mut admitted, hold_guards } =
        RaceEntrants::admit(runner, (count, rules.candidates), baselines)?;
    let references = rules.references;
    let prefer = if hold_guards { rules.prefer } else { Prefer::Robust };
    let standings = raced(runner, baselines, (count, &admitted), references, prefer.finalists())?;
    admitted.retain(|&contender| standings.finished(contender));

    let regrets_of = |&one: &Contender| Ok((one, regrets_of(runner, baselines, &standings, one)?));
    let mut asked = vec![Contender::CONVENTIONAL];
    if prefer.looks_at_guards() {
        asked.extend(admitted.iter().filter(|&&one| one != Contender::CONVENTIONAL));
    }
    let mut regrets: BTreeMap<_, _> = all_of(&asked, regrets_of)?.into_iter().collect();
    let finalist = |&contender: &Contender| {
        Ok(Finalist {
            contender,
            saturations: standings.values[contender].clone(),
            worst_regrets: regrets
                .get(&contender)
                .map(|regrets| [regrets.worst(), regrets.worst_guard.regret]),
            latency: baselines.low_latency(runner, contender)?,
        })
    };
    let references = all_of(references, finalist)?;
    let mut finalists = by_merit(prefer, all_of(&admitted, finalist)?, &references);
    if rules.candidates.contains(&Contender::CONVENTIONAL) {
        keep_conventional(&mut finalists, &references);
    }
    let chosen_of = |finalists: &[Finalist]| {
        finalists.first().map_or(Contender::CONVENTIONAL, |first| first.contender)
    };
    let first = chosen_of(&finalists);
    let rivals = if hold_guards {
        rivals(&finalists, &references, |one| {
            rules.candidates.contains(&one)
                && matches!(failures[one], Some(GuardFailure::Saturated { .. }))
        })
    } else {
        Vec::new()
    };
    let asked = rivals.iter().chain([&first]).filter(|one| !regrets.contains_key(one));
    let asked: Vec<Contender> = asked.copied().collect();
    regrets.extend(all_of(&asked, regrets_of)?);
    prefer_less_regret(&mut finalists, &references, &rivals, &regrets);
    let chosen = chosen_of(&finalists);
    Ok(ContestResult {
        baselines: baselines.clone(),
        failures,
        holds_guards: hold_guards && chosen == first,
        standings,
        finalists,
        references,
        regrets,
        chosen,
    })
}

/// The regrets of a contender that has finished the race.
fn regrets_of(
    runner: &impl Runner,
    baselines: &Baselines,
    standings: &Standings,
    contender: Contender,
) -> Result<Regrets, ChooseError> {
    let guards = if contender == Contender::CONVENTIONAL {
        baselines.guards.iter().map(|carried| carried.conventional).collect()
    } else {
        baselines.guard_steps(runner, contender)?
    };
    let score = standings.values[contender].iter().copied().map(step_of).collect();
    Ok(baselines.regrets(runner.panel(), &Steps { score, guards }))
}

/// The race of the `admitted` among `count` contenders, and of the references.
fn raced(
    runner: &impl Runner,
    baselines: &Baselines,
    (count, admitted): (usize, &[Contender]),
    references: &[Contender],
    keep: usize,
) -> Result<Standings, ChooseError> {
    let values = PerContender::same(count, Vec::new());
    let mut standings = Standings { values, rounds: runner.panel().score.len() };
    let mut in_race = references.to_vec();
    in_race.extend(admitted.iter().filter(|contender| !references.contains(contender)));
    race(&mut standings, (in_race, references), keep, |round, left, so_far| {
        saturations(runner, baselines, round, (left, references), so_far)
    })?;
    Ok(standings)
}

/// Puts conventional UGAL first if the best finalist carries less of the score patterns: nobody should lose by
/// installing a choice.
fn keep_conventional(finalists: &mut Vec<Finalist>, references: &[Finalist]) {
    let is_conventional = |finalist: &Finalist| finalist.contender == Contender::CONVENTIONAL;
    let Some(conventional) = references.iter().find(|finalist| is_conventional(finalist)) else {
        return;
    };
    let best = finalists.first().map_or(f64::NEG_INFINITY, Finalist::mean);
    if best + EQUAL + 1e-9 < conventional.mean() {
        finalists.retain(|finalist| !is_conventional(finalist));
        finalists.insert(0, conventional.clone());
    }
}

/// The references that carry more of the score patterns than the best finalist, and fail a guard only by what they
/// carry, as `may_be_chosen` says.
fn rivals(
    finalists: &[Finalist],
    references: &[Finalist],
    may_be_chosen: impl Fn(Contender) -> bool,
) -> Vec<Contender> {
    let best = finalists.first().map_or(f64::NEG_INFINITY, Finalist::mean);
    let carry_more = references.iter().filter(|one| one.mean() > best + EQUAL + 1e-9);
    carry_more.map(|one| one.contender).filter(|&one| may_be_chosen(one)).collect()
}

/// Puts the rival with the least worst regret first, if that is less than the best finalist's: a small loss on a guard
/// is better than a great loss under the score patterns.
fn prefer_less_regret(
    finalists: &mut Vec<Finalist>,
    references: &[Finalist],
    rivals: &[Contender],
    regrets: &BTreeMap<Contender, Regrets>,
) {
    let worst = |one: Contender| regrets.get(&one).map_or(f64::INFINITY, Regrets::worst);
    let least = rivals.iter().copied().min_by(|&one, &other| worst(one).total_cmp(&worst(other)));
    let Some(least) = least else { return };
    let rival = references.iter().find(|one| one.contender == least);
    if let (Some(rival), Some(first)) = (rival, finalists.first())
        && worst(least) < worst(first.contender)
    {
        finalists.insert(0, rival.clone());
    }
}

/// The saturations of the contenders `left`, which include the `references`, on the pattern of a round. A contender
/// carries nearly the same of two patterns of one kind, so its search begins at the last result.
fn saturations(
    runner: &impl Runner,
    baselines: &Baselines,
    round: usize,
    (left, references): (&[Contender], &[Contender]),
    so_far: &Standings,
) -> Result<Vec<f64>, ChooseError> {
    let score = &runner.panel().score;
    let conventional = load_of(baselines.score[round].conventional);
    let found = |contender: Contender, expected: f64| {
        runner.saturation(contender, &score[round], step_of(expected)).map(load_of)
    };
    // On the first pattern the paper's choice provides the guess for the references, and one of the others, which carry
    // more, for the others.
    let first = if round == 0 {
        let paper = found(Contender::PAPER, conventional + FIRST_LEAD)?;
        let other = left.iter().find(|contender| !references.contains(contender));
        Some((paper, other.map_or(Ok(paper), |&other| found(other, paper))?))
    } else {
        None
    };
    let is_type_2 = |round: usize| matches!(score[round].pattern, Pattern::TypeTwo { .. });
    let alike = (0..round).rev().find(|&earlier| is_type_2(earlier) == is_type_2(round));
    all_of(left, |&contender| {
        if contender == Contender::CONVENTIONAL {
            return Ok(conventional);
        }
        let expected = match (first, alike) {
            (Some((paper, _)), _) if references.contains(&contender) => paper,
            (Some((_, other)), _) => other,
            (None, Some(earlier)) => so_far.values[contender][earlier],
            (None, None) => conventional + so_far.lead(contender, Contender::CONVENTIONAL).mean,
        };
        found(contender, expected)
    })
}

/// The participants of a race.
struct RaceEntrants {
    /// The first requirement that each contender fails.
    failures: PerContender<Option<GuardFailure>>,
    /// The candidates that race.
    admitted: Vec<Contender>,
    /// Whether they hold all guards.
    hold_guards: bool,
}

impl RaceEntrants {
    /// The candidates that hold all guards. If there are none, all that are fast and have no long tail, and if there
    /// are none, conventional UGAL.
    fn admit(
        runner: &impl Runner,
        (count, candidates): (usize, &[Contender]),
        baselines: &Baselines,
    ) -> Result<Self, ChooseError> {
        let mut failures = PerContender::same(count, None);
        let found = all_of(candidates, |&contender| {
            let mut failure = baselines.slow_at_light_load(runner, contender)?;
            if failure.is_none() {
                failure = baselines.long_tail(runner, contender)?;
            }
            if failure.is_none() {
                let (all, margin) = (0..baselines.guards.len(), baselines.most_regret.0);
                failure = baselines.guard_failure(runner, contender, all, margin)?;
            }
            Ok(failure)
        })?;
        for (&contender, failure) in candidates.iter().zip(found) {
            failures[contender] = failure;
        }
        let those = |is_in: &dyn Fn(Option<GuardFailure>) -> bool| -> Vec<Contender> {
            candidates.iter().copied().filter(|&contender| is_in(failures[contender])).collect()
        };
        let holders = those(&|failure| failure.is_none());
        let hold_guards = !holders.is_empty();
        let admitted = if hold_guards {
            holders
        } else {
            those(&|failure| matches!(failure, Some(GuardFailure::Saturated { .. })))
        };
        let admitted = if admitted.is_empty() { vec![Contender::CONVENTIONAL] } else { admitted };
        Ok(Self { failures, admitted, hold_guards })
    }
}

/// The results of a race.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Standings {
    /// The value of each contender on each pattern until it was dropped.
    pub values: PerContender<Vec<f64>>,
    /// The number of all patterns.
    pub rounds: usize,
}

impl Standings {
    /// Whether the contender has met every pattern.
    pub(super) fn finished(&self, contender: Contender) -> bool {
        self.values[contender].len() == self.rounds
    }

    /// The mean over the patterns that the contender has met.
    pub(super) fn mean(&self, contender: Contender) -> f64 {
        mean(self.values[contender].iter().copied())
    }

    /// The lead of `one` over `other` on the patterns that both have met.
    pub(super) fn lead(&self, one: Contender, other: Contender) -> Lead {
        self.lead_of_deviation(one, other, 0.0)
    }

    fn lead_of_deviation(&self, one: Contender, other: Contender, least: f64) -> Lead {
        let pairs = self.values[one].iter().zip(&self.values[other]);
        let differences: Vec<f64> = pairs.map(|(one, other)| one - other).collect();
        let count = differences.iter().fold(0.0, |count, _| count + 1.0);
        let mean = mean(differences.iter().copied());
        let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
        let deviation = if count > 1.0_f64 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        Lead { mean, standard_error: deviation.max(least) / count.max(1.0).sqrt() }
    }

    fn is_ahead(&self, one: Contender, other: Contender) -> bool {
        let lead = self.lead_of_deviation(one, other, LEAST_DEVIATION);
        lead.mean > CONFIDENCE * lead.standard_error
    }
}

/// Races the contenders `left` over all patterns. The references are never dropped and drop no other. The best `keep`
/// of the others always finish. `try_all` returns the values of the named contenders on one pattern.
fn race<E>(
    standings: &mut Standings,
    (mut left, references): (Vec<Contender>, &[Contender]),
    keep: usize,
    mut try_all: impl FnMut(usize, &[Contender], &Standings) -> Result<Vec<f64>, E>,
) -> Result<(), E> {
    for round in 0..standings.rounds {
        let values = try_all(round, &left, standings)?;
        for (&contender, value) in left.iter().zip(values) {
            standings.values[contender].push(value);
        }
        if round + 1 >= LEAST_ROUNDS {
            let candidates =
                || left.iter().copied().filter(|contender| !references.contains(contender));
            let hopeless: Vec<Contender> = candidates()
                .filter(|&one| {
                    candidates().filter(|&other| standings.is_ahead(other, one)).count() >= keep
                })
                .collect();
            left.retain(|contender| !hopeless.contains(contender));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
