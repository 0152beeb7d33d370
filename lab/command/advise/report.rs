//! Advice as a table, CSV and JSON.

use crate::jobs;
use crate::requests::HostRequests;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use tvlb_base::row;
use tvlb_base::table::{Cell, Column, Table};
use tvlb_generator::counted::with_sign;
use tvlb_jobs::MessageSettings;
use tvlb_lab::advise::{Answer, CHOICES, Judged, NOW, Question, WayEstimate};
use tvlb_simulator::Settings;

/// The most ways that the table shows.
const SHOWN: usize = 10;
/// The names of the choices.
const NAMES: [&str; CHOICES] = ["wiring", "placement", "map", "order", "routing"];

/// The question and its answer.
pub(super) struct Advice<'r> {
    pub(super) question: &'r Question<'r>,
    pub(super) answer: &'r Answer,
    /// For each job the name of its pattern.
    pub(super) workloads: &'r [String],
    /// For each job, the length of its messages; `None` if a list gives each its own.
    pub(super) bytes: Vec<Option<u64>>,
    pub(super) sizes: String,
    /// The command that writes where each rank of the fastest way runs.
    pub(super) place: String,
    /// What to request from a scheduler, so that they run there.
    pub(super) requests: HostRequests,
}

/// Everything that makes the answer reproducible, and all results.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct AdviseDocument<'r> {
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
    /// For the fastest way.
    #[serde(flatten)]
    requests: &'r HostRequests,
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
    /// The relative change of the median against the present way.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<f64>,
    /// The largest cause of its cycles.
    cause: &'static str,
    #[serde(flatten)]
    estimate: &'r WayEstimate,
}

impl<'r> Advice<'r> {
    pub(super) fn document(&self) -> AdviseDocument<'_> {
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
        AdviseDocument {
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
            requests: &self.requests,
        }
    }

    /// The relative change against the present way; `None` if the way was not simulated.
    fn change(&self, judged: &Judged) -> Option<f64> {
        Some(judged.median()? / self.answer.of(NOW).median()? - 1.0)
    }

    /// A table of ways: the cycles of each, the change against the present way, its least cycles by cause, and `others`.
    fn ways<'c>(
        &self,
        others: impl IntoIterator<Item = &'c str>,
        ways: impl Iterator<Item = (&'r Judged, Vec<String>)>,
    ) -> Table<'c> {
        let others = others.into_iter().map(|name| Column::words(name, ""));
        let mut table = Table::new(FIGURES.into_iter().chain(others).collect());
        for (judged, others) in ways {
            let mut row = self.figures(judged);
            row.extend(others.into_iter().map(Cell::from));
            table.push(row);
        }
        table
    }

    /// The values of [`FIGURES`].
    fn figures(&self, judged: &Judged) -> Vec<Cell> {
        let change = self.change(judged).filter(|_| judged.way != NOW);
        let change = change.map(|part| format!("{}%", with_sign(100.0 * part, 1)));
        let (most, cause) = judged.estimate.most();
        row![judged.median(), self.by_seed(judged), change, most, cause.name()]
    }

    /// The least and the most cycles by seed, if there are several seeds.
    fn by_seed(&self, judged: &Judged) -> Option<String> {
        let (least, most) = judged.cycles.iter().min().zip(judged.cycles.iter().max())?;
        (self.question.seeds.len() > 1).then(|| format!("{least} to {most}"))
    }

    /// A row for each way.
    pub(super) fn table(&self) -> Table<'static> {
        let figures = ["host", "group", "chain", "link", "busiest", "median", "cycles"];
        let columns = NAMES.into_iter().chain(figures).map(|name| Column::words(name, ""));
        let mut table = Table::new(columns.collect());
        for judged in &self.answer.ways {
            let Judged { way, estimate, cycles, .. } = judged;
            let least = &estimate.least_time;
            let cycles: Vec<String> = cycles.iter().map(ToString::to_string).collect();
            let mut row: Vec<Cell> = self.question.names(*way).map(Cell::from).into();
            row.extend(row![
                least.host.cycles,
                least.group.cycles,
                least.chain.cycles,
                estimate.link.cycles,
                estimate.link.link.as_str(),
                judged.median(),
                cycles.join(" "),
            ]);
            table.push(row);
        }
        table
    }
}

const FIGURES: [Column<'_>; 5] = [
    Column::number("cycles", 0, ""),
    Column::number("by seed", 0, ""),
    Column::number("change", 0, ""),
    Column::number("estimate", 0, ""),
    Column::words("by", ""),
];

/// For people.
pub(super) struct AdviseText<'r>(pub(super) &'r Advice<'r>);

impl Display for AdviseText<'_> {
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
        let cycles = now.median().unwrap_or_default();
        let spread = report.by_seed(now).map(|spread| format!(", by seed {spread}"));
        writeln!(f, "         {cycles:.0} cycles{}", spread.unwrap_or_default())?;
        for (name, cycles, why) in now.estimate.least_time.causes() {
            writeln!(f, "  {name:<5}  at least {cycles}: {why}")?;
        }
        let link = &now.estimate.link;
        if !link.link.is_empty() {
            writeln!(f, "  link   about {:.0}: {}", link.cycles, link.link)?;
        }

        let mut changes: Vec<(usize, &Judged)> = answer.one_change().collect();
        changes.sort_by_key(|&(choice, judged)| (choice, judged.way));
        if !changes.is_empty() {
            let ways = changes.into_iter().map(|(choice, judged)| {
                let to = question.names(judged.way)[choice].clone();
                (judged, vec![NAMES[choice].to_owned(), to])
            });
            let table = report.ways(["choice", "instead"], ways);
            write!(f, "\nwhat one change is worth\n{table}")?;
        }

        let shown = fastest.iter().take(SHOWN);
        let ways = shown.map(|&judged| (judged, question.names(judged.way).into()));
        let table = report.ways(NAMES, ways);
        write!(f, "\nthe fastest of the ways that were simulated\n{table}")?;
        writeln!(f, "\nwhere the ranks of the fastest way run: {}", report.place)?;
        write!(f, "{}", report.requests)
    }
}
