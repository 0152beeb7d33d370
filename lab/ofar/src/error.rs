//! Why a switch does not decide at every hop, or not about a packet.

use tvlb_firmware_model::Error as DatapathError;

/// Why a switch does not decide at every hop, or not about a packet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A fabric on which packets cannot decide at every hop.
    #[error("OFAR runs on {what}; this is not one of them")]
    NotForOfar {
        /// The fabrics on which they can.
        what: &'static str,
    },
    /// There is no such node, or the header names something that the fabric does not have.
    #[error(transparent)]
    Datapath(#[from] DatapathError),
    /// The header of a packet whose path was decided, where one that decides at every hop is needed.
    #[error("header {bits:#018x}: its kind (the two lowest bits) is {}, accepted 3 (decides at every hop)", .bits & 3)]
    NotPerHop {
        /// The header.
        bits: u64,
    },
    /// A header of a packet that decides at every hop which no switch writes.
    #[error("header {bits:#018x}: it tells of {}", .fault.words())]
    PerHopFlags {
        /// The header.
        bits: u64,
        /// The fault in it.
        fault: PerHopFault,
    },
}

/// A fault in the header of a packet that decides at every hop, which no switch writes. Only a program that prints the
/// words contains them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PerHopFault {
    /// Bits are set that no switch sets.
    Bits,
    /// It came from a node, and has already moved.
    Moved,
    /// It has to leave its group, but no misroute has begun.
    NoMisroute,
    /// It was misrouted to another group than the one in which it is.
    OtherGroup,
    /// It came to this group just now, and was here before.
    WasHere,
    /// It is on an escape network that it has not entered.
    NotEntered,
    /// It came by a virtual channel that the link does not have for it.
    Channel,
}

impl PerHopFault {
    const fn words(self) -> &'static str {
        match self {
            Self::Bits => "bits that no switch sets",
            Self::Moved => "a packet from a node that has already moved",
            Self::NoMisroute => "a misroute that is not there to be ended",
            Self::OtherGroup => "a misroute of another group than this one",
            Self::WasHere => "a packet that came to this group just now and was here before",
            Self::NotEntered => "an escape network that it has not entered",
            Self::Channel => "a virtual channel that it cannot have come by",
        }
    }
}
