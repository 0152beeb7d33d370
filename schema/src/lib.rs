//! The vocabulary that the host and the switch share.
//!
//! Identifiers, the Dragonfly's index arithmetic, route shapes, T-VLB set rules, and three image
//! formats with their encoders and checked decoders; [`extension`] is for crates that add another. Reading needs neither `std` nor an
//! allocator, never panics for any bytes, and takes time linear in the image's length; writing
//! needs the feature `alloc`.
//!
//! `FORMAT.md` beside this crate's manifest describes the images byte by byte.
//!
//! # Size and speed
//! A switch has little flash and a host has much, so the two builds inline differently. A build for a machine without
//! an operating system (`target_os = "none"`) keeps look-ups that are called from several places separate
//! (`inline(never)`); a build for a host inlines them. The target decides and not a feature: cargo unites the features
//! of all dependants, so a feature set for a switch would slow down a simulator in the same build.
//!
//! A build without the feature `any-fabric`, which is on by default, is smaller: it reads only images of plain fabrics,
//! and refuses others by naming what is not plain. A fabric is *plain* if its groups are all of one kind, any two of
//! them share as many links as any other two, every port is used, every two switches of a group share one link, nothing
//! is dead, no set is of intermediate switches, and no image has a port map. There is one feature and not one for each,
//! so that every possible build can be tested. [`FabricImage::not_plain`] and [`SwitchImage::not_plain`] tell.
//!
//! # Example
//! ```
//! # #[cfg(feature = "alloc")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tvlb_schema::{Dragonfly, End, FabricImage, GlobalPort, GroupId, encode_fabric_image};
//!
//! // Three groups of two switches, one cable between any two groups.
//! let df = Dragonfly::new(1, 2, 1, 3)?;
//! let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
//! let cables = [(end(0, 0), end(1, 0)), (end(0, 1), end(2, 0)), (end(1, 1), end(2, 1))];
//!
//! let bytes = encode_fabric_image(&df, &cables);
//! let image = FabricImage::decode(&bytes)?;
//! assert_eq!(image.peer(end(2, 1)), Some(end(1, 1)));
//!
//! // A damaged image is refused by what is wrong with it.
//! let mut damaged = bytes.clone();
//! damaged[20] ^= 1;
//! assert!(FabricImage::decode(&damaged).is_err());
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "alloc"))]
//! # fn main() {}
//! ```
#![no_std]
#![warn(missing_docs)]

/// Whether this build reads the images of fabrics that are not plain.
const ANY_FABRIC: bool = cfg!(feature = "any-fabric");

#[cfg(any(feature = "alloc", test))]
extern crate alloc;
#[cfg(test)]
extern crate std;

#[cfg(feature = "alloc")]
mod as_text;
mod bandwidth;
mod dragonfly;
pub mod extension;
mod fabric_image;
mod fault_image;
#[cfg(feature = "alloc")]
mod fault_set;
mod fields;
mod frame;
mod id;
mod image_error;
mod image_kind;
mod leaves_and_spines;
mod legs;
mod local_links;
#[cfg(feature = "alloc")]
mod nodes;
mod packed;
mod plain;
mod port_map;
mod route;
mod set;
mod set_view;
mod shape;
#[cfg(feature = "alloc")]
mod switch_contents;
mod switch_image;
mod thinning;
mod weighing;
mod window_limits;

pub use bandwidth::{Bandwidth, BandwidthError, Bandwidths, BandwidthsError, LinkKind};
pub use dragonfly::{Dragonfly, DragonflyError, GroupKind, limits};
pub use fabric_image::{FabricImage, Links};
#[cfg(feature = "alloc")]
pub use fabric_image::{encode_fabric_image, encode_fabric_image_with};
pub use fault_image::LocalLink;
#[cfg(feature = "alloc")]
pub use fault_set::{FaultSet, encode_fault_image};
pub use frame::check_version;
pub use id::{End, GlobalPort, GroupId, NodeId, Port, SwitchId, SwitchIndex};
pub use image_error::ImageError;
pub use image_kind::{FORMAT_VERSION, ImageKind, MAGIC};
pub use leaves_and_spines::LeavesAndSpines;
pub use legs::LegHops;
pub use local_links::{FewerLinks, GroupLinks};
#[cfg(feature = "alloc")]
pub use nodes::{EndSwitches, Nodes};
pub use route::{Route, RouteKey};
pub use set::{DrawRule, Keep, SetRule, SetRuleError};
pub use set_view::SetView;
pub use shape::{Shape, ShapeSet};
#[cfg(feature = "alloc")]
pub use switch_contents::{SetContents, SwitchContents, encode_switch_image, shapes_by_number};
pub use switch_image::{Decision, MinCandidate, PerDecision, SwitchImage, VcScheme};
pub use thinning::Level;
pub use weighing::{Candidates, CandidatesError, Gate, GateError, Onward, Queue, Weighing};
pub use window_limits::{NoWindowLimits, WindowLimits};
