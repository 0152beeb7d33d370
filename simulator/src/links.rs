//! What is under way between switches and nodes: flits, and the credits that go back for them.
//!
//! A link takes one flit per cycle. The queue before it is first in, first out and has room for
//! all that credits allow, as in the reference; so the cycle in which a flit goes on the link, and
//! that of its arrival, are known as soon as it wins switch allocation. The queue itself is not
//! kept: the flit is filed under its arrival. Credits are filed under the cycle in which they
//! count.

use crate::calendar::Calendar;
use crate::numbers::{ChannelId, LocalChannel, PacketId};
use crate::packet::{Flit, Origin, Pool};
use crate::tally::Tally;

/// A packet on its way to an input buffer. Its header is the one it arrives with.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arrival {
    /// The input channel whose buffer it is on its way to.
    pub(crate) input: ChannelId,
    pub(crate) packet: PacketId,
}

/// Everything under way, and what is counted of it.
#[derive(Debug)]
pub(crate) struct Links {
    pub(crate) pool: Pool,
    /// Packets from switches by the cycle in which they arrive.
    pub(crate) arrivals: Calendar<Arrival>,
    /// Packets from nodes, whose first output channel is decided already.
    pub(crate) injections: Calendar<Arrival>,
    /// Output channels within their chunk by the cycle after whose sending and before whose allocation a credit for
    /// them counts; those of nodes, by the cycle after whose allocation it does, have lanes of
    /// their own behind the switches'.
    pub(crate) credits: Calendar<LocalChannel>,
    pub(crate) tally: Tally,
    /// Flits that have won switch allocation so far.
    pub(crate) grants: u64,
    /// Packets that have left the last switch so far.
    pub(crate) delivered: u64,
}

impl Links {
    /// With nothing under way. Nothing will be filed farther ahead than `horizon`; there is a
    /// lane for each chunk of switches.
    pub(crate) fn new(horizon: u32, chunks: usize, tally: Tally) -> Self {
        Self {
            pool: Pool::new(),
            arrivals: Calendar::new(horizon, chunks),
            injections: Calendar::new(horizon, chunks),
            credits: Calendar::new(horizon, 2 * chunks),
            tally,
            grants: 0,
            delivered: 0,
        }
    }

    /// A credit for an output channel.
    #[inline]
    pub(crate) fn return_credit(&mut self, cycle: u32, channel: ChannelId) {
        self.credits.file(cycle, channel.chunk(), channel.local());
    }

    /// The output channels for which a credit is on its way, one for each.
    pub(crate) fn credits_under_way(&self) -> impl Iterator<Item = ChannelId> {
        self.credits.iter().map(|(chunk, &channel)| channel.in_chunk(chunk))
    }

    /// The packets on a link.
    pub(crate) fn packets_under_way(&self) -> impl Iterator<Item = &Arrival> {
        self.arrivals.iter().chain(self.injections.iter()).map(|(_, arrival)| arrival)
    }

    /// A node sends a packet to its switch.
    #[inline]
    pub(crate) fn inject(&mut self, flit: Flit, origin: Origin, input: ChannelId, arrival: u32) {
        self.tally.sent(&origin);
        let packet = self.pool.add(flit, origin);
        self.injections.file(arrival, input.chunk(), Arrival { input, packet });
    }

    /// A packet goes to its node.
    #[inline]
    pub(crate) fn deliver(&mut self, packet: PacketId, arrival: u32) {
        self.delivered += 1;
        self.tally.delivered(self.pool.origin(packet), self.pool.flit(packet), arrival);
        self.pool.remove(packet);
    }

    /// The bytes that it holds.
    pub(crate) const fn bytes(&self) -> usize {
        self.pool.bytes() + self.arrivals.bytes() + self.injections.bytes() + self.credits.bytes()
    }
}
