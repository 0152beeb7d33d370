//! Making the runs of a network: booting its switches from their images, and measuring.

use super::super::asked::Curve;
use super::super::error::SweepError;
use super::super::images::ImageKey;
use super::super::kind::{Kind, StudyTable, Unit, UnitRows, Units};
use super::super::store::ResultStore;
use super::figures::{Ran, SaturationFigures};
use super::{NetworkRuns, NetworkSubject, StudyRun};
use std::collections::BTreeMap;
use tvlb_base::progress::Progress;
use tvlb_simulator::{
    BootedFabric, FaultSchedule, Probing, Run, RunError, StopRule, Study, StudyError, last_good,
};
use tvlb_traffic::{Pattern, Traffic};

/// A load of 1 in the steps of a line of rising loads.
const STEPS: u32 = 10_000;

impl Units for NetworkRuns {
    fn count(&self) -> usize {
        self.units.len()
    }

    fn prepare(&mut self, unit: usize, progress: &dyn Progress) -> Result<(), SweepError> {
        let key = self.units[unit].tables;
        let named = &self.fabrics[key.fabric];
        let dead = self.dead[key.dead].of(key.fabric, key.seed, &named.fabric);
        let boots = (named, &self.sets[key.set]);
        self.images.prepare(key, boots, dead.as_ref(), progress)
    }

    fn warnings(&self) -> Vec<String> {
        let of_unit = |unit: &StudyRun| {
            let settings = &unit.subject.settings;
            let starved = settings.starved_links().into_iter().map(|link| link.to_string());
            starved.chain(self.pattern(unit).unmeasured_bursts(settings.window_cycles))
        };
        self.units.iter().flat_map(of_unit).collect()
    }
}

impl<'u> Unit<'u, NetworkRuns> {
    pub(in super::super) fn run(self) -> &'u StudyRun {
        &self.units.units[self.place]
    }
}

/// Runs at loads.
pub(in super::super) struct AtLoads;

impl Kind<NetworkRuns> for AtLoads {
    type Subject<'u> = &'u NetworkSubject;
    type Found = Ran;

    fn subject<'u>(&self, unit: Unit<'u, NetworkRuns>) -> &'u NetworkSubject {
        &unit.run().subject
    }

    fn make(&self, unit: Unit<'_, NetworkRuns>) -> Result<Ran, SweepError> {
        unit.units.simulate(unit.run(), self.subject(unit), unit.progress)
    }

    fn rows(&self, unit: Unit<'_, NetworkRuns>, found: Vec<Ran>) -> Result<UnitRows, SweepError> {
        let load = self.subject(unit).load.expect("what is no search has a load");
        unit.units.rows_of(unit.run(), found.iter().map(|ran| (load, ran)))
    }

    fn table(&self, units: &NetworkRuns) -> StudyTable {
        units.table_of_runs()
    }
}

/// Searches for the load of saturation with this resolution.
pub(in super::super) struct Searches(pub(in super::super) f64);

impl Kind<NetworkRuns> for Searches {
    type Subject<'u> = &'u NetworkSubject;
    type Found = SaturationFigures;

    fn subject<'u>(&self, unit: Unit<'u, NetworkRuns>) -> &'u NetworkSubject {
        &unit.run().subject
    }

    fn make(&self, unit: Unit<'_, NetworkRuns>) -> Result<SaturationFigures, SweepError> {
        unit.units.search(unit.run(), self.0, unit.progress)
    }

    fn rows(
        &self,
        unit: Unit<'_, NetworkRuns>,
        found: Vec<SaturationFigures>,
    ) -> Result<UnitRows, SweepError> {
        let rows = |found| unit.units.search_rows(unit.run(), self.0, found);
        Ok(found.iter().flat_map(rows).collect())
    }

    fn table(&self, units: &NetworkRuns) -> StudyTable {
        units.table_of_searches(self.0)
    }
}

/// Lines of rising loads until the network saturates, then of loads between the last two.
impl Kind<NetworkRuns> for Curve {
    type Subject<'u> = &'u NetworkSubject;
    /// The runs of a line by their loads, in steps of [`STEPS`].
    type Found = BTreeMap<u32, Ran>;

    fn subject<'u>(&self, unit: Unit<'u, NetworkRuns>) -> &'u NetworkSubject {
        &unit.run().subject
    }

    fn make(&self, unit: Unit<'_, NetworkRuns>) -> Result<Self::Found, SweepError> {
        Ok(self.found(unit)?.unwrap_or_default())
    }

    fn found(&self, unit: Unit<'_, NetworkRuns>) -> Result<Option<Self::Found>, SweepError> {
        unit.units.line(unit.run(), *self, unit.results, unit.progress)
    }

    fn is_kept(&self, unit: Unit<'_, NetworkRuns>) -> Result<bool, SweepError> {
        Ok(self.found(unit)?.is_some())
    }

    fn rows(
        &self,
        unit: Unit<'_, NetworkRuns>,
        found: Vec<Self::Found>,
    ) -> Result<UnitRows, SweepError> {
        let runs = found.iter().flatten();
        unit.units.rows_of(unit.run(), runs.map(|(&step, ran)| (load_of(step), ran)))
    }

    fn table(&self, units: &NetworkRuns) -> StudyTable {
        units.table_of_runs()
    }
}

/// A load in the steps of a line of rising loads.
fn load_of(step: u32) -> f64 {
    f64::from(step) / f64::from(STEPS)
}

