//! When each node next has something to send: for each chunk of switches a ring of lists of its
//! nodes, one per cycle.
//!
//! A node is in one list at most, so a list is its first node, and each node knows the next.

use tvlb_schema::Node;

/// Stands where a list of nodes ends.
pub(crate) const NO_NODE: Node = Node(u32::MAX);

/// Cycles that can be looked ahead; what is farther is looked at again on the way.
const HORIZON: u32 = 255;

/// Nodes by the cycle in which they next have something to send.
#[derive(Debug)]
pub(crate) struct Wakeups {
    /// Per chunk and cycle the first of its nodes.
    first: Vec<[Node; HORIZON as usize + 1]>,
}

impl Wakeups {
    /// No wakeup is set.
    pub(crate) fn new(chunks: usize) -> Self {
        Self { first: vec![[NO_NODE; HORIZON as usize + 1]; chunks] }
    }

    /// Sets the wakeup of a chunk's node to a cycle after now, or to as late as can be. What is
    /// returned comes after it in its list, which it must keep in mind.
    #[inline]
    #[must_use]
    pub(crate) fn set(&mut self, chunk: usize, now: u32, cycle: u32, node: Node) -> Node {
        let cycle = cycle.min(now.saturating_add(HORIZON));
        std::mem::replace(&mut self.first[chunk][(cycle & HORIZON) as usize], node)
    }

    /// Takes the list of a chunk's cycle: its first node, which knows the next, or [`NO_NODE`].
    #[inline]
    pub(crate) fn take(&mut self, chunk: usize, cycle: u32) -> Node {
        std::mem::replace(&mut self.first[chunk][(cycle & HORIZON) as usize], NO_NODE)
    }

    /// The bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.first)
    }
}
