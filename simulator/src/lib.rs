//! A cycle simulator of Dragonfly networks whose switches boot from the images that ship.
//!
//! [`Fabric::boot`] boots one [`tvlb_firmware_model::Switch`] from each switch image and wires
//! them as the images say; a [`Revision`] changes what they say first. [`Run`] simulates one load of one [`Pattern`] on it. The switch around
//! the datapath is an input-queued virtual-channel switch with credit flow control; each modelling
//! choice is described in the module that makes it:
//!
//! - `network`: the order of a cycle, routing, PAR's second look
//! - `links`: output queues, credits on their way
//! - `allocate`: the pipeline, arbitration
//! - `traffic`, `arrivals`: who sends to whom, and when
//! - `run`, `tally`: what is measured of which packets, saturation
//! - `audit`, `watchdog`: conservation, deadlock

#[cfg(test)]
#[path = "../tests/arrangement/mod.rs"]
mod arrangement;
#[cfg(test)]
mod deadlock_tests;
#[cfg(test)]
mod replacement_tests;
#[cfg(test)]
mod window_tests;

mod alarms;
mod allocate;
mod arrivals;
mod audit;
mod calendar;
mod fabric;
mod histogram;
mod links;
mod network;
mod outcome;
mod packet;
mod pattern;
mod revise;
mod run;
mod second_look;
mod settings;
mod study;
mod switch_state;
mod tally;
mod traffic;
mod watchdog;
mod worklist;

pub use audit::AuditError;
pub use fabric::{BootError, Fabric, Link, MOST_PORTS};
pub use network::DatapathError;
pub use outcome::{Fairness, Figures, LinkLoad, Outcome};
pub use pattern::{Pattern, PatternError};
pub use revise::Revision;
pub use run::{Haste, Run, RunError};
pub use settings::{Injection, Settings, SettingsError, paths_name, scheme_name};
pub use study::{Estimate, Observer, Point, Saturation, SeedSaturation, Study, StudyError};
pub use traffic::{Traffic, TrafficError};
pub use watchdog::{Deadlock, WaitingChannel};
