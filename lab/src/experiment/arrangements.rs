//! How long jobs take with each arrangement of the links between groups, over the ratio of the bandwidths
//! of links between groups and within them, after Kaplan et al., "Unveiling the Interplay Between Global
//! Link Arrangements and Network Management Algorithms on Dragonfly Networks" (CCGRID 2017).
//!
//! The machine is dfly(2,4,2,9) or dfly(4,8,4,33), whose links have a latency of one cycle and buffers of
//! 14 flits; links to nodes are as fast as those within groups. One job has two ranks on each node. Routing is
//! MIN.

use super::catalogue::{Exchange, Experiment, Machine};
use super::error::ExperimentError;
use super::findings::{Findings, Texts};
use super::in_parallel::in_parallel;
use super::kept::{self, recall_or};
use super::kept_results::KeptResults;
use super::options::Options;
use super::results::{ArrangedTimes, Arrangements, Figures};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::num::NonZeroU32;
use tvlb_base::progress::Progress;
use tvlb_chart::{Axis, Ink, Mark, Plot, Series};
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::generate::generate;
use tvlb_generator::image::Images;
use tvlb_generator::policy::PolicyPair;
use tvlb_schema::{Bandwidth, Bandwidths, Dragonfly, DragonflyError, LinkKind, NodeId};
use tvlb_simulator::{
    BootedFabric, CompletionError, JobRun, MessageSettings, RunError, Scheme, Settings, complete,
};
use tvlb_table_set::sha256;
use tvlb_topology::arrangement::Arrangement;
use tvlb_traffic::workload::{Job, Motif, Programs, RankMap};

/// Raised when a run's file comes to hold other values.
const VERSION: u32 = 1;
/// The arrangements, in the order of the tables.
pub(super) const ARRANGEMENTS: [Arrangement; 3] =
    [Arrangement::AbsoluteClassic, Arrangement::Relative, Arrangement::Circulant];
/// Bandwidths of a link between groups, in thousandths of that of a link within a group.
const RATIOS: [u32; 8] = [500, 1000, 1500, 2000, 2500, 3000, 3500, 4000];
const LARGE_RATIOS: [u32; 4] = [500, 1000, 2000, 4000];
const QUICK_RATIOS: [u32; 2] = [500, 4000];
/// Bytes of a packet.
pub(super) const PACKET: u64 = 1024;

/// What is run, on which machine, and with which maps.
struct Plan {
    machine: Machine,
    exchange: Exchange,
    motif: Motif,
    /// Packets of a message: more than an eager message has.
    packets: u64,
    iterations: NonZeroU32,
    ratios: &'static [u32],
    /// Maps of ranks to nodes, each by a seed.
    maps: u64,
}

impl Plan {
    fn of(exchange: Exchange, machine: Machine, quick: bool) -> Self {
        let (name, packets, iterations) = match (exchange, machine) {
            (Exchange::Bisection, Machine::Small) => ("bisection", 98, 1),
            (Exchange::AllToAll, Machine::Small) => ("alltoall", 40, 1),
            (Exchange::Stencil, Machine::Small) => ("halo3d:6x6x4", 980, 2),
            // A large job has fifteen times as many partners.
            (Exchange::Bisection, Machine::Large) => ("bisection", 20, 1),
            (Exchange::AllToAll, Machine::Large) => ("alltoall", 20, 1),
            (Exchange::Stencil, Machine::Large) => ("halo3d:16x12x11", 196, 2),
        };
        let (ratios, maps) = match machine {
            Machine::Small => (&RATIOS[..], 15),
            Machine::Large => (&LARGE_RATIOS[..], 5),
        };
        Self {
            machine,
            exchange,
            motif: name.parse().expect("it is the name of a pattern"),
            packets: if quick { 20 } else { packets },
            iterations: NonZeroU32::new(iterations).expect("one or two"),
            ratios: if quick { &QUICK_RATIOS } else { ratios },
            maps: if quick { 1 } else { maps },
        }
    }

