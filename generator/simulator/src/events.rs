//! Events of a damaged network: parts die, are mended, and switches take fault images, between two cycles, when all
//! switches stand between the same two.

use crate::allocate::wait;
use crate::damage::{Incident, PacketFate};
use crate::decider::Decider;
use crate::fabric::BootedFabric;
use crate::generation::NEVER;
use crate::losses::{Cause, Loss};
use crate::network::{DatapathError, Network, failed};
use crate::numbers::{ChannelId, LocalChannel, PacketId, PortId, low_u8};
use crate::packet_source::PacketSource;
use crate::switch_state::Chunk;
use tvlb_firmware_model::{Header, Switch};
use tvlb_schema::{NodeId, Port, SwitchId};

impl<'f, S: PacketSource, D: Decider> Network<'f, S, D> {
    /// Makes all events happen that are due before the next cycle. Returns the cycle before which the next ones will
    /// happen.
    #[cold]
    #[inline(never)]
    pub(crate) fn let_events_happen(&mut self) -> Result<u32, Box<DatapathError>> {
        while let Some(damage) = &mut self.damage
            && let Some(Incident { entry, switch, .. }) = damage.take_due(self.now)
        {
            match switch {
                Some(switch) => self.take_image(switch, entry)?,
                None => self.die_and_mend(entry)?,
            }
        }
        Ok(self.damage.as_ref().map_or(u32::MAX, |damage| damage.next_cycle()))
    }

    /// From now on exactly the parts of an entry are dead.
    fn die_and_mend(&mut self, entry: usize) -> Result<(), Box<DatapathError>> {
        let Some(damage) = &mut self.damage else { return Ok(()) };
        let changed = damage.die_and_mend(entry, self.now);
        for (switch, is_dead) in changed {
            if is_dead {
                let loss = Loss { cause: Cause::DeadSwitch, port: None };
                self.sift(switch, |_, _| Ok(PacketFate::Lost(loss)))?;
                self.empty_source_queues(switch);
            } else {
                self.wake_nodes(switch);
            }
        }
        Ok(())
    }

    /// Lets a switch take the images of an entry, unless it has later ones.
    fn take_image(&mut self, at: SwitchId, entry: usize) -> Result<(), Box<DatapathError>> {
        let Some(damage) = &mut self.damage else { return Ok(()) };
        let switch = &mut self.switches[at.as_usize()];
        let booted_for = self.settings.booted_for(self.states.channels);
        match damage.install(self.fabric, switch, entry, booted_for) {
            Ok(true) => self.sift(at, |network, packet| network.look_at(at, packet)),
            Ok(false) => Ok(()),
            Err(error) => Err(Box::new(failed(self.fabric, self.now, at, error))),
        }
    }

