//! What can be wrong with a workload.

use crate::PlacementError;
use crate::workload::rank::Rank;
use std::borrow::Cow;
use tvlb_base::progress::Cancelled;
use tvlb_base::text::{TextError, quoted};

/// What is wrong with a workload, or why it does not fit a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    #[error("the job has {found} ranks; accepted at most {}", u32::MAX)]
    Ranks { found: usize },
    #[error(
        "rank {rank} exchanges a message with rank {other}; accepted another rank of the job, 0 to {}",
        .ranks - 1
    )]
    Partner { rank: Rank, other: Rank, ranks: u32 },
    #[error("line {line}: there is no rank {rank}; accepted ranks of the job, 0 to {}", .ranks - 1)]
    NoRank { line: u32, rank: Rank, ranks: u32 },
    #[error(
        "rank {rank} ends an iteration with a receive or a send open; accepted a wait after the last of \
         them"
    )]
    NotAwaited { rank: Rank },
    #[error("rank {rank} ends {found} phases in an iteration; accepted {expected}, as rank 0 does")]
    Phases { rank: Rank, found: u32, expected: u32 },
    #[error(
        "rank {from} sends {sent} messages to rank {to} in an iteration, which posts {posted} receives \
         from it; accepted equally many"
    )]
    Counts { from: Rank, to: Rank, sent: usize, posted: usize },
    #[error(
        "message {number} from rank {from} to rank {to} is sent with {sent} bytes and received with \
         {posted}; accepted the same length on both sides"
    )]
    Lengths { from: Rank, to: Rank, number: usize, sent: u64, posted: u64 },
    #[error("the job has no ranks; accepted at least 1")]
    NoRanks,
    #[error(
        "the job's ranks take more than {most} steps in an iteration; accepted at most so many"
    )]
    Steps { most: usize },
    #[error(
        "{} is not a pattern of communication; accepted alltoall, bisection, bisection rotated, \
         halo3d:XxYxZ, neighbour:XxYxZ:AXIS, graph:FILE and messages:FILE",
        quoted(.text)
    )]
    Motif { text: String },
    #[error(
        "{} is not a grid; accepted three lengths of at least 1, such as 6x6x4, of fewer than 2^32 \
         ranks",
        quoted(.text)
    )]
    Grid { text: String },
    #[error("{} is not an axis of a grid; accepted x, y and z", quoted(.text))]
    Axis { text: String },
    #[error("the grid {grid} has {found} ranks; accepted a grid of the job's {ranks}")]
    GridSize { grid: String, found: u32, ranks: u32 },
    #[error("the graph has {found} ranks; accepted one of the job's {ranks}")]
    GraphSize { found: u32, ranks: u32 },
    #[error("the job has {ranks} ranks; accepted an even number for two halves")]
    OddRanks { ranks: u32 },
    #[error("the first half names rank {rank}; accepted each rank once, of 0 to {}", .ranks - 1)]
    HalfMember { rank: Rank, ranks: u32 },
    #[error("the first half has {found} ranks; accepted {}, half of the job's {ranks}", .ranks / 2)]
    HalfSize { found: usize, ranks: u32 },
    #[error(transparent)]
    Text(#[from] TextError),
    #[error("line {line}: found {}, accepted {accepted}", quoted(.found))]
    Line { line: u32, found: String, accepted: Cow<'static, str> },
    #[error(
        "line {line}: the matrix ends after {found} entries; accepted {expected}, as its sizes say"
    )]
    Entries { line: u32, found: u64, expected: u64 },
    #[error(
        "{} is not a job; accepted RANKS or RANKSxPER_NODE, such as 72x2, with 1 to 16777216 ranks and \
         at least 1 on a node",
        quoted(.text)
    )]
    Job { text: String },
    #[error(transparent)]
    Placement(#[from] PlacementError),
    #[error("job {job} takes {wanted} nodes, but {free} are free; accepted jobs that fit together")]
    Nodes { job: usize, wanted: u32, free: usize },
    #[error("{} is not a map of ranks; accepted linear, random and bisect", quoted(.text))]
    Map { text: String },
    #[error("{} is not an order of sends; accepted given and coloured", quoted(.text))]
    SendOrder { text: String },
    #[error(
        "a rank sends or receives {messages} messages between two waits, and the job has {ranks} ranks; \
         accepted for the order coloured: a product of at most 33554432"
    )]
    Colours { messages: usize, ranks: u32 },
    #[error("map bisect needs to know who exchanges messages with whom; accepted with a graph")]
    NoGraph,
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
