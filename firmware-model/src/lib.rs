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
//! # Use it
//! The crate is the only dependency that a switch's program needs. It is not on crates.io; a program depends on it by
//! path or from git:
//!
//! ```toml
//! [dependencies]
//! tvlb-firmware-model = { path = "../tvlb/firmware-model" }
//! # or: tvlb-firmware-model = { git = "URL of the repository", rev = "the commit that you tested" }
//!
//! [profile.release] # as firmware: small, and without unwinding
//! opt-level = "s"
//! lto = true
//! codegen-units = 1
//! panic = "abort"
//! ```
//!
//! Identifiers, images and their errors are in [`schema`], the traits of random numbers in [`rand_core`], and
//! [`DefaultRng`] is a generator. A header travels as 64 bits, [`Header::bits`] and [`Header::from_bits`], or as the fewer
//! that the fabric needs, [`HeaderWidths`].
//! `default-features = false` leaves out what a plain fabric does not need (README.md, "Flash"). The directory
//! `firmware-model/template/rust-switch` of the repository is a program to start from.
//!
//! ```
//! use tvlb_firmware_model::schema::NodeId;
//! use tvlb_firmware_model::{
//!     ByChannel, Channels, Error, Header, Scheme, Step, Switch, VlbPaths, rand_core,
//! };
//! # fn transmit(_: tvlb_firmware_model::schema::Port, _: u8, _: Header) {}
//! # fn deliver(_: tvlb_firmware_model::schema::Port) {}
//!
//! /// The virtual channels that the links have.
//! const LINKS: Channels = Channels { local: 5, global: 4 };
//!
//! fn run(
//!     fabric_image: &[u8],
//!     switch_image: &[u8],
//!     credits_in_use: &[u32], // by port, and within each by virtual channel, 0 to 4
//!     rng: &mut impl rand_core::Rng,
//!     arrived: Header,
//! ) -> Result<(), Error> {
//!     let switch = Switch::boot(fabric_image, switch_image)?.with_channels(Scheme::Par, LINKS)?;
//!     let (paths, credits) =
//!         (VlbPaths::Custom, ByChannel { counters: credits_in_use, channels: LINKS.most() });
//!
//!     // A packet from a node of this switch.
//!     let own = switch.admit(NodeId(40), Scheme::Par, paths, &credits, rng)?;
//!
//!     // A packet from another switch: two looks, which leave most headers as they are, and the next step.
//!     let header = switch.reconsider(arrived, paths, &credits, rng)?;
//!     let header = switch.look_onward(header, Scheme::Par, &credits)?;
//!     for step in [own.step, switch.forward(header)?] {
//!         match step {
//!             Step::Deliver { port } => deliver(port),
//!             Step::Send { port, virtual_channel, header } => {
//!                 transmit(port, virtual_channel, header);
//!             }
//!         }
//!     }
//!     Ok(())
//! }
//! # use tvlb_firmware_model::{DefaultRng, rand_core::SeedableRng};
//! # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v3/");
//! # let fabric = std::fs::read(format!("{golden}fabric.tvlb"))?;
//! # let image = std::fs::read(format!("{golden}switch-00005-onward.tvlb"))?;
//! # let arrived = Header::from_bits(14 << 48 | 2 << 28 | 1 << 5 | 1);
//! # run(&fabric, &image, &[0; 7 * 5], &mut DefaultRng::seed_from_u64(1), arrived)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Two cores may use one [`Switch`] at once, and it is cheap to copy: a program that changes its tables while packets
//! fly lets a copy take them ([`Switch::replaced`], [`Switch::install_faults`]) and then uses the copy.
//!
//! # Size and speed
//! A switch has little flash and a host has much, so the two builds inline differently. A build for a machine without
//! an operating system (`target_os = "none"`) keeps one copy of each step of a draw (`inline(never)`) and inlines into
//! the big functions what only they call (`inline`); a build for a host does the reverse. The calls would cost the host
//! a fifth of its time for a decision, and the copies would cost a switch more flash than it has for them. Both builds
//! decide alike, which `firmware-model/bare-metal/run.sh` checks. The target decides and not a feature: cargo unites
//! the features of all dependants, so a feature set for a switch would slow down a simulator in the same build.
//!
//! # Panics
//! Never, for any bytes and any header.
#![no_std]
#![warn(missing_docs)]

#[cfg(test)]
extern crate std;

mod channel;
mod channels_needed;
mod choice;
mod credit_counters;
mod credits;
mod decide;
mod draw;
mod error;
mod explain;
mod forward;
mod group_queues;
mod header;
#[cfg(not(target_os = "none"))]
mod link_masks;
mod local_hop;
mod narrow_header;
mod onward;
mod path;
mod random;
mod replacement;
mod schemes;
mod switch;
mod window;

pub use channel::Channels;
pub use choice::{Choice, VlbPaths};
pub use credit_counters::{CreditCounters, CreditError};
pub use credits::{ByChannel, Credits};
pub use decide::{Admission, DrawnPath};
pub use draw::{MOST_ASKED, MOST_MISSES, MOST_SOUGHT, MOST_TRIES, MOST_VISITED, Search};
pub use error::Error;
pub use explain::{Candidate, Drawn, Explanation};
pub use forward::Step;
pub use group_queues::{CreditsTold, GroupQueues};
pub use header::{Header, Kind, Stage};
#[cfg(not(target_os = "none"))]
pub use link_masks::LinkMasks;
pub use narrow_header::{HeaderParts, HeaderWidths};
pub use rand_core;
pub use random::below;
pub use replacement::Part;
pub use schemes::Scheme;
pub use schemes::ugal::{GateLook, NotDrawn};
pub use switch::Switch;
/// The vocabulary of images, packets and fabrics: `NodeId`, `Port`, `GroupId`, `FabricImage`.
pub use tvlb_schema as schema;
pub use window::{DestinationWindow, Windows};

/// Random numbers for a switch that brings none of its own: xoshiro128++ (Blackman and Vigna,
/// 2021), 16 bytes of state and 32-bit arithmetic. Statistically sound and fast; not for secrets.
/// Seed each switch with a number of its own, as by `SeedableRng::seed_from_u64`.
pub type DefaultRng = rand_xoshiro::Xoshiro128PlusPlus;
