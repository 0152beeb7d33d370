//! The measurements of runs of cut-through switches: figures, the load at which they saturate, or windows along a
//! course.

use super::figures::{FIGURES, SHOWN, columns_with, figures, first_cells, last_cells};
use super::{PhitRun, PhitRuns, PhitSubject};
use crate::cut_through::{CutThroughSaturation, Sending, saturation};
use crate::sweep::asked::Course;
use crate::sweep::course::{WINDOW, WINDOW_FIGURES, WINDOW_SHOWN, Window, course_rows};
use crate::sweep::error::SweepError;
use crate::sweep::fabrics::NamedFabric;
use crate::sweep::file::{File, Quantity};
use crate::sweep::kind::{Kind, Measure, StudyTable, Unit, UnitRows};
use crate::sweep::store::KeptRow;
use std::fmt::Display;
use std::path::Path;
use tvlb_base::row;
use tvlb_base::table::Cell;

/// The runs of a study of cut-through switches, and the measured quantity.
///
/// # Errors
/// The first thing that is not accepted.
pub(in super::super) fn cut_through(
    file: &File,
    fabrics: (Vec<NamedFabric>, &Path),
    wrong: &dyn Fn(&dyn Display) -> SweepError,
) -> Result<Box<dyn Measure>, SweepError> {
    let (sendings, resolution) = sendings(file).map_err(|error| wrong(&error))?;
    if let Some(course) = &file.course {
        if resolution.is_some() {
            return Err(wrong(&"found `course` and `[saturation]`, accepted one of them"));
        }
        check(course, &sendings).map_err(|error| wrong(&error))?;
    }
    let runs = PhitRuns::new(file, fabrics, &sendings, wrong)?;
    if let Some(course) = &file.course {
        for run in &runs.runs {
            course.phases(&runs.pattern(run).rule).map_err(|error| wrong(&error))?;
        }
        return Ok(Box::new((runs, Watched(course.clone()))));
    }
    Ok(match resolution {
        Some(resolution) => Box::new((runs, PhitSearches(resolution))),
        None => Box::new((runs, Sent)),
    })
}

/// What nodes send, run by run, and the resolution of a search for the load of saturation.
fn sendings(file: &File) -> Result<(Vec<Sending>, Option<f64>), String> {
    let ends_by_itself = file.burst.is_some() || file.all_to_all;
    if ends_by_itself && file.has_loads() {
        return Err("found loads and `burst` or `all-to-all`, accepted one of them".to_owned());
    }
    match (file.burst, file.all_to_all) {
        (Some(packets), false) => Ok((vec![Sending::Burst(packets)], None)),
        (None, true) => Ok((vec![Sending::AllToAll], None)),
        (None, false) => match file.measured()? {
            Quantity::Loads(loads) => Ok((loads.into_iter().map(Sending::Load).collect(), None)),
            Quantity::Saturation(found) => Ok((vec![Sending::Load(found)], Some(found))),
            Quantity::Curve(_) => {
                let accepted = "`loads`, `[saturation]`, `burst` or `all-to-all`";
                Err(format!("cut-through: found `curve`, accepted {accepted}"))
            }
        },
        _ => Err("found `burst` and `all-to-all`, accepted one of them".to_owned()),
    }
}

/// Refuses a course that switches of this kind cannot run.
fn check(course: &Course, sendings: &[Sending]) -> Result<(), String> {
    if !course.events.is_empty() {
        return Err(
            "course: found events with cut-through switches, accepted traffic that changes"
                .to_owned(),
        );
    }
    if sendings.iter().all(|sending| matches!(sending, Sending::Load(_))) {
        return Ok(());
    }
    Err("course: found no loads, accepted `loads` beside it".to_owned())
}

impl<'u> Unit<'u, PhitRuns> {
    pub(super) fn run(self) -> &'u PhitRun {
        &self.units.runs[self.place]
    }
}

/// The figures of runs.
struct Sent;

impl Kind<PhitRuns> for Sent {
    type Subject<'u> = PhitSubject<'u>;
    type Found = KeptRow;

