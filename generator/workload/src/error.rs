//! What can be wrong with a workload.

use crate::rank::Rank;
use std::borrow::Cow;
use tvlb_base::progress::Cancelled;
use tvlb_base::text::{TextError, quoted};
use tvlb_schema::NodeId;

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
    /// A message of a list has an end that the job does not have.
    #[error("line {line}: there is no rank {rank}; accepted ranks of the job, 0 to {}", .ranks - 1)]
    NoRank {
        /// The line of the list, counted from 1.
        line: u32,
        /// The rank.
        rank: Rank,
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
    /// A job has no ranks.
    #[error("the job has no ranks; accepted at least 1")]
    NoRanks,
    /// The programs of a job are too long.
    #[error(
        "the job's ranks take more than {most} steps in an iteration; accepted at most so many"
    )]
    Steps {
        /// How many steps are accepted.
        most: usize,
    },
    /// A text that names no pattern of communication.
    #[error(
        "{} is not a pattern of communication; accepted alltoall, bisection, bisection rotated, \
         halo3d:XxYxZ, neighbour:XxYxZ:AXIS, graph:FILE and messages:FILE",
        quoted(.text)
    )]
    Motif {
        /// The text.
        text: String,
    },
    /// A text that names no grid.
    #[error(
        "{} is not a grid; accepted three lengths of at least 1, such as 6x6x4, of fewer than 2^32 \
         ranks",
        quoted(.text)
    )]
    Grid {
        /// The text.
        text: String,
    },
    /// A text that names no axis.
    #[error("{} is not an axis of a grid; accepted x, y and z", quoted(.text))]
    Axis {
        /// The text.
        text: String,
    },
    /// A grid of another size than the job.
    #[error("the grid {grid} has {found} ranks; accepted a grid of the job's {ranks}")]
    GridSize {
        /// The grid, as it is written.
        grid: String,
        /// How many ranks it has.
        found: u32,
        /// How many the job has.
        ranks: u32,
    },
    /// A graph of another size than the job.
    #[error("the graph has {found} ranks; accepted one of the job's {ranks}")]
    GraphSize {
        /// How many ranks it has.
        found: u32,
        /// How many the job has.
        ranks: u32,
    },
    /// A job that cannot be halved.
    #[error("the job has {ranks} ranks; accepted an even number for two halves")]
    OddRanks {
        /// How many ranks the job has.
        ranks: u32,
    },
    /// A half names a rank twice, or one that the job does not have.
    #[error("the first half names rank {rank}; accepted each rank once, of 0 to {}", .ranks - 1)]
    HalfMember {
        /// The rank.
        rank: Rank,
        /// How many ranks the job has.
        ranks: u32,
    },
    /// A half that is not half of the job.
    #[error("the first half has {found} ranks; accepted {}, half of the job's {ranks}", .ranks / 2)]
    HalfSize {
        /// How many ranks it has.
        found: usize,
        /// How many the job has.
        ranks: u32,
    },
    /// The text of a file, whatever it says.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A line of a file does not say what it should.
    #[error("line {line}: found {}, accepted {accepted}", quoted(.found))]
    Line {
        /// The line, counted from 1.
        line: u32,
        /// What is there.
        found: String,
        /// What it may be.
        accepted: Cow<'static, str>,
    },
    /// A matrix has fewer entries than it states.
    #[error(
        "line {line}: the matrix ends after {found} entries; accepted {expected}, as its sizes say"
    )]
    Entries {
        /// The last line, counted from 1.
        line: u32,
        /// How many entries were found.
        found: u64,
        /// How many the matrix states.
        expected: u64,
    },
    /// A text that names no job.
    #[error(
        "{} is not a job; accepted RANKS or RANKSxPER_NODE, such as 72x2, with 1 to 16777216 ranks and \
         at least 1 on a node",
        quoted(.text)
    )]
    Job {
        /// The text.
        text: String,
    },
    /// A text that names no placement of jobs.
    #[error(
        "{} is not a placement of jobs; accepted cluster, spread, random, groups and listed:FILE",
        quoted(.text)
    )]
    Placement {
        /// The text.
        text: String,
    },
    /// A line of a list names a node that the machine does not have.
    #[error(
        "line {line}: found node {node}{}, accepted a node of the machine, 0 to {last}",
        if node < last { ", which the machine does not have" } else { "" }
    )]
    NoSuchNode {
        /// The line, counted from 1.
        line: usize,
        /// The number of the node.
        node: NodeId,
        /// The last node of the machine.
        last: NodeId,
    },
    /// A list names a node twice.
    #[error("line {line}: node {node} already stands in line {first}, accepted each node once")]
    NodeTwice {
        /// The line, counted from 1.
        line: usize,
        /// The node.
        node: NodeId,
        /// The line where it stands first.
        first: usize,
    },
    /// A job for which there are not enough nodes.
    #[error("job {job} takes {wanted} nodes, but {free} are free; accepted jobs that fit together")]
    Nodes {
        /// The number of the job, counted from 0.
        job: usize,
        /// How many nodes it takes.
        wanted: u32,
        /// How many the jobs before it leave.
        free: usize,
    },
    /// A text that names no map of ranks.
    #[error("{} is not a map of ranks; accepted linear, random and bisect", quoted(.text))]
    Map {
        /// The text.
        text: String,
    },
    /// A text that names no order of sends.
    #[error("{} is not an order of sends; accepted given and coloured", quoted(.text))]
    SendOrder {
        /// The text.
        text: String,
    },
    /// A rank has more messages than a colouring has room for.
    #[error(
        "a rank sends or receives {messages} messages between two waits, and the job has {ranks} ranks; \
         accepted for the order coloured: a product of at most 33554432"
    )]
    Colours {
        /// How many messages the rank sends or receives.
        messages: usize,
        /// How many ranks the job has.
        ranks: u32,
    },
    /// A map that needs to know who exchanges messages with whom.
    #[error("map bisect needs to know who exchanges messages with whom; accepted with a graph")]
    NoGraph,
    /// The caller has cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
