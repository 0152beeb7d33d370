//! What an experiment on cut-through switches found, as CSV, as lines for the terminal, as tables and as pictures.

use super::super::catalogue::Experiment;
use super::super::grid::Grid;
use super::results::{PerHop, PerHopRun};
use std::fmt::Write;
use tvlb_chart::{Axis, Ink, Mark, Plot, Series};

pub(in super::super) fn csv(found: &PerHop) -> String {
    let mut text = "line,traffic,load,cycles,latency,p50,p99,accepted,vlb-share,local-hops,global-hops,\
                    escape-hops,hops-of-all-but-a-thousandth,hops-of-all-but-a-ten-thousandth,most-hops,\
                    most-entries,injected,injected-in-root-group\n"
        .to_owned();
    for run in &found.runs {
        let [local, global] = run.hops;
        let [thousandth, ten_thousandth, most] = run.most_hops;
        let [injected, root] = run.injected;
        let load = run.load.map_or_else(String::new, |load| load.to_string());
        let _ = writeln!(
            text,
            "\"{}\",{},{load},{},{:.2},{},{},{:.5},{:.4},{local:.4},{global:.4},{:.4},{thousandth},\
             {ten_thousandth},{most},{},{injected:.5},{root:.5}",
            run.line,
            run.traffic,
            run.cycles,
            run.latency,
            run.p50,
            run.p99,
            run.accepted,
            run.vlb_share,
            run.escape_hops,
            run.most_entries,
        );
    }
    text
}

/// Each line's last run under each traffic.
pub(in super::super) fn words(found: &PerHop) -> String {
    let mut text = format!("  {}, {}\n", found.name(), found.arrangement);
    for runs in found.lines() {
        for of_traffic in runs.chunk_by(|one, other| one.traffic == other.traffic) {
            let Some(run) = of_traffic.last() else { continue };
            let PerHopRun { line, traffic, accepted, cycles, .. } = run;
            let _ = match run.load {
                Some(load) => {
                    writeln!(text, "  {line}, {traffic}: accepts {accepted:.4} at {load}")
                }
                None => writeln!(text, "  {line}, {traffic}: takes {cycles} cycles"),
            };
        }
    }
    text
}

/// The loads that the tables show; pictures and CSV have all.
const SHOWN: [f64; 4] = [0.1, 0.2, 0.6, 1.0];

/// Tables in Markdown: a row for each line, columns for the traffics and loads of all experiments on the same
/// network.
pub(in super::super) fn markdown(all: &[&PerHop]) -> Vec<String> {
    let Some(first) = all.first() else { return Vec::new() };
    let shown = |load: f64| SHOWN.iter().any(|of| (of - load).abs() < 1e-9);
    let mut headings = vec![format!("{}, {}", first.name(), first.arrangement)];
    let mut columns: Vec<(&PerHop, &str, Option<f64>)> = Vec::new();
    for found in all {
        for traffic in found.traffics() {
            for load in found.loads(traffic).into_iter().filter(|load| load.is_none_or(shown)) {
                columns.push((found, traffic, load));
                headings.push(match load {
                    Some(load) => format!("{traffic}, {load}"),
                    None => format!("{traffic}: cycles; hops"),
                });
            }
        }
    }
    headings.push("entries".to_owned());
    let mut grid = Grid::new(&headings);
    for runs in first.lines() {
        let line = &runs[0].line;
        let mut cells = vec![line.clone()];
        for (found, traffic, load) in &columns {
            let mut of_line = found.runs.iter().filter(|run| run.line == *line);
            let run = of_line.find(|run| run.traffic == *traffic && run.load == *load);
            cells.push(run.map_or_else(String::new, cell));
        }
        let of_line = all.iter().flat_map(|found| &found.runs).filter(|run| run.line == *line);
        cells.push(of_line.map(|run| run.most_entries).max().unwrap_or(0).to_string());
        grid.row(&cells);
    }
    vec![grid.text()]
}

/// What a run took or carried. A latency is that of its window, so beyond saturation it says nothing.
fn cell(run: &PerHopRun) -> String {
    let [thousandth, ten_thousandth, most] = run.most_hops;
    match run.load {
        None => format!("{}; {thousandth}, {ten_thousandth}, {most}", run.cycles),
        Some(load) if run.accepted < 0.95 * load => format!("({:.3})", run.accepted),
        Some(_) => format!("{:.0}", run.latency),
    }
}

/// Latency and accepted load over the load, for each traffic that has several loads.
pub(in super::super) fn pictures(experiment: &Experiment, found: &PerHop) -> Vec<(String, String)> {
    let several: Vec<&str> =
        found.traffics().into_iter().filter(|traffic| found.loads(traffic).len() > 2).collect();
    let of_traffic = several.iter().flat_map(|traffic| {
        let end = if several.len() == 1 { String::new() } else { format!("-{traffic}") };
        [
            (format!("latency{end}"), latency(experiment, found, traffic)),
            (format!("accepted{end}"), accepted(experiment, found, traffic)),
        ]
    });
    of_traffic.collect()
}

/// The latency up to which pictures show it.
const MOST_LATENCY: f64 = 600.0;

fn latency(experiment: &Experiment, found: &PerHop, traffic: &str) -> String {
    let y = Axis::new("Mean latency in cycles", 0.0, MOST_LATENCY);
    plot(experiment, found, (traffic, y), |run| {
        (run.latency <= MOST_LATENCY).then_some(run.latency)
    })
}

fn accepted(experiment: &Experiment, found: &PerHop, traffic: &str) -> String {
    let of_traffic = found.runs.iter().filter(|run| run.traffic == traffic);
    let most = of_traffic.fold(0.0, |most: f64, run| most.max(run.accepted));
    let y = Axis::new("Accepted, phits per node and cycle", 0.0, most);
    plot(experiment, found, (traffic, y), |run| Some(run.accepted))
}

fn plot(
    experiment: &Experiment,
    found: &PerHop,
    (traffic, y): (&str, Axis),
    height: impl Fn(&PerHopRun) -> Option<f64>,
) -> String {
    let series = found.lines().enumerate().map(|(number, runs)| {
        let of_traffic = runs.iter().filter(|run| run.traffic == traffic);
        let marks = of_traffic.filter_map(|run| {
            let x = run.load?;
            let hover = format!(
                "{}, load {x}: {:.1} cycles, {:.4} accepted",
                run.line, run.latency, run.accepted
            );
            Some(Mark::new(x, height(run), hover))
        });
        Series {
            name: runs.first().map_or_else(String::new, |run| run.line.clone()),
            ink: Ink::nth(number),
            joined: true,
            marks: marks.collect(),
        }
    });
    Plot {
        title: experiment.about.to_owned(),
        x: Axis::new("Offered load, phits per node and cycle", 0.0, 1.0),
        y,
        level: None,
        series: series.collect(),
    }
    .file()
}
