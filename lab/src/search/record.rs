//! The outcome of a search for mixtures, for JSON and as a table.
//!
//! Nothing here depends on time or on the number of threads.

use super::leads::REGRET_WEIGHT;
use super::{LATENCY_WEIGHT, Mixture, SearchOutcome, SearchSettings};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use tvlb_base::row;
use tvlb_base::table::{Column, Table};
use tvlb_generator::checked_fabric::CheckedFabric;
use tvlb_generator::choose::Contender;
use tvlb_generator::choose::candidates::PolicyCandidate;
use tvlb_generator::choose::trial::TrialFigures;
use tvlb_table_set::all_rounded;
use tvlb_table_set::grammar::CONVENTIONAL;

/// Rows of the table at most; JSON has them all.
const MOST_ROWS: usize = 24;

/// A search and what it has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SearchEntry {
    /// `ugal-l` or `par`.
    pub scheme: String,
    /// The names of the fabrics, in the order of all figures.
    pub fabrics: Vec<String>,
    /// The seed of the panel and of the draws of mixtures.
    pub seed: u64,
    /// `standard` or `quick`.
    pub panel: String,
    /// The value of a doubled mean latency at low load, in saturation.
    pub latency_weight: f64,
    /// How much regret on a guard costs nothing, in percent.
    pub most_regret: u32,
    /// The cost of more regret, in saturation.
    pub regret_weight: f64,
    /// Mixtures that were tried at all.
    pub tried: u64,
    /// Runs of the simulator that they took.
    pub runs: u64,
    /// Conventional UGAL, the paper's choice, then the mixtures that were tried to the end, the best first.
    pub mixtures: Vec<MixtureEntry>,
}

/// A mixture that was tried to the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MixtureEntry {
    /// Its policies, as `generate --try-policy` reads them; or `conventional`.
    pub policies: String,
    pub objective: f64,
    /// Whether nothing else is at least as good in all of throughput, regret and latency.
    pub on_front: bool,
    /// The preferences that choose it.
    pub preferred_for: Vec<String>,
    /// By fabric, mean saturation over the score patterns.
    pub saturation: Vec<f64>,
    /// By fabric, the worst regret on a guard.
    pub worst_regret: Vec<f64>,
    /// By fabric, mean latency under uniform traffic at half the load that conventional UGAL carries.
    pub uniform_latency: Vec<f64>,
    /// By fabric, mean latency of the score patterns at low load.
    pub low_load_latency: Vec<f64>,
}

impl SearchEntry {
    /// The entry of a search on these fabrics.
    pub(super) fn of(
        fabrics: &[CheckedFabric<'_>],
        options: &SearchSettings,
        found: &SearchOutcome,
    ) -> Self {
        let entry = |(number, mixture): (Contender, &Mixture)| {
            let preferred = found.preferred.iter().filter(|(_, preferred)| *preferred == number);
            let of =
                |figure: fn(&TrialFigures) -> f64| mixture.figures.iter().map(figure).collect();
            MixtureEntry {
                policies: mixture
                    .candidate
                    .as_ref()
                    .map_or_else(|| CONVENTIONAL.to_owned(), PolicyCandidate::name),
                objective: mixture.objective,
                on_front: mixture.is_on_front,
                preferred_for: preferred.map(|(prefer, _)| prefer.name().to_owned()).collect(),
                saturation: of(TrialFigures::saturation),
                worst_regret: of(|figures| figures.regrets.worst_guard.regret),
                uniform_latency: of(|figures| figures.uniform_latency),
                low_load_latency: of(|figures| figures.low_load_latency),
            }
        };
        all_rounded(&Self {
            scheme: options.scheme.name().to_owned(),
            fabrics: fabrics.iter().map(|fabric| fabric.file.name.clone()).collect(),
            seed: options.seed,
            panel: options.panel.name().to_owned(),
            latency_weight: LATENCY_WEIGHT,
            most_regret: options.most_regret.0,
            regret_weight: REGRET_WEIGHT,
            tried: found.tried as u64,
            runs: found.runs as u64,
            mixtures: Contender::all(found.mixtures.len())
                .zip(&found.mixtures)
                .map(entry)
                .collect(),
        })
    }
}

/// A table of the references, the front, and the preferred mixtures.
impl Display for SearchEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} on {}: {} mixtures in {} runs, {} to the end",
            self.scheme,
            self.fabrics.join(", "),
            self.tried,
            self.runs,
            self.mixtures.len() - Contender::PUBLISHED.len()
        )?;
        let mut table = Table::new(vec![
            Column::number("J", 4, ""),
            Column::number("throughput", 3, ""),
            Column::number("regret", 3, ""),
            Column::number("uniform", 1, ""),
            Column::number("low load", 1, ""),
            Column::words("policies", ""),
        ]);
        let shown = |(position, entry): &(usize, &MixtureEntry)| {
            *position < Contender::PUBLISHED.len()
                || entry.on_front
                || !entry.preferred_for.is_empty()
        };
        let rows: Vec<_> = self.mixtures.iter().enumerate().filter(shown).collect();
        for (position, entry) in rows.iter().take(MOST_ROWS) {
            let note = match position {
                0 => String::new(),
                1 => " (the paper's)".to_owned(),
                _ if entry.preferred_for.is_empty() => String::new(),
                _ => format!(" [{}]", entry.preferred_for.join(", ")),
            };
            table.push(row![
                entry.objective,
                each(&entry.saturation, 3),
                each(&entry.worst_regret, 3),
                each(&entry.uniform_latency, 1),
                each(&entry.low_load_latency, 1),
                format!("{}{note}", entry.policies),
            ]);
        }
        write!(f, "\n{table}")?;
        if rows.len() > MOST_ROWS {
            writeln!(
                f,
                "... and {} more on the front; --json has them all",
                rows.len() - MOST_ROWS
            )?;
        }
        Ok(())
    }
}

/// One figure for each fabric.
fn each(figures: &[f64], decimals: usize) -> String {
    let each: Vec<String> = figures.iter().map(|value| format!("{value:.decimals$}")).collect();
    each.join("/")
}
