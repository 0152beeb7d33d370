//! Making the runs of a network: booting its switches from their images, and measuring.

use super::super::asked::Curve;
use super::super::error::SweepError;
use super::super::means::{Means, means};
use super::super::measure::{Measure, ResultStore};
use super::super::rows::Rows;
use super::figures::{Ran, SaturationFigures};
use super::{ImageKey, NetworkRuns, NetworkSubject, Quantity, StudyRun};
use std::collections::BTreeMap;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_base::table::Cell;
use tvlb_generator::faults::update;
use tvlb_generator::image::Images;
use tvlb_schema::{FabricImage, FaultSet, Nodes, SwitchImage};
use tvlb_simulator::{
    BootedFabric, FaultSchedule, Probing, Run, RunError, StarvedLink, StopRule, Study, StudyError,
    last_good,
};
use tvlb_traffic::{Pattern, Traffic};

/// A load of 1 in the steps of a line of rising loads.
const STEPS: u32 = 10_000;

impl Measure for NetworkRuns {
    fn units(&self) -> usize {
        self.units.len()
    }

    /// Makes the images of every fabric and set that is to be run, with those that switches have where parts
    /// are dead.
    fn prepare(&mut self, units: &[usize], progress: &dyn Progress) -> Result<(), SweepError> {
        for &unit in units {
            let tables = self.units[unit].tables;
            if !self.images.contains_key(&tables) {
                let images = self.made(tables, progress)?;
                self.images.insert(tables, images);
            }
        }
        Ok(())
    }

    fn is_kept(&self, unit: usize, source: &ResultStore<'_>) -> Result<bool, SweepError> {
        let unit = &self.units[unit];
        match self.measured {
            Quantity::Curve(curve) => Ok(self.line(unit, curve, source, &())?.is_some()),
            _ => Ok(source.contains(&unit.subject)),
        }
    }

    fn rows(
        &self,
        unit: usize,
        source: &ResultStore<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<Vec<Cell>>>, SweepError> {
        let unit = &self.units[unit];
        match self.measured {
            Quantity::Curve(curve) => self.line(unit, curve, source, progress),
            Quantity::Loads(_) => {
                let load = unit.subject.load.expect("what is no search has a load");
                let make = || self.simulate(unit, &unit.subject, progress);
                let ran: Option<Ran> = source.run(&unit.subject, make)?;
                Ok(ran.map(|ran| self.run_rows(unit, load, &ran)))
            }
            Quantity::Saturation(resolution) => {
                let make = || self.search(unit, resolution, progress);
                let found: Option<SaturationFigures> = source.run(&unit.subject, make)?;
                Ok(found.map(|found| self.search_rows(unit, resolution, &found)))
            }
        }
    }

    fn columns(&self) -> Vec<&'static str> {
        match self.measured {
            Quantity::Saturation(_) => self.search_columns(),
            _ => self.run_columns(),
        }
    }

    fn drawn(&self) -> &'static str {
        match self.measured {
            Quantity::Saturation(_) => "saturation in flits",
            _ => "latency over load in flits",
        }
    }

    fn names(&self) -> [&'static str; 2] {
        match self.measured {
            Quantity::Saturation(_) => ["saturation.csv", "saturation-summary.csv"],
            _ => ["runs.csv", "summary.csv"],
        }
    }

    fn summary(&self, rows: &Rows) -> Option<Rows> {
        let first = self.first_columns();
        let told = match self.measured {
            Quantity::Saturation(resolution) => Means {
                first: [&first[..], &["criterion"]].concat(),
                counted: &[],
                figures: &[("saturation", true), ("accepted-beyond", true)],
                step: Some(resolution),
                then: &["resolution"],
            },
            _ => Means {
                first: [&first[..], &["load", "population"]].concat(),
                counted: &["saturated", "growing"],
                figures: &[
                    ("latency", true),
                    ("p99", true),
                    ("accepted", true),
                    ("hops", false),
                    ("vlb-share", false),
                ],
                step: None,
                then: &[],
            },
        };
        Some(means(rows, &told))
    }

    fn starved_links(&self) -> Vec<StarvedLink> {
        Self::starved_links(self)
    }

    fn pictured(&self) -> Option<(usize, Option<usize>)> {
        let lines = (!matches!(self.measured, Quantity::Saturation(_))).then_some(self.lines);
        Some((self.traffic.first().map_or(0, Vec::len), lines))
    }
}

impl NetworkRuns {
    fn made(&self, tables: ImageKey, progress: &dyn Progress) -> Result<Images, SweepError> {
        let named = &self.fabrics[tables.fabric];
        let policies = self.sets[tables.set].policies(&named.fabric, progress)?;
        let mut images = named.images(&policies, tables.vc_scheme, progress)?;
        let dead = self.dead[tables.dead].of(tables.fabric, tables.seed, &named.fabric);
        if let Some(faults) = dead {
            install(&mut images, &faults, progress)?;
        }
        Ok(images)
    }

    /// The rows of a line of rising loads until it saturates, then of loads between the last two; none where a
    /// run of it is not there, or is another process's.
    fn line(
        &self,
        unit: &StudyRun,
        Curve { lowest, coarse, fine }: Curve,
        source: &ResultStore<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<Vec<Cell>>>, SweepError> {
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
            let load = f64::from(step) / f64::from(STEPS);
            let subject = NetworkSubject { load: Some(load), ..unit.subject.clone() };
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
            Ok(_) => {}
            Err(Missing::Theirs) => return Ok(None),
            Err(Missing::Failed(error)) => return Err(error),
        }
        let rows = known.into_iter().map(|(step, outcome)| {
            self.run_rows(unit, f64::from(step) / f64::from(STEPS), &outcome)
        });
        Ok(Some(rows.flatten().collect()))
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
        let images = &self.images[&unit.tables];
        Ok(BootedFabric::boot(&images.fabric, &images.switches)?)
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

/// Puts the images that change where parts are dead in the place of those of the plan.
fn install(
    images: &mut Images,
    faults: &FaultSet,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let decoded = "the image stage decodes what it writes";
    let fabric = FabricImage::decode(&images.fabric).expect(decoded);
    let switches: Vec<SwitchImage<'_>> = images
        .switches
        .iter()
        .map(|bytes| SwitchImage::decode(bytes, &fabric).expect(decoded))
        .collect();
    let numbers: Vec<_> = switches.iter().map(SwitchImage::switch).collect();
    let changed =
        update((&fabric, &Nodes::from(fabric.dragonfly())), &switches, (1, faults), progress)?
            .switches;
    for (switch, bytes) in changed {
        let position = numbers.iter().position(|&number| number == switch);
        images.switches[position.expect("an update is of the fabric's switches")] = bytes;
    }
    Ok(())
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
