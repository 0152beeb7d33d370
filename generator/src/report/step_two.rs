//! Step 2: what was simulated, the winner, and the reasons.

use super::named_sets::{capitalised, ours};
use super::subject::Subject;
use super::summary::scheme_in_words;
use crate::choose::baseline::NEAR_SATURATION_LOAD;
use crate::choose::objective::Prefer;
use crate::choose::table::{
    compared, figures, lead_in_words, passing_limit_later, percent, regret_rows, windows_in_words,
    with_regrets, without_holder,
};
use crate::counted::counted;
use std::fmt::Write;
use tvlb_chart::page::{on_demand, paragraph, table};
use tvlb_table_set::{ContenderEntry, ContestEntry, PanelEntry};

pub(super) fn body(subject: &Subject<'_>) -> String {
    let Some(choice) = &subject.manifest.choice else {
        return paragraph(
            "The sets were given, so none was simulated. tvlb simulate simulates any table set.",
        );
    };
    let Some(panel) = &choice.panel else {
        return paragraph(
            "Nothing was simulated: the choice was made by the model alone (--fast).",
        );
    };
    let mut html = paragraph(&words(panel, choice.prefer.as_deref()));
    for contest in &choice.contests {
        let ours = ours(subject.manifest, contest);
        let _ = writeln!(html, "<h3>{}</h3>", scheme_in_words(&contest.scheme));
        html.push_str(&paragraph(&why(contest, panel, choice.prefer.as_deref(), &ours)));
        let rows = compared(contest, &ours).into_iter().map(|(name, entry)| cells(&name, entry));
        html.push_str(&table(&HEAD, rows));
        if let Some(text) = passing_limit_later(contest, panel, &ours) {
            html.push_str(&paragraph(&capitalised(&format!("{text}."))));
        }
        html.push_str(&regrets(contest, panel));
        html.push_str(&on_demand("What these names stand for", &texts(contest, &ours)));
        let rows = contest.contenders.iter().map(|entry| {
            let mut row = cells(&entry.set, entry);
            row.push(entry.outcome.clone());
            row
        });
        let head = [&HEAD[..], &["outcome"]].concat();
        let all = table(&head, rows);
        html.push_str(&on_demand(
            &format!("All {} that were tried", contest.contenders.len()),
            &all,
        ));
    }
    html
}

/// The full texts of a contest's short names.
fn texts(contest: &ContestEntry, ours: &str) -> String {
    let references = contest.references().map(|(name, entry)| (name, entry.set.as_str()));
    let mut rows: Vec<(&str, &str)> = references.filter(|(name, set)| name != set).collect();
    rows.push((ours, &contest.chosen));
    if let Some(next) = &contest.runner_up {
        rows.push(("the next best", next));
    }
    let rows = rows.into_iter().map(|(name, text)| vec![name.to_owned(), text.to_owned()]);
    table(&["name", "VLB paths"], rows)
}

const HEAD: [&str; 7] = [
    "VLB paths",
    "modelled",
    "saturation",
    "mean hops",
    "latency at low load",
    "worst served",
    "at one load",
];

fn cells(name: &str, entry: &ContenderEntry) -> Vec<String> {
    [name.to_owned()].into_iter().chain(figures(entry, "–")).collect()
}

/// What each of the compared contenders loses on each traffic, and the alternatives if no candidate holds all guards.
fn regrets(contest: &ContestEntry, panel: &PanelEntry) -> String {
    let compared = with_regrets(contest);
    let regrets = compared.iter().map(|(name, _)| format!("regret of {name}"));
    let head = ["traffic", "E", "carried by"].map(str::to_owned).into_iter().chain(regrets);
    let head: Vec<String> = head.collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut html = table(&head, regret_rows(contest, panel, "–"));
    if !contest.frontier.is_empty() {
        let rows = contest.frontier.iter().map(|entry| {
            vec![
                entry.set.clone(),
                format!("{:.4}", entry.mean_saturation),
                format!("{}, {}", percent(entry.worst_guard.regret), entry.worst_guard.traffic),
            ]
        });
        html.push_str(&table(&["VLB paths", "saturation", "worst regret on a guard"], rows));
    }
    html
}

fn words(panel: &PanelEntry, prefer: Option<&str>) -> String {
    let rule = prefer.and_then(Prefer::of_name).map_or(String::new(), |prefer| {
        format!(" Of what finished, {} was chosen.", prefer.rule())
    });
    format!(
        "Each candidate's images were made in memory, booted, and run cycle by cycle under {} adversarial \
         patterns, all with the same random numbers. The regret on a traffic is 1 - S/E, where S is the \
         saturation and E the largest of those of MIN, conventional VLB and conventional UGAL. On {} \
         guards a candidate's regret may be {}% at most. Its mean latency may be at most {}% above \
         conventional UGAL's under uniform traffic at {}, and the 99th percentile of its latency at most \
         {}% above at half of what conventional UGAL carries. A run takes {} windows of {} cycles and one more that is measured; \
         it is saturated if its mean latency is above {} cycles. In all runs sources {}. Worst served is the throughput \
         of the worst served node, over the mean of all nodes, at {NEAR_SATURATION_LOAD}% of the set's \
         own saturation.{rule}",
        panel.score.len(),
        panel.guards.len(),
        panel.most_regret,
        panel.light_margin,
        panel.light_load,
        panel.tail_margin,
        panel.warm_up,
        panel.window,
        panel.latency_limit,
        windows_in_words(panel)
    )
}

/// Why the chosen set was chosen.
fn why(contest: &ContestEntry, panel: &PanelEntry, prefer: Option<&str>, ours: &str) -> String {
    let ahead = |lead| lead_in_words(lead, panel.score.len());
    let next_best = contest.lead_over_runner_up.map_or(String::new(), |lead| {
        let mean = lead.mean + 0.0;
        format!(" In mean saturation it differs from the next best by {mean:+.4}, its own less the other's.")
    });
    let held = if contest.holds_guards {
        let guards = counted(panel.guards.len() as u64, "guard");
        let rule = prefer.and_then(Prefer::of_name).unwrap_or_default().rule();
        format!("among the candidates that held all {guards} it has {rule}")
    } else {
        without_holder(contest, panel)
    };
    format!(
        "Chosen was {ours}: {held}. Its mean saturation is ahead of that of conventional by {}, of the paper's \
         choice by {}.{next_best} Latencies at low load are at {:.2} flits per node and cycle; the one load at \
         which it is said who is served worst is {:.2}.",
        ahead(contest.lead_over_conventional),
        ahead(contest.lead_over_paper),
        contest.low_load,
        contest.served_load
    )
}
