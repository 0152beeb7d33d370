//! The interface between the network and its user: what a node sends next, and when.
//!
//! The network only asks: a [`PacketSource`] knows neither paths nor buffers nor credits. A packet generated in an open
//! loop ([`Generation`]) and one of a job's message are the same to the network.
//!
//! A source hears of events at the nodes of one *chunk* of the network at a time ([`Chunks`]), and chunks run some
//! cycles ahead of each other. News from a node of one chunk may therefore affect another only
//! [`least_control_latency`](crate::least_control_latency) cycles later. Then the figures of a run depend neither on
//! how far chunks run ahead nor on the number of threads.

use crate::fabric::BootedFabric;
use crate::generation::{Generation, NEVER};
use crate::numbers::{PacketId, PortId};
use crate::switch_state::{chunk_count, port_bits};
use rand_core::Rng;
use tvlb_schema::{Dragonfly, NodeId, Port};

/// The packets of the nodes of a network, and their times.
///
/// A node has at most one packet to send at a time, which waits until the node has a credit for it: the
/// network asks for its destination as it sets out, and then when the node has the next one. Random
/// numbers are those of the node.
pub trait PacketSource: Send + Sized {
    /// The first cycle from `from` on in which a node has a packet to send; `None` if unknown.
    fn first(&self, node: NodeId, from: u32, rng: &mut impl Rng) -> Option<u32>;

    /// Begins a cycle of a chunk, before the chunk's nodes send. Passes to `wake` each node that now has a packet to
    /// send although that was unknown.
    #[inline]
    fn begin_cycle(&mut self, chunk: usize, now: u32, wake: impl FnMut(NodeId)) {
        let _ = (chunk, now, wake);
    }

    /// The destination of the packet that a node has had since a cycle.
    fn destination(&self, node: NodeId, since: u32, rng: &mut impl Rng) -> NodeId;

    /// Notes that a node has sent this packet, and that its link is free for the next one in the cycle `free`.
    #[inline]
    fn left(&mut self, node: NodeId, packet: PacketId, free: u32) {
        let _ = (node, packet, free);
    }

    /// The cycle since which a node has another packet to send, which may be past, after one that it had since a cycle
    /// and has sent or lost; `None` if unknown.
    fn next(&self, node: NodeId, since: u32, rng: &mut impl Rng) -> Option<u32>;

    /// Notes that a packet will reach its node, which belongs to a chunk, in a cycle, which may be some cycles ahead.
    /// Its number may be reused after this.
    #[inline]
    fn delivered(&mut self, packet: PacketId, cycle: u32, chunk: usize) {
        let _ = (packet, cycle, chunk);
    }

    /// The source of a part of the network that another thread runs; `None` if one source must see all nodes.
    fn of_part(&self) -> Option<Self> {
        None
    }

    /// How many bytes it holds that grow as the run goes on.
    fn bytes(&self) -> usize {
        0
    }
}

/// An open loop: packets are generated at random, whatever the network does.
impl PacketSource for Generation<'_> {
    fn first(&self, node: NodeId, from: u32, rng: &mut impl Rng) -> Option<u32> {
        if !self.traffic().sends(node) {
            return None;
        }
        known(self.first_from(node, from, rng))
    }

    #[inline]
    fn destination(&self, node: NodeId, since: u32, rng: &mut impl Rng) -> NodeId {
        self.destination(node, since, rng)
    }

    #[inline]
    fn next(&self, node: NodeId, since: u32, rng: &mut impl Rng) -> Option<u32> {
        known(self.after(node, since, rng))
    }

    fn of_part(&self) -> Option<Self> {
        Some(self.clone())
    }
}

/// The cycle of a packet, unless it is never generated.
#[inline]
fn known(cycle: u32) -> Option<u32> {
    (cycle < NEVER).then_some(cycle)
}

/// The chunks of a network: consecutive switches with their nodes, which run together.
#[derive(Clone, Copy, Debug)]
pub struct Chunks<'f> {
    df: &'f Dragonfly,
}

impl<'f> Chunks<'f> {
    /// Those of the network of a fabric.
    pub const fn of(fabric: &'f BootedFabric<'_>) -> Self {
        Self { df: fabric.dragonfly() }
    }

    /// How many there are. They are counted from 0.
    pub fn count(self) -> usize {
        chunk_count(self.df) as usize
    }

    /// The chunk of a node.
    pub fn of_node(self, node: NodeId) -> usize {
        PortId::of_switch(self.df.switch_of(node).0, Port(0), port_bits(self.df)).chunk()
    }
}
