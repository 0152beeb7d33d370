//! The header of a packet that decides at every hop.
//!
//! | bits   | field       | meaning                                                                  |
//! |--------|-------------|--------------------------------------------------------------------------|
//! | 63..48 | destination | the destination switch, as in any header                                 |
//! | 47..40 | terminal    | the node's terminal on it, as in any header                              |
//! | 39..36 | entries     | how often it has entered the escape network, 15 for more                 |
//! | 35     | backward    | on a ring it goes towards the switch before                              |
//! | 34     | escape      | it came by the escape network                                            |
//! | 33     | go global   | it has to leave this group by a link of the switch where it is           |
//! | 32     | local       | it has been misrouted within this group                                  |
//! | 31     | global      | it has been misrouted to another group                                   |
//! | 30     | left        | it has left its source group                                             |
//! | 29..8  |             | 0                                                                        |
//! | 7..5   | came        | from a node (0), by a local link (1), by a global link (2)               |
//! | 4..2   | VC          | the virtual channel of the link it last crossed; 0 at injection          |
//! | 1..0   | kind        | 3                                                                        |

use crate::{Error, PerHopFault};
use tvlb_firmware_model::{Channels, Header};
use tvlb_schema::SwitchId;

/// The kind of every such header.
pub(crate) const KIND: u64 = 3;

/// How a packet came to its switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    Node,
    Local,
    Global,
}

/// The state of a packet that decides at every hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerHop {
    /// How often it has entered the escape network, 15 for more.
    pub entries: u8,
    /// Whether it came by the escape network to its switch.
    pub on_escape: bool,
    /// It has been misrouted to another group than its destination's.
    pub misrouted: bool,
}

impl PerHop {
    /// The state in a header; `None` for a packet whose path was decided.
    pub const fn of(header: Header) -> Option<Self> {
        let bits = header.bits();
        if bits & 3 != KIND {
            return None;
        }
        Some(Self {
            entries: (bits >> 36 & 15) as u8,
            on_escape: bits >> 34 & 1 == 1,
            misrouted: bits >> 31 & 1 == 1,
        })
    }
}

/// The fields of such a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are the bits of the header")]
pub(crate) struct Flags {
    pub(crate) entries: u8,
    pub(crate) backward: bool,
    pub(crate) escape: bool,
    pub(crate) go_global: bool,
    pub(crate) local: bool,
    pub(crate) global: bool,
    pub(crate) left: bool,
    pub(crate) came: Came,
    pub(crate) virtual_channel: u8,
}

impl Flags {
    /// Those of a packet in an injection queue.
    pub(crate) const AT_SOURCE: Self = Self {
        entries: 0,
        backward: false,
        escape: false,
        go_global: false,
        local: false,
        global: false,
        left: false,
        came: Came::Node,
        virtual_channel: 0,
    };

    /// Reads them from a header. `canonical` says how many virtual channels a link has below that of the escape
    /// network.
    pub(crate) fn read(header: Header, canonical: Channels) -> Result<Self, Error> {
        let bits = header.bits();
        if bits & 3 != KIND {
            return Err(Error::NotPerHop { bits });
        }
        let is_set = |bit: u32| bits >> bit & 1 == 1;
        let came = match bits >> 5 & 7 {
            0 => Some(Came::Node),
            1 => Some(Came::Local),
            2 => Some(Came::Global),
            _ => None,
        };
        let flags = Self {
            entries: (bits >> 36 & 15) as u8,
            backward: is_set(35),
            escape: is_set(34),
            go_global: is_set(33),
            local: is_set(32),
            global: is_set(31),
            left: is_set(30),
            came: came.unwrap_or(Came::Node),
            virtual_channel: header.virtual_channel(),
        };
        let channels = match flags.came {
            Came::Node => 1,
            Came::Local => canonical.local,
            Came::Global => canonical.global,
        };
        let fault = match () {
            () if came.is_none() || bits >> 8 & 0x3f_ffff != 0 => PerHopFault::Bits,
            () if flags.came == Came::Node && flags != Self::AT_SOURCE => PerHopFault::Moved,
            () if flags.go_global && !flags.local => PerHopFault::NoMisroute,
            () if flags.go_global && flags.left || flags.global && !flags.left => {
                PerHopFault::OtherGroup
            }
            () if flags.came == Came::Global && (!flags.left || flags.local) => {
                PerHopFault::WasHere
            }
            () if (flags.escape || flags.backward) && flags.entries == 0 => PerHopFault::NotEntered,
            () if flags.escape != (flags.virtual_channel == channels)
                || flags.virtual_channel > channels =>
            {
                PerHopFault::Channel
            }
            () => return Ok(flags),
        };
        Err(Error::PerHopFlags { bits, fault })
    }

    /// The header of a packet for a node with these flags.
    pub(crate) const fn header(self, destination: SwitchId, terminal: u8) -> Header {
        let came = match self.came {
            Came::Node => 0,
            Came::Local => 1,
            Came::Global => 2_u64,
        };
        Header::from_bits(
            (destination.0 as u64) << 48
                | (terminal as u64) << 40
                | (self.entries as u64) << 36
                | (self.backward as u64) << 35
                | (self.escape as u64) << 34
                | (self.go_global as u64) << 33
                | (self.local as u64) << 32
                | (self.global as u64) << 31
                | (self.left as u64) << 30
                | came << 5
                | (self.virtual_channel as u64 & 7) << 2
                | KIND,
        )
    }

    /// The same packet after its next link.
    #[must_use]
    pub(crate) const fn crossed(self, is_local: bool, virtual_channel: u8) -> Self {
        if is_local {
            Self { came: Came::Local, virtual_channel, ..self }
        } else {
            Self {
                came: Came::Global,
                virtual_channel,
                left: true,
                local: false,
                go_global: false,
                ..self
            }
        }
    }
}
