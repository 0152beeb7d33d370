//! The record in the manifest of how the sets were chosen: everything that was tried, with its result.
//!
//! Plain data: the choice fills it in, and [`all_rounded`](super::all_rounded) makes the form that is written and
//! shown.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::Display;
use tvlb_schema::WindowLimits;

/// How the sets were chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChoiceEntry {
    /// `simulation`; without simulation `model`, or `default` if the fabric is too large for the model.
    pub by: String,
    /// The objective, if by simulation.
    pub prefer: Option<String>,
    /// Step 1; absent if the fabric is too large.
    pub model: Option<ModelEntry>,
    /// With `--fast`: what sets carry relative to conventional routing, in the order of the tries. The last is the
    /// chosen set, unless no set of the front carries enough: then conventional routing is kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub floor: Vec<FloorEntry>,
    /// The traffic of Step 2.
    pub panel: Option<PanelEntry>,
    /// Step 2, for each scheme.
    pub contests: Vec<ContestEntry>,
}

/// The traffic of which a set carries least, relative to conventional routing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FloorEntry {
    /// The scheme, if by simulation; absent if the loads of links were counted instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    pub set: String,
    /// What it carries, over what conventional routing carries.
    pub share: f64,
    pub traffic: String,
    /// Flits per node and cycle. By simulation, the flits delivered at a load above what the network carries; by links,
    /// the largest load that no link is too narrow for, if all packets take a path of the set.
    pub carried: f64,
    /// The same for conventional routing.
    pub conventional: f64,
    /// By simulation, for those above the floor: the mean of what is delivered of adversarial traffic. In each scheme
    /// the one with the most is taken, the first of equal ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adversarial: Option<f64>,
}

/// Step 1 on a sample of patterns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelEntry {
    pub counting: String,
    pub patterns: Vec<String>,
    /// How far a candidate may fall short of the best throughput.
    pub epsilon: f64,
    /// How many sets were modelled.
    pub sets: u64,
    /// On the front within ε, fewest hops first.
    pub candidates: Vec<String>,
    /// The modelled figures of all VLB paths, of the paper's choice and of the candidates.
    pub figures: Vec<ModelledEntry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelledEntry {
    /// The set; how it is drawn does not matter.
    pub set: String,
    /// Mean throughput over the sample: a value, or the middle of the proven interval.
    pub throughput: f64,
    /// Whether that is certified to be a value.
    pub certified: bool,
    /// Mean hops of its VLB paths, drawn evenly, over the pairs that have any.
    pub mean_hops: Option<f64>,
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
    /// When the windows of sources close, in the runs of baselines and candidates alike; absent if packets are not
    /// acknowledged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination_window: Option<WindowLimits>,
    /// Saturations are multiples of this.
    pub resolution: f64,
    /// Candidates are ranked by their mean saturation over these.
    pub score: Vec<String>,
    /// Traffic on which no candidate may have more regret than `most_regret`, and the population of its nodes if it has
    /// several.
    pub guards: Vec<String>,
    /// In percent of the most that MIN, conventional VLB or conventional UGAL carries.
    pub most_regret: u32,
    /// The load at which uniform traffic must not be slow.
    pub light_load: f64,
    /// How much slower than under conventional UGAL it may be, in percent of mean latency.
    pub light_margin: u32,
    /// How much larger than conventional UGAL's the 99th percentile of the latency may be at half of the load that
    /// conventional UGAL carries, in percent.
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
    /// The load at which the worst served nodes of all are compared: 90% of the least that conventional UGAL carries of
    /// a score pattern.
    pub served_load: f64,
    /// What the baselines carry of each score pattern, in their order.
    pub score_baselines: Vec<Carried>,
    /// What the baselines carry of each guard, in their order.
    pub guard_baselines: Vec<Carried>,
    /// Conventional UGAL's mean latency under uniform traffic at light load.
    pub light_latency: f64,
    /// The 99th percentile of conventional UGAL's latency at half load.
    pub tails: Vec<TailEntry>,
    /// The chosen set; two with "then" between if PAR's second look has one of its own.
    pub chosen: String,
    /// Whether it holds all guards; if not, every candidate that does loses more elsewhere.
    pub holds_guards: bool,
    /// If no candidate holds all guards: the finalists that no other one beats in both regret and saturation, the one
    /// with the least regret first.
    pub frontier: Vec<FrontierEntry>,
    /// The second best.
    pub runner_up: Option<String>,
    /// By how much the chosen set is ahead in mean saturation.
    pub lead_over_runner_up: Option<Lead>,
    pub lead_over_paper: Lead,
    pub lead_over_conventional: Lead,
    /// All that were tried, conventional UGAL first, the paper's choice second.
    pub contenders: Vec<ContenderEntry>,
    /// What the references and the chosen set carry on seeds that took no part in the choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again: Option<AgainEntry>,
}

