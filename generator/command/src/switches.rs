//! The options of how switches route and of what switches and links are made, which all commands share that
//! simulate.

use crate::given::{Given, OfSwitches};
use crate::named::{self, one_of};
use clap::Args;
use tvlb_base::parameter::{Parameters, Stated};
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{Candidates, Gate, MinCandidate, Queue, VcScheme};
use tvlb_simulator::{BootedFabric, Measuring, Revision, Scheme, Settings};
use tvlb_table_set::FabricEntry;

/// How switches route, and what switches and links are made of.
#[derive(Args)]
pub struct Switches {
    /// How source switches choose between MIN and VLB
    #[arg(long, value_parser = one_of(named::SCHEMES, Scheme::name), ignore_case = true, default_value = Scheme::UgalL.name())]
    pub scheme: Scheme,
    #[command(flatten)]
    pub weighing: Weighings,
    #[command(flatten)]
    given: Given<Settings, OfSwitches>,
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
        self.weighing.revision(self.given.0.over(Settings::usual()).vc_scheme)
    }

    /// The settings that follow on this fabric, as it has booted, with what else has been stated.
    pub fn settings(
        &self,
        (booted, fabric): (&BootedFabric<'_>, &FabricEntry),
        stated: Stated<Settings>,
        is_search: bool,
    ) -> Settings {
        let usual = Settings {
            measuring: Measuring::usual(is_search),
            ..Settings::new(self.scheme, self.weighing.paths())
        };
        let settings = usual.on(fabric.into(), &stated.with(self.given.0.clone()));
        Settings { vc_scheme: Some(booted.vc_scheme()), ..settings }
    }
}
