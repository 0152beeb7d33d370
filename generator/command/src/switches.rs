//! The options of how switches route and of what switches and links are made, which all commands share that
//! simulate.

use crate::failure::Failure;
use crate::named::{self, one_of};
use clap::Args;
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{
    Bandwidth, Bandwidths, Candidates, Gate, LinkKind, MinCandidate, Queue, VcScheme,
};
use tvlb_simulator::{Buffers, Deciding, Injection, Revision, Scheme, Settings};
use tvlb_table_set::FabricEntry;

/// How switches route, and what switches and links are made of.
#[derive(Args)]
pub struct Switches {
    /// How source switches choose between MIN and VLB
    #[arg(long, value_parser = one_of(named::SCHEMES, Scheme::name), ignore_case = true, default_value = Scheme::UgalL.name())]
    pub scheme: Scheme,
    #[command(flatten)]
    pub weighing: Weighings,
    /// How virtual channels are assigned, instead of the images' rule
    #[arg(long, value_parser = one_of(named::VC_SCHEMES, VcScheme::name), ignore_case = true, value_name = "RULE", help_heading = "Switches")]
    vc_scheme: Option<VcScheme>,
    /// Virtual channels of every link [default: as many as the scheme needs, for MIN those of UGAL-L]
    #[arg(long, value_name = "N", help_heading = "Switches")]
    virtual_channels: Option<u8>,
    /// The virtual channel that nodes send to
    #[arg(long, value_parser = one_of(named::INJECTIONS, Injection::name), ignore_case = true, default_value = Injection::Zero.name(), help_heading = "Switches")]
    injection: Injection,
    /// When the path of a packet is decided
    #[arg(long, value_parser = one_of(named::DECIDINGS, Deciding::name), ignore_case = true, value_name = "WHEN", default_value = Deciding::Sending.name(), help_heading = "Switches")]
    decide: Deciding,
    /// Flits that the buffer of one virtual channel holds [default: the fabric's, or as many as the longest link
    /// needs, and 32 at least]; two numbers, as in 32/256, for links within groups (and to nodes) and between them
    #[arg(long, value_name = "FLITS", help_heading = "Switches")]
    buffer: Option<Buffers>,
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
    /// The relative bandwidth of the links to nodes [default: the fabric's]. A cycle is what a flit takes
    /// on a link of the fastest kind
    #[arg(long, value_name = "B", help_heading = "Switches")]
    node_bandwidth: Option<Bandwidth>,
    /// The relative bandwidth of links within a group [default: the fabric's]
    #[arg(long, value_name = "B", help_heading = "Switches")]
    local_bandwidth: Option<Bandwidth>,
    /// The relative bandwidth of links between groups [default: the fabric's]
    #[arg(long, value_name = "B", help_heading = "Switches")]
    global_bandwidth: Option<Bandwidth>,
    /// Cycles until a switch acts on a credit that has arrived
    #[arg(long, value_name = "CYCLES", default_value_t = 2, help_heading = "Switches")]
    credit_delay: u16,
}

