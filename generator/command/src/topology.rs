//! `tvlb topology`.

use crate::args::{TopologyOptions, WiringFormat};
use crate::failure::{Failure, Outcome, tell};
use crate::files::{error_in, load_live, load_live_by_links, outside_table_sets};
use crate::output::{print, write_file};
use crate::paths::set;
use serde::Serialize;
use std::fmt::Display;
use std::fs;
use std::path::Path;
use tvlb_schema::{LinkKind, SetRule};
use tvlb_topology::Topology as Wiring;
use tvlb_topology::cable_list;
use tvlb_topology::export::ExportError;
use tvlb_topology::export::anynet::{ChannelLatencies, anynet};
use tvlb_topology::export::anytopo::anytopo;
use tvlb_topology::export::codes::{CONF_FILE, Codes, INTER_FILE, INTRA_FILE, codes};
use tvlb_topology::export::htsim::{Htsim, TABLE_DIRECTORY, TOPOLOGY_FILE, htsim};
use tvlb_topology::export::merlin::merlin;
use tvlb_topology::export::slurm::{SlurmFile, slurm};
use tvlb_topology::graphviz::{Detail, picture};
use tvlb_topology::summary::TopologySummary;

pub(crate) fn run(arguments: &TopologyOptions) -> Outcome {
    let output = arguments.output.as_deref();
    outside_table_sets([("--output", output)])?;
    expect_format_of_options(arguments)?;
    let fabric = match &arguments.live {
        Some(live) => load_live_by_links(&arguments.fabric, live)?,
        None => load_live(&arguments.fabric, arguments.faults.as_deref())?.0,
    };
    let (topology, names) = (&fabric.topology, &fabric.names);
    let summary = || TopologySummary::named(topology, names);
    let wiring = fabric.wiring_path(&arguments.fabric);
    let fail = |error: &dyn Display| error_in(&wiring, error);
    let refuse = |error: ExportError| fail(&error);
    match arguments.format {
        WiringFormat::Summary if arguments.json => give(output, &json(&summary())?),
        WiringFormat::Summary => give(output, &summary()),
        WiringFormat::Csv => give(output, &cable_list::write(topology)),
        WiringFormat::Dot => give(output, &picture(topology, names, Detail::Groups)),
        WiringFormat::DotSwitches => give(output, &picture(topology, names, Detail::Switches)),
        WiringFormat::Codes => {
            let directory = directory_for("codes", output)?;
            write_codes(directory, &codes(topology, names).map_err(refuse)?)?;
            tell_of_bandwidths(topology, "CODES");
            Ok(())
        }
        WiringFormat::Merlin => {
            give(output, &merlin(topology, names).map_err(refuse)?)?;
            tell_of_bandwidths(topology, "merlin");
            Ok(())
        }
        WiringFormat::Htsim => {
            let directory = directory_for("htsim", output)?;
            let rule =
                arguments.set.as_ref().map(|text| set(text, fabric.file.seed)).transpose()?;
            write_htsim(directory, &htsim(topology, names).map_err(refuse)?, rule.as_ref(), &fail)?;
            tell_of_bandwidths(topology, "HTSIM");
            Ok(())
        }
        WiringFormat::Anytopo => {
            give(output, &anytopo(topology, names).map_err(refuse)?)?;
            tell_of_bandwidths(topology, "anytopo");
            Ok(())
        }
        WiringFormat::Anynet => {
            let latencies = fabric.file.latencies;
            let latencies = ChannelLatencies { local: latencies.local, global: latencies.global };
            let file = anynet(topology, names, latencies).map_err(refuse)?;
            give(output, &file)?;
            tell_of_bandwidths(topology, "anynet");
            if file.is_renumbered() {
                tell(
                    "warning: the numbers of switches and nodes have gaps, which anynet does not take; \
                     routers and nodes are numbered from 0 without gaps, in the same order",
                );
            }
            Ok(())
        }
        WiringFormat::Slurm | WiringFormat::SlurmYaml => {
            let hosts = arguments.hosts.read(topology.dragonfly(), names)?;
            let is_yaml = arguments.format == WiringFormat::SlurmYaml;
            let file = if is_yaml { SlurmFile::Yaml } else { SlurmFile::Conf };
            give(output, &slurm(file, topology, names, &hosts).map_err(refuse)?)
        }
    }
}

/// Refuses an option of one format where another one is asked for.
fn expect_format_of_options(arguments: &TopologyOptions) -> Outcome {
    if arguments.set.is_some() && arguments.format != WiringFormat::Htsim {
        return Err(Failure::Message(
            "--set: accepted with --format htsim, which has the paths of a set".to_owned(),
        ));
    }
    Ok(())
}

/// The directory that the user names for a format of several files.
fn directory_for<'p>(format: &str, output: Option<&'p Path>) -> Result<&'p Path, Failure> {
    output.ok_or_else(|| {
        Failure::Message(format!(
            "--format {format}: it is several files; name a directory for them with -o DIR"
        ))
    })
}

/// Writes the file of the wiring for HTSIM, and with a set a host table for each switch.
fn write_htsim(
    directory: &Path,
    wiring: &Htsim<'_>,
    rule: Option<&SetRule>,
    fail: &dyn Fn(&dyn Display) -> Failure,
) -> Outcome {
    let tables =
        rule.map(|rule| wiring.host_tables(rule)).transpose().map_err(|error| fail(&error))?;
    create_directory(directory)?;
    write_file(&directory.join(TOPOLOGY_FILE), &wiring.to_string())?;
    let Some(tables) = tables else { return Ok(()) };
    let directory = directory.join(TABLE_DIRECTORY);
    create_directory(&directory)?;
    for (switch, table) in tables {
        write_file(&directory.join(format!("{switch}.lt")), &table)?;
    }
    Ok(())
}

/// Writes the three files for CODES.
fn write_codes(directory: &Path, files: &Codes) -> Outcome {
    create_directory(directory)?;
    write_file(&directory.join(INTRA_FILE), &files.intra)?;
    write_file(&directory.join(INTER_FILE), &files.inter)?;
    write_file(&directory.join(CONF_FILE), &files.conf)
}

/// Says what a format leaves out where links of different kinds are not equally fast.
fn tell_of_bandwidths(topology: &Wiring, format: &str) {
    let bandwidths = topology.bandwidths();
    if !bandwidths.are_equal() {
        let of = |kind| bandwidths.flits_per_cycle(kind);
        tell(&format!(
            "warning: what is written for {format} says no bandwidths; set them there: flits per cycle are \
             {} on links of nodes, {} on local links and {} on global links",
            of(LinkKind::Node),
            of(LinkKind::Local),
            of(LinkKind::Global)
        ));
    }
}

/// Makes a directory if need be. Where a file's directory must exist, so must that of this one.
fn create_directory(path: &Path) -> Outcome {
    match fs::create_dir(path) {
        Err(_) if path.is_dir() => Ok(()),
        answer => answer.map_err(|error| {
            let shown = path.display();
            Failure::Message(format!("{shown}: cannot create the directory: {error}"))
        }),
    }
}

/// Writes a text to the file that the user asked for, or prints it.
fn give(output: Option<&Path>, text: &impl Display) -> Outcome {
    match output {
        Some(path) => write_file(path, &text.to_string()),
        None => print(text),
    }
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(value).map_err(Failure::of)? + "\n")
}
