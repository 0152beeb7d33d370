//! The queues of all switches.

use super::output_buffers::OutputBuffers;
use super::packet::CutThroughPacket;
use tvlb_firmware_model::{Channels, Header};
use tvlb_ofar::PortSet;
use tvlb_schema::{Dragonfly, Port, SwitchId};
use tvlb_simulator::parts::{
    CHANNELS, ChannelId, PORTS, PacketId, Pool, PortId, PortKind, chunk_count, port_bits,
};
use tvlb_simulator::{BootedFabric, LinkTarget};

/// A virtual channel of a port.
#[inline]
pub(super) const fn channel_of(port: PortId, virtual_channel: u8) -> ChannelId {
    ChannelId::first_of(port).with_virtual_channel(virtual_channel as u32)
}

/// The first virtual channels of a port.
#[inline]
pub(super) fn channels_of(port: PortId, count: u8) -> impl Iterator<Item = ChannelId> + Clone {
    let first = ChannelId::first_of(port);
    (0..u32::from(count)).map(move |channel| first.with_virtual_channel(channel))
}

/// By which output a packet wants to go on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Want {
    pub(super) port: Port,
    pub(super) virtual_channel: u8,
    pub(super) header: Header,
    /// For how many packets the virtual channel must have room.
    pub(super) room: u16,
}

/// The buffer of one virtual channel at an input port, or an injection queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    /// The packet at its head, or [`PacketId::NONE`] if the buffer is empty.
    pub(super) head: PacketId,
    /// The last packet. It has no meaning if the buffer is empty.
    pub(super) tail: PacketId,
    /// The first cycle in which its head may be granted an output, because until then the packet before it
    /// leaves the buffer.
    pub(super) idle_from: u32,
    /// When it was last put forward, as a number of rounds from 1.
    pub(super) put_forward: u32,
    /// How many packets it holds.
    pub(super) packets: u16,
    /// The want of its head, if that is settled.
    pub(super) want: Option<Want>,
}

impl Input {
    /// The packets in the buffer, from its head on.
    pub(super) fn queue(&self, pool: &Pool<CutThroughPacket>) -> impl Iterator<Item = PacketId> {
        let is_one = |packet: &PacketId| !packet.is_none();
        let next = move |packet: &PacketId| Some(pool.packet(*packet).next).filter(is_one);
        std::iter::successors(Some(self.head).filter(is_one), next)
    }
}

/// A port through which packets leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) kind: PortKind,
    /// The port at the other end, if that is another switch.
    pub(super) peer: PortId,
    /// The first cycle in which its link is free again.
    pub(super) idle_from: u32,
    /// How many packets have been granted it so far.
    pub(super) packets: u32,
}

#[derive(Debug)]
pub(super) struct Queues {
    /// How many bits number the ports of a switch.
    pub(super) port_bits: u32,
    /// Virtual channels of each kind of port, by [`PortKind`].
    pub(super) channels: [u8; 4],
    /// Packets that one buffer of each kind of port holds, by [`PortKind`].
    pub(super) room: [u16; 4],
    /// By port.
    pub(super) outputs: Vec<Output>,
    /// By channel: packets for which there is still room downstream.
    pub(super) free: Vec<u16>,
    /// By channel.
    pub(super) inputs: Vec<Input>,
    /// By port: one bit for each channel whose buffer holds a packet.
    waiting: Vec<u8>,
    /// By switch: the ports of which a buffer holds a packet.
    with_packets: Vec<PortSet>,
    /// By output port and input port of the same switch ([`Self::serving`]): when the one last served the other, as a
    /// number of rounds from 1.
    pub(super) served: Vec<u32>,
    pub(super) packet_phits: u32,
    /// If switches have them.
    pub(super) output_buffers: Option<OutputBuffers>,
}

impl Queues {
    /// The bytes that the queues of a fabric take as long as they are empty.
    pub(super) fn bytes(df: &Dragonfly) -> u64 {
        let of_port = size_of::<Output>() + 1 + size_of::<u32>() * (1 << port_bits(df));
        let of_channel = size_of::<Input>() + size_of::<u16>();
        u64::from(chunk_count(df)) * (PORTS * of_port + CHANNELS * of_channel) as u64
    }

    /// Empty queues. `room` has how many packets a buffer holds, by [`PortKind`].
    pub(super) fn new(
        fabric: &BootedFabric<'_>,
        channels: Channels,
        queues_of_node: u8,
        room: [u16; 4],
        packet_phits: u16,
    ) -> Self {
        let df = fabric.dragonfly();
        let channels = [queues_of_node, channels.local, channels.global, 0];
        let (port_bits, chunks) = (port_bits(df), chunk_count(df) as usize);
        let output = |id: PortId| {
            let peer = |to, at| PortId::of_switch(to, at, port_bits);
            let (kind, peer) = match fabric.link(id.switch(port_bits), id.at_switch(port_bits)) {
                LinkTarget::Terminal(_) => (PortKind::Node, id),
                LinkTarget::Local(to, at) => (PortKind::Local, peer(to, at)),
                LinkTarget::Global(to, at) => (PortKind::Global, peer(to, at)),
                LinkTarget::Unused => (PortKind::Unused, id),
            };
            Output { kind, peer, idle_from: 0, packets: 0 }
        };
        let ports = df.switch_numbers() << port_bits;
        let outputs: Vec<Output> = (0..ports).map(PortId::new).map(output).collect();
        let mut free = vec![0; chunks * CHANNELS];
        for (port, output) in (0..).map(PortId::new).zip(&outputs) {
            if matches!(output.kind, PortKind::Local | PortKind::Global) {
                for channel in channels_of(port, channels[output.kind as usize]) {
                    free[channel.index()] = room[output.kind as usize];
                }
            }
        }
        let input = Input {
            head: PacketId::NONE,
            tail: PacketId::NONE,
            idle_from: 0,
            put_forward: 0,
            packets: 0,
            want: None,
        };
        Self {
            port_bits,
            channels,
            room,
            outputs,
            free,
            inputs: vec![input; chunks * CHANNELS],
            waiting: vec![0; ports as usize],
            with_packets: vec![PortSet::default(); df.switch_numbers() as usize],
            served: vec![0; (ports as usize) << port_bits],
            packet_phits: packet_phits.into(),
            output_buffers: None,
        }
    }

