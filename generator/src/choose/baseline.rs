//! The baselines of a contest: what MIN, conventional VLB and conventional UGAL make of the panel.
//!
//! For each traffic, E is the largest of their three saturations. The *regret* of a contender whose
//! saturation is S is 1 - S/E: what its user loses because it does not run the best of the baselines.
//! [`ObliviousSteps`] has the saturations of MIN and conventional VLB, which are the same for every
//! scheme; [`Baselines`] adds those of a scheme's conventional UGAL, and what all of them demand of the
//! candidates. All of it depends on the runners' answers alone.

use super::contender::Contender;
use super::error::ChooseError;
use super::figures::mean;
pub use super::panel::Oblivious;
use super::panel::{Event, Guard, Panel};
use super::runner::{Runner, all_of, last_good, load_of, reaches, step_of};
use std::ops::{Range, RangeInclusive};
use tvlb_simulator::{Answer, Pattern};

/// The step at which latencies are compared, unless conventional UGAL is near saturation there.
const LOW_LOAD: u32 = 10;

/// The step at which a network counts as hardly used.
pub const LIGHT_LOAD: u32 = 5;
/// How much more than conventional UGAL's the mean latency may be under uniform traffic at that load, in
/// percent. A threshold below 0 would take VLB paths where all queues are empty.
pub const LIGHT_MARGIN: u32 = 5;
/// How much more than conventional UGAL's the 99th percentile of the latency may be at half of the load
/// that conventional UGAL carries, in percent. Of the policies that were measured (docs/measurements/
/// step-2.md) none has a longer tail than conventional UGAL, and the same policy's differs by 2 or 3 percent
/// from seed to seed.
pub const TAIL_MARGIN: u32 = 10;
/// At how much of its own saturation a contender is asked how it serves its worst node and whether its latency
/// stays below the limit, in percent.
pub const NEAR_SATURATION_LOAD: u32 = 90;
/// How many times as long as a window of the panel such a run measures: in one window, chance alone makes a
/// node send a tenth or more below the mean.
pub const NEAR_SATURATION_WINDOWS: u32 = 5;

/// Mean latencies, in the panel's limit, that are near it. Of the runs of a choice on dfly(4, 8, 4, 9) three
/// quarters have such a latency at the last step that is carried and at the first that is not, and a
/// quarter at the steps two below and two above.
const NEAR: RangeInclusive<f64> = 0.75..=1.2;

/// How much regret a candidate may have on a guard, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MostRegret(pub u32);

impl Default for MostRegret {
    fn default() -> Self {
        Self(3)
    }
}

/// Why a candidate is excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GuardFailure {
    /// It takes detours in a network that is hardly used.
    Slow {
        /// Its mean latency at [`LIGHT_LOAD`].
        latency: f64,
    },
    /// Some packets wait far too long in a network that is half used.
    Tail {
        /// The position in [`Baselines::tails`] of what it was compared with.
        tail: usize,
        /// Its 99th percentile of the latency.
        p99: u32,
    },
    /// It saturates on a guard at a step at which it must not.
    Saturated {
        /// The guard's position in the panel.
        guard: usize,
        /// The step at which it is saturated.
        step: u32,
    },
}

/// Saturations under a panel, in steps: the last step at which a routing is not saturated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// By score pattern.
    pub score: Vec<u32>,
    /// By guard.
    pub guards: Vec<u32>,
}

/// The saturations of MIN and conventional VLB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObliviousSteps {
    pub min: Steps,
    /// Conventional VLB's.
    pub vlb: Steps,
}

impl ObliviousSteps {
    /// Finds them.
    ///
    /// # Errors
    /// The first run that failed.
    pub fn measure(runner: &impl Runner<Oblivious>, panel: &Panel) -> Result<Self, ChooseError> {
        let steps = |routing| {
            let score = all_of(&panel.score, |event| {
                let guess = panel.first_oblivious_step(routing, event);
                saturation(runner, panel, routing, event, guess)
            })?;
            let guards = all_of(&panel.guards, |guard| {
                let guess = panel.first_oblivious_step(routing, &guard.event);
                guard_saturation(runner, panel, routing, guard, guess)
            })?;
            Ok::<_, ChooseError>(Steps { score, guards })
        };
        Ok(Self { min: steps(Oblivious::Min)?, vlb: steps(Oblivious::Vlb)? })
    }
}

