//! Merging the runs of a sweep into one table, in the order of the sweep file.

use super::path_of;
use super::plan::{Plan, Subject, Unit};
use crate::failure::{Failure, Outcome};
use crate::output::{print, write_file};
use serde::Deserialize;
use std::fmt::Write;
use std::io;
use std::path::Path;
use tvlb_generator::input_file::{self, Links};
use tvlb_schema::PerDecision;

/// No run's file is larger.
const MOST_BYTES: u64 = 64 << 10;

/// What is read back of a run.
#[derive(Deserialize)]
struct Kept {
    outcome: Figures,
}

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

pub(super) fn run(plan: &Plan, directory: &Path) -> Outcome {
    let mut csv = "fabric,scheme,set,traffic,load,seed,saturated,packets,latency,p50,p99,accepted,\
                   hops,vlb-share,threshold,second-threshold\n"
        .to_owned();
    let mut missing = 0;
    for unit in &plan.units {
        match read(directory, unit)? {
            Some(kept) => {
                let fabric = &plan.fabrics[unit.fabric].1;
                let thresholds = plan.sets[unit.set].thresholds(fabric);
                add(&mut csv, &unit.subject, thresholds, &kept.outcome);
            }
            None => missing += 1,
        }
    }
    if missing > 0 {
        return Err(Failure::Message(format!(
            "{}: {missing} of {} runs are not there yet; the same command without --collect makes \
             them",
            directory.display(),
            plan.units.len()
        )));
    }
    let path = directory.join("runs.csv");
    write_file(&path, &csv)?;
    print(&format_args!("{}: {} runs\n", path.display(), plan.units.len()))
}

fn read(directory: &Path, unit: &Unit) -> Result<Option<Kept>, Failure> {
    let path = path_of(directory, unit);
    let wrong = |text: String| Failure::Message(format!("{}: {text}", path.display()));
    let bytes = match input_file::read(&path, MOST_BYTES, Links::Follow) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(format!("cannot read it: {error}"))),
    };
    let kept = serde_json::from_slice(&bytes);
    kept.map(Some).map_err(|error| wrong(format!("it is damaged: {error}; remove it")))
}

fn add(csv: &mut String, subject: &Subject, thresholds: PerDecision<i16>, figures: &Figures) {
    let Subject { fabric, scheme, set, traffic, load, seed, .. } = subject;
    let All { packets, latency, p50, p99, accepted, hops, vlb_share } = &figures.all;
    // MIN and VLB decide nothing, and UGAL-G has the T of UGAL-L.
    let [threshold, second] = match *scheme {
        "min" | "vlb" => [String::new(), String::new()],
        "par" => [thresholds.par_source.to_string(), thresholds.par_second.to_string()],
        _ => [thresholds.ugal_l.to_string(), String::new()],
    };
    let _ = writeln!(
        csv,
        "{fabric},{scheme},\"{set}\",\"{traffic}\",{load},{seed},{},{packets},{latency},{p50},{p99},\
         {accepted},{hops},{vlb_share},{threshold},{second}",
        figures.saturated
    );
}
