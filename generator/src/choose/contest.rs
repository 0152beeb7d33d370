//! One scheme's contest: guards first, then the race, then the choice among the finalists.
//!
//! It knows contenders by number only: 0 is conventional UGAL, 1 the paper's choice, the rest are
//! the other candidates. What they are and how they are tried is the [`Judge`]'s business, so the
//! rules can be tested on made-up outcomes. The same answers give the same verdict, at any number
//! of threads.

use super::ChooseError;
use super::objective::{Finalist, Prefer, choose};
use super::panel::{Event, Guard, Panel};
use super::race::{Lead, Standings, race};
use super::search::{last_good, load_of};
use super::trial::{Figures, Judge};
use rayon::prelude::*;

/// Conventional UGAL: what guards are measured by. It cannot be chosen.
pub const CONVENTIONAL: usize = 0;
/// The paper's choice.
pub const PAPER: usize = 1;
/// How much of conventional UGAL's saturation on a guard a candidate may lack, in percent.
pub const GUARD_MARGIN: u32 = 5;
/// The load at which latency is compared, unless conventional UGAL is near saturation there.
const LOW_LOAD: u32 = 10;
/// Where the searches for conventional UGAL's saturation begin: under adversarial traffic, on guards.
const FIRST_GUESS: (u32, u32) = (25, 60);
/// By how many steps a candidate is expected to be ahead of conventional UGAL.
const FIRST_LEAD: f64 = 0.04;

/// A guard on which a candidate saturates where it must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The guard's position in the panel.
    pub guard: usize,
    /// The step at which it is saturated.
    pub step: u32,
}

/// What became of the contenders.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// By guard: the step up to which conventional UGAL is not saturated.
    pub guard_steps: Vec<u32>,
    /// By guard: the step at which every candidate must not be saturated.
    pub required_steps: Vec<u32>,
    /// By contender: the first guard on which it fails.
    pub breaches: Vec<Option<Breach>>,
    /// By contender: saturation on each score pattern that it met.
    pub standings: Standings,
    /// Those among whom the choice was made, the chosen one first.
    pub finalists: Vec<Finalist>,
    /// Conventional UGAL and the paper's choice in the same figures.
    pub references: [Finalist; 2],
    /// The step at which latencies were compared.
    pub low_step: u32,
    /// Set where no candidate holds all guards; then `chosen` is the fallback.
    pub none_holds: bool,
    /// The chosen contender.
    pub chosen: usize,
}

impl Verdict {
    /// The second best by the objective.
    pub fn runner_up(&self) -> Option<usize> {
        self.finalists.get(1).map(|finalist| finalist.contender)
    }

    /// By how much the chosen one is ahead of another in saturation.
    pub fn lead_over(&self, other: usize) -> Lead {
        self.standings.lead(self.chosen, other)
    }
}

