//! `tvlb sets`: path sets as files for other programs.

use crate::failure::{Failure, Outcome};
use crate::files::{error_in, expect_table_set, outside_table_sets, read_names, switch};
use crate::named::{self, one_of};
use crate::output::{print, write_file};
use crate::paths::print_lines;
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};
use tvlb_generator::set_file::SetFile;
use tvlb_generator::table_policies;
use tvlb_schema::{Decision, FabricImage, SwitchId};
use tvlb_table_set::TableSet;
use tvlb_table_set::names::Parts;
use tvlb_topology::Topology;

/// Write path sets as files for other programs
///
/// `tvlb generate --set-file` reads what `export` writes. docs/reference/set-files.md describes
/// the files.
#[derive(Args)]
pub(crate) struct SetsOptions {
    #[command(subcommand)]
    action: Action,
}

/// What to do.
#[derive(Subcommand)]
enum Action {
    Export(Export),
    Routes(Routes),
}

/// Write how each decision of a table set chooses: set, T, numbers of candidates, gate and thinning
#[derive(Args)]
struct Export {
    /// The directory that `generate` wrote
    directory: PathBuf,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// List the routes that a decision of a table set draws, with probabilities: one line of JSON per pair
///
/// Routes that switches thin out are not listed. The MIN paths are listed too.
#[derive(Args)]
struct Routes {
    /// The directory that `generate` wrote
    directory: PathBuf,
    /// The decision
    #[arg(long, value_parser = one_of(named::DECISIONS, Decision::name), ignore_case = true, value_name = "DECISION")]
    decision: Decision,
    /// The source switch, by its number, (GROUP,SWITCH) or its name; without it, all that have nodes
    #[arg(long, value_name = "SWITCH", allow_negative_numbers = true)]
    from: Option<String>,
    /// The destination switch, likewise; without it, all
    #[arg(long, value_name = "SWITCH", allow_negative_numbers = true)]
    to: Option<String>,
}

pub(crate) fn run(arguments: &SetsOptions) -> Outcome {
    match &arguments.action {
        Action::Export(arguments) => export(arguments),
        Action::Routes(arguments) => routes(arguments),
    }
}

fn open(directory: &Path) -> Result<TableSet, Failure> {
    expect_table_set(directory)?;
    TableSet::open(directory).map_err(Failure::of)
}

fn export(Export { directory, output }: &Export) -> Outcome {
    outside_table_sets([("--output", output.as_deref())])?;
    let set = open(directory)?;
    let policies = table_policies::read(&set).map_err(Failure::of)?;
    let file = SetFile::of_tables(&policies, &set.manifest().fabric.name).to_json();
    match output {
        Some(path) => write_file(path, &file),
        None => print(&String::from_utf8_lossy(&file)),
    }
}

fn routes(Routes { directory, decision, from, to }: &Routes) -> Outcome {
    let set = open(directory)?;
    let policies = table_policies::read(&set).map_err(Failure::of)?.policies;
    let image = set.fabric_image().map_err(Failure::of)?;
    let image =
        FabricImage::decode(&image).map_err(|error| error_in(&set.fabric_path(), &error))?;
    let names = read_names(&set, image.dragonfly())?;
    let ends = names.nodes(image.dragonfly()).ends();
    let topology = Topology::of_image(&image).with_ends(ends);
    let df = topology.dragonfly();
    let parts = Parts::new(df, &names);
    let switches = |option: &str, text: &Option<String>| -> Result<Vec<SwitchId>, Failure> {
        match text {
            Some(text) => Ok(vec![switch(option, text, &parts)?]),
            None => Ok(topology.ends().iter().collect()),
        }
    };
    let (sources, destinations) = (switches("--from", from)?, switches("--to", to)?);
    let policy = policies.get(*decision);
    print_lines(&topology, &read_names(&set, df)?, [&sources, &destinations], |source| {
        (&policy.rule, policy.levels_of(source))
    })
}
