//! `tvlb paths`.

use crate::args::Paths;
use crate::failure::{Failure, Outcome};
use crate::files::load_live;
use crate::output::{print, print_json};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use tvlb_generator::routes::count::RouteCounter;
use tvlb_generator::routes::drawn::DrawnPaths;
use tvlb_generator::routes::text::PathListing;
use tvlb_generator::set_grammar::parse_set;
use tvlb_generator::topology::Topology;
use tvlb_generator::topology::names::Names;
use tvlb_schema::{Dragonfly, Level, SetRule, SwitchId};
use tvlb_traffic::Gap;

pub(crate) fn run(arguments: &Paths) -> Outcome {
    let (fabric, _) = load_live(&arguments.fabric, arguments.faults.as_deref())?;
    let topology = &fabric.topology;
    let rule = arguments.set.as_ref().map(|text| set(text, fabric.file.seed)).transpose()?;
    let pair = match (arguments.from, arguments.to) {
        (Some(from), Some(to)) => {
            let from = existing_switch("--from", from, topology.dragonfly())?;
            Some((from, existing_switch("--to", to, topology.dragonfly())?))
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
        (None, rule) => {
            let rule = rule.expect("--all requires --set");
            let all: Vec<SwitchId> = topology.dragonfly().switches().collect();
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
