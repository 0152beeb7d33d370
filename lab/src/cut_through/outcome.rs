//! The figures of one run of cut-through switches.
//!
//! Latencies, hops and acceptance are of the packets *delivered* in the measured cycles, whenever they were
//! generated: the last phit of a packet counts.

use super::network::PhitNetwork;
use super::settings::Sending;
use tvlb_schema::{Bandwidths, NodeId, SwitchId};
use tvlb_simulator::parts::{PacketCounts, by_kind, link_loads};
use tvlb_simulator::{Fairness, Figures, LinkLoad, SeriesFigures};

/// How packets used the escape network.
#[derive(Clone, Debug, PartialEq)]
pub struct EscapeCounts {
    /// Mean number of its links.
    pub hops: f64,
    /// Mean number of entries.
    pub entries: f64,
    /// How many packets entered it 0, 1, 2, … times.
    pub packets: Vec<u64>,
}

/// The figures of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct CutThroughOutcome {
    /// Phits offered per sending node and cycle; `None` for a burst and if all send to all.
    pub load: Option<f64>,
    /// Cycles that were measured; of a burst, those until its last packet was delivered.
    pub cycles: u32,
    /// Whether the mean latency rose from the first half of the measured cycles to the second, so that a
    /// longer run would find another.
    pub growing: bool,
    /// The figures of all sending nodes: a packet is sent as it leaves its injection queue, a latency ends with the last
    /// phit, and what is accepted is phits. Under OFAR packets that were misrouted to another group count as VLB.
    pub all: Figures,
    /// Phits due per sending node and cycle, by chance not exactly the load; `None` for a burst and if all send to all.
    pub offered: Option<f64>,
    /// Phits generated per sending node and cycle, which injection queues without room keep below the load.
    pub generated: f64,
    /// Mean number of links within groups, without those of the escape network.
    pub local_hops: f64,
    /// Mean number of links between groups, without those of the escape network.
    pub global_hops: f64,
    /// How evenly the sending nodes were served.
    pub fairness: Fairness,
    /// How they used the escape network, if the routing has one.
    pub escape: Option<EscapeCounts>,
    /// Phits per node and cycle that left the injection queues of each switch, in the order of the switches.
    pub injected: Vec<f64>,
    /// The load of the links within groups.
    pub local_links: LinkLoad,
    /// The load of the links between groups.
    pub global_links: LinkLoad,
    /// Packets that switches have sent on in the whole run, nodes included.
    pub grants: u64,
    /// The run from its beginning to the end of the measured cycles, if requested.
    pub series: Option<SeriesFigures>,
}

/// The counts at the beginning of the measured cycles.
pub(super) struct Before {
    /// How many packets each output had been granted.
    pub(super) granted: Vec<u32>,
    /// How many packets nodes had to generate, and had generated.
    pub(super) offered: u64,
    pub(super) generated: u64,
}

impl CutThroughOutcome {
    /// Whether the network accepted less than 98% of the offered load.
    pub fn falls_short(&self) -> bool {
        self.offered.is_some_and(|offered| self.all.accepted < 0.98 * offered)
    }

    /// The figures of a run that has ended.
    #[expect(clippy::cast_precision_loss, reason = "sums stay far below 2^53")]
    pub(super) fn new(
        network: &PhitNetwork<'_>,
        how: Sending,
        cycles: u32,
        before: &Before,
    ) -> Self {
        let (counts, df) = (&network.counts, network.fabric.dragonfly());
        let mean = |sum: u64| counts.latency.mean_of(sum);
        let phits = f64::from(network.settings.packet_phits);
        let (sending, window) = (network.nodes.senders(), f64::from(cycles));
        let senders = u32::try_from(sending.len()).expect("nodes have 32 bits");
        let served = |node: &NodeId| f64::from(counts.served[node.as_usize()]) * phits / window;
        let per_node = |packets: u64| match packets {
            0 => 0.0,
            _ => packets as f64 * phits / (f64::from(senders) * window),
        };
        let of_switch = |switch: SwitchId| {
            let nodes = network.fabric.nodes().of_switch(switch).fold(0.0, |count, _| count + 1.0);
            let injected = f64::from(counts.injected[switch.as_usize()]);
            if nodes > 0.0 { injected * phits / (nodes * window) } else { 0.0 }
        };
        let granted: Vec<u32> =
            network.granted().zip(&before.granted).map(|(now, then)| now - then).collect();
        let links =
            link_loads(network.fabric, &granted, |granted| f64::from(granted) * (phits / window));
        let [local_links, global_links] = by_kind(network.fabric, &links, Bandwidths::ALIKE);
        let counted = PacketCounts {
            latency: &counts.latency,
            network: counts.network,
            by_hops: &counts.by_hops,
            by_vlb: counts.by_vlb,
        };
        let accepted = (counts.latency.count() as f64 * phits, window);
        Self {
            load: match how {
                Sending::Load(load) => Some(load),
                Sending::Burst(_) | Sending::AllToAll => None,
            },
            cycles,
            growing: matches!(how, Sending::Load(_)) && counts.halves.are_growing(),
            all: Figures::new(("all", senders), counted, counts.latency.mean(), accepted),
            offered: matches!(how, Sending::Load(_))
                .then(|| per_node(network.nodes.offered - before.offered)),
            generated: per_node(network.nodes.generated - before.generated),
            local_hops: mean(counts.local_hops),
            global_hops: mean(counts.global_hops),
            fairness: Fairness::of(sending.iter().map(served)),
            escape: network.per_hop.as_ref().map(|_| EscapeCounts {
                hops: mean(counts.escape_hops),
                entries: mean((0..).zip(&counts.by_entries).map(|(n, count)| n * count).sum()),
                packets: counts.by_entries.clone(),
            }),
            injected: df.switches().map(of_switch).collect(),
            local_links,
            global_links,
            grants: network.grants,
            series: counts.series.as_ref().map(|series| {
                let sent = (senders, network.settings.packet_phits);
                series.until(network.now, sent, false)
            }),
        }
    }
}
