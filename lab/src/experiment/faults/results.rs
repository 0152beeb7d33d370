//! What the experiments with dead parts find, as plain values that are kept.

use super::paths::Paths;
use serde::{Deserialize, Serialize};
use tvlb_simulator::{Estimate, SeriesWindow};

/// A failure, its installation and its mending, window by window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Failure {
    /// p, a, h, g.
    pub dragonfly: [u32; 4],
    /// The cable that dies first, as a list of dead parts names it.
    pub cable: String,
    /// The switch that dies later.
    pub switch: String,
    /// The cycle from which on the cable is dead.
    pub cable_dies: u32,
    /// The cycle from which on the switch is dead too.
    pub switch_dies: u32,
    /// The cycle from which on nothing is dead.
    pub mended: u32,
    /// The cycle at which the last window ends.
    pub end: u32,
    /// The least and the largest number of cycles after which a switch takes a fault image.
    pub delay: [u32; 2],
    /// The cycle at which the first window begins.
    pub first: u32,
    /// The cycles of a window.
    pub window: u32,
    /// How many runs the figures of each line are the mean of.
    pub runs: u32,
    /// A line for each traffic, load, scheme and kind of VLB paths.
    pub lines: Vec<FailureLine>,
}

/// One line: a scheme with its VLB paths under some traffic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FailureLine {
    /// The traffic's name.
    pub traffic: String,
    /// Flits per node and cycle.
    pub load: f64,
    /// The scheme's name.
    pub scheme: String,
    /// How VLB paths are drawn.
    pub paths: Paths,
    pub set: String,
    /// The share of the traffic of which both ends live while the switch is dead.
    pub live_share: f64,
    /// Figures by the window, means over the runs.
    pub windows: Windows,
}

/// Figures by the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Windows {
    /// Accepted flits per node and cycle.
    pub accepted: Vec<f64>,
    /// The mean latency of the packets delivered, in cycles; 0 where none were.
    pub latency: Vec<f64>,
    /// Packets lost on dead links.
    pub on_dead_links: Vec<f64>,
    /// Packets dropped because no live link was left.
    pub without_live_port: Vec<f64>,
    /// Packets lost in the dead switch.
    pub in_dead_switches: Vec<f64>,
    /// Packets at a switch to which their headers made no sense.
    pub astray: Vec<f64>,
    /// Packets lost in the source queues of the dead switch, which were never sent.
    pub in_source_queues: Vec<f64>,
    /// Packets refused at their source, which were never sent.
    pub refused_at_source: Vec<f64>,
}

/// A cause of losses: its name, its name in CSV, and its counts.
pub(super) type Cause = (&'static str, &'static str, fn(&Windows) -> &Vec<f64>);

/// All causes, those of packets that were never sent last.
pub(super) const CAUSES: [Cause; 6] = [
    ("on dead links", "on-dead-links", |windows| &windows.on_dead_links),
    ("no live link left", "without-live-port", |windows| &windows.without_live_port),
    ("in the dead switch", "in-dead-switches", |windows| &windows.in_dead_switches),
    ("astray", "astray", |windows| &windows.astray),
    ("in its source queues", "in-source-queues", |windows| &windows.in_source_queues),
    ("refused at the source", "refused-at-source", |windows| &windows.refused_at_source),
];

