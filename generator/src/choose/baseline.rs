//! The baselines of a contest: how MIN, conventional VLB and conventional UGAL perform on the panel.
//!
//! For each traffic, E is the largest of their three saturations. The *regret* of a contender whose saturation is S is
//! 1 - S/E: what its user loses by not running the best of the baselines. [`ObliviousSteps`] has the saturations of MIN
//! and conventional VLB, which are the same for every scheme; [`Baselines`] adds those of a scheme's conventional UGAL,
//! and what candidates must hold. All of it depends only on the runners' answers.

use super::contender::Contender;
use super::error::ChooseError;
use super::figures::mean;
use super::panel::{Event, Guard, Oblivious, Panel};
use super::runner::{Runner, STEPS, all_of, step_of};
use std::ops::Range;
use tvlb_table_set::{Carried, Regrets};
use tvlb_traffic::Pattern;

/// The step at which latencies are compared, unless conventional UGAL is near saturation there.
const LOW_LOAD: u32 = 10;

/// The step at which a network counts as hardly used.
pub(crate) const LIGHT_LOAD: u32 = 5;
/// How much more than conventional UGAL's the mean latency may be under uniform traffic at that load, in percent. A
/// threshold below 0 would take VLB paths even when all queues are empty.
pub(crate) const LIGHT_MARGIN: u32 = 5;
/// How much more than conventional UGAL's the 99th percentile of the latency may be at half of the load that
/// conventional UGAL carries, in percent. No policy that was measured (docs/measurements/step-2.md) has a longer tail
/// than conventional UGAL, and the tail of one policy varies by 2 or 3 percent from seed to seed.
pub(crate) const TAIL_MARGIN: u32 = 10;
/// The load, in percent of a contender's own saturation, at which the worst served node and the latency limit are
/// checked.
pub(crate) const NEAR_SATURATION_LOAD: u32 = 90;
/// How many windows of the panel such a run measures: in a single window, a node may send a tenth or more below the
/// mean by chance alone.
pub(crate) const NEAR_SATURATION_WINDOWS: u32 = 5;

/// The most regret that a candidate may have on a guard, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MostRegret(pub u32);

impl Default for MostRegret {
    fn default() -> Self {
        Self(3)
    }
}

/// Why a candidate is excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum GuardFailure {
    /// It takes detours in a network that is almost empty.
    Slow {
        /// Its mean latency at [`LIGHT_LOAD`].
        latency: f64,
    },
    /// Some packets wait far too long in a network at half load.
    Tail {
        /// The position in [`Baselines::tails`] of the compared tail.
        tail: usize,
        /// Its 99th percentile of the latency.
        p99: u32,
    },
    /// It saturates on a guard at a step that it must carry.
    Saturated {
        /// The guard's position in the panel.
        guard: usize,
        /// The step at which it is saturated.
        step: u32,
    },
}

/// Saturations under a panel, in steps: the last step at which a routing is not saturated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// By score pattern.
    pub score: Vec<u32>,
    /// By guard.
    pub guards: Vec<u32>,
}

impl Steps {
    /// Finds them, each search on a guard from its guess up to the most of interest. A routing carries nearly the same
    /// of every score pattern, so only the first search begins at the guess.
    pub(super) fn measure<S: Copy + Sync>(
        runner: &impl Runner<S>,
        subject: S,
        (of_score, of_guards): (u32, &[(u32, u32)]),
    ) -> Result<Self, ChooseError> {
        let (first, others) =
            runner.panel().score.split_first().expect("a panel has score patterns");
        let carried = runner.saturation(subject, first, of_score)?;
        let others = all_of(others, |event| runner.saturation(subject, event, carried))?;
        let score = std::iter::once(carried).chain(others).collect();
        Ok(Self { score, guards: guard_steps(runner, subject, of_guards)? })
    }
}

/// A subject's saturation on each guard, each search from its guess up to the most of interest.
pub(super) fn guard_steps<S: Copy + Sync>(
    runner: &impl Runner<S>,
    subject: S,
    searches: &[(u32, u32)],
) -> Result<Vec<u32>, ChooseError> {
    let each: Vec<(&Guard, &(u32, u32))> = runner.panel().guards.iter().zip(searches).collect();
    all_of(&each, |(guard, search)| runner.guard_saturation(subject, guard, **search))
}

/// The saturations of MIN and conventional VLB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ObliviousSteps {
    pub min: Steps,
    /// Conventional VLB's.
    pub vlb: Steps,
}