    #[inline]
    pub(super) const fn port(&self, switch: SwitchId, port: Port) -> PortId {
        PortId::of_switch(switch, port, self.port_bits)
    }

    /// The switch that a port belongs to, and its number there.
    #[inline]
    pub(super) const fn place(&self, port: PortId) -> (SwitchId, Port) {
        (port.switch(self.port_bits), port.at_switch(self.port_bits))
    }

    /// The same buffer as the switch at the other end of the link sees it.
    #[inline]
    pub(super) fn across(&self, channel: ChannelId) -> ChannelId {
        let peer = self.outputs[channel.port().index()].peer;
        ChannelId::first_of(peer).with_virtual_channel(channel.virtual_channel())
    }

    /// Every port of every switch, with its output.
    pub(super) fn ports(&self) -> impl Iterator<Item = (PortId, &Output)> {
        (0..).map(PortId::new).zip(&self.outputs)
    }

    /// Where [`Self::served`] keeps when an output served an input.
    #[inline]
    pub(super) const fn serving(&self, output: PortId, input: Port) -> usize {
        output.index() << self.port_bits | input.as_usize()
    }

    /// Puts a packet at the end of a buffer.
    #[inline]
    pub(super) fn push(
        &mut self,
        pool: &mut Pool<CutThroughPacket>,
        channel: ChannelId,
        packet: PacketId,
    ) {
        pool.packet_mut(packet).next = PacketId::NONE;
        let input = &mut self.inputs[channel.index()];
        input.packets += 1;
        let before = std::mem::replace(&mut input.tail, packet);
        if input.head.is_none() {
            input.head = packet;
            let waiting = &mut self.waiting[channel.port().index()];
            if *waiting == 0 {
                let port = channel.port().at_switch(self.port_bits);
                let switch = channel.port().switch(self.port_bits);
                self.with_packets[switch.as_usize()].insert(port);
            }
            *waiting |= 1 << channel.virtual_channel();
        } else {
            pool.packet_mut(before).next = packet;
        }
    }

    /// Takes the packet at the head of a buffer that is not empty.
    #[inline]
    pub(super) fn pop(&mut self, pool: &Pool<CutThroughPacket>, channel: ChannelId) -> PacketId {
        let input = &mut self.inputs[channel.index()];
        let packet = input.head;
        input.packets -= 1;
        input.want = None;
        input.head = pool.packet(packet).next;
        if input.head.is_none() {
            let (switch, port) = self.place(channel.port());
            let waiting = &mut self.waiting[channel.port().index()];
            *waiting &= !(1 << channel.virtual_channel());
            if *waiting == 0 {
                self.with_packets[switch.as_usize()].remove(port);
            }
        }
        packet
    }

    /// One bit for each channel of a port whose buffer holds a packet.
    #[inline]
    pub(super) fn waiting(&self, port: PortId) -> u8 {
        self.waiting[port.index()]
    }

    /// The ports of a switch of which a buffer holds a packet.
    #[inline]
    pub(super) fn ports_with_packets(&self, switch: SwitchId) -> PortSet {
        self.with_packets[switch.as_usize()]
    }

    /// Whether a packet can be granted what it wants in this cycle.
    #[inline]
    pub(super) fn can_grant(&self, switch: SwitchId, want: &Want, now: u32) -> bool {
        let port = self.port(switch, want.port);
        let channel = channel_of(port, want.virtual_channel);
        if let Some(buffers) = &self.output_buffers {
            return buffers.can_take(port, channel, now);
        }
        let output = &self.outputs[port.index()];
        output.idle_from <= now
            && (output.kind == PortKind::Node || self.free[channel.index()] >= want.room)
    }

    /// The links of a switch that are free in this cycle and have room for a packet on one of the first virtual
    /// channels of each kind.
    pub(super) fn ready(&self, switch: SwitchId, channels: Channels, now: u32) -> PortSet {
        let is_ready = |port: &Port| {
            let id = self.port(switch, *port);
            let output = &self.outputs[id.index()];
            let channels = match output.kind {
                PortKind::Local => channels.local,
                PortKind::Global => channels.global,
                PortKind::Node | PortKind::Unused => return false,
            };
            output.idle_from <= now
                && channels_of(id, channels).any(|channel| self.free[channel.index()] > 0)
        };
        (0..1 << self.port_bits).map(Port).filter(is_ready).collect()
    }

    /// Phits in use of one channel of an output port: downstream, and in its output buffer.
    #[inline]
    pub(super) fn used_on(&self, port: PortId, channel: u8) -> u32 {
        let output = &self.outputs[port.index()];
        let room = match output.kind {
            PortKind::Local | PortKind::Global => self.room[output.kind as usize],
            PortKind::Node | PortKind::Unused => return 0,
        };
        let channel = channel_of(port, channel);
        let held = self.output_buffers.as_ref().map_or(0, |buffers| buffers.held(channel));
        let held = u32::try_from(held).unwrap_or(u32::MAX);
        (u32::from(room - self.free[channel.index()]) + held) * self.packet_phits
    }
}
