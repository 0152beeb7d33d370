//! The figures of packets, made from counts of either engine.

use crate::histogram::Histogram;
use serde::Serialize;

/// Figures of one population of nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Figures {
    pub population: &'static str,
    /// How many of its nodes send.
    pub nodes: u32,
    /// Packets that nodes sent in the measured windows and that were delivered: the latencies are theirs.
    pub packets: u64,
    /// Mean latency from generation to delivery; if a run has ended before all were delivered, a lower bound of it.
    pub latency: f64,
    /// The median latency in cycles.
    pub p50: u32,
    /// The 99th percentile of the latency in cycles.
    pub p99: u32,
    /// The 99.9th percentile of the latency in cycles.
    #[serde(rename = "p99.9")]
    pub p999: u32,
    /// The largest latency in cycles. It is written as `max`, because `most` is the best served node.
    #[serde(rename = "max")]
    pub most: u32,
    /// Mean latency from the node's sending to delivery.
    pub network_latency: f64,
    /// Mean number of links between switches.
    pub hops: f64,
    /// How many packets crossed 0, 1, 2, … links between switches.
    pub packets_by_hops: Vec<u64>,
    /// Share of the packets that took VLB.
    pub vlb_share: f64,
    /// Flits delivered in the measured windows, per node of the population and cycle.
    pub accepted: f64,
}

/// What figures are made from: counts of packets.
#[derive(Clone, Copy, Debug)]
pub struct PacketCounts<'c> {
    /// The latencies from generation to delivery.
    pub latency: &'c Histogram,
    /// Cycles from the node's sending to delivery, all together.
    pub network: u64,
    /// How many packets crossed 0, 1, 2, … links between switches.
    pub by_hops: &'c [u64],
    /// How many took VLB.
    pub by_vlb: u64,
}

impl Figures {
    /// The figures of a population, of which so many nodes send: of what was counted, of the mean latency, and of the
    /// flits that were delivered in so many cycles.
    pub fn new(
        (population, nodes): (&'static str, u32),
        counted: PacketCounts<'_>,
        latency: f64,
        (accepted, cycles): (f64, f64),
    ) -> Self {
        let PacketCounts { latency: latencies, network, by_hops, by_vlb } = counted;
        let hops = (0..).zip(by_hops).map(|(hops, packets)| hops * packets).sum();
        Self {
            population,
            nodes,
            packets: latencies.count(),
            latency,
            p50: latencies.percentile(500),
            p99: latencies.percentile(990),
            p999: latencies.percentile(999),
            most: latencies.most(),
            network_latency: latencies.mean_of(network),
            hops: latencies.mean_of(hops),
            packets_by_hops: by_hops.to_vec(),
            vlb_share: latencies.mean_of(by_vlb),
            accepted: if nodes == 0 { 0.0 } else { accepted / (f64::from(nodes) * cycles) },
        }
    }
}
