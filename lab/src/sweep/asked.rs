//! What a study measures instead of runs at loads, according to its file.

use super::select::CellValue;
use super::settings::SettingLists;
use crate::cut_through::CutThrough;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use toml::Table;
use tvlb_jobs::workload::RankMap;
use tvlb_throughput::Rule;
use tvlb_traffic::PlacementRule;

/// Loads from below until the network saturates, instead of given loads, in flits per node and cycle.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Curve {
    /// The load that every line has.
    pub(super) lowest: f64,
    /// From there on upwards, in multiples of this.
    pub(super) coarse: f64,
    /// The saturation is a multiple of this.
    pub(super) fine: f64,
}

/// The sets to model on each fabric: the data points of Table 1 and both strategic sets, under these patterns.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ModelStudy {
    /// The number of shifts between groups, drawn by the seed; all by default.
    pub(super) shifts: Option<usize>,
    /// The number of random `TYPE_2` patterns.
    pub(super) type_2: u32,
    /// The constraint on the rates of paths.
    #[serde(default)]
    pub(super) rule: Rule,
}

/// The jobs to run on each fabric.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Jobs {
    /// As for `tvlb-lab run --job`; by default one that fills the machine.
    #[serde(default)]
    pub(super) sizes: Vec<String>,
    /// Ranks on each node of a job that fills the machine.
    pub(super) ranks_per_node: Option<std::num::NonZeroU16>,
    /// The pattern of the ranks, as for `--workload`; `{cube}` stands for the grid of all ranks that is nearest to a
    /// cube.
    pub(super) workload: String,
    /// The length, in packets, of the unit of `--bytes`: a message, a token or a vector.
    pub(super) packets: u32,
    /// How often they do it; the last time counts.
    pub(super) iterations: NonZeroU32,
    /// For how many cycles every rank computes before each time.
    #[serde(default)]
    pub(super) compute: u32,
    /// Which nodes jobs take.
    #[serde(default = "in_order")]
    pub(super) places: Vec<String>,
    /// Which rank is on which node.
    #[serde(default = "linear")]
    pub(super) maps: Vec<String>,
    /// The nodes of the first half of the ranks; all others have the second half. The first entry that fits
    /// counts.
    #[serde(default)]
    pub(super) halves: Vec<Half>,
    /// Whether the most that the busiest link allows is counted beside it.
    #[serde(default)]
    pub(super) bound: bool,
}

/// The nodes of one half of a machine.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Half {
    /// On this fabric, as in `fabrics`; on all by default.
    pub(super) fabric: Option<String>,
    /// If links between groups have at most this bandwidth.
    pub(super) global_bandwidth: Option<f64>,
    /// Numbers and ranges of them, as in `0-31 36-39`.
    pub(super) nodes: String,
}

fn in_order() -> Vec<String> {
    vec![PlacementRule::Identity.to_string()]
}

fn linear() -> Vec<String> {
    vec![RankMap::Linear.to_string()]
}

/// A way to route, with the settings that it has.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct RoutingLine {
    /// Its name in tables.
    #[serde(rename = "line")]
    pub(super) name: String,
    pub(super) routing: RoutingKind,
    /// OFAR's rules, unless they are the defaults or those of the escape image.
    #[serde(default)]
    pub(super) rules: Table,
    /// A ring by default.
    pub(super) escape: Option<EscapeChoice>,
    /// The root of a tree; by default the first switch of group g/2.
    pub(super) escape_root: Option<CellValue>,
    /// The file of an escape image, instead of a network found on the wiring.
    pub(super) escape_image: Option<String>,
    /// When piggybacking calls a link congested: above this percentage of the mean plus this many packets.
    pub(super) congestion: Option<[u16; 2]>,
    /// Whether piggybacking draws and weighs VLB as the simulator `FOGSim` does.
    #[serde(default)]
    pub(super) like_fogsim: bool,
    /// The source of VLB paths, as in `sets`.
    pub(super) policies: Option<String>,
    /// Settings of cut-through switches by their names.
    #[serde(flatten)]
    pub(super) settings: SettingLists<CutThrough>,
}

/// How packets of cut-through switches find their ways.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RoutingKind {
    /// Always MIN.
    Min,
    /// Always VLB.
    Vlb,
    /// MIN or VLB by the queues of the first output ports, once.
    UgalL,
    /// As UGAL-L, by the queues along both paths, which no switch can see.
    UgalG,
    /// As UGAL-L, and once more at the second switch.
    Par,
    /// While a packet waits at its source, by the queues there and by what the switches of its group tell each other.
    #[serde(alias = "pb")]
    Piggybacking,
    /// Again at every hop, with an escape network.
    Ofar,
    /// As OFAR, but misrouted to another group only over a link with which a path of the images' sets begins.
    TOfar,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum EscapeChoice {
    Ring,
    Tree,
}

/// A run that is observed window by window while its traffic changes or parts die, with its events in cycles. Switches
/// keep the images of the whole fabric; each takes each fault image after a delay of its own.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Course {
    /// The cycles of a window, and where the first begins and the last ends.
    pub(super) window: NonZeroU32,
    pub(super) first: u32,
    pub(super) end: u32,
    /// The least and the largest number of cycles after which a switch takes a fault image.
    #[serde(default)]
    pub(super) delay: [u32; 2],
    #[serde(default)]
    pub(super) events: Vec<FaultEvent>,
}

/// From a cycle on these parts are dead, and no others.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FaultEvent {
    /// The name of the time from then on.
    pub(super) phase: String,
    pub(super) at: u32,
    /// A list of dead parts as `tvlb faults` reads it.
    #[serde(default)]
    pub(super) dead: String,
}
