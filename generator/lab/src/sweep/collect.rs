//! Merging the runs of a sweep into tables, in the order of the sweep file.

use super::error::SweepError;
use super::figures::{Figures, SUBJECT_COLUMNS};
use super::plan::{Plan, Subject, runs_in};
use super::summary::Summary;
use serde::Deserialize;
use std::fmt::Write;
use std::path::Path;
use tvlb_schema::{PerDecision, Weighing};
use tvlb_simulator::{WEIGHING_COLUMNS, weighing_columns};

/// The runs of a sweep that are there, as CSV.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collected {
    /// A line for each run, and for each population of its nodes where traffic has several.
    pub runs: String,
    /// A line for all seeds of a run together, with means and standard errors.
    pub summary: String,
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
    let store = runs_in(directory);
    let mut runs = format!(
        "{SUBJECT_COLUMNS},seed,population,saturated,packets,latency,p50,p99,p99.9,max,network-latency,\
         accepted,hops,vlb-share,least,most,jain,local-mean,local-most,global-mean,global-most,\
         {WEIGHING_COLUMNS}\n"
    );
    let mut summary = Summary::new();
    let (mut found, mut missing) = (0, 0);
    for unit in &plan.units {
        let Some(outcome) = store.recall::<Outcome>(&unit.subject)? else {
            missing += 1;
            continue;
        };
        found += 1;
        let weighing =
            weighing(&unit.subject, &plan.sets[unit.set].weighings(&plan.fabrics[unit.fabric].1));
        let subject = subject(&unit.subject);
        let Outcome { saturated, all, populations, fairness, local_links, global_links } = outcome;
        for figures in std::iter::once(&all).chain(&populations) {
            let Figures { population, packets, latency, p50, p99, p999, most, .. } = figures;
            let Figures { network_latency, accepted, hops, vlb_share, .. } = figures;
            let _ = writeln!(
                runs,
                "{subject},{},{population},{saturated},{packets},{latency},{p50},{p99},{p999},{most},\
                 {network_latency},{accepted},{hops},{vlb_share},{},{},{},{},{},{},{},{weighing}",
                unit.subject.seed,
                fairness.least,
                fairness.most,
                fairness.jain,
                local_links.mean,
                local_links.most,
                global_links.mean,
                global_links.most,
            );
            summary.add((format!("{subject},{population}"), &weighing), saturated, figures);
        }
    }
    if found == 0 {
        let (directory, all) = (directory.to_owned(), plan.units.len());
        return Err(SweepError::Missing { directory, missing, all });
    }
    Ok(Collected { runs, summary: summary.csv(), found, missing })
}

fn subject(subject: &Subject) -> String {
    let Subject { fabric, scheme, set, traffic, load, .. } = subject;
    let placement = subject.placement.as_deref().unwrap_or("identity");
    format!("{fabric},{scheme},\"{set}\",\"{traffic}\",{placement},{load}")
}

/// The columns that say how the scheme's decisions weigh.
fn weighing(subject: &Subject, weighings: &PerDecision<Weighing>) -> String {
    // MIN and VLB decide nothing, and UGAL-G has the T of UGAL-L.
    let [source, second] = match subject.scheme {
        "min" | "vlb" => [None, None],
        "par" => [Some(weighings.par_source), Some(weighings.par_second)],
        _ => [Some(weighings.ugal_l), None],
    };
    weighing_columns(source, second)
}
