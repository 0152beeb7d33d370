//! The queues of all switches.

use super::numbering::{ChannelNumber, PortNumber, PortNumbers};
use super::output_buffers::OutputBuffers;
use super::packet::PacketPool;
use tvlb_firmware_model::{Channels, Header};
use tvlb_ofar::PortSet;
use tvlb_schema::{Port, SwitchId};
use tvlb_simulator::parts::PacketId;
use tvlb_simulator::parts::PortKind;
use tvlb_simulator::{BootedFabric, LinkTarget};

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
    /// The packet at its head, or [`PacketId::NONE`] where the buffer is empty.
    pub(super) head: PacketId,
    /// The last packet. It has no meaning where the buffer is empty.
    pub(super) tail: PacketId,
    /// The first cycle in which its head may be granted an output, because until then the packet before it
    /// leaves the buffer.
    pub(super) idle_from: u32,
    /// When it was last put forward, as a number of rounds from 1.
    pub(super) put_forward: u32,
    /// How many packets it holds.
    pub(super) packets: u16,
    /// What its head wants, where that is settled.
    pub(super) want: Option<Want>,
}

/// A port where packets leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) kind: PortKind,
    /// The port at the other end, where another switch is there.
    pub(super) peer: PortNumber,
    /// The first cycle in which its link is free again.
    pub(super) idle_from: u32,
    /// How many packets have been granted it so far.
    pub(super) packets: u32,
}

#[derive(Debug)]
pub(super) struct Queues {
    pub(super) numbering: PortNumbers,
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
    /// By output port and input port of the same switch: when the one last served the other, as a number of
    /// rounds from 1.
    pub(super) served: Vec<u32>,
    pub(super) packet_phits: u32,
    /// Where switches have them.
    pub(super) output_buffers: Option<OutputBuffers>,
}

impl Queues {
    /// The bytes that queues of so many ports and channels take as long as they are empty.
    pub(super) const fn bytes(numbering: PortNumbers) -> u64 {
        let of_port = size_of::<Output>() + 1 + numbering.radix as usize * size_of::<u32>();
        let of_channel = size_of::<Input>() + size_of::<u16>();
        (numbering.ports() * of_port + numbering.all_channels() * of_channel) as u64
    }

