//! Jobs on Dragonfly networks: what their ranks do, on which nodes they run, and when they end.
//!
//! - [`workload`]: the programs of ranks, patterns of communication, placements and maps. It knows nothing of
//!   routing and simulates nothing.
//! - [`partition`]: splits of weighted graphs with a small cut, which maps are made from.
//! - [`complete`] runs jobs on the network of a [`tvlb_simulator::Run`] until their last rank has taken its last
//!   step. The network does not know of ranks: their messages are a [`tvlb_simulator::PacketSource`].
//! - [`least_time`] says how long that takes at the least, and why.

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