/// Decides among `count` contenders, of which at least the first two exist. `fallback` is taken
/// where no candidate holds all guards.
///
/// # Errors
/// The first run that failed.
pub fn contest(
    judge: &impl Judge,
    panel: &Panel,
    count: usize,
    prefer: Prefer,
    fallback: usize,
) -> Result<Verdict, ChooseError> {
    let saturation = |contender: usize, event: &Event, guess: u32| {
        last_good(guess, |step| Ok(!judge.run(contender, event, step)?.saturated))
    };
    let holds_at = |contender: usize, guard: &Guard, step: u32| {
        Ok(carries(&judge.run(contender, &guard.event, step)?, guard, panel))
    };
    let guard_saturation = |contender: usize, guard: &Guard, guess: u32| {
        last_good(guess, |step| holds_at(contender, guard, step))
    };
    let guard_steps =
        all_of(&panel.guards, |guard| guard_saturation(CONVENTIONAL, guard, FIRST_GUESS.1))?;
    let required_steps: Vec<u32> = guard_steps.iter().map(|&step| required(step)).collect();
    let conventional =
        all_of(&panel.score, |event| saturation(CONVENTIONAL, event, FIRST_GUESS.0))?;

    let contenders: Vec<usize> = (0..count).collect();
    let breaches = all_of(&contenders, |&contender| {
        if contender == CONVENTIONAL {
            return Ok(None);
        }
        for (number, (guard, &step)) in panel.guards.iter().zip(&required_steps).enumerate() {
            if step > 0 && !holds_at(contender, guard, step)? {
                return Ok(Some(Breach { guard: number, step }));
            }
        }
        Ok(None)
    })?;

    let holds = |contender: &usize| breaches[*contender].is_none();
    let racers: Vec<usize> =
        contenders.iter().copied().filter(|c| *c <= PAPER || holds(c)).collect();
    let standings = race(
        racers.len(),
        panel.score.len(),
        &[0, 1],
        prefer.finalists(),
        |round, alive, so_far| {
            all_of(alive, |&racer| {
                let expected =
                    if round == 0 { FIRST_LEAD } else { so_far.lead(racer, CONVENTIONAL).mean };
                let guess = step_of(load_of(conventional[round]) + expected);
                saturation(racers[racer], &panel.score[round], guess).map(load_of)
            })
        },
    )?;
    let mut values = vec![Vec::new(); count];
    for (&contender, of_racer) in racers.iter().zip(standings.values) {
        values[contender] = of_racer;
    }
    let standings = Standings { values, rounds: panel.score.len() };

    let low_step = LOW_LOAD.min(conventional.iter().min().map_or(1, |least| least / 2)).max(1);
    let low_latency = |contender: usize| {
        let runs = all_of(&panel.score, |event| judge.run(contender, event, low_step))?;
        let (sum, count) = runs.iter().fold((0.0, 0.0), |(s, n), run| (s + run.latency, n + 1.0));
        Ok::<f64, ChooseError>(sum / count)
    };
    let finalist = |contender: usize| {
        // Where the objective looks at guards, they are searched; else it is enough that they hold.
        let guards = if prefer.looks_at_guards() && contender != CONVENTIONAL {
            let guesses: Vec<(&Guard, u32)> =
                panel.guards.iter().zip(guard_steps.iter().copied()).collect();
            all_of(&guesses, |&(guard, guess)| guard_saturation(contender, guard, guess))?
        } else {
            guard_steps.clone()
        };
        Ok::<Finalist, ChooseError>(Finalist {
            contender,
            saturations: standings.values[contender].clone(),
            guards: guards.into_iter().map(load_of).collect(),
            latency: low_latency(contender)?,
        })
    };
    let references = [finalist(CONVENTIONAL)?, finalist(PAPER)?];
    let mut eligible: Vec<usize> = racers
        .iter()
        .copied()
        .filter(|c| *c != CONVENTIONAL && holds(c) && standings.finished(*c))
        .collect();
    let none_holds = eligible.is_empty();
    if none_holds {
        eligible.push(fallback);
    }
    let finalists = choose(prefer, all_of(&eligible, |&c| finalist(c))?, &references);
    let chosen = finalists.first().map_or(fallback, |first| first.contender);
    Ok(Verdict {
        guard_steps,
        required_steps,
        breaches,
        standings,
        finalists,
        references,
        low_step,
        none_holds,
        chosen,
    })
}

/// Whether those whom the guard is for are served.
fn carries(figures: &Figures, guard: &Guard, panel: &Panel) -> bool {
    match guard.population.and_then(|(number, _)| figures.populations.get(number)) {
        Some(&latency) => latency <= f64::from(panel.latency_limit),
        None => !figures.saturated,
    }
}

/// The step that a candidate must still carry on a guard where conventional UGAL carries `step`.
fn required(step: u32) -> u32 {
    step * (100 - GUARD_MARGIN) / 100
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a load times a hundred, at least 0"
)]
fn step_of(load: f64) -> u32 {
    (load * 100.0).round().max(0.0) as u32
}

/// All answers, found side by side, or the first failure in the order of the questions.
fn all_of<T: Sync, U: Send>(
    items: &[T],
    ask: impl Fn(&T) -> Result<U, ChooseError> + Send + Sync,
) -> Result<Vec<U>, ChooseError> {
    let answers: Vec<Result<U, ChooseError>> = items.par_iter().with_max_len(1).map(ask).collect();
    answers.into_iter().collect()
}

#[cfg(test)]
mod tests;
