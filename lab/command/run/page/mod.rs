//! The report of runs for people: where the jobs lie, when their phases ended, which links were busy, and
//! what holds the runs up. It is one HTML file without scripts that asks for nothing from anywhere.
//!
//! The same runs give the same bytes. Pictures of places and of links are of the first run.

mod links;
mod places;
mod time_lines;

use super::report::{JobEntry, RunReport, RunText};
use super::workload::JobsRun;
use crate::jobs::length_in_words;
use tvlb_chart::escaped;
use tvlb_chart::page::{figure, page, paragraph, preformatted, section, table};
use tvlb_generator::counted::counted;
use tvlb_jobs::LeastTime;
use tvlb_schema::Dragonfly;
use tvlb_simulator::BootedFabric;

/// The report, as the text of an HTML file.
pub(super) fn html(report: &RunReport<'_>, fabric: &BootedFabric<'_>) -> String {
    let title = format!("Jobs on {}", report.fabric.name);
    let mut body = format!("<h1>{}</h1>\n", escaped(&title));
    // There is one run at the least: an empty list of seeds is none that the command line accepts.
    if let Some(first) = report.runs.first() {
        let of = match report.runs.len() {
            1 => String::new(),
            _ => format!(" The picture is of seed {}.", first.seed),
        };
        body.push_str(&lead(report, first));
        body.push_str(&section("jobs", "The jobs", &jobs(report, first, fabric.dragonfly())));
        let places = figure(
            &places::picture(fabric.nodes(), &first.nodes),
            &format!(
                "A column for each group and a row for each of its switches, {} Point at a place for its \
                 ranks.{of}",
                places::of_a_switch(fabric.nodes())
            ),
        );
        body.push_str(&section("places", "Where the jobs lie", &places));
        body.push_str(&section("times", "When they ran", &time_lines::body(report)));
        body.push_str(&section(
            "links",
            "How the links were loaded",
            &links::body(fabric, first, &of),
        ));
        body.push_str(&section("causes", "What holds the runs up", &causes(first, &of)));
    }
    let figures = preformatted(&RunText(report).to_string());
    body.push_str(&section("figures", "All figures, as the terminal shows them", &figures));
    page(&title, &body)
}

/// What came of it, in a sentence or two.
fn lead(report: &RunReport<'_>, first: &JobsRun) -> String {
    let cycles = first.completion.cycles;
    let least = first.least_time.cycles();
    let seed = match report.runs.len() {
        1 => String::new(),
        several => format!(" (seed {}, the first of {several})", first.seed),
    };
    let (_, cause) = causes_of(&first.least_time)
        .into_iter()
        .max_by_key(|(cycles, _)| *cycles)
        .expect("there are three causes");
    let share = percent(least, cycles);
    let text = format!(
        "The last job ended after {cycles} cycles{seed}. With ranks on these nodes no run can take less than \
         {least} cycles, {share} of that, because {cause}."
    );
    format!("<p class=\"lead\">{}</p>\n", escaped(&text))
}

/// A table of the jobs, and of how they spread over the machine.
fn jobs(report: &RunReport<'_>, first: &JobsRun, df: &Dragonfly) -> String {
    let rows = report.entries().into_iter().zip(&first.nodes).enumerate();
    let rows = rows.map(|(number, (entry, nodes))| {
        let JobEntry { job, workload, bytes, iterations, running_time, .. } = entry;
        let places = nodes.iter().map(|&node| df.switch_of(node).0);
        let switches: std::collections::BTreeSet<_> = places.collect();
        let groups: std::collections::BTreeSet<_> =
            switches.iter().map(|&switch| df.place(switch).0).collect();
        let nodes: std::collections::BTreeSet<_> = nodes.iter().collect();
        vec![
            format!("job {number}"),
            job,
            workload.to_owned(),
            length_in_words(workload, bytes),
            iterations.to_string(),
            nodes.len().to_string(),
            switches.len().to_string(),
            groups.len().to_string(),
            format!("{:.1}", running_time.median()),
        ]
    });
    let head = [
        "",
        "ranks x ranks per node",
        "pattern",
        "length",
        "iterations",
        "nodes",
        "switches",
        "groups",
        "running time (cycles, median)",
    ];
    let mut html = table(&head, rows);
    html.push_str(&paragraph(&report.in_words()));
    html
}

/// The least cycles by cause, each with the reason in words.
fn causes_of(least: &LeastTime) -> [(u64, String); 3] {
    let LeastTime { host, group, chain } = least;
    [
        (
            host.cycles,
            format!(
                "node {} sends or receives {} over its one link",
                host.node,
                counted(host.packets, "packet")
            ),
        ),
        (
            group.cycles,
            format!(
                "{} leave or enter group {} over its {}",
                counted(group.packets, "packet"),
                group.group,
                counted(group.cables.into(), "cable")
            ),
        ),
        (
            chain.cycles,
            format!(
                "the messages of rank {} of job {} wait for each other in the order of the programs",
                chain.rank, chain.job
            ),
        ),
    ]
}

/// What no run can take less than, and what to do about the rest.
fn causes(first: &JobsRun, of: &str) -> String {
    let names = ["host", "group", "chain"];
    let cycles = first.completion.cycles;
    let rows = names.into_iter().zip(causes_of(&first.least_time));
    let rows = rows.map(|(name, (least, why))| {
        vec![name.to_owned(), least.to_string(), percent(least, cycles), why]
    });
    let mut html = table(&["cause", "least cycles", "of the time", "because"], rows);
    html.push_str(&paragraph(&format!(
        "What a run takes beyond the largest of these, it loses within the network: on links that carry \
         more than others, and in the queues before them.{} tvlb-lab advise tries other placements, maps, \
         orders of sends, wirings and routings of the same jobs.",
        of.replace("picture is", "figures are")
    )));
    html
}

/// A part of some cycles.
fn percent(part: u64, cycles: u32) -> String {
    #[expect(clippy::cast_precision_loss, reason = "cycles stay far below 2^53")]
    let share = 100.0 * part as f64 / f64::from(cycles.max(1));
    format!("{share:.1}%")
}
