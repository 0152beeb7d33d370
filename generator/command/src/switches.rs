//! The options of how switches route and of the properties of switches and links, which all commands that simulate
//! share.

use crate::given::{Given, OfSwitches};
use crate::named::{self, one_of};
use clap::Args;
use tvlb_base::parameter::{Parameters, Stated};
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{MinCandidate, VcScheme, Weighing};
use tvlb_simulator::{BootedFabric, Measuring, Revision, Scheme, Settings};
use tvlb_table_set::{FabricEntry, OpenWeighing};

/// How switches route, and the properties of switches and links.
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

/// Whether VLB paths are conventional, and how decisions weigh, if the command line says so.
#[derive(Args)]
pub struct Weighings {
    /// Draw VLB paths conventionally instead of from the images' sets, and decide with T = 0, 1x1 candidates, no gate
    /// and the queues of ports unless --threshold, --candidates, --gate and --queue say otherwise: UGAL and PAR without
    /// T-VLB sets, as published
    #[arg(long)]
    pub conventional: bool,
    #[command(flatten)]
    said: Given<OpenWeighing, OfSwitches>,
}

impl Weighings {
    /// Where VLB paths come from.
    pub const fn paths(&self) -> VlbPaths {
        if self.conventional { VlbPaths::Conventional } else { VlbPaths::Custom }
    }

    /// The changes to make in the images before they boot, if any, with this rule of virtual channels if given.
    pub fn revision(&self, vc_scheme: Option<VcScheme>) -> Option<Revision> {
        // Conventional UGAL weighs one path of each kind with T = 0; the values in the images were chosen together with
        // their sets.
        let open = if self.conventional {
            OpenWeighing::closed(Weighing::default(), MinCandidate::Kept)
        } else {
            OpenWeighing::default()
        };
        let revision = Revision { weighing: self.said.0.over(open), vc_scheme };
        (revision != Revision::default()).then_some(revision)
    }
}

impl Switches {
    /// The changes to make in the images before they boot, if any.
    pub fn revision(&self) -> Option<Revision> {
        self.weighing.revision(self.given.0.over(Settings::usual()).vc_scheme)
    }

    /// The settings for this booted fabric, with the other stated values.
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
