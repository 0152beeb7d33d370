//! Allocation: which packets leave in a cycle.
//!
//! A cycle has several rounds. In each, every input port that has not won yet puts forward one packet at the head of a
//! buffer that could be granted what it wants, preferring the buffer that was put forward least recently. Then every
//! wanted output takes one: from other switches before nodes, preferring the port that it served least recently.

use super::network::PhitNetwork;
use super::requests::Request;
use super::settings::Routing;
use super::state::{Want, channel_of};
use tvlb_ofar::PortSet;
use tvlb_schema::{Port, SwitchId};
use tvlb_simulator::DatapathError;
use tvlb_simulator::parts::{ChannelId, PortId, PortKind};

impl PhitNetwork<'_> {
    /// Lets the packets at one switch leave that win in this cycle.
    pub(super) fn allocate(&mut self, at: SwitchId) -> Result<(), Box<DatapathError>> {
        let rounds = u32::from(self.settings.rounds);
        // If the wants of packets are settled, a port that has nothing to put forward in one round has nothing in the
        // next: outputs are only taken meanwhile.
        let is_settled = matches!(self.settings.routing, Routing::Scheme(_) | Routing::UgalG);
        let mut left = self.queues.ports_with_packets(at);
        if let Some(per_hop) = &mut self.per_hop {
            per_hop.look(&self.queues, at, self.now);
            left = per_hop.admitted(&self.queues, at, left);
        }
        for round in 0..rounds {
            let time = self.now * rounds + round + 1;
            let mut asking = PortSet::default();
            for port in left.iter() {
                if self.put_forward(at, port, time)? {
                    asking.insert(port);
                }
            }
            if asking.is_empty() {
                return Ok(());
            }
            if is_settled {
                left = asking;
            }
            for place in 0..self.requests.outputs.len() {
                let output = self.requests.outputs[place];
                if let Some(request) = self.requests.best[usize::from(output)].take() {
                    left.remove(request.from);
                    let out = self.queues.port(at, request.want.port);
                    let serving = self.queues.serving(out, request.from);
                    self.queues.served[serving] = time;
                    self.grant(at, &request);
                }
            }
            self.requests.outputs.clear();
        }
        Ok(())
    }

    /// Puts forward one of the packets that wait at a port, if one could be granted what it wants.
    fn put_forward(
        &mut self,
        at: SwitchId,
        port: Port,
        time: u32,
    ) -> Result<bool, Box<DatapathError>> {
        let id = self.queues.port(at, port);
        let mut left = self.queues.waiting(id);
        while left != 0 {
            let input = self.least_recent(id, left);
            left &= !(1 << input.virtual_channel());
            if self.queues.inputs[input.index()].idle_from > self.now {
                continue;
            }
            let want =
                self.want(at, port, input).map_err(|error| Box::new(self.failed(at, error)))?;
            let Some(want) = want.filter(|want| self.queues.can_grant(at, want, self.now)) else {
                continue;
            };
            self.queues.inputs[input.index()].put_forward = time;
            self.request(at, port, input, want);
            return Ok(true);
        }
        Ok(false)
    }

    /// Of the channels of a port with these bits: the one that was put forward least recently, of several
    /// the lowest.
    #[inline]
    fn least_recent(&self, port: PortId, bits: u8) -> ChannelId {
        let channels = (0..8).filter(|bit| bits >> bit & 1 == 1);
        let by_time = channels.map(|bit| channel_of(port, bit));
        by_time
            .min_by_key(|channel| self.queues.inputs[channel.index()].put_forward)
            .expect("a channel waits")
    }

    #[inline]
    fn request(&mut self, at: SwitchId, from: Port, input: ChannelId, want: Want) {
        let (port, out) = (self.queues.port(at, from), self.queues.port(at, want.port));
        let from_node = self.queues.outputs[port.index()].kind == PortKind::Node;
        let served = self.queues.served[self.queues.serving(out, from)];
        let request = Request { from, input, want, order: (from_node, served, from.0) };
        let best = &mut self.requests.best[want.port.as_usize()];
        match best {
            None => {
                *best = Some(request);
                self.requests.outputs.push(want.port.0);
            }
            Some(other) if request.order < other.order => *other = request,
            Some(_) => {}
        }
    }
}
