//! A source switch's view under UGAL-G: the queues along whole paths.

use crate::losses::Cause;
use crate::switch_state::SwitchQueues;
use std::ops::Range;
use tvlb_firmware_model::{Credits, Header, Step, Switch};
use tvlb_schema::{Port, SwitchId};

/// A switch's view under UGAL-G: its own queues, and those of all switches along paths.
pub(crate) struct WholePaths<'n> {
    pub(crate) own: &'n SwitchQueues<'n>,
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

    /// Walks the header with each switch's own datapath and adds up the queues before each port on the way; the queue
    /// before the node is not part of a path between switches.
    fn weighed(&self, port: Port, virtual_channel: Option<u8>, header: Header, _: u8) -> (u32, u8) {
        let used_at = |at, port, channel| self.own.used_at(at, port, channel);
        let peer = |at, port| self.own.peer(at, port);
        let first = (self.own.switch(), port, virtual_channel);
        (queue_along(self.switches, first, header, used_at, peer), 1)
    }
}

/// The credits in use along the path of a packet that leaves through a port of a switch with this header: of one
/// virtual channel of each port, beginning with this one, or of all. `used_at` returns the credits in use at one port,
/// of one channel or of all, and `peer` the switch at the other end.
pub fn queue_along(
    switches: &[Switch<'_>],
    (mut at, mut port, mut channel): (SwitchId, Port, Option<u8>),
    mut header: Header,
    used_at: impl Fn(SwitchId, Port, Option<u8>) -> u32,
    peer: impl Fn(SwitchId, Port) -> SwitchId,
) -> u32 {
    let mut sum = 0;
    loop {
        sum += used_at(at, port, channel);
        at = peer(at, port);
        match switches[at.as_usize()].forward(header) {
            Ok(Step::Send { port: next, virtual_channel, header: moved }) => {
                (port, header) = (next, moved);
                channel = channel.map(|_| virtual_channel);
            }
            Ok(Step::Deliver { .. }) => return sum,
            // A switch on the way knows of a dead link of which this one has not heard: the packet gets no farther.
            Err(error) => {
                debug_assert!(Cause::of(&error).is_some(), "{error}");
                return sum;
            }
        }
    }
}
