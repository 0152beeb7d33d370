//! Advice as a table, CSV and JSON.

use crate::jobs;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use tvlb_generator::counted::with_sign;
use tvlb_lab::advise::{Answer, CHOICES, Estimate, Judged, NOW, Question, Way};
use tvlb_simulator::{MessageSettings, Settings};

/// How many ways the table shows.
const SHOWN: usize = 10;
/// What each choice is called.
const NAMES: [&str; CHOICES] = ["wiring", "placement", "map", "order", "routing"];

/// The question and its answer.
pub(super) struct Report<'r> {
    pub(super) question: &'r Question<'r>,
    pub(super) answer: &'r Answer,
    /// For each job the name of its pattern.
    pub(super) workloads: &'r [String],
    /// For each job the length of its messages; nothing where a list has lengths of its own.
    pub(super) bytes: Vec<Option<u64>>,
    pub(super) sizes: String,
    /// The command that writes where each rank of the fastest way runs.
    pub(super) place: String,
}

/// Everything that makes the answer reproducible, and all that was found.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Document<'r> {
    tool_version: &'static str,
    fabric: &'r str,
    sizes: &'r str,
    settings: &'r Settings,
    messages: MessageSettings,
    jobs: Vec<String>,
    workloads: &'r [String],
    bytes: &'r [Option<u64>],
    seeds: &'r [u64],
    ways: Vec<WayEntry<'r>>,
}

/// A way.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct WayEntry<'r> {
    wiring: String,
    placement: String,
    map: String,
    order: String,
    routing: String,
    /// Cycles of a run by each seed; empty if the way was not simulated.
    cycles: &'r [u32],
    #[serde(skip_serializing_if = "Option::is_none")]
    median: Option<f64>,
    /// The change of the median against the present way, as a part of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<f64>,
    /// What holds it up the longest.
    cause: &'static str,
    #[serde(flatten)]
    estimate: &'r Estimate,
}

impl Report<'_> {
    pub(super) fn document(&self) -> Document<'_> {
        let question = self.question;
        let ways = self.answer.ways.iter().map(|judged| {
            let [wiring, placement, map, order, routing] = question.names(judged.way);
            let cause = judged.estimate.most().1.name();
            WayEntry {
                wiring,
                placement,
                map,
                order,
                routing,
                cycles: &judged.cycles,
                median: judged.median(),
                change: self.change(judged),
                cause,
                estimate: &judged.estimate,
            }
        });
        Document {
            tool_version: env!("CARGO_PKG_VERSION"),
            fabric: &question.fabric.file.name,
            sizes: &self.sizes,
            settings: &question.settings,
            messages: question.messages(),
            jobs: question.jobs.iter().map(ToString::to_string).collect(),
            workloads: self.workloads,
            bytes: &self.bytes,
            seeds: &question.seeds,
            ways: ways.collect(),
        }
    }

    /// How much longer than now a way takes, as a part of that; nothing if it was not simulated.
    fn change(&self, judged: &Judged) -> Option<f64> {
        Some(judged.median()? / self.answer.of(NOW).median()? - 1.0)
    }

    /// The heads of [`Report::figures`]: what runs of several seeds took has a column of its own.
    fn heads(&self) -> Vec<&'static str> {
        let spread = (self.question.seeds.len() > 1).then_some("by seed");
        ["cycles"].into_iter().chain(spread).chain(["change", "estimate", "by"]).collect()
    }

    /// What a run of a way takes, how that differs from now, and what it cannot do without.
    fn figures(&self, judged: &Judged) -> Vec<String> {
        let median =
            judged.median().map_or_else(|| "-".to_owned(), |median| format!("{median:.0}"));
        let least_and_most = judged.cycles.iter().min().zip(judged.cycles.iter().max());
        let spread = least_and_most
            .map_or_else(|| "-".to_owned(), |(least, most)| format!("{least} to {most}"));
        let spread = (self.question.seeds.len() > 1).then_some(spread);
        let change = self.change(judged).filter(|_| judged.way != NOW);
        let change =
            change.map_or_else(String::new, |part| format!("{}%", with_sign(100.0 * part, 1)));
        let (most, cause) = judged.estimate.most();
        let others = [change, format!("{most:.0}"), cause.name().to_owned()];
        [median].into_iter().chain(spread).chain(others).collect()
    }
}

/// For people.
pub(super) struct Table<'r>(pub(super) &'r Report<'r>);

