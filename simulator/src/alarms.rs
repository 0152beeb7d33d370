//! When each node next has something to send: for each chunk of switches a ring of lists of its
//! nodes, one per cycle.
//!
//! A node is in one list at most, so a list is its first node, and each node knows the next.

/// No node.
const NOBODY: u32 = u32::MAX;

/// Cycles that can be looked ahead; what is farther is looked at again on the way.
const HORIZON: u32 = 255;

/// Nodes by the cycle in which they next have something to send.
#[derive(Debug)]
pub(crate) struct Alarms {
    /// Per chunk and cycle the first of its nodes.
    first: Vec<[u32; HORIZON as usize + 1]>,
    /// Per node the next one of the same cycle.
    next: Vec<u32>,
}

impl Alarms {
    /// No alarm is set for any of so many nodes.
    pub(crate) fn new(chunks: usize, nodes: u32) -> Self {
        let first = vec![[NOBODY; HORIZON as usize + 1]; chunks];
        Self { first, next: vec![NOBODY; nodes as usize] }
    }

    /// Sets the alarm of a chunk's node to a cycle after now, or to as late as can be.
    #[inline]
    pub(crate) fn set(&mut self, chunk: usize, now: u32, cycle: u32, node: u32) {
        let cycle = cycle.min(now.saturating_add(HORIZON));
        let first = &mut self.first[chunk][(cycle & HORIZON) as usize];
        self.next[node as usize] = std::mem::replace(first, node);
    }

    /// Takes the first node of a cycle's list, of which the others are got by [`Self::next`].
    #[inline]
    pub(crate) fn take(&mut self, chunk: usize, cycle: u32) -> Option<u32> {
        let first = &mut self.first[chunk][(cycle & HORIZON) as usize];
        some(std::mem::replace(first, NOBODY))
    }

    /// The next node of the list; to be asked before the node's alarm is set again.
    #[inline]
    pub(crate) fn next(&self, node: u32) -> Option<u32> {
        some(self.next[node as usize])
    }

    /// The bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.first) + size_of_val(&*self.next)
    }
}

#[inline]
const fn some(node: u32) -> Option<u32> {
    if node == NOBODY { None } else { Some(node) }
}
