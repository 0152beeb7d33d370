//! The counts of a run of cut-through switches.

use super::packet::CutThroughPacket;
use std::ops::Range;
use tvlb_firmware_model::{Header, Kind};
use tvlb_ofar::PerHop;
use tvlb_schema::{Dragonfly, SwitchId};
use tvlb_simulator::parts::{Halves, Histogram, WindowSeries};

#[derive(Clone, Debug)]
pub(super) struct Counts {
    window: Range<u32>,
    pub(super) latency: Histogram,
    /// The same by the halves of the window.
    pub(super) halves: Halves,
    pub(super) network: u64,
    pub(super) local_hops: u64,
    pub(super) global_hops: u64,
    pub(super) by_vlb: u64,
    pub(super) by_hops: Vec<u64>,
    pub(super) escape_hops: u64,
    /// Packets that entered the escape network 0, 1, 2, … times.
    pub(super) by_entries: Vec<u64>,
    /// By switch: packets that left injection queues in the window.
    pub(super) injected: Vec<u32>,
    /// By node: its packets that were delivered in the window.
    pub(super) served: Vec<u32>,
    /// When the last packet was delivered so far.
    pub(super) last_delivery: u32,
    /// Packets delivered so far, in the window or not.
    pub(super) delivered: u64,
    /// By windows, from the beginning of the run on, if wanted.
    pub(super) series: Option<Box<WindowSeries>>,
}

impl Counts {
    pub(super) fn new(df: &Dragonfly, window: Range<u32>) -> Self {
        Self {
            halves: Halves::of(&window),
            window,
            latency: Histogram::default(),
            network: 0,
            local_hops: 0,
            global_hops: 0,
            by_vlb: 0,
            by_hops: Vec::new(),
            escape_hops: 0,
            by_entries: vec![0],
            injected: vec![0; df.switch_numbers() as usize],
            served: vec![0; df.node_numbers() as usize],
            last_delivery: 0,
            delivered: 0,
            series: None,
        }
    }

    #[inline]
    pub(super) fn injected(&mut self, at: SwitchId, now: u32) {
        self.injected[at.as_usize()] += u32::from(self.window.contains(&now));
    }

    #[inline]
    pub(super) fn delivered(&mut self, packet: &CutThroughPacket, at: u32) {
        self.delivered += 1;
        self.last_delivery = self.last_delivery.max(at);
        let header = Header::from_bits(packet.header);
        let hops = [packet.local_hops, packet.global_hops, packet.escape_hops];
        let hops = hops.map(usize::from).iter().sum::<usize>();
        // A packet that has made no hop has no header.
        let per_hop = PerHop::of(header).filter(|_| hops > 0);
        let by_vlb =
            per_hop.map_or(hops > 0 && header.kind() == Some(Kind::Vlb), |of| of.misrouted);
        if let Some(series) = &mut self.series {
            series.delivered(at, at - packet.created, by_vlb);
        }
        if !self.window.contains(&at) {
            return;
        }
        self.served[packet.source.as_usize()] += 1;
        self.latency.add(at - packet.created);
        self.halves.add(at, at - packet.created);
        self.network += u64::from(at - packet.injected);
        self.local_hops += u64::from(packet.local_hops);
        self.global_hops += u64::from(packet.global_hops);
        self.escape_hops += u64::from(packet.escape_hops);
        add_one(&mut self.by_hops, hops);
        add_one(&mut self.by_entries, packet.escape_entries.into());
        self.by_vlb += u64::from(by_vlb);
    }
}

/// One more at a place of a list, which grows to it.
#[inline]
fn add_one(counts: &mut Vec<u64>, place: usize) {
    if place >= counts.len() {
        counts.resize(place + 1, 0);
    }
    counts[place] += 1;
}
