//! Fills in what the manifest keeps of a choice: everything that was tried and what became of it.
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
use crate::table_set::{
    ContenderEntry, ContestEntry, LeadEntry, ModelEntry, ModelledEntry, PanelEntry, rounded,
};
use std::collections::BTreeMap;

/// What contender 0 is called.
pub(super) const CONVENTIONAL_NAME: &str = "conventional";

/// What Step 1 found.
pub(super) fn model_entry(screened: &Screened) -> ModelEntry {
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
    ModelEntry {
        counting: report.counting.clone(),
        patterns: report.patterns.clone(),
        epsilon: EPSILON,
        sets: report.sets.len() as u64,
        candidates: report.candidates.clone(),
        figures,
    }
}

/// What Step 2 runs.
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

/// What is known of a contender apart from the contest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct About {
    /// Modelled throughput.
    pub(super) modelled: Option<f64>,
    /// Mean hops of a drawn VLB route.
    pub(super) mean_hops: Option<f64>,
}

/// `candidates` are contenders 1 and up; `about` says of each contender what else is known.
pub(super) fn contest_entry(
    scheme: &str,
    panel: &Panel,
    candidates: &[Candidate],
    verdict: &Verdict,
    about: &BTreeMap<usize, About>,
) -> ContestEntry {
    let name = |contender: usize| match contender.checked_sub(1) {
        None => CONVENTIONAL_NAME.to_owned(),
        Some(number) => candidates[number].name(),
    };
    let contenders = (0..=candidates.len())
        .map(|contender| {
            let about = about.get(&contender).copied().unwrap_or_default();
            let figures = verdict.references.iter().chain(&verdict.finalists);
            let latency = figures.filter(|f| f.contender == contender).map(|f| f.latency).next();
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
    ContestEntry {
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
