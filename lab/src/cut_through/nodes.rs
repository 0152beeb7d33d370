//! Nodes generate packets, which wait in injection queues at their switch.
//!
//! The queues are finite: a node generates nothing while the queue of its last packet has room for at most one packet.
//! So the load offered beyond saturation is what the queues take, and the latency there shows their length.

use super::packet::CutThroughPacket;
use super::settings::{CutThrough, Sending};
use super::state::{Queues, channel_of};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_base::text::Refused;
use tvlb_schema::{Dragonfly, NodeId};
use tvlb_simulator::BootedFabric;
use tvlb_simulator::parts::{Generation, NO_NODE, Pool, PortId, Wakeups, stream};
use tvlb_traffic::{Traffic, below};

/// All nodes of a run are in one ring of wake-ups.
const RING: usize = 0;

#[derive(Debug)]
struct PacketGenerator {
    rng: Xoshiro256PlusPlus,
    /// The cycle in which it next generates a packet, if its queue has room then.
    next_packet: u32,
    /// Packets that it has still to generate, in a burst and if all send to all.
    left: u32,
    /// The injection queue to which its last packet went; the first one before that.
    last: u8,
    /// The next node that wakes up in the same cycle.
    next: NodeId,
    /// If all send to all: the rank of the node that it sends to first, and the step to the rank of each following one,
    /// modulo their number.
    order: (u32, u32),
}

#[derive(Debug)]
pub(super) struct CutThroughNodes<'f> {
    traffic: &'f Traffic,
    sending: Sending,
    dragonfly: Dragonfly,
    generation: Generation<'f>,
    sources: Vec<PacketGenerator>,
    wakeups: Wakeups,
    /// Nodes by rank, for [`Sending::AllToAll`].
    ranks: Vec<NodeId>,
    queues: u8,
    /// Packets due so far, whether or not queues had room for them.
    pub(super) offered: u64,
    /// Packets generated so far.
    pub(super) generated: u64,
}

impl<'f> CutThroughNodes<'f> {
    /// The nodes that send.
    pub(super) fn senders(&self) -> Vec<NodeId> {
        match self.sending {
            Sending::AllToAll => self.ranks.clone(),
            Sending::Load(_) | Sending::Burst(_) => {
                self.dragonfly.nodes().filter(|&node| self.traffic.sends(node)).collect()
            }
        }
    }

    pub(super) fn new(
        fabric: &BootedFabric<'_>,
        settings: &CutThrough,
        traffic: &'f Traffic,
        sending: Sending,
        seed: u64,
    ) -> Result<Self, Refused> {
        let df = *fabric.dragonfly();
        let ranks: Vec<NodeId> = fabric.nodes().iter().collect();
        let count = u32::try_from(ranks.len()).expect("nodes are numbered in 32 bits");
        let generation = match sending {
            Sending::Load(load) => Generation::new(traffic, load, settings.packet_phits)?,
            Sending::Burst(_) | Sending::AllToAll => Generation::new(traffic, 1.0, 1)?,
        };
        let left = match sending {
            Sending::Load(_) => u32::MAX,
            Sending::Burst(packets) => packets,
            Sending::AllToAll => count - 1,
        };
        let mut wakeups = Wakeups::new(1);
        let sources = (0..df.node_numbers())
            .map(|number| {
                let node = NodeId(number);
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(stream(seed, number.into()));
                let next_packet = generation.first_from(node, 0, &mut rng);
                let order = match sending {
                    Sending::AllToAll => order_of_all(count, &mut rng),
                    Sending::Load(_) | Sending::Burst(_) => (0, 0),
                };
                let sends = fabric.nodes().has(node)
                    && (sending == Sending::AllToAll || traffic.sends(node));
                let next = if sends { wakeups.set(RING, 0, next_packet, node) } else { NO_NODE };
                let left = if sends { left } else { 0 };
                PacketGenerator { rng, next_packet, left, last: 0, next, order }
            })
            .collect();
        Ok(Self {
            traffic,
            sending,
            dragonfly: df,
            generation,
            sources,
            wakeups,
            ranks,
            queues: settings.injection_queues,
            offered: 0,
            generated: 0,
        })
    }

    /// Lets the nodes generate packets that do so in this cycle.
    pub(super) fn generate(
        &mut self,
        queues: &mut Queues,
        pool: &mut Pool<CutThroughPacket>,
        now: u32,
    ) {
        let mut next = self.wakeups.take(RING, now);
        while next != NO_NODE {
            let node = next;
            next = self.sources[node.as_usize()].next;
            if self.sources[node.as_usize()].next_packet <= now {
                self.generate_one(queues, pool, node, now);
            }
            let source = &mut self.sources[node.as_usize()];
            if source.left > 0 {
                source.next = self.wakeups.set(RING, now, source.next_packet.max(now + 1), node);
            }
        }
    }

    fn generate_one(
        &mut self,
        queues: &mut Queues,
        pool: &mut Pool<CutThroughPacket>,
        node: NodeId,
        now: u32,
    ) {
        let room = queues.room[0];
        self.offered += 1;
        let source = &mut self.sources[node.as_usize()];
        source.next_packet = self.generation.after(node, now, &mut source.rng);
        let (switch, terminal) = self.dragonfly.switch_of(node);
        let port = queues.port(switch, self.dragonfly.terminal_port(terminal));
        if source.last_has_no_room(queues, port) {
            return;
        }
        let count = u32::try_from(self.ranks.len()).expect("nodes have 32 bits");
        let onward = |(rank, step): (u32, u32)| ((rank + step) % count, step);
        let sends_to_all = self.sending == Sending::AllToAll;
        if sends_to_all && self.ranks[source.order.0 as usize] == node {
            source.order = onward(source.order);
        }
        let destination = if sends_to_all {
            self.ranks[source.order.0 as usize]
        } else {
            self.generation.destination(node, now, &mut source.rng)
        };
        let numbers = u64::from(self.dragonfly.node_numbers());
        let queue = u64::from(self.queues) * u64::from(destination.0) / numbers;
        let queue = u8::try_from(queue).expect("a node has few queues");
        let channel = channel_of(port, queue);
        if queues.inputs[channel.index()].packets >= room {
            return;
        }
        if sends_to_all {
            source.order = onward(source.order);
        }
        source.last = queue;
        source.left -= u32::from(!matches!(self.sending, Sending::Load(_)));
        self.generated += 1;
        let packet = pool.add(CutThroughPacket::new(node, destination, now));
        queues.push(pool, channel, packet);
    }

    /// Whether no node has anything left to generate; of an open loop, never.
    pub(super) fn are_done(&self) -> bool {
        !matches!(self.sending, Sending::Load(_)) && self.sources.iter().all(|s| s.left == 0)
    }
}

impl PacketGenerator {
    /// Whether the queue to which the last packet went has room for one packet at most.
    fn last_has_no_room(&self, queues: &Queues, port: PortId) -> bool {
        let last = channel_of(port, self.last);
        queues.room[0] - queues.inputs[last.index()].packets <= 1
    }
}

/// The first rank that a node sends to and the step to the next one, which visits all ranks.
fn order_of_all(count: u32, rng: &mut Xoshiro256PlusPlus) -> (u32, u32) {
    let first = below(rng, count);
    loop {
        let step = 1 + below(rng, count.max(2) - 1);
        if greatest_common_divisor(step, count) == 1 {
            return (first, step);
        }
    }
}

const fn greatest_common_divisor(mut one: u32, mut other: u32) -> u32 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}
