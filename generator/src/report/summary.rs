//! Sentences that the head of the report and its sections share.

use super::subject::Subject;
use crate::choose::table::percent;
use crate::counted::counted;
use crate::fabric::Fabric;
use std::collections::BTreeSet;
use std::fmt::Write;
use tvlb_chart::page::{figure, side_by_side};
use tvlb_schema::GroupKind;
use tvlb_simulator::Scheme;
use tvlb_table_set::ContestEntry;
use tvlb_topology::Topology;
use tvlb_topology::dragonfly_plus::leaves;
use tvlb_topology::summary::TopologySummary;
use tvlb_verify::Extent;

/// "a Dragonfly of 9 groups with 8 switches each and 4 nodes on every switch", or "a Dragonfly+ of 9 groups with 4
/// leaves and 4 spines each and 4 nodes on every leaf".
pub(super) fn kinds_in_words(topology: &Topology) -> String {
    let df = topology.dragonfly();
    let leaves = leaves(topology);
    let groups: BTreeSet<usize> = df
        .groups()
        .map(|group| df.indices(group).filter(|&i| leaves.contains(&df.switch(group, i))).count())
        .collect();
    if let ([leaves], true) = (&*Vec::from_iter(groups), df.is_even() && !leaves.is_empty()) {
        let of = |count: u32, what| counted(count.into(), what);
        let spines = df.a() - u32::try_from(*leaves).expect("at most all switches");
        return format!(
            "a Dragonfly+ of {} with {} and {} each and {} on every leaf",
            of(df.g(), "group"),
            counted(*leaves as u64, "leaf"),
            of(spines, "spine"),
            of(df.p(), "node")
        );
    }
    let words = |GroupKind { p, a, g, .. }: GroupKind| {
        let of = |count: u16, what| counted(count.into(), what);
        let each = if g == 1 { "" } else { " each" };
        format!(
            "{} with {}{each} and {} on every switch",
            of(g, "group"),
            of(a, "switch"),
            of(p, "node")
        )
    };
    format!("a Dragonfly of {}", df.kinds().map(words).collect::<Vec<_>>().join(", and "))
}

/// "a", "a and b", "a, b and c".
pub(super) fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

/// A scheme's name in sentences, from its name in files.
pub(super) fn scheme_in_words(name: &str) -> String {
    if name == Scheme::UgalGroup.name() {
        "UGAL by the group".to_owned()
    } else {
        name.to_uppercase()
    }
}

/// The losses of a set if no candidate holds all guards.
pub(super) fn guards_not_held(contest: &ContestEntry) -> String {
    let scheme = scheme_in_words(&contest.scheme);
    let mut text = format!("No candidate of {scheme} held all guards");
    if let Some(regrets) = contest.chosen_entry().and_then(|entry| entry.regrets.as_ref()) {
        let worst = &regrets.worst_guard;
        let _ = write!(
            text,
            ": under {} it carries {} less than the best of MIN, conventional VLB and conventional \
             {scheme}",
            worst.traffic,
            percent(worst.regret)
        );
    }
    text.push('.');
    text
}

/// How the images were verified.
pub(super) fn certificate(subject: &Subject<'_>) -> &'static str {
    match subject.certificate.extent {
        Extent::Exhaustive => {
            "The written images were verified: every path of every pair of switches was followed \
             hop by hop and arrives, and no cycle of virtual channels can wait for each other, so \
             no deadlock can form."
        }
        Extent::Sampled { .. } => {
            "The written images were verified: every path of every pair of switches was followed \
             hop by hop and arrives, and no cycle of virtual channels can wait for each other, so \
             no deadlock can form. The routes of sets were counted for a sample of the pairs."
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
        1 => "one global port has none".to_owned(),
        unused => format!("{unused} global ports have none"),
    };
    let alike = if summary.rotation_invariant {
        "All groups are wired alike."
    } else {
        "The groups are not all wired alike."
    };
    let apart = match summary.pairs_without_local_link {
        0 => String::new(),
        1 => " One pair of switches of one group shares no local link.".to_owned(),
        pairs => format!(" {pairs} pairs of switches of one group share no local link."),
    };
    let warnings = summary
        .warnings()
        .iter()
        .fold(String::new(), |text, warning| format!("{text} Warning: {warning}."));
    format!(
        "dfly({}, {}, {}, {}): {} on {} switches, {} between groups, {links} {plural} \
         between every two; {unused}. {alike}{apart}{warnings}",
        summary.p,
        summary.a,
        summary.h,
        summary.g,
        counted(summary.nodes.into(), "node"),
        summary.switches,
        counted(summary.global_cables as u64, "cable")
    )
}

/// Two pictures or more in a row, from their SVG and captions.
pub(super) fn row(pictures: impl IntoIterator<Item = (String, String)>) -> String {
    let figures: String =
        pictures.into_iter().map(|(svg, caption)| figure(&svg, &caption)).collect();
    side_by_side(&figures)
}
