//! The packets under way: one pool, handles of 32 bits, a list of free places.
//!
//! A packet is one flit. What every switch on the way needs of it is a [`Flit`], which travels
//! from link to buffer to link; the rest stays in the pool and is not touched until delivery.
//! Flits that queue behind the head of a buffer are kept in the pool too, linked to the one behind
//! them, so that a buffer is no more than its head and the handle of its last flit.

/// No packet.
pub(crate) const NONE: u32 = u32::MAX;

/// What travels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flit {
    /// The header with which it leaves the switch where it is, or that it arrives at: the one for
    /// [`tvlb_firmware_model::Switch::forward`] at the switch behind its next link.
    pub(crate) header: u64,
    /// Its packet, or [`NONE`].
    pub(crate) packet: u32,
    /// The output channel that it wants at this switch.
    pub(crate) out: u16,
    /// Links between switches that it has crossed.
    pub(crate) hops: u8,
}

impl Flit {
    /// In an empty buffer.
    pub(crate) const NONE: Self = Self { header: 0, packet: NONE, out: 0, hops: 0 };
}

/// One packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// Its flit while that is behind the head of a buffer.
    pub(crate) flit: Flit,
    /// The packet behind it in its buffer, or the next free place.
    pub(crate) next: u32,
    /// The node that sent it.
    pub(crate) source: u32,
    /// The cycle in which it was generated.
    pub(crate) created: u32,
    /// The cycle in which its node sent it.
    pub(crate) sent: u32,
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
    pub(crate) fn add(&mut self, packet: Packet) -> u32 {
        self.live += 1;
        if self.free == NONE {
            let handle = u32::try_from(self.packets.len())
                .expect("credits bound the packets under way, far below 2^32");
            self.packets.push(packet);
            return handle;
        }
        let handle = self.free;
        let place = &mut self.packets[handle as usize];
        self.free = place.next;
        *place = packet;
        handle
    }

    #[inline]
    pub(crate) fn remove(&mut self, handle: u32) {
        self.live -= 1;
        self.packets[handle as usize].next = self.free;
        self.free = handle;
    }

    #[inline]
    pub(crate) fn get(&self, handle: u32) -> &Packet {
        &self.packets[handle as usize]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, handle: u32) -> &mut Packet {
        &mut self.packets[handle as usize]
    }

    /// The flit of the packet behind one in its buffer.
    #[inline]
    pub(crate) fn behind(&self, handle: u32) -> Flit {
        self.packets[self.packets[handle as usize].next as usize].flit
    }

    /// The bytes that it holds.
    pub(crate) const fn bytes(&self) -> usize {
        self.packets.capacity() * size_of::<Packet>()
    }
}
