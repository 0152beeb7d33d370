//! The figures of one run of cut-through switches.
//!
//! Latencies, hops and acceptance are of the packets *delivered* in the measured cycles, whenever they were
//! generated: the last phit of a packet counts.

use super::network::PhitNetwork;
use super::settings::Sending;
use serde::Serialize;
use tvlb_schema::{Bandwidths, NodeId, SwitchId};
use tvlb_simulator::parts::{by_kind, link_loads};
use tvlb_simulator::{Fairness, LinkLoad, SeriesFigures};

/// Hops of packets, a mean by the kind of link and how many packets made how many.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct HopCounts {
    /// Mean number of links within groups, without those of the escape network.
    pub local: f64,
    /// Mean number of links between groups, without those of the escape network.
    pub global: f64,
    /// How many packets made 0, 1, 2, … hops.
    pub packets: Vec<u64>,
}

/// How packets used the escape network.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct EscapeCounts {
    /// Mean number of its links.
    pub hops: f64,
    /// Mean number of entries.
    pub entries: f64,
    /// How many packets entered it 0, 1, 2, … times.
    pub packets: Vec<u64>,
}

/// The figures of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CutThroughOutcome {
    /// Phits offered per sending node and cycle; `None` for a burst and if all send to all.
    pub load: Option<f64>,
    /// Cycles that were measured; of a burst, those until its last packet was delivered.
    pub cycles: u32,
    /// Whether the mean latency rose from the first half of the measured cycles to the second, so that a
    /// longer run would find another.
    pub growing: bool,
    /// Packets delivered in the measured cycles.
    pub packets: u64,
    /// Mean latency in cycles from generation to the last phit.
    pub latency: f64,
    /// The median latency in cycles.
    pub p50: u32,
    /// The 99th percentile of the latency in cycles.
    pub p99: u32,
    /// The 99.9th percentile of the latency in cycles.
    #[serde(rename = "p99.9")]
    pub p999: u32,
    /// The largest latency in cycles, which is written as `max`.
    #[serde(rename = "max")]
    pub most: u32,
    /// Mean latency in cycles from leaving the injection queue to the last phit.
    pub network_latency: f64,
    /// Phits due per sending node and cycle, by chance not exactly the load; `None` for a burst and if all send to all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered: Option<f64>,
    /// Phits generated per sending node and cycle, which injection queues without room keep below the load.
    pub generated: f64,
    /// Phits delivered per sending node and cycle.
    pub accepted: f64,
    /// Share of the packets that took VLB; under OFAR, of those that were misrouted to another group.
    pub vlb_share: f64,
    pub hops: HopCounts,
    /// How evenly the sending nodes were served.
    pub fairness: Fairness,
    /// How they used the escape network, if the routing has one.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
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
        self.offered.is_some_and(|offered| self.accepted < 0.98 * offered)
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
        let packets = counts.latency.count();
        let mean = |sum: u64| if packets == 0 { 0.0 } else { sum as f64 / packets as f64 };
        let phits = f64::from(network.settings.packet_phits);
        let (sending, window) = (network.nodes.senders(), f64::from(cycles));
        let senders = sending.len() as f64;
        let served = |node: &NodeId| f64::from(counts.served[node.as_usize()]) * phits / window;
        let per_node = |packets: u64| match packets {
            0 => 0.0,
            _ => packets as f64 * phits / (senders * window),
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
        Self {
            load: match how {
                Sending::Load(load) => Some(load),
                Sending::Burst(_) | Sending::AllToAll => None,
            },
            cycles,
            growing: matches!(how, Sending::Load(_)) && counts.halves.are_growing(),
            packets,
            latency: counts.latency.mean(),
            p50: counts.latency.percentile(500),
            p99: counts.latency.percentile(990),
            p999: counts.latency.percentile(999),
            most: counts.latency.most(),
            network_latency: mean(counts.network),
            offered: matches!(how, Sending::Load(_))
                .then(|| per_node(network.nodes.offered - before.offered)),
            generated: per_node(network.nodes.generated - before.generated),
            accepted: per_node(packets),
            vlb_share: mean(counts.by_vlb),
            hops: HopCounts {
                local: mean(counts.local_hops),
                global: mean(counts.global_hops),
                packets: counts.by_hops.clone(),
            },
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
                let senders = u32::try_from(sending.len()).expect("nodes have 32 bits");
                let sent = (senders, network.settings.packet_phits);
                series.until(network.now, sent, false)
            }),
        }
    }
}