    /// Empty queues. `room` says how many packets a buffer holds, by [`PortKind`].
    pub(super) fn new(
        fabric: &BootedFabric<'_>,
        channels: Channels,
        queues_of_node: u8,
        room: [u16; 4],
        packet_phits: u16,
    ) -> Self {
        let df = fabric.dragonfly();
        let channels = [queues_of_node, channels.local, channels.global, 0];
        let most = channels.into_iter().max().unwrap_or(1);
        let numbering = PortNumbers::new(df, most);
        let output = |number: PortNumber| {
            let (switch, port) = numbering.place(number);
            let (kind, peer) = match fabric.link(switch, port) {
                LinkTarget::Terminal(_) => (PortKind::Node, number),
                LinkTarget::Local(to, at) => (PortKind::Local, numbering.port(to, at)),
                LinkTarget::Global(to, at) => (PortKind::Global, numbering.port(to, at)),
                LinkTarget::Unused => (PortKind::Unused, number),
            };
            Output { kind, peer, idle_from: 0, packets: 0 }
        };
        let outputs: Vec<Output> = numbering.every_port().map(output).collect();
        let mut free = vec![0; numbering.all_channels()];
        for port in numbering.every_port() {
            let kind = outputs[port.index()].kind;
            let links = matches!(kind, PortKind::Local | PortKind::Global);
            for channel in numbering.channels_of(port).take(channels[kind as usize].into()) {
                free[channel.index()] = if links { room[kind as usize] } else { 0 };
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
            numbering,
            channels,
            room,
            outputs,
            free,
            inputs: vec![input; numbering.all_channels()],
            waiting: vec![0; numbering.ports()],
            with_packets: vec![PortSet::default(); numbering.switches as usize],
            served: vec![0; numbering.ports() * numbering.radix as usize],
            packet_phits: packet_phits.into(),
            output_buffers: None,
        }
    }

    /// Puts a packet at the end of a buffer.
    #[inline]
    pub(super) fn push(&mut self, pool: &mut PacketPool, channel: ChannelNumber, packet: PacketId) {
        pool.get_mut(packet).next = PacketId::NONE;
        let input = &mut self.inputs[channel.index()];
        input.packets += 1;
        let before = std::mem::replace(&mut input.tail, packet);
        if input.head.is_none() {
            input.head = packet;
            let (port, within) = self.numbering.port_of(channel);
            let waiting = &mut self.waiting[port.index()];
            if *waiting == 0 {
                let (switch, port) = self.numbering.place(port);
                self.with_packets[switch.as_usize()].insert(port);
            }
            *waiting |= 1 << within;
        } else {
            pool.get_mut(before).next = packet;
        }
    }

    /// Takes the packet at the head of a buffer that is not empty.
    #[inline]
    pub(super) fn pop(&mut self, pool: &PacketPool, channel: ChannelNumber) -> PacketId {
        let input = &mut self.inputs[channel.index()];
        let packet = input.head;
        input.packets -= 1;
        input.want = None;
        input.head = pool.get(packet).next;
        if input.head.is_none() {
            let (port, within) = self.numbering.port_of(channel);
            let waiting = &mut self.waiting[port.index()];
            *waiting &= !(1 << within);
            if *waiting == 0 {
                let (switch, port) = self.numbering.place(port);
                self.with_packets[switch.as_usize()].remove(port);
            }
        }
        packet
    }

    /// One bit for each channel of a port whose buffer holds a packet.
    #[inline]
    pub(super) fn waiting(&self, port: PortNumber) -> u8 {
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
        let port = self.numbering.port(switch, want.port);
        if let Some(buffers) = &self.output_buffers {
            let channel = self.numbering.channel(port, want.virtual_channel);
            return buffers.can_take(port, channel, now);
        }
        let output = &self.outputs[port.index()];
        output.idle_from <= now
            && (output.kind == PortKind::Node
                || self.free[self.numbering.channel(port, want.virtual_channel).index()]
                    >= want.room)
    }

    /// The links of a switch that are free in this cycle and have room for a packet on one of so many virtual
    /// channels of each kind, from the first on.
    pub(super) fn ready(&self, switch: SwitchId, channels: Channels, now: u32) -> PortSet {
        let numbering = self.numbering;
        let is_ready = |port: &Port| {
            let number = numbering.port(switch, *port);
            let output = &self.outputs[number.index()];
            let channels = match output.kind {
                PortKind::Local => channels.local,
                PortKind::Global => channels.global,
                PortKind::Node | PortKind::Unused => return false,
            };
            let first = numbering.channel(number, 0).index();
            output.idle_from <= now
                && self.free[first..first + usize::from(channels)].iter().any(|&free| free > 0)
        };
        let radix = u16::try_from(numbering.radix).expect("a switch has at most 256 ports");
        (0..radix).map(Port).filter(is_ready).collect()
    }

    /// Phits in use of one channel of an output port: downstream, and in its output buffer.
    #[inline]
    pub(super) fn used_on(&self, port: PortNumber, channel: u8) -> u32 {
        let output = &self.outputs[port.index()];
        let room = match output.kind {
            PortKind::Local | PortKind::Global => self.room[output.kind as usize],
            PortKind::Node | PortKind::Unused => return 0,
        };
        let channel = self.numbering.channel(port, channel);
        let held = self.output_buffers.as_ref().map_or(0, |buffers| buffers.held(channel));
        let held = u32::try_from(held).unwrap_or(u32::MAX);
        (u32::from(room - self.free[channel.index()]) + held) * self.packet_phits
    }

    /// The packets in a buffer, from its head on.
    pub(super) fn packets_of<'q>(
        &'q self,
        pool: &'q PacketPool,
        channel: ChannelNumber,
    ) -> impl Iterator<Item = PacketId> + 'q {
        let head = self.inputs[channel.index()].head;
        let is_one = |packet: &PacketId| !packet.is_none();
        let next = move |packet: &PacketId| Some(pool.get(*packet).next).filter(is_one);
        std::iter::successors(Some(head).filter(is_one), next)
    }
}
