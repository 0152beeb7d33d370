//! When each node next has something to send: for each chunk of switches a ring of lists of its
//! nodes, one per cycle.
//!
//! A node is in one list at most, so a list is its first node, and each node knows the next.

use crate::owned_range::OwnedRange;
use tvlb_schema::NodeId;

/// Stands where a list of nodes ends.
pub const NO_NODE: NodeId = NodeId(u32::MAX);

/// How many cycles ahead a wake-up can be set. A node whose next packet is farther ahead wakes up
/// on the way, only to set its wake-up again.
const HORIZON: u32 = 255;

/// Nodes by the cycle in which they next have something to send.
#[derive(Debug)]
pub struct Wakeups {
    /// For each chunk, for each cycle of its ring, the first node of the list.
    first: OwnedRange<[NodeId; HORIZON as usize + 1]>,
}

impl Wakeups {
    /// A ring for so many chunks in which no wake-up is set.
    pub fn new(chunks: usize) -> Self {
        Self { first: OwnedRange::whole(vec![[NO_NODE; HORIZON as usize + 1]; chunks]) }
    }

    /// Keeps the wake-ups of the nodes of the chunks before one, and returns the others.
    pub(crate) fn split_off(&mut self, chunk: usize) -> Self {
        Self { first: self.first.split_off(chunk) }
    }

    /// Appends the wake-ups of the chunks that follow on these.
    pub(crate) fn append(&mut self, rest: Self) {
        self.first.append(rest.first);
    }

    /// Sets the wake-up of a chunk's node to a cycle after `now`, or to `now` if the list of that cycle was not taken
    /// yet, or as late as the ring allows if the cycle is farther ahead. Returns the node that comes after it in the
    /// list of its cycle, which the caller stores with the node.
    #[inline]
    #[must_use]
    pub fn set(&mut self, chunk: usize, now: u32, cycle: u32, node: NodeId) -> NodeId {
        let cycle = cycle.min(now.saturating_add(HORIZON));
        std::mem::replace(&mut self.first[chunk][(cycle & HORIZON) as usize], node)
    }

    /// Takes the list of a chunk's cycle: its first node, from which the others follow, or
    /// [`NO_NODE`] if the list is empty.
    #[inline]
    pub fn take(&mut self, chunk: usize, cycle: u32) -> NodeId {
        std::mem::replace(&mut self.first[chunk][(cycle & HORIZON) as usize], NO_NODE)
    }

    /// How many bytes the rings hold.
    pub fn bytes(&self) -> usize {
        self.first.bytes()
    }
}
