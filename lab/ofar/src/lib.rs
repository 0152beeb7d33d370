//! OFAR: routing that is decided at every hop, by what the switch sees of its own outputs (García, Vallejo,
//! Beivide, Valero and Rodríguez, "OFAR-CM: Efficient Dragonfly Networks with Simple Congestion Management",
//! HOTI 2013).
//!
//! A packet asks for its minimal output. Where that cannot take it, the packet may be *misrouted*, by another link
//! that is used less; where no virtual channel that it may take has room at all, it goes on by the escape
//! network, a ring or a tree over all switches. The *canonical* virtual channels have no order, and the
//! escape network alone keeps packets from waiting for each other for ever:
//!
//! - a packet that is not in an injection queue and finds all outputs that it may take without room asks for an
//!   escape channel that depends on its place, its destination and, on a ring, its direction alone;
//! - on a tree these channels do not wait for each other in a circle; on a ring they do in one circle for each
//!   direction, which is entered only with room for two packets and passed along with room for one, so
//!   that each direction has room somewhere at all times.
//!
//! With the rules `by_set` and `by_length` that is T-OFAR, which is of this crate: packets are misrouted to other
//! groups only where a path of the T-VLB set begins, and shares in use are weighed by hops.
//!
//! What the paper does not state is this crate's reading: how candidates are compared ([`Ofar::ask`]), that a
//! packet which has to leave its group takes the escape network as soon as no link of its switch to another
//! group has room, and that a packet is sent within its group for that only to a switch that has one.
//!
//! Nothing is remembered from one question to the next, and a question takes a number of steps that is bounded by
//! the ports of the switch.
//!
//! The crate needs neither `std` nor an allocator, does integer arithmetic only, and does not panic, whatever the bytes
//! and headers. It stands on the datapath (`tvlb-firmware-model`) and on the vocabulary of images (`tvlb-schema`), by
//! their public interfaces; `FORMAT.md` beside its manifest describes the escape image byte by byte.
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
