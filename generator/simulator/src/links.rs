//! Everything under way between switches and nodes: flits, and the credits that return for them.
//!
//! A link takes one flit per cycle. The queue before the link is first in, first out and has room for all flits that
//! the credits allow, as in the reference. So the cycle in which a flit goes on the link and the cycle in which it
//! arrives are known as soon as the flit wins switch allocation. The queue itself is therefore not stored: the flit is
//! filed under the cycle of its arrival. A credit is filed under the cycle from which on it can be used.

use crate::calendar::Calendar;
use crate::losses::{Cause, Loss, LossLog};
use crate::numbers::{ChannelId, LocalChannel, PacketId};
use crate::packet::{Flit, Packet, PacketOrigin, Pool};
use crate::tally::Tally;
use crate::windows::{Acknowledgement, Acknowledgements};
use std::ops::Range;

/// A packet on its way to an input buffer, with the header that it will arrive with.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArrivingPacket {
    /// The input channel of its next buffer.
    pub input: ChannelId,
    pub packet: PacketId,
}

/// What one part of a network hands over to another: packets and credits, each with its cycle and place of arrival.
#[derive(Debug, Default)]
pub(crate) struct Handed {
    arrivals: Vec<(u32, ChannelId, Packet)>,
    credits: Vec<(u32, ChannelId)>,
    acknowledgements: Vec<(u32, Acknowledgement)>,
}

/// Everything under way, with its counts.
#[derive(Debug)]
pub(crate) struct UnderWay {
    pub(crate) pool: Pool<Packet>,
    /// Packets from switches by the cycle in which they arrive.
    pub(crate) arrivals: Calendar<ArrivingPacket>,
    /// Packets from nodes, whose first output channel is already decided.
    pub(crate) injections: Calendar<ArrivingPacket>,
    /// Output channels for which a credit is on its way, by the cycle from which it counts. There are two lanes for
    /// each chunk. Credits for switches count before the allocation of their cycle and have the first lanes, one for
    /// each chunk. Credits for nodes count after it, because the nodes have already sent, and have the lanes after
    /// those.
    pub(crate) credits: Calendar<LocalChannel>,
    /// If sources have windows.
    pub(crate) acknowledgements: Option<Acknowledgements>,
    pub(crate) tally: Tally,
    /// Flits that have won switch allocation so far.
    pub(crate) grants: u64,
    /// Packets that have left the last switch so far.
    pub(crate) delivered: u64,
    /// Packets lost so far, which happens only if parts die.
    pub(crate) losses: LossLog,
}

impl UnderWay {
    /// Links with nothing under way, for this many chunks of switches. Everything filed later is at most `horizon`
    /// cycles ahead.
    pub(crate) fn new(horizon: u32, chunks: usize, tally: Tally) -> Self {
        Self {
            pool: Pool::default(),
            arrivals: Calendar::new(horizon, chunks),
            injections: Calendar::new(horizon, chunks),
            credits: Calendar::new(horizon, 2 * chunks),
            acknowledgements: None,
            tally,
            grants: 0,
            delivered: 0,
            losses: LossLog::default(),
        }
    }

    /// The bytes of empty links for this many chunks and cycles ahead.
    pub(crate) fn bytes_ahead(horizon: u32, chunks: usize) -> u64 {
        let of = |lanes| Calendar::<ArrivingPacket>::bytes_of_buckets(horizon, lanes);
        2 * of(chunks) + of(2 * chunks)
    }

    /// The same links, empty and with zero counts.
    pub(crate) fn like(&self, chunks: usize) -> Self {
        let acknowledgements = self.acknowledgements.as_ref().map(|known| known.like(chunks));
        let links = Self::new(self.credits.horizon(), chunks, self.tally.like());
        Self { acknowledgements, ..links }
    }

    /// Takes the counts of another, which start again at zero.
    pub(crate) fn absorb(&mut self, other: &mut Self) {
        self.grants += std::mem::take(&mut other.grants);
        self.delivered += std::mem::take(&mut other.delivered);
        self.tally.absorb(&mut other.tally);
    }

    /// Hands over what arrives in some cycles at some chunks from switches outside them.
    pub(crate) fn hand_over(
        &mut self,
        cycles: Range<u32>,
        chunks: Range<usize>,
        handed: &mut Handed,
    ) {
        let Self { pool, arrivals, credits, acknowledgements, .. } = self;
        if let Some(under_way) = acknowledgements {
            under_way.drain(cycles.clone(), chunks.clone(), |cycle, told| {
                handed.acknowledgements.push((cycle, told));
            });
        }
        arrivals.drain(
            cycles.clone(),
            chunks.clone(),
            |cycle, _, ArrivingPacket { input, packet }| {
                handed.arrivals.push((cycle, input, *pool.packet(packet)));
                pool.remove(packet);
            },
        );
        credits.drain(cycles, chunks, |cycle, chunk, credit| {
            handed.credits.push((cycle, credit.in_chunk(chunk)));
        });
    }

