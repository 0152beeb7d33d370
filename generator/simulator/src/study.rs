//! Many runs: a curve of loads, and the search for the load at which a network saturates.
//!
//! Runs are independent and spread over the threads of the current rayon pool; the results depend on images, settings,
//! loads and seeds alone, not on how many threads there are.

use crate::decider::Decider;
use crate::fabric::BootedFabric;
use crate::faults::FaultSchedule;
use crate::generation::Generation;
use crate::outcome::Outcome;
use crate::run::{Run, RunError, StopRule};
use crate::runs_left::{RUNS_BEYOND, RunsLeft, most_new, most_runs};
use crate::search::{Probing, SearchedLoads, after_thirds, last_good, most_by_thirds};
use crate::settings::Settings;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use tvlb_base::number::without_noise;
use tvlb_base::progress::Progress;
use tvlb_base::text::Refused;
use tvlb_traffic::{Pattern, PlacementRule, Traffic};

/// Why a study has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// Invalid settings, or traffic or a placement that does not fit the fabric.
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("load {load}, seed {seed}: {error}")]
    Run { load: f64, seed: u64, error: RunError },
}

/// A mean over seeds and its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Estimate {
    /// The mean over the seeds.
    pub mean: f64,
    /// The standard error of the mean; `None` for a single value.
    pub error: Option<f64>,
}

impl Estimate {
    /// The mean of some values and its standard error.
    #[expect(clippy::cast_precision_loss, reason = "a handful of seeds")]
    pub fn of(values: &[f64]) -> Self {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        let error = (values.len() > 1).then(|| (squares / (count - 1.0) / count).sqrt());
        Self { mean: without_noise(mean), error: error.map(without_noise) }
    }

    /// The same for multiples of a step: each value only says between which two multiples the true one is, so the error
    /// is at least half a step.
    pub fn of_multiples(values: &[f64], step: f64) -> Self {
        let Self { mean, error } = Self::of(values);
        Self { mean, error: error.map(|error| error.max(step / 2.0)) }
    }
}

/// The figures at one load of a curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Point {
    /// Flits offered per sending node and cycle.
    pub load: f64,
    /// Whether any of the runs is saturated.
    pub saturated: bool,
    /// Whether the mean latency of any of the runs was still growing as it ended.
    pub growing: bool,
    /// Whether any of the runs accepted less than it was offered.
    pub falls_short: bool,
    /// The mean latency in cycles.
    pub latency: Estimate,
    /// Flits accepted per sending node and cycle.
    pub accepted: Estimate,
    /// The outcomes of the runs, one for each seed.
    pub runs: Vec<Outcome>,
}

/// A network, its settings and its traffic, to be run at several loads with several seeds.
#[derive(Clone, Copy, Debug)]
pub struct Study<'f> {
    /// The network that is simulated.
    pub fabric: &'f BootedFabric<'f>,
    /// The settings of every run.
    pub settings: &'f Settings,
    /// The traffic of every run.
    pub pattern: &'f Pattern,
    /// Where the processes of the traffic run; the seed of a run decides what is random.
    pub placement: &'f PlacementRule,
    /// The seeds; each load is run once with each.
    pub seeds: &'f [u64],
    /// The window, in cycles, of the runs' series, if there is one ([`Outcome::series`]).
    pub series: Option<NonZeroU32>,
}

/// Where a network saturates, for one seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SeedSaturation {
    /// The seed of these runs.
    pub seed: u64,
    /// The last load before the mean latency passes the limit.
    pub by_latency: f64,
    /// The last load of which the network accepts everything offered.
    pub by_acceptance: f64,
    /// Flits accepted per node and cycle at the first load whose latency passes the limit.
    pub accepted_beyond: f64,
}

/// Where a network saturates, over all seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Saturation {
    /// Tried loads are multiples of this.
    pub resolution: f64,
    /// The last load before the mean latency passes the limit: the paper's throughput.
    pub by_latency: Estimate,
    /// The last load of which the network accepts everything offered.
    pub by_acceptance: Estimate,
    /// The result for each of the seeds.
    pub seeds: Vec<SeedSaturation>,
}

