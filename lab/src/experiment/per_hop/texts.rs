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

/// Tables in Markdown: latencies and what is accepted by load, or what finite traffic took, and below that what
/// packets did.
pub(in super::super) fn markdown(found: &PerHop) -> Vec<String> {
    let mut blocks = vec![format!(
        "{}, {}. {}\n",
        found.name(),
        found.arrangement,
        if found.runs.iter().all(|run| run.load.is_none()) {
            "Cycles until the last phit was delivered.".to_owned()
        } else {
            format!(
                "{} cycles of warm-up, {} measured. Mean latency in cycles, and phits accepted per node and \
                 cycle.",
                found.warm_up_cycles, found.measured_cycles
            )
        }
    )];
    for traffic in found.traffics() {
        blocks.push(format!("Under `{traffic}`:\n"));
        let loads = found.loads(traffic);
        let mut headings = vec![String::new()];
        headings.extend(
            loads.iter().map(|load| {
                load.map_or_else(|| "cycles".to_owned(), |load| format!("load {load}"))
            }),
        );
        headings.extend(
            ["hops", "escape", "hops of 99.9%", "of 99.99%", "most", "entries at most"]
                .map(str::to_owned),
        );
        let mut grid = Grid::new(&headings);
        for runs in found.lines() {
            let of_traffic = || runs.iter().filter(|run| run.traffic == traffic);
            let Some(last) = of_traffic().next_back() else { continue };
            let mut cells = vec![last.line.clone()];
            for load in &loads {
                let run = of_traffic().find(|run| run.load == *load);
                cells.push(run.map_or_else(String::new, |run| match run.load {
                    Some(_) => format!("{:.0}, {:.3}", run.latency, run.accepted),
                    None => run.cycles.to_string(),
                }));
            }
            cells.push(format!("{:.3} + {:.3}", last.hops[0], last.hops[1]));
            cells.push(format!("{:.4}", last.escape_hops));
            cells.extend(last.most_hops.map(|hops| hops.to_string()));
            cells.push(last.most_entries.to_string());
            grid.row(&cells);
        }
        blocks.push(grid.text());
    }
    blocks.push(
        "Hops are local and global means; they, the escape network's links and the columns after them are \
         of the last load.\n"
            .to_owned(),
    );
    blocks.extend(injections(found));
    blocks
}

/// What the switches of group 0 injected, at the load of the table that tells most: that at which nothing is
/// saturated for all.
fn injections(found: &PerHop) -> Option<String> {
    let load = 0.2;
    let shown: Vec<&PerHopRun> = found
        .runs
        .iter()
        .filter(|run| run.load.is_some_and(|of| (of - load).abs() < 1e-9 || of >= 1.0))
        .collect();
    let switches = shown.first()?.group_0.len();
    let mut headings = vec![String::new(), "traffic".to_owned(), "load".to_owned()];
    headings.extend((0..switches).map(|index| format!("(0,{index})")));
    headings.extend(["all", "group of the tree's root"].map(str::to_owned));
    let mut grid = Grid::new(&headings);
    for run in shown {
        let mut cells = vec![run.line.clone(), run.traffic.clone()];
        cells.push(run.load.map_or_else(String::new, |load| load.to_string()));
        cells.extend(run.group_0.iter().map(|rate| format!("{rate:.3}")));
        cells.extend(run.injected.map(|rate| format!("{rate:.3}")));
        grid.row(&cells);
    }
    let heading = "What the switches of group 0 injected, phits per node and cycle:";
    Some(format!("{heading}\n\n{}", grid.text()))
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
