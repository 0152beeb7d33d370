//! The packets under way: one pool, handles of 32 bits, a list of free places.
//!
//! A packet is one flit and stays in its place of the pool from its node to its node; what moves
//! from link to buffer to link is its handle. A place is half a cache line, so each switch fetches
//! one line for a packet, and the last one finds its [`PacketOrigin`] in it.

use crate::numbers::{LocalChannel, PacketId};
use std::hint::black_box;
use tvlb_schema::NodeId;

/// The part of a packet that switches see.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flit {
    /// The header with which it leaves its switch, or arrives at the next: the one for
    /// [`tvlb_firmware_model::Switch::forward`] at the switch to which its next link leads.
    pub(crate) header: u64,
    /// The packet after it in its buffer. In a free place of the pool: the next free place.
    pub(crate) next: PacketId,
    /// The output channel that it wants at its switch.
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
    pub(crate) flit: Flit,
    pub(crate) origin: PacketOrigin,
}

impl Pooled for Packet {
    #[inline]
    fn next(&mut self) -> &mut PacketId {
        &mut self.flit.next
    }
}

/// A packet that keeps the number of another: of the one after it in its buffer or, in a free place of its pool, of the
/// next free place.
pub trait Pooled: Copy {
    fn next(&mut self) -> &mut PacketId;
}

/// All packets under way.
#[derive(Debug)]
pub struct Pool<P> {
    packets: Vec<P>,
    free: PacketId,
    live: u32,
}

impl<P> Default for Pool<P> {
    fn default() -> Self {
        Self { packets: Vec::new(), free: PacketId::NONE, live: 0 }
    }
}

impl<P: Pooled> Pool<P> {
    /// How many packets are under way.
    pub const fn live(&self) -> u32 {
        self.live
    }

    #[inline]
    pub fn add(&mut self, packet: P) -> PacketId {
        self.live += 1;
        let handle = self.free;
        if let Some(place) = self.packets.get_mut(handle.index()) {
            self.free = *place.next();
            *place = packet;
            return handle;
        }
        self.packets.push(packet);
        PacketId::from_index(self.packets.len() - 1)
    }

    #[inline]
    pub fn remove(&mut self, handle: PacketId) {
        self.live -= 1;
        *self.packets[handle.index()].next() = self.free;
        self.free = handle;
    }

    #[inline]
    pub fn packet(&self, handle: PacketId) -> &P {
        &self.packets[handle.index()]
    }

    #[inline]
    pub fn packet_mut(&mut self, handle: PacketId) -> &mut P {
        &mut self.packets[handle.index()]
    }

    /// How many bytes the pool holds.
    pub const fn bytes(&self) -> usize {
        self.packets.capacity() * size_of::<P>()
    }
}

impl Pool<Packet> {
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

    /// Reads all of these packets once, so that the processor fetches them from memory in parallel instead of one by
    /// one as each is needed.
    #[inline]
    pub(crate) fn fetch(&self, handles: impl Iterator<Item = PacketId>) {
        // A handle that does not exist is skipped here, and panics where it is used.
        let touched = handles.filter_map(|handle| self.packets.get(handle.index()));
        black_box(touched.fold(0, |all, packet| all ^ packet.flit.hops));
    }
}
