//! What the input ports of one switch ask for in one round of allocation.

use super::numbering::ChannelNumber;
use super::state::Want;
use tvlb_schema::Port;

/// A packet that is put forward.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    /// The input port at which it waits.
    pub(super) from: Port,
    /// The buffer at whose head it waits.
    pub(super) input: ChannelNumber,
    pub(super) want: Want,
    /// What comes first is taken: whether it is from a node, when the port was last served, the port.
    pub(super) order: (bool, u32, u16),
}

/// The best request for each output of one switch, used over and over.
#[derive(Debug)]
pub(super) struct Requests {
    pub(super) best: Vec<Option<Request>>,
    pub(super) outputs: Vec<u16>,
}

impl Requests {
    pub(super) fn new(radix: u32) -> Self {
        Self { best: vec![None; radix as usize], outputs: Vec::new() }
    }
}
