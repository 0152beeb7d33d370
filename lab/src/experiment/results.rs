//! What an experiment found, as plain values that are kept.

use super::faults::results::{Ageing, Failure};
use super::per_hop::results::PerHop;
use super::rules::Rules;
use serde::{Deserialize, Serialize};
use tvlb_simulator::Outcome;

/// What one experiment found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Results {
    /// The version of tvlb that made the experiment.
    pub tool_version: String,
    /// The experiment's name.
    pub experiment: String,
    /// Whether windows were short and loads few, so that figures are not to be compared.
    pub quick: bool,
    /// Decided random traffic, patterns and fractions.
    pub seed: u64,
    /// Processor time of all runs, those of earlier tries included. `figures.json` does not have it,
    /// because it differs from one time to the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor_seconds: Option<f64>,
    #[serde(flatten)]
    pub figures: Figures,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Figures {
    /// Latency over load.
    Curves(Curves),
    /// Modelled throughputs.
    Model(Model),
    Fabrics {
        rows: Vec<FabricRow>,
    },
    /// A failure, its installation and its mending.
    Failure(Failure),
    /// Saturation over the share of dead cables.
    Ageing(Ageing),
    /// Throughput under traffic that loads links unevenly.
    Imbalance(Imbalance),
    /// Throughput of an exchange between neighbours.
    Phases(Phases),
    /// How long an exchange takes with each arrangement of global links.
    Arrangements(Arrangements),
    /// How long jobs take by placement, map, arrangement and routing.
    Placements(Placements),
    /// Routings that decide at every hop, on cut-through switches.
    PerHop(PerHop),
}

/// How long an exchange takes with each arrangement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Arrangements {
    /// How many maps of ranks to nodes there are.
    pub maps: u64,
    pub packets: u64,
    /// By ratio of bandwidths, then by arrangement.
    pub times: Vec<ArrangedTimes>,
}

/// The times of one arrangement at one ratio of bandwidths, over all maps. The unit is the time that a
/// message takes on a link within a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ArrangedTimes {
    /// The arrangement's name.
    pub arrangement: String,
    /// The bandwidth of a link between groups over that of a link within a group.
    pub ratio: f64,
    /// The shortest time.
    pub least: f64,
    pub median: f64,
    /// The longest time.
    pub largest: f64,
}

/// How long jobs take by placement, map, arrangement and routing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Placements {
    /// How many seeds each time is of.
    pub seeds: u64,
    pub packets: u64,
    /// By ratio of bandwidths, arrangement, routing, placement and map, the last the fastest.
    pub times: Vec<PlacedTimes>,
}

/// The times of the slowest job, over all seeds. The unit is the time that a message takes on a link within a
/// group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PlacedTimes {
    /// The bandwidth of a link between groups over that of a link within a group.
    pub ratio: f64,
    /// The arrangement's name.
    pub arrangement: String,
    /// The routing's name.
    pub routing: String,
    /// The placement's name.
    pub placement: String,
    /// The map's name.
    pub map: String,
    pub median: f64,
    /// The longest time.
    pub largest: f64,
}

impl Placements {
    /// The times that differ in placement and map alone, together.
    pub fn routings(&self) -> Vec<Vec<&PlacedTimes>> {
        let is_same = |one: &PlacedTimes, other: &PlacedTimes| {
            (&one.arrangement, &one.routing) == (&other.arrangement, &other.routing)
                && (one.ratio - other.ratio).abs() < 1e-9
        };
        self.times.chunk_by(is_same).map(|times| times.iter().collect()).collect()
    }

    /// The shortest and the longest median of some times; of equal ones the first.
    ///
    /// # Panics
    /// If there are none.
    pub fn ends<'t>(times: &[&'t PlacedTimes]) -> (&'t PlacedTimes, &'t PlacedTimes) {
        let mut ends = (times[0], times[0]);
        for &one in times {
            if one.median < ends.0.median {
                ends.0 = one;
            }
            if one.median > ends.1.median {
                ends.1 = one;
            }
        }
        ends
    }
}

/// The names of the routings of load-imbalance experiments, in the order of the tables.
pub(super) const ROUTINGS: [&str; 4] = ["MIN", "VALg", "VALg, shuffled groups", "VALn"];

