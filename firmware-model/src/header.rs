//! The packet header: one 64-bit word with everything a later switch needs. `docs/reference/header.md` guarantees it.
//!
//! | bits   | field       | meaning                                                            |
//! |--------|-------------|--------------------------------------------------------------------|
//! | 63..48 | destination | the destination switch                                             |
//! | 47..40 | terminal    | the node's terminal on it                                          |
//! | 39..28 | x           | the port by which the packet leaves its source group               |
//! | 27..16 | y           | the port by which it leaves the intermediate group                 |
//! | 15..8  | detour      | the index of a switch to visit before y's own; y's own for none    |
//! | 7..5   | stage       | how far it has come, see [`Stage`]                                 |
//! | 4..2   | VC          | the virtual channel of the link it last crossed; 0 at injection    |
//! | 1..0   | kind        | 0 MIN, 1 MIN that PAR may change at the second switch, 2 VLB       |
//!
//! Kind 3 is reserved for packets that decide at every hop; the crate `tvlb-ofar` defines their other bits.
//!
//! On a path within one group x and y are 0, and detour is the switch to go through if the kind is VLB. The word names
//! links by ports of their own group, so no switch needs the wiring to forward, and a packet in transit does not depend
//! on which tables are loaded.

use tvlb_schema::{GlobalPort, SwitchId, SwitchIndex};

/// How far a packet has come. Whether it arrived by a local or a global link follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Stage {
    /// At its source switch, not yet moved.
    Source = 0,
    /// In its source group after one local hop (or, on a path within one group, half-way).
    SourceLocal = 1,
    /// In its source group after two local hops, which PAR makes, and MIN if two switches share no link.
    SourceLocalAgain = 2,
    /// In the intermediate group, just arrived by x.
    Middle = 3,
    /// In the intermediate group, at the detour.
    MiddleDetour = 4,
    /// In the intermediate group, at y's switch after a local hop.
    /// A MIN packet: in the destination group, at a third switch on the way to the last.
    MiddleLocal = 5,
    /// In the destination group, just arrived by its last global link.
    Destination = 6,
    /// In the destination group after a local hop.
    DestinationLocal = 7,
}

impl Stage {
    pub(crate) const ALL: [Self; 8] = [
        Self::Source,
        Self::SourceLocal,
        Self::SourceLocalAgain,
        Self::Middle,
        Self::MiddleDetour,
        Self::MiddleLocal,
        Self::Destination,
        Self::DestinationLocal,
    ];

    #[inline]
    const fn from_bits(bits: u64) -> Self {
        // Its number is its code, and the compiler sees it.
        match bits & 7 {
            0 => Self::Source,
            1 => Self::SourceLocal,
            2 => Self::SourceLocalAgain,
            3 => Self::Middle,
            4 => Self::MiddleDetour,
            5 => Self::MiddleLocal,
            6 => Self::Destination,
            _ => Self::DestinationLocal,
        }
    }
}

/// Which kind of path a packet takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Kind {
    /// Minimal.
    Min,
    /// Minimal for now: PAR may change it at the second switch.
    OpenMin,
    /// Through an intermediate group, or a third switch of the same group.
    Vlb,
}

impl Kind {
    #[inline]
    pub(crate) const fn code(self) -> u32 {
        match self {
            Self::Min => 0,
            Self::OpenMin => 1,
            Self::Vlb => 2,
        }
    }
}

/// A packet's header. Any 64 bits are a header; [`crate::Switch::forward`] checks whether they make sense.
///
/// From the highest bit on it has the destination switch in 16 bits, its terminal in 8, x and y in 12 each, the detour
/// in 8, the stage in 3, the virtual channel in 3 and the kind in 2. That does not change within a version:
/// `docs/reference/header.md`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Header(u64);

impl Header {
    /// A packet at its source, on VC 0, with the bits of its route.
    #[inline]
    pub(crate) const fn at_source(
        destination: SwitchId,
        terminal: u8,
        kind: Kind,
        route: u64,
    ) -> Self {
        let to = (destination.0 as u64) << 48 | (terminal as u64) << 40;
        Self(to | route | kind.code() as u64)
    }

    /// The bits of a route.
    #[inline]
    pub(crate) const fn route(x: GlobalPort, y: GlobalPort, detour: SwitchIndex) -> u64 {
        ((x.0 & 0xfff) as u64) << 28
            | (((y.0 & 0xfff) as u32) << 16 | (detour.0 as u32) << 8) as u64
    }