impl Study<'_> {
    /// Runs every load with every seed. `progress` hears of each finished run.
    ///
    /// # Errors
    /// The first run, in the order of loads and seeds, that failed.
    pub fn curve(&self, loads: &[f64], progress: &dyn Progress) -> Result<Vec<Point>, StudyError> {
        self.curve_of(loads, &|run| run.by_switches(), progress)
    }

    /// As [`Self::curve`], with parts that die and are mended on a schedule in every run.
    ///
    /// # Errors
    /// As for [`Self::curve`], and for a schedule of another fabric.
    pub fn curve_with_faults(
        &self,
        loads: &[f64],
        schedule: &FaultSchedule,
        progress: &dyn Progress,
    ) -> Result<Vec<Point>, StudyError> {
        self.curve_of(loads, &|run| run.with_faults(schedule), progress)
    }

    /// As [`Self::curve`], with a decider instead of the switches: a new one in each run, for its seed.
    ///
    /// # Errors
    /// As for [`Self::curve`].
    pub fn curve_decided_by<D: Decider>(
        &self,
        loads: &[f64],
        decider: impl Fn(u64) -> D + Sync,
        progress: &dyn Progress,
    ) -> Result<Vec<Point>, StudyError> {
        self.curve_of(loads, &|run| run.decided_by(decider(run.seed)), progress)
    }

    fn curve_of(
        &self,
        loads: &[f64],
        simulate: Simulate<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Point>, StudyError> {
        self.settings.check_with(self.fabric, loads)?;
        let traffics = self.traffics()?;
        let runs: Vec<(f64, usize)> = loads
            .iter()
            .flat_map(|&load| (0..self.seeds.len()).map(move |seed| (load, seed)))
            .collect();
        let outcomes: Vec<Result<Outcome, StudyError>> = runs
            .par_iter()
            .map(|&run| self.run(&traffics, run, simulate, StopRule::FullWindow, progress))
            .collect();
        let mut outcomes = outcomes.into_iter();
        loads
            .iter()
            .map(|&load| {
                let runs: Vec<Outcome> =
                    outcomes.by_ref().take(self.seeds.len()).collect::<Result<_, _>>()?;
                let estimate = |of: fn(&Outcome) -> f64| {
                    Estimate::of(&runs.iter().map(of).collect::<Vec<_>>())
                };
                Ok(Point {
                    load,
                    saturated: runs.iter().any(|run| run.saturated),
                    growing: runs.iter().any(|run| run.growing),
                    falls_short: runs.iter().any(Outcome::falls_short),
                    latency: estimate(|run| run.all.latency),
                    accepted: estimate(|run| run.all.accepted),
                    runs,
                })
            })
            .collect()
    }

    /// Searches for the load at which the network saturates, among the multiples of `resolution`.
    ///
    /// Every seed searches on its own, dividing the rest into three, two runs at a time. Runs that are certain to be
    /// saturated end during their warm-up. `progress` hears of each finished run, and how many are left at most.
    ///
    /// # Errors
    /// As for [`Self::curve`].
    pub fn saturation(
        &self,
        resolution: f64,
        progress: &dyn Progress,
    ) -> Result<Saturation, StudyError> {
        self.saturation_where(resolution, &|run| run.by_switches(), progress)
    }

    /// As [`Self::saturation`], with parts that die and are mended on a schedule in every run. The schedule of a
    /// network that is damaged from the beginning has one entry, at cycle 0, and no delay.
    ///
    /// # Errors
    /// As for [`Self::curve_with_faults`].
    pub fn saturation_with_faults(
        &self,
        resolution: f64,
        schedule: &FaultSchedule,
        progress: &dyn Progress,
    ) -> Result<Saturation, StudyError> {
        self.saturation_where(resolution, &|run| run.with_faults(schedule), progress)
    }

    /// As [`Self::saturation`], with a decider instead of the switches: a new one in each run, for its seed.
    ///
    /// # Errors
    /// As for [`Self::curve`].
    pub fn saturation_decided_by<D: Decider>(
        &self,
        resolution: f64,
        decider: impl Fn(u64) -> D + Sync,
        progress: &dyn Progress,
    ) -> Result<Saturation, StudyError> {
        self.saturation_where(resolution, &|run| run.decided_by(decider(run.seed)), progress)
    }

    fn saturation_where(
        &self,
        resolution: f64,
        simulate: Simulate<'_>,
        progress: &dyn Progress,
    ) -> Result<Saturation, StudyError> {
        self.settings.check_with(self.fabric, &[])?;
        let traffics = self.traffics()?;
        let most = traffics.iter().map(Traffic::most_load).fold(1.0, f64::min);
        let loads = SearchedLoads::new(resolution, most)?;
        let left = RunsLeft::new(progress, self.seeds.len(), most_runs(loads.count));
        let seeds: Vec<SeedSaturation> = (0..self.seeds.len())
            .into_par_iter()
            .map(|seed| self.saturation_of(&traffics, seed, (loads, simulate), &left, progress))
            .collect::<Vec<_>>()
            .into_iter()
            .collect::<Result<_, _>>()?;
        let estimate = |of: fn(&SeedSaturation) -> f64| {
            Estimate::of_multiples(&seeds.iter().map(of).collect::<Vec<_>>(), resolution)
        };
        Ok(Saturation {
            resolution,
            by_latency: estimate(|seed| seed.by_latency),
            by_acceptance: estimate(|seed| seed.by_acceptance),
            seeds,
        })
    }

    fn saturation_of(
        &self,
        traffics: &[Traffic],
        seed: usize,
        (loads, simulate): (SearchedLoads, Simulate<'_>),
        left: &RunsLeft<'_>,
        progress: &dyn Progress,
    ) -> Result<SeedSaturation, StudyError> {
        let steps = loads.count;
        let mut known: BTreeMap<u32, Outcome> = BTreeMap::new();
        // Both searches share the runs, because most of the loads that they try are the same.
        let mut last_step_without = |fails: &dyn Fn(&Outcome) -> bool, afterwards: usize| {
            let mut apart = steps + 1;
            last_good(steps, Probing::Thirds, |tried| {
                let new: Vec<u32> =
                    tried.iter().copied().filter(|step| !known.contains_key(step)).collect();
                let run = |&step: &u32| {
                    let (load, rule) = (loads.load(step), StopRule::WhenSaturated);
                    self.run(traffics, (load, seed), simulate, rule, progress)
                };
                let outcomes: Vec<_> = new.par_iter().map(run).collect();
                for (step, outcome) in new.into_iter().zip(outcomes) {
                    known.insert(step, outcome?);
                }
                apart = after_thirds(apart);
                left.of_seed(seed, most_by_thirds(apart) + afterwards);
                Ok::<_, StudyError>(tried.iter().map(|step| !fails(&known[step])).collect())
            })
        };
        let by_latency =
            last_step_without(&|outcome| outcome.saturated, most_new(steps) + RUNS_BEYOND)?;
        let by_acceptance = last_step_without(&Outcome::falls_short, RUNS_BEYOND)?;
        let accepted_beyond = if by_latency < steps {
            let load = loads.load(by_latency + 1);
            self.run(traffics, (load, seed), simulate, StopRule::FullWindow, progress)?.all.accepted
        } else {
            loads.load(steps)
        };
        left.of_seed(seed, 0);
        Ok(SeedSaturation {
            seed: self.seeds[seed],
            by_latency: loads.load(by_latency),
            by_acceptance: loads.load(by_acceptance),
            accepted_beyond,
        })
    }

    fn traffics(&self) -> Result<Vec<Traffic>, StudyError> {
        let nodes = self.fabric.nodes();
        let of_seed = |&seed: &u64| {
            let traffic = Traffic::new(self.pattern, nodes, seed)?;
            Ok(traffic.placed(&self.placement.on(nodes, seed)?))
        };
        self.seeds.iter().map(of_seed).collect()
    }

    fn run(
        &self,
        traffics: &[Traffic],
        (load, seed): (f64, usize),
        simulate: Simulate<'_>,
        stop_rule: StopRule,
        progress: &dyn Progress,
    ) -> Result<Outcome, StudyError> {
        let (seed, traffic) = (self.seeds[seed], &traffics[seed]);
        let run = StudyRun { study: self, traffic, load, seed, stop_rule, progress };
        let outcome = simulate(&run).map_err(|error| StudyError::Run { load, seed, error });
        progress.step();
        outcome
    }
}

/// How a study makes one of its runs.
type Simulate<'s> = &'s (dyn Fn(&StudyRun<'_>) -> Result<Outcome, RunError> + Sync);

/// One run of a study.
struct StudyRun<'s> {
    study: &'s Study<'s>,
    traffic: &'s Traffic,
    load: f64,
    seed: u64,
    stop_rule: StopRule,
    progress: &'s dyn Progress,
}

impl StudyRun<'_> {
    fn by_switches(&self) -> Result<Outcome, RunError> {
        let Study { fabric, settings, .. } = *self.study;
        self.measured(Run::new(fabric, settings, self.traffic, self.load, self.seed)?)
    }

    fn decided_by(&self, decider: impl Decider) -> Result<Outcome, RunError> {
        let Study { fabric, settings, .. } = *self.study;
        self.measured(Run::decided_by(
            decider,
            fabric,
            settings,
            self.traffic,
            self.load,
            self.seed,
        )?)
    }

    fn with_faults(&self, schedule: &FaultSchedule) -> Result<Outcome, RunError> {
        let Study { fabric, settings, .. } = *self.study;
        let (traffic, load, seed) = (self.traffic, self.load, self.seed);
        self.measured(Run::with_faults(fabric, settings, traffic, load, seed, schedule)?)
    }

    fn measured<'f, D: Decider>(
        &self,
        mut run: Run<'f, Generation<'f>, D>,
    ) -> Result<Outcome, RunError> {
        if let Some(cycles) = self.study.series {
            run.record_series(cycles);
        }
        run.measure(self.stop_rule, self.progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_multiples_is_half_a_step_at_least() {
        let of = |values: &[f64]| Estimate::of_multiples(values, 0.01).error;
        assert_eq!(of(&[0.22, 0.22, 0.22]), Some(0.005));
        assert_eq!(of(&[0.1, 0.3]), Estimate::of(&[0.1, 0.3]).error);
        assert_eq!(of(&[0.22]), None);
    }

    #[test]
    fn a_mean_of_decimals_is_written_as_one() {
        for values in [[0.7, 0.69, 0.71], [0.41, 0.4, 0.42], [0.1, 0.2, 0.3]] {
            let Estimate { mean, .. } = Estimate::of(&values);
            assert!(mean.to_string().len() <= 4, "{mean}");
        }
    }
}
