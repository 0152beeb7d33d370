//! The report of runs for people: where the jobs run, when their phases ended, which links were busy, and what takes
//! the time. It is one HTML file without scripts that loads nothing from anywhere.
//!
//! The same runs give the same bytes. Pictures of places and of links show the first run.

mod pictures;

use super::report::{JobEntry, RunReport, RunText, percent};
use super::workload::JobsRun;
use crate::jobs::length_in_words;
use std::collections::BTreeSet;
use tvlb_chart::escaped;
use tvlb_chart::page::{page, paragraph, preformatted, section, table};
use tvlb_schema::Dragonfly;
use tvlb_simulator::BootedFabric;

/// The report, as the text of an HTML file.
pub(super) fn html(report: &RunReport<'_>, fabric: &BootedFabric<'_>) -> String {
    let title = format!("Jobs on {}", report.fabric.name);
    let mut body = format!("<h1>{}</h1>\n", escaped(&title));
    // There is at least one run: the command line does not accept an empty list of seeds.
    if let Some(first) = report.runs.first() {
        body.push_str(&lead(first));
        if report.runs.len() > 1 {
            let seed = first.seed;
            body.push_str(&paragraph(&format!(
                "Where one run is shown, it is that of seed {seed}."
            )));
        }
        for (id, heading, html) in [
            ("jobs", "The jobs", jobs(report, first, fabric.dragonfly())),
            ("places", "Where the jobs run", pictures::places(fabric.nodes(), &first.nodes)),
            ("times", "When they ran", pictures::times(report)),
            ("links", "How the links were loaded", pictures::links(fabric, first)),
            ("causes", "What takes the time", causes(first)),
        ] {
            body.push_str(&section(id, heading, &html));
        }
    }
    let figures = preformatted(&RunText(report).to_string());
    body.push_str(&section("figures", "All figures, as the terminal shows them", &figures));
    page(&title, &body)
}

/// The result, in a sentence or two.
fn lead(first: &JobsRun) -> String {
    let (cycles, least) = (first.completion.cycles, first.least_time.cycles());
    let share = percent(least, cycles);
    let cause = first.least_time.causes().into_iter().find(|cause| cause.1 == least);
    let (.., why) = cause.expect("one of the causes is the largest");
    format!(
        "<p class=\"lead\">The last job ended after {cycles} cycles. With ranks on these nodes no run can take less than \
         {least} cycles, {share} of that, because {why}.</p>\n"
    )
}

/// A table of the jobs, and of how they spread over the machine.
fn jobs(report: &RunReport<'_>, first: &JobsRun, df: &Dragonfly) -> String {
    let rows = report.entries().into_iter().zip(&first.nodes).enumerate();
    let rows = rows.map(|(number, (entry, nodes))| {
        let JobEntry { job, workload, bytes, iterations, running_time, .. } = entry;
        let nodes: BTreeSet<_> = nodes.iter().collect();
        let switches: BTreeSet<_> = nodes.iter().map(|&&node| df.switch_of(node).0).collect();
        let groups: BTreeSet<_> = switches.iter().map(|&switch| df.place(switch).0).collect();
        let [nodes, switches, groups] =
            [nodes.len(), switches.len(), groups.len()].map(|count| count.to_string());
        let (length, iterations) = (length_in_words(workload, bytes), iterations.to_string());
        let (name, median) = (format!("job {number}"), format!("{:.1}", running_time.median()));
        vec![name, job, workload.to_owned(), length, iterations, nodes, switches, groups, median]
    });
    let head = "|ranks x ranks per node|pattern|length|iterations|nodes|switches|groups|running time (cycles, median)";
    table(&head.split('|').collect::<Vec<_>>(), rows) + &paragraph(&report.in_words())
}

/// The least cycles of any run, and what to do about the rest.
fn causes(first: &JobsRun) -> String {
    let rows = first.least_time.causes().map(|(name, least, why)| {
        vec![name.to_owned(), least.to_string(), percent(least, first.completion.cycles), why]
    });
    let text = "The rest of the time, beyond the largest of these, is lost within the network: on links that carry \
         more than others, and in the queues before them. tvlb-lab advise tries other placements, maps, \
         orders of sends, wirings and routings of the same jobs.";
    table(&["cause", "least cycles", "of the time", "because"], rows) + &paragraph(text)
}
