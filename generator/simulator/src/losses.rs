//! What is counted where parts of the network die: lost packets by cause and link, and figures by the
//! window, so that a curve can be drawn through failure, installation and mending.

use crate::numbers::PortId;
use serde::Serialize;
use std::collections::BTreeMap;
use tvlb_firmware_model::Error;
use tvlb_schema::{Port, SwitchId};

/// How many packets were lost, by cause. The last two were never sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Losses {
    /// Packets on a link at a moment when it was dead: those that were on it when it died, and those
    /// that a switch sent onto it, not knowing.
    pub on_dead_links: u64,
    /// Packets that a switch dropped because its fault image says that the link by which they go on is
    /// dead.
    pub without_live_port: u64,
    /// Packets in the buffers and output queues of a switch that died, and those that its nodes had just
    /// sent.
    pub in_dead_switches: u64,
    /// Packets that a switch refused because their headers made no sense to it. The datapath has no such
    /// case, whatever mixture of images switches have.
    pub astray: u64,
    /// Packets that waited in the source queues of nodes whose switch died.
    pub in_source_queues: u64,
    /// Packets that their source switch refused because it knew of no path to their destination.
    pub refused_at_source: u64,
}

impl Losses {
    /// How many packets were lost after they were sent.
    pub const fn sent(&self) -> u64 {
        self.on_dead_links + self.without_live_port + self.in_dead_switches + self.astray
    }

    /// How many packets were lost for any cause.
    pub const fn all(&self) -> u64 {
        self.sent() + self.in_source_queues + self.refused_at_source
    }

    const fn of(&mut self, cause: Cause) -> &mut u64 {
        match cause {
            Cause::DeadLink => &mut self.on_dead_links,
            Cause::NoLivePort => &mut self.without_live_port,
            Cause::DeadSwitch => &mut self.in_dead_switches,
            Cause::Astray => &mut self.astray,
            Cause::SourceQueue => &mut self.in_source_queues,
            Cause::Refused => &mut self.refused_at_source,
        }
    }
}

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    DeadLink,
    NoLivePort,
    DeadSwitch,
    Astray,
    SourceQueue,
    Refused,
}

impl Cause {
    /// Why a packet is lost that a switch cannot forward, where parts may be dead; `None` for errors
    /// that no dead part explains.
    pub(crate) const fn of(error: &Error) -> Option<Self> {
        match error {
            Error::NoCable { .. } | Error::NoChannel { .. } => Some(Self::NoLivePort),
            Error::Astray { .. } => Some(Self::Astray),
            _ => None,
        }
    }
}

/// A packet that is lost: why, and by which output port it left or should have left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loss {
    pub(crate) cause: Cause,
    pub(crate) port: Option<PortId>,
}

/// All packets lost so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct LossLog {
    pub(crate) total: Losses,
    /// By output port, those that were lost on its link and those that could not go by it.
    by_port: BTreeMap<PortId, [u64; 2]>,
}

impl LossLog {
    pub(crate) fn add(&mut self, Loss { cause, port }: Loss, count: u64) {
        *self.total.of(cause) += count;
        let place = match cause {
            Cause::DeadLink => 0,
            Cause::NoLivePort => 1,
            _ => return,
        };
        if let Some(port) = port {
            self.by_port.entry(port).or_default()[place] += count;
        }
    }

    /// The output ports with losses, in order.
    pub(crate) fn ports(&self) -> impl Iterator<Item = (PortId, [u64; 2])> {
        self.by_port.iter().map(|(&port, &counts)| (port, counts))
    }
}

/// What was lost at one link in one direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LinkLosses {
    /// The switch that sends by the link.
    #[serde(skip)]
    pub switch: SwitchId,
    #[serde(skip)]
    pub port: Port,
    pub link: String,
    /// Packets lost on the link.
    pub on_dead_links: u64,
    /// Packets dropped because the switch knew that the link is dead.
    pub without_live_port: u64,
}

/// Figures of some cycles of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SeriesWindow {
    /// The first of the cycles.
    pub from: u32,
    /// Flits delivered in these cycles, per sending node and cycle.
    pub accepted: f64,
    /// Mean latency from generation to delivery of the packets delivered in these cycles; none where
    /// none were.
    pub latency: Option<f64>,
    /// Share of the packets delivered in these cycles that took VLB; none where none were.
    pub vlb_share: Option<f64>,
    /// The packets lost in these cycles.
    pub losses: Losses,
}

/// What became of a run in which parts died.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FaultFigures {
    /// Packets that nodes sent in the whole run.
    pub sent: u64,
    /// Packets delivered in the whole run.
    pub delivered: u64,
    /// Packets lost in the whole run.
    pub losses: Losses,
    pub links: Vec<LinkLosses>,
    /// How many cycles each window of the series has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series_window: Option<u32>,
    /// The figures of the run from its beginning, window by window.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<SeriesWindow>,
}

/// Counts by the window.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) window: u32,
    counts: Vec<Counts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    delivered: u64,
    by_vlb: u64,
    latencies: u64,
    losses: Losses,
}

impl Series {
    /// Counts of nothing yet, for windows of so many cycles, at least 1.
    pub(crate) const fn new(window: u32) -> Self {
        Self { window, counts: Vec::new() }
    }

    fn at(&mut self, cycle: u32) -> &mut Counts {
        let place = (cycle / self.window) as usize;
        if place >= self.counts.len() {
            self.counts.resize(place + 1, Counts::default());
        }
        &mut self.counts[place]
    }

    pub(crate) fn delivered(&mut self, cycle: u32, latency: u32, by_vlb: bool) {
        let counts = self.at(cycle);
        counts.delivered += 1;
        counts.by_vlb += u64::from(by_vlb);
        counts.latencies += u64::from(latency);
    }

    pub(crate) fn lost(&mut self, cycle: u32, cause: Cause, count: u64) {
        *self.at(cycle).losses.of(cause) += count;
    }

    /// The figures of the windows that end at or before a cycle, of so many sending nodes.
    #[expect(clippy::cast_precision_loss, reason = "sums stay far below 2^53")]
    pub(crate) fn until(&self, end: u32, nodes: u32) -> Vec<SeriesWindow> {
        let per = f64::from(nodes.max(1)) * f64::from(self.window);
        let windows = (end / self.window) as usize;
        let counts = self.counts.iter().copied().chain(std::iter::repeat(Counts::default()));
        let figures = |(number, counts): (u32, Counts)| {
            let Counts { delivered, by_vlb, latencies, losses } = counts;
            let mean = |sum: u64| (delivered > 0).then(|| sum as f64 / delivered as f64);
            SeriesWindow {
                from: number * self.window,
                accepted: delivered as f64 / per,
                latency: mean(latencies),
                vlb_share: mean(by_vlb),
                losses,
            }
        };
        (0..).zip(counts.take(windows)).map(figures).collect()
    }
}