    fn dragonfly(&self) -> Result<Dragonfly, DragonflyError> {
        match self.machine {
            Machine::Small => Dragonfly::new(2, 4, 2, 9),
            Machine::Large => Dragonfly::new(4, 8, 4, 33),
        }
    }

    fn programs(&self, ranks: u32) -> Programs {
        self.motif
            .programs(ranks, self.packets * PACKET, self.iterations)
            .expect("ranks are even in number, and as many as the grid has places")
    }

    /// The nodes of one half of the machine, which few links join to the other where the machine is the small
    /// one; the first half of a large one.
    fn half(&self, df: &Dragonfly, arrangement: Arrangement, ratio: u32) -> Vec<NodeId> {
        let half = match self.machine {
            Machine::Small => half(arrangement, ratio),
            Machine::Large => (0..df.node_count() / 2).collect(),
        };
        half.into_iter().map(NodeId).collect()
    }
}

/// The nodes of one half of the small machine, which few links join to the other: as in the published runs.
fn half(arrangement: Arrangement, ratio: u32) -> Vec<u32> {
    match (arrangement, ratio) {
        (Arrangement::Relative, ..=1000) => (0..32).chain(36..40).collect(),
        (Arrangement::Relative, _) => {
            [0..18, 20..24, 28..32, 36..38, 50..52, 58..60, 64..68].into_iter().flatten().collect()
        }
        (Arrangement::Circulant, ..=1500) => (0..16).chain(32..48).chain(58..62).collect(),
        (Arrangement::Circulant, ..=2500) => {
            [0..12, 14..20, 22..30, 32..38, 50..52, 54..56].into_iter().flatten().collect()
        }
        (Arrangement::Circulant, _) => (0..72).filter(|node| node % 8 < 4).collect(),
        (_, ..=1000) => (0..36).collect(),
        _ => {
            [0..20, 24..28, 32..36, 40..42, 48..50, 56..58, 64..66].into_iter().flatten().collect()
        }
    }
}

/// The node of each rank.
fn nodes(
    df: &Dragonfly,
    plan: &Plan,
    (arrangement, ratio): (Arrangement, u32),
    (programs, seed): (&Programs, u64),
) -> Vec<NodeId> {
    let placed = |nodes: Vec<NodeId>, map: RankMap, number: u32| {
        let job: Job = format!("{}x2", 2 * nodes.len()).parse().expect("it is a job");
        let graph = (map == RankMap::Bisect).then(|| programs.graph());
        let placed = map.place(df, job, nodes, graph.as_ref(), (seed, number), &());
        placed.expect("the graph is the job's").node_of
    };
    match plan.exchange {
        Exchange::Bisection => {
            let one = plan.half(df, arrangement, ratio);
            let other = df.nodes().filter(|node| !one.contains(node)).collect();
            let halves = [one, other].into_iter().zip(0..);
            halves.flat_map(|(half, n)| placed(half, RankMap::Random, n)).collect()
        }
        Exchange::AllToAll => placed(df.nodes().collect(), RankMap::Random, 0),
        Exchange::Stencil => placed(df.nodes().collect(), RankMap::Bisect, 0),
    }
}

/// The machine's settings at a ratio of bandwidths, in thousandths.
pub(super) fn settings(ratio: u32) -> Settings {
    let one = Bandwidth::ONE;
    let global = Bandwidth::of_thousandths(ratio).expect("the ratios are above 0");
    Settings {
        buffer_flits: 14,
        local_latency_cycles: 1,
        global_latency_cycles: 1,
        bandwidths: Bandwidths::new(one, one, global).expect("the ratios are at most 4"),
        ..Settings::new(Scheme::Min, VlbPaths::Custom)
    }
}

