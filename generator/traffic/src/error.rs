//! Why a pattern does not fit a fabric.

use crate::Pattern;
use tvlb_schema::NodeId;

/// A pattern that does not fit the fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficError {
    #[error("traffic {pattern}: {what} is {found}, but this fabric accepts 0 to {most}")]
    Shift { pattern: Pattern, what: &'static str, found: u32, most: u32 },
    #[error("traffic {pattern}: it sends nothing anywhere; shift groups or switches by at least 1")]
    NoShift { pattern: Pattern },
    #[error("traffic {pattern}: groups further on is {found}, accepted 1 to {most}")]
    GroupsAhead { pattern: Pattern, found: u32, most: u32 },
    #[error("traffic {pattern}: there is no node but the sender")]
    NoOther { pattern: Pattern },
    #[error("traffic {pattern}: the two shares add up to {sum} percent, accepted 100")]
    Shares { pattern: Pattern, sum: u32 },
    #[error("line {line}: there is no node {node}; the last node is {last}")]
    NoSuchNode { line: usize, node: NodeId, last: NodeId },
    #[error(
        "line {line}: node {node} sends to another node by line {first} already, accepted one destination for each"
    )]
    Twice { line: usize, node: NodeId, first: usize },
    #[error("there is no pair in it, accepted at least one, source,destination")]
    NoPair,
    #[error("traffic {pattern}: accepted are the numbers 0 to {most}")]
    Number { pattern: Pattern, most: u32 },
    #[error(
        "traffic {pattern}: a node sends to many, and the model takes patterns in which each node \
         sends to one: shift(Δg,Δs), type2, permutation, complement, or a file"
    )]
    ManyDestinations { pattern: Pattern },
}