/// What the baselines carry of one traffic, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// MIN's saturation.
    pub min: u32,
    /// Conventional VLB's saturation.
    pub vlb: u32,
    /// Conventional UGAL's saturation.
    pub ugal: u32,
}

impl Carried {
    /// E: the largest of the three.
    pub fn best(self) -> u32 {
        self.min.max(self.vlb).max(self.ugal)
    }

    /// The name of the baseline that carries most; of equals, conventional UGAL's first and VLB's last.
    pub fn best_name(self) -> &'static str {
        if self.ugal == self.best() {
            "conventional"
        } else if self.min == self.best() {
            "min"
        } else {
            "vlb"
        }
    }

    /// The regret of a contender that carries so many steps; below 0 if it carries more than all
    /// baselines. Where no baseline carries anything, there is nothing to regret.
    pub fn regret(self, step: u32) -> f64 {
        if self.best() == 0 { 0.0 } else { 1.0 - load_of(step) / load_of(self.best()) }
    }

    /// The least step that a contender must carry for a regret of at most `percent`.
    pub fn required(self, percent: u32) -> u32 {
        (self.best() * 100_u32.saturating_sub(percent)).div_ceil(100)
    }
}

/// A contender's regret on each traffic of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Regrets {
    /// By score pattern.
    pub score: Vec<f64>,
    /// By guard.
    pub guards: Vec<f64>,
}

