//! How a choice was come by, as the manifest keeps it: everything that was tried and what became of it.
//!
//! Figures are rounded to six decimals, so that no platform's last bit shows, and nothing here
//! depends on time or on the number of threads.

use super::candidates::{Candidate, FALLBACK, PAPER as PAPER_SET};
use super::contest::Verdict;
use super::panel::Panel;
use super::race::Lead;
use super::screen::{EPSILON, Screened};
use super::search::{STEPS, load_of};
use super::yardstick::{Breach, CONVENTIONAL, GUARD_MARGIN, LIGHT_LOAD, LIGHT_MARGIN, PAPER};
use crate::table_set::rounded;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What contender 0 is called.
pub(super) const CONVENTIONAL_NAME: &str = "conventional";

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

impl ModelEntry {
    pub(super) fn of(screened: &Screened) -> Self {
        let report = &screened.report;
        let mut figures: Vec<ModelledEntry> = Vec::new();
        for name in
            [FALLBACK, PAPER_SET].into_iter().chain(report.candidates.iter().map(String::as_str))
        {
            let result = report.sets.iter().find(|result| result.set == name);
            if let Some(result) = result.filter(|_| figures.iter().all(|known| known.set != name)) {
                figures.push(ModelledEntry {
                    set: name.to_owned(),
                    throughput: rounded(result.throughput.middle()),
                    certified: result.throughput.value.is_some(),
                    mean_hops: rounded(result.mean_hops),
                });
            }
        }
        Self {
            counting: report.counting.clone(),
            patterns: report.patterns.clone(),
            epsilon: EPSILON,
            sets: report.sets.len() as u64,
            candidates: report.candidates.clone(),
            figures,
        }
    }
}

impl PanelEntry {
    /// How many kinds of traffic are guards. Each is there once for all nodes, and its populations
    /// are not guards of their own.
    pub fn guard_count(&self) -> usize {
        self.guards.iter().filter(|guard| !guard.contains(", population ")).count()
    }

    pub(super) fn of(panel: &Panel) -> Self {
        Self {
            size: panel.size.name().to_owned(),
            window: panel.window,
            warm_up: panel.warm_up,
            latency_limit: panel.latency_limit,
            resolution: 1.0 / f64::from(STEPS),
            score: panel.score.iter().map(ToString::to_string).collect(),
            guards: panel.guards.iter().map(ToString::to_string).collect(),
            guard_margin: GUARD_MARGIN,
            light_load: load_of(LIGHT_LOAD),
            light_margin: LIGHT_MARGIN,
        }
    }
}

impl From<Lead> for LeadEntry {
    fn from(lead: Lead) -> Self {
        Self { mean: rounded(lead.mean), standard_error: rounded(lead.error) }
    }
}

/// What is known of a contender apart from the contest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct About {
    /// Modelled throughput.
    pub(super) modelled: Option<f64>,
    /// Mean hops of a drawn VLB route.
    pub(super) mean_hops: Option<f64>,
}

impl ContestEntry {
    /// `candidates` are contenders 1 and up; `about` says of each contender what else is known.
    pub(super) fn of(
        scheme: &str,
        panel: &Panel,
        candidates: &[Candidate],
        verdict: &Verdict,
        about: &BTreeMap<usize, About>,
    ) -> Self {
        let name = |contender: usize| match contender.checked_sub(1) {
            None => CONVENTIONAL_NAME.to_owned(),
            Some(number) => candidates[number].name(),
        };
        let contenders = (0..=candidates.len())
            .map(|contender| {
                let about = about.get(&contender).copied().unwrap_or_default();
                let figures = verdict.references.iter().chain(&verdict.finalists);
                let latency =
                    figures.filter(|f| f.contender == contender).map(|f| f.latency).next();
                let standings = &verdict.standings;
                ContenderEntry {
                    set: name(contender),
                    origin: contender
                        .checked_sub(1)
                        .map(|number| candidates[number].origin.name().to_owned()),
                    modelled: about.modelled.map(rounded),
                    mean_hops: about.mean_hops.map(rounded),
                    saturations: standings.values[contender].clone(),
                    mean_saturation: standings
                        .finished(contender)
                        .then(|| rounded(standings.mean(contender))),
                    low_load_latency: latency.map(rounded),
                    outcome: outcome(contender, panel, verdict),
                }
            })
            .collect();
        Self {
            scheme: scheme.to_owned(),
            low_load: load_of(verdict.yardstick.low_step),
            guard_saturations: verdict.yardstick.guard_steps.iter().copied().map(load_of).collect(),
            light_latency: rounded(verdict.yardstick.light_latency),
            chosen: name(verdict.chosen),
            holds_guards: !verdict.none_holds,
            runner_up: verdict.runner_up().map(name),
            lead_over_runner_up: verdict.runner_up().map(|other| verdict.lead_over(other).into()),
            lead_over_paper: verdict.lead_over(PAPER).into(),
            lead_over_conventional: verdict.lead_over(CONVENTIONAL).into(),
            contenders,
        }
    }

    /// The entry of the chosen set.
    pub fn chosen_entry(&self) -> Option<&ContenderEntry> {
        self.contenders.iter().skip(1).find(|contender| contender.set == self.chosen)
    }
}

fn outcome(contender: usize, panel: &Panel, verdict: &Verdict) -> String {
    let breach = verdict.breaches[contender].map(|breach| match breach {
        Breach::Slow { latency } => format!(
            "mean latency {latency:.2} under {} at {}, where conventional UGAL's is {:.2}",
            panel.uniform(),
            load_of(LIGHT_LOAD),
            verdict.yardstick.light_latency
        ),
        Breach::Saturated { guard, step } => format!(
            "saturated at {} under {}, where conventional UGAL carries {}",
            load_of(step),
            panel.guards[guard],
            load_of(verdict.yardstick.guard_steps[guard])
        ),
    });
    let met = verdict.standings.values[contender].len();
    let rounds = verdict.standings.rounds;
    match breach {
        _ if contender == CONVENTIONAL => "reference".to_owned(),
        Some(breach) if contender == verdict.chosen => {
            format!("chosen, since no candidate holds all guards; {breach}")
        }
        Some(breach) => format!("excluded: {breach}"),
        None if contender == verdict.chosen => "chosen".to_owned(),
        None if met < rounds => format!("dropped after {met} of {rounds} patterns"),
        None => "finished".to_owned(),
    }
}
