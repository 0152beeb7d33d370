//! The paths between two switches: what they are, and how many there are of each kind.
//!
//! MIN paths, VLB triples and VLB routes are enumerated straight from their definitions, slowly
//! and plainly, in [`minimal`], [`triples`] and [`enumerate`]; [`count`] finds the same numbers
//! without enumerating; [`by_switch`] has the walks of sets of intermediate switches, and [`drawn`] says
//! how often each path of a set is drawn, [`next_hops`] by which ports. All work on any wiring: unequal numbers of links per pair of
//! groups, several cables between two switches, missing cables.
//!
//! Every function here takes switches that exist in the topology's Dragonfly.

pub mod by_switch;
pub mod chances;
pub mod count;
pub mod drawn;
pub mod enumerate;
pub mod expected;
pub mod minimal;
pub mod next_hops;
pub mod presence;
pub mod shortest_legs;
pub mod text;
pub mod triples;
pub mod walk;

#[cfg(test)]
mod is_walk;
#[cfg(test)]
pub(crate) mod wirings;
