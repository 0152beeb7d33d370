//! A run to completion: ranks run their programs until the last one has taken its last step.
//!
//! Nothing is warmed up and nothing is drawn but paths: the network is empty in cycle 0, when all ranks
//! begin, and what is measured is when they end. The same images, settings, jobs and seed give the same
//! figures, however many threads there are and however far chunks of switches run ahead.

use crate::fabric::BootedFabric;
use crate::job_times::JobTimes;
use crate::jobs::{self, JobError, JobRun, MessageSettings};
use crate::messages::Messages;
use crate::outcome::{LinkLoad, by_kind, link_loads};
use crate::ranks::{Ranks, StuckRank};
use crate::run::{Run, RunError};
use crate::settings::{MOST_CYCLES, Settings, least_control_latency};
use serde::Serialize;
use std::fmt;
use tvlb_base::progress::Progress;
use tvlb_schema::{Port, SwitchId};
use tvlb_traffic::Traffic;

/// Cycles from one look at the ranks to the next.
const LOOK: u32 = 1024;
/// So many ranks that wait for ever are named.
const MOST_NAMED: usize = 5;

/// The figures of a run to completion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Completion {
    /// Cycles until the last rank of all jobs had taken its last step.
    pub cycles: u32,
    /// When each job ended.
    pub jobs: Vec<JobTimes>,
    /// Packets that were delivered; what ranks of one node exchange has none.
    pub packets: u64,
    /// Mean cycles from the node's sending of a packet to its delivery.
    pub network_latency: f64,
    /// Mean number of links between switches that a packet took.
    pub hops: f64,
    /// How many packets crossed 0, 1, 2, … links between switches.
    pub packets_by_hops: Vec<u64>,
    /// Share of the packets that took VLB.
    pub vlb_share: f64,
    /// The load of the links within groups, over all cycles.
    pub local_links: LinkLoad,
    /// The load of the links between groups, over all cycles.
    pub global_links: LinkLoad,
    /// Flits per cycle on each link between switches over all cycles, by switch and port.
    #[serde(skip)]
    pub links: Vec<(SwitchId, Port, f64)>,
    /// Switches crossed by all flits together.
    pub flit_hops: u64,
}

/// Why a run did not complete.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompletionError {
    #[error(transparent)]
    Jobs(#[from] JobError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Stuck(#[from] StuckRanks),
    #[error("{left} ranks are not done after {MOST_CYCLES} cycles, the most that a run may have")]
    TooLong { left: u32 },
}

/// Ranks whose programs wait for each other for ever: nothing is under way in the network, and no rank can
/// go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckRanks {
    /// The cycle in which it was seen that nothing can happen any more.
    pub cycle: u32,
    /// Some of the ranks, by job and rank.
    pub ranks: Vec<StuckRank>,
    /// How many ranks wait.
    pub count: u32,
}

impl std::error::Error for StuckRanks {}

impl fmt::Display for StuckRanks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cycle, ranks, count } = self;
        write!(
            f,
            "at cycle {cycle}, {count} {} for ever:",
            if *count == 1 { "rank waits" } else { "ranks wait" }
        )?;
        for StuckRank { job, rank, iteration, step, other, sends } in ranks {
            write!(f, "\n  rank {rank} of job {job}, iteration {iteration}, step {step}, waits ")?;
            match (other, sends) {
                (Some(other), true) => write!(f, "until rank {other} posts the receive"),
                (Some(other), false) => {
                    write!(f, "for a message that it exchanges with rank {other}")
                }
                (None, _) => write!(f, "for nothing that is known"),
            }?;
        }
        let more = *count as usize - ranks.len();
        if more > 0 { write!(f, "\n  and {more} more") } else { Ok(()) }
    }
}

