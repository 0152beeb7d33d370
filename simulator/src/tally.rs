//! What a run counts as it goes: a few additions per packet, none per cycle.
//!
//! Latencies are of the packets that nodes *sent* in the measured window, whenever they were
//! generated or are delivered, as in the reference; acceptance is of the packets *delivered* in
//! it, whenever they were sent.

use crate::histogram::Histogram;
use crate::packet::{Flit, Origin};
use crate::traffic::Traffic;
use std::ops::Range;
use tvlb_firmware_model::{Header, Kind};

/// Counts of one population of nodes.
#[derive(Clone, Debug)]
pub(crate) struct Population {
    /// From generation to delivery.
    pub(crate) latency: Histogram,
    /// From the node's sending to delivery, added up.
    pub(crate) network: u64,
    /// Links between switches, added up.
    pub(crate) hops: u64,
    /// Packets that took VLB.
    pub(crate) by_vlb: u64,
    /// Packets delivered in the window.
    pub(crate) accepted: u64,
}

/// All counts of a run.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    window: Range<u32>,
    pub(crate) populations: Vec<Population>,
    /// Per node its population; empty where there is one.
    population: Vec<u8>,
    /// Per node its packets delivered in the window.
    pub(crate) accepted: Vec<u32>,
    /// Packets of the window that were sent, and delivered.
    pub(crate) measured_sent: u64,
    pub(crate) measured_delivered: u64,
    /// Packets delivered since this was last reset, and the sum of their latencies.
    pub(crate) recent: (u64, u64),
}

impl Tally {
    pub(crate) fn new(traffic: &Traffic, nodes: u32, window: Range<u32>) -> Self {
        let empty =
            Population { latency: Histogram::new(), network: 0, hops: 0, by_vlb: 0, accepted: 0 };
        let several = traffic.populations().len() > 1;
        #[expect(clippy::cast_possible_truncation, reason = "there are two populations at most")]
        let population = |node| traffic.population(node) as u8;
        Self {
            window,
            populations: vec![empty; traffic.populations().len()],
            population: if several { (0..nodes).map(population).collect() } else { Vec::new() },
            accepted: vec![0; nodes as usize],
            measured_sent: 0,
            measured_delivered: 0,
            recent: (0, 0),
        }
    }

    #[inline]
    pub(crate) fn sent(&mut self, at: u32) {
        self.measured_sent += u64::from(self.window.contains(&at));
    }

    #[inline]
    pub(crate) fn delivered(&mut self, origin: &Origin, flit: &Flit, at: u32) {
        let number = self.population.get(origin.source as usize).map_or(0, |&n| usize::from(n));
        let population = &mut self.populations[number];
        if self.window.contains(&at) {
            population.accepted += 1;
            self.accepted[origin.source as usize] += 1;
        }
        let latency = at - origin.created;
        self.recent.0 += 1;
        self.recent.1 += u64::from(latency);
        if self.window.contains(&origin.sent) {
            self.measured_delivered += 1;
            population.latency.add(latency);
            population.network += u64::from(at - origin.sent);
            population.hops += u64::from(flit.hops);
            let kind = Header::from_bits(flit.header).kind();
            population.by_vlb += u64::from(kind == Some(Kind::Vlb));
        }
    }
}
