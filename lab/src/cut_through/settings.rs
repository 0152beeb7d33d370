//! The parts of a run of cut-through switches besides the images, and which settings are valid.
//!
//! The defaults are those of García, Vallejo, Beivide, Valero and Rodríguez, "OFAR-CM: Efficient Dragonfly Networks
//! with Simple Congestion Management" (HOTI 2013), if the paper states them, and otherwise those of the same group's
//! simulator: packets of 8 phits, buffers of 32 phits on local links and 256 on global ones, latencies 10 and 100,
//! three rounds of allocation in a cycle, three injection queues for each node.

use super::fabric::CutThroughFabric;
use super::output_buffers::OutputBuffers;
use super::piggyback::PathChoice;
use super::state::Queues;
use tvlb_base::parameter::{self, Stated};
use tvlb_base::text::Refused;
use tvlb_firmware_model::{Channels, Scheme, VlbPaths};
use tvlb_ofar::{EscapeImage, EscapeKind, OfarRules, channels as ofar_channels};
use tvlb_schema::{Dragonfly, LinkKind};
use tvlb_simulator::parts::{
    CHANNELS, MOST_CYCLES, MOST_EMPTY, PortKind, check_memory, chunk_count,
};
use tvlb_simulator::{BootedFabric, LinkSpec, StarvedLink};
use tvlb_traffic::Traffic;

/// The most virtual channels: the packet header has three bits for one.
pub(super) const MOST_CHANNELS: u8 = 8;
/// The most phits that a buffer or an injection queue may hold.
pub(super) const MOST_PHITS: u16 = 60_000;
/// The most phits that a crossbar moves in a cycle.
pub(super) const MOST_SPEEDUP: u8 = 4;
/// The most rounds of allocation in a cycle.
pub(super) const MOST_ROUNDS: u8 = 4;

/// The buffers at the ends of one kind of link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkBuffer {
    /// Virtual channels, each with a buffer of its own; by default as many as the routing needs.
    pub virtual_channels: Option<u8>,
    /// Phits that the buffer of one virtual channel holds.
    pub phits: u16,
}

/// Piggybacking: MIN or VLB for each packet, weighed again while it waits at its source, with what the switches of a
/// group tell each other about their links to other groups (Jiang, Kim and Dally, ISCA 2009).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Piggybacking {
    /// A link is congested if more is in use on it than this percentage of the mean over its switch's links to other
    /// groups,
    pub percent: u16,
    /// plus this many packets.
    pub packets: u16,
    /// Draw and weigh VLB as the simulator `FOGSim` does, so that figures can be compared: the middle group
    /// may be the destination's own, which makes VLB MIN, and queues are weighed by local hops only, as they
    /// would be if groups were joined consecutively, for VLB from a switch drawn in the middle group.
    pub like_fogsim: bool,
}

/// How packets find their ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// By a scheme of the datapath, which decides once, as a packet is the first of its injection queue; under
    /// PAR again as it is the first of its buffer at the second switch.
    #[serde(serialize_with = "tvlb_simulator::parts::by_scheme_name")]
    Scheme(Scheme),
    /// By piggybacking.
    Piggybacking(Piggybacking),
    /// As UGAL-L, but by the queues along whole paths, whatever their lengths, at the moment of the decision, which no
    /// switch can know.
    UgalG,
    /// Decided at every hop, with the escape network of the fabric.
    Ofar(OfarRules),
}

impl Routing {
    /// The scheme of these paths and virtual channels; `None` if packets decide at every hop.
    pub const fn scheme(self) -> Option<Scheme> {
        match self {
            Self::Scheme(scheme) => Some(scheme),
            Self::Piggybacking(_) | Self::UgalG => Some(Scheme::UgalL),
            Self::Ofar(_) => None,
        }
    }

