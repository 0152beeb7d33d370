//! PAR's second look, in the right order.
//!
//! A packet that took MIN is reconsidered as it wins switch allocation at its first switch, with the credits of the
//! second switch at that moment. Switches have their turn within a cycle in the order of their numbers: a switch sees
//! what switches with smaller numbers have done in this cycle, and nothing of those with larger numbers. The pipeline
//! runs for all switches at once, so the packets are noted here, and reconsidered after the last step of the cycle in
//! the order of first switches; flits that a later second switch has sent in the meantime do not count.

use crate::links::ArrivingPacket;
use crate::numbers::PortId;
use crate::owned_range::OwnedRange;
use crate::packet::{Packet, Pool};
use std::cmp::Reverse;
use tvlb_firmware_model::Header;

/// A packet to reconsider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingLook {
    pub(crate) arriving: ArrivingPacket,
    /// The cycle in which it arrives.
    pub(crate) arrival: u32,
    /// The output port through which it left, over all switches.
    pub(crate) port: PortId,
    /// The step of the cycle in which it won.
    step: u8,
}

/// How many flits left by an output port in one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlitsSent {
    pub(crate) all: u8,
    /// By virtual channel.
    on: [u8; 8],
}

impl FlitsSent {
    #[inline]
    pub(crate) fn on(&self, virtual_channel: u8) -> u32 {
        self.on.get(usize::from(virtual_channel)).map_or(0, |&flits| u32::from(flits))
    }
}

/// The packets of one cycle that are to be reconsidered.
#[derive(Debug)]
pub(crate) struct SecondLooks {
    /// Whether there are such packets at all.
    pub(crate) are_taken: bool,
    packets: Vec<PendingLook>,
    /// The output ports that a flit left by in this cycle.
    ports: Vec<PortId>,
    /// For each output port of all switches, how many flits left by each of its channels in this cycle.
    sent: OwnedRange<FlitsSent>,
}

impl SecondLooks {
    /// An empty record for networks with this many ports. Only PAR needs one: otherwise nothing is noted and nothing
    /// allocated.
    pub(crate) fn new(are_taken: bool, ports: usize) -> Self {
        let sent = vec![FlitsSent::default(); if are_taken { ports } else { 0 }];
        Self { are_taken, packets: Vec::new(), ports: Vec::new(), sent: OwnedRange::whole(sent) }
    }

    /// Keeps the record of the ports before this one, and returns that of the others, between two cycles.
    pub(crate) fn split_off(&mut self, port: usize) -> Self {
        let sent = self.sent.split_off(port);
        Self { are_taken: self.are_taken, packets: Vec::new(), ports: Vec::new(), sent }
    }

    /// Appends the record of the ports that follow on these.
    pub(crate) fn append(&mut self, rest: Self) {
        self.sent.append(rest.sent);
    }

    /// Notes that a flit leaves through a port. Returns whether its packet is to be reconsidered; the flit is then
    /// filed under its arrival after the second look, which may change its header.
    pub(crate) fn take(
        &mut self,
        pool: &Pool<Packet>,
        arriving: ArrivingPacket,
        arrival: u32,
        port: PortId,
        step: u8,
    ) -> bool {
        self.ports.push(port);
        let sent = &mut self.sent[port.index()];
        sent.all += 1;
        sent.on[arriving.input.virtual_channel() as usize] += 1;
        let is_open = Header::from_bits(pool.flit(arriving.packet).header).is_open();
        if is_open {
            self.packets.push(PendingLook { arriving, arrival, port, step });
        }
        is_open
    }

    /// Takes the packets of this cycle, in the order of their second looks: by first switch, which has numbers of
    /// 2^`port_bits` ports, and there the last one first.
    pub(crate) fn in_order(&mut self, port_bits: u32) -> Vec<PendingLook> {
        let mut packets = std::mem::take(&mut self.packets);
        packets.sort_unstable_by_key(|look| {
            (look.port.switch(port_bits).0, Reverse(look.step), Reverse(look.port))
        });
        packets
    }

    /// Per output port the flits that have left by its channels in this cycle.
    pub(crate) fn sent(&self) -> &OwnedRange<FlitsSent> {
        &self.sent
    }

    /// Ends the cycle, and takes back the memory of the packets.
    pub(crate) fn end(&mut self, mut packets: Vec<PendingLook>) {
        packets.clear();
        self.packets = packets;
        for port in self.ports.drain(..) {
            self.sent[port.index()] = FlitsSent::default();
        }
    }

    /// How many bytes the record holds.
    pub(crate) fn bytes(&self) -> usize {
        self.packets.capacity() * size_of::<PendingLook>()
            + self.ports.capacity() * size_of::<PortId>()
            + self.sent.bytes()
    }
}
