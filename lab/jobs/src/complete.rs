//! A run to completion: ranks run their programs until the last one has taken its last step.
//!
//! There is no warm-up and only paths are drawn: the network is empty in cycle 0, when all ranks begin, and the result
//! is when they end. The same images, settings, jobs and seed give the same figures, however many threads there are and
//! however far chunks of switches run ahead.

use crate::completion_error::{CompletionError, StuckRanks};
use crate::job_times::JobTimes;
use crate::jobs::{self, JobRun, MessageSettings};
use crate::ranks::Ranks;
use serde::Serialize;
use tvlb_base::progress::Progress;
use tvlb_simulator::parts::MOST_CYCLES;
use tvlb_simulator::{
    BootedFabric, Chunks, Delivered, Run, RunError, Settings, least_control_latency,
};

/// Cycles from one look at the ranks to the next.
const LOOK: u32 = 1024;
/// The most waiting ranks that are named.
const MOST_NAMED: usize = 5;

/// The figures of a run to completion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Completion {
    /// Cycles until the last rank of all jobs had taken its last step.
    pub cycles: u32,
    /// When each job ended.
    pub jobs: Vec<JobTimes>,
    /// The packets that the network delivered; messages within one node need none.
    #[serde(flatten)]
    pub network: Delivered,
}

/// Runs jobs until their last rank has taken its last step. No step is reported to `progress`, because a
/// run is itself a step of its caller's work.
///
/// The windows, warm-up, latency limit and measurement in the settings are ignored. The seed decides which paths are
/// drawn.
///
/// # Errors
/// Jobs or settings that cannot run, ranks that wait for ever, or another cause that ended the run.
///
/// # Example
/// ```no_run
/// use std::num::NonZeroU32;
/// use tvlb_jobs::{JobRun, MessageSettings, complete};
/// use tvlb_simulator::{BootedFabric, Settings};
/// use tvlb_schema::NodeId;
/// use tvlb_jobs::workload::{Programs, Rank, Step};
///
/// # fn example(fabric: &BootedFabric, settings: &Settings) -> Result<(), Box<dyn std::error::Error>> {
/// // Two ranks exchange a megabyte.
/// let exchange = |with| [
///     Step::Post { from: Rank(with), bytes: 1_000_000 },
///     Step::Send { to: Rank(with), bytes: 1_000_000 },
///     Step::Wait,
/// ];
/// let programs = Programs::new([exchange(1), exchange(0)], NonZeroU32::MIN)?;
/// let job = JobRun { programs: &programs, nodes: &[NodeId(0), NodeId(40)] };
/// let completion = complete(fabric, settings, &[job], &MessageSettings::default(), 1, &())?;
/// println!("{} cycles", completion.jobs[0].running_time());
/// # Ok(())
/// # }
/// ```
pub fn complete(
    fabric: &BootedFabric<'_>,
    settings: &Settings,
    jobs: &[JobRun<'_>],
    messages: &MessageSettings,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Completion, CompletionError> {
    let mut run = begin(fabric, settings, jobs, messages, seed)?;
    while !is_complete(&run) {
        progress.check().map_err(RunError::from)?;
        advance(&mut run, LOOK)?;
    }
    run.inspect()?;
    run.packets().check_messages(run.now())?;
    Ok(figures(&run))
}

/// A run in cycle 0 whose nodes send the messages of ranks.
pub(crate) fn begin<'f>(
    fabric: &'f BootedFabric<'f>,
    settings: &'f Settings,
    jobs: &[JobRun<'f>],
    messages: &MessageSettings,
    seed: u64,
) -> Result<Run<'f, Ranks<'f>>, CompletionError> {
    let least = least_control_latency(settings);
    jobs::check(jobs, fabric.nodes(), messages, least)?;
    let control_latency = messages.control_latency_cycles.unwrap_or(least);
    let nodes = fabric.dragonfly().node_numbers();
    let ranks = Ranks::new(jobs, messages, control_latency, nodes, Chunks::of(fabric));
    Ok(Run::of(fabric, settings, ranks, seed).map_err(RunError::from)?)
}

pub(crate) fn is_complete(run: &Run<'_, Ranks<'_>>) -> bool {
    run.packets().left == 0
}

/// Runs some cycles, unless nothing can happen any more.
pub(crate) fn advance(run: &mut Run<'_, Ranks<'_>>, cycles: u32) -> Result<(), CompletionError> {
    let ranks = run.packets();
    if run.now() > MOST_CYCLES - cycles {
        return Err(CompletionError::TooLong { left: ranks.left });
    }
    let is_idle = run.is_empty() && ranks.all_has_left();
    match ranks.under_way.next_cycle() {
        None if is_idle => {
            let (ranks, count) = ranks.stuck(MOST_NAMED);
            return Err(StuckRanks { cycle: run.now(), ranks, count }.into());
        }
        // All ranks compute, and nothing else happens until the first of them goes on.
        Some(next) if is_idle && next > run.now() => {
            if next > MOST_CYCLES - cycles {
                return Err(CompletionError::TooLong { left: ranks.left });
            }
            run.skip_to(next);
        }
        _ => {}
    }
    Ok(run.advance(cycles)?)
}

pub(crate) fn figures(run: &Run<'_, Ranks<'_>>) -> Completion {
    let jobs = run.packets().times.jobs();
    let cycles = jobs.iter().map(JobTimes::running_time).max().unwrap_or(0);
    Completion { cycles, jobs: jobs.to_vec(), network: run.delivered(cycles) }
}
