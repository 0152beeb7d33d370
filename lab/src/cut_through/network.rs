//! The network of cut-through switches, cycle after cycle.
//!
//! In each cycle credits and heads arrive first, then every switch allocates its outputs, then nodes generate packets.
//! A head may be granted an output in the cycle in which it arrives; a packet that was generated in one cycle, in the
//! next one at the earliest. A grant makes the head arrive after the link's latency, and the credit for the room that
//! it leaves arrives upstream after that link's latency.

use super::counts::Counts;
use super::fabric::CutThroughFabric;
use super::flags::CongestionFlags;
use super::nodes::CutThroughNodes;
use super::output_buffers::OutputBuffers;
use super::packet::CutThroughPacket;
use super::per_hop::PerHopSwitches;
use super::piggyback::{CongestionRule, PathChoice};
use super::requests::{Request, Requests};
use super::settings::{CutThrough, Routing, Sending};
use super::state::{Queues, channel_of, channels_of};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_base::text::Refused;
use tvlb_firmware_model::{Channels, Error, Header, Switch};
use tvlb_ofar::PerHop;
use tvlb_schema::SwitchId;
use tvlb_simulator::DatapathError;
use tvlb_simulator::parts::{
    ArrivingPacket, Calendar, ChannelId, PacketId, Pool, PortKind, failed, stream,
};
use tvlb_simulator::{BootedFabric, BootedFor};
use tvlb_traffic::Traffic;

/// A run in progress.
pub(super) struct PhitNetwork<'f> {
    pub(super) fabric: &'f BootedFabric<'f>,
    /// The switches of this run.
    pub(super) switches: Vec<Switch<'f>>,
    pub(super) settings: &'f CutThrough,
    pub(super) now: u32,
    pub(super) queues: Queues,
    pub(super) requests: Requests,
    pub(super) pool: Pool<CutThroughPacket>,
    /// Packets on links, with the buffers to which they are on their way.
    pub(super) heads: Calendar<ArrivingPacket>,
    /// Output channels to which room comes back.
    pub(super) credits: Calendar<ChannelId>,
    pub(super) nodes: CutThroughNodes<'f>,
    pub(super) flags: Option<CongestionFlags>,
    /// Under piggybacking, by injection queue: the paths of its first packet.
    pub(super) candidates: Vec<Option<PathChoice>>,
    /// Under OFAR, the switches that are asked at every hop.
    pub(super) per_hop: Option<PerHopSwitches<'f>>,
    /// By switch.
    pub(super) rngs: Vec<Xoshiro256PlusPlus>,
    pub(super) counts: Counts,
    /// Grants so far.
    pub(super) grants: u64,
}

impl<'f> PhitNetwork<'f> {
    /// A network without packets.
    pub(super) fn new(
        of: CutThroughFabric<'f>,
        settings: &'f CutThrough,
        traffic: &'f Traffic,
        (channels, sending): (Channels, Sending),
        seed: u64,
        counts: Counts,
    ) -> Result<Self, Refused> {
        let fabric = of.booted;
        let df = fabric.dragonfly();
        let room = [
            settings.packets(settings.injection_queue_phits),
            settings.packets(settings.local.phits),
            settings.packets(settings.global.phits),
            0,
        ];
        let mut queues =
            Queues::new(fabric, channels, settings.injection_queues, room, settings.packet_phits);
        queues.output_buffers = settings.output_buffer_phits.map(|phits| {
            let cycles = u32::from(settings.packet_phits).div_ceil(settings.speedup.into());
            OutputBuffers::new(df, settings.packets(phits), cycles)
        });
        let latency = settings.local_latency_cycles.max(settings.global_latency_cycles).into();
        let flags = match settings.routing {
            Routing::Piggybacking(rule) => {
                let more = u32::from(rule.packets) * u32::from(settings.packet_phits);
                let rule = CongestionRule { percent: rule.percent, more };
                Some(CongestionFlags::new(fabric, rule, settings.local_latency_cycles))
            }
            Routing::Scheme(_) | Routing::UgalG | Routing::Ofar(_) => None,
        };
        let candidates = if flags.is_some() { queues.inputs.len() } else { 0 };
        let rng =
            |switch| Xoshiro256PlusPlus::seed_from_u64(stream(seed, 1 << 32 | u64::from(switch)));
        Ok(Self {
            fabric,
            switches: match settings.routing.scheme() {
                Some(scheme) => {
                    let paths = settings.paths;
                    fabric.switches_of_run(BootedFor { scheme, paths, channels })
                }
                None => fabric.switches().to_vec(),
            },
            settings,
            now: 0,
            requests: Requests { best: vec![None; df.radix() as usize], outputs: Vec::new() },
            pool: Pool::default(),
            heads: Calendar::new(latency, 1),
            credits: Calendar::new(latency, 1),
            nodes: CutThroughNodes::new(fabric, settings, traffic, sending, seed)?,
            flags,
            candidates: vec![None; candidates],
            per_hop: PerHopSwitches::new(of, settings.routing),
            rngs: (0..df.switch_numbers()).map(rng).collect(),
            queues,
            counts,
            grants: 0,
        })
    }

