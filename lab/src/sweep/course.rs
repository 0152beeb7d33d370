//! A run in the course of which parts die and are mended, watched window by window.

use super::asked::{Course, Event};
use super::error::SweepError;
use super::measure::{Measure, Source};
use super::network::{Network, Subject};
use serde::{Deserialize, Serialize};
use tvlb_base::progress::Progress;
use tvlb_base::row;
use tvlb_base::table::Cell;
use tvlb_generator::image::fabric_image;
use tvlb_schema::{FabricImage, FaultSet, Nodes};
use tvlb_simulator::{
    BootedFabric, Estimate, FaultSchedule, Run, RunError, SeriesWindow, StarvedLink, StopRule,
};
use tvlb_table_set::dead_parts;
use tvlb_traffic::Traffic;

/// The name of the time before the first event.
const BEFORE: &str = "before";
/// Accepted load counts as back when it is short by no more than this share.
const SHORT_BY: f64 = 0.01;
/// Over so many windows the accepted load is averaged for that: in one alone, chance is too large.
const STRETCH: usize = 2;

/// The runs of a study at loads, each with the course of events.
pub(super) struct Courses {
    course: Course,
    network: Network,
    /// By fabric, what is dead after each event.
    dead: Vec<Vec<(u32, FaultSet)>>,
    /// How many seeds stand one after the other in the network's units.
    seeds: usize,
}

/// Figures of a window.
#[derive(Clone, Serialize, Deserialize)]
struct Window {
    accepted: f64,
    latency: f64,
    losses: [f64; 6],
}

impl Window {
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    fn of(window: &SeriesWindow) -> Self {
        let lost = &window.losses;
        let losses = [
            lost.on_dead_links,
            lost.without_live_port,
            lost.in_dead_switches,
            lost.astray,
            lost.in_source_queues,
            lost.refused_at_source,
        ];
        let latency = window.latency.unwrap_or_default();
        Self { accepted: window.accepted, latency, losses: losses.map(|count| count as f64) }
    }

    /// The means of the same window in several runs.
    fn mean(of: &[&Self]) -> Self {
        let mean = |value: &dyn Fn(&Self) -> f64| {
            Estimate::of(&of.iter().map(|window| value(window)).collect::<Vec<_>>()).mean
        };
        Self {
            accepted: mean(&|window| window.accepted),
            latency: mean(&|window| window.latency),
            losses: std::array::from_fn(|cause| mean(&|window| window.losses[cause])),
        }
    }
}

impl Courses {
    pub(super) fn new(course: &Course, network: Network) -> Result<Self, SweepError> {
        let wrong = |fault: String| SweepError::File { path: "course".into(), fault };
        let mut dead = Vec::new();
        for named in &network.fabrics {
            let bytes = fabric_image(&named.fabric.topology);
            let plan = FabricImage::decode(&bytes).expect("the encoder decodes what it wrote");
            let read = |event: &Event| {
                let parts = dead_parts::parse(&event.dead, &plan, &named.fabric.names);
                let parts = parts.map_err(|error| wrong(format!("{}: {error}", event.phase)))?;
                Ok((event.at, parts))
            };
            dead.push(course.events.iter().map(read).collect::<Result<Vec<_>, SweepError>>()?);
        }
        let window = course.window.get();
        let mut times = course.events.iter().map(|event| event.at).collect::<Vec<_>>();
        times.splice(0..0, [course.first]);
        times.push(course.end);
        let is_course = times.windows(2).all(|pair| pair[0] < pair[1])
            && times.iter().all(|time| time.is_multiple_of(window));
        if !is_course {
            return Err(wrong(format!(
                "found {times:?}, accepted `first`, events and `end` that rise, in multiples of `window`"
            )));
        }
        let distinct = network.units.iter().take_while(|unit| {
            unit.subject.load == network.units[0].subject.load
                && unit.traffic == network.units[0].traffic
        });
        let seeds =
            distinct.map(|unit| unit.subject.seed).collect::<std::collections::BTreeSet<_>>();
        Ok(Self { course: course.clone(), seeds: seeds.len(), dead, network })
    }

