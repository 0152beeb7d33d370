//! Arguments of the commands whose own files do not define them.

use crate::columns;
use crate::hosts::HostOption;
use crate::named::{self, one_of};
use crate::output::WorkOptions;
use crate::values;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tvlb_generator::choose::MostRegret;
use tvlb_generator::choose::{PanelSize, Prefer};
use tvlb_table_set::grammar::GRAMMAR;
use tvlb_throughput::{Counting, Rule};

/// Make the images of a fabric, one per switch, for install time
#[derive(Args)]
#[command(mut_arg("threads", |threads| threads.help("Use this many threads instead of one per core; the images are the same for any number")))]
#[command(mut_arg("quiet", |quiet| quiet.help("Show no progress: print nothing but the result, which is the directory here, and errors")))]
#[command(after_long_help = format!("Sets are written as\n\n{GRAMMAR}\n{}", columns::choice()))]
#[expect(clippy::struct_excessive_bools, reason = "they are the flags of a command line")]
pub struct GenerateOptions {
    /// The fabric file
    pub fabric: PathBuf,
    /// The directory to write; it appears whole or not at all
    #[arg(short, long, value_name = "DIR", required_unless_present = "check")]
    pub output: Option<PathBuf>,
    /// Replace DIR, in one step, if it is a table set and holds nothing else
    #[arg(long, requires = "output")]
    pub replace: bool,
    /// Write nothing: compare DIR, with its report, with what would be written; if they differ, say how and exit with 1
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub check: Option<PathBuf>,
    /// The policy of every decision: SET, or for instance SET T=-2 1x4 gate=1.25 MIN=shortest, or two of these for PAR
    /// with `then` between; words that are left out keep the fabric file's values. `ugal-l POLICY` or `par POLICY` is
    /// for one scheme. A later --set overrides earlier ones. `auto` chooses by simulation (the grammar of sets is at
    /// the end of --help)
    #[arg(long, value_name = "POLICY")]
    pub set: Vec<String>,
    /// A set file as `tvlb sets` writes it: for every decision, its set and how it is weighed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["set", "prefer", "max_regret", "panel", "try_policy", "fast", "balance", "state"])]
    pub set_file: Option<PathBuf>,
    /// When sets are chosen: the objective [default: throughput]
    #[arg(long, value_parser = one_of(named::OBJECTIVES, Prefer::name), ignore_case = true, value_name = "OBJECTIVE")]
    pub prefer: Option<Prefer>,
    /// When sets are chosen: the most regret that a candidate may have on a guard, in percent of what the best of MIN,
    /// conventional VLB and conventional UGAL carries [default: 3]
    #[arg(long, value_name = "PERCENT", value_parser = values::regret)]
    pub max_regret: Option<MostRegret>,
    /// When sets are chosen: use the throughput model and few short runs
    #[arg(long, conflicts_with_all = ["prefer", "panel", "max_regret"])]
    pub fast: bool,
    /// Thin the sets until links are used evenly, even if the network then carries less; only for given sets and for
    /// --fast, because a choice by simulation judges sets that are not thinned
    #[arg(long)]
    pub balance: bool,
    /// Make tables for a datapath built without the feature `any-fabric`, which takes less flash: choose among sets
    /// that are drawn by route or by shape, and refuse a fabric or a set that needs more
    #[arg(long)]
    pub plain: bool,
    /// When sets are chosen: how much traffic to try the policies with [default: standard]
    #[arg(long, value_parser = one_of(named::PANELS, PanelSize::name), ignore_case = true, value_name = "SIZE")]
    pub panel: Option<PanelSize>,
    /// When sets are chosen: a further policy to try, written as for --set; may be repeated
    #[arg(long, value_name = "POLICY")]
    pub try_policy: Vec<String>,
    /// When sets are chosen: keep finished work in DIR; after an interruption the same command goes on from there
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Share the work with all processes that run this command with the same DIR, on any machines: each run is made
    /// once, the first process to finish writes the output, and the others compare it with their own
    #[arg(long, requires_all = ["state", "output"], conflicts_with_all = ["replace", "check", "json"])]
    pub share: bool,
    /// Print JSON: the manifest, or what --check found
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    #[command(flatten)]
    pub work: WorkOptions,
}

