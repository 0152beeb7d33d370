//! The trials of mixtures on one fabric: against conventional UGAL, and in full for those that come
//! through.

use crate::choose::ChooseError;
use crate::choose::baseline::{Baselines, MostRegret, Steps};
use crate::choose::contender::Contender;
use crate::choose::contest::FIRST_LEAD;
use crate::choose::figures::mean;
use crate::choose::panel::Guard;
use crate::choose::runner::{Runner, load_of, step_of};
use crate::choose::simulation::SimulatedRunner;
use std::ops::Range;
use tvlb_table_set::Regrets;
use tvlb_traffic::Pattern;

/// A mixture with more regret on a guard is given up, in percent: with less, the search may find from
/// it one that holds the margin.
pub(super) const GIVEN_UP: u32 = 25;

/// What a regret on a guard above the margin is worth in saturation: a hundredth for one percent.
pub(super) const REGRET_WEIGHT: f64 = 1.0;

/// The figures of a mixture on one fabric.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MixtureFigures {
    /// Saturation on each score pattern.
    pub saturations: Vec<f64>,
    pub regrets: Regrets,
    /// Mean latency under uniform traffic, at half the load that conventional UGAL carries.
    pub uniform_latency: f64,
    /// Mean latency of the score patterns at low load.
    pub low_load_latency: f64,
}

impl MixtureFigures {
    pub(super) fn saturation(&self) -> f64 {
        mean(self.saturations.iter().copied())
    }

    /// By how much the mean saturation is above another one.
    pub(super) fn lead_over(&self, other: &Self) -> f64 {
        self.saturation() - other.saturation()
    }
}

/// A fabric on which the contenders of a generation have booted.
pub(super) struct FabricTrial<'g> {
    /// Runs the contenders.
    pub(super) runner: SimulatedRunner<'g>,
    pub(super) baselines: Baselines,
    /// A mixture that leads conventional UGAL by less in a first trial is eliminated.
    pub(super) least_lead: f64,
}

impl FabricTrial<'_> {
    /// Whether a contender's regret on no guard is above [`GIVEN_UP`], and its latency has no long tail.
    pub(super) fn may_finish(&self, contender: Contender) -> Result<bool, ChooseError> {
        let Self { runner, baselines, .. } = self;
        let guards = 0..baselines.guards.len();
        Ok(baselines.guard_failure(runner, contender, guards, GIVEN_UP)?.is_none()
            && baselines.long_tail(runner, contender)?.is_none())
    }

    /// What a contender's worst regret under a hot switch costs it; `None` if that is above
    /// [`GIVEN_UP`].
    fn hot_switch_cost(&self, contender: Contender) -> Result<Option<f64>, ChooseError> {
        let Self { runner, baselines, .. } = self;
        let guards = self.hot_guards();
        if baselines.guard_failure(runner, contender, guards.clone(), GIVEN_UP)?.is_some() {
            return Ok(None);
        }
        let mut worst = 0.0_f64;
        for guard in guards {
            let carried = &baselines.guards[guard];
            let guess = carried.required(baselines.most_regret.0);
            let search = (guess, carried.most());
            let step = runner.guard_saturation(contender, &runner.panel().guards[guard], search)?;
            worst = worst.max(carried.regret(step));
        }
        Ok(Some(regret_cost(worst, baselines.most_regret)))
    }

    /// The guards of traffic with a hot switch, which come first.
    fn hot_guards(&self) -> Range<usize> {
        let is_hot = |guard: &&Guard| guard.event.pattern == Pattern::HotSwitch;
        0..self.runner.panel().guards.iter().take_while(is_hot).count()
    }

    /// All figures of a contender.
    pub(super) fn figures(&self, contender: Contender) -> Result<MixtureFigures, ChooseError> {
        let Self { runner, baselines, .. } = self;
        let guesses = (baselines.score[0].conventional, &baselines.up_to_the_best()[..]);
        let steps = Steps::measure(runner, contender, guesses)?;
        let panel = runner.panel();
        let step = (baselines.guards[panel.guards.len() - 1].conventional / 2).max(1);
        Ok(MixtureFigures {
            saturations: steps.score.iter().copied().map(load_of).collect(),
            regrets: baselines.regrets(panel, &steps),
            uniform_latency: runner.latency(contender, panel.uniform(), step)?,
            low_load_latency: baselines.low_latency(runner, contender)?,
        })
    }
}

/// What a regret on a guard above the margin costs, in saturation.
pub(super) fn regret_cost(regret: f64, margin: MostRegret) -> f64 {
    REGRET_WEIGHT * (regret - f64::from(margin.0) / 100.0).max(0.0)
}

/// The leads of a contender over conventional UGAL, less what its regret under a hot switch costs it, in
/// the trials `before.len()..until`, of which `before` has the leads of earlier trials. Trial n is on fabric n modulo the number of fabrics, so
/// that all fabrics see a pattern before any sees the next. `None` if the contender is eliminated:
///
/// - it is slow at light load on any fabric (looked at before the first trial);
/// - its lead in a first trial is below the fabric's `least_lead`;
/// - its regret under a hot switch is above [`GIVEN_UP`].
pub(super) fn leads(
    fabrics: &[FabricTrial<'_>],
    contender: Contender,
    before: &[f64],
    until: usize,
) -> Result<Option<Vec<f64>>, ChooseError> {
    if before.is_empty() {
        for FabricTrial { runner, baselines, least_lead } in fabrics {
            if baselines.slow_at_light_load(runner, contender)?.is_some() {
                return Ok(None);
            }
            let needed = load_of(baselines.score[0].conventional) + least_lead;
            let first = &runner.panel().score[0];
            if runner.limits(contender, first, None, step_of(needed))? > 1.0 {
                return Ok(None);
            }
        }
    }
    let mut costs = Vec::new();
    for fabric in fabrics {
        let Some(cost) = fabric.hot_switch_cost(contender)? else { return Ok(None) };
        costs.push(cost);
    }
    let mut found = before.to_vec();
    for trial in before.len()..until {
        let (event, place) = (trial / fabrics.len(), trial % fabrics.len());
        let FabricTrial { runner, baselines, .. } = &fabrics[place];
        let conventional = load_of(baselines.score[event].conventional);
        let expected = if found.is_empty() {
            FIRST_LEAD
        } else {
            mean(found.iter().copied()) + mean(costs.iter().copied())
        };
        let guess = step_of(conventional + expected);
        let reached = runner.saturation(contender, &runner.panel().score[event], guess)?;
        found.push(load_of(reached) - conventional - costs[place]);
    }
    Ok(Some(found.split_off(before.len())))
}
