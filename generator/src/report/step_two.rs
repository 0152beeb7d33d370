//! Step 2: what was simulated, who won and why, and latency over load.

use super::{Subject, row};
use crate::choose::baseline::SERVED_LOAD;
use crate::choose::curves::Curve;
use crate::choose::objective::Prefer;
use crate::choose::table::{guards_by_traffic, lead_in_words, percent, without_holder, worst_of};
use crate::table_set::{BaselineEntry, ContenderEntry, ContestEntry, PanelEntry, RegretsEntry};
use std::fmt::Write;
use tvlb_chart::page::{figure_or_dash, on_demand, paragraph, table};
use tvlb_chart::{Axis, Ink, Mark, Plot, Series};

/// So many plots of a scheme are open, the others on demand.
const OPEN: usize = 2;

pub(super) fn body(subject: &Subject<'_>) -> String {
    let Some(choice) = &subject.manifest.choice else {
        return paragraph(
            "The sets were given, so none was simulated. tvlb simulate simulates any table set.",
        );
    };
    let Some(panel) = &choice.panel else {
        return paragraph(
            "Nothing was simulated: the choice was asked for by the model alone (--fast).",
        );
    };
    let mut html = paragraph(&words(panel, choice.prefer.as_deref()));
    for contest in &choice.contests {
        let _ = writeln!(html, "<h3>{}</h3>", contest.scheme.to_uppercase());
        html.push_str(&paragraph(&why(contest, panel, choice.prefer.as_deref())));
        html.push_str(&table(&HEAD, references(contest)));
        html.push_str(&regrets(contest, panel));
        let curves = subject.plot_data.map_or(&[][..], |data| &data.curves);
        html.push_str(&plots(contest, panel, curves));
        let rows = contest.contenders.iter().map(|entry| {
            let mut row = cells(&entry.set, entry);
            row.push(entry.outcome.clone());
            row
        });
        let head = [&HEAD[..], &["what became of it"]].concat();
        let all = table(&head, rows);
        html.push_str(&on_demand(
            &format!("All {} that were tried", contest.contenders.len()),
            &all,
        ));
    }
    html
}

const HEAD: [&str; 6] =
    ["VLB paths", "modelled", "saturation", "mean hops", "latency at low load", "worst served"];

fn cells(name: &str, entry: &ContenderEntry) -> Vec<String> {
    vec![
        name.to_owned(),
        figure_or_dash(entry.modelled, 4),
        figure_or_dash(entry.mean_saturation, 4),
        figure_or_dash(entry.mean_hops, 2),
        figure_or_dash(entry.low_load_latency, 2),
        figure_or_dash(entry.worst_served, 2),
    ]
}

/// Conventional UGAL, the paper's choice and ours.
fn references(contest: &ContestEntry) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (number, entry) in contest.contenders.iter().take(2).enumerate() {
        let note = match (number, entry.set == contest.chosen) {
            (0, _) => "",
            (_, false) => " (the paper's choice)",
            (_, true) => " (the paper's choice and ours)",
        };
        rows.push(cells(&format!("{}{note}", entry.set), entry));
    }
    if let Some(chosen) = contest.chosen_entry()
        && contest.contenders.get(1).is_none_or(|paper| paper.set != chosen.set)
    {
        rows.push(cells(&format!("{} (ours)", chosen.set), chosen));
    }
    rows
}

/// What each of the three loses on each traffic, and, where no candidate holds all guards, what else
/// could be had.
fn regrets(contest: &ContestEntry, panel: &PanelEntry) -> String {
    let of_references = contest.contenders.iter().take(2).chain(contest.chosen_entry());
    let regrets: Vec<_> = of_references.map(|entry| entry.regrets.as_ref()).collect();
    let row =
        |traffic: &str, carried: &BaselineEntry, worst: &dyn Fn(&RegretsEntry) -> Option<f64>| {
            let e = format!("{:.2} ({})", carried.most(), carried.best);
            let each = regrets.iter().map(|r| r.and_then(worst).map_or("–".to_owned(), percent));
            [traffic.to_owned(), e].into_iter().chain(each).collect::<Vec<String>>()
        };
    let score = panel.score.iter().zip(&contest.score_baselines).enumerate();
    let mut rows: Vec<Vec<String>> = score
        .map(|(number, (traffic, carried))| {
            row(traffic, carried, &|regrets| regrets.score.get(number).copied())
        })
        .collect();
    for numbers in guards_by_traffic(panel) {
        let worst = |regrets: &RegretsEntry| worst_of(&regrets.guards, numbers.iter().copied());
        if let Some(carried) = contest.guard_baselines.get(numbers[0]) {
            rows.push(row(&panel.guards[numbers[0]], carried, &worst));
        }
    }
    let head =
        ["traffic", "E (carried by)", "regret of conventional", "of the paper's choice", "of ours"];
    let mut html = table(&head, rows);
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
         it is saturated where its mean latency is above {} cycles. Worst served is what the network \
         delivers of the node that is served worst, over the mean of all nodes, at {SERVED_LOAD}% of the set's \
         own saturation.{rule}",
        panel.score.len(),
        panel.guard_count(),
        panel.most_regret,
        panel.light_margin,
        panel.light_load,
        panel.tail_margin,
        panel.warm_up,
        panel.window,
        panel.latency_limit
    )
}

