//! Figures of runs, and their mean.

use serde::{Deserialize, Serialize};
use tvlb_simulator::ForeseenLatency;

/// What a contest needs to know of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RunFigures {
    /// Whether the mean latency over all nodes is above the limit, or certain to be.
    pub saturated: bool,
    /// Mean latency in cycles.
    pub latency: f64,
    /// Flits delivered per node and cycle in the measured windows.
    pub accepted: f64,
    /// The 99th percentile of the latency in cycles, if the run was a whole one.
    pub p99: u32,
    /// What the network delivered of the node that was served worst, over the mean of all nodes, if the
    /// run was a whole one.
    pub worst_served: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kept {
    /// Of one that was to be measured.
    Figures(RunFigures),
    /// Of one that was to be judged.
    Foreseen(ForeseenLatency),
}

/// The mean of some figures; 0 where there are none.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) =
        values.into_iter().fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}