/// Explain what the images of a table set say
#[derive(Args)]
pub struct InspectOptions {
    /// The directory that `generate` wrote
    pub directory: PathBuf,
    /// Show one switch, by its number, (GROUP,SWITCH) or its name: its ports and sets
    #[arg(long, value_name = "SWITCH", allow_negative_numbers = true, conflicts_with_all = ["from", "to"])]
    pub switch: Option<String>,
    /// With --to: show the paths that the image of this switch gives
    #[arg(long, value_name = "SWITCH", allow_negative_numbers = true, requires = "to")]
    pub from: Option<String>,
    /// The destination switch
    #[arg(long, value_name = "SWITCH", allow_negative_numbers = true, requires = "from")]
    pub to: Option<String>,
    /// With --from and --to: list every path
    #[arg(long, requires = "from")]
    pub list: bool,
    /// An update that `faults` wrote for this table set: show what is dead and which images it replaces; with --switch,
    /// show the switch with the update installed
    #[arg(long, value_name = "DIR", conflicts_with_all = ["from", "to"])]
    pub update: Option<PathBuf>,
    /// Print JSON: the manifest, the switch or the paths
    #[arg(long)]
    pub json: bool,
}

/// Check that a table set is complete, connects all switches, and cannot deadlock
///
/// Reads only the files. Stops at the first fault, names the file, or the switches, the path and the link, and exits
/// with 1. Exits with 2 if the directory cannot be read.
#[derive(Args)]
#[command(mut_arg("threads", |threads| threads.help("Use this many threads instead of one per core; the outcome is the same for any number")))]
#[command(mut_arg("quiet", |quiet| quiet.help("Show no progress: print nothing but the result, which is the exit code here, and errors")))]
pub struct VerifyOptions {
    /// The directory that `generate` wrote
    pub directory: PathBuf,
    /// The fabric file that the tables must match: its sizes, every link, name, arrangement, seed, latencies and
    /// bandwidths are compared. Sets, thresholds and the assignment of virtual channels are not: `generate --check`
    /// compares those. Without this option the tables are only compared with each other
    #[arg(long, value_name = "FILE")]
    pub fabric: Option<PathBuf>,
    /// An update that `faults` wrote for this table set: verify the switches with the update installed
    #[arg(long, value_name = "DIR")]
    pub update: Option<PathBuf>,
    /// Check only what the update changes; the rest was verified when the table set was written, and hashes show that
    /// it has not changed
    #[arg(long, requires = "update", conflicts_with_all = ["fabric", "most_walks", "seed"])]
    pub changes_only: bool,
    /// A table set that other switches still use while these tables are installed, of this fabric or before it grew:
    /// packets that meet switches with either must not deadlock
    #[arg(long, value_name = "TABLES", conflicts_with = "changes_only")]
    pub beside: Option<PathBuf>,
    /// About how many VLB paths to check one by one against the rules of sets; if there are more, pairs of switches are
    /// sampled, at least one for each source switch
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = values::count(0..=values::MOST_STEPS))]
    pub most_walks: u64,
    /// The seed of the sample
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Print JSON
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    #[command(flatten)]
    pub work: WorkOptions,
}

/// Show what changed from one table set to another
///
/// For each switch and in total: manifests, wiring, bytes of images, pairs of switches whose packets take other paths,
/// mean hops and link loads. Exits with 0 if the two are the same, with 1 if they differ, with 2 if one of them cannot
/// be read.
#[derive(Args)]
#[command(mut_arg("threads", |threads| threads.help("Use this many threads instead of one per core; the outcome is the same for any number")))]
#[command(mut_arg("quiet", |quiet| quiet.help("Show no progress: print nothing but the result, which is the exit code here, and errors")))]
#[command(after_long_help = columns::diff())]
pub struct DiffOptions {
    /// The directory of the old table set
    pub old: PathBuf,
    /// The directory of the new one
    pub new: PathBuf,
    /// About how many routes to compare; if there are more, pairs of switches are sampled
    #[arg(long, value_name = "N", default_value_t = DEFAULT_ROUTES, value_parser = values::count(0..=values::MOST_STEPS))]
    pub most_routes: u64,
    /// The seed of the sample
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Print JSON
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    #[command(flatten)]
    pub work: WorkOptions,
}

/// Routes that `diff` compares by default.
pub const DEFAULT_ROUTES: u64 = 50_000_000;

/// Print the manual page of tvlb, or of one of its commands
#[derive(Args)]
pub struct ManOptions {
    /// The command; without it, the page lists all commands
    pub command: Option<String>,
}