fn why(contest: &ContestEntry, panel: &PanelEntry, prefer: Option<&str>) -> String {
    let ahead = |lead| lead_in_words(lead, panel.score.len());
    let runner_up = match (&contest.runner_up, contest.lead_over_runner_up) {
        (Some(name), Some(lead)) => format!(", of “{name}”, the next best, by {}", ahead(lead)),
        _ => String::new(),
    };
    let held = if contest.holds_guards {
        format!(
            "it held all {} guards and was best by {}",
            panel.guard_count(),
            prefer.unwrap_or("throughput")
        )
    } else {
        without_holder(contest, panel)
    };
    format!(
        "“{}” was chosen: {held}. In mean saturation it is ahead of conventional by {}, of the \
         paper's choice by {}{runner_up}. Latencies at low load are at {:.2} flits per node and cycle.",
        contest.chosen,
        ahead(contest.lead_over_conventional),
        ahead(contest.lead_over_paper),
        contest.low_load
    )
}

/// Latency over load, for each traffic that was run.
fn plots(contest: &ContestEntry, panel: &PanelEntry, curves: &[Curve]) -> String {
    let limit = f64::from(panel.latency_limit);
    let mut traffics: Vec<&str> = Vec::new();
    for name in panel.score.iter().chain(&panel.guards) {
        let is_new = !traffics.contains(&name.as_str());
        if is_new && curves.iter().any(|curve| curve.traffic == *name) {
            traffics.push(name);
        }
    }
    let draw = |traffic: &&str| {
        let of = |curve: &&Curve| curve.scheme == contest.scheme && curve.traffic == **traffic;
        let series: Vec<Series> =
            curves.iter().filter(of).map(|curve| series(contest, curve, limit)).collect();
        let most = series.iter().flat_map(|s| &s.marks).map(|mark| mark.x).fold(0.1, f64::max);
        let svg = Plot {
            title: format!("{}, {traffic}", contest.scheme),
            x: Axis::new("load (flits per node and cycle)", 0.0, most),
            y: Axis::new("mean latency (cycles)", 0.0, limit),
            level: Some((
                limit,
                format!("saturated: mean latency above {} cycles", panel.latency_limit),
            )),
            series,
        };
        let loads = "An arrow is the first load that was found to saturate; marks are the loads that the search looked at.";
        (svg.svg(), format!("{traffic}. {loads}"))
    };
    let open = traffics.iter().take(OPEN).map(draw);
    let mut html = row(open);
    if traffics.len() > OPEN {
        let rest = row(traffics.iter().skip(OPEN).map(draw));
        html.push_str(&on_demand(
            &format!("The other {} kinds of traffic", traffics.len() - OPEN),
            &rest,
        ));
    }
    html
}

fn series(contest: &ContestEntry, curve: &Curve, limit: f64) -> Series {
    let is = |number: usize| {
        contest.contenders.get(number).is_some_and(|entry| entry.set == curve.contender)
    };
    let (ink, note) = if is(0) {
        (Ink::Conventional, "")
    } else if curve.contender == contest.chosen {
        (Ink::Ours, if is(1) { " (the paper's choice and ours)" } else { " (ours)" })
    } else {
        (Ink::Paper, " (the paper's choice)")
    };
    let name = if curve.contender.len() + note.len() < 56 {
        format!("{}{note}", curve.contender)
    } else {
        note.trim_matches([' ', '(', ')']).to_owned()
    };
    let first_saturated = curve.points.iter().position(|point| point.saturated);
    let shown = first_saturated.map_or(curve.points.len(), |position| position + 1);
    let marks = curve.points.iter().take(shown).map(|point| Mark {
        x: point.load,
        y: (!point.saturated).then_some(point.latency.min(limit)),
        error: 0.0,
        hover: if point.saturated {
            format!("{name}: saturated at {:.2}", point.load)
        } else {
            format!("{name}: {:.1} cycles at {:.2}", point.latency, point.load)
        },
    });
    Series { marks: marks.collect(), name: name.clone(), ink, joined: true }
}
