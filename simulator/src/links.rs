//! What is under way between switches and nodes: flits, and the credits that go back for them.
//!
//! A link takes one flit per cycle. The queue before it is first in, first out and has room for
//! all that credits allow, as in the reference; so the cycle in which a flit goes on the link, and
//! that of its arrival, are known as soon as it wins switch allocation. The queue itself is not
//! kept: the flit is filed under its arrival. Credits are filed under the cycle in which they
//! count.

use crate::calendar::Calendar;
use crate::packet::{Flit, Packet, Pool};
use crate::tally::Tally;
use tvlb_firmware_model::{Header, Kind};

/// A flit on its way to an input buffer. Its header is the one it arrives with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) flit: Flit,
    /// The first input channel of the port at which it arrives, over all switches.
    pub(crate) port: u32,
}

/// Everything under way, and what is counted of it.
#[derive(Debug)]
pub(crate) struct Links {
    pub(crate) now: u32,
    pub(crate) pool: Pool,
    /// Flits by the cycle in which they arrive.
    pub(crate) arrivals: Calendar<Arrival>,
    /// Output channels, over all switches, by the cycle in which a credit for them counts.
    pub(crate) credits: Calendar<u32>,
    /// The same for the nodes: node and virtual channel.
    pub(crate) node_credits: Calendar<u32>,
    pub(crate) tally: Tally,
    /// Flits that have won switch allocation so far.
    pub(crate) grants: u64,
    /// Packets that have left the last switch so far.
    pub(crate) delivered: u64,
    /// Packets under PAR that have won switch allocation at their first switch and are to be
    /// looked at again, with the cycle of their arrival at the second.
    pub(crate) second_looks: Vec<(Arrival, u32)>,
    /// Whether there are such packets at all.
    pub(crate) reconsiders: bool,
    /// Within one step of one switch: input channels with a new head, and what it wants.
    pub(crate) new_heads: Vec<(u16, u16)>,
    /// Within one step: per output port the input ports that want it.
    pub(crate) wants: [u64; 64],
    /// Within one step: per input port the channel that it puts forward.
    pub(crate) candidate: [u16; 64],
}

impl Links {
    /// With nothing under way. Nothing will be filed farther ahead than `horizon`.
    pub(crate) fn new(horizon: u32, tally: Tally, reconsiders: bool) -> Self {
        Self {
            now: 0,
            pool: Pool::new(),
            arrivals: Calendar::new(horizon),
            credits: Calendar::new(horizon),
            node_credits: Calendar::new(horizon),
            tally,
            grants: 0,
            delivered: 0,
            second_looks: Vec::new(),
            reconsiders,
            new_heads: Vec::new(),
            wants: [0; 64],
            candidate: [0; 64],
        }
    }

    /// A node sends a packet to its switch.
    #[inline]
    pub(crate) fn inject(
        &mut self,
        packet: Packet,
        header: u64,
        port: u32,
        arrival: u32,
        out: u16,
    ) {
        let flit = Flit { header, packet: self.pool.add(packet), out, hops: 0 };
        self.tally.sent(packet.sent);
        self.arrivals.file(arrival, Arrival { flit, port });
    }

    /// A flit goes to the switch behind its link.
    #[inline]
    pub(crate) fn send(&mut self, mut flit: Flit, port: u32, arrival: u32) {
        self.grants += 1;
        flit.hops += 1;
        let arriving = Arrival { flit, port };
        if self.reconsiders && Header::from_bits(flit.header).kind() == Some(Kind::OpenMin) {
            self.second_looks.push((arriving, arrival));
        } else {
            self.arrivals.file(arrival, arriving);
        }
    }

    /// A flit goes to its node; the credit for it counts later.
    #[inline]
    pub(crate) fn deliver(&mut self, flit: &Flit, arrival: u32, credit: u32, counts: u32) {
        self.grants += 1;
        self.credits.file(counts, credit);
        self.delivered += 1;
        self.tally.delivered(self.pool.get(flit.packet), flit, arrival);
        self.pool.remove(flit.packet);
    }

    #[inline]
    pub(crate) fn return_to_switch(&mut self, channel: u32, delay: u16) {
        self.credits.file(self.now + u32::from(delay), channel);
    }

    #[inline]
    pub(crate) fn return_to_node(&mut self, channel: u32, delay: u16) {
        self.node_credits.file(self.now + u32::from(delay), channel);
    }
}
