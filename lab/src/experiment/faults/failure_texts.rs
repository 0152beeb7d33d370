//! A failure as texts: a table for each quantity, pictures over time, and CSV.

use super::super::grid::Grid;
use super::super::stated::published_name;
use super::paths::Paths;
use super::results::{CAUSES, Cause, Failure, FailureLine};
use std::fmt::Write;
use tvlb_chart::{Axis, Ink, Mark, Plot, Series, file};
use tvlb_simulator::Estimate;

/// Accepted load counts as back when it is short by no more than this share.
const SHORT_BY: f64 = 0.01;
/// Over so many windows the accepted load is averaged for that: in one alone, chance is too large.
const STRETCH: usize = 2;

/// A stretch of time in which the same parts are dead.
struct Phase {
    /// What stands in a heading.
    name: &'static str,
    begin: u32,
    end: u32,
    /// Whether the switch is dead in it.
    without_switch: bool,
}

/// The phases after something has happened, in order.
fn phases(failure: &Failure) -> [Phase; 3] {
    let Failure { cable_dies, switch_dies, mended, end, .. } = *failure;
    let phase = |name, begin, end, without_switch| Phase { name, begin, end, without_switch };
    [
        phase("cable dead", cable_dies, switch_dies, false),
        phase("switch dead too", switch_dies, mended, true),
        phase("mended", mended, end, false),
    ]
}

impl Failure {
    /// The values of the windows that begin in these cycles.
    fn during<'v>(&self, values: &'v [f64], (begin, end): (u32, u32)) -> &'v [f64] {
        let place = |cycle: u32| (cycle.saturating_sub(self.first) / self.window) as usize;
        &values[place(begin).min(values.len())..place(end).min(values.len())]
    }

    /// The mean of the windows that begin in these cycles.
    fn mean(&self, values: &[f64], cycles: (u32, u32)) -> f64 {
        Estimate::of(self.during(values, cycles)).mean
    }

    fn accepted_before(&self, line: &FailureLine) -> f64 {
        self.mean(&line.windows.accepted, (self.first, self.cable_dies))
    }

    /// What is accepted once every switch has taken the image of a phase.
    fn accepted_in(&self, line: &FailureLine, phase: &Phase) -> f64 {
        self.mean(&line.windows.accepted, (phase.begin + self.delay[1], phase.end))
    }

    /// How many cycles after the beginning of a phase the last stretch ends in which the network accepts
    /// less than it accepted before, of the traffic whose ends live, by more than 1%. None if that is the
    /// last stretch of the phase.
    fn back_after(&self, line: &FailureLine, phase: &Phase) -> Option<u32> {
        let share = if phase.without_switch { line.live_share } else { 1.0 };
        let least = (1.0 - SHORT_BY) * share * self.accepted_before(line);
        let windows = self.during(&line.windows.accepted, (phase.begin, phase.end));
        let stretches = windows.chunks(STRETCH).map(|stretch| Estimate::of(stretch).mean);
        let stretches: Vec<f64> = stretches.collect();
        let short = stretches.iter().rposition(|&accepted| accepted < least);
        match short.map(|place| place + 1) {
            None => Some(0),
            Some(short) if short == stretches.len() => None,
            Some(short) => {
                let windows = u32::try_from(short * STRETCH).expect("a run has few windows");
                Some(windows * self.window)
            }
        }
    }

    /// The traffics and loads, each once, with their lines.
    fn pictured(&self) -> Vec<(&str, f64, Vec<&FailureLine>)> {
        let mut found: Vec<(&str, f64, Vec<&FailureLine>)> = Vec::new();
        for line in &self.lines {
            match found.last_mut() {
                Some((traffic, load, lines))
                    if *traffic == line.traffic && load.total_cmp(&line.load).is_eq() =>
                {
                    lines.push(line);
                }
                _ => found.push((&line.traffic, line.load, vec![line])),
            }
        }
        found
    }
}

fn name(line: &FailureLine) -> String {
    format!("{}, {}", published_name(&line.scheme, false), line.paths.heading())
}

