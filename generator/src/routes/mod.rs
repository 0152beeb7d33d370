//! The paths between two switches: what they are, and how many there are of each kind.
//!
//! All works on any wiring: unequal numbers of links per pair of groups, several cables between
//! two switches, missing cables.
//!
//! Every function here takes switches that exist in the topology's Dragonfly.

pub mod count;
pub mod enumerate;
pub mod expected;
pub mod minimal;
pub mod presence;
pub mod triples;
pub mod walk;

#[cfg(test)]
mod wirings;
