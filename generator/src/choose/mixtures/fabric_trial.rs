//! The trials of mixtures on one fabric: against conventional UGAL, and in full for those that come
//! through.

use crate::choose::ChooseError;
use crate::choose::baseline::{Baseline, guard_saturation, saturation};
use crate::choose::contender::Contender;
use crate::choose::contest::FIRST_LEAD;
use crate::choose::figures::mean;
use crate::choose::panel::{Event, Guard, Panel};
use crate::choose::runner::{Runner, all_of, load_of, step_of};
use crate::choose::simulation::SimulatedRunner;
use std::ops::Range;
use tvlb_simulator::Pattern;

/// The figures of a mixture on one fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct MixtureFigures {
    /// Saturation on each score pattern.
    pub saturations: Vec<f64>,
    /// The least saturation under a hot switch over conventional UGAL's: of all nodes, of those that
    /// share the network with the hot switch, and of those that send to it.
    pub hot_switch: f64,
    /// Mean latency under uniform traffic, at half the load that conventional UGAL carries.
    pub uniform_latency: f64,
    /// Mean latency of the score patterns at low load.
    pub low_load_latency: f64,
}

impl MixtureFigures {
    /// Mean saturation.
    pub fn saturation(&self) -> f64 {
        mean(self.saturations.iter().copied())
    }

    /// By how much the mean saturation is above another one.
    pub fn lead_over(&self, other: &Self) -> f64 {
        self.saturation() - other.saturation()
    }
}

/// A fabric on which the contenders of a generation have booted.
pub(super) struct FabricTrial<'g> {
    /// The traffic.
    pub(super) panel: &'g Panel,
    /// Runs the contenders.
    pub(super) runner: SimulatedRunner<'g>,
    /// Conventional UGAL's figures.
    pub(super) baseline: Baseline,
    /// A mixture that leads conventional UGAL by less in a first trial is eliminated.
    pub(super) least_lead: f64,
}

impl FabricTrial<'_> {
    /// Whether a contender holds these guards, given by their positions.
    ///
    /// # Errors
    /// The first run that failed.
    pub(super) fn holds(
        &self,
        contender: Contender,
        guards: Range<usize>,
    ) -> Result<bool, ChooseError> {
        let failure = self.baseline.guard_failure(&self.runner, self.panel, contender, guards)?;
        Ok(failure.is_none())
    }

    /// The guards of traffic with a hot switch, which come first.
    fn hot_guards(&self) -> Range<usize> {
        let is_hot = |guard: &&Guard| guard.event.pattern == Pattern::HotSwitch;
        0..self.panel.guards.iter().take_while(is_hot).count()
    }

    /// All figures of a contender.
    ///
    /// # Errors
    /// The first run that failed.
    pub(super) fn figures(&self, contender: Contender) -> Result<MixtureFigures, ChooseError> {
        let Self { panel, runner, baseline, .. } = self;
        let questions: Vec<(&Event, u32)> =
            panel.score.iter().zip(baseline.score_steps.iter().copied()).collect();
        let saturations = all_of(&questions, |&(event, guess)| {
            saturation(runner, contender, event, guess).map(load_of)
        })?;
        let mut hot_switch = f64::INFINITY;
        for guard in self.hot_guards() {
            let conventional = baseline.guard_steps[guard];
            let own =
                guard_saturation(runner, panel, contender, &panel.guards[guard], conventional)?;
            hot_switch = hot_switch.min(load_of(own) / load_of(conventional.max(1)));
        }
        let step = (baseline.guard_steps[panel.guards.len() - 1] / 2).max(1);
        Ok(MixtureFigures {
            saturations,
            hot_switch,
            uniform_latency: runner.run(contender, panel.uniform(), step)?.latency,
            low_load_latency: baseline.low_latency(runner, panel, contender)?,
        })
    }
}

/// The leads of a contender over conventional UGAL in the trials `before.len()..until`, of which
/// `before` has the leads of earlier trials. Trial n is on fabric n modulo the number of fabrics, so
/// that all fabrics see a pattern before any sees the next. `None` if the contender is eliminated:
///
/// - it is slow at light load on any fabric (looked at before the first trial);
/// - its lead in a first trial is below the fabric's `least_lead`;
/// - it fails a guard of traffic with a hot switch (looked at after the first trial of each fabric).
///
/// # Errors
/// The first run that failed.
pub(super) fn leads(
    fabrics: &[FabricTrial<'_>],
    contender: Contender,
    before: &[f64],
    until: usize,
) -> Result<Option<Vec<f64>>, ChooseError> {
    if before.is_empty() {
        for FabricTrial { panel, runner, baseline, .. } in fabrics {
            if baseline.slow_at_light_load(runner, panel, contender)?.is_some() {
                return Ok(None);
            }
        }
    }
    if before.len() == fabrics.len() {
        for fabric in fabrics {
            if !fabric.holds(contender, fabric.hot_guards())? {
                return Ok(None);
            }
        }
    }
    let mut found = before.to_vec();
    for trial in before.len()..until {
        let (event, place) = (trial / fabrics.len(), trial % fabrics.len());
        let FabricTrial { panel, runner, baseline, least_lead } = &fabrics[place];
        let conventional = load_of(baseline.score_steps[event]);
        let pattern = &panel.score[event];
        if before.is_empty()
            && runner.run(contender, pattern, step_of(conventional + least_lead))?.saturated
        {
            return Ok(None);
        }
        let expected = if found.is_empty() { FIRST_LEAD } else { mean(found.iter().copied()) };
        let guess = step_of(conventional + expected);
        let reached = saturation(runner, contender, pattern, guess)?;
        found.push(load_of(reached) - conventional);
    }
    Ok(Some(found.split_off(before.len())))
}
