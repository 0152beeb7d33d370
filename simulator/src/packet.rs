//! The packets under way: one pool, handles of 32 bits, a list of free places.
//!
//! A packet is one flit and stays in its place of the pool from its node to its node; what moves
//! from link to buffer to link is its handle. A place is half a cache line, so each switch fetches
//! one line for a packet, and the last one finds its [`Origin`] in it.

use std::hint::black_box;

/// No packet; also no channel.
pub(crate) const NONE: u32 = u32::MAX;

/// What switches see of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flit {
    /// The header with which it leaves the switch where it is, or arrives at the next: the one for
    /// [`tvlb_firmware_model::Switch::forward`] at the switch behind its next link.
    pub(crate) header: u64,
    /// The packet behind it in its buffer, or the next free place of the pool.
    pub(crate) next: u32,
    /// The output channel that it wants where it is, numbered within the switch.
    pub(crate) out: u16,
    /// Links between switches that it has crossed.
    pub(crate) hops: u8,
}

/// Where and when a packet set out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// The node that sent it.
    pub(crate) source: u32,
    /// The cycle in which it was generated.
    pub(crate) created: u32,
    /// The cycle in which its node sent it.
    pub(crate) sent: u32,
}

/// A place of the pool.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Packet {
    flit: Flit,
    origin: Origin,
}

/// All packets under way.
#[derive(Debug)]
pub(crate) struct Pool {
    packets: Vec<Packet>,
    free: u32,
    live: u32,
}

impl Pool {
    pub(crate) const fn new() -> Self {
        Self { packets: Vec::new(), free: NONE, live: 0 }
    }

    /// How many packets there are.
    pub(crate) const fn live(&self) -> u32 {
        self.live
    }

    #[inline]
    pub(crate) fn add(&mut self, flit: Flit, origin: Origin) -> u32 {
        self.live += 1;
        let handle = self.free;
        match self.packets.get_mut(handle as usize) {
            Some(place) => {
                self.free = place.flit.next;
                *place = Packet { flit, origin };
                handle
            }
            None => self.grow(Packet { flit, origin }),
        }
    }

    #[cold]
    fn grow(&mut self, packet: Packet) -> u32 {
        let handle = u32::try_from(self.packets.len())
            .expect("credits bound the packets under way, far below 2^32");
        self.packets.push(packet);
        handle
    }

    #[inline]
    pub(crate) fn remove(&mut self, handle: u32) {
        self.live -= 1;
        self.packets[handle as usize].flit.next = self.free;
        self.free = handle;
    }

    #[inline]
    pub(crate) fn flit(&self, handle: u32) -> &Flit {
        &self.packets[handle as usize].flit
    }

    #[inline]
    pub(crate) fn flit_mut(&mut self, handle: u32) -> &mut Flit {
        &mut self.packets[handle as usize].flit
    }

    #[inline]
    pub(crate) fn origin(&self, handle: u32) -> &Origin {
        &self.packets[handle as usize].origin
    }

    /// Fetches packets from memory, all at a time instead of one after the other as each is needed.
    #[inline]
    pub(crate) fn fetch(&self, handles: impl Iterator<Item = u32>) {
        // Handles that do not exist would be seen later.
        let touched = handles.filter_map(|handle| self.packets.get(handle as usize));
        black_box(touched.fold(0, |all, packet| all ^ packet.flit.hops));
    }

    /// The bytes that it holds.
    pub(crate) const fn bytes(&self) -> usize {
        self.packets.capacity() * size_of::<Packet>()
    }
}
