//! Packets arrive at switches: into their buffers, with their routes onward.

use crate::allocate::wait;
use crate::calendar::Calendar;
use crate::damage::{PacketFate, at_source};
use crate::decider::{Decider, SwitchView};
use crate::links::{ArrivingPacket, UnderWay};
use crate::network::{DatapathError, Network, failed};
use crate::numbers::LocalChannel;
use crate::packet_source::PacketSource;
use tvlb_firmware_model::{Header, Step};

impl<S: PacketSource, D: Decider> Network<'_, S, D> {
    /// Puts the packets that arrive at a chunk in this cycle into their buffers: those from nodes, or those from
    /// switches.
    ///
    /// A packet from a switch is routed here, from its header alone, so that routing takes no time later. A packet from
    /// a node was routed when it was sent, or is routed when it becomes the head of its buffer
    /// ([`Self::decide_heads`]). Looks onward happen before anything arrives, with the queues of that moment. If parts
    /// may be dead, lost packets were taken out before ([`Self::lose_arrivals`]).
    #[inline]
    pub(crate) fn receive<const FROM_NODES: bool>(
        &mut self,
        number: usize,
        now: u32,
    ) -> Result<(), Box<DatapathError>> {
        let UnderWay { pool, arrivals, injections, .. } = &mut self.links;
        let calendar = if FROM_NODES { injections } else { arrivals };
        let bucket = calendar.take(now, number);
        let (switches, bits) = (&*self.switches, self.states.port_bits);
        if !FROM_NODES && self.looks_onward && self.damage.is_none() {
            for &ArrivingPacket { input, packet } in calendar.blocks(bucket).flatten() {
                let at = input.port().switch(bits);
                let view = SwitchView::new(switches, self.states.queues(at), (self.settings, now));
                let flit = pool.flit_mut(packet);
                let looked = self.decider.look_onward(&view, Header::from_bits(flit.header));
                flit.header =
                    looked.map_err(|error| Box::new(failed(self.fabric, now, at, error)))?.bits();
            }
        }
        let chunk = &mut self.states.chunks[number];
        // Packets from switches have not been touched for a link's latency and are not in the
        // cache; those from nodes were written a moment ago.
        if !FROM_NODES {
            pool.fetch(calendar.blocks(bucket).flatten().map(|arrival| arrival.packet));
        }
        for &ArrivingPacket { input, packet } in calendar.blocks(bucket).flatten() {
            let flit = pool.flit_mut(packet);
            let input = input.local();
            if !FROM_NODES {
                let at = input.port().in_chunk(number).switch(bits);
                let header = Header::from_bits(flit.header);
                let next = self.decider.forward(&switches[at.as_usize()], now, header);
                let (out, channel) = match next {
                    // The link to a node has as many virtual channels as others, and nothing waits after it, so the
                    // packet keeps its virtual channel.
                    Ok(Step::Deliver { port }) => (port, input.virtual_channel()),
                    Ok(Step::Send { port, virtual_channel, header }) => {
                        flit.header = header.bits();
                        (port, self.channel_map[usize::from(virtual_channel & 7)].into())
                    }
                    Err(error) => return Err(Box::new(failed(self.fabric, now, at, error))),
                };
                let first = input.port().first_of_switch(bits);
                flit.out = LocalChannel::of_switch(first, out, channel);
                flit.hops += 1;
            }
            let channel = &mut chunk.inputs[input.index()];
            let before = std::mem::replace(&mut channel.tail, packet);
            if channel.is_empty() {
                channel.head = packet;
                channel.out = flit.out;
                // Only a packet at the head of its buffer requests an output channel.
                if FROM_NODES && flit.out.is_none() {
                    self.states.step.undecided.push(input);
                } else {
                    wait(channel, &mut chunk.outputs, &mut chunk.pending, input);
                }
            } else {
                pool.flit_mut(before).next = packet;
            }
        }
        calendar.recycle(bucket);
        Ok(())
    }

    /// Removes the packets that arrive at a chunk in this cycle and are lost according to `damage`: those lost on their
    /// link, and those that their switch cannot forward. A packet from a node is routed again if its next link has
    /// meanwhile become known as dead.
    #[cold]
    #[inline(never)]
    pub(crate) fn lose_arrivals(
        &mut self,
        chunk: usize,
        now: u32,
    ) -> Result<(), Box<DatapathError>> {
        let from_nodes = take(&mut self.links.injections, now, chunk);
        for arrival in from_nodes {
            if !self.is_lost(arrival, true, now)? {
                self.links.injections.file(now, chunk, arrival);
            }
        }
        let from_switches = take(&mut self.links.arrivals, now, chunk);
        for arrival in from_switches {
            if !self.is_lost(arrival, false, now)? {
                self.links.arrivals.file(now, chunk, arrival);
            }
        }
        Ok(())
    }

    /// Takes a packet that arrives now out if it is lost.
    fn is_lost(
        &mut self,
        ArrivingPacket { input, packet }: ArrivingPacket,
        is_from_node: bool,
        now: u32,
    ) -> Result<bool, Box<DatapathError>> {
        let Some(damage) = &mut self.damage else { return Ok(false) };
        let (port, bits) = (input.port(), self.states.port_bits);
        let at = port.switch(bits);
        let switch = &self.switches[at.as_usize()];
        let out_ports = &self.states.chunks[port.chunk()].out_ports;
        let link = &out_ports[port.local().index()];
        let upstream = (!is_from_node).then(|| link.peer.first_channel().port());
        let departure = now - self.states.crossings[link.kind as usize].flit;
        let flit = self.links.pool.flit_mut(packet);
        let verdict = match damage.loss_on_link(port, upstream, departure, bits) {
            Some(loss) => Ok(PacketFate::Lost(loss)),
            None if is_from_node => {
                damage.note_header(packet, at_source(flit.header));
                if out_ports[flit.out.port().index()].leads_to_node() {
                    Ok(PacketFate::Stays)
                } else {
                    damage.judge(switch, packet, flit.out, self.channel_map, bits)
                }
            }
            None => {
                let view =
                    SwitchView::new(&self.switches, self.states.queues(at), (self.settings, now));
                let looked = self.decider.look_onward(&view, Header::from_bits(flit.header));
                looked.and_then(|header| {
                    flit.header = header.bits();
                    damage.note_header(packet, flit.header);
                    damage.judge_arrival(switch, packet, bits)
                })
            }
        };
        match verdict {
            Ok(PacketFate::Stays) => Ok(false),
            Ok(PacketFate::Turns(out, header)) => {
                (flit.out, flit.header) = (out, header);
                Ok(false)
            }
            Ok(PacketFate::Lost(loss)) => {
                self.lose(input, packet, loss, now);
                Ok(true)
            }
            Err(error) => Err(Box::new(failed(self.fabric, now, at, error))),
        }
    }
}

/// Takes all entries of a cycle and lane.
fn take(calendar: &mut Calendar<ArrivingPacket>, now: u32, lane: usize) -> Vec<ArrivingPacket> {
    let bucket = calendar.take(now, lane);
    let mut taken = Vec::new();
    calendar.blocks(bucket).for_each(|block| taken.extend_from_slice(block));
    calendar.recycle(bucket);
    taken
}
