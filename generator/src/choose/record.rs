//! The manifest's entries of a choice: everything that was tried and what became of it.
//!
//! Figures are rounded to six decimals, so that no platform's last bit shows, and nothing here
//! depends on time or on the number of threads.

use super::baseline::{GUARD_MARGIN, GuardFailure, LIGHT_LOAD, LIGHT_MARGIN};
use super::candidates::{FALLBACK, LITERAL};
use super::contender::{Contender, Field};
use super::contest::{ContestResult, Lead};
use super::panel::Panel;
use super::runner::{STEPS, load_of};
use super::step_one::{EPSILON, Modelled};
use crate::table_set::{
    ContenderEntry, ContestEntry, LeadEntry, ModelEntry, ModelledEntry, PanelEntry, rounded,
};
use std::collections::BTreeMap;

/// The entry of Step 1.
pub(super) fn model_entry(modelled: &Modelled) -> ModelEntry {
    let report = &modelled.report;
    let mut figures: Vec<ModelledEntry> = Vec::new();
    for name in [FALLBACK, LITERAL].into_iter().chain(report.candidates.iter().map(String::as_str))
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
    ModelEntry {
        counting: report.counting.clone(),
        patterns: report.patterns.clone(),
        epsilon: EPSILON,
        sets: report.sets.len() as u64,
        candidates: report.candidates.clone(),
        figures,
    }
}

/// The entry of the panel.
pub(super) fn panel_entry(panel: &Panel) -> PanelEntry {
    PanelEntry {
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

impl From<Lead> for LeadEntry {
    fn from(lead: Lead) -> Self {
        Self { mean: rounded(lead.mean), standard_error: rounded(lead.error) }
    }
}

/// Figures of a contender that do not come from the contest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct About {
    /// The modelled throughput.
    pub(super) modelled: Option<f64>,
    /// The mean hops of a drawn VLB route.
    pub(super) mean_hops: Option<f64>,
}

/// The entry of a contest; `about` has figures of some contenders that do not come from it.
pub(super) fn contest_entry(
    scheme: &str,
    panel: &Panel,
    field: &Field,
    result: &ContestResult,
    about: &BTreeMap<Contender, About>,
) -> ContestEntry {
    let contenders = Contender::all(field.count())
        .map(|contender| {
            let about = about.get(&contender).copied().unwrap_or_default();
            let mut figures = result.references.iter().chain(&result.finalists);
            let latency = figures.find(|f| f.contender == contender).map(|f| f.latency);
            let standings = &result.standings;
            let origin = field.candidate(contender).map(|candidate| candidate.origin);
            ContenderEntry {
                set: field.name(contender),
                origin: origin.map(|origin| origin.name().to_owned()),
                modelled: about.modelled.map(rounded),
                mean_hops: about.mean_hops.map(rounded),
                saturations: standings.values[contender].clone(),
                mean_saturation: standings
                    .finished(contender)
                    .then(|| rounded(standings.mean(contender))),
                low_load_latency: latency.map(rounded),
                outcome: outcome(contender, panel, result),
            }
        })
        .collect();
    let baseline = &result.baseline;
    ContestEntry {
        scheme: scheme.to_owned(),
        low_load: load_of(baseline.low_step),
        guard_saturations: baseline.guard_steps.iter().copied().map(load_of).collect(),
        light_latency: rounded(baseline.light_latency),
        chosen: field.name(result.chosen),
        holds_guards: !result.none_holds,
        runner_up: result.runner_up().map(|contender| field.name(contender)),
        lead_over_runner_up: result.runner_up().map(|other| result.lead_over(other).into()),
        lead_over_paper: result.lead_over(Contender::PAPER).into(),
        lead_over_conventional: result.lead_over(Contender::CONVENTIONAL).into(),
        contenders,
    }
}

/// What became of a contender, in words.
fn outcome(contender: Contender, panel: &Panel, result: &ContestResult) -> String {
    let failure = result.failures[contender].map(|failure| match failure {
        GuardFailure::Slow { latency } => format!(
            "mean latency {latency:.2} under {} at {}, where conventional UGAL's is {:.2}",
            panel.uniform(),
            load_of(LIGHT_LOAD),
            result.baseline.light_latency
        ),
        GuardFailure::Saturated { guard, step } => format!(
            "saturated at {} under {}, where conventional UGAL carries {}",
            load_of(step),
            panel.guards[guard],
            load_of(result.baseline.guard_steps[guard])
        ),
    });
    let met = result.standings.values[contender].len();
    let rounds = result.standings.rounds;
    match failure {
        _ if contender == Contender::CONVENTIONAL => "reference".to_owned(),
        Some(failure) if contender == result.chosen => {
            format!("chosen, since no candidate holds all guards; {failure}")
        }
        Some(failure) => format!("excluded: {failure}"),
        None if contender == result.chosen => "chosen".to_owned(),
        None if met < rounds => format!("dropped after {met} of {rounds} patterns"),
        None => "finished".to_owned(),
    }
}
