//! The network in motion: nodes, switches, and what is on the links between them.
//!
//! Each cycle runs in this order, which is the reference's:
//! 1. credits reach the nodes; each node with a packet and a credit sends it, and its switch
//!    decides the packet's path from the credits as they stand ([`Network::send_from_nodes`]);
//! 2. credits reach the switches, flits reach their input buffers ([`Network::receive`]);
//! 3. every switch that has something to do runs its pipeline `speedup` times
//!    ([`Network::step_switch`] in `allocate`), and what wins departs ([`Network::depart`]).
//!
//! Routing is looked ahead: the output channel that a flit will want at the next switch is found
//! out when it wins switch allocation at this one, and it is known on arrival.

use crate::arrivals::Gaps;
use crate::calendar::Calendar;
use crate::fabric::Fabric;
use crate::packet::{NONE, Packet, Pool};
use crate::settings::{Injection, Settings};
use crate::switch_state::{NOBODY, SwitchStates};
use crate::tally::Tally;
use crate::traffic::{Traffic, below};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_firmware_model::{Error, Kind, Scheme, Step};
use tvlb_schema::{Node, Switch as SwitchNumber};

/// Cycles that a node's next packet can lie ahead before its alarm must be set again.
const ALARM_HORIZON: u32 = 1023;

/// A flit on its way to an input buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) flit: u32,
    /// The input channel, over all switches.
    pub(crate) input: u32,
    /// The output channel that it will want there, within the switch.
    pub(crate) out: u16,
}

/// A node: its source queue is the time at which its oldest packet was generated, since all that
/// would be stored of a packet is drawn when it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) rng: Xoshiro256PlusPlus,
    /// The cycle in which the next packet to send is, or was, generated.
    pub(crate) created: u32,
    /// It has a packet and no credit, and its alarm is not set.
    pub(crate) blocked: bool,
}

/// A run in progress.
pub(crate) struct Network<'f> {
    pub(crate) fabric: &'f Fabric<'f>,
    pub(crate) settings: &'f Settings,
    pub(crate) traffic: &'f Traffic,
    pub(crate) gaps: Gaps,
    pub(crate) now: u32,
    pub(crate) states: SwitchStates,
    pub(crate) pool: Pool,
    pub(crate) sources: Vec<Source>,
    /// Per node and virtual channel the credits left.
    pub(crate) node_free: Vec<u16>,
    pub(crate) switch_rngs: Vec<Xoshiro256PlusPlus>,
    /// Flits by the cycle in which they arrive.
    pub(crate) arrivals: Calendar<Arrival>,
    /// Output channels, over all switches, by the cycle in which a credit for them counts.
    pub(crate) credits: Calendar<u32>,
    /// The same for the nodes: node and virtual channel.
    pub(crate) node_credits: Calendar<u32>,
    /// Nodes by the cycle in which they next have something to send.
    pub(crate) alarms: Calendar<u32>,
    pub(crate) tally: Tally,
    /// Flits that have won switch allocation so far.
    pub(crate) grants: u64,
    /// Packets sent by nodes so far.
    pub(crate) sent: u64,
    /// Packets that have left the last switch so far.
    pub(crate) delivered: u64,
    /// The virtual channel on a link, by the one that the datapath assigned; the identity but in
    /// tests that want a deadlock.
    pub(crate) channel_map: [u8; 8],
}

/// An error of the datapath, with the switch at which it happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("switch {switch}, cycle {cycle}: {error}")]
pub struct DatapathError {
    /// The switch.
    pub switch: SwitchNumber,
    /// The cycle.
    pub cycle: u32,
    /// The error.
    pub error: Error,
}

impl<'f> Network<'f> {
    /// A network at rest. `channels` is the number of virtual channels, `seed` that of the run.
    pub(crate) fn new(
        fabric: &'f Fabric<'f>,
        settings: &'f Settings,
        traffic: &'f Traffic,
        channels: u8,
        load: f64,
        seed: u64,
        tally: Tally,
    ) -> Self {
        let df = fabric.dragonfly();
        let states = SwitchStates::new(fabric, settings, channels);
        let nodes = df.node_count();
        // A flit can wait for its link behind at most all the flits that the credits allow.
        let latency =
            settings.local_latency.max(settings.global_latency).max(settings.node_latency);
        let queue = u32::from(settings.buffer) * u32::from(channels);
        let horizon = 2 * u32::from(latency) + u32::from(settings.credit_delay) + queue + 8;
        let gaps = Gaps::new(load);
        let mut alarms = Calendar::new(ALARM_HORIZON);
        let sources = (0..nodes)
            .map(|node| {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(stream(seed, node.into()));
                let created = gaps.draw(&mut rng) - 1;
                if traffic.sends(node) {
                    alarms.file(created.min(alarms.horizon()), node);
                }
                Source { rng, created, blocked: false }
            })
            .collect();
        let switch_rngs = (0..df.switch_count())
            .map(|switch| {
                Xoshiro256PlusPlus::seed_from_u64(stream(seed, 1 << 32 | u64::from(switch)))
            })
            .collect();
        Self {
            fabric,
            settings,
            traffic,
            gaps,
            now: 0,
            node_free: vec![settings.buffer; (nodes as usize) << states.channel_bits],
            states,
            pool: Pool::new(),
            sources,
            switch_rngs,
            arrivals: Calendar::new(horizon),
            credits: Calendar::new(horizon),
            node_credits: Calendar::new(horizon),
            alarms,
            tally,
            grants: 0,
            sent: 0,
            delivered: 0,
            channel_map: [0, 1, 2, 3, 4, 5, 6, 7],
        }
    }

