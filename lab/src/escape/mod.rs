//! Escape networks: a ring or a tree over all switches, for packets that decide at every hop and find nothing else
//! free.
//!
//! After García, Vallejo, Beivide, Valero and Rodríguez, "OFAR-CM: Efficient Dragonfly Networks with Simple
//! Congestion Management" (HOTI 2013). The paper has one ring and one tree on one wiring; the rules here find one
//! on any wiring, or say why there is none. They are functions of the wiring alone.

mod found;
mod group_search;
mod inside;
mod listing;
mod ring;
mod ring_hop;
mod switch_search;
#[cfg(test)]
mod tests;
mod tree;

pub use found::{EscapeError, FoundNetwork, find};
pub use listing::{csv, dot};
pub use ring::{Ring, RingError, RingRule};
pub use ring_hop::RingHop;
pub use tree::{Tree, TreeError};