    fn subject(&self, unit: usize) -> Subject {
        let mut subject = self.network.units[unit].subject.clone();
        subject.course =
            Some(serde_json::to_string(&self.course).expect("a course is plain values"));
        // All windows before the last one are warm-up to the simulator; the series has them all.
        subject.settings.window_cycles = self.course.first;
        subject.settings.warm_up_windows = self.course.end.div_ceil(self.course.first) - 1;
        subject
    }

    /// The windows of one run.
    fn simulate(&self, unit: usize, progress: &dyn Progress) -> Result<Vec<Window>, SweepError> {
        let (network, course, subject) = (&self.network, &self.course, self.subject(unit));
        let of_run = &network.units[unit];
        let failed = |error: RunError| match error {
            RunError::Cancelled(cancelled) => cancelled.into(),
            error => SweepError::Run { run: of_run.subject.traffic.clone(), error: error.into() },
        };
        let fabric: BootedFabric<'_> = network.booted(of_run)?;
        let [least, most] = course.delay;
        let schedule = FaultSchedule::new(&fabric, &self.dead[of_run.tables.fabric], least..=most)?;
        let load = subject.load.expect("a course has loads");
        let traffic = Traffic::new(network.pattern(of_run), fabric.nodes(), subject.seed)
            .map_err(|error| SweepError::Unfit { run: subject.traffic.clone(), error })?;
        let mut run =
            Run::with_faults(&fabric, &subject.settings, &traffic, load, subject.seed, &schedule)
                .map_err(failed)?;
        run.record_series(course.window);
        let outcome = run.measure(StopRule::FullWindow, progress).map_err(failed)?;
        let series = outcome.faults.map_or_else(Vec::new, |figures| figures.series);
        let shown =
            series.iter().filter(|window| (course.first..course.end).contains(&window.from));
        Ok(shown.map(Window::of).collect())
    }

    /// The lines of runs that differ in the seed alone: a line for each window.
    fn windows(&self, unit: usize, windows: &[Window]) -> Result<Vec<Vec<Cell>>, SweepError> {
        let (network, course) = (&self.network, &self.course);
        let of_run = &network.units[unit];
        let (subject, last) = (network.subject(of_run), network.last(of_run));
        let load = of_run.subject.load.expect("a course has loads");
        let mut rows = Vec::new();
        let mut begin = course.first;
        let mut before = None;
        let names =
            std::iter::once(BEFORE).chain(course.events.iter().map(|event| event.phase.as_str()));
        let ends = course.events.iter().map(|event| event.at).chain([course.end]);
        for (number, (phase, end)) in names.zip(ends).enumerate() {
            let place = |cycle: u32| ((cycle - course.first) / course.window) as usize;
            let of_phase = &windows[place(begin).min(windows.len())..place(end).min(windows.len())];
            let accepted: Vec<f64> = of_phase.iter().map(|window| window.accepted).collect();
            let base = *before.get_or_insert(Estimate::of(&accepted).mean);
            let dead = number.checked_sub(1).map(|event| &self.dead[of_run.tables.fabric][event].1);
            let share = dead.map_or(Ok(1.0), |dead| self.live_share(unit, dead))?;
            let back = back_after(&accepted, (1.0 - SHORT_BY) * share * base, course.window.get());
            for (from, window) in (begin..).step_by(course.window.get() as usize).zip(of_phase) {
                let settled = number == 0 || from >= begin + course.delay[1];
                let course = row![
                    load,
                    phase,
                    from,
                    settled,
                    back.as_str(),
                    window.accepted,
                    window.latency
                ];
                let losses = window.losses.map(Cell::from);
                rows.push([&subject[..], &course, &losses, &last].concat());
            }
            begin = end;
        }
        Ok(rows)
    }

