//! One scheme's contest: guards first, then the race, then the choice among those that finished it.
//!
//! It knows contenders by number only. What they are and how they are tried is the [`Runner`]'s
//! business, so the rules can be tested on made-up outcomes. The same answers give the same result, at
//! any number of threads.
//!
//! In the race, candidates are tried pattern by pattern, and those that cannot win any more are
//! dropped. After each pattern every two candidates are compared by the mean of their differences over
//! the patterns so far; both have met the same traffic and random numbers, so what a pattern does to
//! both cancels. A candidate is dropped once enough others are ahead of it by more than [`CONFIDENCE`]
//! standard errors of that mean. A standard deviation counts as at least [`LEAST_DEVIATION`], so that
//! a few equal differences do not pass for certainty.

use super::baseline::{Baseline, GuardFailure, guard_saturation, saturation};
use super::contender::{Contender, PerContender};
use super::error::ChooseError;
use super::figures::mean;
use super::objective::{Finalist, Prefer, by_merit};
use super::panel::{Guard, Panel};
use super::runner::{Runner, all_of, load_of, step_of};

/// By how much a candidate is expected to be ahead of conventional UGAL before its first run.
pub(super) const FIRST_LEAD: f64 = 0.04;
/// How many standard errors make a candidate hopeless.
pub const CONFIDENCE: f64 = 3.0;
/// The least standard deviation of a difference: saturations are found to a hundredth, so a
/// difference is out by this much from rounding alone.
pub const LEAST_DEVIATION: f64 = 0.006;
/// Patterns before the first candidate is dropped.
pub const LEAST_ROUNDS: usize = 2;

/// The result of a contest.
#[derive(Clone, Debug, PartialEq)]
pub struct ContestResult {
    /// What all candidates were compared with.
    pub baseline: Baseline,
    /// The first guard on which each contender fails, if it fails on any.
    pub failures: PerContender<Option<GuardFailure>>,
    /// Saturation on each score pattern that each contender met.
    pub standings: Standings,
    /// The candidates that were still in after the last pattern, the chosen one first.
    pub finalists: Vec<Finalist>,
    /// The same figures of conventional UGAL and of the paper's choice.
    pub references: [Finalist; 2],
    /// Whether no candidate holds all guards; then `chosen` is the fallback.
    pub none_holds: bool,
    /// The chosen contender.
    pub chosen: Contender,
}

impl ContestResult {
    /// The second best by the objective.
    pub fn runner_up(&self) -> Option<Contender> {
        self.finalists.get(1).map(|finalist| finalist.contender)
    }

    /// The lead in saturation of the chosen contender over another.
    pub fn lead_over(&self, other: Contender) -> Lead {
        self.standings.lead(self.chosen, other)
    }
}