/// A choice on traffic that took no part in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgainEntry {
    /// Each is the seed of a `TYPE_2` pattern, of a shift, of the guards, and of their runs.
    pub seeds: Vec<u64>,
    /// The references and the chosen set.
    pub contenders: Vec<AgainContender>,
    /// The chosen set's regret on each guard of the panel.
    pub guards: Vec<AgainGuard>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgainContender {
    /// The set as in [`ContestEntry::chosen`].
    pub set: String,
    /// Mean saturation over the adversarial patterns of all seeds.
    pub saturation: f64,
    /// Mean saturation over uniform traffic and permutations of all seeds, of conventional UGAL and of the chosen set.
    pub usual: Option<f64>,
}

impl AgainEntry {
    /// The guard of the largest regret on any seed, the first of equal ones; `None` without guards.
    pub fn worst_guard(&self) -> Option<&AgainGuard> {
        self.guards.iter().reduce(|one, next| if next.worst > one.worst { next } else { one })
    }
}

/// The regret of the chosen set on a guard, over the seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgainGuard {
    pub traffic: String,
    pub mean: f64,
    /// The largest, and its seed.
    pub worst: f64,
    pub seed: u64,
}

/// How many steps make a load of 1. Saturations are found in steps: hundredths of what a node can send.
pub const STEPS: u32 = 100;

pub fn load_of(step: u32) -> f64 {
    f64::from(step) / f64::from(STEPS)
}

/// The step nearest to a load.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a load times a hundred, at least 0"
)]
pub fn step_of(load: f64) -> u32 {
    (load * f64::from(STEPS)).round().max(0.0) as u32
}

/// Steps in memory, which are written as loads.
mod as_load {
    use super::{Deserialize, Deserializer, Serializer, load_of, step_of};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(step: &u32, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(load_of(*step))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
        f64::deserialize(from).map(step_of)
    }
}

/// What the baselines carry of one traffic: their saturations, in steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Carried {
    #[serde(with = "as_load")]
    pub min: u32,
    /// Conventional VLB's.
    #[serde(with = "as_load")]
    pub vlb: u32,
    /// That of conventional UGAL, or of conventional PAR in the contest of PAR.
    #[serde(with = "as_load")]
    pub conventional: u32,
    /// The name of the one that carries most; of equal ones, conventional UGAL's first and VLB's last.
    pub best: String,
}

impl Carried {
    pub fn new(min: u32, vlb: u32, conventional: u32) -> Self {
        let best = if conventional >= min.max(vlb) {
            "conventional"
        } else if min >= vlb {
            "min"
        } else {
            "vlb"
        };
        Self { min, vlb, conventional, best: best.to_owned() }
    }

    /// E: the largest of the three.
    pub fn most(&self) -> u32 {
        self.min.max(self.vlb).max(self.conventional)
    }

    /// The regret of a contender that carries this many steps; below 0 if it carries more than all baselines, and 0 if
    /// no baseline carries anything.
    pub fn regret(&self, step: u32) -> f64 {
        if self.most() == 0 { 0.0 } else { 1.0 - load_of(step) / load_of(self.most()) }
    }

    /// The least step that a contender must carry for a regret of at most `percent`.
    pub fn required(&self, percent: u32) -> u32 {
        (self.most() * 100_u32.saturating_sub(percent)).div_ceil(100)
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
    pub worst_guard: Worst,
}

/// The worst of several regrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Worst {
    pub traffic: String,
    pub regret: f64,
}

/// The loss on each traffic against the best of the baselines: 1 - S/E, where S is the contender's saturation and E
/// that of the baseline that carries most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Regrets {
    /// By score pattern, in their order.
    pub score: Vec<f64>,
    /// By guard, in their order.
    pub guards: Vec<f64>,
    pub worst_score: Worst,
    pub worst_guard: Worst,
}