    /// Runs one cycle.
    pub(super) fn step(&mut self) -> Result<(), Box<DatapathError>> {
        let now = self.now;
        let credits = self.credits.take(now, 0);
        for channel in self.credits.blocks(credits).flatten() {
            self.queues.free[channel.index()] += 1;
        }
        self.credits.recycle(credits);
        // A link brings one head in a cycle, so that the order of heads makes no difference.
        let heads = self.heads.take(now, 0);
        for &ArrivingPacket { input, packet } in self.heads.blocks(heads).flatten() {
            self.queues.push(&mut self.pool, input, packet);
        }
        self.heads.recycle(heads);
        if let Some(flags) = &mut self.flags {
            flags.find(&self.queues, now);
        }
        let fabric = self.fabric;
        for switch in fabric.dragonfly().switches() {
            if !self.queues.ports_with_packets(switch).is_empty() {
                self.allocate(switch)?;
            }
            self.send_buffered(switch);
        }
        self.nodes.generate(&mut self.queues, &mut self.pool, now);
        self.now += 1;
        Ok(())
    }

    /// Lets links take packets from a switch's output buffers.
    #[inline]
    fn send_buffered(&mut self, at: SwitchId) {
        let Some(buffers) = &self.queues.output_buffers else { return };
        for port in buffers.ports_with_packets(at).iter() {
            let id = self.queues.port(at, port);
            let Queues { channels, outputs, free, output_buffers, .. } = &mut self.queues;
            let output = &outputs[id.index()];
            if output.idle_from > self.now {
                continue;
            }
            let may_send =
                |channel: ChannelId| output.kind == PortKind::Node || free[channel.index()] > 0;
            let channels = channels_of(id, channels[output.kind as usize]);
            let sent = output_buffers
                .as_mut()
                .and_then(|some| some.send((at, port), channels, self.now, may_send));
            if let Some((channel, packet)) = sent {
                self.depart(channel, packet);
            }
        }
    }

    /// Lets a packet leave its buffer, by the link or for an output buffer.
    #[inline]
    pub(super) fn grant(&mut self, at: SwitchId, request: &Request) {
        let Self { queues, pool, settings, now, .. } = self;
        let now = *now;
        let length = u32::from(settings.packet_phits);
        if let Some(per_hop) = &mut self.per_hop {
            per_hop.granted(request.want.port);
        }
        let id = queues.pop(pool, request.input);
        let leaves = queues.output_buffers.as_ref().map_or(length, |some| some.transfer_cycles);
        queues.inputs[request.input.index()].idle_from = now + leaves;
        let from = queues.outputs[request.input.port().index()].kind;
        let packet = pool.packet_mut(id);
        match from {
            PortKind::Local | PortKind::Global => {
                // The room that it took is free again, and its last switch hears of it.
                let channel = queues.across(request.input);
                self.credits.file(now + settings.latency(from), 0, channel);
            }
            PortKind::Node | PortKind::Unused => {
                packet.injected = now;
                self.counts.injected(at, now);
                if let Some(candidates) = self.candidates.get_mut(request.input.index()) {
                    *candidates = None;
                }
            }
        }
        let by_escape = |header| PerHop::of(header).is_some_and(|of| of.on_escape);
        let was_on_escape = by_escape(Header::from_bits(packet.header));
        let enters = !was_on_escape && by_escape(request.want.header);
        packet.escape_entries = packet.escape_entries.saturating_add(enters.into());
        packet.header = request.want.header.bits();
        let channel = channel_of(queues.port(at, request.want.port), request.want.virtual_channel);
        if let Some(buffers) = &mut queues.output_buffers {
            buffers.take((at, request.want.port), channel, id, now);
        } else {
            self.depart(channel, id);
        }
    }

    /// Gives a packet the link of an output channel.
    #[inline]
    fn depart(&mut self, channel: ChannelId, id: PacketId) {
        let Self { queues, pool, settings, now, .. } = self;
        let now = *now;
        let length = u32::from(settings.packet_phits);
        self.grants += 1;
        let packet = pool.packet_mut(id);
        let header = Header::from_bits(packet.header);
        let by_escape = PerHop::of(header).is_some_and(|of| of.on_escape);
        let output = &mut queues.outputs[channel.port().index()];
        output.idle_from = now + length;
        output.packets += 1;
        match output.kind {
            PortKind::Local | PortKind::Global if by_escape => packet.escape_hops += 1,
            PortKind::Local => packet.local_hops += 1,
            PortKind::Global => packet.global_hops += 1,
            PortKind::Node | PortKind::Unused => {
                self.counts.delivered(packet, now + length);
                pool.remove(id);
                return;
            }
        }
        let arrival = now + settings.latency(output.kind);
        queues.free[channel.index()] -= 1;
        self.heads.file(arrival, 0, ArrivingPacket { input: queues.across(channel), packet: id });
    }

    /// By port: how many packets have been granted it so far.
    pub(super) fn granted(&self) -> impl Iterator<Item = u32> {
        self.queues.outputs.iter().map(|output| output.packets)
    }

    #[cold]
    pub(super) fn failed(&self, at: SwitchId, error: Error) -> DatapathError {
        failed(self.fabric, self.now, at, error)
    }
}
