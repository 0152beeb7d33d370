//! Why jobs did not run to their end.

use crate::jobs::JobError;
use crate::workload::Rank;
use std::fmt;
use tvlb_simulator::RunError;
use tvlb_simulator::parts::MOST_CYCLES;

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
    #[error(
        "cycle {cycle}: after {iterations} iterations a message from rank {sender} to rank {receiver} was sent \
         {sent} times, its receive was posted {posted} times, and it arrived {arrived} times"
    )]
    Unsettled {
        cycle: u32,
        iterations: u32,
        /// Counted over all jobs, as the receiver is.
        sender: u32,
        receiver: u32,
        sent: u32,
        posted: u32,
        arrived: u32,
    },
    #[error(
        "{} not done after {MOST_CYCLES} cycles, the most that a run may have",
        if *left == 1 { "1 rank is".to_owned() } else { format!("{left} ranks are") }
    )]
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

/// A rank that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckRank {
    /// Its job, counted from 0.
    pub job: u32,
    pub rank: Rank,
    /// The iteration that it is in, counted from 0.
    pub iteration: u32,
    /// The step that it has taken last, counted from 0.
    pub step: u32,
    /// The rank that it waits for; of several, one.
    pub other: Option<Rank>,
    /// Whether it waits to send; otherwise it waits for all that it has opened.
    pub sends: bool,
}
