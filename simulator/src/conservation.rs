//! Conservation, checked: at the end of every window the whole network is counted.
//!
//! Packets sent are delivered or under way, and those under way are each in one buffer or on one
//! link. For every virtual channel of every link, its credits, the credits on their way back, the
//! flits on the link and the flits in the buffer behind it make up exactly the buffer's size. No
//! credit count is below 0 or above the buffer: it is unsigned, and the sum would not hold.

use crate::network::Network;
use crate::numbers::{ChannelId, PacketId, PortId};
use crate::switch_state::Behind;

/// The simulator lost or invented something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConservationError {
    /// Packets do not add up.
    #[error(
        "cycle {cycle}: {sent} packets were sent, but {delivered} delivered, {under_way} under way, {found} of them found"
    )]
    Packets {
        /// The cycle.
        cycle: u32,
        /// Packets sent.
        sent: u64,
        /// Packets delivered.
        delivered: u64,
        /// Packets that the pool holds.
        under_way: u64,
        /// Packets found in buffers and on links.
        found: u64,
    },
    /// Credits do not add up.
    #[error(
        "cycle {cycle}: {link}, VC {channel}: credits, flits and credits under way add up to {found}, but the buffer holds {buffer}"
    )]
    Credits {
        /// The cycle.
        cycle: u32,
        /// The link.
        link: String,
        /// The virtual channel.
        channel: u32,
        /// The sum.
        found: u32,
        /// The buffer.
        buffer: u32,
    },
}

impl Network<'_> {
    /// Counts everything.
    pub(crate) fn check_conservation(&self) -> Result<(), ConservationError> {
        let states = &self.states;
        let mut found = 0_u64;
        // Per input channel its flits, in the buffer and on the way to it.
        let mut flits = vec![0_u32; states.first_of_nodes()];
        for (count, channel) in flits.iter_mut().zip(states.chunks.iter().flat_map(|c| &c.inputs)) {
            let mut at = channel.head;
            while !at.is_none() {
                *count += 1;
                at =
                    if at == channel.tail { PacketId::NONE } else { self.links.pool.flit(at).next };
            }
            found += u64::from(*count);
        }
        for arrival in self.links.packets_under_way() {
            flits[arrival.input.index()] += 1;
            found += 1;
        }
        let under_way = u64::from(self.links.pool.live());
        if self.sent != self.links.delivered + under_way || under_way != found {
            let (cycle, sent, delivered) = (self.now, self.sent, self.links.delivered);
            return Err(ConservationError::Packets { cycle, sent, delivered, under_way, found });
        }

        let mut returning = vec![0_u32; states.first_of_nodes() + states.node_free.len()];
        self.links.credits_under_way().for_each(|channel| returning[channel.index()] += 1);
        for (number, port) in (0..).zip(states.chunks.iter().flat_map(|c| &c.out_ports)) {
            let id = PortId::new(number);
            for channel in 0..u32::from(states.channels) {
                let of = |first: ChannelId| first.with_virtual_channel(channel);
                let here = of(ChannelId::first_of(id));
                let credits = u32::from(states.output(here).free) + returning[here.index()];
                let sums = match port.behind {
                    Behind::Nothing => continue,
                    Behind::Local | Behind::Global => {
                        [Some(credits + flits[of(port.peer.first_channel()).index()]), None]
                    }
                    Behind::Node => {
                        let upstream = of(states.in_port(id).upstream).index();
                        let free = states.node_free[upstream - states.first_of_nodes()];
                        let sent = u32::from(free) + returning[upstream];
                        // Towards the node every flit is answered by a credit as it departs.
                        [Some(credits), Some(sent + flits[here.index()])]
                    }
                };
                let buffer = u32::from(self.settings.buffer_flits);
                if let Some(found) = sums.into_iter().flatten().find(|&sum| sum != buffer) {
                    let link = self.link_name(id);
                    return Err(ConservationError::Credits {
                        cycle: self.now,
                        link,
                        channel,
                        found,
                        buffer,
                    });
                }
            }
        }
        Ok(())
    }
}
