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
    /// What counts as one path.
    pub counting: String,
    /// The sample.
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

/// What is modelled of one set.
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
    /// On these no candidate may lose more than the margin: traffic, for all nodes and for each
    /// population of nodes.
    pub guards: Vec<String>,
    /// In percent of conventional UGAL's saturation.
    pub guard_margin: u32,
    /// The load at which uniform traffic must not be slow.
    pub light_load: f64,
    /// How much slower than under conventional UGAL it may be, in percent of mean latency.
    pub light_margin: u32,
}

/// Step 2 for one scheme.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ContestEntry {
    /// `ugal-l` or `par`.
    pub scheme: String,
    /// The load at which latencies are compared.
    pub low_load: f64,
    /// Conventional UGAL's saturation on each guard.
    pub guard_saturations: Vec<f64>,
    /// Its mean latency under uniform traffic at light load.
    pub light_latency: f64,
    /// The chosen set; two with "then" between if PAR's second look has one of its own.
    pub chosen: String,
    /// Whether it holds all guards; if not, no candidate does.
    pub holds_guards: bool,
    /// The second best.
    pub runner_up: Option<String>,
    /// By how much the chosen set is ahead in mean saturation.
    pub lead_over_runner_up: Option<LeadEntry>,
    /// The same.
    pub lead_over_paper: LeadEntry,
    /// The same.
    pub lead_over_conventional: LeadEntry,
    /// All that were tried, conventional UGAL first, the paper's choice second.
    pub contenders: Vec<ContenderEntry>,
}

/// A difference of mean saturations over the patterns that both have met.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LeadEntry {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// One that was tried.
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
    /// What became of it.
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
    /// The entry of the chosen set.
    pub fn chosen_entry(&self) -> Option<&ContenderEntry> {
        self.contenders.iter().skip(1).find(|contender| contender.set == self.chosen)
    }
}
