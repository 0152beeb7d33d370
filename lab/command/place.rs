//! `tvlb-lab place`.

use crate::jobs;
use crate::requests::{HostRequests, host_of};
use clap::Args;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use tvlb::failure::{Failure, Outcome, refused};
use tvlb::files::{load_fabric, outside_table_sets};
use tvlb::output::{Bars, catch_interrupt, print, print_json, write_file};
use tvlb_generator::counted::counted;
use tvlb_jobs::workload::{BytesByNearness, Graph, PlacedJob, Programs, RankMap, place, rankfile};
use tvlb_schema::{Dragonfly, NodeId};
use tvlb_table_set::names::Parts;
use tvlb_topology::export::slurm::Blocks;

/// The length of each message unless the pattern has its own. Only shares are shown.
const BYTES: u64 = 1000;

/// Say on which node each rank of each job runs
///
/// Each job takes nodes that no job before it has taken. docs/reference/place.md says more.
#[derive(Args)]
#[command(after_long_help = jobs::HELP)]
pub(crate) struct PlaceOptions {
    /// The fabric file
    fabric: PathBuf,
    /// The jobs, separated by commas: `RANKS`, or `RANKSxPER_NODE` for more than one rank on a node
    #[arg(long, value_name = "JOBS", required = true, value_delimiter = ',')]
    jobs: Vec<String>,
    /// Which nodes the jobs take (listed at the end of --help)
    #[arg(long, value_name = "PLACEMENT", default_value = "identity")]
    with: String,
    /// On which of its nodes a job runs each rank (listed at the end of --help)
    #[arg(long, value_name = "MAP", default_value = "linear")]
    map: String,
    /// Which ranks exchange messages, which `--map bisect` needs: once for all jobs, or once for each in their order
    /// (listed at the end of --help)
    #[arg(long, value_name = "PATTERN")]
    graph: Vec<String>,
    /// The seed of random choices, and of where bisection begins
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write the node of each rank to FILE, as CSV
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write to FILE, as CSV, how much each node sends to each other by `--graph`, relative to the node that sends
    /// most: flows for `tvlb model --patterns flows:FILE`
    #[arg(long, value_name = "FILE", requires = "graph")]
    flows: Option<PathBuf>,
    #[command(flatten)]
    hosts: tvlb::hosts::HostOption,
    /// Write a rank file of Open MPI; for several jobs, one each: FILE-0, FILE-1, ...
    #[arg(long, value_name = "FILE")]
    rankfile: Option<PathBuf>,
    /// Write a host file of Open MPI, likewise
    #[arg(long, value_name = "FILE")]
    hostfile: Option<PathBuf>,
    /// Write the host of each rank on its own line, for Slurm's arbitrary distribution, likewise
    #[arg(long, value_name = "FILE")]
    host_list: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Show no progress: print nothing but the result and errors
    #[arg(short, long)]
    quiet: bool,
}

impl PlaceOptions {
    /// Whether some file to be written names hosts.
    fn needs_hosts(&self) -> bool {
        [&self.rankfile, &self.hostfile, &self.host_list].into_iter().any(Option::is_some)
    }
}