    /// The share of a whole fabric's packets of which both the source and the destination are left.
    fn live_share(&self, unit: usize, dead: &FaultSet) -> Result<f64, SweepError> {
        let of_run = &self.network.units[unit];
        let df = self.network.fabrics[of_run.tables.fabric].fabric.topology.dragonfly();
        let traffic = Traffic::new(self.network.pattern(of_run), df, of_run.subject.seed)
            .map_err(|error| SweepError::Unfit { run: of_run.subject.traffic.clone(), error })?;
        let left = Nodes::from(df).live(dead);
        let share = |live: usize, all: usize| {
            let real = |count| f64::from(u32::try_from(count).expect("at most as many as nodes"));
            real(live) / real(all)
        };
        Ok(match traffic.map() {
            Some(map) => {
                let pairs: Vec<_> = map.collect();
                let lives = |&&(from, to): &&(_, _)| left.has(from) && left.has(to);
                share(pairs.iter().filter(lives).count(), pairs.len())
            }
            // Destinations are drawn from all nodes.
            None => share(left.iter().count(), df.nodes().count()).powi(2),
        })
    }
}

/// How many cycles after the beginning of a phase the last stretch ends in which less than this is accepted. What
/// lasts to the end of the phase is no number.
fn back_after(accepted: &[f64], least: f64, window: u32) -> String {
    let stretches: Vec<f64> =
        accepted.chunks(STRETCH).map(|stretch| Estimate::of(stretch).mean).collect();
    match stretches.iter().rposition(|&accepted| accepted < least) {
        None => "0".to_owned(),
        Some(place) if place + 1 == stretches.len() => "later".to_owned(),
        Some(place) => ((place + 1) * STRETCH * window as usize).to_string(),
    }
}

impl Measure for Courses {
    fn units(&self) -> usize {
        self.network.units.len()
    }

    fn prepare(&mut self, units: &[usize], progress: &dyn Progress) -> Result<(), SweepError> {
        self.network.prepare(units, progress)
    }

    fn is_kept(&self, unit: usize, source: &Source<'_>) -> Result<bool, SweepError> {
        Ok(source.contains(&self.subject(unit)))
    }

    /// The lines of runs that differ in the seed alone stand with the last.
    fn rows(
        &self,
        unit: usize,
        source: &Source<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<Vec<Cell>>>, SweepError> {
        let make = || self.simulate(unit, progress);
        let Some(own): Option<Vec<Window>> = source.run(&self.subject(unit), make)? else {
            return Ok(None);
        };
        if !(unit + 1).is_multiple_of(self.seeds) || !source.is_collecting() {
            return Ok(Some(Vec::new()));
        }
        let mut runs = vec![own];
        for other in unit + 1 - self.seeds..unit {
            match source.kept(&self.subject(other))? {
                Some(found) => runs.push(found),
                None => return Ok(Some(Vec::new())),
            }
        }
        let count = runs.iter().map(Vec::len).min().unwrap_or(0);
        let mean =
            |place: usize| Window::mean(&runs.iter().map(|run| &run[place]).collect::<Vec<_>>());
        self.windows(unit, &(0..count).map(mean).collect::<Vec<_>>()).map(Some)
    }

    fn columns(&self) -> Vec<&'static str> {
        let own = "load,phase,from,settled,back-after,accepted,latency,on-dead-links,without-live-port,\
                   in-dead-switches,astray,in-source-queues,refused-at-source";
        self.network.columns_with(own.split(','))
    }

    fn starved_links(&self) -> Vec<StarvedLink> {
        self.network.starved_links()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_accepted_is_back_after_the_last_stretch_that_is_short() {
        // Three windows: a stretch of two, and one alone.
        assert_eq!(back_after(&[0.08, 0.1, 0.1], 0.099, 10), "20");
        assert_eq!(back_after(&[0.1, 0.1, 0.1], 0.099, 10), "0");
        assert_eq!(back_after(&[0.1, 0.1, 0.09], 0.099, 10), "later");
    }
}
