//! The schemes that can be simulated: those of the datapath, and UGAL-G, which no switch can run. It is
//! UGAL-L by the queues along whole paths.

use crate::losses::Cause;
use crate::switch_state::Queues;
use std::ops::Range;
use tvlb_firmware_model::{self as datapath, Credits, Header, Step};
use tvlb_schema::Port;

/// How a source switch chooses between a packet's MIN and its VLB path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    Min,
    Vlb,
    UgalL,
    Par,
    /// By the queues along both paths, whatever their lengths.
    UgalG,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Min, Self::Vlb, Self::UgalL, Self::Par, Self::UgalG];

    /// The name in messages and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UgalG => "ugal-g",
            _ => self.of_switch().name(),
        }
    }

    /// The scheme by which switches decide, and whose sets and virtual channels packets take.
    pub const fn of_switch(self) -> datapath::Scheme {
        match self {
            Self::Min => datapath::Scheme::Min,
            Self::Vlb => datapath::Scheme::Vlb,
            Self::UgalL | Self::UgalG => datapath::Scheme::UgalL,
            Self::Par => datapath::Scheme::Par,
        }
    }
}

impl serde::Serialize for Scheme {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// What a switch sees under UGAL-G: its own queues, and those of all switches along paths.
pub(crate) struct WholePaths<'n> {
    pub(crate) own: Queues<'n>,
    pub(crate) switches: &'n [datapath::Switch<'n>],
}

impl Credits for WholePaths<'_> {
    fn used(&self, port: Port) -> u32 {
        self.own.used(port)
    }

    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        self.own.used_by_links(ports)
    }

    /// Walks the header with each switch's own datapath and adds up what lies before each port
    /// on the way; the queue before the node is not part of a path between switches.
    fn weighed(&self, port: Port, header: Header, _: u8) -> (u32, u8) {
        let (mut at, mut port, mut header, mut sum) = (self.own.switch(), port, header, 0);
        loop {
            sum += self.own.used_at(at, port);
            at = self.own.peer(at, port);
            match self.switches[at.as_usize()].forward(header) {
                Ok(Step::Send { port: next, header: moved, .. }) => (port, header) = (next, moved),
                Ok(Step::Deliver { .. }) => return (sum, 1),
                // A switch on the way knows of a dead link of which this one has not heard: the packet
                // gets no farther.
                Err(error) => {
                    debug_assert!(Cause::of(&error).is_some(), "{error}");
                    return (sum, 1);
                }
            }
        }
    }
}
