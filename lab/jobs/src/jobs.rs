//! The parts of a run to completion besides the network: jobs, each with the programs of its ranks and the node of each
//! rank, and how messages become packets.

use crate::workload::Programs;
use tvlb_schema::{NodeId, Nodes};

/// A job: the programs of its ranks, and where they run.
#[derive(Clone, Copy, Debug)]
pub struct JobRun<'w> {
    pub programs: &'w Programs,
    /// The node of each rank. Several ranks, of one job or of several, may share a node, whose link they
    /// then share too.
    pub nodes: &'w [NodeId],
}

/// How messages become packets, and how long it takes until a node knows of an event at another.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct MessageSettings {
    /// Bytes of a packet, which is one flit. A message takes as many packets as its bytes fill, the last
    /// one perhaps in part, and one if it has no bytes.
    pub packet_bytes: u32,
    /// A longer message is a rendezvous: its packets wait until the receive is posted, and its send is
    /// complete when the receiver has it. Any other leaves at once.
    pub eager_limit_bytes: u64,
    /// Cycles until a node knows that a receive was posted, or that a message has arrived, at another; at
    /// least the [least](tvlb_simulator::least_control_latency) that a scheme and latencies allow, which is the
    /// default.
    pub control_latency_cycles: Option<u32>,
}

/// Packets of 1024 bytes, and an eager limit of 12,000 bytes.
impl Default for MessageSettings {
    fn default() -> Self {
        Self { packet_bytes: 1024, eager_limit_bytes: 12_000, control_latency_cycles: None }
    }
}

impl MessageSettings {
    pub const MOST_PACKETS: u32 = 1 << 30;

    /// How many packets a message of this length has; at most `u32::MAX` for those that no run accepts.
    pub fn packets(&self, bytes: u64) -> u32 {
        let packets = bytes.div_ceil(self.packet_bytes.into()).max(1);
        u32::try_from(packets).unwrap_or(u32::MAX)
    }
}

/// Jobs that cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    #[error("there is no job with a rank; accepted 1 rank or more")]
    NoRanks,
    #[error("all jobs together have {found} {what}; accepted at most {most}")]
    TooMany { what: &'static str, found: u64, most: u64 },
    #[error("job {job} has {ranks} ranks and {nodes} nodes; accepted a node for each rank")]
    Nodes { job: usize, ranks: u32, nodes: usize },
    #[error(
        "rank {rank} of job {job} is to run on node {node}{}; accepted a node of the fabric, 0 to {most}",
        if *node < NodeId(*most) { ", which the fabric does not have" } else { "" }
    )]
    NoSuchNode { job: usize, rank: usize, node: NodeId, most: u32 },
    #[error(
        "a message of job {job} has {bytes} bytes; accepted at most {most} bytes with packets of {packet_bytes} bytes"
    )]
    Message { job: usize, bytes: u64, most: u64, packet_bytes: u32 },
    #[error("packets have 0 bytes; accepted 1 or more")]
    NoBytes,
    #[error(
        "the control latency is {found} cycles; accepted {least} to {most} with this scheme and these latencies"
    )]
    ControlLatency { found: u32, least: u32, most: u32 },
}

/// The most ranks that all jobs have together, and the most steps of an iteration.
const MOST: u64 = 1 << 31;
/// The most that a control latency may be.
const MOST_CONTROL_LATENCY: u32 = 1_000_000;

/// Checks jobs against a fabric.
pub(crate) fn check(
    jobs: &[JobRun<'_>],
    among: &Nodes,
    settings: &MessageSettings,
    least_control_latency: u32,
) -> Result<(), JobError> {
    let &MessageSettings { packet_bytes, control_latency_cycles, .. } = settings;
    if packet_bytes == 0 {
        return Err(JobError::NoBytes);
    }
    let control = control_latency_cycles.unwrap_or(least_control_latency);
    if !(least_control_latency..=MOST_CONTROL_LATENCY).contains(&control) {
        return Err(JobError::ControlLatency {
            found: control,
            least: least_control_latency,
            most: MOST_CONTROL_LATENCY,
        });
    }
    let most_bytes = u64::from(packet_bytes) * u64::from(MessageSettings::MOST_PACKETS);
    let (mut ranks, mut steps) = (0_u64, 0_u64);
    for (number, JobRun { programs, nodes }) in jobs.iter().enumerate() {
        if nodes.len() != programs.ranks() as usize {
            let (ranks, nodes) = (programs.ranks(), nodes.len());
            return Err(JobError::Nodes { job: number, ranks, nodes });
        }
        if let Some((rank, &node)) = nodes.iter().enumerate().find(|&(_, &node)| !among.has(node)) {
            let most = among.last().unwrap_or_default().0;
            return Err(JobError::NoSuchNode { job: number, rank, node, most });
        }
        let longest = programs.messages().map(|(_, _, bytes)| bytes).max().unwrap_or(0);
        if longest > most_bytes {
            return Err(JobError::Message {
                job: number,
                bytes: longest,
                most: most_bytes,
                packet_bytes,
            });
        }
        ranks += u64::from(programs.ranks());
        steps += (0..programs.ranks())
            .map(|rank| programs.steps(crate::workload::Rank(rank)).len() as u64)
            .sum::<u64>();
    }
    match (ranks, steps) {
        (0, _) => Err(JobError::NoRanks),
        (found, _) if found > MOST => Err(JobError::TooMany { what: "ranks", found, most: MOST }),
        (_, found) if found > MOST => Err(JobError::TooMany { what: "steps", found, most: MOST }),
        _ => Ok(()),
    }
}
