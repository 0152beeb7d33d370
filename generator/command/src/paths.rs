//! `tvlb paths`.

use crate::args::Paths;
use crate::failure::{Failure, Outcome};
use crate::files::load_live;
use crate::output::{print, print_json};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::routes::count::RouteCounter;
use tvlb_generator::routes::drawn::DrawnPaths;
use tvlb_generator::routes::text::PathListing;
use tvlb_generator::set_grammar::parse_set;
use tvlb_generator::topology::names::Names;
use tvlb_schema::{Dragonfly, SetRule, SwitchId};
use tvlb_traffic::Gap;

pub(crate) fn run(arguments: &Paths) -> Outcome {
    let (fabric, _) = load_live(&arguments.fabric, arguments.faults.as_deref())?;
    let topology = &fabric.topology;
    let rule = arguments.set.as_ref().map(|text| set(text, fabric.file.seed)).transpose()?;
    let pair = match (arguments.from, arguments.to) {
        (Some(from), Some(to)) => {
            let from = existing_switch("--from", from, topology.dragonfly())?;
            let to = existing_switch("--to", to, topology.dragonfly())?;
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
                print_json(&Named::of(&listing, listing.switches(), &fabric.names))
            } else {
                print(&listing)
            }
        }
        (Some((from, to)), Some(rule)) => {
            let paths = DrawnPaths::new(topology, &rule, from, to);
            print_json(&Named::of(&paths, paths.switches(), &fabric.names))
        }
        (None, rule) => print_all(&fabric, &rule.expect("--all requires --set")),
    }
}

/// What is said of paths, and what the machine calls their switches.
#[derive(Serialize)]
struct Named<'n, T> {
    #[serde(flatten)]
    paths: &'n T,
    /// By number, of the switches that have a name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    names: BTreeMap<u16, &'n str>,
}

impl<'n, T> Named<'n, T> {
    fn of(paths: &'n T, switches: impl Iterator<Item = SwitchId>, names: &'n Names) -> Self {
        let named = switches.filter_map(|switch| Some((switch.0, names.switch(switch)?)));
        Self { paths, names: named.collect() }
    }
}

fn set(text: &str, seed: u64) -> Result<SetRule, Failure> {
    parse_set(text, seed)
        .map_err(|error| Failure::Message(format!("--set: {error}\n{}", error.marked(text))))
}

/// Prints a line for each pair of different switches that live, by rising source and then destination. One pair
/// is in memory at a time.
fn print_all(Fabric { topology, names, .. }: &Fabric, rule: &SetRule) -> Outcome {
    let mut out = BufWriter::new(io::stdout().lock());
    let live = || topology.dragonfly().switches().filter(|&switch| topology.lives(switch));
    for source in live() {
        for destination in live().filter(|&destination| destination != source) {
            let paths = DrawnPaths::new(topology, rule, source, destination);
            let paths = Named::of(&paths, paths.switches(), names);
            serde_json::to_writer(&mut out, &paths).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(())
}

/// The switch that an option names.
pub(crate) fn existing_switch(
    option: &str,
    number: u32,
    df: &Dragonfly,
) -> Result<SwitchId, Failure> {
    u16::try_from(number).map(SwitchId).ok().filter(|&switch| df.has_switch(switch)).ok_or_else(
        || {
            let gap = u16::try_from(number).ok().and_then(|n| Gap::of_switch(df, SwitchId(n)));
            if let Some(gap) = gap {
                let text = format!("{option} {number}: there is no such switch; {gap}");
                return Failure::Message(text);
            }
            Failure::Message(format!(
                "{option} {number}: there is no such switch; switches are 0 to {}{}",
                df.last_switch(),
                if df.is_even() { "" } else { ", with gaps after those of smaller groups" }
            ))
        },
    )
}
