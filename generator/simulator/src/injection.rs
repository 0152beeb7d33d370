//! Nodes send the packets of a [`PacketSource`].
//!
//! A node sends at most a packet per cycle, and the path of the packet is decided at once, from the credits at that
//! moment.

use crate::allocate::wait;
use crate::decider::{Decider, SwitchView};
use crate::generation::NEVER;
use crate::losses::Cause;
use crate::network::{DatapathError, Network, failed};
use crate::numbers::{ChannelId, LocalChannel, PacketId, PortId};
use crate::packet::{Flit, PacketOrigin};
use crate::packet_source::PacketSource;
use crate::setting_values::Deciding;
use crate::switch_state::PortKind;
use crate::wakeups::NO_NODE;
use tvlb_firmware_model::{Error, Step};
use tvlb_schema::NodeId;
use tvlb_table_set::Injection;
use tvlb_traffic::below;

impl<S: PacketSource, D: Decider> Network<'_, S, D> {
    /// Lets every node of a chunk that has a packet and a credit send its oldest packet, whose path
    /// the node's switch decides at once.
    ///
    /// Only nodes whose wake-up is set to this cycle are visited. A node that sends asks when it has its next packet
    /// and sets its wake-up to that cycle, if it is known; a node without a credit is blocked until a credit returns.
    /// Each node draws from random numbers of its own, so the order of the list does not matter.
    pub(crate) fn send_from_nodes(
        &mut self,
        chunk: usize,
        now: u32,
    ) -> Result<(), Box<DatapathError>> {
        let Self { packets, sources, wakeups, .. } = self;
        packets.begin_cycle(chunk, now, |node| {
            let source = &mut sources[node.0 as usize];
            source.created = now;
            // The list of this cycle is taken after this.
            source.next = wakeups.set(chunk, now, now, node);
        });
        self.hear_acknowledgements(chunk, now);
        let mut next = self.wakeups.take(chunk, now);
        if self.windows.is_some() {
            next = self.in_turn(next);
        }
        while next != NO_NODE {
            let node = next;
            let source = &mut self.sources[node.0 as usize];
            next = source.next;
            if let Some(damage) = &mut self.damage
                && damage.puts_to_sleep(node, source.switch)
            {
                continue;
            }
            // The packet was generated farther ahead than a wake-up can be set.
            if source.created > now {
                source.next = self.wakeups.set(chunk, now, source.created, node);
                continue;
            }
            let Some(input) = self.spend_credit(chunk, node, now) else { continue };
            let source = &mut self.sources[node.0 as usize];
            let (created, at) = (source.created, source.switch);
            let Some(destination) = self.next_destination(node, input) else { continue };
            match self.set_out(node, destination, created, input, now) {
                Ok(packet) => {
                    let link = self.node_links.get(node.0 as usize);
                    let free = link.map_or(now + 1, |link| link.first_cycle());
                    self.packets.left(node, packet, free);
                }
                Err(Error::Unreachable { .. } | Error::NoSuchNode { .. })
                    if self.damage.is_some() =>
                {
                    self.links.never_sent(Cause::Refused, 1, now);
                    if let Some(windows) = &mut self.windows {
                        windows.withdraw(at, self.fabric.dragonfly().switch_of(destination).0);
                    }
                    self.states.node_free[input.index()] += 1;
                }
                Err(error) => return Err(Box::new(failed(self.fabric, now, at, error))),
            }
            let source = &mut self.sources[node.0 as usize];
            let since = self.packets.next(node, source.created, &mut source.rng);
            source.created = since.unwrap_or(NEVER);
            if let Some(since) = since {
                source.next = self.wakeups.set(chunk, now, since.max(now + 1), node);
            }
        }
        Ok(())
    }

    /// The input channel that a node can send to in this cycle, of which it has spent a credit. If there is none, its
    /// wake-up is set to when it should check again, or the next credit sets it.
    #[inline]
    fn spend_credit(&mut self, chunk: usize, node: NodeId, now: u32) -> Option<ChannelId> {
        let source = &mut self.sources[node.0 as usize];
        // The previous packet may still occupy the node's link.
        if let Some(link) = self.node_links.get(node.0 as usize)
            && link.first_cycle() > now
        {
            source.next = self.wakeups.set(chunk, now, link.first_cycle(), node);
            return None;
        }
        let channels = u32::from(self.states.channels);
        let among = match self.settings.injection {
            Injection::Zero => 1,
            Injection::Two => channels.min(2),
            Injection::Random => channels,
        };
        let is_drawn = among > 1;
        let channel = if is_drawn { below(&mut source.rng, among) } else { 0 };
        let input = source.input.with_virtual_channel(channel);
        let free = &mut self.states.node_free[input.index()];
        if *free == 0 {
            // If the virtual channel is drawn, another draw in the next cycle may find a credit; if it is fixed, only a
            // returning credit can help.
            source.blocked = !is_drawn;
            if is_drawn {
                source.next = self.wakeups.set(chunk, now, now + 1, node);
            }
            return None;
        }
        *free -= 1;
        Some(input)
    }

    /// Sends a packet from a node that has spent a credit for it, on a path that the node's switch decides now or when
    /// the packet becomes the head of its buffer. If the switch refuses it, nothing is sent, and the caller must react.
    #[inline]
    fn set_out(
        &mut self,
        node: NodeId,
        destination: NodeId,
        created: u32,
        input: ChannelId,
        now: u32,
    ) -> Result<PacketId, Error> {
        let (out, header) = match self.settings.decide {
            // The output channel at this switch is known from now on, so the packet is not routed again on its arrival.
            Deciding::Sending => self.decide(node, destination, now)?,
            // Until then it has its destination instead of a header.
            Deciding::Head => (LocalChannel::NONE, u64::from(destination.0)),
        };
        let Self { states, links, .. } = self;
        if let Some(link) = self.node_links.get_mut(node.0 as usize) {
            // A packet that has waited for the link starts as soon as that is free, within a cycle.
            let earliest = if link.first_cycle() == now { link.cycle } else { now };
            (_, *link) = link.start(earliest, states.crossings[PortKind::Node as usize].gap);
        }
        self.sent += 1;
        let flit = Flit { header, next: PacketId::NONE, out, hops: 0 };
        let origin = PacketOrigin { source: node, created, sent: now };
        let arrival = now + u32::from(self.settings.node_latency_cycles) + 1;
        Ok(links.inject(flit, origin, input, arrival))
    }

    /// The path of a packet from a node, decided now: the output channel at its switch, and the header with which it
    /// leaves that. Inlined: a call would pass its two results through memory, for every packet.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn decide(
        &mut self,
        node: NodeId,
        destination: NodeId,
        now: u32,
    ) -> Result<(LocalChannel, u64), Error> {
        let Self { settings, states, sources, decider, switches, .. } = self;
        let source = &mut sources[node.0 as usize];
        let at = source.switch;
        let view = SwitchView::new(switches, states.queues(at), (settings, now));
        let admission = decider.admit(&view, destination, &mut source.rng)?;
        let (port, channel, header) = match admission.step {
            Step::Deliver { port } => (port, 0, 0),
            Step::Send { port, virtual_channel, header } => {
                let channel = self.channel_map[usize::from(virtual_channel & 7)];
                (port, u32::from(channel), header.bits())
            }
        };
        let port = PortId::of_switch(at, port, states.port_bits);
        Ok((LocalChannel::new(port.local(), channel), header))
    }

    /// Decides the paths of packets from nodes that have become the heads of their buffers at a chunk's switches. From
    /// then on each waits for its output channel.
    #[inline(never)]
    pub(crate) fn decide_heads(
        &mut self,
        chunk: usize,
        now: u32,
    ) -> Result<(), Box<DatapathError>> {
        for place in 0..self.states.step.undecided.len() {
            let input = self.states.step.undecided.as_slice()[place];
            let packet = self.states.chunks[chunk].inputs[input.index()].head;
            let node = self.links.pool.origin(packet).source;
            let header = self.links.pool.flit(packet).header;
            #[expect(clippy::cast_possible_truncation, reason = "it is the number of a node")]
            let destination = header as u32;
            let (out, header) = self.decide(node, NodeId(destination), now).map_err(|error| {
                let at = self.sources[node.0 as usize].switch;
                Box::new(failed(self.fabric, now, at, error))
            })?;
            let flit = self.links.pool.flit_mut(packet);
            (flit.out, flit.header) = (out, header);
            let chunk = &mut self.states.chunks[chunk];
            let channel = &mut chunk.inputs[input.index()];
            channel.out = out;
            wait(channel, &mut chunk.outputs, &mut chunk.pending, input);
        }
        self.states.step.undecided.clear();
        Ok(())
    }
}