impl ObliviousSteps {
    pub(super) fn measure(runner: &impl Runner<Oblivious>) -> Result<Self, ChooseError> {
        let panel = runner.panel();
        let steps = |routing| {
            let guess = |event: &Event| panel.first_oblivious_step(routing, event);
            let of_guards: Vec<_> =
                panel.guards.iter().map(|guard| (guess(&guard.event), STEPS)).collect();
            Steps::measure(runner, routing, (guess(&panel.score[0]), &of_guards))
        };
        Ok(Self { min: steps(Oblivious::Min)?, vlb: steps(Oblivious::Vlb)? })
    }
}

/// The 99th percentile of conventional UGAL's latency at half load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    /// The guard, by its position in the panel, with its first seed.
    pub guard: usize,
    /// Half of conventional UGAL's saturation.
    pub step: u32,
    pub p99: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Baselines {
    /// By score pattern, what the baselines carry.
    pub score: Vec<Carried>,
    /// By guard, what the baselines carry.
    pub guards: Vec<Carried>,
    /// The most regret that a candidate may have on a guard.
    pub most_regret: MostRegret,
    /// The step at which latencies are compared.
    pub low_step: u32,
    /// The step at which the worst served nodes of all are compared: [`NEAR_SATURATION_LOAD`] percent of the least that
    /// conventional UGAL carries of a score pattern, so that every contender carries it.
    pub served_step: u32,
    /// Conventional UGAL's mean latency under uniform traffic at [`LIGHT_LOAD`].
    pub light_latency: f64,
    /// The tails of conventional UGAL's latency.
    pub tails: Vec<Tail>,
}

impl Baselines {
    /// Measures conventional UGAL and joins it with MIN and conventional VLB.
    pub(super) fn measure(
        runner: &impl Runner,
        oblivious: &ObliviousSteps,
        most_regret: MostRegret,
    ) -> Result<Self, ChooseError> {
        let (ugal, panel) = (Contender::CONVENTIONAL, runner.panel());
        // UGAL performs about as well as the better of the two between which it decides.
        let better = oblivious.min.guards.iter().zip(&oblivious.vlb.guards);
        let better: Vec<_> = better.map(|(&min, &vlb)| (min.max(vlb), STEPS)).collect();
        let Steps { score, guards } = Steps::measure(runner, ugal, (panel.first_step, &better))?;
        let least = score.iter().min().copied().unwrap_or_default();
        let tails = all_of(&tail_guards(panel), |&guard| {
            let step = (guards[guard] / 2).max(1);
            let event = &panel.guards[guard].event;
            Ok(Tail { guard, step, p99: runner.measure(ugal, event, step, Some(1))?.p99 })
        })?;
        let beside = |ugal: Vec<u32>, min: &[u32], vlb: &[u32]| {
            let all = ugal.into_iter().zip(min.iter().zip(vlb));
            all.map(|(ugal, (&min, &vlb))| Carried::new(min, vlb, ugal)).collect()
        };
        let ObliviousSteps { min, vlb } = oblivious;
        Ok(Self {
            score: beside(score, &min.score, &vlb.score),
            guards: beside(guards, &min.guards, &vlb.guards),
            most_regret,
            low_step: LOW_LOAD.min(least / 2).max(1),
            served_step: near(least),
            light_latency: runner.latency(ugal, panel.uniform(), LIGHT_LOAD)?,
            tails,
        })
    }

    /// The failure of a contender that is slow in a network that is almost empty.
    pub(super) fn slow_at_light_load(
        &self,
        runner: &impl Runner,
        contender: Contender,
    ) -> Result<Option<GuardFailure>, ChooseError> {
        let latency = runner.latency(contender, runner.panel().uniform(), LIGHT_LOAD)?;
        let most = self.light_latency * f64::from(100 + LIGHT_MARGIN) / 100.0;
        Ok((latency > most).then_some(GuardFailure::Slow { latency }))
    }

    /// The failure of a contender with packets that wait far too long in a network at half load. If that run is
    /// saturated, the guards deal with it.
    pub(super) fn long_tail(
        &self,
        runner: &impl Runner,
        contender: Contender,
    ) -> Result<Option<GuardFailure>, ChooseError> {
        for (number, tail) in self.tails.iter().enumerate() {
            let event = &runner.panel().guards[tail.guard].event;
            let run = runner.measure(contender, event, tail.step, Some(1))?;
            let is_long =
                u64::from(run.p99) * 100 > u64::from(tail.p99) * u64::from(100 + TAIL_MARGIN);
            if is_long && !run.saturated {
                return Ok(Some(GuardFailure::Tail { tail: number, p99: run.p99 }));
            }
        }
        Ok(None)
    }

    /// The failure on the first of these guards, given by their positions, where a contender's regret exceeds
    /// `percent`.
    pub(super) fn guard_failure(
        &self,
        runner: &impl Runner,
        contender: Contender,
        guards: Range<usize>,
        percent: u32,
    ) -> Result<Option<GuardFailure>, ChooseError> {
        for guard in guards {
            let carried = &self.guards[guard];
            let step = carried.required(percent);
            let traffic = &runner.panel().guards[guard];
            let is_served = match contender {
                Contender::CONVENTIONAL => carried.conventional >= step,
                _ => step == 0 || runner.served_at(contender, traffic, step)?,
            };
            if !is_served {
                return Ok(Some(GuardFailure::Saturated { guard, step }));
            }
        }
        Ok(None)
    }

