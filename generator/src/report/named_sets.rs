//! The sets of the decisions, each with a short name: "set A" and so on. Their texts are long, so a report introduces
//! each once, with a picture of its paths, and uses the name from then on.

use super::shapes::{self, Shares};
use super::subject::Subject;
use super::summary::listed;
use std::fmt::Write;
use tvlb_chart::escaped;
use tvlb_chart::page::paragraph;
use tvlb_schema::{Decision, MinCandidate};
use tvlb_table_set::{ContestEntry, Manifest, SetEntry};

/// A set with the decisions that draw from it.
pub(super) struct NamedSet<'m> {
    name: String,
    entry: &'m SetEntry,
    decisions: Vec<Decision>,
}

/// The sets of the manifest, without repetition, in the order of the decisions.
fn named(manifest: &Manifest) -> Vec<NamedSet<'_>> {
    let mut all: Vec<NamedSet<'_>> = Vec::new();
    for decision in Decision::ALL {
        let entry = manifest.sets.get(decision);
        // The weighing belongs to the decision.
        let is_same = |other: &SetEntry| other.set == entry.set && other.balance == entry.balance;
        if let Some(set) = all.iter_mut().find(|set| is_same(set.entry)) {
            set.decisions.push(decision);
        } else {
            let name = format!("set {}", ["A", "B", "C"][all.len()]);
            all.push(NamedSet { name, entry, decisions: vec![decision] });
        }
    }
    all
}

/// The short name of a decision's set.
pub(super) fn name_of(manifest: &Manifest, decision: Decision) -> String {
    let all = named(manifest);
    let own = all.into_iter().find(|set| set.decisions.contains(&decision));
    own.map_or_else(String::new, |set| set.name)
}

/// "ours, set A", or "ours, set B and then set C": the choice of a contest.
pub(super) fn ours(manifest: &Manifest, contest: &ContestEntry) -> String {
    if contest.scheme == "ugal-l" {
        return format!("ours, {}", name_of(manifest, Decision::UgalL));
    }
    let [source, second] =
        [Decision::ParSource, Decision::ParSecond].map(|decision| name_of(manifest, decision));
    if source == second {
        format!("ours, {source}")
    } else {
        format!("ours, {source} and then {second}")
    }
}

fn in_words(decision: Decision) -> &'static str {
    match decision {
        Decision::UgalL => "UGAL-L",
        Decision::ParSource => "PAR at the source",
        Decision::ParSecond => "PAR's second look",
    }
}

/// How a decision weighs MIN against VLB: "T = 0, 1x4 candidates, gate 1.25".
fn weighing(entry: &SetEntry) -> String {
    let (weighing, min) = entry.weighs();
    let min = match min {
        MinCandidate::Kept => String::new(),
        min => format!(", MIN = {}", min.name()),
    };
    format!("{weighing}{min}")
}

/// All sets, with their full texts and pictures of their paths.
pub(super) fn introduced(subject: &Subject<'_>) -> String {
    let mut html = String::from("<div class=\"cards\">\n");
    let mut sampled = None;
    for NamedSet { name, entry, decisions } in named(subject.manifest) {
        let who: Vec<&str> = decisions.iter().copied().map(in_words).collect();
        let hops = entry.mean_hops.map_or("no".to_owned(), |hops| format!("{hops:.2}"));
        let _ = writeln!(
            html,
            "<div class=\"card\"><h3>{}: {}</h3>\n<p><code>{}</code></p>",
            escaped(&capitalised(&name)),
            escaped(&listed(&who)),
            escaped(&entry.set)
        );
        let _ = writeln!(
            html,
            "<p>{:.1} routes for each pair of switches in different groups, {hops} hops of a draw on \
             average",
            entry.mean_routes
        );
        let mut told: Vec<(String, Vec<&str>)> = Vec::new();
        for (&decision, who) in decisions.iter().zip(&who) {
            let words = weighing(subject.manifest.sets.get(decision));
            match told.iter_mut().find(|(other, _)| *other == words) {
                Some((_, others)) => others.push(who),
                None => told.push((words, vec![who])),
            }
        }
        for (words, who) in &told {
            let who = if told.len() > 1 { format!("{}: ", listed(who)) } else { String::new() };
            let _ = writeln!(html, "<br>{}", escaped(&format!("{who}{words}")));
        }
        html.push_str("</p>\n");
        let shares =
            Shares::of((subject.images, subject.fabric.topology.ends()), decisions[0], entry.seed);
        sampled = sampled.or(shares.sampled);
        html.push_str(&shapes::picture(&shares, &name));
        html.push_str("</div>\n");
    }
    html.push_str("</div>\n");
    let of =
        sampled.map_or(String::new(), |pairs| format!(", of {pairs} sampled pairs of switches"));
    html.push_str(&paragraph(&format!(
        "The pictures are the shapes of paths from the source group through a third group to the destination: \
         dots are switches, upright lines hops within a group. Below each is the share of draws that have \
         it{of}."
    )));
    html
}

/// A text with its first letter large.
pub(super) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}
