//! How the sets were chosen, as the manifest keeps it: everything that was tried and what became of it.
//!
//! Plain data: those who choose fill it in, and rounded to six decimals ([`rounded`](super::rounded)),
//! so that no platform's last bit shows.

use serde::{Deserialize, Serialize};

/// How the sets were chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChoiceEntry {
    /// `simulation`; or, where none was wanted, `model`, or `default` where the fabric is too large to
    /// be modelled.
    pub by: String,
    /// The objective, if by simulation.
    pub prefer: Option<String>,
    /// Step 1; none where the fabric is too large.
    pub model: Option<ModelEntry>,
    /// The traffic of Step 2.
    pub panel: Option<PanelEntry>,
    /// Step 2, for each scheme.
    pub contests: Vec<ContestEntry>,
}

/// Step 1 on a sample of patterns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelEntry {
    pub counting: String,
    pub patterns: Vec<String>,
    /// How much of the best throughput a candidate may lack.
    pub epsilon: f64,
    /// How many sets were modelled.
    pub sets: u64,
    /// On the front within ε, fewest hops first.
    pub candidates: Vec<String>,
    /// What is modelled of all VLB paths, of the paper's choice and of the candidates.
    pub figures: Vec<ModelledEntry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelledEntry {
    /// The set; how it is drawn plays no part.
    pub set: String,
    /// Mean throughput over the sample: a value, or the middle of the proven interval.
    pub throughput: f64,
    /// Whether that is certified to be a value.
    pub certified: bool,
    /// Mean hops of its VLB paths, drawn evenly.
    pub mean_hops: f64,
}

/// The traffic of Step 2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PanelEntry {
    /// `standard` or `quick`.
    pub size: String,
    /// Cycles of a window.
    pub window: u32,
    /// Windows of warm-up, before the one that is measured.
    pub warm_up: u32,
    /// Mean latency above which a run is saturated.
    pub latency_limit: u32,
    /// Saturations are multiples of this.
    pub resolution: f64,
    /// Candidates are ranked by their mean saturation over these.
    pub score: Vec<String>,
    /// On these no candidate may have more regret than `most_regret`: traffic, for all nodes and for
    /// each population of nodes.
    pub guards: Vec<String>,
    /// In percent of the most that MIN, conventional VLB or conventional UGAL carries.
    pub most_regret: u32,
    /// The load at which uniform traffic must not be slow.
    pub light_load: f64,
    /// How much slower than under conventional UGAL it may be, in percent of mean latency.
    pub light_margin: u32,
    /// How much larger than conventional UGAL's the 99th percentile of the latency may be at half of the
    /// load that conventional UGAL carries, in percent.
    pub tail_margin: u32,
}

/// Step 2 for one scheme.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ContestEntry {
    /// `ugal-l` or `par`.
    pub scheme: String,
    /// The load at which latencies are compared.
    pub low_load: f64,
    /// What the baselines carry of each score pattern, in their order.
    pub score_baselines: Vec<BaselineEntry>,
    /// What the baselines carry of each guard, in their order.
    pub guard_baselines: Vec<BaselineEntry>,
    /// Conventional UGAL's mean latency under uniform traffic at light load.
    pub light_latency: f64,
    /// The 99th percentile of conventional UGAL's latency where it is half used.
    pub tails: Vec<TailEntry>,
    /// The chosen set; two with "then" between if PAR's second look has one of its own.
    pub chosen: String,
    /// Whether it holds all guards; if not, no candidate does.
    pub holds_guards: bool,
    /// How much regret on a guard the candidates that were raced have at most, in percent; none if all
    /// candidates fail by their latency.
    pub admitted_regret: Option<u32>,
    /// Where no candidate holds all guards: the candidates of which none other has both less regret and
    /// more saturation, the one with the least regret first.
    pub frontier: Vec<FrontierEntry>,
    /// The second best.
    pub runner_up: Option<String>,
    /// By how much the chosen set is ahead in mean saturation.
    pub lead_over_runner_up: Option<LeadEntry>,
    pub lead_over_paper: LeadEntry,
    pub lead_over_conventional: LeadEntry,
    /// All that were tried, conventional UGAL first, the paper's choice second.
    pub contenders: Vec<ContenderEntry>,
}

