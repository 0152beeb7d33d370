//! The check that no packet and no credit is lost or invented, at the end of every window.
//!
//! Every packet that was sent is delivered, under way or lost because parts died, and every packet under way is in
//! exactly one buffer or on exactly one link. For every virtual channel of every link, four numbers add up to the
//! buffer's size: its credits, the credits on their way back, the flits on the link and the flits in the buffer at its
//! end. So no count of credits is above the buffer's size either.

use crate::decider::Decider;
use crate::network::Network;
use crate::numbers::{CHANNELS, ChannelId, PortId};
use crate::packet_source::PacketSource;
use crate::setting_values::Buffers;
use crate::switch_state::PortKind;

/// What the simulator lost or invented.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConservationError {
    #[error(
        "cycle {cycle}: {sent} packets were sent, but {delivered} delivered, {lost} lost, {under_way} under way, {found} of them found"
    )]
    Packets { cycle: u32, sent: u64, delivered: u64, lost: u64, under_way: u64, found: u64 },
    #[error(
        "cycle {cycle}: {link}, VC {channel}: credits, packets and credits under way add up to {found}, but the buffer holds {buffer}"
    )]
    Credits { cycle: u32, link: String, channel: u32, found: u32, buffer: u32 },
}

impl<S: PacketSource, D: Decider> Network<'_, S, D> {
    /// Counts all packets and all credits.
    pub(crate) fn check_conservation(&self) -> Result<(), ConservationError> {
        let flits = self.check_packets()?;
        self.check_credits(&flits)
    }

    /// Counts all packets, and gives for each input channel the flits in its buffer and on the way to it.
    fn check_packets(&self) -> Result<Vec<u32>, ConservationError> {
        let states = &self.states;
        let mut found = 0_u64;
        let mut flits = vec![0_u32; states.first_of_nodes()];
        for part in self.parts() {
            let first = part.states.chunks.places().start * CHANNELS;
            let buffers = part.states.chunks.iter().flat_map(|chunk| &chunk.inputs);
            for (count, channel) in flits[first..].iter_mut().zip(buffers) {
                part.packets_of(channel).for_each(|_| *count += 1);
                found += u64::from(*count);
            }
        }
        for arrival in self.parts().flat_map(|part| part.links.packets_under_way()) {
            flits[arrival.input.index()] += 1;
            found += 1;
        }
        let under_way = u64::from(self.under_way());
        let (delivered, lost) = (self.links.delivered, self.links.losses.total.sent());
        if self.sent != delivered + lost + under_way || under_way != found {
            return Err(ConservationError::Packets {
                cycle: self.now,
                sent: self.sent,
                delivered,
                lost,
                under_way,
                found,
            });
        }
        Ok(flits)
    }

    /// Counts the credits of every channel, with the flits that hold them.
    fn check_credits(&self, flits: &[u32]) -> Result<(), ConservationError> {
        let mut returning = vec![0_u32; 2 * flits.len()];
        for credit in self.parts().flat_map(|part| part.links.credits_under_way()) {
            returning[credit.index()] += 1;
        }
        let ports = (0..).map(PortId::new).take_while(|id| id.chunk() < self.states.all_chunks);
        for id in ports {
            let states = &self.part_of(id.chunk()).states;
            let port = states.out_port(id);
            for channel in 0..u32::from(states.channels) {
                let of = |first: ChannelId| first.with_virtual_channel(channel);
                let here = of(ChannelId::first_of(id));
                let credits = u32::from(states.output(here).free) + returning[here.index()];
                let sums = match port.kind {
                    PortKind::Unused => continue,
                    PortKind::Local | PortKind::Global => {
                        [Some(credits + flits[of(port.peer.first_channel()).index()]), None]
                    }
                    PortKind::Node => {
                        let upstream = of(states.in_port(id).upstream).index();
                        let free = states.node_free[upstream - states.first_of_nodes()];
                        let sent = u32::from(free) + returning[upstream];
                        // Towards a node only credits are counted: the node answers each flit with
                        // a credit that is filed as the flit departs.
                        [Some(credits), Some(sent + flits[here.index()])]
                    }
                };
                let Buffers { local, global } = self.settings.buffers;
                let buffer = u32::from(if port.kind == PortKind::Global { global } else { local });
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
