//! `tvlb paths`.

use crate::failure::{Failure, Outcome};
use crate::files::{load_live, switch};
use crate::output::{print, print_format};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use tvlb_schema::{Level, SetRule, SwitchId};
use tvlb_table_set::grammar::{GRAMMAR, parse_set};
use tvlb_table_set::names::{Names, Parts};
use tvlb_topology::Topology;
use tvlb_topology::routes::count::RouteCounter;
use tvlb_topology::routes::drawn::DrawnPaths;
use tvlb_topology::routes::text::PathListing;

/// Count and list the paths between two switches, or say how often a set draws each
///
/// With --set the output is JSON: the MIN paths and the VLB paths of a T-VLB set, each with its
/// switches and the probability with which it is drawn (docs/reference/export.md).
#[derive(Args)]
#[command(after_long_help = format!("Sets are written as\n\n{GRAMMAR}"))]
pub struct Arguments {
    /// The fabric file
    pub fabric: PathBuf,
    /// A list of what is dead, as `tvlb faults` reads it: paths over it are left out
    #[arg(long, value_name = "LIST")]
    pub faults: Option<PathBuf>,
    /// The source switch, by its number group·a + index, (GROUP,SWITCH) or its name
    #[arg(
        long,
        value_name = "SWITCH",
        allow_negative_numbers = true,
        required_unless_present = "all"
    )]
    pub from: Option<String>,
    /// The destination switch
    #[arg(
        long,
        value_name = "SWITCH",
        allow_negative_numbers = true,
        required_unless_present = "all"
    )]
    pub to: Option<String>,
    /// With --set: all pairs of switches, each a line of JSON, in place of --from and --to
    #[arg(long, requires = "set", conflicts_with_all = ["from", "to"])]
    pub all: bool,
    /// With --json: the paths of this T-VLB set and how often each is drawn (the grammar of
    /// sets is at the end of --help)
    #[arg(long, value_name = "SET", requires = "json", conflicts_with = "list")]
    pub set: Option<String>,
    /// List every path, not only their numbers
    #[arg(long)]
    pub list: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let (fabric, _) = load_live(&arguments.fabric, arguments.faults.as_deref())?;
    let topology = &fabric.topology;
    let rule = arguments.set.as_ref().map(|text| set(text, fabric.file.seed)).transpose()?;
    let parts = Parts::new(topology.dragonfly(), &fabric.names);
    let pair = match (&arguments.from, &arguments.to) {
        (Some(from), Some(to)) => {
            let from = switch("--from", from, &parts)?;
            let to = switch("--to", to, &parts)?;
            for (option, switch) in [("--from", from), ("--to", to)] {
                if !topology.lives(switch) {
                    let switch = fabric.names.named(switch);
                    return Err(Failure::Message(format!(
                        "{option}: switch {switch} is dead; accepted a switch that lives"
                    )));
                }
            }
            Some((from, to))
        }
        _ => None,
    };
    match (pair, rule) {
        (Some((from, to)), None) => {
            let counter = RouteCounter::new(topology);
            let listing =
                PathListing::new(&counter, from, to, arguments.list).with_names(&fabric.names);
            if arguments.json {
                print_format(&Named::of(&listing, listing.switches(), &fabric.names))
            } else {
                print(&listing)
            }
        }
        (Some((from, to)), Some(rule)) => {
            let paths = DrawnPaths::new(topology, &rule, from, to);
            print_format(&Named::of(&paths, paths.switches(), &fabric.names))
        }
        (None, rule) => {
            let rule = rule.expect("--all requires --set");
            let live = topology.dragonfly().switches().filter(|&switch| topology.lives(switch));
            let all: Vec<SwitchId> = live.collect();
            print_lines(topology, &fabric.names, [&all, &all], |_| (&rule, &[]))
        }
    }
}

/// What is said of paths, and what the machine calls their switches.
#[derive(Serialize)]
pub(crate) struct Named<'n, T> {
    #[serde(flatten)]
    paths: T,
    /// By number, of the switches that have a name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    names: BTreeMap<u16, &'n str>,
}

impl<'n, T> Named<'n, T> {
    pub(crate) fn of(paths: T, switches: impl Iterator<Item = SwitchId>, names: &'n Names) -> Self {
        let named = switches.filter_map(|switch| Some((switch.0, names.switch(switch)?)));
        Self { paths, names: named.collect() }
    }
}

fn set(text: &str, seed: u64) -> Result<SetRule, Failure> {
    parse_set(text, seed)
        .map_err(|error| Failure::Message(format!("--set: {error}\n{}", error.marked(text))))
}

/// Prints the paths of each pair of different switches, a line of JSON for each, by rising source and then
/// destination. One pair is in memory at a time.
pub(crate) fn print_lines<'p>(
    topology: &Topology,
    names: &Names,
    [sources, destinations]: [&[SwitchId]; 2],
    set_of: impl Fn(SwitchId) -> (&'p SetRule, &'p [Level]),
) -> Outcome {
    let mut out = BufWriter::new(io::stdout().lock());
    for &source in sources {
        for &destination in destinations.iter().filter(|&&destination| destination != source) {
            let paths = DrawnPaths::thinned(topology, set_of(source), source, destination);
            let paths = Named::of(&paths, paths.switches(), names);
            serde_json::to_writer(&mut out, &paths).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(())
}