impl Regrets {
    /// The largest regret on a guard.
    pub fn worst_guard(&self) -> f64 {
        self.guards.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The largest regret on any traffic.
    pub fn worst(&self) -> f64 {
        self.score.iter().copied().fold(self.worst_guard(), f64::max)
    }
}

/// The 99th percentile of conventional UGAL's latency where it is half used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// The guard, by its position in the panel, with its first seed.
    pub guard: usize,
    /// Half of conventional UGAL's saturation.
    pub step: u32,
    /// Its 99th percentile there.
    pub p99: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Baselines {
    /// By score pattern, what the baselines carry.
    pub score: Vec<Carried>,
    /// By guard, what the baselines carry.
    pub guards: Vec<Carried>,
    /// How much regret a candidate may have on a guard.
    pub most_regret: MostRegret,
    /// The step at which latencies are compared.
    pub low_step: u32,
    /// Conventional UGAL's mean latency under uniform traffic at [`LIGHT_LOAD`].
    pub light_latency: f64,
    /// The tails of conventional UGAL's latency.
    pub tails: Vec<Tail>,
}

impl Baselines {
    /// Measures conventional UGAL and puts it beside MIN and conventional VLB.
    ///
    /// # Errors
    /// The first run that failed.
    pub fn measure(
        runner: &impl Runner,
        panel: &Panel,
        oblivious: &ObliviousSteps,
        most_regret: MostRegret,
    ) -> Result<Self, ChooseError> {
        let ugal = Contender::CONVENTIONAL;
        let guards = all_of(&panel.guards, |guard| {
            guard_saturation(runner, panel, ugal, guard, guard.first_step)
        })?;
        let score =
            all_of(&panel.score, |event| saturation(runner, panel, ugal, event, panel.first_step))?;
        let least = score.iter().min().map_or(1, |least| least / 2);
        let tails = all_of(&tail_guards(panel), |&guard| {
            let step = (guards[guard] / 2).max(1);
            let event = &panel.guards[guard].event;
            Ok(Tail { guard, step, p99: runner.whole_run(ugal, event, step, 1)?.p99 })
        })?;
        let beside = |ugal: Vec<u32>, of: fn(&Steps) -> &Vec<u32>| {
            let others = of(&oblivious.min).iter().zip(of(&oblivious.vlb));
            let all = ugal.into_iter().zip(others);
            all.map(|(ugal, (&min, &vlb))| Carried { min, vlb, ugal }).collect()
        };
        Ok(Self {
            score: beside(score, |steps| &steps.score),
            guards: beside(guards, |steps| &steps.guards),
            most_regret,
            low_step: LOW_LOAD.min(least).max(1),
            light_latency: runner.run(ugal, panel.uniform(), LIGHT_LOAD)?.latency,
            tails,
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

    /// The failure of a contender some of whose packets wait far too long in a network that is half
    /// used. A run that is saturated there is one for the guards.
    ///
    /// # Errors
    /// The first run that failed.
    pub fn long_tail(
        &self,
        runner: &impl Runner,
        panel: &Panel,
        contender: Contender,
    ) -> Result<Option<GuardFailure>, ChooseError> {
        for (number, tail) in self.tails.iter().enumerate() {
            let event = &panel.guards[tail.guard].event;
            let run = runner.whole_run(contender, event, tail.step, 1)?;
            let is_long =
                u64::from(run.p99) * 100 > u64::from(tail.p99) * u64::from(100 + TAIL_MARGIN);
            if is_long && !run.saturated {
                return Ok(Some(GuardFailure::Tail { tail: number, p99: run.p99 }));
            }
        }
        Ok(None)
    }

    /// The failure on the first of these guards, by their position, on which a contender has more
    /// regret than `percent`.
    ///
    /// # Errors
    /// The first run that failed.
    pub fn guard_failure(
        &self,
        runner: &impl Runner,
        panel: &Panel,
        contender: Contender,
        guards: Range<usize>,
        percent: u32,
    ) -> Result<Option<GuardFailure>, ChooseError> {
        for guard in guards {
            let step = self.guards[guard].required(percent);
            if step > 0 && !served_at(runner, panel, contender, &panel.guards[guard], step)?.is_good
            {
                return Ok(Some(GuardFailure::Saturated { guard, step }));
            }
        }
        Ok(None)
    }

    /// A contender's saturation on each guard.
    ///
    /// # Errors
    /// The first run that failed.
    pub fn guard_steps(
        &self,
        runner: &impl Runner,
        panel: &Panel,
        contender: Contender,
    ) -> Result<Vec<u32>, ChooseError> {
        let guesses: Vec<(&Guard, u32)> =
            panel.guards.iter().zip(self.guards.iter().map(|guard| guard.best())).collect();
        all_of(&guesses, |&(guard, guess)| guard_saturation(runner, panel, contender, guard, guess))
    }

    /// Whether a contender's saturations on the guards ([`Self::guard_steps`]) leave it at most `percent` of
    /// regret on each. They are not found further than it takes to tell.
    ///
    /// # Errors
    /// The first run that failed.
    pub fn guards_hold(
        &self,
        runner: &impl Runner,
        panel: &Panel,
        contender: Contender,
        percent: u32,
    ) -> Result<bool, ChooseError> {
        for (guard, carried) in panel.guards.iter().zip(&self.guards) {
            let serves = |step| served_at(runner, panel, contender, guard, step);
            if !reaches(carried.best(), carried.required(percent), serves)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The regrets of a contender with these saturations.
    pub fn regrets(&self, steps: &Steps) -> Regrets {
        let of = |carried: &[Carried], own: &[u32]| {
            carried.iter().zip(own).map(|(carried, &step)| carried.regret(step)).collect()
        };
        Regrets { score: of(&self.score, &steps.score), guards: of(&self.guards, &steps.guards) }
    }

    /// The saturations of conventional UGAL.
    pub fn ugal_steps(&self) -> Steps {
        let of = |carried: &[Carried]| carried.iter().map(|carried| carried.ugal).collect();
        Steps { score: of(&self.score), guards: of(&self.guards) }
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

/// What a contender does near its saturation in runs that are longer than those that found it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearSaturation {
    /// What the network delivers of the packets of the node that is served worst, over the mean of all
    /// nodes.
    pub worst_served: f64,
    /// Mean latency in cycles. Above the panel's limit, the contender does not carry its saturation for
    /// long.
    pub latency: f64,
}

impl NearSaturation {
    fn worse(self, other: Self) -> Self {
        Self {
            worst_served: self.worst_served.min(other.worst_served),
            latency: self.latency.max(other.latency),
        }
    }
}

/// What a contender does at [`NEAR_SATURATION_LOAD`] percent of its own saturation in
/// [`NEAR_SATURATION_WINDOWS`] windows: the worse of the first score patterns of each kind, on which its
/// saturations are `saturations`.
///
/// # Errors
/// The first run that failed.
pub fn near_saturation(
    runner: &impl Runner,
    panel: &Panel,
    contender: Contender,
    saturations: &[f64],
) -> Result<Option<NearSaturation>, ChooseError> {
    let is_type_2 = |event: &&Event| matches!(event.pattern, Pattern::TypeTwo { .. });
    let first = panel.score.iter().position(|event| is_type_2(&event));
    let second = panel.score.iter().position(|event| !is_type_2(&event));
    let places: Vec<usize> = first.into_iter().chain(second).collect();
    let found = all_of(&places, |&place| {
        let Some(&saturation) = saturations.get(place) else { return Ok(None) };
        let step = (step_of(saturation) * NEAR_SATURATION_LOAD / 100).max(1);
        let run =
            runner.whole_run(contender, &panel.score[place], step, NEAR_SATURATION_WINDOWS)?;
        Ok(Some(NearSaturation { worst_served: run.worst_served, latency: run.latency }))
    })?;
    Ok(found.into_iter().flatten().reduce(NearSaturation::worse))
}

/// The guards on which tails are compared, by their positions: uniform traffic, where detours cost
/// others most, and the hot switch, where a detour may end in the queue that it was to avoid. Under a
/// permutation and under MIXED the tails of what was measured come in the same order.
fn tail_guards(panel: &Panel) -> Vec<usize> {
    let compared = |guard: &Guard| {
        guard.population.is_none()
            && matches!(guard.event.pattern, Pattern::HotSwitch | Pattern::Uniform)
    };
    (0..panel.guards.len()).filter(|&guard| compared(&panel.guards[guard])).collect()
}

/// The last step at which a contender is not saturated.
///
/// # Errors
/// The first run that failed.
pub fn saturation<S: Copy>(
    runner: &impl Runner<S>,
    panel: &Panel,
    subject: S,
    event: &Event,
    guess: u32,
) -> Result<u32, ChooseError> {
    last_good(guess, |step| carried_at(runner, panel, subject, event, step))
}

/// Whether a contender is not saturated at a step.
///
/// # Errors
/// The run failed.
pub fn carried_at<S>(
    runner: &impl Runner<S>,
    panel: &Panel,
    subject: S,
    event: &Event,
    step: u32,
) -> Result<Answer, ChooseError> {
    Ok(answer(panel, runner.foresee(subject, event, step)?.all))
}

/// The last step at which a contender serves the nodes that a guard is for.
///
/// # Errors
/// The first run that failed.
pub fn guard_saturation<S: Copy>(
    runner: &impl Runner<S>,
    panel: &Panel,
    subject: S,
    guard: &Guard,
    guess: u32,
) -> Result<u32, ChooseError> {
    last_good(guess, |step| served_at(runner, panel, subject, guard, step))
}

/// Whether the nodes that a guard is for are served in each of its runs. After the first in which they are
/// not, no other is asked.
fn served_at<S: Copy>(
    runner: &impl Runner<S>,
    panel: &Panel,
    subject: S,
    guard: &Guard,
    step: u32,
) -> Result<Answer, ChooseError> {
    let mut of_all = Answer { is_good: true, is_near: false };
    for (event, step) in guard.runs(step) {
        let foreseen = runner.foresee(subject, &event, step)?;
        let of = |(number, _): (usize, _)| foreseen.populations.get(number).copied();
        let answer = answer(panel, guard.population.and_then(of).unwrap_or(foreseen.all));
        if !answer.is_good {
            return Ok(answer);
        }
        of_all.is_near |= answer.is_near;
    }
    Ok(of_all)
}

/// What a mean latency says to a search.
fn answer(panel: &Panel, latency: f64) -> Answer {
    let limits = latency / f64::from(panel.latency_limit);
    Answer { is_good: limits <= 1.0, is_near: NEAR.contains(&limits) }
}
