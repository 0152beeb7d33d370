//! What is kept of a run of cut-through switches.

use crate::cut_through::CutThroughOutcome;
use serde::{Deserialize, Serialize};
use tvlb_schema::{Dragonfly, GroupId, SwitchId};

/// What is kept of a run. Loads and rates are phits per node and cycle, times cycles.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct KeptFigures {
    /// Cycles that were measured; of a burst, until the last phit was delivered.
    pub(super) cycles: u32,
    pub(super) latency: f64,
    pub(super) p50: u32,
    pub(super) p99: u32,
    pub(super) accepted: f64,
    /// The share of packets that took VLB, or were misrouted to another group.
    pub(super) vlb_share: f64,
    /// Mean links within groups and between them, without those of the escape network.
    pub(super) hops: [f64; 2],
    /// Mean links of the escape network.
    pub(super) escape_hops: f64,
    /// The hops that all packets but a thousandth, all but a ten-thousandth, and all do not exceed.
    pub(super) most_hops: [usize; 3],
    /// The most entries of a packet into the escape network.
    pub(super) most_entries: usize,
    /// What a switch injected on average: in all groups, in that of the tree's root, and the last switch of
    /// group 0.
    pub(super) injected: [f64; 3],
}

impl KeptFigures {
    pub(super) fn new(outcome: &CutThroughOutcome, (df, root): (&Dragonfly, SwitchId)) -> Self {
        let hops = &outcome.hops.packets;
        let packets: u64 = hops.iter().sum();
        // The least number of hops beyond which there are no more than so many packets.
        let within = |beyond: u64| {
            let mut left = packets;
            let is_enough = |count: &u64| {
                left -= count;
                left <= beyond
            };
            hops.iter().position(is_enough).unwrap_or(0)
        };
        let of_group = |group: GroupId| -> Vec<f64> {
            let all = df.switches().zip(&outcome.injected);
            all.filter(|(switch, _)| df.place(*switch).0 == group).map(|(_, rate)| *rate).collect()
        };
        #[expect(clippy::cast_precision_loss, reason = "at most 65,536 switches")]
        let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
        let escape = outcome.escape.as_ref();
        let last = of_group(GroupId(0)).last().copied().unwrap_or(0.0);
        Self {
            cycles: outcome.cycles,
            latency: outcome.latency,
            p50: outcome.p50,
            p99: outcome.p99,
            accepted: outcome.accepted,
            vlb_share: outcome.vlb_share,
            hops: [outcome.hops.local, outcome.hops.global],
            escape_hops: escape.map_or(0.0, |escape| escape.hops),
            most_hops: [packets / 1000, packets / 10_000, 0].map(within),
            most_entries: escape.map_or(0, |escape| escape.packets.len().saturating_sub(1)),
            injected: [mean(&outcome.injected), mean(&of_group(df.place(root).0)), last],
        }
    }
}
