//! The packets of jobs: nodes send those of the messages that their ranks have let go, in turn.

use crate::messages::Messages;
use crate::ranks::Ranks;
use rand_core::Rng;
use tvlb_schema::NodeId;
use tvlb_simulator::PacketSource;
use tvlb_simulator::parts::PacketId;

/// Ranks and their messages on the way: what the nodes of a run to completion send.
#[derive(Debug)]
pub(crate) struct JobPackets<'w> {
    pub(crate) ranks: Ranks<'w>,
    pub(crate) messages: Messages,
}

impl PacketSource for JobPackets<'_> {
    /// Nothing is known before the ranks take their first steps, in cycle 0. The first random number of a node is
    /// left out, because it is that of its first packet in an open loop: so both draw paths from the same ones.
    fn first(&self, _: NodeId, _: u32, rng: &mut impl Rng) -> Option<u32> {
        rng.next_u64();
        None
    }

    fn begin_cycle(&mut self, chunk: usize, now: u32, wake: impl FnMut(NodeId)) {
        self.ranks.take_steps(chunk, now, &mut self.messages);
        self.ranks.woken.drain(..).for_each(wake);
    }

    fn destination(&self, node: NodeId, _: u32, _: &mut impl Rng) -> NodeId {
        let next = self.ranks.sends[node.as_usize()].transfers.front();
        self.messages.transfer(*next.expect("a node is awake while it has a transfer")).to
    }

    fn left(&mut self, node: NodeId, packet: PacketId, free: u32) {
        let sends = &mut self.ranks.sends[node.as_usize()];
        let Some(id) = sends.transfers.pop_front() else { return };
        let message = self.messages.transfer(id).message;
        let is_last = self.messages.leaves(id, packet);
        if !is_last {
            sends.transfers.push_back(id);
        }
        sends.is_awake = !sends.transfers.is_empty();
        if is_last {
            self.ranks.has_left(message, free, &mut self.messages);
        }
    }

    fn next(&self, node: NodeId, since: u32, _: &mut impl Rng) -> Option<u32> {
        self.ranks.sends[node.as_usize()].is_awake.then_some(since)
    }

    fn delivered(&mut self, packet: PacketId, cycle: u32, chunk: usize) {
        self.messages.arrives(packet, cycle, chunk);
    }

    fn bytes(&self) -> usize {
        self.messages.bytes()
    }
}
