//! The counts of a run: a few additions per packet, none per cycle.
//!
//! Latencies are of the packets that nodes *sent* in the measured window, whenever they were generated or are
//! delivered, as in the reference; acceptance is of the packets *delivered* in it, whenever they were sent. If several
//! windows are measured, they follow each other without a gap, and "the window" here is all of them together: it is
//! lengthened at its end, and the counts are the same as if it had been as long from the beginning.

use crate::agreement::Halves;
use crate::figures::PacketCounts;
use crate::histogram::Histogram;
use crate::losses::Cause;
use crate::packet::{Flit, PacketOrigin};
use crate::series::WindowSeries;
use std::ops::Range;
use tvlb_firmware_model::{Header, Kind};
use tvlb_schema::NodeId;
use tvlb_traffic::Traffic;

/// The most links between switches that a packet crosses.
const MOST_HOPS: usize = 7;

/// Counts of one population of nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Population {
    /// The latencies from generation to delivery.
    pub(crate) latency: Histogram,
    /// How many packets of the window are sent and not delivered, and the sum of the cycles in which they were
    /// generated. If one part of a network counts sending and another delivery, these wrap around zero until they are
    /// added up.
    pub(crate) under_way: (u64, u64),
    /// The sum of the cycles from the node's sending to delivery.
    pub(crate) network: u64,
    /// How many packets crossed 0, 1, 2, … links between switches.
    pub(crate) by_hops: [u64; MOST_HOPS + 1],
    /// How many packets took a VLB path.
    pub(crate) by_vlb: u64,
    /// How many packets were delivered in the window.
    pub(crate) accepted: u64,
    /// Packets delivered since this was last restarted, and the sum of their latencies.
    recent: (u64, u64),
}

impl Population {
    /// The mean latency, or a lower bound: packets under way count as if they were delivered now.
    pub(crate) fn latency_at_least(&self, now: u32) -> f64 {
        let (sum, count) = self.sum_at_least(now);
        mean(sum, count)
    }

    /// The sum of the latencies in that mean, and their number.
    fn sum_at_least(&self, now: u32) -> (u64, u64) {
        let (waiting, created) = self.under_way;
        let sum = self.latency.sum() + waiting * u64::from(now) - created;
        (sum, self.latency.count() + waiting)
    }

    /// Whether all packets of the window that are sent are delivered.
    pub(crate) const fn is_complete(&self) -> bool {
        self.under_way.0 == 0
    }

    /// Whether it is known on which side of a limit the mean latency will be.
    pub(crate) fn is_known(&self, limit: f64, now: u32) -> bool {
        self.is_complete() || self.latency_at_least(now) > limit
    }

    /// What figures are made from.
    pub(crate) const fn counts(&self) -> PacketCounts<'_> {
        let Self { latency, network, by_hops, by_vlb, .. } = self;
        PacketCounts { latency, network: *network, by_hops, by_vlb: *by_vlb }
    }

    /// Adds the counts of another population.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.latency.merge(&other.latency);
        self.under_way.0 = self.under_way.0.wrapping_add(other.under_way.0);
        self.under_way.1 = self.under_way.1.wrapping_add(other.under_way.1);
        self.network += other.network;
        for (own, other) in self.by_hops.iter_mut().zip(&other.by_hops) {
            *own += other;
        }
        self.by_vlb += other.by_vlb;
        self.accepted += other.accepted;
        self.recent.0 += other.recent.0;
        self.recent.1 += other.recent.1;
    }
}

#[expect(clippy::cast_precision_loss, reason = "sums stay far below 2^53")]
fn mean(sum: u64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}

/// Everything that a run counts.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    window: Range<u32>,
    /// As long as the window may be lengthened: the sources of the packets that have left their last switch and arrive
    /// after the window's end, and the cycles of their arrival.
    later: Option<Vec<(NodeId, u32)>>,
    pub(crate) populations: Vec<Population>,
    /// For each node the number of its population; empty if there is a single population.
    population: Vec<u8>,
    /// For each node how many of its packets were delivered in the window.
    pub(crate) accepted: Vec<u32>,
    /// The latencies of the first measured window by its halves.
    pub(crate) halves: Halves,
    /// The same and more by windows, if wanted.
    pub(crate) series: Option<Box<WindowSeries>>,
}

