//! What is read of a run that a table gives, and the columns that say which run it is.

use serde::Deserialize;

/// The columns that say what was run, but for the seed.
pub(super) const SUBJECT_COLUMNS: &str = "fabric,scheme,set,traffic,placement,load";

/// The figures of all nodes, or of a population of them.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Figures {
    pub(super) population: String,
    pub(super) packets: u64,
    pub(super) latency: f64,
    pub(super) p50: u32,
    pub(super) p99: u32,
    pub(super) p999: u32,
    pub(super) most: u32,
    pub(super) network_latency: f64,
    pub(super) accepted: f64,
    pub(super) hops: f64,
    pub(super) vlb_share: f64,
}
