//! Candidates on trial, outside a contest: on a fabric, with the panel of traffic by which `generate` chooses, against
//! conventional UGAL.
//!
//! A [`Ground`] is a fabric with its panel and the memory of runs. A [`Trial`] is of candidates that have booted there;
//! they are [`Contender`]s, numbered in the given order after conventional UGAL. Loads are in flits per node and cycle.

use super::baseline::{Baselines, MostRegret, ObliviousSteps, Steps};
use super::candidates::PolicyCandidate;
use super::contender::{Contender, Field};
use super::contest::FIRST_LEAD;
use super::error::ChooseError;
use super::figures::mean;
use super::memory::{self, Memory};
use super::panel::{Guard, Panel, PanelSize};
use super::runner::{Runner, load_of, step_of};
use super::simulation::{SimulatedRunner, images_of};
use crate::checked_fabric::CheckedFabric;
use crate::image::Images;
use rayon::prelude::*;
use std::ops::Range;
use std::path::Path;
use tvlb_base::progress::Progress;
use tvlb_simulator::Scheme;
use tvlb_table_set::Regrets;
use tvlb_traffic::Pattern;

/// A fabric on which candidates are tried.
pub struct Ground<'f> {
    fabric: &'f CheckedFabric<'f>,
    panel: Panel,
    memory: Memory,
    /// Conventional UGAL.
    conventional: (PolicyCandidate, Images),
}

/// What MIN and conventional VLB carry on a ground.
pub struct MinAndVlb(ObliviousSteps);

/// Candidates with their images.
pub struct Entrants(Field);

impl<'f> Ground<'f> {
    /// A fabric with conventional UGAL, a panel of this seed and size, and the runs that a state directory keeps of it.
    ///
    /// # Errors
    /// The state directory keeps the runs of another fabric, conventional UGAL has no images, or the work was
    /// cancelled.
    pub fn new(
        fabric: &'f CheckedFabric<'f>,
        conventional: &PolicyCandidate,
        (seed, size): (u64, PanelSize),
        state: Option<&Path>,
        progress: &dyn Progress,
    ) -> Result<Self, ChooseError> {
        let panel = Panel::new(fabric.nodes(), fabric.file.links(), seed, size);
        let memory = memory::open(state, &fabric.file.name, fabric, &panel)?;
        let policies = conventional.policies.per_decision();
        let images = images_of(fabric, policies, progress)?;
        Ok(Self { fabric, panel, memory, conventional: (conventional.clone(), images) })
    }

    /// How many score patterns the panel has.
    pub const fn patterns(&self) -> usize {
        self.panel.score.len()
    }

    /// Measures MIN and conventional VLB.
    ///
    /// # Errors
    /// The first run that fails, or the work was cancelled.
    pub fn min_and_vlb(&self, progress: &dyn Progress) -> Result<MinAndVlb, ChooseError> {
        let Self { panel, memory, conventional, .. } = self;
        let runner = SimulatedRunner::oblivious(panel, &conventional.1, memory, progress)?;
        Ok(MinAndVlb(ObliviousSteps::measure(&runner)?))
    }

    /// Makes the images of candidates, of which the first is the paper's choice.
    ///
    /// # Errors
    /// A candidate that has no images on this fabric, or the work was cancelled.
    pub fn entrants(
        &self,
        candidates: &[PolicyCandidate],
        progress: &dyn Progress,
    ) -> Result<Entrants, ChooseError> {
        let with_images = |candidate: &PolicyCandidate| {
            let images = images_of(self.fabric, candidate.policies.per_decision(), progress)?;
            Ok((candidate.clone(), images))
        };
        let with_images = candidates.par_iter().map(with_images);
        let mut field = Field::new(vec![self.conventional.clone()]);
        field.join(with_images.collect::<Result<_, ChooseError>>()?);
        Ok(Entrants(field))
    }
}

/// The figures of a contender on one fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialFigures {
    /// Saturation on each score pattern.
    pub saturations: Vec<f64>,
    pub regrets: Regrets,
    /// Mean latency under uniform traffic, at half the load that conventional UGAL carries.
    pub uniform_latency: f64,
    /// Mean latency of the score patterns at low load.
    pub low_load_latency: f64,
}

impl TrialFigures {
    /// The mean over the score patterns.
    pub fn saturation(&self) -> f64 {
        mean(self.saturations.iter().copied())
    }

    /// By how much the mean saturation is above another one.
    pub fn lead_over(&self, other: &Self) -> f64 {
        self.saturation() - other.saturation()
    }
}

/// Candidates that have booted on a ground.
pub struct Trial<'g> {
    runner: SimulatedRunner<'g>,
    baselines: Baselines,
}

