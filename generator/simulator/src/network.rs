//! The network in motion: nodes, switches, and what is on the links between them.
//!
//! Each cycle runs in this order, which is the reference's:
//! 1. each node with a packet and a credit sends it, and its switch decides the packet's path from the credits at that
//!    moment ([`Network::send_from_nodes`]);
//! 2. credits reach the switches, and the nodes for the next cycle ([`Network::return_credits`]);
//!    flits reach their input buffers ([`Network::receive`]);
//! 3. the switches run their pipelines `speedup` times (`allocate`), and the winners go on their way (`links`).
//!
//! Everything that one switch does in a cycle takes at least a link's latency to reach another. So a *chunk* of
//! switches with their nodes can run that many cycles before the next chunk has its turn, while its state is in the
//! nearest cache, and the result is the same ([`Network::run`]). PAR looks at the queues of other switches of the same
//! group, so under PAR whole groups run ahead together. UGAL-G looks at the queues of all switches, so under UGAL-G all
//! chunks keep in step.
//!
//! Routing costs no time, as with the reference's look-ahead: the output channel that a flit wants is known on arrival.
//! PAR's second look needs the credits of the second switch at the moment when the flit wins switch allocation at the
//! first ([`Network::look_again`]). Everything else depends on the header alone and is determined on arrival.

use crate::allocate::{Moment, make_ready};
use crate::damage::Damage;
use crate::decider::{Decider, SwitchView};
use crate::fabric::BootedFabric;
use crate::faults::FaultSchedule;
use crate::generation::NEVER;
use crate::horizon::Horizon;
use crate::links::UnderWay;
use crate::numbers::{CHANNELS, ChannelId, PORTS, PacketId, PortId};
use crate::owned_range::OwnedRange;
use crate::pace::Free;
use crate::packet_source::PacketSource;
use crate::scheme::Scheme;
use crate::second_look::SecondLooks;
use crate::setting_values::Deciding;
use crate::settings::Settings;
use crate::switch_state::{InputChannel, PortKind, SwitchStates};
use crate::tally::Tally;
use crate::wakeups::{NO_NODE, Wakeups};
use crate::windows::{Acknowledgements, SourceWindows};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_firmware_model::{self as datapath, Error, Header};
use tvlb_schema::{NodeId, Port, SwitchId};
use tvlb_table_set::names::NamedSwitch;

/// A node: its source queue is the time at which its oldest packet was generated, because everything else about a
/// packet is drawn when it is sent.
#[derive(Clone, Debug)]
pub(crate) struct SourceQueue {
    pub(crate) rng: Xoshiro256PlusPlus,
    /// The cycle in which it has, or had, its next packet to send, or [`NEVER`] while that is unknown.
    pub(crate) created: u32,
    /// The switch that the node is connected to.
    pub(crate) switch: SwitchId,
    /// Virtual channel 0 of the switch's port that it sends to, which also gives the chunk.
    pub(crate) input: ChannelId,
    /// While its wake-up is set: the next node of the same chunk and cycle, or [`NO_NODE`].
    pub(crate) next: NodeId,
    /// Whether it has a packet and no credit. Its wake-up is then not set: the next credit sets it.
    pub(crate) blocked: bool,
}

/// A run in progress, with a packet source and a decider.
pub(crate) struct Network<'f, S, D> {
    pub(crate) fabric: &'f BootedFabric<'f>,
    /// The switches of this run, with fault images of their own if parts die.
    pub(crate) switches: Vec<datapath::Switch<'f>>,
    pub(crate) settings: &'f Settings,
    /// The packets of nodes.
    pub(crate) packets: S,
    /// Decides in its switches.
    pub(crate) decider: D,
    pub(crate) now: u32,
    pub(crate) horizon: Horizon,
    pub(crate) states: SwitchStates,
    pub(crate) sources: OwnedRange<SourceQueue>,
    pub(crate) switch_rngs: OwnedRange<Xoshiro256PlusPlus>,
    pub(crate) links: UnderWay,
    pub(crate) second_looks: SecondLooks,
    /// Whether switches choose the link with which VLB packets leave their intermediate group.
    pub(crate) looks_onward: bool,
    /// Nodes by the cycle in which they next have something to send.
    pub(crate) wakeups: Wakeups,
    /// When each node's link to its switch is free again; empty where that link takes a flit per cycle.
    pub(crate) node_links: OwnedRange<Free>,
    /// If sources have windows.
    pub(crate) windows: Option<SourceWindows>,
    /// Packets sent by nodes so far.
    pub(crate) sent: u64,
    /// The virtual channel of a packet on a link, by the one that the datapath assigned. They are the same, except in
    /// tests that provoke a deadlock.
    pub(crate) channel_map: [u8; 8],
    /// What is dead, if parts die on a schedule.
    pub(crate) damage: Option<Box<Damage<'f>>>,
    /// The other parts of the network, if it is divided (`division`): this is then the first.
    pub(crate) beside: Vec<Self>,
}

