//! The table that `tvlb generate` ends with: conventional UGAL, the paper's choice and ours.

use super::objective::Prefer;
use super::step_one::MOST_SWITCHES;
use crate::table_set::{ChoiceEntry, ContenderEntry, ContestEntry, LeadEntry};
use std::fmt::{self, Display};

/// With fewer patterns than this, the spread of a difference says nothing of its standard error: two
/// equal differences would pass for certainty.
const LEAST_PATTERNS: usize = 3;

/// Prints a choice.
pub struct Table<'c>(pub &'c ChoiceEntry);

impl Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChoiceEntry { model, panel, contests, prefer, .. } = self.0;
        match model {
            Some(model) => writeln!(
                f,
                "model    {} sets, {}; within {}% of the best: {}",
                model.sets,
                counted(model.patterns.len(), "pattern"),
                100.0 * model.epsilon,
                model.candidates.join("; ")
            )?,
            None => {
                writeln!(
                    f,
                    "model    not used: the fabric has more than {MOST_SWITCHES} switches"
                )?;
            }
        }
        let Some(panel) = panel else {
            let Some(model) = model else {
                return writeln!(
                    f,
                    "         a set that suits most fabrics; nothing was simulated"
                );
            };
            for figures in &model.figures {
                let about = if figures.certified { "" } else { "about " };
                writeln!(
                    f,
                    "         {}: {about}{:.4}, {:.2} hops",
                    figures.set, figures.throughput, figures.mean_hops
                )?;
            }
            return writeln!(f, "         chosen by the model alone; nothing was simulated");
        };
        writeln!(
            f,
            "panel    {}, {}; {} + {} windows of {} cycles; a run is saturated if its mean latency is \
             above {} cycles",
            counted(panel.score.len(), "adversarial pattern"),
            counted(panel.guard_count(), "guard"),
            panel.warm_up,
            1,
            panel.window,
            panel.latency_limit
        )?;
        if let Some(prefer) = prefer.as_deref().and_then(Prefer::of_name) {
            writeln!(f, "chosen   by {}: {}", prefer.name(), prefer.rule())?;
        }
        for contest in contests {
            writeln!(f)?;
            show(f, contest, panel.score.len())?;
        }
        writeln!(f)
    }
}

/// "1 guard", "2 guards".
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A mean over this many patterns with its standard error, which two differences say too little of.
pub(crate) fn lead_in_words(lead: LeadEntry, patterns: usize) -> String {
    if patterns < LEAST_PATTERNS {
        format!("{:+.4} (error not estimated)", lead.mean)
    } else {
        format!("{:+.4} ± {:.4}", lead.mean, lead.standard_error)
    }
}

fn show(f: &mut fmt::Formatter<'_>, contest: &ContestEntry, patterns: usize) -> fmt::Result {
    let mut rows: Vec<(String, &ContenderEntry)> = Vec::new();
    let references = contest.contenders.iter().zip(["", " (the paper's)"]);
    rows.extend(references.map(|(entry, note)| (format!("{}{note}", entry.set), entry)));
    if let Some(chosen) = contest.chosen_entry() {
        if chosen.set == rows[1].1.set {
            rows[1].0 = format!("{} (the paper's and ours)", chosen.set);
        } else {
            rows.push((format!("{} (ours)", chosen.set), chosen));
        }
    }
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    writeln!(
        f,
        "{:8} {:width$}  modelled  saturation   hops  latency at {}",
        contest.scheme, "VLB paths", contest.low_load
    )?;
    for (name, entry) in rows {
        writeln!(
            f,
            "         {name:width$}  {:>8}  {:>10}  {:>5}  {:>7}",
            Figure(entry.modelled, 4),
            Figure(entry.mean_saturation, 4),
            Figure(entry.mean_hops, 2),
            Figure(entry.low_load_latency, 2)
        )?;
    }
    writeln!(
        f,
        "         ahead of conventional by {}, of the paper's by {}",
        lead_in_words(contest.lead_over_conventional, patterns),
        lead_in_words(contest.lead_over_paper, patterns)
    )?;
    if let (Some(name), Some(lead)) = (&contest.runner_up, contest.lead_over_runner_up) {
        writeln!(f, "         of the next best by {}: {name}", lead_in_words(lead, patterns))?;
    }
    if !contest.holds_guards {
        writeln!(f, "         no candidate holds all guards; all VLB paths are used")?;
    }
    Ok(())
}

/// A figure, or a dash where there is none.
struct Figure(Option<f64>, usize);

impl Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(value) => f.pad(&format!("{value:.*}", self.1)),
            None => f.pad("-"),
        }
    }
}
