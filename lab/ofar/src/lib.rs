//! OFAR: routing that is decided at every hop, by a switch's view of its own outputs (García, Vallejo, Beivide, Valero
//! and Rodríguez, "OFAR-CM: Efficient Dragonfly Networks with Simple Congestion Management", HOTI 2013).
//!
//! A packet asks for its minimal output. If that cannot take it, the packet may be *misrouted* over another link that
//! is used less; if no virtual channel that it may take has any room, it continues on the escape network, a ring or a
//! tree over all switches. The *canonical* virtual channels have no order, and only the escape network prevents packets
//! from waiting for each other for ever:
//!
//! - a packet that is not in an injection queue and finds no room at all outputs that it may take asks for an escape
//!   channel that depends on its place, its destination and, on a ring, its direction alone;
//! - on a tree these channels form no cycle of waits; on a ring they form one cycle for each direction, which is
//!   entered only with room for two packets and passed along with room for one, so that each direction has room
//!   somewhere at all times.
//!
//! With the rules `by_set` and `by_length` it is T-OFAR, which this crate introduces: packets are misrouted to other
//! groups only over a link with which a path of the T-VLB set begins, and shares in use are weighed by hops.
//!
//! Where the paper is silent, the rules are this crate's reading: how candidates are compared ([`Ofar::ask`]), that a
//! packet which has to leave its group takes the escape network as soon as no link of its switch to another group has
//! room, and that a packet is sent within its group for that only to a switch that has one.
//!
//! Nothing is remembered between questions, and the steps of a question are bounded by the ports of the switch.
//!
//! The crate needs neither `std` nor an allocator, does integer arithmetic only, and does not panic, whatever the bytes
//! and headers. It uses the datapath (`tvlb-firmware-model`) and the vocabulary of images (`tvlb-schema`) through their
//! public interfaces; `FORMAT.md` beside its manifest describes the escape image byte by byte.
#![no_std]
#![warn(missing_docs)]

#[cfg(any(feature = "alloc", test))]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod answer;
mod error;
mod escape_error;
mod escape_image;
#[cfg(feature = "alloc")]
mod escape_network;
mod flags;
mod length;
mod ofar;
mod outputs;
mod place;
mod port_set;
mod rule;
mod rules;
mod tables;
mod weight;

pub use answer::Ask;
pub use error::{Error, PerHopFault};
pub use escape_error::EscapeImageError;
pub use escape_image::{EscapeImage, EscapeKind};
#[cfg(feature = "alloc")]
pub use escape_network::{EscapeNetwork, encode_escape_image};
pub use flags::PerHop;
pub use ofar::{Ofar, OfarSwitch, channels};
pub use outputs::Outputs;
pub use port_set::PortSet;
pub use rules::{LocalPercent, OfarRules};
pub use tvlb_firmware_model as firmware_model;
