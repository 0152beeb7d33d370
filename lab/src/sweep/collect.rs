//! Merging the runs of a sweep into tables, in the order of the sweep file.

use super::error::SweepError;
use super::figures::{Figures, last, subject};
use super::plan::{Plan, runs_in};
use super::saturation;
use super::summary::Summary;
use super::tables::Tables;
use serde::Deserialize;
use std::fmt::Write;
use std::path::Path;
use tvlb_simulator::{IDENTITY_COLUMNS, setting_columns_heads};

/// The runs of a sweep that are there, as CSV.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collected {
    /// A line for each run, and for each population of its nodes where traffic has several; of searches for
    /// the load of saturation, a line for each criterion.
    pub runs: String,
    /// A line for all seeds of a run together, with means and standard errors.
    pub summary: String,
    /// The names of the files that these tables have beside the runs: those of runs at loads and those of
    /// searches differ, so that one directory can hold both.
    pub names: [&'static str; 2],
    /// How many runs are there.
    pub found: usize,
    /// How many runs of the sweep file are not.
    pub missing: usize,
}

/// What is read of a run's outcome.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Outcome {
    saturated: bool,
    growing: bool,
    all: Figures,
    populations: Vec<Figures>,
    fairness: Fairness,
    local_links: LinkLoad,
    global_links: LinkLoad,
}

#[derive(Deserialize)]
struct Fairness {
    least: f64,
    most: f64,
    jain: f64,
}

#[derive(Deserialize)]
struct LinkLoad {
    mean: f64,
    most: f64,
}

/// Merges those runs of a sweep file that are there.
///
/// # Errors
/// No run is there, or one cannot be used.
pub fn collect(plan: &Plan, directory: &Path) -> Result<Collected, SweepError> {
    let collected = if plan.finds_saturation {
        saturation::collect(plan, directory)
    } else {
        runs(plan, directory)
    };
    let collected = collected?;
    if collected.found == 0 {
        let (directory, all) = (directory.to_owned(), plan.units.len());
        return Err(SweepError::Missing { directory, missing: all, all });
    }
    let names = if plan.finds_saturation {
        ["saturation.csv", "saturation-summary.csv"]
    } else {
        ["runs.csv", "summary.csv"]
    };
    let Tables { runs, summary, found } = collected;
    Ok(Collected { runs, summary, names, found, missing: plan.units.len() - found })
}

fn runs(plan: &Plan, directory: &Path) -> Result<Tables, SweepError> {
    let store = runs_in(directory)?;
    let mut runs = format!(
        "{IDENTITY_COLUMNS},load,seed,population,saturated,growing,packets,latency,p50,p99,p99.9,max,\
         network-latency,accepted,hops,vlb-share,least,most,jain,local-mean,local-most,global-mean,\
         global-most,{}\n",
        setting_columns_heads()
    );
    let mut summary = Summary::new();
    let mut found = 0;
    for unit in &plan.units {
        let Some(outcome) = store.get::<Outcome>(&unit.subject)? else { continue };
        found += 1;
        let (subject, last) = (subject(plan, unit), last(plan, unit));
        let load = unit.subject.load.expect("what is no search has a load");
        let Outcome { saturated, growing, all, populations, fairness, .. } = outcome;
        let Outcome { local_links, global_links, .. } = outcome;
        for figures in std::iter::once(&all).chain(&populations) {
            let Figures { population, packets, latency, p50, p99, p999, most, .. } = figures;
            let Figures { network_latency, accepted, hops, vlb_share, .. } = figures;
            let _ = writeln!(
                runs,
                "{subject},{load},{},{population},{saturated},{growing},{packets},{latency},{p50},{p99},{p999},\
                 {most},{network_latency},{accepted},{hops},{vlb_share},{},{},{},{},{},{},{},{last}",
                unit.subject.seed,
                fairness.least,
                fairness.most,
                fairness.jain,
                local_links.mean,
                local_links.most,
                global_links.mean,
                global_links.most,
            );
            let subject = format!("{subject},{load},{population}");
            summary.add((subject, &last), [saturated, growing], figures);
        }
    }
    Ok(Tables { runs, summary: summary.csv(), found })
}