/// Whether VLB paths are conventional, and how decisions weigh, where the command line says so.
#[derive(Args)]
pub struct Weighings {
    /// Draw VLB paths conventionally instead of from the images' sets, and decide with T = 0, 1x1
    /// candidates, no gate and the queues of ports unless --threshold, --candidates, --gate and --queue say
    /// otherwise: UGAL and PAR as they were before there were T-VLB sets
    #[arg(long)]
    pub conventional: bool,
    /// T of every decision, instead of the images' or of the 0 of --conventional: MIN is taken up to
    /// this much costlier than VLB
    #[arg(long, value_name = "T", allow_negative_numbers = true, help_heading = "Switches")]
    threshold: Option<i16>,
    /// How many MIN and VLB candidates every decision draws, each 1 to 8, as in 1x4, instead of the
    /// images', or of 1x1 with --conventional
    #[arg(long, value_name = "MxK", help_heading = "Switches")]
    candidates: Option<Candidates>,
    /// The gate of every decision, as in 1.25, or 0 for none, instead of the images', or of none with
    /// --conventional: VLB is weighed only where MIN's queue is longer than so many times the mean queue
    /// of the switch's links
    #[arg(long, value_name = "C", help_heading = "Switches")]
    gate: Option<Gate>,
    /// Which credits every decision counts as the queue of a port, instead of the images', or of `port` with
    /// --conventional: those of all virtual channels, or those of the channel that a packet takes on its first
    /// link
    #[arg(long, value_parser = one_of(named::QUEUES, Queue::name), ignore_case = true, value_name = "QUEUE", help_heading = "Switches")]
    queue: Option<Queue>,
    /// The MIN path that PAR's second look weighs, instead of the images', or of `kept` with
    /// --conventional
    #[arg(long, value_parser = one_of(named::MIN_CANDIDATES, MinCandidate::name), ignore_case = true, value_name = "MIN", help_heading = "Switches")]
    second_min: Option<MinCandidate>,
}

impl Weighings {
    /// Where VLB paths come from.
    pub const fn paths(&self) -> VlbPaths {
        if self.conventional { VlbPaths::Conventional } else { VlbPaths::Custom }
    }

    /// What is to be changed in the images before they boot, if anything is, with this rule of virtual
    /// channels if one is given.
    pub fn revision(&self, vc_scheme: Option<VcScheme>) -> Option<Revision> {
        // Conventional UGAL weighs one path of each kind with T = 0; what the images have was chosen
        // with their sets.
        let threshold = self.threshold.or(self.conventional.then_some(0));
        let candidates = self.candidates.or(self.conventional.then_some(Candidates::ONE));
        let gate = self.gate.or(self.conventional.then_some(Gate::NONE));
        let queue = self.queue.or(self.conventional.then_some(Queue::Port));
        let second_min = self.second_min.or(self.conventional.then_some(MinCandidate::Kept));
        let revision = Revision { threshold, candidates, gate, queue, second_min, vc_scheme };
        (revision != Revision::default()).then_some(revision)
    }
}

impl Switches {
    /// What is to be changed in the images before they boot, if anything is.
    pub fn revision(&self) -> Option<Revision> {
        self.weighing.revision(self.vc_scheme)
    }

    /// The settings that follow, on this fabric; all others have their defaults.
    pub fn settings(&self, fabric: &FabricEntry) -> Result<Settings, Failure> {
        let paths = self.weighing.paths();
        // A latency that does not fit is refused with the other settings.
        let latency = |own: Option<u16>, fabric: u32| {
            own.unwrap_or_else(|| u16::try_from(fabric).unwrap_or(u16::MAX))
        };
        let settings = Settings {
            virtual_channels: self.virtual_channels,
            injection: self.injection,
            decide: self.decide,
            speedup: self.speedup,
            local_latency_cycles: latency(self.local_latency, fabric.local_latency),
            global_latency_cycles: latency(self.global_latency, fabric.global_latency),
            node_latency_cycles: self.node_latency,
            bandwidths: self.bandwidths(&fabric.bandwidths)?,
            credit_delay_cycles: self.credit_delay,
            ..Settings::new(self.scheme, paths)
        };
        Ok(settings.with_buffer(self.buffer.or(fabric.buffer.map(Buffers::all))))
    }

    /// The bandwidths of the kinds of links: the fabric's where the command line does not say.
    fn bandwidths(&self, fabric: &Bandwidths) -> Result<Bandwidths, Failure> {
        let of = |own: Option<Bandwidth>, kind| own.unwrap_or_else(|| fabric.of(kind));
        Bandwidths::new(
            of(self.node_bandwidth, LinkKind::Node),
            of(self.local_bandwidth, LinkKind::Local),
            of(self.global_bandwidth, LinkKind::Global),
        )
        .map_err(|error| {
            Failure::Message(format!(
                "--node-bandwidth, --local-bandwidth, --global-bandwidth: {error}"
            ))
        })
    }
}
