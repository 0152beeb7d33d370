//! How far some chunks of a network can run ahead of the others.

use crate::numbers::PORT_BITS;
use crate::scheme::Scheme;
use crate::settings::{Settings, least_control_latency};
use tvlb_schema::Dragonfly;

/// How far some chunks can run ahead of all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Horizon {
    /// How many chunks with consecutive numbers keep in step with each other.
    pub(crate) chunks: usize,
    /// For how many cycles other chunks cannot affect them.
    pub(crate) cycles: u32,
}

impl Horizon {
    /// A flit or a credit crosses a link before another switch can notice it. But PAR sees the queues of switches in
    /// the same group at the same moment, UGAL by the group what they last told, and UGAL-G the queues of all switches.
    pub(crate) fn new(settings: &Settings, df: &Dragonfly, port_bits: u32, all: usize) -> Self {
        match settings.scheme {
            Scheme::Min | Scheme::Vlb | Scheme::UgalL => {
                Self { chunks: 1, cycles: least_control_latency(settings) }
            }
            Scheme::Par | Scheme::UgalGroup => {
                // The fewest groups that fill whole chunks.
                let group = df.a() << port_bits;
                let fit = 1 << group.trailing_zeros().min(PORT_BITS);
                let chunks = usize::try_from(group / fit).expect("fewer than 2^16 switches");
                Self { chunks, cycles: least_control_latency(settings) }
            }
            Scheme::UgalG => Self::in_step(all),
        }
    }

    /// All of so many chunks keep in step.
    pub(crate) const fn in_step(all: usize) -> Self {
        Self { chunks: all, cycles: 1 }
    }
}
