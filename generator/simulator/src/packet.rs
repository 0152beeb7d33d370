//! The packets under way: one pool, handles of 32 bits, a list of free places.
//!
//! A packet is one flit and stays in its place of the pool from its node to its node; what moves
//! from link to buffer to link is its handle. A place is half a cache line, so each switch fetches
//! one line for a packet, and the last one finds its [`PacketOrigin`] in it.

use crate::numbers::{LocalChannel, PacketId};
use std::hint::black_box;
use tvlb_schema::NodeId;

/// What switches see of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flit {
    /// The header with which it leaves the switch where it is, or arrives at the next: the one for
    /// [`tvlb_firmware_model::Switch::forward`] at the switch to which its next link leads.
    pub(crate) header: u64,
    /// The packet after it in its buffer. In a free place of the pool: the next free place.
    pub(crate) next: PacketId,
    /// The output channel that it wants at the switch where it is.
    pub(crate) out: LocalChannel,
    /// Links between switches that it has crossed.
    pub(crate) hops: u8,
}

/// Where and when a packet was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketOrigin {
    pub(crate) source: NodeId,
    /// The cycle in which it was generated.
    pub(crate) created: u32,
    /// The cycle in which its node sent it.
    pub(crate) sent: u32,
}

/// A place of the pool.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Packet {
    flit: Flit,
    origin: PacketOrigin,
}

/// All packets under way.
#[derive(Debug)]
pub(crate) struct Pool {
    packets: Vec<Packet>,
    free: PacketId,
    live: u32,
}

impl Pool {
    pub(crate) const fn new() -> Self {
        Self { packets: Vec::new(), free: PacketId::NONE, live: 0 }
    }

    /// How many packets are under way.
    pub(crate) const fn live(&self) -> u32 {
        self.live
    }

    /// A packet, whole.
    #[inline]
    pub(crate) fn packet(&self, handle: PacketId) -> Packet {
        self.packets[handle.index()]
    }

    /// Adds a packet of another pool.
    #[inline]
    pub(crate) fn put(&mut self, Packet { flit, origin }: Packet) -> PacketId {
        self.add(flit, origin)
    }

    #[inline]
    pub(crate) fn add(&mut self, flit: Flit, origin: PacketOrigin) -> PacketId {
        self.live += 1;
        let handle = self.free;
        match self.packets.get_mut(handle.index()) {
            Some(place) => {
                self.free = place.flit.next;
                *place = Packet { flit, origin };
                handle
            }
            None => self.grow(Packet { flit, origin }),
        }
    }

    #[cold]
    fn grow(&mut self, packet: Packet) -> PacketId {
        let handle = PacketId::from_index(self.packets.len());
        self.packets.push(packet);
        handle
    }

    #[inline]
    pub(crate) fn remove(&mut self, handle: PacketId) {
        self.live -= 1;
        self.packets[handle.index()].flit.next = self.free;
        self.free = handle;
    }

    #[inline]
    pub(crate) fn flit(&self, handle: PacketId) -> &Flit {
        &self.packets[handle.index()].flit
    }

    #[inline]
    pub(crate) fn flit_mut(&mut self, handle: PacketId) -> &mut Flit {
        &mut self.packets[handle.index()].flit
    }

    #[inline]
    pub(crate) fn origin(&self, handle: PacketId) -> &PacketOrigin {
        &self.packets[handle.index()].origin
    }

    /// Reads all of these packets once, so that the processor fetches them from memory at the same
    /// time instead of one after the other as each is needed.
    #[inline]
    pub(crate) fn fetch(&self, handles: impl Iterator<Item = PacketId>) {
        // A handle that does not exist is passed over here, and panics where it is used.
        let touched = handles.filter_map(|handle| self.packets.get(handle.index()));
        black_box(touched.fold(0, |all, packet| all ^ packet.flit.hops));
    }

    /// How many bytes the pool holds.
    pub(crate) const fn bytes(&self) -> usize {
        self.packets.capacity() * size_of::<Packet>()
    }
}