/// Decides among `count` contenders, of which at least the two references exist. `fallback` is taken
/// where no candidate holds all guards.
///
/// # Errors
/// The first run that failed.
pub fn contest(
    runner: &impl Runner,
    panel: &Panel,
    count: usize,
    prefer: Prefer,
    fallback: Contender,
) -> Result<ContestResult, ChooseError> {
    let baseline = Baseline::measure(runner, panel)?;
    let all: Vec<Contender> = Contender::all(count).collect();
    let failures = PerContender::from(all_of(&all, |&contender| {
        if contender == Contender::CONVENTIONAL {
            return Ok(None);
        }
        match baseline.slow_at_light_load(runner, panel, contender)? {
            None => baseline.guard_failure(runner, panel, contender, 0..panel.guards.len()),
            slow => Ok(slow),
        }
    })?);

    let holds = |contender: Contender| failures[contender].is_none();
    let in_race: Vec<Contender> =
        all.iter().copied().filter(|&c| c.is_reference() || holds(c)).collect();
    let mut standings =
        Standings { values: PerContender::same(count, Vec::new()), rounds: panel.score.len() };
    race(&mut standings, in_race.clone(), prefer.finalists(), |round, left, so_far| {
        all_of(left, |&contender| {
            let expected = if round == 0 {
                FIRST_LEAD
            } else {
                so_far.lead(contender, Contender::CONVENTIONAL).mean
            };
            let guess = step_of(load_of(baseline.score_steps[round]) + expected);
            saturation(runner, contender, &panel.score[round], guess).map(load_of)
        })
    })?;

    let finalist = |contender: Contender| {
        // Where the objective looks at guards, they are searched; else it is enough that they hold.
        let guards = if prefer.looks_at_guards() && contender != Contender::CONVENTIONAL {
            let guesses: Vec<(&Guard, u32)> =
                panel.guards.iter().zip(baseline.guard_steps.iter().copied()).collect();
            all_of(&guesses, |&(guard, guess)| {
                guard_saturation(runner, panel, contender, guard, guess)
            })?
        } else {
            baseline.guard_steps.clone()
        };
        Ok::<Finalist, ChooseError>(Finalist {
            contender,
            saturations: standings.values[contender].clone(),
            guards: guards.into_iter().map(load_of).collect(),
            latency: baseline.low_latency(runner, panel, contender)?,
        })
    };
    let references = [finalist(Contender::CONVENTIONAL)?, finalist(Contender::PAPER)?];
    let mut eligible: Vec<Contender> = in_race
        .into_iter()
        .filter(|&c| c != Contender::CONVENTIONAL && holds(c) && standings.finished(c))
        .collect();
    let none_holds = eligible.is_empty();
    if none_holds {
        eligible.push(fallback);
    }
    let finalists = by_merit(prefer, all_of(&eligible, |&c| finalist(c))?, &references);
    let chosen = finalists.first().map_or(fallback, |first| first.contender);
    Ok(ContestResult { baseline, failures, standings, finalists, references, none_holds, chosen })
}

/// A mean difference and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// By how much one is ahead of the other, on average over the patterns that both have met.
    pub mean: f64,
    /// The standard error of the mean.
    pub error: f64,
}

/// How a race has gone.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// The value of each contender on each pattern until it was dropped.
    pub values: PerContender<Vec<f64>>,
    /// The number of all patterns.
    pub rounds: usize,
}

impl Standings {
    /// Whether the contender has met every pattern.
    pub fn finished(&self, contender: Contender) -> bool {
        self.values[contender].len() == self.rounds
    }

    /// The mean over the patterns that the contender has met.
    pub fn mean(&self, contender: Contender) -> f64 {
        mean(self.values[contender].iter().copied())
    }

    /// The lead of `one` over `other` on the patterns that both have met.
    pub fn lead(&self, one: Contender, other: Contender) -> Lead {
        self.lead_of_deviation(one, other, 0.0)
    }

    fn lead_of_deviation(&self, one: Contender, other: Contender, least: f64) -> Lead {
        let pairs = self.values[one].iter().zip(&self.values[other]);
        let differences: Vec<f64> = pairs.map(|(one, other)| one - other).collect();
        let count = differences.iter().fold(0.0, |count, _| count + 1.0);
        let mean = mean(differences.iter().copied());
        let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
        let deviation = if count > 1.0_f64 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        Lead { mean, error: deviation.max(least) / count.max(1.0).sqrt() }
    }

    fn is_ahead(&self, one: Contender, other: Contender) -> bool {
        let lead = self.lead_of_deviation(one, other, LEAST_DEVIATION);
        lead.mean > CONFIDENCE * lead.error
    }
}

/// Races the contenders that are `left` over all patterns. The references are never dropped and drop
/// nobody; the best `keep` of the others always finish. `try_all` gives the values of the contenders
/// named, on one pattern.
///
/// # Errors
/// The first failure of `try_all`.
fn race<E>(
    standings: &mut Standings,
    mut left: Vec<Contender>,
    keep: usize,
    mut try_all: impl FnMut(usize, &[Contender], &Standings) -> Result<Vec<f64>, E>,
) -> Result<(), E> {
    for round in 0..standings.rounds {
        let values = try_all(round, &left, standings)?;
        for (&contender, value) in left.iter().zip(values) {
            standings.values[contender].push(value);
        }
        if round + 1 >= LEAST_ROUNDS {
            let candidates = || left.iter().copied().filter(|contender| !contender.is_reference());
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