fn back(cycles: Option<u32>) -> String {
    match cycles {
        None => "not in this time".to_owned(),
        Some(0) => "at once".to_owned(),
        Some(cycles) => format!("{cycles} cycles"),
    }
}

fn sum(values: &[f64]) -> f64 {
    values.iter().sum()
}

/// The table of a document: of each traffic the highest load.
pub(in crate::experiment) fn markdown(failure: &Failure) -> Vec<String> {
    let phases = phases(failure);
    let causes: Vec<Cause> = CAUSES
        .into_iter()
        .filter(|(.., of)| failure.lines.iter().any(|line| sum(of(&line.windows)) > 0.0))
        .collect();
    let mut headings = vec!["traffic, load", "line", "accepted", "back after"];
    headings.extend(causes.iter().map(|(name, ..)| *name));
    let mut grid = Grid::new(&headings);
    let most = |traffic: &str| {
        let of_traffic = failure.lines.iter().filter(|line| line.traffic == traffic);
        of_traffic.map(|line| line.load).fold(0.0, f64::max)
    };
    for line in failure.lines.iter().filter(|line| line.load >= most(&line.traffic)) {
        let mut cells = vec![format!("{}, {}", line.traffic, line.load), name(line)];
        let before = failure.accepted_before(line);
        let accepted = phases.iter().map(|phase| failure.accepted_in(line, phase));
        let accepted = std::iter::once(before).chain(accepted);
        cells.push(accepted.map(|part| format!("{part:.3}")).collect::<Vec<_>>().join(", "));
        let back = phases.iter().map(|phase| back(failure.back_after(line, phase)));
        cells.push(back.collect::<Vec<_>>().join(", "));
        cells.extend(causes.iter().map(|(.., of)| {
            let values = of(&line.windows);
            let in_phase = |phase: &Phase| sum(failure.during(values, (phase.begin, phase.end)));
            let each = phases.iter().map(|phase| format!("{:.0}", in_phase(phase)));
            each.collect::<Vec<_>>().join(" + ")
        }));
        grid.row(&cells);
    }
    let Failure { cable, switch, cable_dies, switch_dies, mended, delay, runs, .. } = failure;
    let course = format!(
        "`{cable}` dies at cycle {cable_dies} and `{switch}` at cycle {switch_dies}; from cycle {mended} on \
         nothing is dead. Each switch takes each fault image {} to {} cycles later. Means over {runs} \
         runs. Accepted: flits per node and cycle, of all nodes, before any fault, and once every switch has \
         the image of the cable, of the switch, and of the mending. Back: after how many cycles. The last \
         columns are packets lost per run in these three phases, by cause.\n",
        delay[0], delay[1]
    );
    vec![course, grid.text()]
}

/// Lines for the terminal.
pub(super) fn words(failure: &Failure) -> String {
    let mut text = String::new();
    for line in &failure.lines {
        let [cable, switch, mended] = phases(failure)
            .map(|phase| (failure.accepted_in(line, &phase), failure.back_after(line, &phase)));
        let sent: f64 = CAUSES[..4].iter().map(|(.., of)| sum(of(&line.windows))).sum();
        let _ = writeln!(
            text,
            "  {} at {}, {}: accepted {:.4}, {:.4} without the cable, {:.4} without the switch, {:.4} \
             mended; within 1% {}, {}, {}; {sent:.0} packets lost on the way",
            line.traffic,
            line.load,
            name(line),
            failure.accepted_before(line),
            cable.0,
            switch.0,
            mended.0,
            back(cable.1),
            back(switch.1),
            back(mended.1),
        );
    }
    text
}

/// A row for each window of each line.
pub(super) fn csv(failure: &Failure) -> String {
    let mut text = "traffic,load,scheme,paths,set,from,accepted,latency".to_owned();
    for (_, name, _) in CAUSES {
        let _ = write!(text, ",{name}");
    }
    text.push('\n');
    for line in &failure.lines {
        let FailureLine { traffic, load, scheme, paths, set, windows, .. } = line;
        let each = windows.accepted.iter().zip(&windows.latency).enumerate();
        for (place, (accepted, latency)) in each {
            let number = u32::try_from(place).expect("a run has few windows");
            let from = failure.first + number * failure.window;
            let _ = write!(
                text,
                "\"{traffic}\",{load},{scheme},{},\"{set}\",{from},{accepted},{latency}",
                paths.name()
            );
            for (.., of) in CAUSES {
                let _ = write!(text, ",{}", of(windows)[place]);
            }
            text.push('\n');
        }
    }
    text
}

