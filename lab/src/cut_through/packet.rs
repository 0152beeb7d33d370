//! The packets: those under way, and those that wait in the injection queues of their nodes.

use tvlb_schema::NodeId;
use tvlb_simulator::parts::{PacketId, Pooled};

#[derive(Clone, Copy, Debug)]
pub(super) struct CutThroughPacket {
    /// The header with which it arrives at its present or next switch; meaningless while it waits in an injection
    /// queue.
    pub(super) header: u64,
    /// The packet after it in its buffer. In a free place of the pool: the next free place.
    pub(super) next: PacketId,
    pub(super) source: NodeId,
    pub(super) destination: NodeId,
    /// The cycle in which it was generated.
    pub(super) created: u32,
    /// The cycle in which it left its injection queue.
    pub(super) injected: u32,
    /// Links within groups that it has crossed on canonical virtual channels.
    pub(super) local_hops: u16,
    /// Links between groups that it has crossed on those.
    pub(super) global_hops: u16,
    /// Links of the escape network that it has crossed, which are not among the others.
    pub(super) escape_hops: u16,
    /// How often it has entered the escape network.
    pub(super) escape_entries: u16,
}

impl CutThroughPacket {
    /// A packet that a node generates in a cycle.
    pub(super) const fn new(source: NodeId, destination: NodeId, created: u32) -> Self {
        Self {
            header: 0,
            next: PacketId::NONE,
            source,
            destination,
            created,
            injected: created,
            local_hops: 0,
            global_hops: 0,
            escape_hops: 0,
            escape_entries: 0,
        }
    }
}

impl Pooled for CutThroughPacket {
    #[inline]
    fn next(&mut self) -> &mut PacketId {
        &mut self.next
    }
}