/// What the baselines carry of one traffic: their saturations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BaselineEntry {
    pub min: f64,
    /// Conventional VLB's.
    pub vlb: f64,
    /// That of conventional UGAL, or of conventional PAR in the contest of PAR.
    pub conventional: f64,
    /// The name of the one that carries most.
    pub best: String,
}

impl BaselineEntry {
    /// The largest of the three.
    pub fn most(&self) -> f64 {
        self.min.max(self.vlb).max(self.conventional)
    }
}

/// The tail of conventional UGAL's latency under one guard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TailEntry {
    /// The guard's traffic.
    pub traffic: String,
    /// Half of the load that conventional UGAL carries.
    pub load: f64,
    /// The 99th percentile of its latency there.
    pub p99: u32,
}

/// A candidate on the frontier of regret and saturation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FrontierEntry {
    /// The set as in [`ContestEntry::chosen`].
    pub set: String,
    /// Mean saturation over the score patterns.
    pub mean_saturation: f64,
    pub worst_guard: WorstEntry,
}

/// The worst of several regrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WorstEntry {
    pub traffic: String,
    pub regret: f64,
}

/// What is lost on each traffic because the best of the baselines does not run: 1 - S/E, where S is the
/// own saturation and E that of the baseline that carries most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RegretsEntry {
    /// By score pattern, in their order.
    pub score: Vec<f64>,
    /// By guard, in their order.
    pub guards: Vec<f64>,
    pub worst_score: WorstEntry,
    pub worst_guard: WorstEntry,
}

/// A difference of mean saturations over the patterns that both have met.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LeadEntry {
    pub mean: f64,
    pub standard_error: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ContenderEntry {
    /// `conventional`, or the set as in [`ContestEntry::chosen`].
    pub set: String,
    /// `paper`, `front`, `mirror`, `family`, `user`, `pair`, `balanced`; none for conventional UGAL.
    pub origin: Option<String>,
    /// Modelled throughput of the set at the source.
    pub modelled: Option<f64>,
    /// Mean hops of a drawn VLB route at the source, where that was looked up.
    pub mean_hops: Option<f64>,
    /// Saturation on each score pattern that it met, in their order.
    pub saturations: Vec<f64>,
    /// Their mean, if it met all.
    pub mean_saturation: Option<f64>,
    /// Mean latency at low load, where that was looked at.
    pub low_load_latency: Option<f64>,
    /// At 90% of its own saturation, what the network delivers of the node that is served worst, over the
    /// mean of all nodes: the least over two score patterns, where that was looked at.
    pub worst_served: Option<f64>,
    /// The largest mean latency in cycles of the same runs, which are longer than those that found its
    /// saturation.
    pub latency_near_saturation: Option<f64>,
    /// Its regret on each traffic, where that was looked at.
    pub regrets: Option<RegretsEntry>,
    pub outcome: String,
}

impl PanelEntry {
    /// How many kinds of traffic are guards. Each is there once for all nodes, and its populations
    /// are not guards of their own.
    pub fn guard_count(&self) -> usize {
        self.guards.iter().filter(|guard| !guard.contains(", population ")).count()
    }
}

impl ContestEntry {
    pub fn chosen_entry(&self) -> Option<&ContenderEntry> {
        self.contenders.iter().skip(1).find(|contender| contender.set == self.chosen)
    }

    /// The same where it is not the paper's choice.
    pub fn chosen_beside_paper(&self) -> Option<&ContenderEntry> {
        let paper = self.contenders.get(1);
        self.chosen_entry().filter(|chosen| paper.is_none_or(|paper| paper.set != chosen.set))
    }
}
