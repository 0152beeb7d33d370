//! When jobs, their iterations and their phases ended.

use crate::jobs::JobRun;
use serde::Serialize;

/// When each part of each job ended, kept as ranks reach it.
#[derive(Debug)]
pub(crate) struct Times {
    /// By job.
    jobs: Vec<JobTimes>,
}

/// When a job ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct JobTimes {
    /// For each iteration, the cycle in which the last rank ended it. The last of these is the running time
    /// of the job, because all ranks begin in cycle 0.
    pub iterations: Vec<u32>,
    /// For each iteration and each of its phases, the cycle in which the last rank ended it. Empty if the programs mark
    /// no phases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<Vec<u32>>,
}

impl JobTimes {
    /// Cycles from the beginning of the run to the end of the job's last iteration.
    pub fn running_time(&self) -> u32 {
        self.iterations.last().copied().unwrap_or(0)
    }

    /// How many cycles an iteration took, counted from 0: from the end of the iteration before, or from the
    /// beginning of the run.
    pub fn iteration_cycles(&self, iteration: usize) -> Option<u32> {
        let end = self.iterations.get(iteration)?;
        let begin = iteration.checked_sub(1).map_or(0, |before| self.iterations[before]);
        Some(end - begin)
    }
}

impl Times {
    pub(crate) fn new(jobs: &[JobRun<'_>]) -> Self {
        let of_job = |job: &JobRun<'_>| {
            let iterations = job.programs.iterations().get() as usize;
            let phases = job.programs.phases() as usize;
            JobTimes {
                iterations: vec![0; iterations],
                phases: if phases > 0 { vec![vec![0; phases]; iterations] } else { Vec::new() },
            }
        };
        Self { jobs: jobs.iter().map(of_job).collect() }
    }

    pub(crate) fn iteration_ends(&mut self, job: u32, iteration: u32, now: u32) {
        let end = &mut self.jobs[job as usize].iterations[iteration as usize];
        *end = now.max(*end);
    }

    pub(crate) fn phase_ends(&mut self, job: u32, iteration: u32, phase: u32, now: u32) {
        let end = &mut self.jobs[job as usize].phases[iteration as usize][phase as usize];
        *end = now.max(*end);
    }

    pub(crate) fn jobs(&self) -> &[JobTimes] {
        &self.jobs
    }
}