    /// Runs one cycle.
    pub(crate) fn cycle(&mut self) -> Result<(), DatapathError> {
        self.return_node_credits();
        self.send_from_nodes()?;
        self.return_credits();
        self.receive();
        self.step_switches()?;
        self.now += 1;
        Ok(())
    }

    fn return_node_credits(&mut self) {
        let bucket = self.node_credits.take(self.now);
        for &credit in &bucket {
            self.node_free[credit as usize] += 1;
            let node = credit >> self.states.channel_bits;
            let source = &mut self.sources[node as usize];
            if source.blocked {
                source.blocked = false;
                self.alarms.file(self.now, node);
            }
        }
        self.node_credits.put_back(self.now, bucket);
    }

    fn send_from_nodes(&mut self) -> Result<(), DatapathError> {
        let (now, horizon) = (self.now, self.alarms.horizon());
        let bucket = self.alarms.take(now);
        for &node in &bucket {
            let created = self.sources[node as usize].created;
            if created <= now {
                self.send(node)?;
            }
            let source = &self.sources[node as usize];
            if !source.blocked {
                self.alarms.file(source.created.max(now + 1).min(now + horizon), node);
            }
        }
        self.alarms.put_back(now, bucket);
        Ok(())
    }

    /// A node sends its oldest packet if it has a credit for it; its switch decides the path.
    fn send(&mut self, node: u32) -> Result<(), DatapathError> {
        let Self { fabric, settings, traffic, states, now, .. } = self;
        let now = *now;
        let source = &mut self.sources[node as usize];
        let channel = match settings.injection {
            Injection::Zero => 0,
            Injection::Random => below(&mut source.rng, states.channels.into()),
        };
        let free = &mut self.node_free[(node << states.channel_bits | channel) as usize];
        if *free == 0 {
            // With a channel drawn anew each time, another may have a credit in the next cycle.
            source.blocked = settings.injection == Injection::Zero;
            return Ok(());
        }
        *free -= 1;
        let (number, terminal) = fabric.dragonfly().switch_of(Node(node));
        let at = usize::from(number.0);
        let switches = fabric.switches();
        let destination = Node(traffic.draw(node, &mut source.rng));
        let queues = states.queues(switches, at, settings.buffer);
        let admission = switches[at]
            .admit(destination, settings.scheme, settings.paths, &queues, &mut source.rng)
            .map_err(|error| DatapathError { switch: number, cycle: now, error })?;
        let (out, header) = match admission.step {
            Step::Deliver { port } => (port.0 << states.channel_bits, 0),
            Step::Send { port, virtual_channel, header } => {
                let channel = self.channel_map[usize::from(virtual_channel & 7)];
                (port.0 << states.channel_bits | u16::from(channel), header.bits())
            }
        };
        let created = source.created;
        source.created += self.gaps.draw(&mut source.rng);
        let flit = self.pool.add(Packet {
            header,
            next: NONE,
            source: node,
            created,
            sent: now,
            out,
            hops: 0,
        });
        self.sent += 1;
        self.tally.sent(created);
        let port = u32::from(number.0) << states.port_bits | u32::from(terminal);
        let input = port << states.channel_bits | channel;
        let arrival = now + u32::from(settings.node_latency) + 1;
        self.arrivals.file(arrival, Arrival { flit, input, out });
        Ok(())
    }

    fn return_credits(&mut self) {
        let bucket = self.credits.take(self.now);
        let states = &mut self.states;
        let bits = states.window_bits();
        for &credit in &bucket {
            let output = &mut states.outputs[credit as usize];
            output.free += 1;
            // Its holder had a grant to hope for but no credit, until now.
            if output.free == 1 && output.holder != NOBODY {
                let (switch, holder) = ((credit >> bits) as usize, output.holder);
                states.make_ready(switch, holder);
                states.wake(switch);
            }
        }
        self.credits.put_back(self.now, bucket);
    }

    fn receive(&mut self) {
        let bucket = self.arrivals.take(self.now);
        let bits = self.states.window_bits();
        for &Arrival { flit, input, out } in &bucket {
            let channel = &mut self.states.inputs[input as usize];
            let behind = std::mem::replace(&mut channel.tail, flit);
            if channel.head == NONE {
                channel.head = flit;
                let switch = (input >> bits) as usize;
                #[expect(clippy::cast_possible_truncation, reason = "a window has at most 512")]
                self.states.wait(switch, (input & ((1 << bits) - 1)) as u16, out);
                self.states.wake(switch);
            } else {
                self.pool.get_mut(behind).next = flit;
            }
        }
        self.arrivals.put_back(self.now, bucket);
    }

