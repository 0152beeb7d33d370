//! Figures of a run by windows, from its beginning on, to draw a curve through changes in its course: of traffic, or of
//! dying parts.

use crate::losses::{Cause, Losses};
use serde::Serialize;
use tvlb_base::row;
use tvlb_base::table::{Cell, Column, Table};

/// Figures of some cycles of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SeriesWindow {
    /// The first of the cycles.
    pub from: u32,
    /// Flits (or phits) delivered in these cycles, per sending node and cycle.
    pub accepted: f64,
    /// Mean latency from generation to delivery of the packets delivered in these cycles; `None` without any.
    pub latency: Option<f64>,
    /// Share of the packets delivered in these cycles that took VLB; `None` without any.
    pub vlb_share: Option<f64>,
    /// The packets lost in these cycles, if parts may die.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub losses: Option<Losses>,
}

impl SeriesWindow {
    /// The columns of a table of windows, without losses.
    pub const COLUMNS: [Column<'static>; 4] = [
        Column::number("from", 0, ""),
        Column::number("accepted", 4, ""),
        Column::number("latency", 2, ""),
        Column::number("vlb-share", 3, "").under("VLB"),
    ];

    /// Their values.
    pub fn row(&self) -> Vec<Cell> {
        row![self.from, self.accepted, self.latency, self.vlb_share]
    }
}

/// The figures of a run by windows of so many cycles.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SeriesFigures {
    /// How many cycles each has.
    pub window: u32,
    pub windows: Vec<SeriesWindow>,
}

impl SeriesFigures {
    /// A row for each window, with the losses if parts may die.
    pub fn table(&self) -> Table<'static> {
        let may_lose = self.windows.first().is_some_and(|window| window.losses.is_some());
        let lost = [Column::number("lost", 0, ""), Column::number("never sent", 0, "")];
        let lost = lost.into_iter().filter(|_| may_lose);
        let mut table = Table::new(SeriesWindow::COLUMNS.into_iter().chain(lost).collect());
        for window in &self.windows {
            let mut row = window.row();
            if let Some(losses) = &window.losses {
                row.extend(row![losses.sent(), losses.all() - losses.sent()]);
            }
            table.push(row);
        }
        table
    }
}

/// Counts by the window.
#[derive(Clone, Debug)]
pub struct WindowSeries {
    window: u32,
    counts: Vec<WindowCounts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct WindowCounts {
    delivered: u64,
    by_vlb: u64,
    latencies: u64,
    losses: Losses,
}

impl WindowSeries {
    /// Zero counts, for windows of this many cycles, at least 1.
    pub const fn new(window: u32) -> Self {
        Self { window, counts: Vec::new() }
    }

    /// Zero counts, for the same windows.
    pub(crate) const fn like(&self) -> Self {
        Self::new(self.window)
    }

    /// Adds the counts of another of the same windows, of a network without losses: others are not divided.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.counts.len() > self.counts.len() {
            self.counts.resize(other.counts.len(), WindowCounts::default());
        }
        for (own, other) in self.counts.iter_mut().zip(&other.counts) {
            own.delivered += other.delivered;
            own.by_vlb += other.by_vlb;
            own.latencies += other.latencies;
        }
    }

    fn at(&mut self, cycle: u32) -> &mut WindowCounts {
        let place = (cycle / self.window) as usize;
        if place >= self.counts.len() {
            self.counts.resize(place + 1, WindowCounts::default());
        }
        &mut self.counts[place]
    }

    /// Counts a packet that is delivered in a cycle.
    pub fn delivered(&mut self, cycle: u32, latency: u32, by_vlb: bool) {
        let counts = self.at(cycle);
        counts.delivered += 1;
        counts.by_vlb += u64::from(by_vlb);
        counts.latencies += u64::from(latency);
    }

    pub(crate) fn lost(&mut self, cycle: u32, cause: Cause, count: u64) {
        *self.at(cycle).losses.of(cause) += count;
    }

    /// The figures of the windows that end at or before a cycle, given the number of sending nodes and the flits per
    /// packet; with the losses if parts may die.
    #[expect(clippy::cast_precision_loss, reason = "sums stay far below 2^53")]
    pub fn until(&self, end: u32, (nodes, flits): (u32, u16), may_lose: bool) -> SeriesFigures {
        let per = f64::from(nodes.max(1)) * f64::from(self.window) / f64::from(flits);
        let windows = (end / self.window) as usize;
        let counts = self.counts.iter().copied().chain(std::iter::repeat(WindowCounts::default()));
        let figures = |(number, counts): (u32, WindowCounts)| {
            let WindowCounts { delivered, by_vlb, latencies, losses } = counts;
            let mean = |sum: u64| (delivered > 0).then(|| sum as f64 / delivered as f64);
            SeriesWindow {
                from: number * self.window,
                accepted: delivered as f64 / per,
                latency: mean(latencies),
                vlb_share: mean(by_vlb),
                losses: may_lose.then_some(losses),
            }
        };
        let windows = (0..).zip(counts.take(windows)).map(figures).collect();
        SeriesFigures { window: self.window, windows }
    }
}
