//! What was run, in every line of CSV and JSON, so that lines of several runs can share a file.

use tvlb_base::row;
use tvlb_base::table::Cell;
use tvlb_firmware_model::VlbPaths;
use tvlb_simulator::Settings;
use tvlb_table_set::{FabricEntry, Manifest};
use tvlb_traffic::named::Named;
use tvlb_traffic::{Pattern, PlacementRule};

/// What was run, apart from loads, seeds, settings and how decisions weigh.
pub(super) struct Identity<'a> {
    /// The fabric.
    pub(super) fabric: &'a FabricEntry,
    scheme: &'static str,
    /// The set that VLB paths come from at the source, or `conventional`; absent under MIN.
    pub set: Option<&'a str>,
    /// That of PAR's second look.
    pub second_set: Option<&'a str>,
    pub traffic: &'a Named<Pattern>,
    pub placement: &'a Named<PlacementRule>,
}

impl<'a> Identity<'a> {
    pub(super) fn new(
        settings: &Settings,
        manifest: &'a Manifest,
        (traffic, placement): (&'a Named<Pattern>, &'a Named<PlacementRule>),
    ) -> Self {
        let set = |decision| match settings.paths {
            VlbPaths::Conventional => "conventional",
            VlbPaths::Custom => manifest.sets.get(decision).set.as_str(),
        };
        let [set, second_set] = settings.scheme.decisions().map(|decision| decision.map(set));
        let scheme = settings.scheme.name();
        Self { fabric: &manifest.fabric, scheme, set, second_set, traffic, placement }
    }

    /// The cells of CSV.
    pub(super) fn cells(&self) -> Vec<Cell> {
        let Self { fabric, scheme, set, second_set, traffic, placement } = *self;
        row![
            fabric.name.as_str(),
            scheme,
            set,
            second_set,
            traffic.name.as_str(),
            traffic.content.as_deref(),
            placement.name.as_str(),
            placement.content.as_deref(),
        ]
    }

    /// The name of the placement, if one was asked for.
    pub(super) fn placed(&self) -> Option<&'a str> {
        let is_placed = self.placement.rule != PlacementRule::Identity;
        is_placed.then_some(self.placement.name.as_str())
    }
}