    /// The name in messages and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scheme(scheme) => scheme.name(),
            Self::Piggybacking(_) => "pb",
            Self::UgalG => "ugal-g",
            Self::Ofar(OfarRules { by_set: false, .. }) => "ofar",
            Self::Ofar(_) => "t-ofar",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sending {
    /// In every cycle a packet with a probability, so that this many phits per node and cycle are offered.
    Load(f64),
    /// This many packets of the traffic from each node, as fast as its injection queues take them.
    Burst(u32),
    /// Each node one packet to every other, in an order of its own.
    AllToAll,
}

/// Everything that can be set of a run of cut-through switches.
#[derive(Clone, Debug, PartialEq)]
pub struct CutThrough {
    /// How packets find their ways.
    pub routing: Routing,
    /// Where VLB candidates come from.
    pub paths: VlbPaths,
    pub packet_phits: u16,
    /// The buffers of links within groups.
    pub local: LinkBuffer,
    /// The buffers of links between groups.
    pub global: LinkBuffer,
    /// Injection queues of each node, among which packets are divided by their destination.
    pub injection_queues: u8,
    pub injection_queue_phits: u16,
    /// Cycles from a grant to the arrival of a head over a link within a group.
    pub local_latency_cycles: u16,
    /// Cycles from a grant to the arrival of a head over a link between groups.
    pub global_latency_cycles: u16,
    /// How often ports request outputs in a cycle.
    pub rounds: u8,
    /// Phits that the output buffer of one virtual channel holds; `None` if there are no such buffers, and packets go
    /// from inputs to links.
    pub output_buffer_phits: Option<u16>,
    /// Phits that the crossbar moves from an input to an output buffer in a cycle.
    pub speedup: u8,
    /// Cycles before the measured ones.
    pub warm_up_cycles: u32,
    /// Cycles that are measured. Of a burst or an all-to-all exchange: the most that it may take.
    pub measured_cycles: u32,
    /// After how many cycles without movement the run searches for packets that wait for each other.
    pub patience_cycles: u32,
}

impl CutThrough {
    /// The defaults, for a routing and its VLB paths.
    pub const fn new(routing: Routing, paths: VlbPaths) -> Self {
        Self {
            routing,
            paths,
            packet_phits: 8,
            local: LinkBuffer { virtual_channels: None, phits: 32 },
            global: LinkBuffer { virtual_channels: None, phits: 256 },
            injection_queues: 3,
            injection_queue_phits: 1000,
            local_latency_cycles: 10,
            global_latency_cycles: 100,
            rounds: 3,
            output_buffer_phits: None,
            speedup: 1,
            warm_up_cycles: 10_000,
            measured_cycles: 10_000,
            patience_cycles: 5_000,
        }
    }

    /// These settings on links of a fabric's latencies, overridden by the given ones. Buffers without a given size have
    /// the default or, on a longer link, as many phits as are under way there and back.
    #[must_use]
    pub fn on(self, links: LinkSpec, stated: &Stated<Self>) -> Self {
        let LinkSpec { local_latency_cycles, global_latency_cycles, .. } = links;
        let mut settings =
            stated.over(Self { local_latency_cycles, global_latency_cycles, ..self });
        let packet = u32::from(settings.packet_phits.max(1));
        let needed = |latency: u16| {
            let packets = (2 * u32::from(latency)).next_multiple_of(packet);
            u16::try_from(packets).unwrap_or(u16::MAX)
        };
        if !stated.has("local-buffer") {
            let least = needed(settings.local_latency_cycles);
            settings.local.phits = settings.local.phits.max(least);
        }
        if !stated.has("global-buffer") {
            let least = needed(settings.global_latency_cycles);
            settings.global.phits = settings.global.phits.max(least);
        }
        settings
    }

    /// The kinds of links whose buffers are too small for a virtual channel to keep the link busy: a place
    /// in a buffer serves one packet from its grant upstream until the room is known there again.
    pub fn starved_links(&self) -> Vec<StarvedLink> {
        let packet = self.packet_phits.max(1);
        let kinds = [
            (LinkKind::Local, self.local, self.local_latency_cycles),
            (LinkKind::Global, self.global, self.global_latency_cycles),
        ];
        let starved = kinds.into_iter().filter_map(|(kind, buffer, latency_cycles)| {
            let round_trip = 2.0 * f64::from(latency_cycles.max(1));
            let most = f64::from(buffer.phits / packet * packet) / round_trip;
            let room = buffer.phits;
            (most < 1.0).then_some(StarvedLink { kind, latency_cycles, room, unit: "phits", most })
        });
        starved.collect()
    }

    /// The virtual channels of links within groups and between them. By default MIN has those of UGAL-L; it may have as
    /// few as its direct paths take if there are no other MIN paths.
    ///
    /// # Errors
    /// Fewer are requested than the routing needs, or more than the header can name.
    pub fn channels(&self, fabric: &BootedFabric<'_>) -> Result<Channels, Refused> {
        let scheme = match self.routing {
            Routing::Scheme(scheme) => scheme,
            Routing::Piggybacking(_) | Routing::UgalG => Scheme::UgalL,
            Routing::Ofar(rules) => return Ok(ofar_channels(&rules)),
        };
        let switch = fabric.switches().first().expect("a fabric has switches");
        let needed = fabric.least_channels(scheme, self.paths);
        let usual = fabric.usual_channels(scheme, self.paths);
        let goes_around = needed == usual;
        let of = |kind, buffer: LinkBuffer, needed: u8, usual| {
            let found = buffer.virtual_channels.unwrap_or(usual);
            if (needed..=MOST_CHANNELS).contains(&found) {
                return Ok(found);
            }
            let (routing, under) = (self.routing.name(), switch.image().virtual_channels().name());
            let why = match scheme {
                Scheme::Min if goes_around => {
                    ", as MIN packets go around links that are dead or missing"
                }
                _ => "",
            };
            let accepted = format!(
                "{needed} to {MOST_CHANNELS}: {routing} needs {needed} there under \"{under}\"{why}, and fewer could deadlock"
            );
            Err(Refused::new(format!("{found} virtual channels on {kind} links"), accepted))
        };
        Ok(Channels {
            local: of("local", self.local, needed.local, usual.local)?,
            global: of("global", self.global, needed.global, usual.global)?,
        })
    }

