//! The invariants of every run: no packet and no room is lost or invented, and no packets wait for each other for ever.
//!
//! Every packet that was generated is delivered, in exactly one buffer, of an input or an output, or on exactly one
//! link. For every virtual channel of every link four numbers add up to the size of its buffer: the room known
//! upstream, room on its way back, packets on the link, packets in the buffer.
//!
//! A packet at the head of a buffer *can move* if something that it may want leads to a node, or to a buffer that has
//! room, or to an output buffer before it that has, or to one whose own head can move. Those that cannot, however often
//! this is applied, wait for each other for ever (a reduction, as of processes and resources). If a path is decided, a
//! packet wants one thing; if it is decided at every hop, all outputs that it would take if nothing else were free.

use super::network::PhitNetwork;
use super::output_buffers::OutputBuffers;
use super::state::{Want, channel_of, channels_of};
use std::fmt;
use tvlb_firmware_model::{Header, Step};
use tvlb_ofar::EscapeKind;
use tvlb_simulator::ConservationError;
use tvlb_simulator::parts::{ArrivingPacket, ChannelId, PortId, PortKind};

/// What the simulator lost or invented.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    #[error(transparent)]
    Conservation(#[from] ConservationError),
    #[error("cycle {cycle}: the {direction} direction of the escape ring has room for no packet")]
    RingFull { cycle: u32, direction: &'static str },
}

/// Packets that wait for each other for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StuckPackets {
    /// The cycle in which they were found.
    pub cycle: u32,
    /// How many packets wait or are under way.
    pub live: u32,
    /// The buffers whose heads can never move; empty if nothing moves without such buffers.
    pub packets: Vec<StuckPacket>,
}

/// One of the packets that can never move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckPacket {
    /// The link at whose end it waits.
    pub link: String,
    /// The virtual channel whose buffer it is at the head of.
    pub channel: u32,
    /// The links and virtual channels that it may take.
    pub wants: Vec<(String, u32)>,
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
        let cycle = self.now;
        let mut in_or_towards = vec![0_u32; queues.inputs.len()];
        let mut found = 0_u64;
        for (place, input) in queues.inputs.iter().enumerate() {
            let packets = input.queue(&self.pool).fold(0, |count, _| count + 1);
            in_or_towards[place] += packets;
            // A wrong count shows as a packet too few or too many.
            found += u64::from(packets.max(input.packets.into()));
        }
        for (_, ArrivingPacket { input, .. }) in self.heads.iter() {
            in_or_towards[input.index()] += 1;
            found += 1;
        }
        found += queues.output_buffers.as_ref().map_or(0, OutputBuffers::all);
        let (sent, delivered) = (self.nodes.generated, self.counts.delivered);
        let under_way = self.pool.live().into();
        if sent != delivered + under_way || under_way != found {
            let lost = 0;
            let found =
                ConservationError::Packets { cycle, sent, delivered, lost, under_way, found };
            return Err(found.into());
        }
        let returning = self.returning();
        for (port, output) in queues.ports() {
            if !matches!(output.kind, PortKind::Local | PortKind::Global) {
                continue;
            }
            let buffer = u32::from(queues.room[output.kind as usize]);
            for channel in 0..queues.channels[output.kind as usize] {
                let here = channel_of(port, channel);
                let there = in_or_towards[queues.across(here).index()];
                let found = u32::from(queues.free[here.index()]) + returning[here.index()] + there;
                if found != buffer {
                    let (link, channel) = (self.link_name(port), channel.into());
                    let wrong = ConservationError::Credits { cycle, link, channel, found, buffer };
                    return Err(wrong.into());
                }
            }
        }
        self.audit_ring(&returning)
    }

    /// By output channel: how much room is on its way back to it.
    fn returning(&self) -> Vec<u32> {
        let mut returning = vec![0; self.queues.inputs.len()];
        self.credits.iter().for_each(|(_, channel)| returning[channel.index()] += 1);
        returning
    }

    /// Checks that each direction of an escape ring has room for a packet; `returning` has for each channel how much
    /// room is on its way back.
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
                let channel = per_hop.of(switch).escape_channel(port);
                let channel = channel_of(self.queues.port(switch, port), channel).index();
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

    /// The packets that wait for each other for ever, if any. Injection queues are ignored: nothing waits for them.
    pub(super) fn stuck(&self) -> Option<StuckPackets> {
        let queues = &self.queues;
        let returning = self.returning();
        // The buffers with packets whose heads have not been found to move, with all that they may want.
        let mut left: Vec<(ChannelId, Vec<ChannelId>)> = Vec::new();
        let mut waits = vec![false; queues.inputs.len()];
        for (port, output) in queues.ports() {
            if !matches!(output.kind, PortKind::Local | PortKind::Global) {
                continue;
            }
            for channel in channels_of(port, queues.channels[output.kind as usize]) {
                let Some(wanted) = self.waits_for(channel) else { continue };
                let is_full = |&(wanted, room): &(ChannelId, u16)| {
                    let buffers = queues.output_buffers.as_ref();
                    let room_there = u32::from(queues.free[wanted.index()]);
                    room_there + returning[wanted.index()] < u32::from(room)
                        && buffers.is_none_or(|buffers| buffers.is_full(wanted))
                };
                if wanted.iter().all(is_full) {
                    waits[channel.index()] = true;
                    let wanted = wanted.into_iter().map(|(wanted, _)| wanted);
                    left.push((channel, wanted.collect()));
                }
            }
        }
        loop {
            let before = left.len();
            left.retain(|(channel, wanted)| {
                let still = wanted.iter().all(|wanted| waits[queues.across(*wanted).index()]);
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
            let named =
                |output: ChannelId| (self.link_name(output.port()), output.virtual_channel());
            let (link, channel) = named(queues.across(channel));
            StuckPacket { link, channel, wants: wanted.into_iter().map(named).collect() }
        });
        let packets = packets.collect();
        Some(StuckPackets { cycle: self.now, live: self.pool.live(), packets })
    }

    /// The output channels that the head of a buffer may take, and the room that it needs there; `None` if the buffer
    /// is empty or the packet is at its destination.
    fn waits_for(&self, channel: ChannelId) -> Option<Vec<(ChannelId, u16)>> {
        let queues = &self.queues;
        let input = &queues.inputs[channel.index()];
        let packet = input.queue(&self.pool).next()?;
        let (at, _) = queues.place(channel.port());
        let wanted = |port, virtual_channel| channel_of(queues.port(at, port), virtual_channel);
        if let Some(per_hop) = &self.per_hop {
            let may_want =
                per_hop.may_want(at, Header::from_bits(self.pool.packet(packet).header))?;
            let wanted =
                may_want.into_iter().map(|Want { port, virtual_channel, room, .. }| {
                    (wanted(port, virtual_channel), room)
                });
            return Some(wanted.collect());
        }
        let (out, virtual_channel) = if let Some(want) = input.want {
            (want.port, want.virtual_channel)
        } else {
            let header = Header::from_bits(self.pool.packet(packet).header);
            match self.fabric.switches()[at.as_usize()].forward(header).ok()? {
                Step::Send { port, virtual_channel, .. } => (port, virtual_channel),
                Step::Deliver { .. } => return None,
            }
        };
        let out = wanted(out, virtual_channel);
        let is_link = queues.outputs[out.port().index()].kind != PortKind::Node;
        is_link.then(|| vec![(out, 1)])
    }

    fn link_name(&self, port: PortId) -> String {
        let (switch, port) = self.queues.place(port);
        self.fabric.name(switch, port)
    }
}