impl Tally {
    /// Zero counts. `lengthens` says whether the window may be lengthened.
    pub(crate) fn new(traffic: &Traffic, nodes: u32, window: Range<u32>, lengthens: bool) -> Self {
        let several = traffic.populations().len() > 1;
        #[expect(clippy::cast_possible_truncation, reason = "there are two populations at most")]
        let population = |node| traffic.population(NodeId(node)) as u8;
        Self {
            halves: Halves::of(&window),
            window,
            later: lengthens.then(Vec::new),
            populations: vec![Population::default(); traffic.populations().len()],
            population: if several { (0..nodes).map(population).collect() } else { Vec::new() },
            accepted: vec![0; nodes as usize],
            series: None,
        }
    }

    /// Zero counts, for all packets of a run and all its nodes together.
    pub(crate) fn of_all(nodes: u32) -> Self {
        let window = 0..u32::MAX;
        Self {
            halves: Halves::of(&window),
            window,
            later: None,
            populations: vec![Population::default()],
            population: Vec::new(),
            accepted: vec![0; nodes as usize],
            series: None,
        }
    }

    /// Zero counts in the same window.
    pub(crate) fn like(&self) -> Self {
        Self {
            window: self.window.clone(),
            later: self.later.as_ref().map(|_| Vec::new()),
            populations: vec![Population::default(); self.populations.len()],
            population: self.population.clone(),
            accepted: vec![0; self.accepted.len()],
            halves: self.halves.like(),
            series: self.series.as_ref().map(|series| Box::new(series.like())),
        }
    }

    /// Counts in the same window as another from now on, beginning at zero.
    pub(crate) fn follow(&mut self, other: &Self) {
        self.window = other.window.clone();
        self.later = other.later.as_ref().map(|_| Vec::new());
    }

    /// Adds the counts of another of the same window, which start again at zero.
    pub(crate) fn absorb(&mut self, other: &mut Self) {
        for (population, own) in other.populations.iter_mut().zip(&mut self.populations) {
            own.merge(&std::mem::take(population));
        }
        for (accepted, own) in other.accepted.iter_mut().zip(&mut self.accepted) {
            *own += std::mem::take(accepted);
        }
        if let (Some(own), Some(later)) = (&mut self.later, &mut other.later) {
            own.append(later);
        }
        self.halves.merge(&std::mem::replace(&mut other.halves, self.halves.like()));
        if let (Some(own), Some(series)) = (&mut self.series, &mut other.series) {
            own.merge(&std::mem::replace(&mut **series, own.like()));
        }
    }

    /// How many cycles the measured window has.
    pub(crate) fn window_cycles(&self) -> u32 {
        self.window.end - self.window.start
    }

    /// The cycles of the measured window.
    pub(crate) const fn window(&self) -> &Range<u32> {
        &self.window
    }

    /// Lengthens the window, at whose end the run stands, by some cycles.
    pub(crate) fn lengthen_window(&mut self, cycles: u32) {
        self.window.end += cycles;
        let Some(later) = &mut self.later else { return };
        for (source, arrival) in std::mem::take(later) {
            self.count_arrival(source, arrival);
        }
    }

    /// Ends the window for good.
    pub(crate) fn close_window(&mut self) {
        self.later = None;
    }

    /// From now on only later deliveries count as recent.
    pub(crate) fn restart_recent(&mut self) {
        for population in &mut self.populations {
            population.recent = (0, 0);
        }
    }

    /// The mean latencies of recent deliveries, if there are any: of each population, then of all nodes.
    pub(crate) fn recent_means(&self) -> Vec<Option<f64>> {
        let of = |(count, sum)| (count > 0).then(|| mean(sum, count));
        let each = self.populations.iter().map(|population| of(population.recent));
        each.chain([of(self.recent())]).collect()
    }