pub(crate) fn run(arguments: &PlaceOptions) -> Outcome {
    outside_table_sets([
        ("--output", arguments.output.as_deref()),
        ("--flows", arguments.flows.as_deref()),
        ("--rankfile", arguments.rankfile.as_deref()),
        ("--hostfile", arguments.hostfile.as_deref()),
        ("--host-list", arguments.host_list.as_deref()),
    ])?;
    // Large fabrics take a moment to load.
    let jobs = counted(arguments.jobs.len() as u64, "job");
    let what = format!("placing {jobs} on {}", arguments.fabric.display());
    let bars = Bars::beginning(arguments.quiet, &what);
    let fabric = load_fabric(&arguments.fabric)?;
    let df = fabric.topology.dragonfly();
    let jobs = jobs::jobs(&arguments.jobs)?;
    let map: RankMap = arguments.map.parse().map_err(|error| refused("--map", error))?;
    let hosts = arguments.hosts.read(df, &fabric.names)?;
    let parts = Parts::new(df, &fabric.names).with_hosts(hosts.nodes_by_host());
    let placement = jobs::placement("--with", &arguments.with, &parts)?;
    // Before the graphs, whose size depends on the jobs. Either the list or the jobs may be too large; each error names
    // its source.
    let source = jobs::file_of(&arguments.with).unwrap_or("--jobs");
    let nodes = place(&placement, fabric.nodes(), &jobs, arguments.seed)
        .map_err(|error| refused(source, error))?;
    let once = (BYTES, NonZeroU32::MIN);
    // Programs of many ranks are large: only the bytes between ranks are kept.
    let of_job = |_: &str, programs: Programs| {
        (programs.graph(), arguments.flows.is_some().then_some(programs))
    };
    let (graphs, programs): (Vec<Graph>, Vec<Option<Programs>>) =
        jobs::of_programs("--graph", &arguments.graph, &jobs, once, of_job)?.into_iter().unzip();
    catch_interrupt()?;
    let placed = (0..).zip(jobs.iter().zip(nodes)).map(|(number, (job, nodes))| {
        let graph = graphs.get(number as usize);
        map.place(df, *job, nodes, graph, (arguments.seed, number), &bars)
    });
    let placed: Vec<PlacedJob> = placed.collect::<Result<_, _>>().map_err(jobs::not_mapped)?;
    bars.finish();
    let host_of = host_of(&hosts, &fabric.names, df, &placed);
    let requests =
        HostRequests::of(df, &placed, &Blocks::of(df, &fabric.nodes(), &hosts), &host_of);
    let host_of = match host_of {
        Err(why) if arguments.needs_hosts() || hosts.is_listed() => {
            return Err(Failure::Message(why));
        }
        host_of => host_of.unwrap_or_default(),
    };
    if let Some(path) = &arguments.flows {
        write_file(path, &flows(&placed, programs.iter().flatten()))?;
    }
    write_files(arguments, df, &host_of, &placed)?;
    let summaries = placed.iter().enumerate();
    let summaries = summaries.map(|(number, job)| JobSummary {
        hosts: hosts.is_listed().then(|| count_hosts(&host_of, job)),
        ..JobSummary::of(df, job, graphs.get(number))
    });
    let report = PlaceReport {
        tool_version: env!("CARGO_PKG_VERSION"),
        fabric: fabric.file.name.clone(),
        sizes: df.to_string(),
        placement: placement.to_string(),
        map: map.to_string(),
        seed: arguments.seed,
        jobs: summaries.collect(),
        requests,
    };
    if arguments.json { print_json(&report) } else { print(&report) }
}

fn write_files(
    arguments: &PlaceOptions,
    df: &Dragonfly,
    host_of: &BTreeMap<NodeId, &str>,
    jobs: &[PlacedJob],
) -> Outcome {
    if let Some(path) = &arguments.output {
        write_file(path, &csv(df, jobs))?;
    }
    let host = |node: NodeId| host_of[&node];
    // A host that runs ranks of several jobs has slots for all of them.
    let mut taken = BTreeMap::new();
    for (number, job) in jobs.iter().enumerate() {
        let write = |path: &Option<PathBuf>, text: &mut dyn FnMut() -> String| match path {
            Some(path) if jobs.len() > 1 => write_file(&numbered(path, number), &text()),
            Some(path) => write_file(path, &text()),
            None => Ok(()),
        };
        let PlaceOptions { rankfile, hostfile, host_list, .. } = arguments;
        write(rankfile, &mut || rankfile::open_mpi_rank_file(job, host, &mut taken))?;
        write(hostfile, &mut || rankfile::open_mpi_host_file(job, host))?;
        write(host_list, &mut || rankfile::host_list(job, host))?;
    }
    Ok(())
}

fn count_hosts(host_of: &BTreeMap<NodeId, &str>, job: &PlacedJob) -> usize {
    job.node_of.iter().map(|node| host_of[node]).collect::<BTreeSet<_>>().len()
}

/// A path with the number of a job after its name.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!("-{number}"));
    PathBuf::from(name)
}

/// The node of each rank, with its switch and group.
fn csv(df: &Dragonfly, jobs: &[PlacedJob]) -> String {
    let mut text = String::from("job,rank,node,switch,group\n");
    for (number, job) in jobs.iter().enumerate() {
        for (rank, &node) in job.node_of.iter().enumerate() {
            let switch = df.switch_of(node).0;
            let group = df.place(switch).0;
            writeln!(text, "{number},{rank},{node},{switch},{group}")
                .expect("a string takes all that is written");
        }
    }
    text
}