impl Regrets {
    /// The regrets on some score patterns and on some guards, each with its traffic.
    pub fn new<S: Display, G: Display>(
        (patterns, score): (&[S], Vec<f64>),
        (of_guards, guards): (&[G], Vec<f64>),
    ) -> Self {
        let worst_score = Worst::of(patterns, &score);
        let worst_guard = Worst::of(of_guards, &guards);
        Self { score, guards, worst_score, worst_guard }
    }

    /// The largest regret on any traffic.
    pub fn worst(&self) -> f64 {
        self.worst_score.regret.max(self.worst_guard.regret)
    }
}

impl Worst {
    /// The first of the worst; 0 without traffic.
    fn of(traffic: &[impl Display], regrets: &[f64]) -> Self {
        let mut each = traffic.iter().zip(regrets.iter().copied());
        let first = each.next();
        let worst = first
            .map(|first| each.fold(first, |one, next| if next.1 > one.1 { next } else { one }));
        let named = worst.map(|(traffic, regret)| Self { traffic: traffic.to_string(), regret });
        named.unwrap_or_else(|| Self { traffic: String::new(), regret: 0.0 })
    }
}

/// A difference of mean saturations over the patterns that both have met.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Lead {
    pub mean: f64,
    pub standard_error: f64,
}

/// Where a candidate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Conventional routing as published.
    Conventional,
    /// The same, with queues by virtual channel.
    ConventionalByChannel,
    /// Conventional routing, weighed as sets of the front are.
    ConventionalAsOurs,
    /// The paper's choice.
    Paper,
    /// The paper's choice, with queues by virtual channel.
    PaperByChannel,
    /// The paper's choice, weighed as sets of the front are.
    PaperAsOurs,
    /// On Step 1's front within ε.
    Front,
    /// The mirror image of a set on Step 1's front.
    Mirror,
    Family,
    /// Named by the user.
    User,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ContenderEntry {
    /// The set as in [`ContestEntry::chosen`].
    pub set: String,
    pub origin: Origin,
    /// Modelled throughput of the set at the source.
    pub modelled: Option<f64>,
    /// Mean hops of a drawn VLB route at the source, if measured.
    pub mean_hops: Option<f64>,
    /// Saturation on each score pattern that it met, in their order.
    pub saturations: Vec<f64>,
    /// Their mean, if it met all.
    pub mean_saturation: Option<f64>,
    /// Mean latency at low load, if measured.
    pub low_load_latency: Option<f64>,
    /// The throughput of the worst served node at 90% of its own saturation, over the mean of all nodes: the least over
    /// two score patterns, if measured.
    pub worst_served: Option<f64>,
    /// The same at [`ContestEntry::served_load`].
    pub worst_served_at_one_load: Option<f64>,
    /// The largest mean latency in cycles in the same runs, which are longer than those that found its saturation.
    pub latency_near_saturation: Option<f64>,
    /// Its regret on each traffic, if measured.
    pub regrets: Option<Regrets>,
    pub outcome: String,
}

impl ContestEntry {
    pub fn chosen_entry(&self) -> Option<&ContenderEntry> {
        self.contenders.iter().find(|contender| contender.set == self.chosen)
    }

    /// The references of the chosen set by name, in the order in which they are shown: conventional UGAL and the
    /// paper's choice, each also with queues by virtual channel and weighed as ours, if these were tried.
    pub fn references(&self) -> impl Iterator<Item = (&'static str, &ContenderEntry)> {
        REFERENCES.into_iter().filter_map(|(origin, name)| {
            Some((name, self.contenders.iter().find(|entry| entry.origin == origin)?))
        })
    }
}

/// The references with their names, in the order in which they are shown.
const REFERENCES: [(Origin, &str); 6] = [
    (Origin::Conventional, "conventional"),
    (Origin::ConventionalByChannel, "conventional by channel"),
    (Origin::ConventionalAsOurs, "conventional weighed as ours"),
    (Origin::Paper, "the paper's"),
    (Origin::PaperByChannel, "the paper's by channel"),
    (Origin::PaperAsOurs, "the paper's weighed as ours"),
];

impl Origin {
    /// Its name among the references, if it is one.
    pub fn reference(self) -> Option<&'static str> {
        REFERENCES.into_iter().find(|(origin, _)| *origin == self).map(|(_, name)| name)
    }
}
