//! A cycle simulator of Dragonfly networks whose switches boot from the images that ship.
//!
//! [`BootedFabric::boot`] boots one [`tvlb_firmware_model::Switch`] from each switch image and wires
//! them as the images say; a [`Revision`] changes what they say first. [`Run`] simulates one load of one `tvlb_traffic::Pattern` on it. The switch around
//! the datapath is an input-queued virtual-channel switch with credit flow control; each modelling
//! choice is described in the module that makes it:
//!
//! - `network`: the order of a cycle, routing, PAR's second look
//! - `links`: output queues, credits on their way
//! - `allocate`: the pipeline, arbitration
//! - `packet_source`: the interface to what uses the network: an open loop, or a source of another crate
//! - `decider`: the interface to the decisions in the switches: the datapath, or a decider of another crate
//! - `generation`: when a node sends, in bursts or without, and what changes; [`tvlb_traffic`] says to whom
//! - `series`: the figures window by window, while traffic changes or parts die
//! - `run`, `tally`, `agreement`: which packets are measured, how long, and saturation
//! - `search`, `study`: the search for the load of saturation, many runs at once
//! - `conservation`, `watchdog`: conservation, deadlock
//! - `faults`, `damage`, `events`: parts that die and are mended during a run, and the losses
//!
//! # Example
//! Six switches, from bytes to a latency:
//!
//! ```
//! use tvlb_firmware_model::VlbPaths;
//! use tvlb_schema::{
//!     Dragonfly, End, FabricImage, GlobalPort, GroupId, MinCandidate, PerDecision, SetContents,
//!     SetRule, ShapeSet, SwitchContents, VcScheme, Weighing, encode_fabric_image,
//!     encode_switch_image,
//! };
//! use tvlb_simulator::{BootedFabric, Scheme, Settings, Study};
//! use tvlb_traffic::{Pattern, PlacementRule};
//!
//! // The images, as the generator writes them.
//! let df = Dragonfly::new(1, 2, 1, 3)?;
//! let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
//! let cables = [(end(0, 0), end(1, 0)), (end(0, 1), end(2, 0)), (end(1, 1), end(2, 1))];
//! let fabric_image = encode_fabric_image(&df, &cables);
//! let view = FabricImage::decode(&fabric_image)?;
//! let rule = SetRule::whole(ShapeSet::ALL);
//! let set = SetContents { rule, levels: Vec::new(), shapes_to: Vec::new() };
//! let switch_images: Vec<Vec<u8>> = df
//!     .switches()
//!     .map(|switch| {
//!         let contents = SwitchContents {
//!             switch,
//!             virtual_channels: VcScheme::Ordered,
//!             decisions: PerDecision::same((0, Weighing::default())),
//!             second_min: MinCandidate::Kept,
//!             sets: vec![set.clone()],
//!             physical_numbers: Vec::new(),
//!         };
//!         encode_switch_image(&view, &contents)
//!     })
//!     .collect();
//!
//! let fabric = BootedFabric::boot(&fabric_image, &switch_images)?;
//! let pattern: Pattern = "shift(1,0)".parse()?;
//! let settings = Settings { window_cycles: 500, ..Settings::new(Scheme::UgalL, VlbPaths::Custom) };
//! let placement = &PlacementRule::Identity;
//! let study =
//!     Study { fabric: &fabric, settings: &settings, pattern: &pattern, placement, seeds: &[1], series: None };
//! let curve = study.curve(&[0.1, 0.2], &())?;
//! assert!(curve.iter().all(|point| !point.saturated));
//! // What is offered is accepted, and takes a local or a global link at least.
//! assert!(curve.iter().all(|point| (point.accepted.mean - point.load).abs() < 0.05));
//! assert!(curve.iter().all(|point| point.latency.mean > 10.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod deadlock_tests;
#[cfg(test)]
mod fault_tests;
#[cfg(test)]
mod growth_tests;
#[cfg(test)]
mod replacement_tests;
#[cfg(test)]
mod test_images;
#[cfg(test)]
mod update_tests;
#[cfg(test)]
mod window_tests;
#[cfg(test)]
mod windows_tests;

mod agreement;
mod allocate;
mod calendar;
pub mod columns;
mod conservation;
mod damage;
mod decider;
mod delivered;
mod division;
mod events;
mod fabric;
mod faults;
mod figures;
mod foresight;
mod generation;
mod histogram;
mod holding;
mod horizon;
mod injection;
mod links;
mod losses;
mod memory;
mod movement;
mod network;
mod numbers;
mod outcome;
mod owned_range;
mod pace;
mod packet;
mod packet_source;
mod parameters;
mod receive;
mod revise;
mod run;
mod runs_left;
mod scheme;
mod search;
mod second_look;
mod series;
mod setting_values;
mod settings;
mod share;
mod starved_link;
mod study;
mod switch_state;
mod tally;
mod told_by_group;
mod wakeups;
mod watchdog;
mod whole_paths;
mod windows;
mod worklist;

/// The parts for another engine over the same booted switches.
pub mod parts {
    pub use crate::agreement::Halves;
    pub use crate::calendar::Calendar;
    pub use crate::figures::PacketCounts;
    pub use crate::generation::Generation;
    pub use crate::histogram::Histogram;
    pub use crate::links::ArrivingPacket;
    pub use crate::memory::{MOST_EMPTY, MOST_FULL, check_memory};
    pub use crate::movement::{Movement, WATCH, advance_unless_cancelled};
    pub use crate::network::{failed, stream};
    pub use crate::numbers::{CHANNELS, ChannelId, PORTS, PacketId, PortId};
    pub use crate::outcome::{by_kind, link_loads};
    pub use crate::packet::{Pool, Pooled};
    pub use crate::parameters::{global_latency, local_latency};
    pub use crate::series::WindowSeries;
    pub use crate::settings::{MOST_CYCLES, by_scheme_name};
    pub use crate::switch_state::{PortKind, chunk_count, port_bits};
    pub use crate::wakeups::{NO_NODE, Wakeups};
    pub use crate::whole_paths::queue_along;
}

pub use conservation::ConservationError;
pub use decider::{BySwitches, Checked, Decider, SwitchView};
pub use delivered::Delivered;
pub use fabric::{BootError, BootedFabric, BootedFor, LinkTarget, MOST_PORTS};
pub use faults::{FaultSchedule, TablesBefore};
pub use figures::Figures;
pub use foresight::ForeseenLatency;
pub use losses::{FaultFigures, LinkLosses, Losses};
pub use network::DatapathError;
pub use outcome::{Fairness, LinkLoad, Outcome};
pub use packet_source::{Chunks, PacketSource};
pub use revise::Revision;
pub use run::{Run, RunError, StopRule};
pub use scheme::Scheme;
pub use search::{Probing, SearchedLoads, last_good, last_good_by_latency};
pub use series::{SeriesFigures, SeriesWindow};
pub use setting_values::{Buffers, Deciding, MOST_BUFFER, MOST_LATENCY, Measuring};
pub use settings::{LinkSpec, Settings, least_control_latency, paths_name};
pub use starved_link::StarvedLink;
pub use study::{Estimate, Point, Saturation, SeedSaturation, Study, StudyError};
pub use switch_state::SwitchQueues;
pub use watchdog::{Deadlock, WaitingChannel};