    /// Recent packets of all nodes, and the sum of their latencies.
    fn recent(&self) -> (u64, u64) {
        self.populations.iter().fold((0, 0), |(count, sum), Population { recent, .. }| {
            (count + recent.0, sum + recent.1)
        })
    }

    /// The mean latency of recent deliveries; 0 without any.
    pub(crate) fn recent_mean(&self) -> f64 {
        let (count, sum) = self.recent();
        mean(sum, count)
    }

    /// [`Population::latency_at_least`] of each population, then of all nodes.
    pub(crate) fn latencies_at_least(&self, now: u32) -> Vec<f64> {
        let sums = self.populations.iter().map(|population| population.sum_at_least(now));
        let all = sums.clone().fold((0, 0), |all, own| (all.0 + own.0, all.1 + own.1));
        sums.chain([all]).map(|(sum, count)| mean(sum, count)).collect()
    }

    /// The counts of all nodes together.
    pub(crate) fn whole(&self) -> Population {
        let mut whole = self.populations[0].clone();
        self.populations[1..].iter().for_each(|other| whole.merge(other));
        whole
    }

    #[inline]
    pub(crate) fn sent(&mut self, origin: &PacketOrigin) {
        if self.window.contains(&origin.sent) {
            let (waiting, created) = &mut self.population_of(origin.source).under_way;
            *waiting = waiting.wrapping_add(1);
            *created = created.wrapping_add(origin.created.into());
        }
    }

    #[inline]
    fn population_of(&mut self, source: NodeId) -> &mut Population {
        let number = self.population.get(source.0 as usize).map_or(0, |&n| usize::from(n));
        &mut self.populations[number]
    }

    /// Counts a packet as accepted if it arrives in the window.
    #[inline]
    fn count_arrival(&mut self, source: NodeId, at: u32) {
        if self.window.contains(&at) {
            self.accepted[source.0 as usize] += 1;
            self.population_of(source).accepted += 1;
        } else if at >= self.window.end
            && let Some(later) = &mut self.later
        {
            later.push((source, at));
        }
    }

    /// Counts a packet that was sent and is lost in this cycle.
    pub(crate) fn lost(&mut self, origin: &PacketOrigin, cause: Cause, now: u32) {
        if self.window.contains(&origin.sent) {
            let (waiting, created) = &mut self.population_of(origin.source).under_way;
            *waiting -= 1;
            *created -= u64::from(origin.created);
        }
        self.never_sent(cause, 1, now);
    }

    /// Counts packets that are lost in this cycle before they are sent.
    pub(crate) fn never_sent(&mut self, cause: Cause, count: u64, now: u32) {
        if let Some(series) = &mut self.series {
            series.lost(now, cause, count);
        }
    }

    #[inline]
    pub(crate) fn delivered(&mut self, origin: &PacketOrigin, flit: &Flit, at: u32) {
        let latency = at - origin.created;
        let (count, sum) = &mut self.population_of(origin.source).recent;
        *count += 1;
        *sum += u64::from(latency);
        if let Some(series) = &mut self.series {
            let kind = Header::from_bits(flit.header).kind();
            series.delivered(at, latency, kind == Some(Kind::Vlb));
        }
        self.count_arrival(origin.source, at);
        if self.window.contains(&origin.sent) {
            let population = self.population_of(origin.source);
            let (waiting, created) = &mut population.under_way;
            *waiting = waiting.wrapping_sub(1);
            *created = created.wrapping_sub(origin.created.into());
            population.latency.add(latency);
            population.network += u64::from(at - origin.sent);
            population.by_hops[usize::from(flit.hops).min(MOST_HOPS)] += 1;
            let kind = Header::from_bits(flit.header).kind();
            population.by_vlb += u64::from(kind == Some(Kind::Vlb));
            self.halves.add(origin.sent, latency);
        }
    }
}
