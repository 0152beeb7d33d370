//! Jobs, their placement and their patterns of communication as options name them.

use crate::failure::Failure;
use crate::output::read_input;
use crate::values;
use clap::Args;
use std::fmt::Display;
use std::num::NonZeroU32;
use tvlb_simulator::MessageSettings;
use tvlb_workload::{
    Job, JobPlacement, MessageList, Motif, Programs, WorkloadError, matrix_market,
};

/// What `--with`, `--map` and patterns of communication accept.
pub(crate) const HELP: &str =
    "Placements (--with): the order in which jobs, one after the other, take nodes
  cluster             by rising number
  spread              those of every group's first switch, then of its second, and so on
  random              in random order
  groups              by rising number, but the groups in random order
  listed:FILE         in the order of a list, a node in each line, and no others

Maps (--map): on which of its job's nodes a rank runs
  linear              ranks fill one node after the other
  random              each rank on a node drawn from those with room
  bisect              ranks that exchange many bytes near to each other, by recursive bisection

Patterns of communication (--graph, --workload):
  alltoall            every rank with every other
  bisection [rotated] every rank with every rank of the other half, by rising number of the partner
                      or, rotated, so that in each step every rank has another one
  halo3d[:XxYxZ]      neighbours on a grid, along all three axes; x is the fastest
  neighbour[:XxYxZ][:AXIS]
                      neighbours on a grid along one axis, z by default
  graph:FILE          the pattern of a matrix in the Matrix Market format
  messages:FILE       CSV: from,to,bytes or from,to,bytes,phase
";

/// The jobs, and what their ranks do.
#[derive(Args)]
pub(crate) struct Exchange {
    /// The jobs, separated by commas: `RANKS`, or `RANKSxPER_NODE` for more than one rank on a node
    #[arg(long, value_name = "JOBS", required = true, value_delimiter = ',')]
    jobs: Vec<String>,
    /// What the ranks do: a pattern of communication, once for all jobs, or once for each in their order
    /// (listed at the end of --help)
    #[arg(long, value_name = "PATTERN", required = true)]
    workload: Vec<String>,
    /// The length of each message, unless the pattern is a list of messages: a number of bytes, or of KB
    /// or MB, which are powers of 1000
    #[arg(long, value_name = "BYTES", default_value = "100KB", value_parser = values::bytes)]
    pub(crate) bytes: u64,
    /// How often every rank runs its program
    #[arg(long, value_name = "N", default_value = "1")]
    iterations: NonZeroU32,
}

impl Exchange {
    /// The jobs.
    pub(crate) fn jobs(&self) -> Result<Vec<Job>, Failure> {
        jobs(&self.jobs)
    }

    /// The jobs as they were given.
    pub(crate) fn jobs_in_words(&self) -> String {
        self.jobs.join(",")
    }

    /// For each of these jobs the name of its pattern, and its programs.
    pub(crate) fn programs(&self, jobs: &[Job]) -> Result<Vec<(String, Programs)>, Failure> {
        let often = (self.bytes, self.iterations);
        let named = |name: &str, programs| (name.to_owned(), programs);
        of_programs("--workload", &self.workload, jobs, often, named)
    }
}

/// How messages travel.
#[derive(Args)]
pub(crate) struct Messages {
    /// Bytes of a packet, which is a flit
    #[arg(long, value_name = "BYTES", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Messages")]
    packet_bytes: u32,
    /// The longest message that leaves before its receive is posted
    #[arg(long, value_name = "BYTES", default_value = "12KB", value_parser = values::bytes, help_heading = "Messages")]
    eager_limit: u64,
    /// Cycles until a node knows that a receive was posted or a message has arrived at another [default:
    /// the least that the scheme and the latencies allow]
    #[arg(long, value_name = "CYCLES", help_heading = "Messages")]
    control_latency: Option<u32>,
}

impl Messages {
    pub(crate) fn settings(&self) -> MessageSettings {
        MessageSettings {
            packet_bytes: self.packet_bytes,
            eager_limit_bytes: self.eager_limit,
            control_latency_cycles: self.control_latency,
        }
    }
}

/// What is wrong, after the option or file that it is about.
pub(crate) fn refused(place: &str, error: impl Display) -> Failure {
    Failure::Message(format!("{place}: {error}"))
}

/// The file of a placement that is listed.
pub(crate) fn file_of(text: &str) -> Option<&str> {
    text.strip_prefix("listed:")
}

/// A placement by name, or with its file, as an option names it.
pub(crate) fn placement(option: &str, text: &str) -> Result<JobPlacement, Failure> {
    match file_of(text) {
        Some(path) => {
            JobPlacement::from_list(&content(path)?).map_err(|error| refused(path, error))
        }
        None => text.parse().map_err(|error| refused(option, error)),
    }
}

/// A pattern of communication by name, or with its file, as an option names it.
fn motif(option: &str, text: &str) -> Result<Motif, Failure> {
    if let Some(path) = text.strip_prefix("graph:") {
        let graph = matrix_market::parse(&content(path)?);
        return graph.map(Motif::Graph).map_err(|error| refused(path, error));
    }
    if let Some(path) = text.strip_prefix("messages:") {
        let list = MessageList::parse(&content(path)?);
        return list.map(Motif::Messages).map_err(|error| refused(path, error));
    }
    text.parse().map_err(|error| refused(option, error))
}

/// Jobs as `--jobs` names them.
pub(crate) fn jobs(texts: &[String]) -> Result<Vec<Job>, Failure> {
    let jobs = texts.iter().map(|text| text.parse());
    jobs.collect::<Result<_, _>>().map_err(|error| refused("--jobs", error))
}

/// What is made of each job's pattern and programs, job after job, by the patterns of communication that an
/// option names once for all jobs or once for each; nothing where it names none.
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

/// The text of a file.
fn content(path: &str) -> Result<String, Failure> {
    read_input(path).map_err(|error| refused(path, format_args!("cannot read it: {error}")))
}