/// Throughput at full load on systems of several sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Imbalance {
    /// By rising size.
    pub systems: Vec<System>,
}

/// Throughput of an exchange between neighbours on systems of several sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Phases {
    /// Flits that a process sends to each neighbour.
    pub flits: u64,
    /// By rising size.
    pub systems: Vec<Phase>,
}

/// An exchange on one system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Phase {
    /// p, a, h, g.
    pub dragonfly: [u32; 4],
    pub grid: [u32; 3],
    /// What became of it by each routing.
    pub routed: Vec<PhaseRouted>,
}

impl Phase {
    /// "dfly(2,4,2,9)".
    pub fn name(&self) -> String {
        let [p, a, h, g] = self.dragonfly;
        format!("dfly({p},{a},{h},{g})")
    }

    fn carried(&self) -> Carried<'_> {
        let [_, a, _, g] = self.dragonfly;
        let routed = self.routed.iter().map(|by| (by.routing.as_str(), by.throughput)).collect();
        Carried { name: self.name(), switches: a * g, routed }
    }
}

/// What routings carried on one system, in flits per node and cycle.
#[derive(Debug)]
pub(super) struct Carried<'r> {
    pub(super) name: String,
    pub(super) switches: u32,
    /// By the routings' names.
    pub(super) routed: Vec<(&'r str, f64)>,
}

impl Carried<'_> {
    pub(super) fn by(&self, routing: &str) -> Option<f64> {
        self.routed.iter().find(|(name, _)| *name == routing).map(|&(_, carried)| carried)
    }
}

/// An exchange by one routing, in flits per node and cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PhaseRouted {
    /// The routing's name; with the groups' placement if they are shuffled.
    pub routing: String,
    /// What the busiest link allows, on average over the draws of paths.
    pub bound: f64,
    /// What was carried until the last flit had arrived.
    pub throughput: f64,
}

/// One system under one traffic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct System {
    /// p, a, h, g.
    pub dragonfly: [u32; 4],
    /// The traffic's name.
    pub traffic: String,
    /// The paper's estimate for `VALg`, 3/(4p).
    pub estimate: f64,
    /// The estimate for `VALg` that counts shares of links.
    pub share_count: f64,
    /// What became of it by each routing.
    pub routed: Vec<Routed>,
}

/// A system by one routing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Routed {
    /// The routing's name; with the groups' placement if they are shuffled.
    pub routing: String,
    /// 1 over the largest load of a link, at most 1.
    pub static_saturation: f64,
    /// Delivered flits per node and cycle where every node offers one flit per cycle: the mean over
    /// windows of equal length.
    pub throughput: f64,
    /// Half of the mean's 95% confidence interval, from the differences between the windows.
    pub half_width: f64,
}

/// Latency over load on one fabric under one traffic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Curves {
    /// p, a, h, g.
    pub dragonfly: [u32; 4],
    /// The traffic's name.
    pub traffic: String,
    /// One line for each variant, scheme and rules.
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Line {
    /// The scheme's name.
    pub scheme: String,
    /// The name of the settings that differ from the paper's Table 3, or nothing.
    pub variant: String,
    /// How VLB paths are drawn.
    pub rules: Rules,
    pub set: String,
    /// The last load below saturation, in flits per node and cycle.
    pub saturation: f64,
    /// The loads that were run, in ascending order.
    pub points: Vec<Point>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Point {
    /// Flits per node and cycle.
    pub load: f64,
    /// The mean latency in cycles.
    pub latency: f64,
    /// The latency in cycles that 99% of the packets do not exceed.
    pub p99: u32,
    /// Accepted flits per node and cycle.
    pub accepted: f64,
    pub hops: f64,
    /// The share of packets that took VLB.
    pub vlb_share: f64,
    /// Whether the run counts as saturated.
    pub saturated: bool,
}

/// Throughputs of the path sets of Step 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Model {
    /// p, a, h, g.
    pub dragonfly: [u32; 4],
    /// How many patterns.
    pub patterns: usize,
    /// What no set exceeds.
    pub bound: f64,
    /// The sets, in the order of the paper's Table 1.
    pub sets: Vec<ModelledSet>,
}

