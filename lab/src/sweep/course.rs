//! A run in which traffic changes, or parts die and are mended, observed window by window.

use super::asked::{Course, FaultEvent};
use super::error::SweepError;
use super::kind::{Kind, StudyTable, Unit, UnitRows};
use super::network::{NetworkRuns, NetworkSubject};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use tvlb_base::row;
use tvlb_base::table::Cell;
use tvlb_schema::{FaultSet, Nodes};
use tvlb_simulator::{
    BootedFabric, Estimate, FaultSchedule, Run, RunError, SeriesFigures, SeriesWindow, StopRule,
};
use tvlb_table_set::dead_parts;
use tvlb_traffic::{Pattern, Stretch, Traffic};

/// The name of the time before the first event.
const BEFORE: &str = "before";
/// Accepted load counts as back when it is short by no more than this share.
const SHORT_BY: f64 = 0.01;
/// The accepted load is averaged over this many windows for that: in a single one, chance has too much effect.
const STRETCH: usize = 2;
/// A latency within this share of the one that a phase ends with is as good as that.
const STEADY_WITHIN: f64 = 0.1;

/// The columns of a course, after the load: of which window, and its figures.
pub(super) const WINDOW: [&str; 3] = ["phase", "from", "settled"];
pub(super) const WINDOW_FIGURES: [&str; 11] = [
    "back-after",
    "steady-after",
    "accepted",
    "latency",
    "vlb-share",
    "on-dead-links",
    "without-live-port",
    "in-dead-switches",
    "astray",
    "in-source-queues",
    "refused-at-source",
];
/// Those of them that the terminal shows.
pub(super) const WINDOW_SHOWN: &[&str] = &["accepted", "latency", "vlb-share"];

/// Runs of a network at loads, each with the course of events.
pub(super) struct Courses {
    course: Course,
    /// By fabric, the dead parts after each event.
    dead: Vec<Vec<(u32, FaultSet)>>,
    /// How many consecutive seeds there are in the network's units.
    seeds: usize,
}

/// Figures of a window.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Window {
    accepted: f64,
    latency: f64,
    vlb_share: f64,
    losses: [f64; 6],
}

impl Window {
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    fn of(window: &SeriesWindow) -> Self {
        let lost = window.losses.unwrap_or_default();
        let losses = [
            lost.on_dead_links,
            lost.without_live_port,
            lost.in_dead_switches,
            lost.astray,
            lost.in_source_queues,
            lost.refused_at_source,
        ];
        Self {
            accepted: window.accepted,
            latency: window.latency.unwrap_or_default(),
            vlb_share: window.vlb_share.unwrap_or_default(),
            losses: losses.map(|count| count as f64),
        }
    }

    /// The windows of one run, each the mean of those of several.
    pub(super) fn means(runs: &[Vec<Self>]) -> Vec<Self> {
        let count = runs.iter().map(Vec::len).min().unwrap_or(0);
        let of_place = |place: usize| runs.iter().map(|run| &run[place]).collect::<Vec<_>>();
        (0..count).map(|place| Self::mean(&of_place(place))).collect()
    }

    fn mean(of: &[&Self]) -> Self {
        let mean = |value: &dyn Fn(&Self) -> f64| {
            Estimate::of(&of.iter().map(|window| value(window)).collect::<Vec<_>>()).mean
        };
        Self {
            accepted: mean(&|window| window.accepted),
            latency: mean(&|window| window.latency),
            vlb_share: mean(&|window| window.vlb_share),
            losses: std::array::from_fn(|cause| mean(&|window| window.losses[cause])),
        }
    }
}

/// Cycles of a course between two events or changes of traffic.
pub(super) struct CoursePhase {
    name: String,
    cycles: Range<u32>,
}

/// The rows of a course with these windows: one each, with the cells of [`WINDOW`] and [`WINDOW_FIGURES`]. After the
/// event of this number `live_share` is the share of packets whose source and destination are both left.
pub(super) fn course_rows(
    course: &Course,
    pattern: &Pattern,
    windows: &[Window],
    live_share: impl Fn(usize) -> Result<f64, SweepError>,
) -> Result<UnitRows, SweepError> {
    let cycles = course.window.get();
    let place = |cycle: u32| (((cycle - course.first) / cycles) as usize).min(windows.len());
    let mut rows = Vec::new();
    let mut before = None;
    for (number, phase) in course.phases(pattern)?.into_iter().enumerate() {
        let begin = phase.cycles.start;
        let of_phase = &windows[place(begin)..place(phase.cycles.end)];
        let accepted: Vec<f64> = of_phase.iter().map(|window| window.accepted).collect();
        let base = *before.get_or_insert(Estimate::of(&accepted).mean);
        let share = number.checked_sub(1).map_or(Ok(1.0), &live_share)?;
        let back = back_after(&accepted, (1.0 - SHORT_BY) * share * base, cycles);
        let latencies: Vec<f64> = of_phase.iter().map(|window| window.latency).collect();
        let steady = steady_after(&latencies, cycles);
        for (from, window) in (begin..).step_by(cycles as usize).zip(of_phase) {
            let mut row = row![
                phase.name.as_str(),
                from,
                number == 0 || from >= begin + course.delay[1],
                back.as_str(),
                steady.as_str(),
                window.accepted,
                window.latency,
                window.vlb_share
            ];
            row.extend(window.losses.map(Cell::from));
            rows.push(row);
        }
    }
    Ok(rows)
}

