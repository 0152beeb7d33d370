//! Conservation, checked: at the end of every window the whole network is counted.
//!
//! Packets sent are delivered or under way, and those under way are each in one buffer or on one
//! link. For every virtual channel of every link, its credits, the credits on their way back, the
//! flits on the link and the flits in the buffer behind it make up exactly the buffer's size. No
//! credit count is below 0 or above the buffer: it is unsigned, and the sum would not hold.

use crate::network::Network;
use crate::packet::NONE;
use crate::switch_state::Behind;
use tvlb_firmware_model::Header;
use tvlb_schema::{Port, Switch};

/// The simulator lost or invented something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
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
    pub(crate) fn audit(&self) -> Result<(), AuditError> {
        let states = &self.states;
        let mut found = 0_u64;
        // Per input channel its flits, in the buffer and on the way to it.
        let mut flits = vec![0_u32; states.inputs.len()];
        for (count, channel) in flits.iter_mut().zip(&states.inputs) {
            let mut at = channel.head.packet;
            while at != NONE {
                *count += 1;
                at = if at == channel.tail { NONE } else { self.links.pool.get(at).next };
            }
            found += u64::from(*count);
        }
        for arrival in self.links.arrivals.iter() {
            let header = Header::from_bits(arrival.flit.header);
            let channel = self.channel_map[usize::from(header.virtual_channel())];
            // From a node the channel is in the number already.
            let channel = if arrival.flit.hops == 0 { 0 } else { usize::from(channel) };
            flits[arrival.port as usize | channel] += 1;
            found += 1;
        }
        let under_way = u64::from(self.links.pool.live());
        if self.sent != self.links.delivered + under_way || under_way != found {
            let (cycle, sent, delivered) = (self.now, self.sent, self.links.delivered);
            return Err(AuditError::Packets { cycle, sent, delivered, under_way, found });
        }

        let mut returning = vec![0_u32; states.outputs.len()];
        self.links.credits.iter().for_each(|&credit| returning[credit as usize] += 1);
        let mut node_returning = vec![0_u32; self.node_free.len()];
        self.links.node_credits.iter().for_each(|&credit| node_returning[credit as usize] += 1);
        for (number, port) in states.ports.iter().enumerate() {
            let first = number << states.channel_bits;
            for channel in 0..usize::from(states.channels) {
                let here = first | channel;
                let credits = u32::from(states.outputs[here].free) + returning[here];
                let sums = match port.behind {
                    Behind::Nothing => continue,
                    Behind::Switch => [Some(credits + flits[port.peer as usize | channel]), None],
                    Behind::Node => {
                        let node = (port.peer as usize) << states.channel_bits | channel;
                        let sent = u32::from(self.node_free[node]) + node_returning[node];
                        // Towards the node every flit is answered by a credit as it departs.
                        [Some(credits), Some(sent + flits[here])]
                    }
                };
                let buffer = u32::from(self.settings.buffer);
                if let Some(found) = sums.into_iter().flatten().find(|&sum| sum != buffer) {
                    let link = self.link_name(number);
                    let channel = u32::try_from(channel).expect("below 8");
                    return Err(AuditError::Credits {
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

    /// The name of the link behind a port, the port numbered over all switches.
    pub(crate) fn link_name(&self, port: usize) -> String {
        let bits = self.states.port_bits;
        let switch = u16::try_from(port >> bits).expect("at most 2^16 switches");
        let port = u16::try_from(port & ((1 << bits) - 1)).expect("at most 64 ports");
        self.fabric.name(Switch(switch), Port(port))
    }

    /// The name of the link from a node, by the port at which it arrives.
    pub(crate) fn injection_name(&self, port: usize) -> String {
        let df = self.fabric.dragonfly();
        let switch = u16::try_from(port >> self.states.port_bits).expect("at most 2^16 switches");
        let (group, index) = df.place(Switch(switch));
        let node = self.states.ports[port].peer;
        format!("link from node {node} to group {group}, switch {index}")
    }

    /// Per switch and port the flits granted towards it so far.
    pub(crate) fn link_flits(&self) -> Vec<u32> {
        self.states.ports.iter().map(|port| port.flits).collect()
    }

    /// The bytes that the run holds, the booted images apart.
    pub(crate) fn bytes(&self) -> usize {
        self.states.bytes()
            + self.links.pool.bytes()
            + self.links.arrivals.bytes()
            + self.links.credits.bytes()
            + self.links.node_credits.bytes()
            + self.alarms.bytes()
            + size_of_val(&*self.sources)
            + size_of_val(&*self.node_free)
            + size_of_val(&*self.switch_rngs)
    }
}
