//! What must hold in every run: no packet and no room is lost or invented, and no packets wait for each other
//! for ever.
//!
//! Every packet that was generated is delivered, in exactly one buffer, of an input or an output, or on exactly
//! one link. For every virtual channel of every link four numbers add up to what its buffer holds: the room
//! upstream knows of, room on its way back, packets on the link, packets in the buffer.
//!
//! A packet at the head of a buffer *can move* if something that it may want leads to a node, or to a buffer that
//! has room, or to an output buffer before it that has, or to one whose own head can move. Those that cannot, however
//! often that is followed, wait for each other for ever (a reduction, as of processes and resources). Where a path is
//! decided, a packet wants one thing; where it is decided at every hop, all outputs that it would take if nothing else
//! were free.

use super::network::PhitNetwork;
use super::numbering::{ChannelNumber, PortNumber};
use super::output_buffers::OutputBuffers;
use super::state::Want;
use std::fmt;
use tvlb_firmware_model::{Header, Step};
use tvlb_ofar::EscapeKind;
use tvlb_simulator::parts::PortKind;

/// What the simulator lost or invented.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    #[error(
        "cycle {cycle}: {generated} packets were generated, but {delivered} delivered, {live} waiting or under way, {found} of them found"
    )]
    Packets { cycle: u32, generated: u64, delivered: u64, live: u64, found: u64 },
    #[error("cycle {cycle}: the {direction} direction of the escape ring has room for no packet")]
    RingFull { cycle: u32, direction: &'static str },
    #[error(
        "cycle {cycle}: {link}, VC {channel}: room, packets and room under way add up to {found}, but the buffer holds {buffer} packets"
    )]
    Room { cycle: u32, link: String, channel: u8, found: u32, buffer: u32 },
}

/// Packets that wait for each other for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StuckPackets {
    /// The cycle in which they were found.
    pub cycle: u32,
    /// How many packets wait or are under way.
    pub live: u64,
    /// The buffers whose heads can never move; none if nothing moves and no such buffers explain it.
    pub packets: Vec<StuckPacket>,
}

/// One of the packets that can never move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckPacket {
    /// The link at whose end it waits.
    pub link: String,
    /// The virtual channel whose buffer it is at the head of.
    pub channel: u8,
    /// The links and virtual channels that it may take.
    pub wants: Vec<(String, u8)>,
}

impl std::error::Error for StuckPackets {}

impl fmt::Display for StuckPackets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 12;
        let Self { cycle, live, packets } = self;
        if packets.is_empty() {
            return write!(
                f,
                "cycle {cycle}: nothing moves although {live} packets wait, and no packets that wait for each \
                 other explain it"
            );
        }
        write!(
            f,
            "deadlock: at cycle {cycle}, with {live} packets waiting, the heads of {} buffers wait for each other:",
            packets.len()
        )?;
        for StuckPacket { link, channel, wants } in packets.iter().take(SHOWN) {
            write!(f, "\n  at the end of {link}, VC {channel}: waits for ")?;
            for (place, (link, channel)) in wants.iter().enumerate() {
                write!(f, "{}{link}, VC {channel}", if place > 0 { ", or for " } else { "" })?;
            }
        }
        if packets.len() > SHOWN {
            write!(f, "\n  and {} more", packets.len() - SHOWN)?;
        }
        Ok(())
    }
}

