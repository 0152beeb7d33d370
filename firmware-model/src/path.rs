//! A path in one word, which is how decisions hand paths around, and a place in the fabric.

use crate::{Header, Kind};
use core::num::NonZeroU64;
use tvlb_schema::{GlobalPort, Group, Index, Switch};

/// Where a switch is: its group, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) group: Group,
    pub(crate) index: Index,
}

/// A path as a header states it, in one word: x, y and detour where the header has them, and in
/// the lowest byte, where a header has stage, VC and kind, the hops from switch to switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Path(NonZeroU64);

impl Path {
    /// A path of 1 to 7 hops. On a MIN path y and detour are 0.
    #[inline]
    pub(crate) fn new(x: GlobalPort, y: GlobalPort, detour: Index, hops: u8) -> Option<Self> {
        NonZeroU64::new(Header::route(x, y, detour) | u64::from(hops)).map(Self)
    }

    /// The header with which a packet stands at the beginning of this path.
    #[inline]
    pub(crate) const fn header(self, to: Switch, terminal: u8, kind: Kind) -> Header {
        Header::at_source(to, terminal, kind, self.0.get() & !0xff)
    }

    /// The header as it goes on by this path, decided by PAR's second look.
    #[inline]
    pub(crate) const fn reroutes(self, header: Header) -> Header {
        header.rerouted(self.0.get() & !0xff)
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
    pub(crate) const fn detour(self) -> Index {
        Header::from_bits(self.0.get()).detour()
    }

    /// Hops from switch to switch.
    #[inline]
    pub(crate) const fn hops(self) -> u8 {
        (self.0.get() & 0xff) as u8
    }
}
