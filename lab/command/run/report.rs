//! When jobs ended, as a table, CSV and JSON.

use super::workload::{JobsRun, Workload};
use crate::jobs;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use tvlb::failure::Outcome;
use tvlb::output::print_json;
use tvlb_base::row;
use tvlb_base::table::{Cell, Column, Table};
use tvlb_jobs::workload::SendOrder;
use tvlb_jobs::{Completion, JobTimes, LeastTime, MessageSettings};
use tvlb_simulator::{Delivered, Scheme, Settings, paths_name};
use tvlb_table_set::FabricEntry;

/// All runs.
pub(super) struct RunReport<'r> {
    pub(super) workload: &'r Workload,
    pub(super) fabric: &'r FabricEntry,
    pub(super) settings: &'r Settings,
    pub(super) runs: Vec<JobsRun>,
}

/// Everything that makes the runs reproducible, and their results.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct RunDocument<'r> {
    tool_version: &'static str,
    fabric: &'r str,
    sizes: String,
    settings: &'r Settings,
    messages: &'r MessageSettings,
    placement: String,
    map: String,
    order: String,
    compute_cycles: u32,
    jobs: Vec<JobEntry<'r>>,
    runs: &'r [JobsRun],
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct JobEntry<'r> {
    pub(super) job: String,
    pub(super) workload: &'r str,
    /// The length of each message; `None` if a list gives each its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<u64>,
    pub(super) iterations: u32,
    /// Cycles from the beginning of a run to the end of the job, over the runs.
    pub(super) running_time: CycleSummary,
    /// Cycles of the last iteration, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_iteration: Option<CycleSummary>,
}

/// Cycles over several runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct CycleSummary {
    least: u32,
    /// For an even number of runs, the mean of the two in the middle.
    median: f64,
    largest: u32,
    /// (largest − least) / median.
    spread: f64,
}

impl CycleSummary {
    pub(super) const fn median(&self) -> f64 {
        self.median
    }

    fn of(mut cycles: Vec<u32>) -> Self {
        cycles.sort_unstable();
        let at = |place: usize| cycles.get(place).copied().unwrap_or(0);
        let (least, largest) = (at(0), at(cycles.len().saturating_sub(1)));
        let upper = cycles.len() / 2;
        let lower = cycles.len().saturating_sub(1) / 2;
        let median = f64::midpoint(f64::from(at(lower)), f64::from(at(upper)));
        let spread = if median > 0.0 { f64::from(largest - least) / median } else { 0.0 };
        Self { least, median, largest, spread }
    }
}

impl Display for CycleSummary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { least, median, largest, spread } = self;
        write!(
            f,
            "least {least}, median {median:.1}, largest {largest} cycles, spread {:.1}%",
            100.0 * spread
        )
    }
}

impl RunReport<'_> {
    /// A figure of one job over all runs.
    fn summary(&self, job: usize, of: impl Fn(&JobTimes) -> u32) -> CycleSummary {
        CycleSummary::of(self.runs.iter().map(|run| of(&run.completion.jobs[job])).collect())
    }

    /// The jobs, and how long they ran.
    pub(super) fn entries(&self) -> Vec<JobEntry<'_>> {
        let jobs = self.workload.jobs.iter().zip(&self.workload.programs).enumerate();
        jobs.map(|(number, (job, (workload, programs)))| {
            let iterations = programs.iterations().get();
            let last = |times: &JobTimes| {
                times.iteration_cycles(iterations as usize - 1).unwrap_or_default()
            };
            JobEntry {
                job: job.to_string(),
                workload,
                bytes: self.workload.bytes[number],
                iterations,
                running_time: self.summary(number, JobTimes::running_time),
                last_iteration: (iterations > 1).then(|| self.summary(number, last)),
            }
        })
        .collect()
    }

    /// How packets are routed, in words.
    fn network(&self) -> String {
        let settings = self.settings;
        let bandwidths = match settings.bandwidths {
            alike if alike.are_equal() => String::new(),
            bandwidths => format!(", bandwidths {bandwidths}"),
        };
        let paths = match settings.scheme {
            Scheme::Min => String::new(),
            _ => format!(", {} VLB paths", paths_name(settings.paths)),
        };
        format!("{}{paths}{bandwidths}", settings.scheme.name())
    }

    /// Where ranks run and in which order they send, in words.
    fn placed(&self) -> String {
        let Workload { placement, map, order, compute_cycles, .. } = self.workload;
        let sent = match order {
            SendOrder::Given => "",
            SendOrder::Coloured => ", sends coloured",
        };
        let computing = match compute_cycles {
            0 => String::new(),
            cycles => format!(", {cycles} cycles of computing before each iteration"),
        };
        format!("{placement}, ranks mapped {map}{sent}{computing}")
    }

    /// What all jobs have in common, as a sentence.
    pub(super) fn in_words(&self) -> String {
        let sizes = self.fabric.sizes_in_words();
        let (network, placed) = (self.network(), self.placed());
        format!("The fabric is {sizes}. Routing: {network}. Placement: {placed}.")
    }

    pub(super) fn print_json(&self) -> Outcome {
        print_json(&RunDocument {
            tool_version: env!("CARGO_PKG_VERSION"),
            fabric: &self.fabric.name,
            sizes: self.fabric.sizes_in_words(),
            settings: self.settings,
            messages: &self.workload.messages,
            placement: self.workload.placement.to_string(),
            map: self.workload.map.to_string(),
            order: self.workload.order.to_string(),
            compute_cycles: self.workload.compute_cycles,
            jobs: self.entries(),
            runs: &self.runs,
        })
    }
}

