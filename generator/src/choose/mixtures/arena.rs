//! A fabric with a wave of mixtures booted on it: their trials against conventional UGAL, and the figures of
//! those that come through.

use super::mean;
use crate::choose::ChooseError;
use crate::choose::contest::step_of;
use crate::choose::panel::{Event, Guard, Panel};
use crate::choose::search::load_of;
use crate::choose::trial::{Judge, Simulated};
use crate::choose::yardstick::{Yardstick, all_of, guard_saturation, saturation};
use std::ops::Range;
use tvlb_simulator::Pattern;

/// By how much a mixture is expected to be ahead of conventional UGAL before its first run.
const FIRST_LEAD: f64 = 0.04;

/// What became of a mixture on one fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// On each score pattern.
    pub saturations: Vec<f64>,
    /// The least saturation beside a hot switch over conventional UGAL's, of all nodes, those that share the
    /// network with it and those that send to it.
    pub hot_switch: f64,
    /// Mean latency under uniform traffic, at half the load that conventional UGAL carries.
    pub uniform_latency: f64,
    /// Mean latency of the score patterns at low load.
    pub low_load_latency: f64,
}

impl Figures {
    /// Mean saturation.
    pub fn saturation(&self) -> f64 {
        mean(self.saturations.iter().copied())
    }

    /// By how much its mean saturation is above another's.
    pub fn lead_over(&self, other: &Self) -> f64 {
        self.saturation() - other.saturation()
    }
}

/// A fabric on which a wave's contenders have booted.
pub(super) struct Arena<'w> {
    pub(super) panel: &'w Panel,
    pub(super) judge: Simulated<'w>,
    pub(super) yardstick: Yardstick,
}

impl Arena<'_> {
    pub(super) fn breaches(
        &self,
        contender: usize,
        guards: Range<usize>,
    ) -> Result<bool, ChooseError> {
        let breach = self.yardstick.breach(&self.judge, self.panel, contender, guards)?;
        Ok(breach.is_some())
    }

    /// The guards of traffic with a hot switch, which come first.
    fn hot_guards(&self) -> Range<usize> {
        let is_hot = |guard: &&Guard| guard.event.pattern == Pattern::HotSwitch;
        0..self.panel.guards.iter().take_while(is_hot).count()
    }

    pub(super) fn figures(&self, contender: usize) -> Result<Figures, ChooseError> {
        let Self { panel, judge, yardstick } = self;
        let questions: Vec<(&Event, u32)> =
            panel.score.iter().zip(yardstick.score_steps.iter().copied()).collect();
        let saturations = all_of(&questions, |&(event, guess)| {
            saturation(judge, contender, event, guess).map(load_of)
        })?;
        let mut hot_switch = f64::INFINITY;
        for guard in self.hot_guards() {
            let conventional = yardstick.guard_steps[guard];
            let own =
                guard_saturation(judge, panel, contender, &panel.guards[guard], conventional)?;
            hot_switch = hot_switch.min(load_of(own) / load_of(conventional.max(1)));
        }
        let step = (yardstick.guard_steps[panel.guards.len() - 1] / 2).max(1);
        Ok(Figures {
            saturations,
            hot_switch,
            uniform_latency: judge.run(contender, panel.uniform(), step)?.latency,
            low_load_latency: yardstick.low_latency(judge, panel, contender)?,
        })
    }
}

/// By how much a contender is ahead of conventional UGAL in the trials after those whose results are
/// there, until a number; trials go round the fabrics, pattern by pattern. None if it is slow where hardly
/// anybody sends or behind a fabric's hope in its first trials, or, once it has come through these, fails
/// beside a hot switch.
pub(super) fn lead(
    arenas: &[Arena<'_>],
    contender: usize,
    before: &[f64],
    until: usize,
    hopes: &[f64],
) -> Result<Option<Vec<f64>>, ChooseError> {
    if before.is_empty() {
        for Arena { panel, judge, yardstick } in arenas {
            if yardstick.slow(judge, panel, contender)?.is_some() {
                return Ok(None);
            }
        }
    }
    if before.len() == arenas.len() {
        for arena in arenas {
            if arena.breaches(contender, arena.hot_guards())? {
                return Ok(None);
            }
        }
    }
    let mut found = before.to_vec();
    for trial in before.len()..until {
        let (event, place) = (trial / arenas.len(), trial % arenas.len());
        let Arena { panel, judge, yardstick } = &arenas[place];
        let conventional = load_of(yardstick.score_steps[event]);
        let pattern = &panel.score[event];
        if before.is_empty()
            && judge.run(contender, pattern, step_of(conventional + hopes[place]))?.saturated
        {
            return Ok(None);
        }
        let expected = if found.is_empty() { FIRST_LEAD } else { mean(found.iter().copied()) };
        let guess = step_of(conventional + expected);
        let reached = saturation(judge, contender, pattern, guess)?;
        found.push(load_of(reached) - conventional);
    }
    Ok(Some(found.split_off(before.len())))
}
