//! `tvlb paths`.

use crate::failure::{Failure, Outcome};
use crate::files::{load_live, switch};
use crate::output::{print, print_format};
use crate::values;
use clap::{Args, ValueEnum};
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
use tvlb_topology::routes::next_hops::{Grain, MemberLimits, NextHops};
use tvlb_topology::routes::text::PathListing;

/// Count and list the paths between two switches, or how often a set draws each
///
/// With --set the output is JSON: the MIN paths and the VLB paths of a T-VLB set, each with its
/// switches and the probability with which it is drawn (docs/reference/export.md).
#[derive(Args)]
#[command(after_long_help = format!("Sets are written as\n\n{GRAMMAR}"))]
pub(crate) struct PathsOptions {
    /// The fabric file
    pub fabric: PathBuf,
    /// A list of dead parts, as `tvlb faults` reads it: paths over them are left out
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
        required_unless_present_any = ["all", "next_hops"]
    )]
    pub to: Option<String>,
    /// With --set: all pairs of switches with nodes, one line of JSON each, instead of --from and --to
    #[arg(long, requires = "set", conflicts_with_all = ["from", "to"])]
    pub all: bool,
    /// With --json: the paths of this T-VLB set and how often each is drawn (the grammar of
    /// sets is at the end of --help)
    #[arg(long, value_name = "SET", requires = "json", conflicts_with = "list")]
    pub set: Option<String>,
    /// With --from and --set, instead of --to: through which ports the switch sends what it draws, as integer weights
    /// for each destination
    #[arg(long, value_enum, value_name = "DESTINATIONS", requires = "set", conflicts_with_all = ["to", "all"])]
    pub next_hops: Option<Destinations>,
    /// With --next-hops: the sum of the weights of each list. If hardware has only members of weight 1, this is the
    /// number of its members: a next hop of weight 3 then takes three of them
    #[arg(long, value_name = "N", requires = "next_hops", conflicts_with_all = ["to", "all"], default_value_t = MemberLimits::default().weight_sum, value_parser = values::count(1_u32..=1_000_000))]
    pub weight_sum: u32,
    /// With --next-hops: the most next hops per list; those with the largest shares are kept
    #[arg(long, value_name = "N", requires = "next_hops", conflicts_with_all = ["to", "all"], value_parser = values::count(1_u32..=65_535))]
    pub members: Option<u32>,
    /// List every path, not only the counts
    #[arg(long)]
    pub list: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Which destinations have their own list of next hops.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Destinations {
    /// Every other switch
    Switch,
    /// Every other group, by the mean over its switches, and every other switch of the own group
    Group,
}

pub(crate) fn run(arguments: &PathsOptions) -> Outcome {
    let (fabric, _) = load_live(&arguments.fabric, arguments.faults.as_deref())?;
    let topology = &fabric.topology;
    let rule = arguments.set.as_ref().map(|text| set(text, fabric.file.seed)).transpose()?;
    let parts = Parts::new(topology.dragonfly(), &fabric.names);
    let live = |option: &str, text: &Option<String>| {
        let found = text.as_ref().map(|text| switch(option, text, &parts)).transpose()?;
        match found.filter(|&switch| !topology.lives(switch)) {
            None => Ok(found),
            Some(dead) => Err(Failure::Message(format!(
                "{option}: switch {} is dead; accepted a switch that lives",
                fabric.names.named(dead)
            ))),
        }
    };
    let (from, to) = (live("--from", &arguments.from)?, live("--to", &arguments.to)?);
    match (from.zip(to), rule) {
        (None, Some(rule)) if arguments.next_hops.is_some() => {
            let from = from.expect("--next-hops requires --from");
            expect_known_links(arguments, topology, &fabric.names, from)?;
            let grain = match arguments.next_hops {
                Some(Destinations::Group) => Grain::Group,
                _ => Grain::Switch,
            };
            let limits = MemberLimits {
                weight_sum: arguments.weight_sum,
                members: arguments.members.unwrap_or(u32::MAX),
            };
            let hops = NextHops::of(topology, &fabric.names, &rule, from, (grain, limits));
            print_format(&NamedPaths::of(&hops, hops.switches(), &fabric.names))
        }
        (Some((from, to)), None) => {
            let counter = RouteCounter::new(topology);
            let listing =
                PathListing::new(&counter, from, to, arguments.list).with_names(&fabric.names);
            if arguments.json {
                print_format(&NamedPaths::of(&listing, listing.switches(), &fabric.names))
            } else {
                print(&listing)
            }
        }
        (Some((from, to)), Some(rule)) => {
            let paths = DrawnPaths::new(topology, &rule, from, to);
            print_format(&NamedPaths::of(&paths, paths.switches(), &fabric.names))
        }
        (None, rule) => {
            let rule = rule.expect("--all requires --set");
            let all: Vec<SwitchId> = topology.ends().iter().collect();
            print_lines(topology, &fabric.names, [&all, &all], |_| (&rule, &[]))
        }
    }
}

/// Refuses a switch if one of several parallel links is dead: a wiring knows how many are live, but not which.
fn expect_known_links(
    arguments: &PathsOptions,
    topology: &Topology,
    names: &Names,
    switch: SwitchId,
) -> Outcome {
    let df = topology.dragonfly();
    let (group, index) = df.place(switch);
    let some = topology.fewer_links().iter().filter(|_| arguments.faults.is_some());
    let mut some = some.filter(|pair| pair.links > 0 && df.place(pair.low).0 == group);
    let other = some.find_map(|pair| match (df.place(pair.low).1, pair.high) {
        (low, high) if low == index => Some(high),
        (low, high) if high == index => Some(low),
        _ => None,
    });
    other.map_or(Ok(()), |other| {
        Err(Failure::Message(format!(
            "--next-hops: some of the links from switch {} to switch {} are dead, and the wiring does not say \
             which; accepted a switch of which all links to another one live, or none",
            names.named(switch),
            names.named(df.switch(group, other))
        )))
    })
}

/// What is printed about paths, with the machine's names of the switches.
#[derive(Serialize)]
pub(crate) struct NamedPaths<'n, T> {
    #[serde(flatten)]
    paths: T,
    /// By number, of the switches that have a name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    names: BTreeMap<u16, &'n str>,
}

impl<'n, T> NamedPaths<'n, T> {
    pub(crate) fn of(paths: T, switches: impl Iterator<Item = SwitchId>, names: &'n Names) -> Self {
        let named = switches.filter_map(|switch| Some((switch.0, names.switch(switch)?)));
        Self { paths, names: named.collect() }
    }
}

/// A set as `--set` names it.
pub(crate) fn set(text: &str, seed: u64) -> Result<SetRule, Failure> {
    parse_set(text, seed)
        .map_err(|error| Failure::Message(format!("--set: {error}\n{}", error.marked(text))))
}

/// Prints the paths of each pair of different switches as a line of JSON, by rising source and then destination. Only
/// one pair is in memory at a time.
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
            let paths = NamedPaths::of(&paths, paths.switches(), names);
            serde_json::to_writer(&mut out, &paths).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(())
}
