//! Runs of cut-through switches that are watched window by window, along a course.

use super::{CutThroughs, PhitRun};
use crate::cut_through::Sending;
use crate::sweep::asked::Course;
use crate::sweep::course::{Window, steady_after, with_other_seeds};
use crate::sweep::error::SweepError;
use crate::sweep::measure::ResultStore;
use tvlb_base::progress::Progress;
use tvlb_base::row;
use tvlb_base::table::Cell;
use tvlb_traffic::Pattern;

impl CutThroughs {
    /// Refuses a course that switches of this kind cannot run.
    pub(super) fn check_course(
        course: &Course,
        traffic: &[(String, Pattern)],
        sendings: &[Sending],
    ) -> Result<(), SweepError> {
        let wrong =
            |fault: &str| SweepError::File { path: "course".into(), fault: fault.to_owned() };
        if !course.events.is_empty() {
            return Err(wrong(
                "found events with cut-through switches, accepted traffic that changes",
            ));
        }
        if !sendings.iter().all(|sending| matches!(sending, Sending::Load(_))) {
            return Err(wrong("found no loads, accepted `loads` beside it"));
        }
        traffic.iter().try_for_each(|(_, pattern)| course.phases(pattern).map(|_| ()))
    }

    /// The windows of a run from the beginning of a course to its end.
    fn watch(&self, case: &PhitRun, progress: &dyn Progress) -> Result<Vec<Window>, SweepError> {
        let course = self.course.as_ref().expect("runs are watched");
        let outcome = self.simulate(case, progress)?;
        let windows = outcome.series.map_or_else(Vec::new, |figures| figures.windows);
        let shown = windows.iter().filter(|window| window.from >= course.first);
        Ok(shown.map(Window::of).collect())
    }

    /// The lines of runs that differ in the seed alone, which stand with the last: a line for each window.
    pub(super) fn windows(
        &self,
        unit: usize,
        source: &ResultStore<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<Vec<Cell>>>, SweepError> {
        let case = &self.cases[unit];
        let make = || self.watch(case, progress);
        let Some(own): Option<Vec<Window>> = source.run(&self.subject(case), make)? else {
            return Ok(None);
        };
        let Some(runs) = with_other_seeds(own, unit, self.seeds, source, |other| {
            self.subject(&self.cases[other])
        })?
        else {
            return Ok(Some(Vec::new()));
        };
        let (course, windows) =
            (self.course.as_ref().expect("runs are watched"), Window::means(&runs));
        let (traffic, pattern) = &self.traffic[case.traffic];
        let Sending::Load(load) = case.sending else { return Ok(Some(Vec::new())) };
        let mut rows = Vec::new();
        for phase in course.phases(pattern)? {
            let of_phase = phase.windows(course, &windows);
            let latencies: Vec<f64> = of_phase.clone().map(|(_, window)| window.latency).collect();
            let steady = steady_after(&latencies, course.window.get());
            for (from, Window { accepted, latency, vlb_share, .. }) in of_phase {
                rows.push(row![
                    self.fabrics[case.fabric].fabric.file.name.as_str(),
                    self.lines[case.line].name.as_str(),
                    traffic.as_str(),
                    load,
                    phase.name.as_str(),
                    from,
                    steady.as_str(),
                    *accepted,
                    *latency,
                    *vlb_share
                ]);
            }
        }
        Ok(Some(rows))
    }
}
