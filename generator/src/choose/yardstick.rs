//! What contenders are measured by: conventional UGAL under the same panel.
//!
//! A [`Yardstick`] holds conventional UGAL's saturations and what they ask of everybody else; the
//! functions beside it find a contender's own figures. All of it depends on the judge's answers alone.

use super::ChooseError;
use super::panel::{Event, Guard, Panel};
use super::search::last_good;
use super::trial::{Figures, Judge};
use rayon::prelude::*;
use std::ops::Range;

/// Conventional UGAL. It cannot be chosen.
pub const CONVENTIONAL: usize = 0;
/// The paper's choice.
pub const PAPER: usize = 1;
/// How much of conventional UGAL's saturation on a guard a candidate may lack, in percent.
pub const GUARD_MARGIN: u32 = 5;
/// The load at which latency is compared, unless conventional UGAL is near saturation there.
const LOW_LOAD: u32 = 10;

/// The load at which a network counts as hardly used, in steps.
pub const LIGHT_LOAD: u32 = 5;
/// How much more than conventional UGAL's the mean latency may be under uniform traffic at that load, in
/// percent. A threshold below 0 would take VLB paths where all queues are empty.
pub const LIGHT_MARGIN: u32 = 5;

/// What a candidate fails at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Breach {
    /// It takes detours where hardly anybody sends.
    Slow {
        /// Its mean latency there.
        latency: f64,
    },
    /// It saturates on a guard where it must not.
    Saturated {
        /// The guard's position in the panel.
        guard: usize,
        /// The step at which it is saturated.
        step: u32,
    },
}

/// Conventional UGAL's saturations, in steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Yardstick {
    /// By score pattern: the step up to which it is not saturated.
    pub score_steps: Vec<u32>,
    /// The same by guard.
    pub guard_steps: Vec<u32>,
    /// By guard: the step at which nobody may be saturated.
    pub required_steps: Vec<u32>,
    /// The step at which latencies are compared.
    pub low_step: u32,
    /// Its mean latency under uniform traffic at [`LIGHT_LOAD`].
    pub light_latency: f64,
}

impl Yardstick {
    /// Measures conventional UGAL.
    ///
    /// # Errors
    /// The first run that failed.
    pub fn measure(judge: &impl Judge, panel: &Panel) -> Result<Self, ChooseError> {
        let guard_steps = all_of(&panel.guards, |guard| {
            guard_saturation(judge, panel, CONVENTIONAL, guard, guard.first_step)
        })?;
        let score_steps =
            all_of(&panel.score, |event| saturation(judge, CONVENTIONAL, event, panel.first_step))?;
        let least = score_steps.iter().min().map_or(1, |least| least / 2);
        Ok(Self {
            required_steps: guard_steps
                .iter()
                .map(|step| step * (100 - GUARD_MARGIN) / 100)
                .collect(),
            guard_steps,
            score_steps,
            low_step: LOW_LOAD.min(least).max(1),
            light_latency: judge.run(CONVENTIONAL, panel.uniform(), LIGHT_LOAD)?.latency,
        })
    }

    /// Whether a contender is slow where hardly anybody sends.
    ///
    /// # Errors
    /// The run failed.
    pub fn slow(
        &self,
        judge: &impl Judge,
        panel: &Panel,
        contender: usize,
    ) -> Result<Option<Breach>, ChooseError> {
        let latency = judge.run(contender, panel.uniform(), LIGHT_LOAD)?.latency;
        let most = self.light_latency * f64::from(100 + LIGHT_MARGIN) / 100.0;
        Ok((latency > most).then_some(Breach::Slow { latency }))
    }

    /// The first of these guards, by their position, on which a contender fails.
    ///
    /// # Errors
    /// The first run that failed.
    pub fn breach(
        &self,
        judge: &impl Judge,
        panel: &Panel,
        contender: usize,
        guards: Range<usize>,
    ) -> Result<Option<Breach>, ChooseError> {
        for guard in guards {
            let step = self.required_steps[guard];
            if step > 0 && !holds_at(judge, panel, contender, &panel.guards[guard], step)? {
                return Ok(Some(Breach::Saturated { guard, step }));
            }
        }
        Ok(None)
    }

    /// A contender's mean latency at low load over the score patterns.
    ///
    /// # Errors
    /// The first run that failed.
    pub fn low_latency(
        &self,
        judge: &impl Judge,
        panel: &Panel,
        contender: usize,
    ) -> Result<f64, ChooseError> {
        let runs = all_of(&panel.score, |event| judge.run(contender, event, self.low_step))?;
        let (sum, count) = runs.iter().fold((0.0, 0.0), |(s, n), run| (s + run.latency, n + 1.0));
        Ok(sum / count)
    }
}

/// The last step at which a contender is not saturated.
///
/// # Errors
/// The first run that failed.
pub fn saturation(
    judge: &impl Judge,
    contender: usize,
    event: &Event,
    guess: u32,
) -> Result<u32, ChooseError> {
    last_good(guess, |step| Ok(!judge.run(contender, event, step)?.saturated))
}

/// The last step at which a contender serves those whom a guard is for.
///
/// # Errors
/// The first run that failed.
pub fn guard_saturation(
    judge: &impl Judge,
    panel: &Panel,
    contender: usize,
    guard: &Guard,
    guess: u32,
) -> Result<u32, ChooseError> {
    last_good(guess, |step| holds_at(judge, panel, contender, guard, step))
}

fn holds_at(
    judge: &impl Judge,
    panel: &Panel,
    contender: usize,
    guard: &Guard,
    step: u32,
) -> Result<bool, ChooseError> {
    Ok(carries(&judge.run(contender, &guard.event, step)?, guard, panel))
}

/// Whether those whom the guard is for are served.
fn carries(figures: &Figures, guard: &Guard, panel: &Panel) -> bool {
    match guard.population.and_then(|(number, _)| figures.populations.get(number)) {
        Some(&latency) => latency <= f64::from(panel.latency_limit),
        None => !figures.saturated,
    }
}

/// All answers, found side by side, or the first failure in the order of the questions.
pub(super) fn all_of<T: Sync, U: Send>(
    items: &[T],
    ask: impl Fn(&T) -> Result<U, ChooseError> + Send + Sync,
) -> Result<Vec<U>, ChooseError> {
    let answers: Vec<Result<U, ChooseError>> = items.par_iter().with_max_len(1).map(ask).collect();
    answers.into_iter().collect()
}
