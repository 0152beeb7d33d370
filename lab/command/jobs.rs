//! Jobs, their placement and their patterns of communication as options give them.

use clap::Args;
use std::fmt::Display;
use std::num::NonZeroU32;
use tvlb::failure::{Failure, refused};
use tvlb::traffic::content;
use tvlb::values;
use tvlb_jobs::MessageSettings;
use tvlb_jobs::workload::{
    Arrival, Job, MessageList, Motif, Programs, WorkloadError, matrix_market,
};
use tvlb_table_set::names::Parts;
use tvlb_traffic::PlacementRule;

/// The values of `--with`, `--map` and patterns of communication.
pub(crate) const HELP: &str =
    "Placements (--with): the order in which jobs, one after the other, take nodes
  identity            by rising number
  spread              those of every group's first switch, then of its second, and so on
  random              in random order
  groups              by rising number, but the groups in random order
  listed:FILE         in the order of a list, and no others: a node in each line, by number or
                      name; a host of --hosts stands for its nodes

Maps (--map): on which of its job's nodes a rank runs
  linear              ranks fill one node after the other
  random              each rank on a node drawn from those with room
  bisect              ranks that exchange many bytes near each other, by recursive bisection

Patterns of communication (--graph, --workload):
  alltoall[:hierarchical:RANKS]
                      every rank with every other, or by groups of so many ranks: within each group
                      and then between groups, in fewer and longer messages
  bisection [rotated] every rank with every rank of the other half, by rising number of the partner
                      or, rotated, so that in each step every rank has another one
  halo3d[:XxYxZ]      neighbours on a grid, along all three axes; x is the fastest
  neighbour[:XxYxZ][:AXIS]
                      neighbours on a grid along one axis, z by default
  moe-alltoall:TOKENS:EXPERTS:K[:CAPACITY[:SEED]]
                      mixture of experts: each rank sends TOKENS to the ranks of the K experts that
                      each token draws, to an expert at most CAPACITY times the mean, and gets as
                      many back
  allreduce:ALGORITHM the sum of a vector of each rank to all ranks. ALGORITHM is ring, doubling,
                      halving, or hierarchical:RANKS with so many ranks in a group
  graph:FILE          the pattern of a matrix in the Matrix Market format
  messages:FILE       CSV: from,to,bytes, and as wanted phase, at (not before this cycle) and
                      compute (cycles of the sender before it)
";

/// The most iterations. The end of each is kept in memory.
const MOST_ITERATIONS: NonZeroU32 = NonZeroU32::new(1_000_000).expect("it is not zero");

/// The jobs, and what their ranks do.
#[derive(Args)]
pub(crate) struct ExchangeOptions {
    /// The jobs, separated by commas: `RANKS`, or `RANKSxPER_NODE` for more than one rank on a node
    #[arg(long, value_name = "JOBS", required = true, value_delimiter = ',')]
    jobs: Vec<String>,
    /// What the ranks do: a pattern of communication, once for all jobs, or once for each in their order (listed at the
    /// end of --help)
    #[arg(long, value_name = "PATTERN", required = true)]
    workload: Vec<String>,
    /// The length of each message, of each token with moe-alltoall, of each rank's vector with allreduce; not for a
    /// list of messages, which has its own lengths: a number of bytes, or of KB or MB, which are powers of 1000
    /// [default: 100KB]
    #[arg(long, value_name = "BYTES", value_parser = values::bytes)]
    bytes: Option<u64>,
    /// How often every rank runs its program
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::count(NonZeroU32::MIN..=MOST_ITERATIONS))]
    iterations: NonZeroU32,
}

impl ExchangeOptions {
    /// The jobs.
    pub(crate) fn jobs(&self) -> Result<Vec<Job>, Failure> {
        jobs(&self.jobs)
    }

    /// The value of `--bytes` for a pattern of communication; `None` for a list, which has its own lengths.
    pub(crate) fn bytes_of(&self, workload: &str) -> Option<u64> {
        (!is_list(workload)).then_some(self.bytes.unwrap_or(DEFAULT_BYTES))
    }

    /// The jobs of a list by their arrival, if `--jobs` names one.
    pub(crate) fn job_list(&self) -> Result<Option<Vec<Arrival>>, Failure> {
        let [text] = &self.jobs[..] else { return Ok(None) };
        let Some(path) = text.strip_prefix("swf:") else { return Ok(None) };
        Arrival::list(&content(path)?).map(Some).map_err(|error| refused(path, error))
    }

    /// The jobs as given.
    pub(crate) fn jobs_in_words(&self) -> String {
        self.jobs.join(",")
    }

    /// For each of these jobs, the name of its pattern and its programs.
    pub(crate) fn programs(&self, jobs: &[Job]) -> Result<Vec<(String, Programs)>, Failure> {
        if self.bytes.is_some() && self.workload.iter().all(|name| is_list(name)) {
            let text = "--bytes: the messages of a list have the lengths that the list says; accepted with \
                        another pattern of communication";
            return Err(Failure::Message(text.to_owned()));
        }
        let often = (self.bytes.unwrap_or(DEFAULT_BYTES), self.iterations);
        let named = |name: &str, programs| (name.to_owned(), programs);
        of_programs("--workload", &self.workload, jobs, often, named)
    }
}

/// The default length of a message.
const DEFAULT_BYTES: u64 = 100_000;
/// The prefix of the name of a file with messages and their lengths.
const MESSAGES: &str = "messages:";

