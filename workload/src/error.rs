//! What can be wrong with a workload.

use crate::rank::Rank;

/// What is wrong with a workload, or why it does not fit a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// A job has more ranks than their numbers can tell apart.
    #[error("the job has {found} ranks; accepted at most {}", u32::MAX)]
    Ranks {
        /// How many ranks were found.
        found: usize,
    },
    /// A rank exchanges a message with itself or with a rank that its job does not have.
    #[error(
        "rank {rank} exchanges a message with rank {other}; accepted another rank of the job, 0 to {}",
        .ranks - 1
    )]
    Partner {
        /// The rank.
        rank: Rank,
        /// With whom it exchanges a message.
        other: Rank,
        /// How many ranks the job has.
        ranks: u32,
    },
    /// A receive or a send is open where an iteration ends.
    #[error(
        "rank {rank} ends an iteration with a receive or a send open; accepted a wait after the last of \
         them"
    )]
    NotAwaited {
        /// The rank.
        rank: Rank,
    },
    /// A rank marks another number of phases than rank 0.
    #[error("rank {rank} ends {found} phases in an iteration; accepted {expected}, as rank 0 does")]
    Phases {
        /// The rank.
        rank: Rank,
        /// How many phases it ends.
        found: u32,
        /// How many rank 0 ends.
        expected: u32,
    },
    /// A rank sends another rank more or fewer messages than that one is ready for.
    #[error(
        "rank {from} sends {sent} messages to rank {to} in an iteration, which posts {posted} receives \
         from it; accepted equally many"
    )]
    Counts {
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
        /// How many messages the sender sends.
        sent: usize,
        /// How many receives the receiver posts.
        posted: usize,
    },
    /// The two ends of a message give it different lengths.
    #[error(
        "message {number} from rank {from} to rank {to} is sent with {sent} bytes and received with \
         {posted}; accepted the same length on both sides"
    )]
    Lengths {
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
        /// Which message of this pair it is, counted from 1.
        number: usize,
        /// Its length at the sender, in bytes.
        sent: u64,
        /// Its length at the receiver, in bytes.
        posted: u64,
    },
}
