//! Merging the runs of a sweep into one table, in the order of the sweep file.

use super::error::SweepError;
use super::plan::{Plan, Subject, runs_in};
use serde::Deserialize;
use std::fmt::Write;
use std::path::Path;
use tvlb_schema::{PerDecision, Weighing};
use tvlb_simulator::{WEIGHING_COLUMNS, weighing_columns};

/// What is read of a run's outcome.
#[derive(Deserialize)]
struct Figures {
    saturated: bool,
    all: All,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct All {
    packets: u64,
    latency: f64,
    p50: u32,
    p99: u32,
    accepted: f64,
    hops: f64,
    vlb_share: f64,
}

/// Merges the runs that a sweep file asks for into one CSV table.
///
/// # Errors
/// A run that is missing or cannot be used.
pub fn collect(plan: &Plan, directory: &Path) -> Result<String, SweepError> {
    let store = runs_in(directory);
    let mut csv =
        "fabric,scheme,set,traffic,placement,load,seed,saturated,packets,latency,p50,p99,accepted,\
                   hops,vlb-share,"
            .to_owned();
    csv.push_str(WEIGHING_COLUMNS);
    csv.push('\n');
    let mut missing = 0;
    for unit in &plan.units {
        match store.recall::<Figures>(&unit.subject)? {
            Some(figures) => {
                let fabric = &plan.fabrics[unit.fabric].1;
                let weighings = plan.sets[unit.set].weighings(fabric);
                add(&mut csv, &unit.subject, &weighings, &figures);
            }
            None => missing += 1,
        }
    }
    if missing > 0 {
        let (directory, all) = (directory.to_owned(), plan.units.len());
        return Err(SweepError::Missing { directory, missing, all });
    }
    Ok(csv)
}

fn add(csv: &mut String, subject: &Subject, weighings: &PerDecision<Weighing>, figures: &Figures) {
    let Subject { fabric, scheme, set, traffic, load, seed, .. } = subject;
    let placement = subject.placement.as_deref().unwrap_or("identity");
    let All { packets, latency, p50, p99, accepted, hops, vlb_share } = &figures.all;
    // MIN and VLB decide nothing, and UGAL-G has the T of UGAL-L.
    let [source, second] = match *scheme {
        "min" | "vlb" => [None, None],
        "par" => [Some(weighings.par_source), Some(weighings.par_second)],
        _ => [Some(weighings.ugal_l), None],
    };
    let columns = weighing_columns(source, second);
    let _ = writeln!(
        csv,
        "{fabric},{scheme},\"{set}\",\"{traffic}\",{placement},{load},{seed},{},{packets},{latency},{p50},{p99},\
         {accepted},{hops},{vlb_share},{columns}",
        figures.saturated
    );
}