    /// A contender's saturation on each guard, up to what the best of the baselines carries: more would not change the
    /// regret.
    pub(super) fn guard_steps(
        &self,
        runner: &impl Runner,
        contender: Contender,
    ) -> Result<Vec<u32>, ChooseError> {
        guard_steps(runner, contender, &self.up_to_the_best())
    }

    /// For each guard, a search from what the best of the baselines carries, and no further.
    pub(super) fn up_to_the_best(&self) -> Vec<(u32, u32)> {
        self.guards.iter().map(|carried| (carried.most(), carried.most())).collect()
    }

    /// The regrets of a contender with these saturations.
    pub(super) fn regrets(&self, panel: &Panel, steps: &Steps) -> Regrets {
        let of = |carried: &[Carried], own: &[u32]| {
            carried.iter().zip(own).map(|(carried, &step)| carried.regret(step)).collect()
        };
        let (score, guards) = (of(&self.score, &steps.score), of(&self.guards, &steps.guards));
        Regrets::new((&panel.score, score), (&panel.guards, guards))
    }

    /// A contender's mean latency at low load over the score patterns.
    pub(super) fn low_latency(
        &self,
        runner: &impl Runner,
        contender: Contender,
    ) -> Result<f64, ChooseError> {
        let latency = |event: &Event| runner.latency(contender, event, self.low_step);
        Ok(mean(all_of(&runner.panel().score, latency)?))
    }
}

/// The results of a contender in longer runs than those that found its saturation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LongRuns {
    /// The throughput of the worst served node, over the mean of all
    /// nodes, at [`NEAR_SATURATION_LOAD`] percent of its own saturation.
    pub(super) worst_served: f64,
    /// Mean latency in cycles there. If it is above the panel's limit, the contender does not carry its saturation for
    /// long.
    pub(super) latency: f64,
    /// The throughput of the worst served node at the common load ([`Baselines::served_step`]).
    pub(super) worst_served_at_one_load: f64,
}

/// [`NEAR_SATURATION_LOAD`] percent of a step.
fn near(step: u32) -> u32 {
    (step * NEAR_SATURATION_LOAD / 100).max(1)
}

/// A contender's results in [`NEAR_SATURATION_WINDOWS`] windows: the worse of the first score patterns of each kind, on
/// which its saturations are `saturations`.
pub(super) fn long_runs(
    runner: &impl Runner,
    baselines: &Baselines,
    contender: Contender,
    saturations: &[f64],
) -> Result<Option<LongRuns>, ChooseError> {
    let score = &runner.panel().score;
    let first = |type_2: bool| {
        let is_type_2 = |event: &Event| matches!(event.pattern, Pattern::TypeTwo { .. });
        score.iter().position(|event| is_type_2(event) == type_2)
    };
    let places: Vec<usize> = [true, false].into_iter().filter_map(first).collect();
    let found = all_of(&places, |&place| {
        let Some(&saturation) = saturations.get(place) else { return Ok(None) };
        let steps = [near(step_of(saturation)), baselines.served_step];
        let runs = all_of(&steps, |&step| {
            runner.measure(contender, &score[place], step, Some(NEAR_SATURATION_WINDOWS))
        })?;
        Ok(Some(LongRuns {
            worst_served: runs[0].worst_served,
            latency: runs[0].latency,
            worst_served_at_one_load: runs[1].worst_served,
        }))
    })?;
    Ok(found.into_iter().flatten().reduce(|one, other| LongRuns {
        worst_served: one.worst_served.min(other.worst_served),
        latency: one.latency.max(other.latency),
        worst_served_at_one_load: one.worst_served_at_one_load.min(other.worst_served_at_one_load),
    }))
}

/// The guards on which tails are compared, by their positions: uniform traffic, where detours cost others most, and the
/// hot switch, where a detour may end in the very queue that it should avoid. Under a permutation and under MIXED the
/// tails come in the same order. Of the guards with a hot switch it is that of the hot nodes, which carry least, so
/// that all nodes are half used.
fn tail_guards(panel: &Panel) -> Vec<usize> {
    let is_compared = |guard: &Guard| match guard.event.pattern {
        Pattern::HotSwitch => guard.population.is_some_and(|(_, name)| name == "hot"),
        Pattern::Uniform => true,
        _ => false,
    };
    (0..panel.guards.len()).filter(|&guard| is_compared(&panel.guards[guard])).collect()
}
