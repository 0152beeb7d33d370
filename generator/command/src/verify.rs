//! `tvlb verify`.

use crate::args::VerifyOptions;
use crate::failure::{Failure, Outcome};
use crate::output::{Bars, catch_interrupt, print, print_json};
use serde::Serialize;
use std::path::Path;
use tvlb_base::progress::Progress;
use tvlb_generator::fabric::Fabric;
use tvlb_table_set::names::NamedSwitch;
use tvlb_table_set::{TableSet, Update};
use tvlb_verify::{
    Certificate, Changes, Planned, VerifyError, VerifySettings, With, verify, verify_changes,
};

pub(crate) fn run(arguments: &VerifyOptions) -> Outcome {
    arguments.work.use_threads()?;
    catch_interrupt()?;
    let planned = match &arguments.fabric {
        Some(path) => {
            let fabric = Fabric::load(path).map_err(Failure::of)?;
            Some(planned(path, &fabric))
        }
        None => None,
    };
    let settings = VerifySettings { most_walks: arguments.most_walks, seed: arguments.seed };
    let what = format_args!("verifying {}", arguments.directory.display()).to_string();
    let bars = Bars::beginning(arguments.work.quiet, &what);
    let (tables, planned) = (&arguments.directory, planned.as_ref());
    let (update, beside) = (arguments.update.as_deref(), arguments.beside.as_deref());
    let found = match update {
        Some(update) if arguments.changes_only => {
            changes(tables, update, &bars).map(Box::new).map(Verification::Changes)
        }
        _ => {
            let with = With { planned, update, beside };
            verify(tables, with, settings, &bars).map(Box::new).map(Verification::Whole)
        }
    };
    bars.finish();
    match found {
        Ok(found) if arguments.json => {
            let found = Some(&found);
            print_json(&VerifyReport { verified: true, found, finding: None, switches: vec![] })
        }
        Ok(_) if arguments.work.quiet => Ok(()),
        Ok(Verification::Whole(certificate)) => print(&certificate),
        Ok(Verification::Changes(changes)) => print(&changes),
        Err(VerifyError::Cancelled(_)) => Err(Failure::Interrupted),
        Err(error) if error.is_finding() => {
            let finding = error.to_string();
            if arguments.json {
                let verdict = VerifyReport {
                    verified: false,
                    found: None,
                    finding: Some(finding.clone()),
                    switches: error.switches(),
                };
                // The exit code and the message report it in any case.
                let _ = print_json(&verdict);
            }
            Err(Failure::Finding(finding))
        }
        Err(error) => Err(Failure::of(error)),
    }
}

/// The fabric file and its cables, as verification takes them.
fn planned(path: &Path, fabric: &Fabric) -> Planned {
    Planned {
        path: path.to_owned(),
        entry: fabric.entry(),
        dragonfly: *fabric.topology.dragonfly(),
        cables: fabric.topology.cables().iter().map(|cable| (cable.low, cable.high)).collect(),
        fewer_links: fabric.topology.fewer_links().to_vec(),
    }
}

/// What an update changes.
fn changes(tables: &Path, update: &Path, progress: &dyn Progress) -> Result<Changes, VerifyError> {
    let set = TableSet::open(tables)?;
    verify_changes(&set, &Update::open(update, &set)?, progress)
}

/// The result of a verification.
#[derive(Serialize)]
#[serde(untagged)]
enum Verification {
    Whole(Box<Certificate>),
    Changes(Box<Changes>),
}

/// The output of `--json`.
#[derive(Serialize)]
struct VerifyReport<'c> {
    verified: bool,
    #[serde(flatten)]
    found: Option<&'c Verification>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<String>,
    /// The switches that a finding about a pair, a path or a misplaced file names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    switches: Vec<&'c NamedSwitch>,
}
