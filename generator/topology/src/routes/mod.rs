//! The paths between two switches: what they are, and how many there are of each kind.
//!
//! MIN paths and VLB walks are enumerated straight from their definitions, slowly and plainly, in [`minimal`] and
//! [`ways`]; [`count`] and [`shortest_legs`] count them without enumerating, [`drawn`] says how often each path of a
//! set is drawn, and [`next_hops`] through which ports. All work on any wiring: unequal numbers of links per pair of
//! groups, several cables between two switches, missing cables.
//!
//! Every function here expects switches that exist in the topology's Dragonfly.

pub mod chances;
pub mod count;
pub mod drawn;
pub mod expected;
pub mod minimal;
pub mod next_hops;
pub mod presence;
pub mod shortest_legs;
pub mod text;
pub mod triples;
pub mod walk;
pub mod ways;

#[cfg(test)]
mod is_walk;
#[cfg(test)]
mod listed;
#[cfg(test)]
pub(crate) mod wirings;
