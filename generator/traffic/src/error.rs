//! Why a pattern does not fit a fabric.

use crate::Pattern;
use tvlb_schema::NodeId;

/// A pattern that does not fit the fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficError {
    /// A shift goes farther than the fabric is large.
    #[error("traffic {pattern}: {what} is {found}, but this fabric accepts 0 to {most}")]
    Shift {
        /// The pattern.
        pattern: Pattern,
        /// Which of the two shifts it is.
        what: &'static str,
        /// The shift that was found.
        found: u32,
        /// The largest shift that the fabric accepts.
        most: u32,
    },
    /// Every node would send to itself.
    #[error("traffic {pattern}: it sends nothing anywhere; shift groups or switches by at least 1")]
    NoShift {
        /// The pattern.
        pattern: Pattern,
    },
    /// The group that is named is not one further on.
    #[error("traffic {pattern}: groups further on is {found}, accepted 1 to {most}")]
    GroupsAhead {
        /// The pattern.
        pattern: Pattern,
        /// How many groups further.
        found: u32,
        /// The most that the fabric accepts.
        most: u32,
    },
    /// There is no other node to send to.
    #[error("traffic {pattern}: there is no node but the sender")]
    NoOther {
        /// The pattern.
        pattern: Pattern,
    },
    /// The shares of the two kinds of traffic do not add up to 100 percent.
    #[error("traffic {pattern}: the two shares add up to {sum} percent, accepted 100")]
    Shares {
        /// The pattern.
        pattern: Pattern,
        /// What the shares add up to.
        sum: u32,
    },
    /// A pair names a node that the fabric does not have.
    #[error("line {line}: there is no node {node}; the last node is {last}")]
    NoSuchNode {
        /// The line of the list, counted from 1.
        line: usize,
        /// The node.
        node: NodeId,
        /// The last node of the fabric.
        last: NodeId,
    },
    /// A node is given two destinations.
    #[error(
        "line {line}: node {node} sends to another node by line {first} already, accepted one destination for each"
    )]
    Twice {
        /// The line of the list, counted from 1.
        line: usize,
        /// The node.
        node: NodeId,
        /// The line that gives it another destination.
        first: usize,
    },
    /// The list of pairs is empty.
    #[error("there is no pair in it, accepted at least one, source,destination")]
    NoPair,
    /// The pattern is too far down the list of those that a seed gives.
    #[error("traffic {pattern}: accepted are the numbers 0 to {most}")]
    Number {
        /// The pattern.
        pattern: Pattern,
        /// The largest number.
        most: u32,
    },
    /// Flows were asked for of a pattern that draws destinations packet by packet.
    #[error(
        "traffic {pattern}: a node sends to many, and the model takes patterns in which each node \
         sends to one: shift(Δg,Δs), type2, permutation, complement, or a file"
    )]
    ManyDestinations {
        /// The pattern.
        pattern: Pattern,
    },
}
