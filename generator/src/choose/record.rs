//! The manifest's entries of a choice: everything that was tried, with its result.
//!
//! Nothing here depends on time or on the number of threads.

use super::baseline::{GuardFailure, LIGHT_LOAD, LIGHT_MARGIN, MostRegret, TAIL_MARGIN, Tail};
use super::candidates::{ALL, LITERAL};
use super::contender::{Contender, Field};
use super::contest::ContestResult;
use super::objective::Finalist;
use super::panel::Panel;
use super::runner::{STEPS, load_of};
use super::step_one::{EPSILON, StepOneOutcome};
use tvlb_table_set::{
    Carried, ContenderEntry, ContestEntry, FrontierEntry, ModelEntry, ModelledEntry, PanelEntry,
    TailEntry,
};

/// The entry of Step 1.
pub(super) fn model_entry(modelled: &StepOneOutcome) -> ModelEntry {
    let report = &modelled.report;
    let mut figures: Vec<ModelledEntry> = Vec::new();
    for name in [ALL, LITERAL].into_iter().chain(report.candidates.iter().map(String::as_str)) {
        let result = report.sets.iter().find(|result| result.set == name);
        if let Some(result) = result.filter(|_| figures.iter().all(|known| known.set != name)) {
            figures.push(ModelledEntry {
                set: name.to_owned(),
                throughput: result.throughput.middle(),
                certified: result.throughput.value.is_some(),
                mean_hops: result.mean_hops,
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

pub(super) fn panel_entry(panel: &Panel, most_regret: MostRegret) -> PanelEntry {
    PanelEntry {
        size: panel.size.name().to_owned(),
        window: panel.window,
        warm_up: panel.warm_up,
        latency_limit: panel.latency_limit,
        destination_window: panel.destination_window(),
        resolution: 1.0 / f64::from(STEPS),
        score: panel.score.iter().map(ToString::to_string).collect(),
        guards: panel.guards.iter().map(ToString::to_string).collect(),
        most_regret: most_regret.0,
        light_load: load_of(LIGHT_LOAD),
        light_margin: LIGHT_MARGIN,
        tail_margin: TAIL_MARGIN,
    }
}

/// The part of a contest's entry that comes from the contest.
pub(super) fn contest_entry(
    scheme: &str,
    panel: &Panel,
    field: &Field,
    result: &ContestResult,
) -> ContestEntry {
    let contenders = Contender::all(field.count())
        .map(|contender| {
            let mut figures = result.references.iter().chain(&result.finalists);
            let latency = figures.find(|f| f.contender == contender).map(|f| f.latency);
            let standings = &result.standings;
            ContenderEntry {
                set: field.name(contender),
                origin: field.candidate(contender).origin,
                modelled: None,
                mean_hops: None,
                saturations: standings.values[contender].clone(),
                mean_saturation: standings.finished(contender).then(|| standings.mean(contender)),
                low_load_latency: latency,
                worst_served: None,
                worst_served_at_one_load: None,
                latency_near_saturation: None,
                regrets: result.regrets.get(&contender).cloned(),
                outcome: outcome(contender, panel, result),
            }
        })
        .collect();
    let baselines = &result.baselines;
    let frontier = if result.holds_guards { Vec::new() } else { frontier(result) };
    let on_frontier = frontier.into_iter().filter_map(|finalist| {
        Some(FrontierEntry {
            set: field.name(finalist.contender),
            mean_saturation: finalist.mean(),
            worst_guard: result.regrets.get(&finalist.contender)?.worst_guard.clone(),
        })
    });
    let tail_entry = |&Tail { guard, step, p99 }: &Tail| TailEntry {
        traffic: panel.guards[guard].event.to_string(),
        load: load_of(step),
        p99,
    };
    ContestEntry {
        scheme: scheme.to_owned(),
        low_load: load_of(baselines.low_step),
        served_load: load_of(baselines.served_step),
        score_baselines: baselines.score.clone(),
        guard_baselines: baselines.guards.clone(),
        light_latency: baselines.light_latency,
        tails: baselines.tails.iter().map(tail_entry).collect(),
        chosen: field.name(result.chosen),
        holds_guards: result.holds_guards,
        frontier: on_frontier.collect(),
        runner_up: result.runner_up().map(|contender| field.name(contender)),
        lead_over_runner_up: result.runner_up().map(|other| result.lead_over(other)),
        lead_over_paper: result.lead_over(Contender::PAPER),
        lead_over_conventional: result.lead_over(Contender::CONVENTIONAL),
        contenders,
        again: None,
    }
}

/// The finalists that no other one beats in both regret on the guards and saturation, the one with the least regret
/// first.
pub(super) fn frontier(result: &ContestResult) -> Vec<&Finalist> {
    let regret = |finalist: &Finalist| {
        result
            .regrets
            .get(&finalist.contender)
            .map_or(f64::INFINITY, |found| found.worst_guard.regret)
    };
    let mut by_regret: Vec<&Finalist> = result.finalists.iter().collect();
    by_regret.sort_by(|one, other| {
        regret(one)
            .total_cmp(&regret(other))
            .then(other.mean().total_cmp(&one.mean()))
            .then(one.contender.cmp(&other.contender))
    });
    let mut most = f64::NEG_INFINITY;
    by_regret.retain(|finalist| {
        let is_better = finalist.mean() > most;
        most = most.max(finalist.mean());
        is_better
    });
    by_regret
}

/// The outcome of a contender, in words.
fn outcome(contender: Contender, panel: &Panel, result: &ContestResult) -> String {
    let failure = result.failures[contender].map(|failure| match failure {
        GuardFailure::Slow { latency } => format!(
            "mean latency {latency:.2} under {} at {}, where conventional UGAL's is {:.2}",
            panel.uniform(),
            load_of(LIGHT_LOAD),
            result.baselines.light_latency
        ),
        GuardFailure::Tail { tail, p99 } => {
            let Tail { guard, step, p99: conventional } = &result.baselines.tails[tail];
            format!(
                "99th percentile of the latency {p99} under {} at {}, where conventional UGAL's is \
                 {conventional}",
                panel.guards[*guard].event,
                load_of(*step)
            )
        }
        GuardFailure::Saturated { guard, step } => {
            let carried: &Carried = &result.baselines.guards[guard];
            let who = match carried.best.as_str() {
                "min" => "MIN",
                "vlb" => "conventional VLB",
                _ => "conventional UGAL",
            };
            let (step, most) = (load_of(step), load_of(carried.most()));
            format!("saturated at {step} under {}, where {who} carries {most}", panel.guards[guard])
        }
    });
    let met = result.standings.values[contender].len();
    let rounds = result.standings.rounds;
    let is_reference = result.references.iter().any(|reference| reference.contender == contender);
    let is_finalist = result.finalists.iter().any(|finalist| finalist.contender == contender);
    match failure {
        None if contender != result.chosen && is_reference && !is_finalist => {
            "reference".to_owned()
        }
        Some(failure) if contender == result.chosen => {
            format!(
                "chosen, since no candidate holds all guards without losing more elsewhere; {failure}"
            )
        }
        Some(failure) if is_finalist => format!("finished, but {failure}"),
        Some(failure) if met > 0 && !is_reference => {
            format!("dropped after {met} of {rounds} patterns; {failure}")
        }
        Some(failure) => format!("excluded: {failure}"),
        None if contender == result.chosen => "chosen".to_owned(),
        None if met < rounds => format!("dropped after {met} of {rounds} patterns"),
        None => "finished".to_owned(),
    }
}
