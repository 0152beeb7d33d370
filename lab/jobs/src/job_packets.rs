//! The packets of jobs: nodes send those of the messages that their ranks have released, in turn.

use crate::ranks::Ranks;
use rand_core::Rng;
use tvlb_schema::NodeId;
use tvlb_simulator::PacketSource;
use tvlb_simulator::parts::PacketId;

/// The packets of the nodes in a run to completion.
impl PacketSource for Ranks<'_> {
    /// Nothing is known before the ranks take their first steps, in cycle 0. The first random number of a node is
    /// left out, because it is that of its first packet in an open loop: so both draw paths from the same ones.
    fn first(&self, _: NodeId, _: u32, rng: &mut impl Rng) -> Option<u32> {
        rng.next_u64();
        None
    }

    fn begin_cycle(&mut self, chunk: usize, now: u32, wake: impl FnMut(NodeId)) {
        self.take_steps(chunk, now);
        self.woken.drain(..).for_each(wake);
    }

    fn destination(&self, node: NodeId, _: u32, _: &mut impl Rng) -> NodeId {
        let next = self.sends[node.as_usize()].transfers.front();
        self.under_way.transfer(*next.expect("a node is awake while it has a transfer")).to
    }

    fn left(&mut self, node: NodeId, packet: PacketId, free: u32) {
        let sends = &mut self.sends[node.as_usize()];
        let Some(id) = sends.transfers.pop_front() else { return };
        let message = self.under_way.transfer(id).message;
        let is_last = self.under_way.leaves(id, packet);
        if !is_last {
            sends.transfers.push_back(id);
        }
        sends.is_awake = !sends.transfers.is_empty();
        if is_last {
            self.has_left(message, free);
        }
    }

    fn next(&self, node: NodeId, since: u32, _: &mut impl Rng) -> Option<u32> {
        self.sends[node.as_usize()].is_awake.then_some(since)
    }

    fn delivered(&mut self, packet: PacketId, cycle: u32, chunk: usize) {
        self.under_way.arrives(packet, cycle, chunk);
    }

    fn bytes(&self) -> usize {
        self.under_way.bytes()
    }
}