impl Windows {
    /// The windows of a run that begin at this cycle or later.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub(super) fn of(series: &[SeriesWindow], first: u32) -> Self {
        let shown = || series.iter().filter(|window| window.from >= first);
        let each = |value: &dyn Fn(&SeriesWindow) -> f64| shown().map(value).collect();
        Self {
            accepted: each(&|window| window.accepted),
            latency: each(&|window| window.latency.unwrap_or_default()),
            on_dead_links: each(&|window| window.losses.on_dead_links as f64),
            without_live_port: each(&|window| window.losses.without_live_port as f64),
            in_dead_switches: each(&|window| window.losses.in_dead_switches as f64),
            astray: each(&|window| window.losses.astray as f64),
            in_source_queues: each(&|window| window.losses.in_source_queues as f64),
            refused_at_source: each(&|window| window.losses.refused_at_source as f64),
        }
    }

    /// The means of runs, each rounded to what is worth keeping.
    pub(super) fn mean(runs: &[Self]) -> Self {
        let of = |values: fn(&Self) -> &Vec<f64>, decimals: i32| {
            let unit = 10_f64.powi(decimals);
            let count = runs.first().map_or(0, |run| values(run).len());
            let mean = |place: usize| {
                let each: Vec<f64> = runs.iter().map(|run| values(run)[place]).collect();
                (Estimate::of(&each).mean * unit).round() / unit
            };
            (0..count).map(mean).collect()
        };
        Self {
            accepted: of(|run| &run.accepted, 5),
            latency: of(|run| &run.latency, 2),
            on_dead_links: of(|run| &run.on_dead_links, 2),
            without_live_port: of(|run| &run.without_live_port, 2),
            in_dead_switches: of(|run| &run.in_dead_switches, 2),
            astray: of(|run| &run.astray, 2),
            in_source_queues: of(|run| &run.in_source_queues, 2),
            refused_at_source: of(|run| &run.refused_at_source, 2),
        }
    }
}

/// Saturation and latency over the share of cables between groups that are dead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Ageing {
    /// p, a, h, g.
    pub dragonfly: [u32; 4],
    /// How many cables the whole fabric has.
    pub cables: u32,
    /// How many draws of dead cables the figures are of.
    pub draws: u32,
    /// The steps in which saturations are searched, in flits per node and cycle.
    pub resolution: f64,
    pub load: f64,
    /// The largest number of ordered pairs of switches that no path joins in any draw.
    pub cut_pairs: u64,
    /// The panel with which sets were chosen again, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
    /// A line for each traffic, scheme and kind of VLB paths.
    pub lines: Vec<AgeingLine>,
}

/// One line: a scheme with its VLB paths under some traffic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AgeingLine {
    /// The traffic's name.
    pub traffic: String,
    /// The scheme's name.
    pub scheme: String,
    /// How VLB paths are drawn.
    pub paths: Paths,
    /// By rising number of dead cables.
    pub points: Vec<AgeingPoint>,
}

/// A number of dead cables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AgeingPoint {
    /// The share of dead cables that was asked for, in thousandths.
    pub thousandths: u32,
    /// How many cables are dead.
    pub dead: u32,
    pub runs: Vec<AgeingRun>,
}

/// What was found with one draw of dead cables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AgeingRun {
    pub seed: u64,
    pub set: String,
    /// How many switch images the update has.
    pub changed_images: u32,
    /// The last load below saturation, in flits per node and cycle.
    pub saturation: f64,
    /// The mean latency at the low load, in cycles; none if that is saturated.
    pub latency: Option<f64>,
}

impl Ageing {
    pub(super) fn line(&self, traffic: &str, scheme: &str, paths: Paths) -> Option<&AgeingLine> {
        self.lines
            .iter()
            .find(|line| line.traffic == traffic && line.scheme == scheme && line.paths == paths)
    }
}

impl AgeingLine {
    pub(super) fn at(&self, dead: u32) -> Option<&AgeingPoint> {
        self.points.iter().find(|point| point.dead == dead)
    }
}

impl AgeingPoint {
    pub(super) fn saturation(&self) -> Estimate {
        Estimate::of(&self.runs.iter().map(|run| run.saturation).collect::<Vec<_>>())
    }

    /// None if the low load is saturated with some draw.
    pub(super) fn latency(&self) -> Option<Estimate> {
        let each: Option<Vec<f64>> = self.runs.iter().map(|run| run.latency).collect();
        each.map(|each| Estimate::of(&each))
    }
}