/// How much each node sends to each other in an iteration, relative to the node that sends most.
fn flows<'p>(jobs: &[PlacedJob], programs: impl Iterator<Item = &'p Programs>) -> String {
    let mut sent: BTreeMap<NodeId, BTreeMap<NodeId, u64>> = BTreeMap::new();
    for (job, programs) in jobs.iter().zip(programs) {
        for (from, to, bytes) in programs.messages() {
            let [from, to] = [from, to].map(|rank| job.node_of[rank.0 as usize]);
            if from != to {
                let sum = sent.entry(from).or_default().entry(to).or_default();
                *sum = sum.saturating_add(bytes);
            }
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a demand is a share")]
    let real = |bytes: u64| bytes as f64;
    let all = |to: &BTreeMap<NodeId, u64>| to.values().copied().map(real).sum::<f64>();
    let most = sent.values().map(all).fold(0.0, f64::max);
    let mut text = String::from("source-node,destination-node,demand\n");
    for (from, to) in &sent {
        for (to, &bytes) in to.iter().filter(|(_, bytes)| **bytes > 0) {
            writeln!(text, "{from},{to},{}", real(bytes) / most)
                .expect("a string takes all that is written");
        }
    }
    text
}

/// Where all jobs run, in brief.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct PlaceReport {
    tool_version: &'static str,
    fabric: String,
    sizes: String,
    placement: String,
    map: String,
    seed: u64,
    jobs: Vec<JobSummary>,
    #[serde(flatten)]
    requests: HostRequests,
}

/// Where one job runs, in brief.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct JobSummary {
    job: String,
    /// If a list says which nodes form a host.
    #[serde(skip_serializing_if = "Option::is_none")]
    hosts: Option<usize>,
    nodes: usize,
    switches: usize,
    groups: usize,
    /// The shares of its pattern's bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<ByteShares>,
}

/// The shares of bytes by distance, in percent.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ByteShares {
    on_node: f64,
    on_switch: f64,
    in_group: f64,
    between_groups: f64,
}

impl JobSummary {
    fn of(df: &Dragonfly, placed: &PlacedJob, graph: Option<&Graph>) -> Self {
        let switches: BTreeSet<_> = placed.nodes.iter().map(|node| df.switch_of(*node).0).collect();
        let groups: BTreeSet<_> = switches.iter().map(|switch| df.place(*switch).0).collect();
        Self {
            job: placed.job.to_string(),
            hosts: None,
            nodes: placed.nodes.len(),
            switches: switches.len(),
            groups: groups.len(),
            shares: graph.and_then(|graph| ByteShares::of(placed.nearness(df, graph))),
        }
    }
}

impl ByteShares {
    /// The shares, if there are any bytes.
    fn of(bytes: BytesByNearness) -> Option<Self> {
        let BytesByNearness { on_node, on_switch, in_group, between_groups } = bytes;
        let all = on_node + on_switch + in_group + between_groups;
        #[expect(clippy::cast_precision_loss, reason = "shares are shown with one decimal")]
        let share = |amount: u128| 100.0 * amount as f64 / all as f64;
        (all > 0).then(|| Self {
            on_node: share(on_node),
            on_switch: share(on_switch),
            in_group: share(in_group),
            between_groups: share(between_groups),
        })
    }
}

impl Display for PlaceReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { fabric, sizes, placement, map, seed, .. } = self;
        writeln!(f, "fabric   {fabric}: {sizes}")?;
        writeln!(f, "placed   {placement}, ranks mapped {map}; seed {seed}")?;
        for (number, JobSummary { job, hosts, nodes, switches, groups, shares }) in
            self.jobs.iter().enumerate()
        {
            let hosts = hosts.map_or_else(String::new, |hosts| format!("hosts {hosts}, "));
            writeln!(
                f,
                "job {number}    {job}: {hosts}nodes {nodes}, switches {switches}, groups {groups}"
            )?;
            if let Some(ByteShares { on_node, on_switch, in_group, between_groups }) = shares {
                writeln!(
                    f,
                    "         bytes within a node {on_node:.1}%, a switch {on_switch:.1}%, a group \
                     {in_group:.1}%, between groups {between_groups:.1}%"
                )?;
            }
        }
        write!(f, "{}", self.requests)
    }
}
