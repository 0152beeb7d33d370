//! Nodes send what their ranks give them: packets of the messages that may leave, in turn.

use crate::messages::Transfer;
use crate::network::{DatapathError, Network, failed};
use crate::wakeups::NO_NODE;

impl Network<'_> {
    /// Lets the ranks of a chunk take their steps of this cycle, and wakes the nodes that have something to
    /// send now.
    pub(crate) fn let_ranks_take_steps(&mut self, chunk: usize, now: u32) {
        let (Some(ranks), Some(messages)) = (&mut self.ranks, &mut self.links.messages) else {
            return;
        };
        ranks.take_steps(chunk, now, messages);
        for node in ranks.woken.drain(..) {
            // The list of this cycle is taken after this.
            self.sources[node.as_usize()].next = self.wakeups.set(chunk, now, now, node);
        }
    }

    /// Lets every node of a chunk that has a transfer and a credit send a packet of the transfer whose turn
    /// it is.
    pub(crate) fn send_from_ranks(
        &mut self,
        chunk: usize,
        now: u32,
    ) -> Result<(), Box<DatapathError>> {
        let mut next = self.wakeups.take(chunk, now);
        while next != NO_NODE {
            let node = next;
            next = self.sources[node.as_usize()].next;
            let Some(input) = self.spend_credit(chunk, node, now) else { continue };
            let (Some(ranks), Some(messages)) = (&mut self.ranks, &mut self.links.messages) else {
                return Ok(());
            };
            let sends = &mut ranks.sends[node.as_usize()];
            let id = sends.transfers.pop_front().expect("a node is awake while it has a transfer");
            let Transfer { message, to, .. } = *messages.transfer(id);
            let packet = self.set_out(node, to, now, input, now).map_err(|error| {
                let at = self.sources[node.as_usize()].switch;
                Box::new(failed(self.fabric, now, at, error))
            })?;
            let free = self.node_links.get(node.as_usize()).map_or(now + 1, |l| l.first_cycle());
            let (Some(ranks), Some(messages)) = (&mut self.ranks, &mut self.links.messages) else {
                return Ok(());
            };
            let is_last = messages.leaves(id, packet);
            if is_last {
                ranks.has_left(message, chunk, free, messages);
            } else {
                ranks.sends[node.as_usize()].transfers.push_back(id);
            }
            let sends = &mut ranks.sends[node.as_usize()];
            sends.is_awake = !sends.transfers.is_empty();
            if sends.is_awake {
                let next = self.wakeups.set(chunk, now, free.max(now + 1), node);
                self.sources[node.as_usize()].next = next;
            }
        }
        Ok(())
    }
}