/// Runs jobs until their last rank has taken its last step. No step is reported to `progress`, because a
/// run is itself a step of its caller's work.
///
/// Of the settings, windows, warm-up, latency limit and what is measured play no part. The seed decides
/// which paths are drawn.
///
/// # Errors
/// Jobs or settings that cannot run, ranks that wait for ever, or what ended the run before.
///
/// # Example
/// ```no_run
/// use std::num::NonZeroU32;
/// use tvlb_simulator::{BootedFabric, JobRun, MessageSettings, Settings, complete};
/// use tvlb_schema::NodeId;
/// use tvlb_traffic::workload::{Programs, Rank, Step};
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
    let traffic = Traffic::silent(fabric.dragonfly());
    let mut run = begin(fabric, settings, &traffic, jobs, messages, seed)?;
    while !is_complete(&run) {
        progress.check().map_err(RunError::from)?;
        advance(&mut run, LOOK)?;
    }
    run.inspect()?;
    run.network.check_messages().map_err(RunError::from)?;
    Ok(figures(run))
}

/// A run in cycle 0 whose nodes send what ranks give them.
pub(crate) fn begin<'f>(
    fabric: &'f BootedFabric<'f>,
    settings: &'f Settings,
    traffic: &'f Traffic,
    jobs: &[JobRun<'f>],
    messages: &MessageSettings,
    seed: u64,
) -> Result<Run<'f>, CompletionError> {
    let least = least_control_latency(settings);
    jobs::check(jobs, fabric.nodes(), messages, least)?;
    let mut run = Run::to_completion(fabric, settings, traffic, seed).map_err(RunError::from)?;
    let network = &mut run.network;
    let mut under_way = Messages::new(network.states.all_chunks);
    let sources = &network.sources;
    let ranks = Ranks::new(
        jobs,
        messages,
        messages.control_latency_cycles.unwrap_or(least),
        fabric.dragonfly().node_numbers(),
        |node| sources[node.as_usize()].input.chunk(),
        &mut under_way,
    );
    network.ranks = Some(Box::new(ranks));
    network.links.messages = Some(Box::new(under_way));
    Ok(run)
}

pub(crate) fn is_complete(run: &Run<'_>) -> bool {
    run.network.ranks.as_ref().is_none_or(|ranks| ranks.left == 0)
}

/// Runs some cycles, unless nothing can happen any more.
pub(crate) fn advance(run: &mut Run<'_>, cycles: u32) -> Result<(), CompletionError> {
    let network = &mut run.network;
    let (Some(ranks), Some(messages)) = (&network.ranks, &network.links.messages) else {
        return Ok(());
    };
    if network.now > MOST_CYCLES - cycles {
        return Err(CompletionError::TooLong { left: ranks.left });
    }
    let is_idle = network.links.is_empty() && ranks.all_has_left();
    match messages.next_cycle() {
        None if is_idle => {
            let (ranks, count) = ranks.stuck(MOST_NAMED);
            return Err(StuckRanks { cycle: network.now, ranks, count }.into());
        }
        // All ranks compute, and nothing else happens until the first of them goes on.
        Some(next) if is_idle && next > network.now => {
            if next > MOST_CYCLES - cycles {
                return Err(CompletionError::TooLong { left: ranks.left });
            }
            network.now = next;
        }
        _ => {}
    }
    Ok(run.advance(cycles)?)
}

pub(crate) fn figures(run: Run<'_>) -> Completion {
    let network = run.network;
    let packets = network.links.tally.whole();
    #[expect(clippy::cast_precision_loss, reason = "sums stay far below 2^53")]
    let mean = |sum: u64| match packets.latency.count() {
        0 => 0.0,
        count => sum as f64 / count as f64,
    };
    let jobs = network.ranks.as_ref().map_or(&[][..], |ranks| ranks.times.jobs());
    let cycles = jobs.iter().map(JobTimes::running_time).max().unwrap_or(0);
    let links = link_loads(&network, &network.link_flits(), f64::from(cycles.max(1)));
    let [local_links, global_links] = by_kind(&network, &links);
    Completion {
        cycles,
        jobs: jobs.to_vec(),
        packets: packets.latency.count(),
        network_latency: mean(packets.network),
        hops: mean(packets.hops()),
        packets_by_hops: packets.by_hops.to_vec(),
        vlb_share: mean(packets.by_vlb),
        local_links,
        global_links,
        links,
        flit_hops: network.links.grants,
    }
}
