//! The command line of `tvlb simulate`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::table_set::FabricEntry;
use tvlb_schema::VcScheme;
use tvlb_simulator::{Injection, Revision, Settings};

/// The traffic that --traffic accepts.
const TRAFFIC: &str = "Traffic (--traffic):
  uniform             each packet to a node drawn from all
  shift(Δg,Δs)        from switch (i, j) to switch (i+Δg, j+Δs), same terminal (TYPE_1)
  type2               a permutation of groups without fixed ones, and of each group's switches
  permutation         a random permutation of the nodes
  complement          node n to node N−1−n
  mixed(u,v[,Δg,Δs])  u percent of the nodes uniform, v percent shift(Δg,Δs), by default (1,0)
  tmixed(u,v[,Δg,Δs]) the same per packet
  hot-switch          the first switch of each group to that of the next group, the rest uniform
  next-group          each packet to a node drawn from the next group
  pairs:FILE          source,destination in each line; other nodes are silent";

/// Simulate the network that a table set describes, its switches booted from the images
#[derive(Args)]
#[command(after_long_help = TRAFFIC)]
#[expect(clippy::struct_excessive_bools, reason = "they are the flags of a command line")]
pub(crate) struct Simulate {
    /// The directory that `generate` wrote
    pub(crate) directory: PathBuf,
    /// How source switches choose between MIN and VLB
    #[arg(long, value_enum, default_value_t = Scheme::UgalL)]
    pub(crate) scheme: Scheme,
    /// Draw VLB paths conventionally instead of from the images' sets; T is still theirs, so that
    /// ordinary UGAL may need --threshold 0
    #[arg(long)]
    pub(crate) conventional: bool,
    /// Who sends to whom; see --help
    #[arg(long, value_name = "PATTERN", default_value = "uniform")]
    pub(crate) traffic: String,
    /// Flits that each node offers per cycle, one run for each
    #[arg(long, value_name = "LOADS", value_delimiter = ',', default_value = "0.1")]
    load: Vec<f64>,
    /// Search for the load at which the network saturates
    #[arg(long, conflicts_with_all = ["load", "plot", "links", "bench"])]
    pub(crate) saturation: bool,
    /// The resolution of that search
    #[arg(long, value_name = "LOAD", default_value_t = 0.01)]
    pub(crate) resolution: f64,
    /// One run of every load for each; several give standard errors
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', default_value = "1")]
    pub(crate) seeds: Vec<u64>,
    /// How to print the figures
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["format", "bench"])]
    pub(crate) json: bool,
    /// Draw the latency curve as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Write the load of every link as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) links: Option<PathBuf>,
    /// Only measure the simulator's speed, over so many cycles of each load
    #[arg(long, value_name = "CYCLES", conflicts_with_all = ["plot", "links"])]
    pub(crate) bench: Option<u32>,
    /// T of every decision, instead of the images': MIN is taken up to this much costlier than VLB
    #[arg(long, value_name = "T", allow_negative_numbers = true, help_heading = "Switches")]
    threshold: Option<i16>,
    /// How virtual channels are assigned, instead of the images' rule
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Switches")]
    vc_scheme: Option<Channels>,
    /// Virtual channels of every link [default: as many as the scheme needs]
    #[arg(long, value_name = "N", help_heading = "Switches")]
    virtual_channels: Option<u8>,
    /// The virtual channel that nodes send to
    #[arg(long, value_enum, default_value_t = To::Zero, help_heading = "Switches")]
    injection: To,
    /// Flits that the buffer of one virtual channel holds
    #[arg(long, value_name = "FLITS", default_value_t = 32, help_heading = "Switches")]
    buffer: u16,
    /// How often the pipeline of a switch runs per cycle
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = "Switches")]
    speedup: u8,
    /// Cycles on a link within a group [default: the fabric's]
    #[arg(long, value_name = "CYCLES", help_heading = "Switches")]
    local_latency: Option<u16>,
    /// Cycles on a link between groups [default: the fabric's]
    #[arg(long, value_name = "CYCLES", help_heading = "Switches")]
    global_latency: Option<u16>,
    /// Cycles between a node and its switch
    #[arg(long, value_name = "CYCLES", default_value_t = 1, help_heading = "Switches")]
    node_latency: u16,
    /// Cycles until a switch acts on a credit that has arrived
    #[arg(long, value_name = "CYCLES", default_value_t = 2, help_heading = "Switches")]
    credit_delay: u16,
    /// Cycles of one window
    #[arg(long, value_name = "CYCLES", default_value_t = 10_000, help_heading = "Measurement")]
    window: u32,
    /// Windows of warm-up before the one that is measured
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Measurement")]
    warm_up: u32,
    /// The mean latency above which a run counts as saturated
    #[arg(long, value_name = "CYCLES", default_value_t = 500, help_heading = "Measurement")]
    latency_limit: u32,
    /// Use this many threads instead of one per core; the figures are the same for any number
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Show no progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// How source switches choose.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scheme {
    /// Always MIN
    Min,
    /// Always VLB
    Vlb,
    /// By the queues of the first output ports
    UgalL,
    /// As ugal-l, and once more at the second switch
    Par,
    /// By the queues along the whole paths
    UgalG,
}

/// How to print figures.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// One line for each run
    Csv,
}

/// Where nodes send to.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum To {
    /// Always VC 0
    Zero,
    /// One drawn for each packet
    Random,
}

/// How virtual channels are assigned.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Channels {
    /// Higher in each group and for a second local hop
    Ordered,
    /// The number of hops made
    PerHop,
    /// One for each place on a path
    Positional,
}

impl Simulate {
    /// What is to be changed in the images before they boot, if anything is.
    pub(crate) fn revision(&self) -> Option<Revision> {
        let vc_scheme = self.vc_scheme.map(|channels| match channels {
            Channels::Ordered => VcScheme::Ordered,
            Channels::PerHop => VcScheme::PerHop,
            Channels::Positional => VcScheme::Positional,
        });
        let revision = Revision { threshold: self.threshold, vc_scheme };
        (revision != Revision::default()).then_some(revision)
    }

    /// The loads to run.
    pub(crate) fn loads(&self) -> Vec<f64> {
        self.load.clone()
    }

    /// The settings of every run, on this fabric.
    pub(crate) fn settings(&self, fabric: &FabricEntry) -> Settings {
        let scheme = match self.scheme {
            Scheme::Min => tvlb_firmware_model::Scheme::Min,
            Scheme::Vlb => tvlb_firmware_model::Scheme::Vlb,
            Scheme::UgalL => tvlb_firmware_model::Scheme::UgalL,
            Scheme::Par => tvlb_firmware_model::Scheme::Par,
            Scheme::UgalG => tvlb_firmware_model::Scheme::UgalG,
        };
        let paths = if self.conventional { VlbPaths::Conventional } else { VlbPaths::Custom };
        // A latency that does not fit is refused with the other settings.
        let latency = |own: Option<u16>, fabric: u32| {
            own.unwrap_or_else(|| u16::try_from(fabric).unwrap_or(u16::MAX))
        };
        Settings {
            virtual_channels: self.virtual_channels,
            injection: match self.injection {
                To::Zero => Injection::Zero,
                To::Random => Injection::Random,
            },
            buffer: self.buffer,
            speedup: self.speedup,
            local_latency: latency(self.local_latency, fabric.local_latency),
            global_latency: latency(self.global_latency, fabric.global_latency),
            node_latency: self.node_latency,
            credit_delay: self.credit_delay,
            window: self.window,
            warm_up: self.warm_up,
            latency_limit: self.latency_limit,
            ..Settings::new(scheme, paths)
        }
    }
}
