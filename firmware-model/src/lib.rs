//! The datapath of one Dragonfly switch.
//!
//! [`Switch::boot`] reads a fabric image and a switch image. [`Switch::admit`] decides the path of
//! a packet at its source from the switch's own credits; [`Switch::forward`] moves a packet on by
//! its header. Virtual channels are assigned on the way so that no deadlock can form.
//!
//! The crate sees what a switch sees: its images, a packet's header, its own credits and a source
//! of random numbers. It needs neither `std` nor an allocator, does integer arithmetic only, and
//! its work per packet is bounded.
//!
//! # Panics
//! Never, for any bytes and any header.
#![no_std]

#[cfg(test)]
extern crate std;

mod channel;
mod credits;
mod decide;
mod draw;
mod error;
mod forward;
mod header;
mod switch;

pub use channel::{ORDERED_CHANNELS, ORDERED_CHANNELS_PAR};
pub use credits::Credits;
pub use decide::{Admission, Choice, Scheme, VlbPaths};
pub use draw::{MOST_TRIES, MOST_VISITED};
pub use error::Error;
pub use forward::Step;
pub use header::{Header, Kind, Stage};
pub use switch::Switch;
