//! The table that `tvlb generate` ends with: conventional UGAL, the paper's choice and ours.

use super::record::{ChoiceEntry, ContenderEntry, ContestEntry};
use super::screen::MOST_SWITCHES;
use std::fmt::{self, Display};

/// Prints a choice.
pub struct Table<'c>(pub &'c ChoiceEntry);

impl Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChoiceEntry { model, panel, contests, .. } = self.0;
        match model {
            Some(model) => writeln!(
                f,
                "model    {} sets, {} patterns; within {}% of the best: {}",
                model.sets,
                model.patterns.len(),
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
            "panel    {} adversarial patterns, {} guards; {} + {} windows of {} cycles; saturated above {} cycles",
            panel.score.len(),
            panel.guards.len(),
            panel.warm_up,
            1,
            panel.window,
            panel.latency_limit
        )?;
        for contest in contests {
            writeln!(f)?;
            show(f, contest)?;
        }
        writeln!(f)
    }
}

fn show(f: &mut fmt::Formatter<'_>, contest: &ContestEntry) -> fmt::Result {
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
    let paper = contest.lead_over_paper;
    let conventional = contest.lead_over_conventional;
    writeln!(
        f,
        "         ahead of conventional by {:.4} ± {:.4}, of the paper's by {:.4} ± {:.4}",
        conventional.mean, conventional.standard_error, paper.mean, paper.standard_error
    )?;
    if let (Some(name), Some(lead)) = (&contest.runner_up, contest.lead_over_runner_up) {
        writeln!(
            f,
            "         next best: {name}, by {:+.4} ± {:.4}",
            0.0 - lead.mean,
            lead.standard_error
        )?;
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