/// An error of the datapath, with the switch at which it happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("switch {switch}, cycle {cycle}: {error}")]
pub struct DatapathError {
    pub switch: NamedSwitch,
    /// The cycle in which it happened.
    pub cycle: u32,
    /// What the datapath reported.
    pub error: Error,
}

impl<'f, S: PacketSource, D: Decider> Network<'f, S, D> {
    /// A network without packets. `channels` is how many virtual channels a link has.
    pub(crate) fn new(
        fabric: &'f BootedFabric<'f>,
        settings: &'f Settings,
        channels: u8,
        (packets, decider): (S, D),
        seed: u64,
        tally: Tally,
    ) -> Self {
        let df = fabric.dragonfly();
        let states = SwitchStates::new(fabric, settings, channels);
        let nodes = df.node_numbers();
        let horizon = settings.cycles_ahead(channels);
        let paced_nodes =
            if states.crossings[PortKind::Node as usize].gap > 256 { nodes } else { 0 };
        let chunks = states.all_chunks;
        let mut wakeups = Wakeups::new(chunks);
        let sources = (0..nodes)
            .map(|node| {
                let node = NodeId(node);
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(stream(seed, node.0.into()));
                let created = packets.first(node, 0, &mut rng).unwrap_or(NEVER);
                let (switch, terminal) = df.switch_of(node);
                let port = PortId::of_switch(switch, Port(terminal.into()), states.port_bits);
                let input = ChannelId::first_of(port);
                let next = if created < NEVER {
                    wakeups.set(input.chunk(), 0, created, node)
                } else {
                    NO_NODE
                };
                SourceQueue { rng, created, switch, input, next, blocked: false }
            })
            .collect::<Vec<_>>();
        let switch_rngs = (0..df.switch_numbers())
            .map(|switch| {
                Xoshiro256PlusPlus::seed_from_u64(stream(seed, 1 << 32 | u64::from(switch)))
            })
            .collect();
        let mut links = UnderWay::new(horizon, chunks, tally);
        let windows = settings.destination_window.map(|limits| {
            let network = (states.port_bits, chunks, horizon);
            links.acknowledgements = Some(Acknowledgements::new(settings, df, network));
            SourceWindows::new(limits, df)
        });
        Self {
            fabric,
            switches: fabric.switches_of_run(settings.booted_for(channels)),
            settings,
            horizon: if decider.looks_afar() {
                Horizon::in_step(chunks)
            } else {
                Horizon::new(settings, df, states.port_bits, chunks)
            },
            packets,
            decider,
            now: 0,
            second_looks: SecondLooks::new(settings.scheme == Scheme::Par, chunks * PORTS),
            looks_onward: {
                let scheme = settings.scheme.of_switch();
                fabric.switches().iter().any(|switch| switch.looks_onward(scheme))
            },
            states,
            sources: OwnedRange::whole(sources),
            switch_rngs: OwnedRange::whole(switch_rngs),
            links,
            wakeups,
            node_links: OwnedRange::whole(vec![Free::default(); paced_nodes as usize]),
            windows,
            sent: 0,
            channel_map: [0, 1, 2, 3, 4, 5, 6, 7],
            damage: None,
            beside: Vec::new(),
        }
    }

    /// Lets parts die and be mended as a schedule says, with delays drawn from a seed.
    pub(crate) fn follow(&mut self, schedule: &'f FaultSchedule, seed: u64) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(stream(seed, 2 << 32));
        let ports = self.states.all_chunks * PORTS;
        self.damage = Some(Box::new(Damage::new(self.fabric, schedule, ports, &mut rng)));
        self.replace_switches(self.fabric);
    }