impl Course {
    /// The windows of a course, of all those of its run.
    pub(super) fn shown(&self, series: Option<SeriesFigures>) -> Vec<Window> {
        let windows = series.map_or_else(Vec::new, |figures| figures.windows);
        let shown = windows.iter().filter(|window| (self.first..self.end).contains(&window.from));
        shown.map(Window::of).collect()
    }

    /// The time before anything happens, and that after each event or change of traffic.
    ///
    /// Refuses events that are out of order or not at the ends of windows.
    pub(super) fn phases(&self, pattern: &Pattern) -> Result<Vec<CoursePhase>, SweepError> {
        let changes: &[Stretch<Pattern>] = match pattern {
            Pattern::Changing { then, .. } => then,
            _ => &[],
        };
        let wrong = |fault: String| SweepError::File { path: "course".into(), fault };
        if !changes.is_empty() && !self.events.is_empty() {
            let fault = "found events and traffic that changes, accepted one of them";
            return Err(wrong(fault.to_owned()));
        }
        let events = self.events.iter().map(|event| (event.phase.clone(), event.at));
        let changes = changes.iter().map(|part| (part.pattern.to_string(), part.from));
        let begin = std::iter::once((BEFORE.to_owned(), self.first));
        let named: Vec<(String, u32)> = begin.chain(events).chain(changes).collect();
        let times: Vec<u32> = named.iter().map(|(_, at)| *at).chain([self.end]).collect();
        let is_course = times.windows(2).all(|pair| pair[0] < pair[1])
            && self.first > 0
            && times.iter().all(|time| time.is_multiple_of(self.window.get()));
        if !is_course {
            return Err(wrong(format!(
                "found {times:?}, accepted `first` above 0, what happens, and `end`, which rise, in multiples of \
                 `window`"
            )));
        }
        let ends = times[1..].iter();
        let phase = |((name, begin), &end)| CoursePhase { name, cycles: begin..end };
        Ok(named.into_iter().zip(ends).map(phase).collect())
    }
}

impl Courses {
    /// The course of the runs of a network.
    ///
    /// # Errors
    /// It does not fit the fabrics or the traffic.
    pub(super) fn new(course: &Course, network: &NetworkRuns) -> Result<Self, SweepError> {
        let wrong = |fault: String| SweepError::File { path: "course".into(), fault };
        let mut dead = Vec::new();
        for named in &network.fabrics {
            let plan = named.plan();
            let read = |event: &FaultEvent| {
                let parts = dead_parts::parse(&event.dead, &plan, &named.fabric.names);
                let parts = parts.map_err(|error| wrong(format!("{}: {error}", event.phase)))?;
                Ok((event.at, parts))
            };
            dead.push(course.events.iter().map(read).collect::<Result<Vec<_>, SweepError>>()?);
        }
        for unit in &network.units {
            course.phases(network.pattern(unit))?;
        }
        let distinct = network.units.iter().take_while(|unit| {
            unit.subject.load == network.units[0].subject.load
                && unit.traffic == network.units[0].traffic
        });
        let seeds =
            distinct.map(|unit| unit.subject.seed).collect::<std::collections::BTreeSet<_>>();
        Ok(Self { course: course.clone(), seeds: seeds.len(), dead })
    }

    /// The windows of one run.
    fn simulate(&self, unit: Unit<'_, NetworkRuns>) -> Result<Vec<Window>, SweepError> {
        let (course, subject) = (&self.course, self.subject(unit));
        let (network, of_run) = (unit.units, unit.run());
        let failed = |error: RunError| match error {
            RunError::Cancelled(cancelled) => cancelled.into(),
            error => SweepError::Run { run: of_run.subject.traffic.clone(), error: error.into() },
        };
        let fabric: BootedFabric<'_> = network.booted(of_run)?;
        let load = subject.load.expect("a course has loads");
        let traffic = Traffic::new(network.pattern(of_run), fabric.nodes(), subject.seed)
            .map_err(|error| SweepError::Unfit { run: subject.traffic.clone(), error })?;
        let (settings, seed) = (&subject.settings, subject.seed);
        let [least, most] = course.delay;
        let dead = &self.dead[of_run.tables.fabric];
        let schedule = FaultSchedule::new(&fabric, dead, least..=most)?;
        let run = if dead.is_empty() {
            Run::new(&fabric, settings, &traffic, load, seed).map_err(RunError::Refused)
        } else {
            Run::with_faults(&fabric, settings, &traffic, load, seed, &schedule)
        };
        let mut run = run.map_err(failed)?;
        run.record_series(course.window);
        let outcome = run.measure(StopRule::FullWindow, unit.progress).map_err(failed)?;
        Ok(course.shown(outcome.series))
    }