impl<'g> Trial<'g> {
    /// Boots candidates and measures conventional UGAL.
    ///
    /// # Errors
    /// Images that do not boot, the first run that fails, or the work was cancelled.
    pub fn begin(
        ground: &'g Ground<'_>,
        scheme: Scheme,
        Entrants(field): &'g Entrants,
        MinAndVlb(oblivious): &MinAndVlb,
        most_regret: MostRegret,
        progress: &'g dyn Progress,
    ) -> Result<Self, ChooseError> {
        let Ground { panel, memory, .. } = ground;
        let runner = SimulatedRunner::boot(scheme, panel, field, memory, progress)?;
        let baselines = Baselines::measure(&runner, oblivious, most_regret)?;
        Ok(Self { runner, baselines })
    }

    /// Whether a contender's latency is long in a network that is almost empty.
    ///
    /// # Errors
    /// As for all methods below: the first run that fails, or the work was cancelled.
    pub fn is_slow_at_light_load(&self, contender: Contender) -> Result<bool, ChooseError> {
        Ok(self.baselines.slow_at_light_load(&self.runner, contender)?.is_some())
    }

    /// Whether a contender leads conventional UGAL by `lead` on the first score pattern.
    #[expect(clippy::missing_errors_doc, reason = "said once above")]
    pub fn leads_by(&self, contender: Contender, lead: f64) -> Result<bool, ChooseError> {
        let needed = load_of(self.baselines.score[0].conventional) + lead;
        let first = &self.runner.panel().score[0];
        Ok(self.runner.limits(contender, first, None, step_of(needed))? <= 1.0)
    }

    /// A contender's lead over conventional UGAL on a score pattern. The `expected` lead, if given, saves runs.
    #[expect(clippy::missing_errors_doc, reason = "said once above")]
    pub fn lead(
        &self,
        contender: Contender,
        pattern: usize,
        expected: Option<f64>,
    ) -> Result<f64, ChooseError> {
        let conventional = load_of(self.baselines.score[pattern].conventional);
        let guess = step_of(conventional + expected.unwrap_or(FIRST_LEAD));
        let event = &self.runner.panel().score[pattern];
        Ok(load_of(self.runner.saturation(contender, event, guess)?) - conventional)
    }

    /// A contender's worst regret under a hot switch, at least 0; `None` if it exceeds `percent`.
    #[expect(clippy::missing_errors_doc, reason = "said once above")]
    pub fn hot_switch_regret(
        &self,
        contender: Contender,
        percent: u32,
    ) -> Result<Option<f64>, ChooseError> {
        let Self { runner, baselines } = self;
        let guards = self.hot_guards();
        if baselines.guard_failure(runner, contender, guards.clone(), percent)?.is_some() {
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
        Ok(Some(worst))
    }

    /// The guards with a hot switch, which come first.
    fn hot_guards(&self) -> Range<usize> {
        let is_hot = |guard: &&Guard| guard.event.pattern == Pattern::HotSwitch;
        0..self.runner.panel().guards.iter().take_while(is_hot).count()
    }

    /// Whether a contender's regret is at most `percent` on every guard, and its latency has no long tail.
    #[expect(clippy::missing_errors_doc, reason = "said once above")]
    pub fn holds(&self, contender: Contender, percent: u32) -> Result<bool, ChooseError> {
        let Self { runner, baselines } = self;
        let guards = 0..baselines.guards.len();
        Ok(baselines.guard_failure(runner, contender, guards, percent)?.is_none()
            && baselines.long_tail(runner, contender)?.is_none())
    }

    /// All figures of a contender.
    #[expect(clippy::missing_errors_doc, reason = "said once above")]
    pub fn figures(&self, contender: Contender) -> Result<TrialFigures, ChooseError> {
        let Self { runner, baselines } = self;
        let guesses = (baselines.score[0].conventional, &baselines.up_to_the_best()[..]);
        let steps = Steps::measure(runner, contender, guesses)?;
        let panel = runner.panel();
        let step = (baselines.guards[panel.guards.len() - 1].conventional / 2).max(1);
        Ok(TrialFigures {
            saturations: steps.score.iter().copied().map(load_of).collect(),
            regrets: baselines.regrets(panel, &steps),
            uniform_latency: runner.latency(contender, panel.uniform(), step)?,
            low_load_latency: baselines.low_latency(runner, contender)?,
        })
    }

    /// How many different runs were requested for contenders other than conventional UGAL and the paper's choice, made
    /// now or remembered.
    pub fn asked_of_new(self) -> usize {
        self.runner.asked_of_new()
    }
}
