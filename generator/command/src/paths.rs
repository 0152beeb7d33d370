//! `tvlb paths`.

use crate::args::Paths;
use crate::failure::{Failure, Outcome};
use crate::files::{load_live, switch};
use crate::output::{print, print_json};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::routes::count::RouteCounter;
use tvlb_generator::routes::drawn::DrawnPaths;
use tvlb_generator::routes::text::PathListing;
use tvlb_generator::set_grammar::parse_set;
use tvlb_generator::topology::names::{Names, Parts};
use tvlb_schema::{SetRule, SwitchId};

pub(crate) fn run(arguments: &Paths) -> Outcome {
    let (fabric, _) = load_live(&arguments.fabric, arguments.faults.as_deref())?;
    let topology = &fabric.topology;
    let rule = arguments.set.as_ref().map(|text| set(text, fabric.file.seed)).transpose()?;
    let parts = Parts::new(topology.dragonfly(), &fabric.names);
    let pair = match (&arguments.from, &arguments.to) {
        (Some(from), Some(to)) => {
            Some((switch("--from", from, &parts)?, switch("--to", to, &parts)?))
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

/// Prints a line for each pair of different switches, by rising source and then destination. One pair
/// is in memory at a time.
fn print_all(Fabric { topology, names, .. }: &Fabric, rule: &SetRule) -> Outcome {
    let mut out = BufWriter::new(io::stdout().lock());
    let df = topology.dragonfly();
    for source in df.switches() {
        for destination in df.switches().filter(|&destination| destination != source) {
            let paths = DrawnPaths::new(topology, rule, source, destination);
            let paths = Named::of(&paths, paths.switches(), names);
            serde_json::to_writer(&mut out, &paths).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(())
}
