//! `tvlb topology`.

use crate::args::{TopologyOptions, WiringFormat};
use crate::failure::{Failure, Outcome, tell};
use crate::files::{error_in, load_live, load_live_by_links, outside_table_sets};
use crate::output::{print, write_file};
use crate::paths::set;
use std::fs;
use std::path::Path;
use tvlb_generator::fabric::Fabric;
use tvlb_schema::LinkKind;
use tvlb_topology::cable_list;
use tvlb_topology::export::anynet::{ChannelLatencies, anynet};
use tvlb_topology::export::anytopo::anytopo;
use tvlb_topology::export::codes::codes;
use tvlb_topology::export::htsim::{TABLE_DIRECTORY, TOPOLOGY_FILE, host_table, htsim};
use tvlb_topology::export::merlin::merlin;
use tvlb_topology::export::slurm::{SlurmFile, slurm};
use tvlb_topology::export::{ExportError, Wiring, dot};
use tvlb_topology::summary::TopologySummary;

/// The output of a format.
enum Content<'p> {
    Text(String),
    /// Files of a directory, by their names there.
    Files(&'p Path, Vec<(String, Vec<u8>)>),
}

pub(crate) fn run(arguments: &TopologyOptions) -> Outcome {
    let output = arguments.output.as_deref();
    outside_table_sets([("--output", output)])?;
    expect_format_of_options(arguments)?;
    let fabric = match &arguments.live {
        Some(live) => load_live_by_links(&arguments.fabric, live)?,
        None => load_live(&arguments.fabric, arguments.faults.as_deref())?.0,
    };
    let wiring = Wiring::new(&fabric.topology, &fabric.names);
    match (content(arguments, &fabric, &wiring)?, output) {
        (Content::Files(directory, files), _) => write_files(directory, &files)?,
        (Content::Text(text), Some(path)) => write_file(path, &text)?,
        (Content::Text(text), None) => print(&text)?,
    }
    tell_of_left_out(arguments.format, &wiring);
    Ok(())
}

/// The wiring in the requested format.
fn content<'p>(
    arguments: &'p TopologyOptions,
    fabric: &Fabric,
    wiring: &Wiring<'_>,
) -> Result<Content<'p>, Failure> {
    let (topology, names) = (&fabric.topology, &fabric.names);
    let path = fabric.wiring_path(&arguments.fabric);
    let refuse = |error: ExportError| error_in(&path, &error);
    let output = arguments.output.as_deref();
    let text = match arguments.format {
        WiringFormat::Summary => {
            let summary = TopologySummary::named(topology, names);
            let json = || serde_json::to_string_pretty(&summary).map_err(Failure::of);
            if arguments.json { json()? + "\n" } else { summary.to_string() }
        }
        WiringFormat::Csv => cable_list::write(topology),
        WiringFormat::Dot => dot::groups(wiring),
        WiringFormat::DotSwitches => dot::switches(wiring),
        WiringFormat::Merlin => merlin(wiring).map_err(refuse)?,
        WiringFormat::Anytopo => anytopo(wiring).map_err(refuse)?,
        WiringFormat::Anynet => {
            let latencies = fabric.file.latencies;
            let latencies = ChannelLatencies { local: latencies.local, global: latencies.global };
            anynet(wiring, latencies).map_err(refuse)?
        }
        WiringFormat::Slurm | WiringFormat::SlurmYaml => {
            let hosts = arguments.hosts.read(topology.dragonfly(), names)?;
            let is_yaml = arguments.format == WiringFormat::SlurmYaml;
            let file = if is_yaml { SlurmFile::Yaml } else { SlurmFile::Conf };
            slurm(file, wiring, &hosts).map_err(refuse)?.to_string()
        }
        WiringFormat::Codes => {
            let directory = directory_for("codes", output)?;
            let files = codes(wiring).map_err(refuse)?;
            let files = files.map(|(name, bytes)| (name.to_owned(), bytes));
            return Ok(Content::Files(directory, files.into()));
        }
        WiringFormat::Htsim => {
            let directory = directory_for("htsim", output)?;
            let rule =
                arguments.set.as_ref().map(|text| set(text, fabric.file.seed)).transpose()?;
            let sizes = htsim(wiring).map_err(refuse)?;
            let tables = rule.iter().flat_map(|rule| {
                wiring.switches().iter().map(move |&switch| {
                    let table = host_table(wiring, rule, switch)?;
                    Ok((format!("{TABLE_DIRECTORY}/{switch}.lt"), table.into_bytes()))
                })
            });
            let files =
                [Ok((TOPOLOGY_FILE.to_owned(), sizes.into_bytes()))].into_iter().chain(tables);
            return Ok(Content::Files(directory, files.collect::<Result<_, _>>().map_err(refuse)?));
        }
    };
    Ok(Content::Text(text))
}

/// Refuses an option that belongs to another format.
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

/// Writes files into a directory, and into directories within it.
fn write_files(directory: &Path, files: &[(String, Vec<u8>)]) -> Outcome {
    create_directory(directory)?;
    for (name, bytes) in files {
        if let Some((within, _)) = name.split_once('/') {
            create_directory(&directory.join(within))?;
        }
        write_file(&directory.join(name), bytes)?;
    }
    Ok(())
}

/// Warns of what the requested format cannot express.
fn tell_of_left_out(format: WiringFormat, wiring: &Wiring<'_>) {
    let program = match format {
        WiringFormat::Codes => "CODES",
        WiringFormat::Merlin => "merlin",
        WiringFormat::Htsim => "HTSIM",
        WiringFormat::Anytopo => "anytopo",
        WiringFormat::Anynet => "anynet",
        _ => return,
    };
    let bandwidths = wiring.topology().bandwidths();
    if !bandwidths.are_equal() {
        let of = |kind| bandwidths.flits_per_cycle(kind);
        tell(&format!(
            "warning: what is written for {program} says no bandwidths; set them there: flits per cycle are \
             {} on links of nodes, {} on local links and {} on global links",
            of(LinkKind::Node),
            of(LinkKind::Local),
            of(LinkKind::Global)
        ));
    }
    if format == WiringFormat::Anynet && wiring.has_gaps() {
        tell(
            "warning: the numbers of switches and nodes have gaps, which anynet does not take; \
             routers and nodes are numbered from 0 without gaps, in the same order",
        );
    }
}

/// Makes a directory if need be; its parent must exist, as that of a file must.
fn create_directory(path: &Path) -> Outcome {
    match fs::create_dir(path) {
        Err(_) if path.is_dir() => Ok(()),
        answer => answer.map_err(|error| {
            let shown = path.display();
            Failure::Message(format!("{shown}: cannot create the directory: {error}"))
        }),
    }
}
