//! Figures of runs, and their mean.

use serde::{Deserialize, Serialize};
use tvlb_simulator::ForeseenLatency;

/// The figures of a run that a contest uses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RunFigures {
    /// Whether the mean latency over all nodes is above the limit, or certain to become so.
    pub saturated: bool,
    /// Mean latency in cycles.
    pub latency: f64,
    /// Flits delivered per node and cycle in the measured windows.
    pub accepted: f64,
    /// The 99th percentile of the latency in cycles, if the run was complete.
    pub p99: u32,
    /// The throughput of the worst served node over the mean of all nodes, if the run was complete.
    pub worst_served: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kept {
    /// Of a run that was measured.
    Figures(RunFigures),
    /// Of a run that was only judged.
    Foreseen(ForeseenLatency),
}

/// The mean of some figures; 0 if there are none.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) =
        values.into_iter().fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}