    fn subject<'u>(&self, unit: Unit<'u, PhitRuns>) -> PhitSubject<'u> {
        unit.units.subject(unit.place)
    }

    fn make(&self, unit: Unit<'_, PhitRuns>) -> Result<KeptRow, SweepError> {
        let topology = &unit.units.fabrics[unit.run().fabric].fabric.topology;
        let outcome = unit.units.simulate(unit.place, None, unit.progress)?;
        Ok(KeptRow::of(&figures(&outcome, topology)))
    }

    fn rows(&self, unit: Unit<'_, PhitRuns>, found: Vec<KeptRow>) -> Result<UnitRows, SweepError> {
        let (first, last) = (first_cells(unit), last_cells(unit));
        let run = unit.run();
        let row = |kept: KeptRow| {
            let figures = kept.cells(FIGURES.len())?;
            Ok([&first[..], &row![load(run.sending), run.seed], &figures, &last].concat())
        };
        found.into_iter().map(row).collect()
    }

    fn table(&self, _units: &PhitRuns) -> StudyTable {
        let own = ["load", "seed"].into_iter().chain(FIGURES);
        StudyTable {
            shown: SHOWN,
            ..StudyTable::figures(columns_with(own), FIGURES.to_vec(), "latency over load in phits")
        }
    }
}

/// The offered load; `None` for a run that ends by itself.
const fn load(sending: Sending) -> Option<f64> {
    match sending {
        Sending::Load(load) => Some(load),
        Sending::Burst(_) | Sending::AllToAll => None,
    }
}

/// Searches for the load of saturation with this resolution.
struct PhitSearches(f64);

impl Kind<PhitRuns> for PhitSearches {
    type Subject<'u> = (PhitSubject<'u>, f64);
    type Found = CutThroughSaturation;

    fn subject<'u>(&self, unit: Unit<'u, PhitRuns>) -> Self::Subject<'u> {
        (unit.units.subject(unit.place), self.0)
    }

    fn make(&self, unit: Unit<'_, PhitRuns>) -> Result<CutThroughSaturation, SweepError> {
        unit.units.with_network(unit.place, |fabric, run, traffic| {
            saturation(fabric, &run.settings, (traffic, run.seed), self.0, unit.progress)
        })
    }

    fn rows(
        &self,
        unit: Unit<'_, PhitRuns>,
        found: Vec<CutThroughSaturation>,
    ) -> Result<UnitRows, SweepError> {
        let (first, last) = (first_cells(unit), last_cells(unit));
        let row = |CutThroughSaturation { by_acceptance, accepted_beyond }| {
            let own = row![unit.run().seed, "acceptance", by_acceptance, accepted_beyond, self.0];
            [&first[..], &own, &last].concat()
        };
        Ok(found.into_iter().map(row).collect())
    }

    fn table(&self, _units: &PhitRuns) -> StudyTable {
        let own = ["seed", "criterion", "saturation", "accepted-beyond", "resolution"];
        StudyTable::figures(
            columns_with(own.into_iter()),
            own[2..4].to_vec(),
            "saturation in phits",
        )
    }
}

/// Runs that are watched window by window along a course.
struct Watched(Course);

impl Kind<PhitRuns> for Watched {
    type Subject<'u> = (PhitSubject<'u>, &'u Course);
    type Found = Vec<Window>;

    fn subject<'u>(&'u self, unit: Unit<'u, PhitRuns>) -> Self::Subject<'u> {
        (unit.units.subject(unit.place), &self.0)
    }

    fn make(&self, unit: Unit<'_, PhitRuns>) -> Result<Vec<Window>, SweepError> {
        let outcome = unit.units.simulate(unit.place, Some(self.0.window), unit.progress)?;
        Ok(self.0.shown(outcome.series))
    }

    fn seeds_together(&self, units: &PhitRuns) -> usize {
        units.seeds
    }

    fn rows(
        &self,
        unit: Unit<'_, PhitRuns>,
        found: Vec<Vec<Window>>,
    ) -> Result<UnitRows, SweepError> {
        let run = unit.run();
        let (first, last) = (first_cells(unit), last_cells(unit));
        let nothing_dies = |_| Ok(1.0);
        let pattern = &unit.units.pattern(run).rule;
        let rows = course_rows(&self.0, pattern, &Window::means(&found), nothing_dies)?;
        let row = |own: Vec<Cell>| [&first[..], &row![load(run.sending)], &own, &last].concat();
        Ok(rows.into_iter().map(row).collect())
    }

    fn table(&self, _units: &PhitRuns) -> StudyTable {
        let own = ["load"].into_iter().chain(WINDOW).chain(WINDOW_FIGURES);
        StudyTable {
            shown: WINDOW_SHOWN,
            ..StudyTable::figures(
                columns_with(own),
                WINDOW_FIGURES.to_vec(),
                "accepted over from in phits",
            )
        }
    }
}
