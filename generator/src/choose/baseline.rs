//! The baseline of a contest: conventional UGAL under the same panel.
//!
//! A [`Baseline`] holds conventional UGAL's saturations and what they demand of the candidates; the
//! functions beside it find a contender's own figures. All of it depends on the runner's answers alone.

use super::contender::Contender;
use super::error::ChooseError;
use super::figures::{RunFigures, mean};
use super::panel::{Event, Guard, Panel};
use super::runner::{Runner, all_of, last_good};
use std::ops::Range;

/// How much of conventional UGAL's saturation on a guard a candidate may lack, in percent.
pub const GUARD_MARGIN: u32 = 5;
/// The step at which latencies are compared, unless conventional UGAL is near saturation there.
const LOW_LOAD: u32 = 10;

/// The step at which a network counts as hardly used.
pub const LIGHT_LOAD: u32 = 5;
/// How much more than conventional UGAL's the mean latency may be under uniform traffic at that load, in
/// percent. A threshold below 0 would take VLB paths where all queues are empty.
pub const LIGHT_MARGIN: u32 = 5;

/// Why a candidate is excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GuardFailure {
    /// It takes detours in a network that is hardly used.
    Slow {
        /// Its mean latency at [`LIGHT_LOAD`].
        latency: f64,
    },
    /// It saturates on a guard at a step at which it must not.
    Saturated {
        /// The guard's position in the panel.
        guard: usize,
        /// The step at which it is saturated.
        step: u32,
    },
}

/// Conventional UGAL's figures under a panel. Saturations are in steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// By score pattern, the last step at which conventional UGAL is not saturated.
    pub score_steps: Vec<u32>,
    /// By guard, the last step at which conventional UGAL is not saturated.
    pub guard_steps: Vec<u32>,
    /// By guard, the step at which no candidate may be saturated.
    pub required_steps: Vec<u32>,
    /// The step at which latencies are compared.
    pub low_step: u32,
    /// Conventional UGAL's mean latency under uniform traffic at [`LIGHT_LOAD`].
    pub light_latency: f64,
}

impl Baseline {
    /// Measures conventional UGAL.
    ///
    /// # Errors
    /// The first run that failed.
    pub fn measure(runner: &impl Runner, panel: &Panel) -> Result<Self, ChooseError> {
        let guard_steps = all_of(&panel.guards, |guard| {
            guard_saturation(runner, panel, Contender::CONVENTIONAL, guard, guard.first_step)
        })?;
        let score_steps = all_of(&panel.score, |event| {
            saturation(runner, Contender::CONVENTIONAL, event, panel.first_step)
        })?;
        let least = score_steps.iter().min().map_or(1, |least| least / 2);
        Ok(Self {
            required_steps: guard_steps
                .iter()
                .map(|step| step * (100 - GUARD_MARGIN) / 100)
                .collect(),
            guard_steps,
            score_steps,
            low_step: LOW_LOAD.min(least).max(1),
            light_latency: runner
                .run(Contender::CONVENTIONAL, panel.uniform(), LIGHT_LOAD)?
                .latency,
        })
    }

    /// The failure of a contender that is slow in a network that is hardly used.
    ///
    /// # Errors
    /// The run failed.
    pub fn slow_at_light_load(
        &self,
        runner: &impl Runner,
        panel: &Panel,
        contender: Contender,
    ) -> Result<Option<GuardFailure>, ChooseError> {
        let latency = runner.run(contender, panel.uniform(), LIGHT_LOAD)?.latency;
        let most = self.light_latency * f64::from(100 + LIGHT_MARGIN) / 100.0;
        Ok((latency > most).then_some(GuardFailure::Slow { latency }))
    }

    /// The failure on the first of these guards, by their position, on which a contender fails.
    ///
    /// # Errors
    /// The first run that failed.
    pub fn guard_failure(
        &self,
        runner: &impl Runner,
        panel: &Panel,
        contender: Contender,
        guards: Range<usize>,
    ) -> Result<Option<GuardFailure>, ChooseError> {
        for guard in guards {
            let step = self.required_steps[guard];
            if step > 0 && !holds_at(runner, panel, contender, &panel.guards[guard], step)? {
                return Ok(Some(GuardFailure::Saturated { guard, step }));
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
        runner: &impl Runner,
        panel: &Panel,
        contender: Contender,
    ) -> Result<f64, ChooseError> {
        let runs = all_of(&panel.score, |event| runner.run(contender, event, self.low_step))?;
        Ok(mean(runs.iter().map(|run| run.latency)))
    }
}

/// The last step at which a contender is not saturated.
///
/// # Errors
/// The first run that failed.
pub fn saturation(
    runner: &impl Runner,
    contender: Contender,
    event: &Event,
    guess: u32,
) -> Result<u32, ChooseError> {
    last_good(guess, |step| Ok(!runner.run(contender, event, step)?.saturated))
}

/// The last step at which a contender serves the nodes that a guard is for.
///
/// # Errors
/// The first run that failed.
pub fn guard_saturation(
    runner: &impl Runner,
    panel: &Panel,
    contender: Contender,
    guard: &Guard,
    guess: u32,
) -> Result<u32, ChooseError> {
    last_good(guess, |step| holds_at(runner, panel, contender, guard, step))
}

fn holds_at(
    runner: &impl Runner,
    panel: &Panel,
    contender: Contender,
    guard: &Guard,
    step: u32,
) -> Result<bool, ChooseError> {
    Ok(carries(&runner.run(contender, &guard.event, step)?, guard, panel))
}

/// Whether a run serves the nodes that the guard is for.
fn carries(figures: &RunFigures, guard: &Guard, panel: &Panel) -> bool {
    match guard.population.and_then(|(number, _)| figures.populations.get(number)) {
        Some(&latency) => latency <= f64::from(panel.latency_limit),
        None => !figures.saturated,
    }
}