    /// Installs the switches of other tables, with the fault images of the present ones. A switch that took a switch
    /// image with its fault image keeps it.
    pub(crate) fn replace_switches(&mut self, fabric: &'f BootedFabric<'f>) {
        self.fabric = fabric;
        let booted_for = self.settings.booted_for(self.states.channels);
        self.switches = match &self.damage {
            None => fabric.switches_of_run(booted_for),
            Some(damage) => {
                let installed = |switch: &Switch<'_>| {
                    let installed = damage.installed(fabric, switch.image().switch(), booted_for);
                    installed.expect("the present tables took the same")
                };
                fabric.switches().iter().map(installed).collect()
            }
        };
    }

    /// What happens to a packet in a buffer of a switch that has taken a fault image.
    fn look_at(&self, at: SwitchId, packet: PacketId) -> Result<PacketFate, Box<DatapathError>> {
        let Some(damage) = &self.damage else { return Ok(PacketFate::Stays) };
        let (out, bits) = (self.links.pool.flit(packet).out, self.states.port_bits);
        let first = PortId::of_switch(at, Port(0), bits);
        // The way to a node of this switch never changes.
        if self.states.out_port(out.in_chunk(first.chunk()).port()).leads_to_node() {
            return Ok(PacketFate::Stays);
        }
        damage
            .judge(&self.switches[at.as_usize()], packet, out, self.channel_map, bits)
            .map_err(|error| Box::new(failed(self.fabric, self.now, at, error)))
    }

    /// Checks every packet in the buffers of a switch.
    fn sift(
        &mut self,
        at: SwitchId,
        judge: impl Fn(&Self, PacketId) -> Result<PacketFate, Box<DatapathError>>,
    ) -> Result<(), Box<DatapathError>> {
        let mut has_changed = false;
        for port in (0..self.fabric.dragonfly().radix()).map(|port| Port(low_u8(port).into())) {
            let port = PortId::of_switch(at, port, self.states.port_bits);
            for channel in 0..u32::from(self.states.channels) {
                let id = ChannelId::first_of(port).with_virtual_channel(channel);
                let judged: Vec<(PacketId, PacketFate)> = self
                    .packets_of(self.states.input(id))
                    .map(|packet| Ok((packet, judge(self, packet)?)))
                    .collect::<Result<_, Box<DatapathError>>>()?;
                if judged.iter().any(|(_, verdict)| !matches!(verdict, PacketFate::Stays)) {
                    self.carry_out(id, &judged);
                    has_changed = true;
                }
            }
        }
        if has_changed {
            let first = PortId::of_switch(at, Port(0), self.states.port_bits);
            rebuild_lists(&mut self.states.chunks[first.chunk()]);
        }
        Ok(())
    }

    /// Diverts or removes packets of a buffer, which is not empty. The lists of its chunk must be rebuilt.
    fn carry_out(&mut self, id: ChannelId, judged: &[(PacketId, PacketFate)]) {
        let input = id.local();
        let Chunk { in_ports, inputs, outputs, .. } = &mut self.states.chunks[id.chunk()];
        let channel = &mut inputs[input.index()];
        let output = &mut outputs[channel.out.index()];
        if !matches!(judged[0].1, PacketFate::Stays) && output.holder() == Some(input) {
            output.release();
            in_ports[input.port().index()].ready &= !(1 << input.virtual_channel());
        }
        let pool = &mut self.links.pool;
        (channel.head, channel.tail) = (PacketId::NONE, PacketId::NONE);
        for &(packet, verdict) in judged {
            if let PacketFate::Lost(_) = verdict {
                continue;
            }
            let flit = pool.flit_mut(packet);
            if let PacketFate::Turns(out, header) = verdict {
                (flit.out, flit.header) = (out, header);
            }
            let out = flit.out;
            if channel.is_empty() {
                (channel.head, channel.out) = (packet, out);
            } else {
                pool.flit_mut(channel.tail).next = packet;
            }
            channel.tail = packet;
        }
        for &(packet, verdict) in judged {
            if let PacketFate::Lost(loss) = verdict {
                self.lose(id, packet, loss, self.now);
            }
        }
    }

    /// Removes a lost packet from the network. Its place in the buffer of this input channel, present or future, is
    /// free again.
    pub(crate) fn lose(&mut self, id: ChannelId, packet: PacketId, loss: Loss, now: u32) {
        self.tell_of_loss(id, packet, now);
        self.links.lose(packet, loss, now);
        let port = self.states.in_port(id.port());
        let credit = port.upstream.with_virtual_channel_of(id.local());
        self.links.return_credit(now + u32::from(port.credit), credit);
    }

    /// Tells the source of a packet in the buffer of this input channel, or on its way there, that it is lost.
    fn tell_of_loss(&mut self, id: ChannelId, packet: PacketId, now: u32) {
        let flit = self.links.pool.flit(packet);
        // One that has not left its source has no header if its node is there. A port that leads to a node has the
        // number of one in every chunk.
        let is_for_here = flit.hops == 0
            && self.states.out_port(flit.out.in_chunk(id.chunk()).port()).leads_to_node();
        let to = Header::from_bits(flit.header).destination();
        if let Some(under_way) = &mut self.links.acknowledgements
            && !is_for_here
        {
            under_way.lost(self.links.pool.origin(packet), to, now);
        }
    }

    /// The nodes of a switch.
    fn nodes_of(&self, at: SwitchId) -> impl Iterator<Item = NodeId> + use<'f, S, D> {
        let df = self.fabric.dragonfly();
        let terminals = 0..df.nodes_of(df.place(at).0);
        terminals.map(move |terminal| df.node(at, low_u8(terminal)))
    }

    /// Empties the source queues of the nodes of a switch that dies.
    fn empty_source_queues(&mut self, at: SwitchId) {
        for node in self.nodes_of(at) {
            let source = &mut self.sources[node.as_usize()];
            let mut count = 0;
            while source.created < self.now {
                let next = self.packets.next(node, source.created, &mut source.rng);
                source.created = next.unwrap_or(NEVER);
                count += 1;
            }
            let held = self.windows.as_mut().and_then(|windows| windows.take_held(node));
            // It would never wake up unless it is woken here.
            if held.is_some() && source.next == node && source.created < NEVER {
                let chunk = PortId::of_switch(at, Port(0), self.states.port_bits).chunk();
                source.next = self.wakeups.set(chunk, self.now, source.created, node);
            }
            self.links.never_sent(Cause::SourceQueue, count, self.now);
        }
    }

    /// Lets the nodes of a mended switch generate packets again. How long one had waited for its next packet when it
    /// fell silent does not matter, because the distribution has no memory.
    fn wake_nodes(&mut self, at: SwitchId) {
        for node in self.nodes_of(at) {
            let source = &mut self.sources[node.as_usize()];
            if source.created < self.now {
                let first = self.packets.first(node, self.now, &mut source.rng);
                source.created = first.unwrap_or(NEVER);
            }
            if self.damage.as_mut().is_some_and(|damage| damage.wakes(node)) {
                let chunk = PortId::of_switch(at, Port(0), self.states.port_bits).chunk();
                source.next = self.wakeups.set(chunk, self.now, source.created, node);
            }
        }
    }
}

/// Builds the lists of a chunk from the states of its channels, between two cycles. The order within the lists does not
/// matter: arbiters go by numbers.
fn rebuild_lists(chunk: &mut Chunk) {
    let Chunk { in_ports, inputs, outputs, ready, pending, .. } = chunk;
    ready.clear();
    pending.clear();
    for output in outputs.iter_mut() {
        output.first_waiter = LocalChannel::NONE;
    }
    for (index, channel) in inputs.iter_mut().enumerate().filter(|(_, channel)| !channel.is_empty())
    {
        let input = ChannelId::from_index(index).local();
        if outputs[channel.out.index()].holder() != Some(input) {
            wait(channel, outputs, pending, input);
        }
    }
    for (number, port) in (0..).zip(in_ports.iter()) {
        if port.ready != 0 {
            ready.push(PortId::new(number).local());
        }
    }
}