    /// The header with these bits.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Its bits, to be sent in whatever byte order the fabric's links use.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The destination switch.
    #[inline]
    pub const fn destination(self) -> SwitchId {
        SwitchId((self.0 >> 48 & 0xffff) as u16)
    }

    /// The destination node's terminal.
    #[inline]
    pub const fn terminal(self) -> u8 {
        (self.0 >> 40 & 0xff) as u8
    }

    /// The port through which the packet leaves its source group.
    #[inline]
    pub const fn x(self) -> GlobalPort {
        GlobalPort((self.0 >> 28 & 0xfff) as u16)
    }

    /// The port through which the packet leaves the intermediate group.
    #[inline]
    pub const fn y(self) -> GlobalPort {
        GlobalPort((self.0 >> 16 & 0xfff) as u16)
    }

    /// The switch to visit before y's own, or y's own.
    #[inline]
    pub const fn detour(self) -> SwitchIndex {
        SwitchIndex((self.0 >> 8 & 0xff) as u8)
    }

    /// How far the packet has come.
    #[inline]
    pub const fn stage(self) -> Stage {
        Stage::from_bits(self.0 >> 5)
    }

    /// The number of the stage, 0 to 7.
    #[inline]
    pub(crate) const fn stage_code(self) -> u32 {
        (self.0 >> 5 & 7) as u32
    }

    /// Stage, VC and kind.
    #[inline]
    pub(crate) const fn low_bits(self) -> u8 {
        (self.0 & 0xff) as u8
    }

    /// The number of the kind, 0 to 3.
    #[inline]
    pub(crate) const fn kind_code(self) -> u32 {
        (self.0 & 3) as u32
    }

    /// The virtual channel of the link that the packet last crossed, 0 to 7.
    #[inline]
    pub const fn virtual_channel(self) -> u8 {
        (self.0 >> 2 & 7) as u8
    }

    /// The kind of path; `None` for a packet that decides at every hop.
    #[inline]
    pub const fn kind(self) -> Option<Kind> {
        match self.0 & 3 {
            0 => Some(Kind::Min),
            1 => Some(Kind::OpenMin),
            2 => Some(Kind::Vlb),
            _ => None,
        }
    }

    /// Whether PAR may still change the packet's path at the switch where it arrives with this header, its second one
    /// ([`Switch::reconsider`](crate::Switch::reconsider)).
    #[inline]
    pub const fn is_open(self) -> bool {
        self.kind_code() == Kind::OpenMin.code() && self.stage_code() == Stage::SourceLocal as u32
    }

    /// The same packet where it is, on another route to its destination.
    #[must_use]
    #[inline]
    pub(crate) const fn rerouted(self, route: u64, kind: Kind) -> Self {
        Self(self.0 & 0xffff_ff00_0000_00fc | route | kind.code() as u64)
    }

    /// The same packet one hop on, at the stage of this number and on a VC below 8.
    #[must_use]
    #[inline]
    pub(crate) const fn moved(self, stage: u32, virtual_channel: u8) -> Self {
        Self(self.0 & !0xfc | (stage << 5 | (virtual_channel as u32) << 2) as u64)
    }
}

impl core::fmt::Debug for Header {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Header")
            .field("destination", &self.destination().0)
            .field("terminal", &self.terminal())
            .field("x", &self.x().0)
            .field("y", &self.y().0)
            .field("detour", &self.detour().0)
            .field("stage", &self.stage())
            .field("virtual_channel", &self.virtual_channel())
            .field("kind", &self.kind())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lie_where_the_table_says() {
        let header = Header::at_source(
            SwitchId(0x1234),
            0x56,
            Kind::Vlb,
            Header::route(GlobalPort(0x789), GlobalPort(0xabc), SwitchIndex(0xde)),
        );
        assert_eq!(header.bits(), 0x1234_5678_9abc_de02);
        let moved = header.moved(Stage::MiddleLocal as u32, 3);
        assert_eq!(moved.bits(), 0x1234_5678_9abc_de00 | 5 << 5 | 3 << 2 | 2);
        assert_eq!((moved.stage(), moved.virtual_channel()), (Stage::MiddleLocal, 3));
        assert_eq!((moved.destination(), moved.terminal()), (SwitchId(0x1234), 0x56));
        assert_eq!((moved.x(), moved.y()), (GlobalPort(0x789), GlobalPort(0xabc)));
        assert_eq!((moved.detour(), moved.kind()), (SwitchIndex(0xde), Some(Kind::Vlb)));
        assert_eq!(Header::from_bits(1).kind(), Some(Kind::OpenMin));
        assert_eq!(Header::from_bits(3).kind(), None);
    }
}