impl PhitNetwork<'_> {
    /// Counts all packets and all room.
    pub(super) fn audit(&self) -> Result<(), AuditError> {
        let queues = &self.queues;
        let mut in_or_towards = vec![0_u32; queues.numbering.all_channels()];
        let mut found = 0_u64;
        for port in queues.numbering.every_port() {
            for channel in queues.numbering.channels_of(port) {
                let packets = queues.packets_of(&self.pool, channel).fold(0, |count, _| count + 1);
                let counted = u32::from(queues.inputs[channel.index()].packets);
                in_or_towards[channel.index()] += packets;
                // A wrong count shows as a packet too few or too many.
                found += u64::from(packets.max(counted));
            }
        }
        for &(channel, _) in self.heads.iter() {
            in_or_towards[channel.index()] += 1;
            found += 1;
        }
        found += queues.output_buffers.as_ref().map_or(0, OutputBuffers::all);
        let (generated, delivered) = (self.nodes.generated, self.counts.delivered);
        let live = self.pool.live();
        if generated != delivered + live || live != found {
            return Err(AuditError::Packets { cycle: self.now, generated, delivered, live, found });
        }
        let mut returning = vec![0_u32; queues.numbering.all_channels()];
        self.credits.iter().for_each(|channel| returning[channel.index()] += 1);
        for port in queues.numbering.every_port() {
            let output = &queues.outputs[port.index()];
            if !matches!(output.kind, PortKind::Local | PortKind::Global) {
                continue;
            }
            let buffer = u32::from(queues.room[output.kind as usize]);
            for channel in 0..queues.channels[output.kind as usize] {
                let here = queues.numbering.channel(port, channel).index();
                let there = queues.numbering.channel(output.peer, channel).index();
                let found = u32::from(queues.free[here]) + returning[here] + in_or_towards[there];
                if found != buffer {
                    let link = self.link_name(port);
                    return Err(AuditError::Room { cycle: self.now, link, channel, found, buffer });
                }
            }
        }
        self.audit_ring(&returning)
    }

    /// Each direction of an escape ring has room for a packet; `returning` says for each channel how much room is
    /// on its way back.
    fn audit_ring(&self, returning: &[u32]) -> Result<(), AuditError> {
        let Some(per_hop) = &self.per_hop else { return Ok(()) };
        let escape = per_hop.escape();
        if escape.kind() != EscapeKind::Ring {
            return Ok(());
        }
        let mut room = [0_u64; 2];
        for place in 0..escape.len() {
            let switch = escape.switch_at(place);
            let (onward, backward) = escape.ring_ports(place);
            for (room, port) in room.iter_mut().zip([onward, backward]) {
                let number = self.queues.numbering.port(switch, port);
                let channel = per_hop.of(switch).escape_channel(port);
                let channel = self.queues.numbering.channel(number, channel).index();
                *room += u64::from(self.queues.free[channel]) + u64::from(returning[channel]);
            }
        }
        for (room, direction) in room.into_iter().zip(["onward", "backward"]) {
            if room == 0 {
                return Err(AuditError::RingFull { cycle: self.now, direction });
            }
        }
        Ok(())
    }

    /// The packets that wait for each other for ever, if there are any. Injection queues are not looked at:
    /// nothing waits for them.
    pub(super) fn stuck(&self) -> Option<StuckPackets> {
        let queues = &self.queues;
        let mut returning = vec![0_u32; queues.numbering.all_channels()];
        self.credits.iter().for_each(|channel| returning[channel.index()] += 1);
        // The buffers with packets whose heads have not been found to move, with all that they may want.
        let mut left: Vec<(ChannelNumber, Vec<(PortNumber, u8)>)> = Vec::new();
        let mut waits = vec![false; queues.numbering.all_channels()];
        for port in queues.numbering.every_port() {
            let kind = queues.outputs[port.index()].kind;
            if !matches!(kind, PortKind::Local | PortKind::Global) {
                continue;
            }
            for channel in queues.numbering.channels_of(port) {
                let Some(wanted) = self.waits_for(port, channel) else { continue };
                let is_full = |&(out, virtual_channel, room): &(PortNumber, u8, u16)| {
                    let wanted = queues.numbering.channel(out, virtual_channel);
                    let buffers = queues.output_buffers.as_ref();
                    let room_there = u32::from(queues.free[wanted.index()]);
                    room_there + returning[wanted.index()] < u32::from(room)
                        && buffers.is_none_or(|buffers| buffers.is_full(wanted))
                };
                if wanted.iter().all(is_full) {
                    waits[channel.index()] = true;
                    let wanted = wanted.into_iter().map(|(out, channel, _)| (out, channel));
                    left.push((channel, wanted.collect()));
                }
            }
        }
        loop {
            let before = left.len();
            left.retain(|(channel, wanted)| {
                let still = wanted.iter().all(|&(out, virtual_channel)| {
                    let peer = queues.outputs[out.index()].peer;
                    waits[queues.numbering.channel(peer, virtual_channel).index()]
                });
                waits[channel.index()] = still;
                still
            });
            if left.len() == before {
                break;
            }
        }
        if left.is_empty() {
            return None;
        }
        let packets = left.into_iter().map(|(channel, wanted)| {
            let (port, virtual_channel) = queues.numbering.port_of(channel);
            let wants = wanted.into_iter().map(|(out, wanted)| (self.link_name(out), wanted));
            StuckPacket {
                link: self.link_name(queues.outputs[port.index()].peer),
                channel: virtual_channel,
                wants: wants.collect(),
            }
        });
        let packets = packets.collect();
        Some(StuckPackets { cycle: self.now, live: self.pool.live(), packets })
    }

    /// The links and virtual channels that the head of a buffer may take, and the room that it needs there;
    /// `None` if the buffer is empty or the packet is at its destination.
    fn waits_for(
        &self,
        port: PortNumber,
        channel: ChannelNumber,
    ) -> Option<Vec<(PortNumber, u8, u16)>> {
        let queues = &self.queues;
        let input = &queues.inputs[channel.index()];
        let packet = queues.packets_of(&self.pool, channel).next()?;
        let (at, _) = queues.numbering.place(port);
        if let Some(per_hop) = &self.per_hop {
            let wanted = per_hop.may_want(at, Header::from_bits(self.pool.get(packet).header))?;
            let wanted = wanted.into_iter().map(|Want { port, virtual_channel, room, .. }| {
                (queues.numbering.port(at, port), virtual_channel, room)
            });
            return Some(wanted.collect());
        }
        let (out, virtual_channel) = if let Some(want) = input.want {
            (want.port, want.virtual_channel)
        } else {
            let header = Header::from_bits(self.pool.get(packet).header);
            match self.fabric.switches()[at.as_usize()].forward(header).ok()? {
                Step::Send { port, virtual_channel, .. } => (port, virtual_channel),
                Step::Deliver { .. } => return None,
            }
        };
        let out = queues.numbering.port(at, out);
        let is_link = queues.outputs[out.index()].kind != PortKind::Node;
        is_link.then(|| vec![(out, virtual_channel, 1)])
    }

    fn link_name(&self, port: PortNumber) -> String {
        let (switch, port) = self.queues.numbering.place(port);
        self.fabric.name(switch, port)
    }
}
