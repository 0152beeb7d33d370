//! What `tvlb run` runs: jobs by their options, and one run of them.

use crate::failure::Failure;
use crate::{jobs, values};
use clap::Args;
use serde::Serialize;
use std::num::NonZeroU32;
use tvlb_progress::{AsOneStep, Progress};
use tvlb_schema::{Dragonfly, NodeId};
use tvlb_simulator::{
    BootedFabric, Completion, CompletionError, JobError, JobRun, LeastTime, MessageSettings,
    RunError, Settings, complete, least_time,
};
use tvlb_workload::{Graph, Job, JobPlacement, Programs, RankMap};

/// The jobs, what their ranks do, and how messages travel.
#[derive(Args)]
pub(super) struct Options {
    /// The jobs, separated by commas: `RANKS`, or `RANKSxPER_NODE` for more than one rank on a node
    #[arg(long, value_name = "JOBS", required = true, value_delimiter = ',')]
    jobs: Vec<String>,
    /// What the ranks do: a pattern of communication, once for all jobs, or once for each in their order;
    /// see --help
    #[arg(long, value_name = "PATTERN", required = true)]
    workload: Vec<String>,
    /// The length of each message, unless the pattern is a list of messages: a number of bytes, or of KB
    /// or MB, which are powers of 1000
    #[arg(long, value_name = "BYTES", default_value = "100KB", value_parser = values::bytes)]
    bytes: u64,
    /// How often every rank runs its program
    #[arg(long, value_name = "N", default_value = "1")]
    iterations: NonZeroU32,
    /// Which nodes the jobs take; see --help
    #[arg(long, value_name = "PLACEMENT", default_value = "cluster")]
    with: String,
    /// On which of its nodes a job runs each rank; see --help
    #[arg(long, value_name = "MAP", default_value = "linear")]
    map: String,
    /// Bytes of a packet, which is a flit
    #[arg(long, value_name = "BYTES", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Messages")]
    packet_bytes: u32,
    /// The longest message that leaves before its receive is posted
    #[arg(long, value_name = "BYTES", default_value = "12KB", value_parser = values::bytes, help_heading = "Messages")]
    eager_limit: u64,
    /// Cycles until a node knows that a receive was posted or a message has arrived at another [default:
    /// the least that the scheme and the latencies allow]
    #[arg(long, value_name = "CYCLES", help_heading = "Messages")]
    control_latency: Option<u32>,
}

/// One run.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Run {
    pub(super) seed: u64,
    #[serde(flatten)]
    pub(super) completion: Completion,
    /// Cycles that the run cannot do with fewer of, by cause.
    pub(super) least_time: LeastTime,
}

/// What runs, as it is for every seed.
pub(super) struct Workload {
    pub(super) jobs: Vec<Job>,
    /// For each job the name of its pattern, and its programs.
    pub(super) programs: Vec<(String, Programs)>,
    /// Who exchanges bytes with whom, where the map asks for it.
    graphs: Vec<Graph>,
    pub(super) placement: JobPlacement,
    pub(super) map: RankMap,
    /// The length of a message.
    pub(super) bytes: u64,
    pub(super) messages: MessageSettings,
}

impl Workload {
    pub(super) fn of(arguments: &Options, df: &Dragonfly) -> Result<Self, Failure> {
        let jobs = jobs::jobs(&arguments.jobs)?;
        let map: RankMap = arguments.map.parse().map_err(|error| jobs::refused("--map", error))?;
        let placement = jobs::placement("--with", &arguments.with)?;
        // Before the programs, whose size the jobs decide. Whether jobs fit does not depend on the seed.
        placement.nodes(df, &jobs, 0).map_err(|error| jobs::refused("--jobs, --with", error))?;
        let often = (arguments.bytes, arguments.iterations);
        let named = |name: &str, programs| (name.to_owned(), programs);
        let programs: Vec<(String, Programs)> =
            jobs::of_programs("--workload", &arguments.workload, &jobs, often, named)?;
        let graphs = match map {
            RankMap::Bisect => programs.iter().map(|(_, programs)| programs.graph()).collect(),
            _ => Vec::new(),
        };
        Ok(Self {
            jobs,
            programs,
            graphs,
            placement,
            map,
            bytes: arguments.bytes,
            messages: MessageSettings {
                packet_bytes: arguments.packet_bytes,
                eager_limit_bytes: arguments.eager_limit,
                control_latency_cycles: arguments.control_latency,
            },
        })
    }

    /// For each job the node of each rank.
    fn nodes(
        &self,
        df: &Dragonfly,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<NodeId>>, Failure> {
        let nodes = self.placement.nodes(df, &self.jobs, seed);
        let nodes = nodes.map_err(|error| jobs::refused("--jobs, --with", error))?;
        let placed = (0..).zip(self.jobs.iter().zip(nodes)).map(|(number, (&job, nodes))| {
            let graph = self.graphs.get(number as usize);
            // A run is a step, and so is what it begins with.
            let step = AsOneStep(progress);
            let placed = self.map.place(df, job, nodes, graph, (seed, number), &step);
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
    ) -> Result<Run, Failure> {
        let nodes = self.nodes(fabric.dragonfly(), seed, progress)?;
        let jobs: Vec<JobRun<'_>> = self
            .programs
            .iter()
            .zip(&nodes)
            .map(|((_, programs), nodes)| JobRun { programs, nodes })
            .collect();
        match complete(fabric, settings, &jobs, &self.messages, seed, progress) {
            Ok(completion) => {
                let least_time = least_time(fabric, settings, &jobs, &self.messages);
                Ok(Run { seed, completion, least_time })
            }
            Err(CompletionError::Run(RunError::Cancelled(_))) => Err(Failure::Interrupted),
            Err(CompletionError::Jobs(error)) => Err(match error {
                JobError::ControlLatency { .. } => jobs::refused("--control-latency", error),
                JobError::Message { .. } => jobs::refused("--bytes", error),
                error => Failure::of(error),
            }),
            Err(error) => Err(jobs::refused(&format!("seed {seed}"), error)),
        }
    }
}