/// For each traffic and load a picture of throughput, latency and all that is lost on the way, and one of
/// the losses by cause.
pub(super) fn pictures(failure: &Failure) -> Vec<(String, String)> {
    let mut pictures = Vec::new();
    let [p, a, h, g] = failure.dragonfly;
    for (traffic, load, lines) in failure.pictured() {
        let pattern = traffic.split('(').next().unwrap_or(traffic);
        let stem = format!("{pattern}-{load}");
        let heading = format!(
            "dfly({p},{a},{h},{g}), {traffic} at {load}: a cable dies, later a switch, then all is mended"
        );
        let values = |of: fn(&FailureLine) -> Vec<f64>| {
            lines.iter().map(|line| (*line, of(line))).collect::<Vec<_>>()
        };
        let on_the_way = |line: &FailureLine| -> Vec<f64> {
            let each = CAUSES[..4].iter().map(|(.., of)| of(&line.windows));
            let mut total = vec![0.0; line.windows.accepted.len()];
            for values in each {
                total.iter_mut().zip(values).for_each(|(total, value)| *total += value);
            }
            total
        };
        let plots = [
            plot(
                failure,
                "accepted (flits per node and cycle)",
                &values(|l| l.windows.accepted.clone()),
            ),
            plot(failure, "mean latency (cycles)", &values(|l| l.windows.latency.clone())),
            plot(failure, "packets lost on the way, per window", &values(on_the_way)),
        ];
        pictures.push((stem.clone(), file(&heading, &plots)));
        let causes =
            CAUSES.iter().filter(|(.., of)| lines.iter().any(|l| sum(of(&l.windows)) > 0.0));
        let plots: Vec<Plot> = causes
            .map(|(cause, _, of)| {
                let values = lines.iter().map(|line| (*line, of(&line.windows).clone()));
                plot(failure, &format!("lost per window: {cause}"), &values.collect::<Vec<_>>())
            })
            .collect();
        let heading = format!("{heading}; lost packets by cause");
        pictures.push((format!("{stem}-losses"), file(&heading, &plots)));
    }
    pictures
}