/// Everything that a run depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Subject<'s> {
    arrangements_version: u32,
    tool_version: &'static str,
    images: &'s str,
    settings: &'s Settings,
    messages: &'s MessageSettings,
    workload: String,
    packets: u64,
    iterations: u32,
    nodes: &'s [NodeId],
    seed: u64,
}

/// What is kept of a run: the cycles of the job, or of its second iteration.
#[derive(Serialize, Deserialize)]
pub(super) struct Cycles(pub(super) u32);

pub(super) fn run(
    experiment: &Experiment,
    (exchange, machine): (Exchange, Machine),
    (options, known): (&Options, &KeptResults),
    progress: &dyn Progress,
) -> Result<Findings, ExperimentError> {
    let plan = Plan::of(exchange, machine, options.quick);
    let df = plan.dragonfly()?;
    let programs = plan.programs(2 * df.node_count());
    let mut machines = Vec::new();
    for arrangement in ARRANGEMENTS {
        let fabric = Fabric::new("arrangements", df, arrangement, 1)?;
        let pair = PolicyPair::parse("min", 1).expect("min is in the grammar");
        let images = generate(&fabric, &pair.per_decision(), progress)?.images;
        let hash = sha256(&[&images.fabric[..], &images.switches.concat()].concat());
        machines.push((arrangement, images, hash));
    }
    let work: Vec<(&(Arrangement, Images, String), u32, u64)> = plan
        .ratios
        .iter()
        .flat_map(|&ratio| machines.iter().map(move |machine| (machine, ratio)))
        .flat_map(|(machine, ratio)| (1..=plan.maps).map(move |seed| (machine, ratio, seed)))
        .collect();
    let times =
        in_parallel("runs", work, progress, |((arrangement, images, hash), ratio, seed)| {
            let nodes = nodes(&df, &plan, (*arrangement, ratio), (&programs, seed));
            let settings = settings(ratio);
            let subject = Subject {
                arrangements_version: VERSION,
                tool_version: env!("CARGO_PKG_VERSION"),
                images: hash,
                settings: &settings,
                messages: &MessageSettings::default(),
                workload: exchange.name().to_owned(),
                packets: plan.packets,
                iterations: plan.iterations.get(),
                nodes: &nodes,
                seed,
            };
            let kept = kept::open(options.state.as_deref())?;
            let job = [JobRun { programs: &programs, nodes: &nodes }];
            recall_or(kept.as_ref(), &subject, || simulate(images, &settings, &job, seed, progress))
        })?;
    let seconds = times.iter().map(|timed| timed.processor_seconds).sum();
    let maps = usize::try_from(plan.maps).expect("a few");
    let cells =
        plan.ratios.iter().flat_map(|&ratio| ARRANGEMENTS.map(|arranged| (ratio, arranged)));
    let times = cells.zip(times.chunks(maps)).map(|((ratio, arrangement), of_maps)| {
        // Time is counted in messages on a link within a group, whatever the fastest kind is.
        let packet = settings(ratio).bandwidths.flits_per_cycle(LinkKind::Local);
        #[expect(clippy::cast_precision_loss, reason = "a thousand packets at most")]
        let unit = packet / plan.packets as f64;
        let mut cycles: Vec<u32> = of_maps.iter().map(|timed| timed.found.0).collect();
        cycles.sort_unstable();
        let at = |place: usize| f64::from(cycles[place]) * unit;
        ArrangedTimes {
            arrangement: arrangement.name().to_owned(),
            ratio: f64::from(ratio) / 1000.0,
            least: at(0),
            median: at(maps / 2),
            largest: at(maps - 1),
        }
    });
    let found = Arrangements { maps: plan.maps, packets: plan.packets, times: times.collect() };
    let texts = Texts::<()> {
        csv: csv(&found),
        pictures: vec![("figure".to_owned(), picture(experiment, &found))],
        words: words(&found),
        model: None,
    };
    Ok(Findings::new(experiment, (Figures::Arrangements(found), seconds), texts, (options, known)))
}

