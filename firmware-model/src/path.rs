//! A path in one word, the form in which decisions pass paths around, and a place in the fabric.

use crate::{Header, Kind, Stage};
use core::num::NonZeroU64;
use tvlb_schema::{GlobalPort, GroupId, Port, SwitchId, SwitchIndex};

/// A switch and its place: its group, and its index there. Not `Copy`: a switch's stack is small.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) switch: SwitchId,
    pub(crate) group: GroupId,
    pub(crate) index: SwitchIndex,
}

/// A path in one word, with the layout of a header: x, y, detour and the stage after the first hop where the header has
/// them; in the lowest bits, where a header has VC and kind, the hops from switch to switch; and above bit 48, where a
/// header has the destination, the physical port of its first hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Path(NonZeroU64);

impl Path {
    /// A path of 1 to 7 hops, whose first is through this port and ends at this stage. On a MIN path y and detour are
    /// 0.
    #[inline]
    pub(crate) fn new(
        first: (Port, Stage),
        x: GlobalPort,
        y: GlobalPort,
        detour: SwitchIndex,
        hops: u8,
    ) -> Option<Self> {
        let low = (first.1 as u32) << 5 | u32::from(hops);
        let first = u64::from(first.0.0) << 48;
        NonZeroU64::new(first | Header::route(x, y, detour) | u64::from(low)).map(Self)
    }

    /// The header of a packet after the first hop of this path.
    #[inline]
    pub(crate) const fn sent(self, to: SwitchId, terminal: u8, kind: Kind) -> Header {
        Header::at_source(to, terminal, kind, self.0.get() & 0xff_ffff_ffe0)
    }

    /// Its bits in a header.
    #[inline]
    const fn route(self) -> u64 {
        self.0.get() & 0xff_ffff_ff00
    }

    /// The same path through another port to the same switch.
    pub(crate) const fn by(self, port: Port) -> Self {
        Self(match NonZeroU64::new(self.0.get() & 0xffff_ffff_ffff | (port.0 as u64) << 48) {
            Some(path) => path,
            // Its hops are not 0.
            None => self.0,
        })
    }

    /// The port of a packet's first hop.
    #[inline]
    pub(crate) const fn first_port(self) -> Port {
        Port((self.0.get() >> 48) as u16)
    }

    /// The header to continue on this path, after PAR's second look.
    #[inline]
    pub(crate) const fn reroutes(self, header: Header, kind: Kind) -> Header {
        header.rerouted(self.route(), kind)
    }

    #[inline]
    pub(crate) const fn x(self) -> GlobalPort {
        Header::from_bits(self.0.get()).x()
    }

    #[inline]
    pub(crate) const fn y(self) -> GlobalPort {
        Header::from_bits(self.0.get()).y()
    }

    #[inline]
    pub(crate) const fn detour(self) -> SwitchIndex {
        Header::from_bits(self.0.get()).detour()
    }

    /// Hops from switch to switch.
    #[inline]
    pub(crate) const fn hops(self) -> u8 {
        (self.0.get() & 7) as u8
    }
}
