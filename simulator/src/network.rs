//! The network in motion: nodes, switches, and what is on the links between them.
//!
//! Each cycle runs in this order, which is the reference's:
//! 1. credits reach the nodes; each node with a packet and a credit sends it, and its switch
//!    decides the packet's path from the credits as they stand ([`Network::send_from_nodes`]);
//! 2. credits reach the switches, flits reach their input buffers ([`Network::receive`]);
//! 3. every switch that has something to do runs its pipeline `speedup` times (`allocate`), and
//!    what wins goes on its way (`links`).
//!
//! Routing costs no time, as with the reference's look-ahead: the output channel that a flit
//! wants is known on arrival. PAR's second look needs the credits of the second switch at the
//! moment when the flit wins switch allocation at the first ([`Network::look_again`]); all else
//! depends on the header alone and is found out on arrival.

use crate::allocate::{Pipeline, wait};
use crate::arrivals::Gaps;
use crate::calendar::Calendar;
use crate::fabric::Fabric;
use crate::links::{Arrival, Links};
use crate::packet::{Flit, NONE, Packet};
use crate::settings::{Injection, Settings};
use crate::switch_state::SwitchStates;
use crate::tally::Tally;
use crate::traffic::{Traffic, below};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_firmware_model::{Error, Header, Scheme, Step};
use tvlb_schema::{Node, Switch as SwitchNumber};

