//! `tvlb load`.

use crate::failure::{Failure, Outcome};
use crate::files::{Wiring, load_wiring};
use crate::output::{Bars, WorkOptions, print, print_json};
use crate::traffic;
use crate::values;
use clap::Args;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use tvlb_base::progress::Progress;
use tvlb_generator::static_load::{
    LinkEnds, LinkKind, LoadPaths, LoadedLink, StaticLoads, static_loads,
};
use tvlb_schema::{Bandwidths, Decision, NodeId, SwitchId};
use tvlb_table_set::grammar::{GRAMMAR, canonical, parse_set};
use tvlb_table_set::names::Parts;
use tvlb_traffic::pattern::PATTERNS;
use tvlb_traffic::{PlacementRule, Traffic};

/// The word for paths that no set of the grammar describes.
const CONVENTIONAL: &str = "conventional";

/// Compute the load of every link under a traffic pattern, without simulation
///
/// Packets take MIN, or VLB paths drawn from a set, whatever the queues: MIN, `valg`, `valn` or VLB by any other T-VLB
/// set. Loads are exact means, in flits per cycle if each sending node sends one flit per cycle. The static saturation
/// is 1 over the largest load: at a higher load the queue before that link grows without limit. docs/reference/load.md
/// says more.
#[derive(Args)]
#[command(after_long_help = help())]
pub(crate) struct LoadOptions {
    /// The fabric file, or the directory of a table set
    fabric: PathBuf,
    /// A list of dead parts, as `tvlb faults` reads it: packets take the remaining paths
    #[arg(long, value_name = "LIST")]
    faults: Option<PathBuf>,
    /// Who sends to whom (listed at the end of --help)
    #[arg(long, value_name = "PATTERN", default_value = "uniform")]
    traffic: String,
    /// Where the processes of the traffic run (listed at the end of --help)
    #[arg(long, value_name = "PLACEMENT", default_value = "identity")]
    place: String,
    /// Which paths packets take: `min`, `valg`, `valn` or another T-VLB set, `conventional`, or from a table set
    /// `ugal-l`, `par-source` or `par-second`, the set of that decision; may be repeated
    #[arg(long, value_name = "SET", default_value = "min")]
    set: Vec<String>,
    /// How many links of each kind to name, the busiest first
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::count(0_usize..=1_000_000))]
    busiest: usize,
    /// The seed of random traffic and placements
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    work: WorkOptions,
}

fn help() -> String {
    format!(
        "{PATTERNS}\nSets (--set): `conventional` is VLB as UGAL draws it without a T-VLB set.\n\
         T-VLB sets are written as\n\n{GRAMMAR}"
    )
}

pub(crate) fn run(arguments: &LoadOptions) -> Outcome {
    arguments.work.use_threads()?;
    // Large fabrics take a moment to load.
    let what = format!(
        "counting what every link of {} carries by {}",
        arguments.fabric.display(),
        arguments.set.join(", ")
    );
    let bars = Bars::beginning(arguments.work.quiet, &what);
    let fabric = load_wiring(&arguments.fabric, arguments.faults.as_deref())?;
    let topology = &fabric.topology;
    let df = topology.dragonfly();
    let parts = Parts::new(df, &fabric.names);
    // Traffic is that of the plan; dead parts neither send nor receive their share.
    let (planned, left) = (fabric.names.nodes(df), topology.nodes(&fabric.names));
    let rule = traffic::placement(&arguments.place, &parts)?;
    let all = arguments.set.iter().map(|text| Ok((text, paths(text, &fabric)?)));
    let all: Vec<(&String, LoadPaths)> = all.collect::<Result<_, Failure>>()?;
    let placement = (rule.rule != PlacementRule::Identity).then_some(&rule.name);
    let pattern = traffic::pattern(&arguments.traffic, &parts)?;
    let on_nodes = rule.rule.on(&planned, arguments.seed).map_err(Failure::of)?;
    let traffic = Traffic::new(&pattern.rule, &planned, arguments.seed)
        .map_err(|error| Failure::Message(format!("--traffic: {error}")))?
        .placed(&on_nodes);
    let live = traffic.clone().sent_by_live(&left);
    let live = (live.received(df), live.senders(df));
    bars.stage("paths", Some(all.len()));
    let mut loads = Vec::new();
    for (text, paths) in all {
        let found = static_loads(topology, &traffic, &paths)
            .map_err(|error| Failure::Message(format!("--set {text}: {error}")))?;
        let found = found.among(&left, live.clone());
        loads.push(PathLoads::of(&fabric, &paths, &found, arguments.busiest));
        bars.step();
    }
    bars.finish();
    let report = LoadReport {
        tool_version: env!("CARGO_PKG_VERSION"),
        fabric: fabric.name.clone(),
        sizes: df.to_string(),
        traffic: pattern.name,
        placement: placement.cloned(),
        seed: arguments.seed,
        bandwidths: *topology.bandwidths(),
        senders: live.1,
        sent: traffic.sent(df),
        loads,
    };
    if arguments.json { print_json(&report) } else { print(&report) }
}