fn plot(failure: &Failure, what: &str, lines: &[(&FailureLine, Vec<f64>)]) -> Plot {
    let kilo = |cycle: u32| f64::from(cycle) / 1000.0;
    let all = || lines.iter().flat_map(|(_, values)| values.iter().copied());
    let most = all().fold(0.0, f64::max);
    // Where nothing comes near zero, a part of the axis shows more.
    let least = all().fold(f64::MAX, f64::min);
    let from = if least > 0.5 * most { (least * 18.0).floor() / 20.0 } else { 0.0 };
    let moment = |cycle: u32, name: &str, ink, hover: &str| {
        let mark = |y| Mark::new(kilo(cycle), y, hover);
        Series { name: name.to_owned(), ink, joined: true, marks: vec![mark(from), mark(most)] }
    };
    let mut series = Vec::new();
    let starts = phases(failure);
    for (number, phase) in starts.iter().enumerate() {
        let named = |name: &'static str| if number == 0 { name } else { "" };
        let happens = named("a cable dies, a switch dies, all is mended");
        series.push(moment(phase.begin, happens, Ink::Plain, phase.name));
        let images = named("every switch has the fault image of what happened last");
        let by = phase.begin + failure.delay[1];
        series.push(moment(by, images, Ink::Sixth, "every switch has the fault image"));
    }
    for (line, values) in lines {
        let ink = match (line.paths, line.scheme.as_str()) {
            (Paths::Conventional, "par") => Ink::Paper,
            (Paths::Conventional, _) => Ink::Conventional,
            (_, "par") => Ink::Fourth,
            _ => Ink::Ours,
        };
        let marks = (0_u32..).zip(values).map(|(number, &value)| {
            let begin = failure.first + number * failure.window;
            let middle = kilo(begin) + kilo(failure.window) / 2.0;
            let hover = format!("{}, from cycle {begin}: {value}", name(line));
            Mark::new(middle, value, hover)
        });
        series.push(Series { name: name(line), ink, joined: true, marks: marks.collect() });
    }
    let (first, end) = (kilo(failure.first), kilo(failure.end));
    Plot {
        title: what.to_owned(),
        x: Axis::new("thousands of cycles", first, end),
        y: Axis::new(what, from, most),
        level: None,
        series,
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::Windows;
    use super::*;

    /// Windows of 10 cycles from cycle 10; the cable dies at 30, the switch at 60, mended at 90, end 120.
    fn failure(accepted: [f64; 11], live_share: f64) -> Failure {
        let line = FailureLine {
            traffic: "shift(2,0)".to_owned(),
            load: 0.1,
            scheme: "par".to_owned(),
            paths: Paths::Chosen,
            set: "all".to_owned(),
            live_share,
            windows: Windows {
                accepted: accepted.into(),
                latency: vec![50.0; 11],
                on_dead_links: [0., 0., 4., 3., 0., 2., 0., 0., 0., 0., 0.].into(),
                without_live_port: vec![0.0; 11],
                in_dead_switches: vec![0.0; 11],
                astray: vec![0.0; 11],
                in_source_queues: vec![0.0; 11],
                refused_at_source: [0., 0., 0., 0., 0., 5., 5., 5., 0., 0., 0.].into(),
            },
        };
        Failure {
            dragonfly: [4, 8, 4, 9],
            cable: "cable (0,0):1".to_owned(),
            switch: "switch (4,3)".to_owned(),
            cable_dies: 30,
            switch_dies: 60,
            mended: 90,
            end: 120,
            delay: [0, 10],
            first: 10,
            window: 10,
            runs: 1,
            lines: vec![line],
        }
    }

    #[test]
    fn what_is_accepted_is_held_against_what_was() {
        // Three windows to a phase: a stretch of two, and one alone.
        let accepted = [0.1, 0.1, 0.08, 0.1, 0.1, 0.07, 0.09, 0.09, 0.1, 0.09, 0.09];
        let of = |share: f64| {
            let failure = failure(accepted, share);
            let line = &failure.lines[0];
            phases(&failure).map(|phase| failure.back_after(line, &phase))
        };
        // While the switch is dead less is offered; once all is mended, everything is again.
        assert_eq!(of(0.9), [Some(20), Some(20), None]);
        assert_eq!(of(1.0), [Some(20), None, None]);
        assert_eq!(of(0.5)[1], Some(0));
        let failure = failure(accepted, 0.9);
        let line = &failure.lines[0];
        let settled = phases(&failure).map(|phase| failure.accepted_in(line, &phase));
        assert!((settled[0] - 0.1).abs() < 1e-12 && (settled[1] - 0.09).abs() < 1e-12);
    }

    #[test]
    fn losses_are_told_by_phase_and_cause() {
        let failure = failure([0.1; 11], 0.9);
        let tables = markdown(&failure).join("\n");
        assert!(tables.contains("| on dead links | refused at the source |"), "{tables}");
        assert!(tables.contains("| 7 + 2 + 0 | 0 + 15 + 0 |"), "{tables}");
        assert!(words(&failure).contains("9 packets lost on the way"));
        assert_eq!(csv(&failure).lines().count(), 12);
        assert!(
            csv(&failure).contains("\"shift(2,0)\",0.1,par,chosen,\"all\",30,0.1,50,4,0,0,0,0,0\n")
        );
    }

    #[test]
    fn pictures_mark_what_happens() {
        let pictures = pictures(&failure([0.1; 11], 0.9));
        let names: Vec<&str> = pictures.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["shift-0.1", "shift-0.1-losses"]);
        for (_, svg) in &pictures {
            assert!(svg.contains("a cable dies, a switch dies, all is mended"));
            assert!(svg.contains("every switch has the fault image"));
        }
        assert!(pictures[1].1.contains("lost per window: refused at the source"));
    }
}