    /// Runs some cycles. Afterwards all switches stand between the same two cycles.
    pub(crate) fn run(&mut self, cycles: u32) -> Result<(), Box<DatapathError>> {
        let end = self.now + cycles;
        if !self.beside.is_empty() {
            return self.run_parts(end);
        }
        while self.now < end {
            let mut until = end.min(self.now + self.horizon.cycles);
            if self.damage.is_some() {
                until = until.min(self.let_events_happen()?);
            }
            self.run_to(until)?;
        }
        Ok(())
    }

    /// Runs all chunks up to a cycle before which others cannot affect them.
    pub(crate) fn run_to(&mut self, until: u32) -> Result<(), Box<DatapathError>> {
        let (chunks, step) = (self.states.chunks.places(), self.horizon.chunks);
        let tells = self.settings.scheme == Scheme::UgalGroup;
        for first in chunks.clone().step_by(step) {
            let chunks = first..chunks.end.min(first + step);
            for now in self.now..until {
                if tells && now.is_multiple_of(self.settings.telling_cycles.into()) {
                    self.states.tell(chunks.clone());
                }
                // All nodes send before anything moves, because the decisions of one chunk may depend on the queues of
                // another that keeps in step with it.
                chunks.clone().try_for_each(|chunk| self.send_from_nodes(chunk, now))?;
                chunks.clone().try_for_each(|chunk| self.work(chunk, now))?;
                if self.second_looks.are_taken {
                    self.look_again(now)?;
                }
            }
        }
        self.now = until;
        Ok(())
    }

    /// Makes all chunks keep in step, whatever the scheme.
    pub(crate) fn keep_in_step(&mut self) {
        self.horizon = Horizon::in_step(self.states.all_chunks);
    }

    /// The work of one cycle at a chunk's switches, and at its nodes after they have sent.
    fn work(&mut self, chunk: usize, now: u32) -> Result<(), Box<DatapathError>> {
        self.return_credits(chunk, now);
        if self.damage.is_some() {
            self.lose_arrivals(chunk, now)?;
        }
        self.receive::<true>(chunk, now)?;
        self.receive::<false>(chunk, now)?;
        let decides_late = self.settings.decide == Deciding::Head;
        if decides_late {
            self.decide_heads(chunk, now)?;
        }

        let speedup = self.settings.speedup;
        for step in 1..=speedup {
            let at = Moment { now, earliest: now + u32::from(step == speedup), step };
            self.states.step(chunk, &mut self.links, &mut self.second_looks, &mut self.packets, at);
            if decides_late {
                self.decide_heads(chunk, now)?;
            }
        }
        self.return_node_credits(chunk, now);
        Ok(())
    }

    /// Counts the credits that reach the switches of a chunk in this cycle.
    fn return_credits(&mut self, number: usize, now: u32) {
        let bucket = self.links.credits.take(now, number);
        let (port_bits, keeps_sums) = (self.states.port_bits, self.states.keeps_sums);
        let first_link = self.fabric.dragonfly().p() as usize;
        let chunk = &mut self.states.chunks[number];
        for &credit in self.links.credits.blocks(bucket).flatten() {
            let output = &mut chunk.outputs[credit.index()];
            output.free += 1;
            if keeps_sums {
                let port = credit.port().index();
                let is_link = port & ((1 << port_bits) - 1) >= first_link;
                chunk.used_by_links[port >> port_bits] -= u32::from(is_link);
            }
            // With a first credit, the input channel that holds the output channel can take part
            // in switch allocation again.
            if output.free == 1
                && let Some(holder) = output.holder()
            {
                make_ready(&mut chunk.in_ports, &mut chunk.ready, holder);
            }
        }
        self.links.credits.recycle(bucket);
    }

    /// Counts the credits that reach the nodes of a chunk in this cycle; the nodes can use them from the next cycle on,
    /// and blocked ones wake up then.
    fn return_node_credits(&mut self, chunk: usize, now: u32) {
        let bucket = self.links.credits.take(now, self.states.all_chunks + chunk);
        let ports = &self.states.chunks[chunk].out_ports;
        let free = self.states.node_free.slice_mut(chunk * CHANNELS..(chunk + 1) * CHANNELS);
        for &credit in self.links.credits.blocks(bucket).flatten() {
            let free = &mut free[credit.index()];
            *free += 1;
            if *free == 1 {
                let node = ports[credit.port().index()].peer.node();
                let source = &mut self.sources[node.0 as usize];
                if source.blocked {
                    source.blocked = false;
                    source.next = self.wakeups.set(chunk, now, now + 1, node);
                }
            }
        }
        self.links.credits.recycle(bucket);
    }