/// Print a completion script for a shell
#[derive(Args)]
pub struct CompletionsOptions {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Show the wiring of a fabric, or write it for another program
///
/// docs/reference/export.md says what each format for another program leaves out, and which wirings it cannot express.
#[derive(Args)]
pub struct TopologyOptions {
    /// The fabric file
    pub fabric: PathBuf,
    /// A list of dead parts, as `tvlb faults` reads it: show the wiring without them
    #[arg(long, value_name = "LIST")]
    pub faults: Option<PathBuf>,
    /// The live links, as `tvlb faults --live` reads them: show the wiring without all other links, or list all cables
    /// that are plugged differently from the fabric file
    #[arg(long, value_name = "LINKS", conflicts_with = "faults")]
    pub live: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, ignore_case = true, default_value_t = WiringFormat::Summary)]
    pub format: WiringFormat,
    /// Write to PATH instead of standard output; for codes and htsim PATH is a directory, which gets several files
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// With --format htsim: the T-VLB set of the host tables, in the grammar of sets
    #[arg(long, value_name = "SET")]
    pub set: Option<String>,
    #[command(flatten)]
    pub hosts: HostOption,
    /// Print the summary as JSON
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

/// How to show a wiring.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
#[expect(clippy::doc_markdown, reason = "--help shows the names of other programs without marks")]
pub enum WiringFormat {
    /// Sizes, links per pair of groups, unused ports, and anything unusual
    Summary,
    /// The cable list, in the form that a fabric file can name
    Csv,
    /// The groups and their links for Graphviz
    Dot,
    /// Every switch and link for Graphviz
    DotSwitches,
    /// For CODES dragonfly-dally or dragonfly-plus: the two connection files and lines of a configuration; with -o DIR
    Codes,
    /// For SST merlin's topoDragonFly: Python with its sizes and its global_link_map
    Merlin,
    /// For SST merlin's anytopo: Python with a graph, and with a function that reads what paths --all prints
    Anytopo,
    /// For HTSIM's Dragonfly: a dragonfly.topo and, with --set, the host tables of source routing; with -o DIR
    Htsim,
    /// For BookSim2's anynet: a network_file
    Anynet,
    /// For Slurm's topology/tree: a topology.conf, with nodes named node-N
    Slurm,
    /// For Slurm 25.05 and later: a topology.yaml with the same tree, and a block for each group
    SlurmYaml,
}

/// Model the throughput of many sets on many traffic patterns (Step 1)
#[derive(Args)]
#[command(after_long_help = format!("Sets are written as\n\n{GRAMMAR}\n{}", columns::model()))]
pub struct ModelOptions {
    /// The fabric file
    pub fabric: PathBuf,
    /// A list of dead parts, as `tvlb faults` reads it: packets take the remaining paths, and dead switches neither
    /// send nor receive
    #[arg(long, value_name = "LIST")]
    pub faults: Option<PathBuf>,
    /// Patterns, separated by commas: `type1-set[:COUNT]`, all shifts or a sample of
    /// COUNT; `type2-set[:COUNT]`, random permutations of groups and switches, 20 by default;
    /// `permutation-set[:COUNT]`, of nodes; a pattern of `tvlb simulate` in which each node sends to
    /// one other, such as `shift(2,0)` or `type2#3`; `flows:FILE`, listed flows, of which a node may have many
    #[arg(long, value_name = "LIST", default_value = "type1-set,type2-set")]
    pub patterns: String,
    /// A set, or `table-1`, `strategic`, `down-closed` or `step-1`, which is all three and the default; may be repeated
    #[arg(long, value_name = "SET")]
    pub set: Vec<String>,
    /// What counts as one path
    #[arg(long, value_parser = one_of(named::COUNTINGS, Counting::name), ignore_case = true, default_value = Counting::Triples.name())]
    pub count: Counting,
    /// The constraint on the rates of a flow's paths; beyond 200 switches, only monotone
    #[arg(long, value_parser = one_of(named::RULES, Rule::name), ignore_case = true, default_value = Rule::Monotone.name())]
    pub rule: Rule,
    /// How far a candidate may fall short of the best throughput, as a fraction
    #[arg(long, value_name = "FRACTION", default_value_t = 0.01)]
    pub epsilon: f64,
    /// Print JSON, with the bounds of every pattern
    #[arg(long)]
    pub json: bool,
    /// Write a line for each set to FILE
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write a picture to FILE
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Keep finished work in DIR, and go on from there after an interruption; several processes with the same DIR share
    /// the work
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    #[command(flatten)]
    pub work: WorkOptions,
}
