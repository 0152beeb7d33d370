//! `tvlb verify`.

use crate::args::Verify;
use crate::failure::{Failure, Outcome};
use crate::output::{Bars, catch_interrupt, print, print_json, use_threads};
use serde::Serialize;
use std::path::Path;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::fabric_file::{FabricFile, Wiring};
use tvlb_generator::topology::names::NamedSwitch;
use tvlb_generator::verify::{Certificate, Planned, Settings, VerifyError, verify, verify_update};

pub(crate) fn run(arguments: &Verify) -> Outcome {
    use_threads(arguments.threads)?;
    catch_interrupt()?;
    let planned = match &arguments.fabric {
        Some(path) => {
            let fabric = Fabric::load(path).map_err(Failure::of)?;
            Some(planned(path, &fabric))
        }
        None => None,
    };
    let settings = Settings { most_walks: arguments.most_walks, seed: arguments.seed };
    let bars = Bars::new(arguments.quiet);
    let (tables, planned) = (&arguments.directory, planned.as_ref());
    let found = match &arguments.update {
        Some(update) => verify_update(tables, update, planned, settings, &bars),
        None => verify(tables, planned, settings, &bars),
    };
    bars.finish();
    match found {
        Ok(certificate) if arguments.json => {
            let certificate = Some(&certificate);
            print_json(&Verdict { verified: true, certificate, finding: None, switches: vec![] })
        }
        Ok(certificate) if !arguments.quiet => print(&certificate),
        Ok(_) => Ok(()),
        Err(VerifyError::Cancelled(_)) => Err(Failure::Interrupted),
        Err(error) if error.is_finding() => {
            let finding = error.to_string();
            if arguments.json {
                let verdict = Verdict {
                    verified: false,
                    certificate: None,
                    finding: Some(finding.clone()),
                    switches: error.switches(),
                };
                // The exit code and the message tell it in any case.
                let _ = print_json(&verdict);
            }
            Err(Failure::Finding(finding))
        }
        Err(error) => Err(Failure::of(error)),
    }
}

/// What the fabric file says and its cables, as verification takes it.
fn planned(path: &Path, fabric: &Fabric) -> Planned {
    let FabricFile { name, wiring, seed, latencies, .. } = &fabric.file;
    Planned {
        path: path.to_owned(),
        name: name.clone(),
        dragonfly: *fabric.topology.dragonfly(),
        wiring: match wiring {
            Wiring::Arrangement(arrangement) => arrangement.to_string(),
            Wiring::Cables(_) => "cables".to_owned(),
        },
        seed: *seed,
        local_latency: latencies.local.into(),
        global_latency: latencies.global.into(),
        cables: fabric.topology.cables().iter().map(|cable| (cable.low, cable.high)).collect(),
        fewer_links: fabric.topology.fewer_links().to_vec(),
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Verdict<'c> {
    verified: bool,
    #[serde(flatten)]
    certificate: Option<&'c Certificate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<String>,
    /// Those that a finding about a pair, a path or a file in a wrong place is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    switches: Vec<&'c NamedSwitch>,
}