    /// A flit that has won switch allocation leaves its buffer for the output port, and its
    /// credit goes back. `step` is the number of the step in this cycle.
    ///
    /// It crosses the switch in the next step and queues for its link, which takes one flit per
    /// cycle. That queue is first in, first out and has room for all, so the cycle of departure is
    /// known now and the queue need not be kept.
    #[inline]
    pub(crate) fn depart(&mut self, at: usize, input: u16, step: u8) -> Result<(), DatapathError> {
        let now = self.now;
        let states = &mut self.states;
        let window = states.window(at);
        let channel = &mut states.inputs[window | usize::from(input)];
        let (flit, out) = (channel.head, channel.out);
        let emptied = channel.tail == flit;
        self.grants += 1;

        let output = &mut states.outputs[window | usize::from(out)];
        debug_assert!(output.free > 0, "only what has a credit takes part in switch allocation");
        output.free -= 1;
        states.release(at, out);

        let packet = self.pool.get_mut(flit);
        if emptied {
            states.inputs[window | usize::from(input)].head = NONE;
        } else {
            let next = packet.next;
            states.inputs[window | usize::from(input)].head = next;
            let wanted = self.pool.get(next).out;
            states.wait(at, input, wanted);
        }

        let channel_bits = states.channel_bits;
        let in_channel = u32::from(input) & ((1 << channel_bits) - 1);
        let ports = at << states.port_bits;
        let arrived_by = &states.ports[ports | usize::from(input >> channel_bits)];
        if arrived_by.peer_is_node() {
            let credit = arrived_by.peer << channel_bits | in_channel;
            self.node_credits.file(now + u32::from(arrived_by.crossing), credit);
        } else {
            let credit = arrived_by.peer | in_channel;
            self.credits.file(now + u32::from(arrived_by.credit), credit);
        }

        let port = &mut states.ports[ports | usize::from(out >> channel_bits)];
        let earliest = if step + 1 < self.settings.speedup { now } else { now + 1 };
        let departure = earliest.max(port.departure);
        port.departure = departure + 1;
        port.flits += 1;
        let arrival = departure + u32::from(port.crossing);
        if port.peer_is_node() {
            // The node takes the flit at once and answers with a credit.
            #[expect(clippy::cast_possible_truncation, reason = "channels of all switches: 2^25")]
            let credit = (window | usize::from(out)) as u32;
            self.credits.file(arrival + u32::from(port.credit), credit);
            self.delivered += 1;
            let packet = self.pool.get(flit);
            self.tally.delivered(packet, arrival);
            self.pool.remove(flit);
            return Ok(());
        }
        let peer = port.peer;
        let (next, wanted) = self.look_ahead(flit, peer)?;
        self.arrivals.file(arrival, Arrival { flit, input: next, out: wanted });
        Ok(())
    }

    /// Finds out what a flit will want at the switch behind its link: the input channel at which
    /// it will arrive, over all switches, and the output channel there.
    ///
    /// PAR's second look happens here too: as the flit wins switch allocation at the first
    /// switch, with the credits that the second switch has then.
    #[inline]
    fn look_ahead(&mut self, flit: u32, peer: u32) -> Result<(u32, u16), DatapathError> {
        let states = &self.states;
        let next = (peer >> states.window_bits()) as usize;
        let packet = self.pool.get_mut(flit);
        packet.hops += 1;
        #[expect(clippy::cast_possible_truncation, reason = "at most 2^16 switches")]
        let number = SwitchNumber(next as u16);
        let failed = |error| DatapathError { switch: number, cycle: self.now, error };
        let switches = self.fabric.switches();
        let mut header = tvlb_firmware_model::Header::from_bits(packet.header);
        // Where the flit arrives: on the channel that the datapath assigned for this link.
        let channel = u32::from(self.channel_map[usize::from(header.virtual_channel())]);
        if self.settings.scheme == Scheme::Par && header.kind() == Some(Kind::OpenMin) {
            let queues = states.queues(switches, next, self.settings.buffer);
            let rng = &mut self.switch_rngs[next];
            header = switches[next]
                .reconsider(header, self.settings.paths, &queues, rng)
                .map_err(failed)?;
            packet.header = header.bits();
        }
        let out = match switches[next].forward(header).map_err(failed)? {
            Step::Deliver { port } => {
                #[expect(clippy::cast_possible_truncation, reason = "below 8")]
                let same = channel as u16;
                port.0 << states.channel_bits | same
            }
            Step::Send { port, virtual_channel, header } => {
                packet.header = header.bits();
                let channel = self.channel_map[usize::from(virtual_channel & 7)];
                port.0 << states.channel_bits | u16::from(channel)
            }
        };
        packet.out = out;
        Ok((peer | channel, out))
    }
}

/// The seed of one node's or switch's random numbers: far from its neighbours' by a hash, so that
/// no order of handling can matter.
fn stream(seed: u64, number: u64) -> u64 {
    let mut z =
        seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03);
    z = (z ^ (z >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    z ^ (z >> 32)
}