fn is_list(workload: &str) -> bool {
    workload.starts_with(MESSAGES)
}

/// The length and its unit, in words.
pub(crate) fn length_in_words(workload: &str, bytes: Option<u64>) -> String {
    let Some(bytes) = bytes else { return "messages as listed".to_owned() };
    let of = match workload.split_once(':').map(|(name, _)| name.trim()) {
        Some("moe-alltoall") => "token",
        Some("allreduce") => "vector",
        _ => "message",
    };
    format!("{bytes} bytes a {of}")
}

/// A job and its pattern, in words.
pub(crate) fn in_words(
    job: &impl Display,
    workload: &str,
    bytes: Option<u64>,
    iterations: u32,
) -> String {
    let length = length_in_words(workload, bytes);
    let often = if iterations == 1 { "once".to_owned() } else { format!("{iterations} times") };
    format!("{job} {workload}, {length}, {often}")
}

/// How messages travel.
#[derive(Args)]
pub(crate) struct MessageOptions {
    /// Bytes of a packet, which is a flit
    #[arg(long, value_name = "BYTES", default_value_t = 1024, value_parser = values::count(1_u32..=1_000_000_000), help_heading = "Messages")]
    packet_bytes: u32,
    /// The longest message that may leave before its receive is posted
    #[arg(long, value_name = "BYTES", default_value = "12KB", value_parser = values::bytes, help_heading = "Messages")]
    eager_limit: u64,
    /// Cycles until a node knows that another has posted a receive or got a message [default: the least that the
    /// latencies and the scheme allow, or every scheme if several are compared]
    #[arg(long, value_name = "CYCLES", help_heading = "Messages")]
    control_latency: Option<u32>,
}

impl MessageOptions {
    /// The settings, with a control latency of at least this by default.
    pub(crate) fn settings_with(&self, least_control_latency: u32) -> MessageSettings {
        let control = self.control_latency.unwrap_or(least_control_latency);
        MessageSettings { control_latency_cycles: Some(control), ..self.settings() }
    }

    /// The settings of the options.
    pub(crate) fn settings(&self) -> MessageSettings {
        MessageSettings {
            packet_bytes: self.packet_bytes,
            eager_limit_bytes: self.eager_limit,
            control_latency_cycles: self.control_latency,
        }
    }
}

/// The file of a listed placement.
pub(crate) fn file_of(text: &str) -> Option<&str> {
    text.strip_prefix("listed:")
}

/// A placement by name, or with its file.
pub(crate) fn placement(
    option: &str,
    text: &str,
    parts: &Parts<'_>,
) -> Result<PlacementRule, Failure> {
    match file_of(text) {
        Some(path) => {
            let list = parts.node_list(&content(path)?);
            list.map(PlacementRule::Listed).map_err(|error| refused(path, error))
        }
        None => text.parse().map_err(|error| refused(option, error)),
    }
}

/// A pattern of communication by name, or with its file.
fn motif(option: &str, text: &str) -> Result<Motif, Failure> {
    if let Some(path) = text.strip_prefix("graph:") {
        let graph = matrix_market::parse(&content(path)?);
        return graph.map(Motif::Graph).map_err(|error| refused(path, error));
    }
    if let Some(path) = text.strip_prefix(MESSAGES) {
        let list = MessageList::parse(&content(path)?);
        return list.map(Motif::Messages).map_err(|error| refused(path, error));
    }
    text.parse().map_err(|error| refused(option, error))
}

/// Parses the jobs of `--jobs`.
pub(crate) fn jobs(texts: &[String]) -> Result<Vec<Job>, Failure> {
    let jobs = texts.iter().map(|text| text.parse());
    jobs.collect::<Result<_, _>>().map_err(|error| refused("--jobs", error))
}

/// Applies `f` to each job's pattern and programs in turn. An option names patterns once for all jobs or once for each.
/// Empty if it names none.
pub(crate) fn of_programs<T>(
    option: &str,
    texts: &[String],
    jobs: &[Job],
    (bytes, iterations): (u64, NonZeroU32),
    make: impl Fn(&str, Programs) -> T,
) -> Result<Vec<T>, Failure> {
    if texts.len() > 1 && texts.len() != jobs.len() {
        let (found, jobs) = (texts.len(), jobs.len());
        return Err(Failure::Message(format!(
            "{option} is given {found} times for {jobs} jobs; accepted once for all, or once for each"
        )));
    }
    let motifs = texts.iter().map(|text| motif(option, text));
    let motifs: Vec<Motif> = motifs.collect::<Result<_, _>>()?;
    if motifs.is_empty() {
        return Ok(Vec::new());
    }
    let of_job = |(number, job): (usize, &Job)| {
        let number = number.min(motifs.len() - 1);
        let text = &texts[number];
        let programs = motifs[number].programs(job.ranks.get(), bytes, iterations);
        let programs = programs.map_err(|error| refused(&format!("{option} {text}"), error))?;
        Ok(make(text, programs))
    };
    jobs.iter().enumerate().map(of_job).collect()
}

/// Why a map has no nodes for the ranks of a job.
pub(crate) fn not_mapped(error: WorkloadError) -> Failure {
    match error {
        WorkloadError::Cancelled(_) => Failure::Interrupted,
        error => refused("--map", error),
    }
}