/// Cycles that a node's next packet can lie ahead before its alarm must be set again.
const ALARM_HORIZON: u32 = 1023;

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
    pub(crate) sources: Vec<Source>,
    /// Per node and virtual channel the credits left.
    pub(crate) node_free: Vec<u16>,
    pub(crate) switch_rngs: Vec<Xoshiro256PlusPlus>,
    pub(crate) links: Links,
    /// Nodes by the cycle in which they next have something to send.
    pub(crate) alarms: Calendar<u32>,
    /// Packets sent by nodes so far.
    pub(crate) sent: u64,
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
            sources,
            switch_rngs,
            links: Links::new(horizon, tally, settings.scheme == Scheme::Par),
            alarms,
            sent: 0,
            channel_map: [0, 1, 2, 3, 4, 5, 6, 7],
        }
    }

    /// Runs one cycle.
    pub(crate) fn cycle(&mut self) -> Result<(), Box<DatapathError>> {
        self.return_node_credits();
        self.send_from_nodes()?;
        // The pipeline is compiled for each size of a switch's window.
        match (self.states.port_bits, self.states.channel_bits) {
            (4, 2) => self.run_switches::<4, 2>(),
            (5, 2) => self.run_switches::<5, 2>(),
            (6, 2) => self.run_switches::<6, 2>(),
            (4, 3) => self.run_switches::<4, 3>(),
            (5, 3) => self.run_switches::<5, 3>(),
            _ => self.run_switches::<6, 3>(),
        }?;
        self.now += 1;
        Ok(())
    }

    fn run_switches<const P: u32, const C: u32>(&mut self) -> Result<(), Box<DatapathError>> {
        debug_assert_eq!((self.states.port_bits, self.states.channel_bits), (P, C));
        self.return_credits::<P, C>();
        self.receive::<P, C>()?;
        self.links.now = self.now;
        let speedup = self.settings.speedup;
        for word in 0..self.states.active.len() {
            let mut left = self.states.active[word];
            while left != 0 {
                let switch = word << 6 | left.trailing_zeros() as usize;
                left &= left - 1;
                let mut pipeline = Pipeline::<P, C>::of(&mut self.states, switch);
                for step in 1..=speedup {
                    pipeline.step(&mut self.links, self.now + u32::from(step == speedup));
                }
                if pipeline.is_idle() {
                    self.states.active[word] &= !(1 << (switch & 63));
                }
                if !self.links.second_looks.is_empty() {
                    self.look_again()?;
                }
            }
        }
        Ok(())
    }

    fn return_node_credits(&mut self) {
        let bucket = self.links.node_credits.take(self.now);
        for &credit in &bucket {
            self.node_free[credit as usize] += 1;
            let node = credit >> self.states.channel_bits;
            let source = &mut self.sources[node as usize];
            if source.blocked {
                source.blocked = false;
                self.alarms.file(self.now, node);
            }
        }
        self.links.node_credits.recycle(bucket);
    }

    fn send_from_nodes(&mut self) -> Result<(), Box<DatapathError>> {
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
        self.alarms.recycle(bucket);
        Ok(())
    }

    /// A node sends its oldest packet if it has a credit for it; its switch decides the path.
    fn send(&mut self, node: u32) -> Result<(), Box<DatapathError>> {
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
            .map_err(|error| Box::new(DatapathError { switch: number, cycle: now, error }))?;
        // What the packet wants at its switch is decided: it arrives as if it had asked already.
        let (out, header) = match admission.step {
            Step::Deliver { port } => (port.0 << states.channel_bits, 0),
            Step::Send { port, virtual_channel, header } => {
                let channel = self.channel_map[usize::from(virtual_channel & 7)];
                (port.0 << states.channel_bits | u16::from(channel), header.bits())
            }
        };
        let created = source.created;
        source.created += self.gaps.draw(&mut source.rng);
        let packet = Packet { flit: Flit::NONE, next: NONE, source: node, created, sent: now };
        self.sent += 1;
        let port =
            (u32::from(number.0) << states.port_bits | u32::from(terminal)) << states.channel_bits;
        let arrival = now + u32::from(settings.node_latency) + 1;
        self.links.inject(packet, header, port | channel, arrival, out);
        Ok(())
    }

    fn return_credits<const P: u32, const C: u32>(&mut self) {
        let bucket = self.links.credits.take(self.now);
        let states = &mut self.states;
        for &credit in &bucket {
            let output = &mut states.outputs[credit as usize];
            output.free += 1;
            // Its holder, if any, had a grant to hope for but no credit, until now.
            if output.free == 1
                && let Some(holder) = output.holder()
            {
                let switch = (credit >> (P + C)) as usize;
                states.make_ready(switch, holder);
                states.wake(switch);
            }
        }
        self.links.credits.recycle(bucket);
    }

    fn receive<const P: u32, const C: u32>(&mut self) -> Result<(), Box<DatapathError>> {
        let bucket = self.links.arrivals.take(self.now);
        for &Arrival { mut flit, port } in &bucket {
            let switch = (port >> (P + C)) as usize;
            let input =
                if flit.hops == 0 { port } else { port | self.route::<C>(switch, &mut flit)? };
            let channel = &mut self.states.inputs[input as usize];
            let behind = std::mem::replace(&mut channel.tail, flit.packet);
            if channel.is_empty() {
                channel.head = flit;
                let (first, states) = (switch << (P + C), &mut self.states);
                #[expect(clippy::cast_possible_truncation, reason = "a window has at most 512")]
                let input = (input & ((1 << (P + C)) - 1)) as u16;
                let (outputs, pending) = (&mut states.outputs, &mut states.pending);
                wait::<C>(outputs, pending, first, &mut states.work[switch], input, flit.out);
                states.wake(switch);
            } else {
                self.links.pool.get_mut(flit.packet).flit = flit;
                self.links.pool.get_mut(behind).next = flit.packet;
            }
        }
        self.links.arrivals.recycle(bucket);
        Ok(())
    }

    /// Finds out what a flit wants at the switch at which it arrives, and returns the virtual
    /// channel on which it came.
    #[inline]
    fn route<const C: u32>(&self, at: usize, flit: &mut Flit) -> Result<u32, Box<DatapathError>> {
        let header = Header::from_bits(flit.header);
        let channel = self.channel_map[usize::from(header.virtual_channel())];
        match self.fabric.switches()[at].forward(header) {
            // A node's own link has as many virtual channels; it keeps the one it has.
            Ok(Step::Deliver { port }) => flit.out = port.0 << C | u16::from(channel),
            Ok(Step::Send { port, virtual_channel, header }) => {
                let next = self.channel_map[usize::from(virtual_channel & 7)];
                flit.header = header.bits();
                flit.out = port.0 << C | u16::from(next);
            }
            Err(error) => return Err(Box::new(self.failed(at, error))),
        }
        Ok(channel.into())
    }

    /// PAR's second look at the packets that have just won switch allocation at their first
    /// switch and go on within the source group: from the second switch's credits as they are now.
    #[cold]
    fn look_again(&mut self) -> Result<(), Box<DatapathError>> {
        let switches = self.fabric.switches();
        while let Some((mut arriving, arrival)) = self.links.second_looks.pop() {
            let second = (arriving.port >> self.states.window_bits()) as usize;
            let queues = self.states.queues(switches, second, self.settings.buffer);
            let header = Header::from_bits(arriving.flit.header);
            let header = switches[second]
                .reconsider(header, self.settings.paths, &queues, &mut self.switch_rngs[second])
                .map_err(|error| Box::new(self.failed(second, error)))?;
            arriving.flit.header = header.bits();
            self.links.arrivals.file(arrival, arriving);
        }
        Ok(())
    }

    fn failed(&self, at: usize, error: Error) -> DatapathError {
        let switch = SwitchNumber(u16::try_from(at).expect("at most 2^16 switches"));
        DatapathError { switch, cycle: self.now, error }
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