    /// Takes what was handed over.
    pub(crate) fn take_in(&mut self, handed: &mut Handed) {
        for (cycle, input, packet) in handed.arrivals.drain(..) {
            let packet = self.pool.add(packet);
            self.arrivals.file(cycle, input.chunk(), ArrivingPacket { input, packet });
        }
        for (cycle, credit) in handed.credits.drain(..) {
            self.return_credit(cycle, credit);
        }
        for (cycle, told) in handed.acknowledgements.drain(..) {
            if let Some(under_way) = &mut self.acknowledgements {
                under_way.put(cycle, told);
            }
        }
    }

    /// Takes everything that goes to some chunks of `all`, and to their nodes, from others, between two cycles.
    pub(crate) fn take_all(&mut self, from: &mut Self, now: u32, chunks: Range<usize>, all: usize) {
        let (cycles, mut handed) = (now..now + self.credits.horizon() + 1, Handed::default());
        from.hand_over(cycles.clone(), chunks.clone(), &mut handed);
        self.take_in(&mut handed);
        let nodes = chunks.start + all..chunks.end + all;
        from.credits.drain(cycles.clone(), nodes, |cycle, lane, credit| {
            self.credits.file(cycle, lane, credit);
        });
        if let (Some(own), Some(others)) = (&mut self.acknowledgements, &mut from.acknowledgements)
        {
            own.take_all(others, now, chunks.clone());
        }
        from.injections.drain(cycles, chunks, |cycle, lane, ArrivingPacket { input, packet }| {
            let moved = self.pool.add(*from.pool.packet(packet));
            from.pool.remove(packet);
            self.injections.file(cycle, lane, ArrivingPacket { input, packet: moved });
        });
    }

    /// Sends a credit back to an output channel, a switch's or a node's.
    #[inline]
    pub(crate) fn return_credit(&mut self, cycle: u32, channel: ChannelId) {
        self.credits.file(cycle, channel.chunk(), channel.local());
    }

    /// The output channels for which a credit is on its way: each as often as there are credits.
    pub(crate) fn credits_under_way(&self) -> impl Iterator<Item = ChannelId> {
        self.credits.iter().map(|(chunk, &channel)| channel.in_chunk(chunk))
    }

    /// The packets that are on a link or in the queue before one.
    pub(crate) fn packets_under_way(&self) -> impl Iterator<Item = &ArrivingPacket> {
        self.arrivals.iter().chain(self.injections.iter()).map(|(_, arrival)| arrival)
    }

    /// Sends a packet from its node to the node's switch.
    #[inline]
    pub(crate) fn inject(
        &mut self,
        flit: Flit,
        origin: PacketOrigin,
        input: ChannelId,
        arrival: u32,
    ) -> PacketId {
        self.tally.sent(&origin);
        let packet = self.pool.add(Packet { flit, origin });
        self.injections.file(arrival, input.chunk(), ArrivingPacket { input, packet });
        packet
    }

    /// Removes a packet that leaves its last switch from the network, and counts it as delivered in the cycle of its
    /// arrival at the node.
    #[inline]
    pub(crate) fn deliver(&mut self, packet: PacketId, arrival: u32) {
        self.delivered += 1;
        self.tally.delivered(self.pool.origin(packet), self.pool.flit(packet), arrival);
        self.pool.remove(packet);
    }

    /// Removes a lost packet from the network.
    pub(crate) fn lose(&mut self, packet: PacketId, loss: Loss, now: u32) {
        self.losses.add(loss, 1);
        self.tally.lost(self.pool.origin(packet), loss.cause, now);
        self.pool.remove(packet);
    }

    /// Counts packets that are lost before they are sent.
    pub(crate) fn never_sent(&mut self, cause: Cause, count: u64, now: u32) {
        self.losses.add(Loss { cause, port: None }, count);
        self.tally.never_sent(cause, count, now);
    }

    /// Whether nothing is under way, neither a packet nor a credit.
    pub(crate) fn is_empty(&self) -> bool {
        self.pool.live() == 0 && self.credits.iter().next().is_none()
    }

    /// How many bytes all of this holds.
    pub(crate) fn bytes(&self) -> usize {
        let calendars = self.arrivals.bytes() + self.injections.bytes() + self.credits.bytes();
        let told = self.acknowledgements.as_ref().map_or(0, Acknowledgements::bytes);
        self.pool.bytes() + calendars + told
    }
}
