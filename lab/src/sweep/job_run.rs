//! A run of jobs: everything that it depends on, and how it is made.

use super::error::SweepError;
use serde::Serialize;
use tvlb_base::progress::Progress;
use tvlb_jobs::workload::Programs;
use tvlb_jobs::{Completion, CompletionError, JobRun, MessageSettings, complete};
use tvlb_schema::NodeId;
use tvlb_simulator::{BootedFabric, RunError, Settings};
use tvlb_table_set::runs::build;
use tvlb_table_set::sha256;

/// The programs of jobs, and the SHA-256 of them.
pub(crate) struct JobPrograms {
    pub(crate) of_jobs: Vec<Programs>,
    hash: String,
}

impl JobPrograms {
    /// Each job on the nodes of its ranks.
    pub(crate) fn on<'j>(&'j self, nodes: &'j [Vec<NodeId>]) -> Vec<JobRun<'j>> {
        let all = self.of_jobs.iter().zip(nodes);
        all.map(|(programs, nodes)| JobRun { programs, nodes }).collect()
    }
}

impl From<Vec<Programs>> for JobPrograms {
    fn from(of_jobs: Vec<Programs>) -> Self {
        let hash = sha256(format!("{of_jobs:?}").as_bytes());
        Self { of_jobs, hash }
    }
}

/// What a run of jobs is made with, but for its images.
pub(crate) struct PlacedJobs<'j> {
    pub(crate) programs: &'j JobPrograms,
    /// For each job the node of each rank.
    pub(crate) nodes: &'j [Vec<NodeId>],
    pub(crate) settings: &'j Settings,
    pub(crate) messages: &'j MessageSettings,
    pub(crate) seed: u64,
}

/// Everything that a run depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct JobSubject {
    tool_version: &'static str,
    wiring: String,
    rules: String,
    settings: Settings,
    messages: MessageSettings,
    programs: String,
    nodes: String,
    seed: u64,
    /// What is kept of it.
    found: &'static str,
}

impl PlacedJobs<'_> {
    /// What a run on a fabric of this wiring, by sets of these rules, is kept under.
    pub(crate) fn subject(&self, wiring: &str, rules: String, found: &'static str) -> JobSubject {
        let nodes = self.nodes.iter().flatten();
        let nodes: Vec<u8> = nodes.flat_map(|node| node.0.to_le_bytes()).collect();
        JobSubject {
            tool_version: build(),
            wiring: wiring.to_owned(),
            rules,
            settings: self.settings.clone(),
            messages: self.messages.clone(),
            programs: self.programs.hash.clone(),
            nodes: sha256(&nodes),
            seed: self.seed,
            found,
        }
    }

    /// Makes the run.
    ///
    /// # Errors
    /// It failed, and then has the name that is given, or the work was cancelled.
    pub(crate) fn complete(
        &self,
        fabric: &BootedFabric<'_>,
        name: impl FnOnce() -> String,
        progress: &dyn Progress,
    ) -> Result<Completion, SweepError> {
        let Self { programs, nodes, settings, messages, seed } = *self;
        let jobs = programs.on(nodes);
        let completion = complete(fabric, settings, &jobs, messages, seed, progress);
        completion.map_err(|error| match error {
            CompletionError::Run(RunError::Cancelled(cancelled)) => cancelled.into(),
            error => SweepError::Run { run: name(), error: error.into() },
        })
    }
}
