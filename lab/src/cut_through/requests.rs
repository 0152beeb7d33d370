//! The packets that ports put forward in a round of allocation, and the best of them for each output.

use super::state::Want;
use tvlb_schema::Port;
use tvlb_simulator::parts::ChannelId;

/// A packet that is put forward.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    /// The input port at which it waits.
    pub(super) from: Port,
    /// The buffer at whose head it waits.
    pub(super) input: ChannelId,
    pub(super) want: Want,
    /// The least is taken: whether it is from a node, when the port was last served, the port.
    pub(super) order: (bool, u32, u16),
}

/// The best request for each output of one switch, used over and over.
#[derive(Debug, Default)]
pub(super) struct Requests {
    /// By output port.
    pub(super) best: Vec<Option<Request>>,
    /// The outputs for which there is one.
    pub(super) outputs: Vec<u16>,
}