impl Display for Table<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(report) = self;
        let (question, answer) = (report.question, report.answer);
        writeln!(f, "fabric   {}: {}", question.fabric.file.name, report.sizes)?;
        for (number, (job, workload)) in question.jobs.iter().zip(report.workloads).enumerate() {
            let often = question.programs[number].iterations().get();
            let words = jobs::in_words(job, workload, report.bytes[number], often);
            writeln!(f, "job {number}    {words}")?;
        }
        let control = question.messages().control_latency_cycles.unwrap_or_default();
        writeln!(
            f,
            "control  {control} cycles, with every routing, until a node knows what happened at another"
        )?;
        let fastest = answer.simulated();
        let seeds: Vec<String> = question.seeds.iter().map(ToString::to_string).collect();
        writeln!(
            f,
            "ways     {}, of which {} were simulated with {} {}",
            answer.ways.len(),
            fastest.len(),
            if seeds.len() == 1 { "seed" } else { "seeds" },
            seeds.join(", ")
        )?;

        let now = answer.of(NOW);
        writeln!(f, "\nnow      {}", question.names(NOW).join(", "))?;
        let (host, group, chain) = {
            let least = &now.estimate.least_time;
            (least.host, least.group, least.chain)
        };
        let figures = report.figures(now);
        let spread = (question.seeds.len() > 1).then(|| format!(", by seed {}", figures[1]));
        writeln!(f, "         {} cycles{}", figures[0], spread.unwrap_or_default())?;
        writeln!(f, "  host   at least {}: the link of node {}", host.cycles, host.node)?;
        writeln!(f, "  group  at least {}: the cables of group {}", group.cycles, group.group)?;
        writeln!(
            f,
            "  chain  at least {}: rank {} of job {} and those that it waits for",
            chain.cycles, chain.rank, chain.job
        )?;
        let link = &now.estimate.link;
        if !link.link.is_empty() {
            writeln!(f, "  link   about {:.0}: {}", link.cycles, link.link)?;
        }

        let mut changes: Vec<(usize, &Judged)> = answer.one_change().collect();
        changes.sort_by_key(|&(choice, judged)| (choice, judged.way));
        if !changes.is_empty() {
            writeln!(f, "\nwhat one change is worth")?;
            let rows = changes.into_iter().map(|(choice, judged)| {
                let to = question.names(judged.way)[choice].clone();
                let mut row = report.figures(judged);
                row.extend([NAMES[choice].to_owned(), to]);
                row
            });
            let mut head = report.heads();
            head.extend(["choice", "instead"]);
            write_rows(f, &head, rows.collect())?;
        }

        writeln!(f, "\nthe fastest of the ways that were simulated")?;
        let mut head = report.heads();
        head.extend(NAMES);
        let rows = fastest.iter().take(SHOWN).map(|judged| {
            let mut row = report.figures(judged);
            row.extend(question.names(judged.way));
            row
        });
        write_rows(f, &head, rows.collect())?;
        writeln!(f, "\nwhere the ranks of the fastest way run: {}", report.place)
    }
}

/// Rows under a head, the columns before `by` to the right.
fn write_rows(f: &mut Formatter<'_>, head: &[&str], rows: Vec<Vec<String>>) -> fmt::Result {
    let numbers = head.iter().take_while(|name| **name != "by").count();
    let widths: Vec<usize> = head
        .iter()
        .enumerate()
        .map(|(column, name)| {
            let own = rows.iter().map(|row| row[column].chars().count());
            own.chain([name.len()]).max().unwrap_or(0)
        })
        .collect();
    let head: Vec<String> = head.iter().map(ToString::to_string).collect();
    for row in [head].into_iter().chain(rows) {
        let mut line = String::new();
        for (column, (text, &width)) in row.iter().zip(&widths).enumerate() {
            let gap = if column == 0 { "" } else { "  " };
            let padded = if column < numbers {
                format!("{gap}{text:>width$}")
            } else {
                format!("{gap}{text:<width$}")
            };
            line.push_str(&padded);
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}

/// One line for each way.
pub(super) struct Csv<'r>(pub(super) &'r Report<'r>);

impl Display for Csv<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(report) = self;
        writeln!(f, "{},host,group,chain,link,busiest,median,cycles", NAMES.join(","))?;
        for judged in &report.answer.ways {
            let Judged { way, estimate, cycles, .. } = judged;
            let names = names_in_csv(report.question, *way);
            let least = &estimate.least_time;
            let cycles: Vec<String> = cycles.iter().map(ToString::to_string).collect();
            let median = judged.median().map_or_else(String::new, |median| median.to_string());
            writeln!(
                f,
                "{names},{},{},{},{:.1},\"{}\",{median},{}",
                least.host.cycles,
                least.group.cycles,
                least.chain.cycles,
                estimate.link.cycles,
                estimate.link.link,
                cycles.join(" ")
            )?;
        }
        Ok(())
    }
}

/// The names of a way; a set may have commas.
fn names_in_csv(question: &Question<'_>, way: Way) -> String {
    let quoted = question.names(way).map(|name| {
        if name.contains([',', '"']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name }
    });
    quoted.join(",")
}
