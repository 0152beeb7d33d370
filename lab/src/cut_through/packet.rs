//! The packets: those under way, and those that wait in the injection queues of their nodes.

use tvlb_schema::NodeId;
use tvlb_simulator::parts::PacketId;

#[derive(Clone, Copy, Debug)]
pub(super) struct CutThroughPacket {
    /// The header with which it arrives at the switch where it is or to which it is on its way; of no meaning
    /// as long as it waits in an injection queue.
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

#[derive(Debug)]
pub(super) struct PacketPool {
    packets: Vec<CutThroughPacket>,
    free: PacketId,
    live: u64,
}

impl PacketPool {
    pub(super) const fn new() -> Self {
        Self { packets: Vec::new(), free: PacketId::NONE, live: 0 }
    }

    /// How many packets there are.
    pub(super) const fn live(&self) -> u64 {
        self.live
    }

    pub(super) fn add(&mut self, packet: CutThroughPacket) -> PacketId {
        self.live += 1;
        let id = self.free;
        if let Some(place) = self.packets.get_mut(id.index()) {
            self.free = place.next;
            *place = packet;
            return id;
        }
        self.packets.push(packet);
        PacketId::from_index(self.packets.len() - 1)
    }

    pub(super) fn remove(&mut self, id: PacketId) {
        self.live -= 1;
        self.packets[id.index()].next = self.free;
        self.free = id;
    }

    #[inline]
    pub(super) fn get(&self, id: PacketId) -> &CutThroughPacket {
        &self.packets[id.index()]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, id: PacketId) -> &mut CutThroughPacket {
        &mut self.packets[id.index()]
    }
}
