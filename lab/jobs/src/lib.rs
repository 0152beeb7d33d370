//! Jobs on Dragonfly networks: the programs of their ranks, the nodes on which they run, and when they end.
//!
//! - [`workload`]: the programs of ranks, patterns of communication, placements and maps. It does not route or
//!   simulate.
//! - [`partition`]: splits of weighted graphs with a small cut, from which maps are made.
//! - [`complete`] runs jobs on the network of a [`tvlb_simulator::Run`] until their last rank has taken its last step.
//!   The network does not know ranks: their messages are a [`tvlb_simulator::PacketSource`].
//! - [`least_time`] gives a lower bound of that time, with its cause.

#[cfg(test)]
mod complete_tests;
#[cfg(test)]
mod least_time_tests;
#[cfg(test)]
#[path = "../../../generator/simulator/src/test_images.rs"]
mod test_images;

mod complete;
mod completion_error;
mod job_packets;
mod job_times;
mod jobs;
mod least_time;
mod matching;
mod messages;
pub mod partition;
mod ranks;
pub mod workload;

pub use complete::{Completion, complete};
pub use completion_error::{CompletionError, StuckRank, StuckRanks};
pub use job_times::JobTimes;
pub use jobs::{JobError, JobRun, MessageSettings};
pub use least_time::{ChainBound, GroupBound, HostBound, LeastTime, least_time};
