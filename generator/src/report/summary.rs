//! The summary at the head of the report, and sentences that its sections share.

use super::Subject;
use crate::choose::table::percent;
use crate::fabric::Fabric;
use crate::table_set::ContestEntry;
use crate::topology::summary::TopologySummary;
use crate::verify::Extent;
use std::fmt::Write;
use tvlb_chart::escaped;
use tvlb_chart::page::paragraph;
use tvlb_schema::{Decision, Dragonfly, GroupKind};

/// The first paragraphs: what the tables are, what was chosen, how much it carries, and what was
/// verified.
pub(super) fn summary(subject: &Subject<'_>) -> String {
    let df = subject.fabric.topology.dragonfly();
    let entry = &subject.manifest.fabric;
    let mut html = format!(
        "<p class=\"lead\">{}</p>\n",
        escaped(&format!(
            "Install-time tables for the {} switches of {}, a Dragonfly of {}.",
            df.switch_count(),
            entry.name,
            kinds_in_words(df)
        ))
    );
    html.push_str(&paragraph(&sets(subject)));
    match &subject.manifest.choice {
        Some(choice) if !choice.contests.is_empty() => {
            for contest in &choice.contests {
                html.push_str(&paragraph(&outcome(contest)));
            }
        }
        Some(choice) if choice.model.is_some() => html.push_str(&paragraph(
            "They were chosen by the throughput model alone (--fast): nothing was simulated.",
        )),
        Some(_) => html.push_str(&paragraph(
            "The fabric is too large to be modelled and nothing was simulated (--fast): this is a \
             set that suits most fabrics.",
        )),
        None => html.push_str(&paragraph(
            "They were given by the fabric file or on the command line, so nothing was modelled or \
             simulated; --set auto chooses them.",
        )),
    }
    html.push_str(&paragraph(certificate(subject)));
    html
}

/// "9 groups with 8 switches each and 4 nodes on every switch".
fn kinds_in_words(df: &Dragonfly) -> String {
    let words = |&GroupKind { p, a, g, .. }: &GroupKind| {
        format!("{g} groups with {a} switches each and {p} nodes on every switch")
    };
    df.kinds().iter().map(words).collect::<Vec<_>>().join(", and ")
}

fn sets(subject: &Subject<'_>) -> String {
    let sets = &subject.manifest.sets;
    let mut text = String::new();
    let mut told: Vec<&str> = Vec::new();
    for decision in Decision::ALL {
        let entry = sets.get(decision);
        if told.contains(&entry.set.as_str()) {
            continue;
        }
        told.push(&entry.set);
        let who: Vec<&str> = Decision::ALL
            .into_iter()
            .filter(|&other| sets.get(other).set == entry.set)
            .map(in_words)
            .collect();
        let draws = if who.len() > 1 { "draw" } else { "draws" };
        let hops = entry.mean_hops.map_or("no".to_owned(), |hops| format!("{hops:.2}"));
        let lead = if text.is_empty() { "" } else { " " };
        let _ = write!(
            text,
            "{lead}{} {draws} VLB paths from the set “{}”: {:.1} routes for each pair of switches \
             in different groups, {hops} hops of a draw on average.",
            capitalised(&listed(&who)),
            entry.set,
            entry.mean_routes
        );
    }
    text
}

fn in_words(decision: Decision) -> &'static str {
    match decision {
        Decision::UgalL => "UGAL-L",
        Decision::ParSource => "PAR at the source",
        Decision::ParSecond => "PAR's second look",
    }
}

/// "a", "a and b", "a, b and c".
pub(super) fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}

/// The outcome of a contest.
fn outcome(contest: &ContestEntry) -> String {
    let scheme = contest.scheme.to_uppercase();
    let saturation = |number: usize| contest.contenders.get(number)?.mean_saturation;
    let chosen = contest.chosen_entry().and_then(|entry| entry.mean_saturation);
    let mut text = match (chosen, saturation(0), saturation(1)) {
        (Some(ours), Some(conventional), paper) => {
            let paper = paper.map_or(String::new(), |paper| {
                format!(
                    " and {} what the choice of Rahman et al. (SC'19) carries ({paper:.3})",
                    compared(ours, paper)
                )
            });
            format!(
                "Under the adversarial traffic of Step 2, {scheme} with these paths carries {ours:.3} \
                 flits per node and cycle before it saturates: {} conventional {scheme} \
                 ({conventional:.3}){paper}.",
                compared(ours, conventional)
            )
        }
        _ => format!("Step 2 kept no saturation of {scheme}'s set."),
    };
    if !contest.holds_guards {
        text.push_str(" No candidate held all guards");
        if let Some(regrets) = contest.chosen_entry().and_then(|entry| entry.regrets.as_ref()) {
            let worst = &regrets.worst_guard;
            let _ = write!(
                text,
                ": under {} it carries {} less than the best of MIN, conventional VLB and \
                 conventional {scheme}",
                worst.traffic,
                percent(worst.regret)
            );
        }
        text.push('.');
    }
    text
}

/// "40% more than", "3% less than" or "as much as".
fn compared(one: f64, other: f64) -> String {
    let percent = if other > 0.0 { (100.0 * (one / other - 1.0)).round() } else { 0.0 };
    if percent > 0.0 {
        format!("{percent:.0}% more than")
    } else if percent < 0.0 {
        format!("{:.0}% less than", -percent)
    } else {
        "as much as".to_owned()
    }
}

fn certificate(subject: &Subject<'_>) -> &'static str {
    match subject.certificate.extent {
        Extent::Exhaustive => {
            "The written images were verified: a packet was sent down every path of every pair of \
             switches, each arrived, and no cycle of virtual channels can wait for each other, so \
             no deadlock can form."
        }
        Extent::Sampled { .. } => {
            "The written images were verified: a packet was sent down every minimal path and down a \
             sample of the others, each arrived, and the rank of its virtual channels rose at every \
             hop, so that these paths cannot deadlock."
        }
    }
}

/// How the groups are joined.
pub(super) fn wiring(fabric: &Fabric) -> String {
    let summary = TopologySummary::named(&fabric.topology, &fabric.names);
    let (least, most) = (summary.least_links_per_pair, summary.most_links_per_pair);
    let links = if least == most { format!("{least}") } else { format!("{least} to {most}") };
    let plural = if (least, most) == (1, 1) { "link" } else { "links" };
    let unused = match summary.unused_ports {
        0 => "every global port has a cable".to_owned(),
        unused => format!("{unused} global ports have none"),
    };
    let alike = if summary.rotation_invariant {
        "All groups are wired alike."
    } else {
        "The groups are not all wired alike."
    };
    let warnings = summary
        .warnings()
        .iter()
        .fold(String::new(), |text, warning| format!("{text} Warning: {warning}."));
    format!(
        "dfly({}, {}, {}, {}): {} nodes on {} switches, {} cables between groups, {links} {plural} \
         between every two; {unused}. {alike}{warnings}",
        summary.p,
        summary.a,
        summary.h,
        summary.g,
        summary.nodes,
        summary.switches,
        summary.global_cables
    )
}