impl NetworkRuns {
    /// The runs of a line; `None` if one of them is missing, or being made by another process.
    fn line(
        &self,
        unit: &StudyRun,
        Curve { lowest, coarse, fine }: Curve,
        source: &ResultStore<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<BTreeMap<u32, Ran>>, SweepError> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "steps are above 0 and at most half of a load of 1"
        )]
        let steps = |load: f64| (load * f64::from(STEPS)).round() as u32;
        let mut known: BTreeMap<u32, Ran> = BTreeMap::new();
        let mut is_good = |step: u32| -> Result<bool, Missing> {
            if let Some(outcome) = known.get(&step) {
                return Ok(!outcome.saturated);
            }
            let subject = NetworkSubject { load: Some(load_of(step)), ..unit.subject.clone() };
            let make = || self.simulate(unit, &subject, progress);
            let outcome: Option<Ran> = source.run(&subject, make).map_err(Missing::Failed)?;
            let outcome = outcome.ok_or(Missing::Theirs)?;
            let good = !outcome.saturated;
            known.insert(step, outcome);
            Ok(good)
        };
        let probing = Probing::Upwards { coarse: steps(coarse), fine: steps(fine) };
        let searched = is_good(steps(lowest)).and_then(|_| {
            last_good(STEPS, probing, |steps| steps.iter().map(|&step| is_good(step)).collect())
        });
        match searched {
            Ok(_) => Ok(Some(known)),
            Err(Missing::Theirs) => Ok(None),
            Err(Missing::Failed(error)) => Err(error),
        }
    }

    pub(in super::super) fn pattern(&self, unit: &StudyRun) -> &Pattern {
        &self.traffic[unit.tables.fabric][unit.traffic].rule
    }

    fn schedule(
        &self,
        unit: &StudyRun,
        fabric: &BootedFabric<'_>,
    ) -> Result<Option<FaultSchedule>, SweepError> {
        let ImageKey { fabric: place, dead, seed, .. } = unit.tables;
        let faults = self.dead[dead].of(place, seed, &self.fabrics[place].fabric);
        let schedule = faults.map(|faults| FaultSchedule::new(fabric, &[(0, faults)], 0..=0));
        Ok(schedule.transpose()?)
    }

    pub(in super::super) fn booted(&self, unit: &StudyRun) -> Result<BootedFabric<'_>, SweepError> {
        self.images.booted(unit.tables)
    }

    /// Makes one run.
    fn simulate(
        &self,
        unit: &StudyRun,
        subject: &NetworkSubject,
        progress: &dyn Progress,
    ) -> Result<Ran, SweepError> {
        let in_run = || in_words(subject);
        let fabric = self.booted(unit)?;
        let schedule = self.schedule(unit, &fabric)?;
        let NetworkSubject { seed, settings, .. } = subject;
        let load = subject.load.expect("a run has a load");
        let traffic = Traffic::new(self.pattern(unit), fabric.nodes(), *seed)
            .map_err(|error| SweepError::Unfit { run: in_run(), error })?;
        let placement = self.placements[unit.placement].rule.on(fabric.nodes(), *seed);
        let placement = placement.map_err(|error| SweepError::Unfit { run: in_run(), error })?;
        let traffic = traffic.placed(&placement);
        let run = match &schedule {
            None => Run::new(&fabric, settings, &traffic, load, *seed).map_err(RunError::Refused),
            Some(schedule) => Run::with_faults(&fabric, settings, &traffic, load, *seed, schedule),
        };
        let stop = if subject.ends_early { StopRule::WhenSaturated } else { StopRule::FullWindow };
        let outcome = run.and_then(|run| run.measure(stop, progress));
        outcome.map(|outcome| Ran::from(&outcome)).map_err(|error| match error {
            RunError::Cancelled(cancelled) => cancelled.into(),
            error => SweepError::Run { run: in_run(), error: error.into() },
        })
    }

    /// Makes one search.
    fn search(
        &self,
        unit: &StudyRun,
        resolution: f64,
        progress: &dyn Progress,
    ) -> Result<SaturationFigures, SweepError> {
        let fabric = self.booted(unit)?;
        let schedule = self.schedule(unit, &fabric)?;
        let NetworkSubject { seed, settings, .. } = &unit.subject;
        let (pattern, placement) = (self.pattern(unit), &self.placements[unit.placement].rule);
        let seeds = &[*seed];
        let study = Study { fabric: &fabric, settings, pattern, placement, seeds, series: None };
        let quiet = Unreported(progress);
        let found = match &schedule {
            None => study.saturation(resolution, &quiet),
            Some(schedule) => study.saturation_with_faults(resolution, schedule, &quiet),
        };
        let found = found.map_err(|error| match error {
            StudyError::Run { error: RunError::Cancelled(cancelled), .. } => cancelled.into(),
            error => SweepError::Run { run: in_words(&unit.subject), error: error.into() },
        })?;
        let of_seed = found.seeds.first().expect("the study has one seed");
        let value = serde_json::to_value(of_seed).and_then(serde_json::from_value);
        Ok(value.expect("the figures of a search are plain values"))
    }
}

/// Why a line of rising loads is not there.
enum Missing {
    Theirs,
    Failed(SweepError),
}

/// A run, for an error.
fn in_words(subject: &NetworkSubject) -> String {
    let NetworkSubject { scheme, set, traffic, load, seed, .. } = subject;
    let load = load.map_or_else(|| "saturation".to_owned(), |load| format!("load {load}"));
    format!("{scheme}, {set}, {traffic}, {load}, seed {seed}")
}

/// Passes a cancellation on, but no steps: a search is one step of its study.
struct Unreported<'p>(&'p dyn Progress);

impl Progress for Unreported<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