/// Paths as an option names them.
fn paths(text: &str, fabric: &Wiring) -> Result<LoadPaths, Failure> {
    if text.trim() == CONVENTIONAL {
        return Ok(LoadPaths::Conventional);
    }
    if let Some(decision) = Decision::ALL.into_iter().find(|one| one.name() == text.trim()) {
        let set = fabric.sets.as_ref().map(|sets| LoadPaths::Set(*sets.get(decision)));
        return set.ok_or_else(|| {
            Failure::Message(format!(
                "--set: {text} is the set of a decision, which a fabric file does not have; accepted with the \
                 directory of a table set"
            ))
        });
    }
    let rule = parse_set(text, fabric.seed).map_err(|error| {
        let marked = error.marked(text);
        Failure::Message(format!("--set: {error}; `conventional` is accepted too\n{marked}"))
    })?;
    Ok(LoadPaths::Set(rule))
}

/// The complete result.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct LoadReport {
    tool_version: &'static str,
    fabric: String,
    sizes: String,
    traffic: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    placement: Option<String>,
    seed: u64,
    /// How fast the kinds of links are, if they differ.
    #[serde(skip_serializing_if = "Bandwidths::are_equal")]
    bandwidths: Bandwidths,
    /// Nodes that send.
    senders: u32,
    /// What nodes would send on the planned fabric, in flits per cycle, including what has no path.
    #[serde(skip)]
    sent: f64,
    loads: Vec<PathLoads>,
}

/// The loads that some paths make.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct PathLoads {
    set: String,
    /// Flits per node and cycle.
    static_saturation: f64,
    largest_load: f64,
    /// Flits per cycle that take MIN because there is no VLB path.
    min_without_vlb: f64,
    /// Flits per cycle that have no path.
    without_path: f64,
    links: Vec<LinksOfKind>,
}

/// The links of one kind.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct LinksOfKind {
    kind: &'static str,
    /// How many links carry as much as the busiest.
    as_busy: usize,
    busiest: Vec<NamedLink>,
}

/// A link by name.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct NamedLink {
    /// Flits per cycle.
    load: f64,
    link: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_switch: Option<SwitchId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_switch: Option<SwitchId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<NodeId>,
}

impl PathLoads {
    fn of(fabric: &Wiring, paths: &LoadPaths, found: &StaticLoads, count: usize) -> Self {
        let kinds =
            [("local", LinkKind::Local), ("global", LinkKind::Global), ("node", LinkKind::Node)];
        let of_kind = |(name, kind)| {
            let busiest = found.busiest(&fabric.topology, kind, count);
            let busiest = busiest.iter().map(|link| named(fabric, link)).collect();
            LinksOfKind { kind: name, as_busy: found.as_busy(kind), busiest }
        };
        let set = match paths {
            LoadPaths::Min => "min".to_owned(),
            LoadPaths::Conventional => CONVENTIONAL.to_owned(),
            LoadPaths::Set(rule) => canonical(rule),
        };
        Self {
            set,
            static_saturation: found.saturation(),
            largest_load: found.largest(),
            min_without_vlb: found.without_vlb,
            without_path: found.left_out,
            links: kinds.into_iter().map(of_kind).collect(),
        }
    }
}

