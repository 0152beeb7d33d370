//! The tables of searches for the load of saturation.

use super::error::SweepError;
use super::figures::{last, subject};
use super::plan::{Plan, runs_in};
use super::summary::with_error;
use super::tables::Tables;
use serde::Deserialize;
use std::fmt::Write;
use std::path::Path;
use tvlb_simulator::{Estimate, IDENTITY_COLUMNS, setting_columns_heads};

/// What is read of a search's outcome.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Found {
    by_latency: f64,
    by_acceptance: f64,
    accepted_beyond: f64,
}

/// All searches that differ in nothing but the seed.
struct Seeds {
    subject: String,
    resolution: f64,
    last: String,
    found: Vec<Found>,
}

impl Seeds {
    /// What each criterion found, by its name: of the latency also what the network accepts beyond.
    fn by_criterion(&self) -> [(&'static str, Vec<f64>, Vec<f64>); 2] {
        let of = |figure: fn(&Found) -> f64| self.found.iter().map(figure).collect::<Vec<_>>();
        [
            ("latency", of(|found| found.by_latency), of(|found| found.accepted_beyond)),
            ("acceptance", of(|found| found.by_acceptance), Vec::new()),
        ]
    }
}

/// Merges the searches that are there.
pub(super) fn collect(plan: &Plan, directory: &Path) -> Result<Tables, SweepError> {
    let store = runs_in(directory)?;
    let (last_columns, mut found) = (setting_columns_heads(), 0);
    let mut runs = format!(
        "{IDENTITY_COLUMNS},seed,criterion,saturation,accepted-beyond,resolution,{last_columns}\n"
    );
    let mut summary = format!(
        "{IDENTITY_COLUMNS},criterion,seeds,saturation,saturation-error,accepted-beyond,\
         accepted-beyond-error,resolution,{last_columns}\n"
    );
    let mut all: Vec<Seeds> = Vec::new();
    for unit in &plan.units {
        let Some(outcome) = store.get::<Found>(&unit.subject)? else { continue };
        found += 1;
        let (subject, last) = (subject(plan, unit), last(plan, unit));
        let resolution = unit.subject.saturation.expect("a search has a resolution");
        let Found { by_latency, by_acceptance, accepted_beyond } = outcome;
        let seed = unit.subject.seed;
        let _ = writeln!(
            runs,
            "{subject},{seed},latency,{by_latency},{accepted_beyond},{resolution},{last}\n\
             {subject},{seed},acceptance,{by_acceptance},,{resolution},{last}"
        );
        // Seeds are the list that changes fastest.
        match all.last_mut().filter(|seeds| seeds.subject == subject && seeds.last == last) {
            Some(seeds) => seeds.found.push(outcome),
            None => all.push(Seeds { subject, resolution, last, found: vec![outcome] }),
        }
    }
    for seeds in &all {
        let Seeds { subject, resolution, last, found } = seeds;
        for (criterion, saturations, beyond) in seeds.by_criterion() {
            let beyond =
                if beyond.is_empty() { ",".to_owned() } else { with_error(Estimate::of(&beyond)) };
            let _ = writeln!(
                summary,
                "{subject},{criterion},{},{},{beyond},{resolution},{last}",
                found.len(),
                with_error(Estimate::of_multiples(&saturations, *resolution))
            );
        }
    }
    Ok(Tables { runs, summary, found })
}
