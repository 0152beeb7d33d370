//! The workload of `tvlb-lab run`: jobs by their options, and one run of them.

use crate::jobs;
use clap::Args;
use serde::Serialize;
use tvlb::failure::{Failure, refused};
use tvlb::values;
use tvlb_base::progress::{AsOneStep, Progress};
use tvlb_jobs::workload::{Arrival, Graph, Job, Programs, RankMap, SendOrder, place};
use tvlb_jobs::{
    Completion, CompletionError, JobError, JobRun, LeastTime, MessageSettings, complete, least_time,
};
use tvlb_schema::{NodeId, Nodes};
use tvlb_simulator::{BootedFabric, RunError, Settings, least_control_latency};
use tvlb_table_set::names::Parts;
use tvlb_traffic::PlacementRule;

/// The jobs, what their ranks do, and how messages travel.
#[derive(Args)]
pub(super) struct WorkloadOptions {
    #[command(flatten)]
    exchange: jobs::ExchangeOptions,
    /// Which nodes the jobs take (listed at the end of --help)
    #[arg(long, value_name = "PLACEMENT", default_value = "identity")]
    with: String,
    /// On which of its nodes a job runs each rank (listed at the end of --help)
    #[arg(long, value_name = "MAP", default_value = "linear")]
    map: String,
    /// In which order ranks send between two waits: `given`, as in their programs, or `coloured`: all receives are
    /// posted first, and then every rank has one partner at a time, no two ranks the same
    #[arg(long, value_name = "ORDER", default_value = "given")]
    order: String,
    /// For how many cycles every rank computes before it communicates, in each iteration
    #[arg(long, value_name = "CYCLES", default_value_t = 0, value_parser = values::count(0_u32..=1_000_000_000))]
    compute: u32,
    #[command(flatten)]
    messages: jobs::MessageOptions,
    #[command(flatten)]
    hosts: tvlb::hosts::HostOption,
}

/// One run.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct JobsRun {
    pub(super) seed: u64,
    /// For each job, the node of each rank.
    #[serde(skip)]
    pub(super) nodes: Vec<Vec<NodeId>>,
    #[serde(flatten)]
    pub(super) completion: Completion,
    /// The least cycles of the run, by cause.
    pub(super) least_time: LeastTime,
}

/// The part of the runs that is the same for every seed.
pub(super) struct Workload {
    pub(super) jobs: Vec<Job>,
    /// When the jobs arrive, if a list says so; else all begin in cycle 0.
    pub(super) arrivals: Option<Vec<Arrival>>,
    /// For each job, the name of its pattern and its programs.
    pub(super) programs: Vec<(String, Programs)>,
    /// For each job, the length of its messages; `None` if a list gives each its own.
    pub(super) bytes: Vec<Option<u64>>,
    /// The bytes between ranks, if the map needs them.
    pub(super) graphs: Vec<Graph>,
    pub(super) placement: PlacementRule,
    pub(super) map: RankMap,
    pub(super) order: SendOrder,
    /// Before each iteration, in cycles.
    pub(super) compute_cycles: u32,
    pub(super) messages: MessageSettings,
}

impl Workload {
    pub(super) fn of(
        arguments: &WorkloadOptions,
        fabric: &BootedFabric<'_>,
        settings: &Settings,
    ) -> Result<Self, Failure> {
        let (among, names, df) = (fabric.nodes(), fabric.names(), fabric.dragonfly());
        let arrivals = arguments.exchange.job_list()?;
        let jobs = match &arrivals {
            Some(list) => list.iter().map(|arrival| arrival.job).collect(),
            None => arguments.exchange.jobs()?,
        };
        let map: RankMap = arguments.map.parse().map_err(|error| refused("--map", error))?;
        let hosts = arguments.hosts.read(df, names)?;
        let parts = Parts::new(df, names).with_hosts(hosts.nodes_by_host());
        let placement = jobs::placement("--with", &arguments.with, &parts)?;
        // Before the programs, whose size depends on the jobs. Whether jobs fit does not depend on the seed.
        let together = if arrivals.is_some() { 1 } else { jobs.len() };
        for jobs in jobs.chunks(together.max(1)) {
            place(&placement, among, jobs, 0).map_err(|error| refused("--jobs, --with", error))?;
        }
        let order: SendOrder =
            arguments.order.parse().map_err(|error| refused("--order", error))?;
        let programs = arguments.exchange.programs(&jobs)?.into_iter().map(|(name, programs)| {
            let programs = order.of(&programs).map_err(|error| refused("--order", error))?;
            let programs = programs.after_computing(u64::from(arguments.compute));
            Ok((name, programs.map_err(|error| refused("--compute", error))?))
        });
        let programs: Vec<(String, Programs)> = programs.collect::<Result<_, Failure>>()?;
        let graphs = match map {
            RankMap::Bisect => programs.iter().map(|(_, programs)| programs.graph()).collect(),
            _ => Vec::new(),
        };
        let bytes = programs.iter().map(|(name, _)| arguments.exchange.bytes_of(name)).collect();
        Ok(Self {
            jobs,
            arrivals,
            programs,
            bytes,
            graphs,
            placement,
            map,
            order,
            compute_cycles: arguments.compute,
            messages: arguments.messages.settings_with(least_control_latency(settings)),
        })
    }

    /// For each job, the node of each rank.
    fn nodes(
        &self,
        among: &Nodes,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<NodeId>>, Failure> {
        let nodes = place(&self.placement, among, &self.jobs, seed);
        let nodes = nodes.map_err(|error| refused("--jobs, --with", error))?;
        let placed = (0..).zip(self.jobs.iter().zip(nodes)).map(|(number, (&job, nodes))| {
            let graph = self.graphs.get(number as usize);
            // A run, with its preparation, is one step.
            let step = AsOneStep(progress);
            let placed =
                self.map.place(among.dragonfly(), job, nodes, graph, (seed, number), &step);
            placed.map(|placed| placed.node_of).map_err(jobs::not_mapped)
        });
        placed.collect()
    }

    pub(super) fn run(
        &self,
        fabric: &BootedFabric<'_>,
        settings: &Settings,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<JobsRun, Failure> {
        let nodes = self.nodes(fabric.nodes(), seed, progress)?;
        let jobs: Vec<JobRun<'_>> = self
            .programs
            .iter()
            .zip(&nodes)
            .map(|((_, programs), nodes)| JobRun { programs, nodes })
            .collect();
        let completion = self.complete((fabric, settings), &jobs, seed, progress)?;
        let least_time = least_time(fabric, settings, &jobs, &self.messages);
        Ok(JobsRun { seed, nodes, completion, least_time })
    }

    /// Runs jobs to their end.
    pub(super) fn complete(
        &self,
        (fabric, settings): (&BootedFabric<'_>, &Settings),
        jobs: &[JobRun<'_>],
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<Completion, Failure> {
        match complete(fabric, settings, jobs, &self.messages, seed, progress) {
            Ok(completion) => Ok(completion),
            Err(CompletionError::Run(RunError::Cancelled(_))) => Err(Failure::Interrupted),
            Err(CompletionError::Jobs(error)) => Err(match error {
                JobError::ControlLatency { .. } => refused("--control-latency", error),
                JobError::Message { .. } => refused("--bytes", error),
                error => Failure::of(error),
            }),
            Err(error) => Err(refused(&format!("seed {seed}"), error)),
        }
    }
}
