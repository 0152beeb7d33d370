//! One scheme's contest: guards first, then the race, then the choice among the finalists.
//!
//! It knows contenders by number only: 0 is conventional UGAL, 1 the paper's choice, the rest are
//! the other candidates. What they are and how they are tried is the [`Judge`]'s business, so the
//! rules can be tested on made-up outcomes. The same answers give the same verdict, at any number
//! of threads.

use super::ChooseError;
use super::objective::{Finalist, Prefer, choose};
use super::panel::{Guard, Panel};
use super::race::{Lead, Standings, race};
use super::search::load_of;
use super::trial::Judge;
use super::yardstick::{
    Breach, CONVENTIONAL, PAPER, Yardstick, all_of, guard_saturation, saturation,
};

/// By how much a candidate is expected to be ahead of conventional UGAL.
const FIRST_LEAD: f64 = 0.04;

/// What became of the contenders.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What all were measured by.
    pub yardstick: Yardstick,
    /// By contender: the first guard on which it fails.
    pub breaches: Vec<Option<Breach>>,
    /// By contender: saturation on each score pattern that it met.
    pub standings: Standings,
    /// Those among whom the choice was made, the chosen one first.
    pub finalists: Vec<Finalist>,
    /// Conventional UGAL and the paper's choice in the same figures.
    pub references: [Finalist; 2],
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
    let yardstick = Yardstick::measure(judge, panel)?;
    let contenders: Vec<usize> = (0..count).collect();
    let breaches = all_of(&contenders, |&contender| match contender {
        CONVENTIONAL => Ok(None),
        _ => match yardstick.slow(judge, panel, contender)? {
            None => yardstick.breach(judge, panel, contender, 0..panel.guards.len()),
            slow => Ok(slow),
        },
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
                let guess = step_of(load_of(yardstick.score_steps[round]) + expected);
                saturation(judge, racers[racer], &panel.score[round], guess).map(load_of)
            })
        },
    )?;
    let mut values = vec![Vec::new(); count];
    for (&contender, of_racer) in racers.iter().zip(standings.values) {
        values[contender] = of_racer;
    }
    let standings = Standings { values, rounds: panel.score.len() };

    let finalist = |contender: usize| {
        // Where the objective looks at guards, they are searched; else it is enough that they hold.
        let guards = if prefer.looks_at_guards() && contender != CONVENTIONAL {
            let guesses: Vec<(&Guard, u32)> =
                panel.guards.iter().zip(yardstick.guard_steps.iter().copied()).collect();
            all_of(&guesses, |&(guard, guess)| {
                guard_saturation(judge, panel, contender, guard, guess)
            })?
        } else {
            yardstick.guard_steps.clone()
        };
        Ok::<Finalist, ChooseError>(Finalist {
            contender,
            saturations: standings.values[contender].clone(),
            guards: guards.into_iter().map(load_of).collect(),
            latency: yardstick.low_latency(judge, panel, contender)?,
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
    Ok(Verdict { yardstick, breaches, standings, finalists, references, none_holds, chosen })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a load times a hundred, at least 0"
)]
pub(super) fn step_of(load: f64) -> u32 {
    (load * 100.0).round().max(0.0) as u32
}

#[cfg(test)]
mod tests;