/// The throughput of one set, on average over the patterns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ModelledSet {
    /// The set's name.
    pub set: String,
    /// The throughput: the middle of the interval in which it is proven to lie.
    pub throughput: f64,
    pub lower: f64,
    /// What is proven not to be exceeded.
    pub upper: f64,
    /// The standard error of the mean over the patterns.
    pub standard_error: f64,
    /// Mean hops of VLB paths drawn evenly.
    pub mean_hops: f64,
}

/// One fabric of Table 2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FabricRow {
    /// p, a, h, g.
    pub dragonfly: [u32; 4],
    /// How many nodes.
    pub nodes: u32,
    /// How many switches.
    pub switches: u32,
    /// The least and the most links between two groups.
    pub links_per_pair: [usize; 2],
    /// The VLB paths of some sets.
    pub paths: Vec<SetPaths>,
}

/// The VLB paths that a set keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SetPaths {
    /// The set's name.
    pub set: String,
    /// Mean over all pairs of switches in different groups.
    pub routes_per_pair: f64,
    /// Mean hops of these routes.
    pub mean_hops: f64,
}

impl From<Outcome> for Point {
    fn from(outcome: Outcome) -> Self {
        Self {
            load: outcome.load,
            latency: outcome.all.latency,
            p99: outcome.all.p99,
            accepted: outcome.all.accepted,
            hops: outcome.all.hops,
            vlb_share: outcome.all.vlb_share,
            saturated: outcome.saturated,
        }
    }
}

impl Results {
    pub(super) fn curves(&self) -> Option<&Curves> {
        if let Figures::Curves(curves) = &self.figures { Some(curves) } else { None }
    }

    /// What routings carried, system by system, where that is what the figures say.
    pub(super) fn carried(&self) -> Option<Vec<Carried<'_>>> {
        match &self.figures {
            Figures::Imbalance(found) => Some(found.systems.iter().map(System::carried).collect()),
            Figures::Phases(found) => Some(found.systems.iter().map(Phase::carried).collect()),
            _ => None,
        }
    }

    pub(super) fn model(&self) -> Option<&Model> {
        if let Figures::Model(model) = &self.figures { Some(model) } else { None }
    }
}

impl System {
    pub(super) fn by(&self, routing: &str) -> Option<&Routed> {
        self.routed.iter().find(|routed| routed.routing == routing)
    }

    fn carried(&self) -> Carried<'_> {
        let [_, a, _, g] = self.dragonfly;
        let routed = self.routed.iter().map(|by| (by.routing.as_str(), by.throughput)).collect();
        Carried { name: self.name(), switches: a * g, routed }
    }

    pub(super) fn name(&self) -> String {
        let [p, a, h, g] = self.dragonfly;
        format!("dfly({p},{a},{h},{g})")
    }
}

impl Curves {
    pub(super) fn line(&self, scheme: &str, variant: &str, rules: Rules) -> Option<&Line> {
        self.lines
            .iter()
            .find(|line| line.scheme == scheme && line.variant == variant && line.rules == rules)
    }

    /// The variants and schemes of the lines, each pair once, in the order of the lines.
    pub(super) fn subjects(&self) -> Vec<(&str, &str)> {
        let mut subjects: Vec<(&str, &str)> = Vec::new();
        for line in &self.lines {
            let subject = (&*line.variant, &*line.scheme);
            if !subjects.contains(&subject) {
                subjects.push(subject);
            }
        }
        subjects
    }

    /// The variants of a scheme's lines, in the order of the lines.
    pub(super) fn variants(&self, scheme: &str) -> Vec<&str> {
        let of_scheme = self.subjects().into_iter().filter(|(_, of)| *of == scheme);
        of_scheme.map(|(variant, _)| variant).collect()
    }
}

impl Line {
    /// The run at a load, if the line has one.
    pub(super) fn at(&self, load: f64) -> Option<&Point> {
        self.points.iter().find(|point| (point.load - load).abs() < 1e-9)
    }

    /// The runs below saturation.
    pub(super) fn unsaturated(&self) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(|point| !point.saturated)
    }

    /// The runs of two lines at the loads at which neither is saturated.
    pub(super) fn together<'l>(&'l self, other: &'l Self) -> Vec<(&'l Point, &'l Point)> {
        let pair = |point: &'l Point| {
            other.at(point.load).filter(|other| !other.saturated).map(|other| (point, other))
        };
        self.unsaturated().filter_map(pair).collect()
    }
}
