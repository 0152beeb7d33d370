//! Traffic patterns: who sends to whom on a Dragonfly.
//!
//! A [`Pattern`] is what a user names. On one fabric and with one seed it is a map of nodes, or a
//! rule by which destinations are drawn, and it has two views: [`Traffic`] says where a node's next
//! packet goes, for a simulator, and [`Flows`] says how much each switch sends to each other, for a
//! model. A pattern of one name, fabric and seed is the same traffic in both. A [`Placement`] says on
//! which node each process of a pattern runs; without one, on the node of its own number.
//!
//! # Example
//! ```
//! use tvlb_schema::Dragonfly;
//! use tvlb_traffic::{Flows, Pattern, Traffic};
//!
//! let df = Dragonfly::new(2, 4, 2, 9)?;
//! let pattern: Pattern = "type2#1".parse()?;
//! let traffic = Traffic::new(&pattern, &df, 7)?;
//! let flows = Flows::new(&pattern, &df, 7)?;
//! for (from, to) in traffic.map().ok_or("each node has one destination")? {
//!     let (from, to) = (df.switch_of(from).0, df.switch_of(to).0);
//!     assert!(flows.flows.iter().any(|flow| (flow.source, flow.destination) == (from, to)));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod expected;
mod flow_file;
mod flows;
mod in_time;
mod lists;
pub mod loads;
mod maps;
pub mod named;
pub mod pattern;
mod placement;
mod traffic;

/// Raised when a pattern of the same name becomes other traffic, so that kept runs tell it apart.
pub const VERSION: u32 = 3;

pub use flow_file::{FlowEnd, ListedFlow, read_flows};
pub use flows::{Flow, Flows, sample};
pub use in_time::Stretch;
pub use maps::{below, of_most_peers};
pub use pattern::Pattern;
pub use placement::{Placement, PlacementRule};
pub use traffic::{Bursts, Traffic, TrafficChange};
