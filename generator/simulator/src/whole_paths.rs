//! What a source switch sees under UGAL-G: the queues along whole paths.

use crate::losses::Cause;
use crate::switch_state::Queues;
use std::ops::Range;
use tvlb_firmware_model::{Credits, Header, Step, Switch};
use tvlb_schema::Port;

/// What a switch sees under UGAL-G: its own queues, and those of all switches along paths.
pub(crate) struct WholePaths<'n> {
    pub(crate) own: Queues<'n>,
    pub(crate) switches: &'n [Switch<'n>],
}

impl Credits for WholePaths<'_> {
    fn used(&self, port: Port) -> u32 {
        self.own.used(port)
    }

    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        self.own.used_on(port, virtual_channel)
    }

    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        self.own.used_by_links(ports)
    }

    /// Walks the header with each switch's own datapath and adds up what lies before each port
    /// on the way; the queue before the node is not part of a path between switches.
    fn weighed(&self, port: Port, virtual_channel: Option<u8>, header: Header, _: u8) -> (u32, u8) {
        let (mut at, mut port, mut header, mut sum) = (self.own.switch(), port, header, 0);
        let mut channel = virtual_channel;
        loop {
            sum += self.own.used_at(at, port, channel);
            at = self.own.peer(at, port);
            match self.switches[at.as_usize()].forward(header) {
                Ok(Step::Send { port: next, virtual_channel, header: moved }) => {
                    (port, header) = (next, moved);
                    channel = channel.map(|_| virtual_channel);
                }
                Ok(Step::Deliver { .. }) => return (sum, 1),
                // A switch on the way knows of a dead link of which this one has not heard: the packet
                // gets no farther.
                Err(error) => {
                    debug_assert!(Cause::of(&error).is_some(), "{error}");
                    return (sum, 1);
                }
            }
        }
    }
}