    /// Cycles from a grant to the arrival of a head over a link.
    pub(super) fn latency(&self, kind: PortKind) -> u32 {
        match kind {
            PortKind::Local => self.local_latency_cycles.into(),
            _ => self.global_latency_cycles.into(),
        }
    }

    /// Packets that a buffer of this many phits holds.
    pub(super) const fn packets(&self, phits: u16) -> u16 {
        phits / self.packet_phits
    }

    /// Checks everything, including what nodes send; returns the virtual channels.
    pub(super) fn check_with(
        &self,
        fabric: CutThroughFabric<'_>,
        sending: Sending,
        traffic: &Traffic,
    ) -> Result<Channels, Refused> {
        let within = Refused::unless_within;
        let packet = u32::from(self.packet_phits);
        parameter::check(self)?;
        within("local-buffer", self.local.phits.into(), packet, MOST_PHITS.into())?;
        within("global-buffer", self.global.phits.into(), packet, MOST_PHITS.into())?;
        let queue = self.injection_queue_phits.into();
        within("injection-queue", queue, 2 * packet, MOST_PHITS.into())?;
        within("patience", self.patience_cycles, 100, MOST_CYCLES)?;
        self.check_output_buffers()?;
        match sending {
            Sending::Load(found) if !(found > 0.0 && found <= 1.0) => {
                let accepted = "above 0 and at most 1 (phits per node and cycle)";
                return Err(Refused::new(format!("load is {found}"), accepted));
            }
            Sending::Burst(packets) => within("packets of a burst", packets, 1, 1_000_000)?,
            Sending::Load(_) | Sending::AllToAll => {}
        }
        if !matches!(sending, Sending::Load(_))
            && (traffic.bursts().is_some() || !traffic.changes().is_empty() || traffic.is_uneven())
        {
            let found = "traffic that changes, comes in bursts or of which nodes send unlike parts, where nodes send \
                         all that they have at once";
            return Err(Refused::new(found, "a load"));
        }
        if let Routing::Ofar(rules) = self.routing {
            self.check_ofar(&rules, fabric.escape)?;
        }
        let channels = self.channels(fabric.booted)?;
        let bytes = self.bytes(fabric.booted.dragonfly());
        check_memory(bytes, MOST_EMPTY, || {
            "the network has too many switches and ports".to_owned()
        })?;
        Ok(channels)
    }

    /// The bytes of a run without packets.
    pub(super) fn bytes(&self, df: &Dragonfly) -> u64 {
        let of_output = self.output_buffer_phits.map_or(0, |_| OutputBuffers::BYTES_OF_CHANNEL);
        let of_weighing = match self.routing {
            Routing::Piggybacking(_) => size_of::<Option<PathChoice>>(),
            Routing::Scheme(_) | Routing::UgalG | Routing::Ofar(_) => 0,
        };
        let of_chunk = (CHANNELS * (of_output + of_weighing)) as u64;
        Queues::bytes(df) + u64::from(chunk_count(df)) * of_chunk
    }

    fn check_output_buffers(&self) -> Result<(), Refused> {
        match self.output_buffer_phits {
            None if self.speedup > 1 => {
                let found = format!("speedup is {} without output buffers", self.speedup);
                Err(Refused::new(found, "1, or an output buffer"))
            }
            None => Ok(()),
            Some(_) if matches!(self.routing, Routing::Ofar(_)) => {
                let found = format!("output buffers with {}", self.routing.name());
                let accepted = "none, because its switches look at the room in buffers downstream";
                Err(Refused::new(found, accepted))
            }
            Some(phits) => {
                let packet = self.packet_phits.into();
                Refused::unless_within("output-buffer", phits.into(), packet, MOST_PHITS.into())
            }
        }
    }

    /// Checks the settings for packets that decide at every hop.
    fn check_ofar(
        &self,
        rules: &OfarRules,
        escape: Option<EscapeImage<'_>>,
    ) -> Result<(), Refused> {
        let Some(escape) = escape else {
            let found = "ofar needs an escape network, and this fabric was booted without one";
            return Err(Refused::new(found, ""));
        };
        let within = Refused::unless_within;
        within("canonical local channels", rules.local_channels.into(), 1, 7)?;
        within("canonical global channels", rules.global_channels.into(), 1, 7)?;
        within("most entries", rules.most_entries.into(), 0, 15)?;
        within("least percent", rules.least_percent.into(), 0, 100)?;
        within("throttle percent", rules.throttle_percent.into(), 0, 100)?;
        // A ring is entered with room for two packets; a node sends with room for one and the bubble.
        let ring = if escape.kind() == EscapeKind::Ring { 2 } else { 1 };
        let least = u32::from(self.packet_phits) * (1 + u32::from(rules.bubble)).max(ring);
        within("local-buffer", self.local.phits.into(), least, MOST_PHITS.into())?;
        within("global-buffer", self.global.phits.into(), least, MOST_PHITS.into())
    }
}