fn named(fabric: &Wiring, link: &LoadedLink) -> NamedLink {
    let (df, names) = (fabric.topology.dragonfly(), &fabric.names);
    let load = link.load;
    let switch = |end: tvlb_schema::End| df.switch(end.group, df.split_port(end.port).0);
    match link.link {
        LinkEnds::Local(from, to) => {
            let (group, here) = df.place(from);
            let link = format!(
                "group {group}, switch {here}{} to switch {}{}",
                names.after(from),
                df.place(to).1,
                names.after(to)
            );
            NamedLink { load, link, from_switch: Some(from), to_switch: Some(to), node: None }
        }
        LinkEnds::Global(near, far) => {
            let ends = [near, far].map(|end| names.end_in_words(df, end));
            let link = format!("{} to {}", ends[0], ends[1]);
            let (from_switch, to_switch) = (Some(switch(near)), Some(switch(far)));
            NamedLink { load, link, from_switch, to_switch, node: None }
        }
        LinkEnds::ToNode(node) => {
            let (switch, _) = df.switch_of(node);
            let link = format!("switch {switch}{} to node {node}", names.after(switch));
            let from_switch = Some(switch);
            NamedLink { load, link, from_switch, to_switch: None, node: Some(node) }
        }
    }
}

impl Display for LoadReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { fabric, sizes, traffic, seed, senders, bandwidths, .. } = self;
        let placed =
            self.placement.as_ref().map_or_else(String::new, |p| format!(" placed by {p}"));
        writeln!(f, "fabric   {fabric}: {sizes}")?;
        let senders = match senders {
            1 => "1 node sends".to_owned(),
            several => format!("{several} nodes send"),
        };
        writeln!(f, "traffic  {traffic}{placed}; {senders}; seed {seed}")?;
        if !bandwidths.are_equal() {
            writeln!(f, "links    bandwidths {bandwidths}; a cycle is a flit on the fastest kind")?;
        }
        let relative = if bandwidths.are_equal() {
            "what a node sends"
        } else {
            "what it takes if a node sends one flit per cycle"
        };
        for loads in &self.loads {
            writeln!(f, "\nset      {}", loads.set)?;
            writeln!(
                f,
                "         saturates at {:.4} flits per node and cycle: the busiest link carries {:.4} times \
                 {relative}",
                loads.static_saturation, loads.largest_load
            )?;
            for (amount, what) in [
                (loads.min_without_vlb, "takes MIN because there is no VLB path"),
                (loads.without_path, "has no path and is in no load"),
            ] {
                if amount > 0.0 {
                    let percent = 100.0 * amount / self.sent;
                    writeln!(f, "         {percent:.2}% of what all nodes send {what}")?;
                }
            }
            for LinksOfKind { kind, as_busy, busiest } in &loads.links {
                for (number, NamedLink { load, link, .. }) in busiest.iter().enumerate() {
                    // The last named link says how many others carry as much as the busiest.
                    let named = busiest.len().min(*as_busy);
                    let others = match as_busy - named {
                        _ if number + 1 != named => String::new(),
                        0 => String::new(),
                        1 => ", and 1 other link as much".to_owned(),
                        others => format!(", and {others} other links as much"),
                    };
                    let kind = if number == 0 { *kind } else { "" };
                    writeln!(f, "{kind:<8} {load:.4}  {link}{others}")?;
                }
            }
        }
        Ok(())
    }
}
