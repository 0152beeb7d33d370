//! The levels of their global ports that the switches of a group tell each other, in two bits each.
//!
//! A source switch sees that a global port of another switch of its group is full only after the local queue towards
//! that switch has filled, which is late. If each switch regularly tells the others how full its own global ports are,
//! [`Credits::told`] adds that to the queue of a path which begins with a local hop, and UGAL-L becomes UGAL by the
//! group. Four levels are enough, and they may be as old as a packet's way through the group.
//!
//! The told queue is that of one virtual channel, on which packets leave their source group after a local hop
//! ([`Switch::leaving_channel`](crate::Switch::leaving_channel)).

use crate::{Credits, Header};
use core::ops::Range;
use tvlb_schema::{GlobalPort, Port};

/// How full the global ports of a group are, as last told by its switches: two bits for each port, four ports to a
/// byte, so that a·h ports take a·h/4 bytes. A port without a level, or without a place, counts as empty.
///
/// # Example
/// ```
/// use tvlb_firmware_model::GroupQueues;
/// use tvlb_schema::GlobalPort;
///
/// // A group of 8 switches with 4 global ports each, of buffers of 32 flits behind each of these.
/// let mut told = GroupQueues::<8>::new(32);
/// let level = GroupQueues::<8>::level(20, 32);
/// told.tell(GlobalPort(13), level);
/// assert_eq!((level, told.queue(GlobalPort(13)), told.queue(GlobalPort(12))), (2, 16, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupQueues<const BYTES: usize> {
    levels: [u8; BYTES],
    /// The flits of one level.
    quarter: u32,
}

impl<const BYTES: usize> GroupQueues<BYTES> {
    /// No levels yet, for buffers of this many flits at the far end of a global port.
    pub const fn new(buffer_flits: u32) -> Self {
        Self { levels: [0; BYTES], quarter: quarter(buffer_flits) }
    }

    /// The level of a port with this many credits in use: 0 to 3, in quarters of the buffer.
    #[inline]
    pub const fn level(used: u32, buffer_flits: u32) -> u8 {
        let quarter = quarter(buffer_flits);
        // Without a division, which not every switch has.
        (used >= quarter) as u8
            + (used >= quarter.saturating_mul(2)) as u8
            + (used >= quarter.saturating_mul(3)) as u8
    }

    /// The flits of a level: the least that are in use of a buffer of this size.
    #[inline]
    pub const fn flits(level: u8, buffer_flits: u32) -> u32 {
        quarter(buffer_flits).saturating_mul(level as u32)
    }

    /// Notes the level that a switch of the group has told for its port.
    #[inline]
    pub fn tell(&mut self, port: GlobalPort, level: u8) {
        let (byte, shift) = place(port);
        if let Some(levels) = self.levels.get_mut(byte) {
            *levels = *levels & !(3 << shift) | (level & 3) << shift;
        }
    }

    /// The credits in use at a port, as last told, rounded down to a level.
    #[inline]
    pub fn queue(&self, port: GlobalPort) -> u32 {
        let (byte, shift) = place(port);
        let level = self.levels.get(byte).map_or(0, |levels| levels >> shift & 3);
        self.quarter.saturating_mul(level.into())
    }

    /// A switch's own credits, combined with these levels.
    pub const fn beside<'c, C: Credits + ?Sized>(
        &'c self,
        own: &'c C,
    ) -> CreditsTold<'c, C, BYTES> {
        CreditsTold { own, told: self }
    }
}

/// The flits of one level: a quarter of the buffer, at least 1.
const fn quarter(buffer_flits: u32) -> u32 {
    let quarter = buffer_flits.saturating_add(3) >> 2;
    if quarter == 0 { 1 } else { quarter }
}

/// Where the level of a port stands.
#[inline]
const fn place(port: GlobalPort) -> (usize, u32) {
    (port.as_usize() >> 2, (port.0 as u32 & 3) * 2)
}

/// A switch's own credits, and the levels told by the others of its group: [`GroupQueues::beside`].
#[derive(Clone, Copy, Debug)]
pub struct CreditsTold<'c, C: ?Sized, const BYTES: usize> {
    own: &'c C,
    told: &'c GroupQueues<BYTES>,
}

impl<C: Credits + ?Sized, const BYTES: usize> Credits for CreditsTold<'_, C, BYTES> {
    fn used(&self, port: Port) -> u32 {
        self.own.used(port)
    }

    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        self.own.used_on(port, virtual_channel)
    }

    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        self.own.used_by_links(ports)
    }

    fn used_by_links_on(&self, ports: Range<u16>, virtual_channel: u8) -> u32 {
        self.own.used_by_links_on(ports, virtual_channel)
    }

    fn told(&self, x: GlobalPort) -> u32 {
        self.told.queue(x)
    }

    fn weighed(&self, port: Port, channel: Option<u8>, header: Header, hops: u8) -> (u32, u8) {
        self.own.weighed(port, channel, header, hops)
    }

    fn queue(&self, port: Port, virtual_channel: Option<u8>) -> u32 {
        self.own.queue(port, virtual_channel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_quarters_of_the_buffer() {
        let level = |used| GroupQueues::<1>::level(used, 32);
        assert_eq!([0, 7, 8, 15, 16, 23, 24, 32, 99].map(level), [0, 0, 1, 1, 2, 2, 3, 3, 3]);
        let of = |buffer, used| GroupQueues::<1>::level(used, buffer);
        assert_eq!(
            [of(1, 0), of(1, 1), of(0, 0), of(5, 2), of(u32::MAX, u32::MAX)],
            [0, 1, 0, 1, 3]
        );
    }

    #[test]
    fn each_port_has_a_level_of_its_own() {
        let mut told = GroupQueues::<2>::new(32);
        for port in 0..8 {
            told.tell(GlobalPort(port), u8::try_from(port % 4).unwrap());
        }
        told.tell(GlobalPort(5), 3);
        told.tell(GlobalPort(8), 3);
        let queues = [0, 1, 2, 3, 4, 5, 6, 7, 8, 4095].map(|port| told.queue(GlobalPort(port)));
        assert_eq!(queues, [0, 8, 16, 24, 0, 24, 16, 24, 0, 0]);
    }
}