    /// The share of a whole fabric's packets of which both the source and the destination are left.
    fn live_share(unit: Unit<'_, NetworkRuns>, dead: &FaultSet) -> Result<f64, SweepError> {
        let (network, of_run) = (unit.units, unit.run());
        let df = network.fabrics[of_run.tables.fabric].fabric.topology.dragonfly();
        let traffic = Traffic::new(network.pattern(of_run), df, of_run.subject.seed)
            .map_err(|error| SweepError::Unfit { run: of_run.subject.traffic.clone(), error })?;
        let left = Nodes::from(df).live(dead);
        let received = traffic.clone().sent_by_live(&left).received(df);
        let live: f64 = left.iter().map(|node| received[node.as_usize()]).sum();
        Ok(live / traffic.sent(df))
    }
}

impl Kind<NetworkRuns> for Courses {
    type Subject<'u> = NetworkSubject;
    type Found = Vec<Window>;

    fn subject(&self, unit: Unit<'_, NetworkRuns>) -> NetworkSubject {
        let mut subject = unit.run().subject.clone();
        subject.course =
            Some(serde_json::to_string(&self.course).expect("a course is plain values"));
        // All windows before the last one are warm-up to the simulator; the series has them all.
        subject.settings.window_cycles = self.course.first;
        subject.settings.warm_up_windows = self.course.end.div_ceil(self.course.first) - 1;
        subject
    }

    fn make(&self, unit: Unit<'_, NetworkRuns>) -> Result<Vec<Window>, SweepError> {
        self.simulate(unit)
    }

    fn seeds_together(&self, _units: &NetworkRuns) -> usize {
        self.seeds
    }

    fn rows(
        &self,
        unit: Unit<'_, NetworkRuns>,
        found: Vec<Vec<Window>>,
    ) -> Result<UnitRows, SweepError> {
        let (units, of_run) = (unit.units, unit.run());
        let (first, last) = (units.subject(of_run), units.last(of_run));
        let load = of_run.subject.load.expect("a course has loads");
        let share = |event: usize| {
            let dead = self.dead[of_run.tables.fabric].get(event);
            dead.map_or(Ok(1.0), |(_, dead)| Self::live_share(unit, dead))
        };
        let pattern = units.pattern(of_run);
        let rows = course_rows(&self.course, pattern, &Window::means(&found), share)?;
        let row = |own: Vec<Cell>| [&first[..], &row![load], &own, &last].concat();
        Ok(rows.into_iter().map(row).collect())
    }

    fn table(&self, units: &NetworkRuns) -> StudyTable {
        let own = ["load"].into_iter().chain(WINDOW).chain(WINDOW_FIGURES);
        StudyTable {
            shown: WINDOW_SHOWN,
            ..StudyTable::figures(
                units.columns_with(own),
                WINDOW_FIGURES.to_vec(),
                "accepted over from in flits",
            )
        }
    }
}

/// How many cycles after the beginning of a phase the last stretch ends in which less than this is accepted. There is
/// no number if that lasts to the end of the phase.
fn back_after(accepted: &[f64], least: f64, window: u32) -> String {
    after(accepted, window, 0, |accepted| accepted < least)
}

/// How many cycles after the beginning of a phase the last stretch ends whose mean latency is not within a tenth of
/// that of the phase's last quarter. There is no number if that lasts into the second half of the phase.
fn steady_after(latencies: &[f64], window: u32) -> String {
    let quarter = (latencies.len() / 4).max(1).min(latencies.len());
    let steady = Estimate::of(&latencies[latencies.len() - quarter..]).mean;
    after(latencies, window, latencies.len() / 2, |latency| {
        (latency - steady).abs() > STEADY_WITHIN * steady
    })
}

/// How many cycles after the beginning of a phase the last stretch ends of which something is so: no number if that
/// is among the last windows, or the last.
fn after(values: &[f64], window: u32, last: usize, is_so: impl Fn(f64) -> bool) -> String {
    let stretches = values.chunks(STRETCH).map(|stretch| Estimate::of(stretch).mean);
    let stretches: Vec<f64> = stretches.collect();
    let end = |place: usize| ((place + 1) * STRETCH).min(values.len());
    match stretches.iter().rposition(|&value| is_so(value)).map(end) {
        None => "0".to_owned(),
        Some(end) if end == values.len() || end + last > values.len() => "later".to_owned(),
        Some(end) => (end * window as usize).to_string(),
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

    #[test]
    fn a_latency_is_steady_after_the_last_stretch_that_is_not_as_at_the_end() {
        let rising = [90.0, 70.0, 60.0, 52.0, 51.0, 50.0, 50.0, 50.0];
        assert_eq!(steady_after(&rising, 10), "40");
        assert_eq!(steady_after(&[50.0; 8], 10), "0");
        assert_eq!(steady_after(&[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0], 10), "later");
    }
}
