//! Output buffers, if switches have them: a crossbar moves packets from inputs to the buffer of a virtual channel at an
//! output, and the link takes them from there.
//!
//! Prisacari et al., "Performance Optimization of Load Imbalanced Workloads in Large Scale Dragonfly Systems" (HPSR
//! 2015, section IV), have such switches, "input-output-buffered", and do not state how fast the crossbar is. Here it
//! moves `speedup` phits in a cycle, from one input to one output, and a packet holds its input and its output of the
//! crossbar for as many cycles as that takes. It is moved only if the output buffer has room for the whole of it. Its
//! head may go on to the link in the same cycle, so that an empty switch takes no time; its room in the output buffer
//! is given back as its head leaves, as in any buffer. The link serves, of the virtual channels whose next packet has
//! room downstream, the one that sent least recently.

use std::collections::VecDeque;
use tvlb_ofar::PortSet;
use tvlb_schema::{Dragonfly, Port, SwitchId};
use tvlb_simulator::parts::{CHANNELS, ChannelId, PORTS, PacketId, PortId, chunk_count};

/// The output buffers of all switches.
#[derive(Debug)]
pub(super) struct OutputBuffers {
    /// Packets that one buffer holds.
    room: usize,
    /// Cycles for which a packet holds the crossbar.
    pub(super) transfer_cycles: u32,
    /// By port: the first cycle in which the crossbar can move a packet there.
    idle_from: Vec<u32>,
    /// By channel: the packets, the first one first.
    packets: Vec<VecDeque<PacketId>>,
    /// By channel: the cycle in which it last sent a packet, and one more.
    sent: Vec<u32>,
    /// By switch: the ports of which a buffer holds a packet.
    with_packets: Vec<PortSet>,
}

impl OutputBuffers {
    /// The size of one virtual channel's buffer while it is empty.
    pub(super) const BYTES_OF_CHANNEL: usize = size_of::<VecDeque<PacketId>>() + size_of::<u32>();

    pub(super) fn new(df: &Dragonfly, room: u16, transfer_cycles: u32) -> Self {
        let chunks = chunk_count(df) as usize;
        Self {
            room: room.into(),
            transfer_cycles,
            idle_from: vec![0; chunks * PORTS],
            packets: vec![VecDeque::new(); chunks * CHANNELS],
            sent: vec![0; chunks * CHANNELS],
            with_packets: vec![PortSet::EMPTY; df.switch_numbers() as usize],
        }
    }

    /// Whether the crossbar can move a packet to a channel of a port in this cycle.
    pub(super) fn can_take(&self, port: PortId, channel: ChannelId, now: u32) -> bool {
        self.idle_from[port.index()] <= now && !self.is_full(channel)
    }

    pub(super) fn is_full(&self, channel: ChannelId) -> bool {
        self.packets[channel.index()].len() >= self.room
    }

    /// How many packets are in the buffer of a channel.
    pub(super) fn held(&self, channel: ChannelId) -> usize {
        self.packets[channel.index()].len()
    }

    /// Packets in all buffers.
    pub(super) fn all(&self) -> u64 {
        self.packets.iter().fold(0, |sum, packets| sum + packets.len() as u64)
    }

    /// The ports of a switch of which a buffer holds a packet.
    pub(super) fn ports_with_packets(&self, switch: SwitchId) -> PortSet {
        self.with_packets[switch.as_usize()]
    }

    /// Puts a packet at the end of the buffer of an output channel, which belongs to this port of a switch.
    pub(super) fn take(
        &mut self,
        (at, port): (SwitchId, Port),
        channel: ChannelId,
        packet: PacketId,
        now: u32,
    ) {
        self.idle_from[channel.port().index()] = now + self.transfer_cycles;
        self.packets[channel.index()].push_back(packet);
        self.with_packets[at.as_usize()].insert(port);
    }

    /// Takes the packet to send in this cycle out of the buffers of a switch's port, which has these channels, if there
    /// is one; `may_send` says whether a channel has room downstream.
    pub(super) fn send(
        &mut self,
        (at, port): (SwitchId, Port),
        mut channels: impl Iterator<Item = ChannelId> + Clone,
        now: u32,
        may_send: impl Fn(ChannelId) -> bool,
    ) -> Option<(ChannelId, PacketId)> {
        let can_send = |channel: &ChannelId| self.held(*channel) > 0 && may_send(*channel);
        let sending = channels.clone().filter(can_send);
        let channel = sending.min_by_key(|channel| self.sent[channel.index()])?;
        let packet = self.packets[channel.index()].pop_front()?;
        self.sent[channel.index()] = now + 1;
        let is_empty = |channel: ChannelId| self.held(channel) == 0;
        if is_empty(channel) && channels.all(is_empty) {
            self.with_packets[at.as_usize()].remove(port);
        }
        Some((channel, packet))
    }
}