/// For people.
pub(super) struct RunText<'r>(pub(super) &'r RunReport<'r>);

impl Display for RunText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(report) = self;
        let RunReport { fabric, runs, .. } = report;
        writeln!(f, "fabric   {}: {}", fabric.name, fabric.sizes_in_words())?;
        writeln!(f, "network  {}", report.network())?;
        writeln!(f, "placed   {}", report.placed())?;
        let entries = report.entries();
        for (number, entry) in entries.iter().enumerate() {
            let JobEntry { job, workload, bytes, iterations, .. } = entry;
            let words = jobs::in_words(job, workload, *bytes, *iterations);
            writeln!(f, "job {number}    {words}")?;
        }
        writeln!(f)?;
        let jobs: Vec<String> =
            (0..entries.len()).map(|number| format!("cycles of job {number}")).collect();
        let first = [SEED, PACKETS, HOPS, VLB_SHARE, LATENCY].into_iter();
        let times = jobs.iter().map(|job| Column::number(job, 0, ""));
        let mut table = Table::new(first.chain(times).collect());
        for JobsRun { seed, completion, .. } in runs {
            let Completion { network, jobs, .. } = completion;
            let Delivered { packets, hops, vlb_share, network_latency, .. } = network;
            let mut row = row![*seed, *packets, *hops, *vlb_share, *network_latency];
            row.extend(jobs.iter().map(|times| Cell::from(times.running_time())));
            table.push(row);
        }
        write!(f, "{table}")?;
        write!(f, "\nleast cycles, by cause\n{}", least_times(runs))?;
        // A single run has its running times above.
        let several = runs.len() > 1;
        if several || entries.iter().any(|entry| entry.last_iteration.is_some()) {
            writeln!(f)?;
        }
        for (number, entry) in entries.iter().enumerate() {
            if several {
                let what = "running time";
                writeln!(f, "job {number}    {what:<14} {}", entry.running_time)?;
            }
            if let Some(last) = entry.last_iteration {
                let what = "last iteration";
                if several {
                    writeln!(f, "job {number}    {what:<14} {last}")?;
                } else {
                    writeln!(f, "job {number}    {what:<14} {} cycles", last.least)?;
                }
            }
        }
        Ok(())
    }
}

const SEED: Column<'_> = Column::number("seed", 0, "");
const PACKETS: Column<'_> = Column::number("packets", 0, "");
const HOPS: Column<'_> = Column::number("hops", 3, "");
const VLB_SHARE: Column<'_> = Column::number("VLB", 3, "");
const LATENCY: Column<'_> = Column::number("latency", 1, "");

/// The least cycles of any run of these jobs, by cause: see `docs/reference/run.md`.
fn least_times(runs: &[JobsRun]) -> Table<'static> {
    let names = LeastTime::default().causes().map(|(name, ..)| Column::number(name, 0, ""));
    let of_time = Column::number("of the time", 1, "");
    let mut table = Table::new([SEED].into_iter().chain(names).chain([of_time]).collect());
    for JobsRun { seed, completion, least_time, .. } in runs {
        let mut row = row![*seed];
        row.extend(least_time.causes().map(|(_, cycles, _)| Cell::from(cycles)));
        row.push(percent(least_time.cycles(), completion.cycles).into());
        table.push(row);
    }
    table
}

/// A part of some cycles, in percent.
pub(super) fn percent(part: u64, cycles: u32) -> String {
    #[expect(clippy::cast_precision_loss, reason = "cycles stay far below 2^53")]
    let share = 100.0 * part as f64 / f64::from(cycles.max(1));
    format!("{share:.1}%")
}

impl RunReport<'_> {
    /// A row for each run, job and iteration.
    pub(super) fn table(&self) -> Table<'static> {
        let Self { workload, settings, runs, .. } = self;
        let names = "scheme,paths,placement,map,seed,job,size,workload,bytes,iteration,cycles,end";
        let columns = names.split(',').map(|name| Column::words(name, ""));
        let mut table = Table::new(columns.collect());
        for JobsRun { seed, completion, .. } in runs {
            let described = workload.jobs.iter().zip(&workload.programs);
            for (number, (times, (job, (pattern, _)))) in
                completion.jobs.iter().zip(described).enumerate()
            {
                for (iteration, end) in times.iterations.iter().enumerate() {
                    table.push(row![
                        settings.scheme.name(),
                        paths_name(settings.paths),
                        workload.placement.to_string(),
                        workload.map.to_string(),
                        *seed,
                        number,
                        job.to_string(),
                        pattern.as_str(),
                        workload.bytes[number],
                        iteration,
                        times.iteration_cycles(iteration).unwrap_or_default(),
                        *end,
                    ]);
                }
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_of_all_runs() {
        let of = |cycles: &[u32]| {
            let CycleSummary { least, median, largest, spread } = CycleSummary::of(cycles.to_vec());
            (least, median, largest, spread)
        };
        assert_eq!(of(&[7]), (7, 7.0, 7, 0.0));
        assert_eq!(of(&[9, 4, 5]), (4, 5.0, 9, 1.0));
        assert_eq!(of(&[10, 4, 5, 7]), (4, 6.0, 10, 1.0));
        assert_eq!(of(&[0, 0]), (0, 0.0, 0, 0.0));
    }
}
