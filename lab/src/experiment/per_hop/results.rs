//! What an experiment on cut-through switches found, as plain values.

use super::cases::Case;
use crate::cut_through::CutThroughOutcome;
use serde::{Deserialize, Serialize};
use tvlb_schema::{Dragonfly, GroupId, SwitchId};

/// To five decimals, which is more than a run can tell.
fn rounded(value: f64) -> f64 {
    (value * 1e5).round() / 1e5
}

/// All runs of one experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PerHop {
    /// p, a, h, g.
    pub dragonfly: [u32; 4],
    /// The arrangement of the links between groups.
    pub arrangement: String,
    /// Cycles before the measured ones; bursts have none.
    pub warm_up_cycles: u32,
    /// Cycles that are measured; bursts end by themselves.
    pub measured_cycles: u32,
    /// By line, then traffic, then load.
    pub runs: Vec<PerHopRun>,
}

/// One run. Loads and rates are phits per node and cycle, times cycles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PerHopRun {
    /// What is run: the routing, its channels and its controls.
    pub line: String,
    /// The traffic's name.
    pub traffic: String,
    /// What each node offers; nothing for a burst and where all send to all.
    pub load: Option<f64>,
    /// Cycles that were measured; of a burst, until the last phit was delivered.
    pub cycles: u32,
    pub latency: f64,
    /// The median latency.
    pub p50: u32,
    /// The latency that 99% of the packets do not exceed.
    pub p99: u32,
    pub accepted: f64,
    /// The share of packets that took VLB, or were misrouted to another group.
    pub vlb_share: f64,
    /// Mean links within groups and between them, without those of the escape network.
    pub hops: [f64; 2],
    /// Mean links of the escape network.
    pub escape_hops: f64,
    /// The hops that all packets but a thousandth, all but a ten-thousandth, and all do not exceed.
    pub most_hops: [usize; 3],
    /// The most entries of a packet into the escape network.
    pub most_entries: usize,
    /// What each switch of group 0 injected.
    pub group_0: Vec<f64>,
    /// What a switch injected on average, in all groups and in that of the tree's root.
    pub injected: [f64; 2],
}

impl PerHopRun {
    pub(super) fn new(
        case: &Case,
        outcome: &CutThroughOutcome,
        (df, root): (&Dragonfly, SwitchId),
    ) -> Self {
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
            df.switches()
                .zip(&outcome.injected)
                .filter(|(switch, _)| df.place(*switch).0 == group)
                .map(|(_, injected)| *injected)
                .collect()
        };
        #[expect(clippy::cast_precision_loss, reason = "at most 65,536 switches")]
        let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
        let escape = outcome.escape.as_ref();
        Self {
            line: case.line.clone(),
            traffic: case.traffic_name().to_owned(),
            load: outcome.load,
            cycles: outcome.cycles,
            latency: rounded(outcome.latency),
            p50: outcome.p50,
            p99: outcome.p99,
            accepted: rounded(outcome.accepted),
            vlb_share: rounded(outcome.vlb_share),
            hops: [outcome.hops.local, outcome.hops.global].map(rounded),
            escape_hops: escape.map_or(0.0, |escape| rounded(escape.hops)),
            most_hops: [packets / 1000, packets / 10_000, 0].map(within),
            most_entries: escape.map_or(0, |escape| escape.packets.len().saturating_sub(1)),
            group_0: of_group(GroupId(0)).into_iter().map(rounded).collect(),
            injected: [mean(&outcome.injected), mean(&of_group(df.place(root).0))].map(rounded),
        }
    }

    /// Whether this is of the same line as another.
    pub(super) fn is_of_line(&self, other: &Self) -> bool {
        self.line == other.line
    }
}

impl PerHop {
    /// The traffics, each once, in the order of the runs.
    pub(super) fn traffics(&self) -> Vec<&str> {
        let mut traffics: Vec<&str> = Vec::new();
        for run in &self.runs {
            if !traffics.contains(&&*run.traffic) {
                traffics.push(&run.traffic);
            }
        }
        traffics
    }

    /// The loads under a traffic, in the order of the runs.
    pub(super) fn loads(&self, traffic: &str) -> Vec<Option<f64>> {
        let mut loads = Vec::new();
        for run in self.runs.iter().filter(|run| run.traffic == traffic) {
            if !loads.contains(&run.load) {
                loads.push(run.load);
            }
        }
        loads
    }

    /// The runs line by line.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[PerHopRun]> {
        self.runs.chunk_by(PerHopRun::is_of_line)
    }

    /// "dfly(6,12,6,73)".
    pub(super) fn name(&self) -> String {
        let [p, a, h, g] = self.dragonfly;
        format!("dfly({p},{a},{h},{g})")
    }
}