/// Runs jobs, and counts the cycles of the last iteration of the one that takes longest for it.
pub(super) fn simulate(
    images: &Images,
    settings: &Settings,
    jobs: &[JobRun<'_>],
    seed: u64,
    progress: &dyn Progress,
) -> Result<Cycles, ExperimentError> {
    let fabric = BootedFabric::boot(&images.fabric, &images.switches)?;
    let messages = MessageSettings::default();
    let completion = complete(&fabric, settings, jobs, &messages, seed, progress);
    let completion = completion.map_err(|error| match error {
        CompletionError::Run(RunError::Cancelled(cancelled)) => cancelled.into(),
        error => ExperimentError::Completion { seed, error: Box::new(error) },
    })?;
    let last = jobs.iter().zip(&completion.jobs).map(|(job, times)| {
        let last = job.programs.iterations().get() as usize - 1;
        times.iteration_cycles(last).expect("it is an iteration of the job")
    });
    Ok(Cycles(last.max().expect("there is a job")))
}

fn csv(found: &Arrangements) -> String {
    let mut text = "ratio,arrangement,maps,packets,least,median,largest\n".to_owned();
    let Arrangements { maps, packets, times } = found;
    for ArrangedTimes { arrangement, ratio, least, median, largest } in times {
        let _ = writeln!(
            text,
            "{ratio},{arrangement},{maps},{packets},{least:.3},{median:.3},{largest:.3}"
        );
    }
    text
}

fn words(found: &Arrangements) -> String {
    let mut text = String::new();
    for ArrangedTimes { arrangement, ratio, median, largest, .. } in &found.times {
        let _ = writeln!(
            text,
            "  ratio {ratio}, {arrangement}: median {median:.1}, largest {largest:.1} messages"
        );
    }
    text
}

/// The median over the ratio.
fn picture(experiment: &Experiment, found: &Arrangements) -> String {
    let series = ARRANGEMENTS.iter().enumerate().map(|(number, arrangement)| {
        let of = found.times.iter().filter(|times| times.arrangement == arrangement.name());
        let marks = of.map(|times| {
            let hover = format!("{arrangement}, ratio {}: {:.1}", times.ratio, times.median);
            Mark::new(times.ratio, times.median, hover)
        });
        Series {
            name: arrangement.to_string(),
            ink: Ink::nth(number),
            joined: true,
            marks: marks.collect(),
        }
    });
    let most = found.times.iter().fold(0.0, |most: f64, times| most.max(times.median));
    Plot {
        title: format!("Arrangements: {}", experiment.about),
        x: Axis::new("Bandwidth of a global link over that of a local link", 0.0, 4.0),
        y: Axis::new("Median time, in messages on a local link", 0.0, most),
        level: None,
        series: series.collect(),
    }
    .file()
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    #[test]
    fn halves_are_halves() {
        for arrangement in ARRANGEMENTS {
            for ratio in RATIOS {
                let mut half = half(arrangement, ratio);
                half.sort_unstable();
                half.dedup();
                assert_eq!(half.len(), 36, "{arrangement} {ratio}");
            }
        }
    }

    #[test]
    fn a_faster_global_link_shortens_every_exchange() {
        for name in ["arrangements-bisection", "arrangements-alltoall", "arrangements-halo3d"] {
            let options = Options { quick: true, ..Options::default() };
            let findings = find(name).unwrap().run(&options, &KeptResults::default(), &()).unwrap();
            let Figures::Arrangements(found) = &findings.results.figures else { panic!("{name}") };
            assert_eq!(found.times.len(), 6);
            let (slow, fast) = found.times.split_at(3);
            for (slow, fast) in slow.iter().zip(fast) {
                assert_eq!(slow.arrangement, fast.arrangement);
                assert!(fast.median < slow.median, "{name} {slow:?} {fast:?}");
                assert!(slow.least <= slow.median && slow.median <= slow.largest);
            }
        }
    }
}
