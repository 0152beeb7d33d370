//! Nodes that hold packets back, if sources have windows ([`SourceWindows`](crate::windows::SourceWindows)).
//!
//! A node whose packet is held sends nothing else meanwhile: it checks again when its switch next hears from the
//! packet's destination. It is then the successor of itself in its list, which shows that it is in no other.
//!
//! The actions of a switch's nodes in a cycle affect each other here, so the node with the oldest packet has its turn
//! first, which prevents starvation, and the acknowledgements of a cycle are sorted. Then the figures of a run are the
//! same at any number of threads.

use crate::decider::Decider;
use crate::network::Network;
use crate::numbers::ChannelId;
use crate::packet_source::PacketSource;
use crate::wakeups::NO_NODE;
use tvlb_schema::NodeId;

impl<S: PacketSource, D: Decider> Network<'_, S, D> {
    /// Notes the acknowledgements that reach a chunk in this cycle, and wakes the nodes that hold packets to the
    /// switches in them.
    pub(crate) fn hear_acknowledgements(&mut self, chunk: usize, now: u32) {
        let (Some(windows), Some(under_way)) =
            (&mut self.windows, &mut self.links.acknowledgements)
        else {
            return;
        };
        let mut heard = Vec::new();
        under_way.drain(now..now + 1, chunk..chunk + 1, |_, told| heard.push(told));
        heard.sort_unstable();
        let df = self.fabric.dragonfly();
        for told in heard {
            windows.hear(told);
            for terminal in 0..df.p() {
                let node = NodeId(u32::from(told.from.0) * df.p() + terminal);
                let source = &mut self.sources[node.as_usize()];
                if source.next == node && windows.waits_for(node, told, df) {
                    // The list of this cycle is taken after this.
                    source.next = self.wakeups.set(chunk, now, now, node);
                }
            }
        }
    }

    /// Sorts a chunk's list of nodes, which begins with this one, into the order of their turns: by the age of their
    /// packets.
    pub(crate) fn in_turn(&mut self, first: NodeId) -> NodeId {
        let mut nodes = Vec::new();
        let mut at = first;
        while at != NO_NODE {
            nodes.push(at);
            at = self.sources[at.as_usize()].next;
        }
        nodes.sort_unstable_by_key(|&node| (self.sources[node.as_usize()].created, node));
        for (place, node) in nodes.iter().enumerate() {
            let next = nodes.get(place + 1).copied().unwrap_or(NO_NODE);
            self.sources[node.as_usize()].next = next;
        }
        nodes.first().copied().unwrap_or(NO_NODE)
    }

    /// The destination of the packet of a node that has spent a credit for it; `None` if the node holds the packet and
    /// gives the credit back. The next acknowledgement from there then wakes it.
    #[inline]
    pub(crate) fn next_destination(&mut self, node: NodeId, input: ChannelId) -> Option<NodeId> {
        let Self { fabric, packets, sources, windows, .. } = self;
        let source = &mut sources[node.0 as usize];
        let held = windows.as_mut().and_then(|windows| windows.take_held(node));
        let destination =
            held.unwrap_or_else(|| packets.destination(node, source.created, &mut source.rng));
        if let Some(windows) = windows {
            let to = fabric.dragonfly().switch_of(destination).0;
            if !windows.admit((node, source.switch), (destination, to)) {
                source.next = node;
                self.states.node_free[input.index()] += 1;
                return None;
            }
        }
        Some(destination)
    }
}
