//! The output by which a packet at the head of a buffer wants to go on, according to the datapath of its switch.
//!
//! Under a scheme of the datapath that is settled when the packet is first asked. Piggybacking weighs the packet's two
//! candidates again whenever it is asked at its source. Under OFAR nothing is settled ([`super::per_hop`]).

use super::network::PhitNetwork;
use super::piggyback::PathChoice;
use super::seen::CycleView;
use super::settings::Routing;
use super::state::Want;
use tvlb_firmware_model::{Error, Header, Scheme, Step};
use tvlb_schema::{NodeId, Port, SwitchId};
use tvlb_simulator::parts::{ChannelId, PortKind};

impl PhitNetwork<'_> {
    /// The want of the packet at the head of a buffer; `None` if it waits for others to go first.
    #[inline]
    pub(super) fn want(
        &mut self,
        at: SwitchId,
        port: Port,
        input: ChannelId,
    ) -> Result<Option<Want>, Error> {
        if let Some(want) = self.queues.inputs[input.index()].want {
            return Ok(Some(want));
        }
        let number = self.queues.port(at, port);
        let from_node = self.queues.outputs[number.index()].kind == PortKind::Node;
        let packet = self.pool.packet(self.queues.inputs[input.index()].head);
        let (header, destination) = (Header::from_bits(packet.header), packet.destination);
        if let Some(per_hop) = &mut self.per_hop {
            let header = if from_node { None } else { Some(header) };
            let rng = &mut self.rngs[at.as_usize()];
            return per_hop.want(&self.queues, at, (header, destination), rng);
        }
        let is_settled = !(from_node && matches!(self.settings.routing, Routing::Piggybacking(_)));
        let step = if from_node {
            self.first_step(at, input, destination)?
        } else {
            self.next_step(at, header)?
        };
        let want = match step {
            Step::Deliver { port } => Want { port, virtual_channel: 0, header, room: 0 },
            Step::Send { port, virtual_channel, header } => {
                Want { port, virtual_channel, header, room: 1 }
            }
        };
        if is_settled {
            self.queues.inputs[input.index()].want = Some(want);
        }
        Ok(Some(want))
    }

    /// The first step of a packet in an injection queue.
    fn first_step(
        &mut self,
        at: SwitchId,
        input: ChannelId,
        destination: NodeId,
    ) -> Result<Step, Error> {
        let Self { switches, settings, queues, flags, candidates, rngs, now, .. } = self;
        let switch = &switches[at.as_usize()];
        let whole_paths = (settings.routing == Routing::UgalG).then_some(&switches[..]);
        let seen = CycleView { queues, flags: flags.as_ref(), whole_paths, switch: at, now: *now };
        let rng = &mut rngs[at.as_usize()];
        match settings.routing {
            Routing::Scheme(scheme) => {
                Ok(switch.admit(destination, scheme, settings.paths, &seen, rng)?.step)
            }
            Routing::UgalG => {
                let scheme = Scheme::UgalL;
                Ok(switch.admit(destination, scheme, settings.paths, &seen, rng)?.step)
            }
            Routing::Ofar(_) => unreachable!("such packets are asked at every hop"),
            Routing::Piggybacking(piggybacking) => {
                let place = &mut candidates[input.index()];
                let drawn = if let Some(drawn) = place {
                    drawn
                } else {
                    let drawn = PathChoice::draw(switch, destination, settings.paths, rng)?;
                    place.insert(if piggybacking.like_fogsim {
                        drawn.like_fogsim(switch, rng)
                    } else {
                        drawn
                    })
                };
                let is_congested = |link| seen.is_congested(link);
                Ok(drawn.step(switch, |port| seen.used_by(port, 0), is_congested))
            }
        }
    }

    /// The next step of a packet that came from another switch.
    fn next_step(&mut self, at: SwitchId, header: Header) -> Result<Step, Error> {
        let Self { switches, settings, queues, flags, rngs, now, .. } = self;
        let switch = &switches[at.as_usize()];
        let Some(scheme) = settings.routing.scheme() else { return switch.forward(header) };
        let flags = flags.as_ref();
        let seen = CycleView { queues, flags, whole_paths: None, switch: at, now: *now };
        let header = if scheme == Scheme::Par {
            switch.reconsider(header, settings.paths, &seen, &mut rngs[at.as_usize()])?
        } else {
            header
        };
        switch.forward(switch.look_onward(header, scheme, &seen)?)
    }
}