    /// PAR's second look at the packets that have just won switch allocation at their first switch and go on within the
    /// source group: from the second switch's credits at this moment.
    fn look_again(&mut self, now: u32) -> Result<(), Box<DatapathError>> {
        let switches = &*self.switches;
        let packets = self.second_looks.in_order(self.states.port_bits);
        for look in &packets {
            let first = look.port.switch(self.states.port_bits);
            let second = look.arriving.input.port().switch(self.states.port_bits);
            let mut queues = self.states.queues(second);
            // The first switch has its turn before the second one. Flits that the second switch sent in this cycle come
            // after this look, so they do not count.
            if second.0 > first.0 {
                queues = queues.without(self.second_looks.sent());
            }
            let flit = self.links.pool.flit_mut(look.arriving.packet);
            let header = Header::from_bits(flit.header);
            let view = SwitchView::new(switches, queues, (self.settings, now));
            let rng = &mut self.switch_rngs[second.as_usize()];
            let header = match self.decider.reconsider(&view, header, rng) {
                Ok(header) => header,
                // It was sent around a dead link unknown to the second switch, which will refuse it.
                Err(Error::Astray { .. }) if self.damage.is_some() => header,
                Err(error) => return Err(Box::new(failed(self.fabric, now, second, error))),
            };
            self.links.pool.flit_mut(look.arriving.packet).header = header.bits();
            let chunk = look.arriving.input.chunk();
            self.links.arrivals.file(look.arrival, chunk, look.arriving);
        }
        self.second_looks.end(packets);
        Ok(())
    }

    /// The packets in the buffer of an input channel, the first one first.
    pub(crate) fn packets_of(&self, channel: &InputChannel) -> impl Iterator<Item = PacketId> {
        let InputChannel { head, tail, .. } = *channel;
        std::iter::successors((!head.is_none()).then_some(head), move |&at| {
            (at != tail).then(|| self.links.pool.flit(at).next)
        })
    }

    /// How many packets are under way.
    pub(crate) fn under_way(&self) -> u32 {
        self.parts().map(|part| part.links.pool.live()).sum()
    }

    /// The name of the link that leads away from a switch's port.
    pub(crate) fn link_name(&self, port: PortId) -> String {
        let bits = self.states.port_bits;
        self.fabric.name(port.switch(bits), port.at_switch(bits))
    }

    /// The name of the link from a node, by the port at which it arrives.
    pub(crate) fn injection_name(&self, port: PortId) -> String {
        let df = self.fabric.dragonfly();
        let (group, index) = df.place(port.switch(self.states.port_bits));
        let node = self.part_of(port.chunk()).states.out_port(port).peer.node();
        format!("link from node {node} to group {group}, switch {index}")
    }

    /// For each port of each switch, how many flits have been granted towards it so far.
    pub(crate) fn link_flits(&self) -> Vec<u32> {
        let count = (self.fabric.dragonfly().switch_numbers() as usize) << self.states.port_bits;
        let chunks = self.parts().flat_map(|part| part.states.chunks.iter());
        let ports = chunks.flat_map(|chunk| &chunk.out_ports);
        ports.take(count).map(|port| port.flits).collect()
    }

    /// How many bytes the run holds, without the booted images.
    pub(crate) fn bytes(&self) -> usize {
        let of_part = |part: &Self| {
            part.states.bytes()
                + part.packets.bytes()
                + part.links.bytes()
                + part.second_looks.bytes()
                + part.wakeups.bytes()
                + part.sources.bytes()
                + part.switch_rngs.bytes()
                + part.windows.as_ref().map_or(0, SourceWindows::bytes)
        };
        self.parts().map(of_part).sum()
    }
}

pub fn failed(fabric: &BootedFabric<'_>, cycle: u32, at: SwitchId, error: Error) -> DatapathError {
    DatapathError { switch: fabric.named(at), cycle, error }
}

/// The seed of the random numbers of one node or switch, a hash of the run's seed and its number. Each has random
/// numbers of its own, so the order in which they are handled does not matter.
pub fn stream(seed: u64, number: u64) -> u64 {
    let mut z =
        seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03);
    z = (z ^ (z >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    z ^ (z >> 32)
}
