//! Jobs that arrive one after the other and are served in that order: a job begins once it has been submitted, the job
//! before it has begun, and enough nodes are free.
//!
//! A later job does not change anything before it begins. So jobs are added in order, each to a run of all earlier
//! ones, which shows when they end.

use super::workload::Workload;
use crate::jobs::not_mapped;
use std::collections::BTreeSet;
use tvlb::failure::{Failure, refused};
use tvlb_base::progress::{AsOneStep, Progress};
use tvlb_base::row;
use tvlb_base::table::{Cell, Column, Table};
use tvlb_jobs::workload::{Arrival, Programs};
use tvlb_jobs::{JobRun, JobTimes};
use tvlb_schema::NodeId;
use tvlb_simulator::{BootedFabric, Settings};

/// A job that has begun, and when it begins and ends, in cycles.
struct RunningJob {
    programs: Programs,
    /// The node of each rank.
    nodes: Vec<NodeId>,
    begin: u32,
    end: u32,
}

/// The columns of the served jobs: times are in cycles.
pub(super) fn table() -> Table<'static> {
    let whole = ["seed", "job", "nodes", "submitted", "wait", "run", "alone"].into_iter();
    let columns = whole.map(|name| Column::number(name, 0, ""));
    Table::new(columns.chain([Column::number("slow-down", 3, "")]).collect())
}

/// Serves a list of jobs, one row each.
pub(super) fn serve(
    (workload, list): (&Workload, &[Arrival]),
    network: (&BootedFabric<'_>, &Settings),
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<Vec<Cell>>, Failure> {
    let ends = |jobs: &[JobRun<'_>]| -> Result<Vec<u32>, Failure> {
        let completion = workload.complete(network, jobs, seed, progress)?;
        Ok(completion.jobs.iter().map(JobTimes::running_time).collect())
    };
    let order = workload.placement.order(network.0.nodes(), seed);
    let order = order.map_err(|error| refused("--with", error))?;
    let mut begun: Vec<RunningJob> = Vec::with_capacity(list.len());
    for (number, arrival) in (0..).zip(list) {
        let place = begun.len();
        let after = begun.last().map_or(0, |job| job.begin).max(arrival.submitted);
        let mut times: Vec<u32> =
            begun.iter().map(|job| job.end.max(after)).chain([after]).collect();
        times.sort_unstable();
        let free = |begin: u32| -> Vec<NodeId> {
            let busy = begun.iter().filter(|job| job.end > begin);
            let busy: BTreeSet<NodeId> = busy.flat_map(|job| job.nodes.iter().copied()).collect();
            order.iter().filter(|node| !busy.contains(node)).copied().collect()
        };
        // When all others have ended, any job fits: this was checked before.
        let wanted = arrival.job.nodes() as usize;
        let fits = |&&begin: &&u32| free(begin).len() >= wanted;
        let begin = times.iter().find(fits).copied().unwrap_or(after);
        let nodes = free(begin).into_iter().take(wanted).collect();
        let (graph, step) = (workload.graphs.get(place), AsOneStep(progress));
        let df = network.0.dragonfly();
        let placed = workload.map.place(df, arrival.job, nodes, graph, (seed, number), &step);
        let programs = match (&workload.programs[place].1, begin) {
            (programs, 0) => Ok(programs.clone()),
            (programs, later) => programs.beginning_after(u64::from(later)),
        };
        let programs = programs.map_err(|error| refused("--iterations", error))?;
        let nodes = placed.map_err(not_mapped)?.node_of;
        begun.push(RunningJob { programs, nodes, begin, end: begin });
        let runs = begun.iter().map(|job| JobRun { programs: &job.programs, nodes: &job.nodes });
        let ends = ends(&runs.collect::<Vec<_>>())?;
        begun.iter_mut().zip(ends).for_each(|(job, end)| job.end = end);
    }
    let all = list.iter().zip(begun).zip(&workload.programs);
    all.map(|((&Arrival { number, submitted, job }, begun), (_, programs))| {
        let alone = ends(&[JobRun { programs, nodes: &begun.nodes }])?[0];
        let (wait, run) = (begun.begin - submitted, begun.end - begun.begin);
        let slow_down = f64::from(run) / f64::from(alone.max(1));
        Ok(row![seed, number, job.nodes(), submitted, wait, run, alone, slow_down])
    })
    .collect()
}
