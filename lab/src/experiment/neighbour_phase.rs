//! Throughput of an exchange between neighbours along one axis of a grid, after Prisacari et al. (HPSR'15).
//!
//! The systems and the routings are those of `imbalance.rs`. Every node runs one process of a grid x × y × z,
//! which is as near to a cube as its number of nodes allows, x ≤ y ≤ z and x the fastest. All processes send 4096
//! flits to both neighbours along the axis z at the same time, and the phase ends when the last flit has
//! arrived. Throughput is the flits that were sent over the nodes times the cycles.

use super::catalogue::Experiment;
use super::error::ExperimentError;
use super::findings::{Findings, Texts};
use super::imbalance::{Routing, routings};
use super::in_parallel::in_parallel;
use super::kept::{self, recall_or};
use super::kept_results::KeptResults;
use super::options::Options;
use super::results::{Figures, Phase, PhaseRouted, Phases};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZeroU32;
use tvlb_base::progress::Progress;
use tvlb_chart::{Axis as ChartAxis, Ink, Mark, Plot, Series};
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::generate::generate;
use tvlb_generator::image::Images;
use tvlb_generator::policy::PolicyPair;
use tvlb_generator::static_load::{Paths, loads_of};
use tvlb_schema::{Dragonfly, NodeId, SwitchId};
use tvlb_simulator::{
    BootedFabric, CompletionError, JobRun, MessageSettings, RunError, Settings, complete,
};
use tvlb_table_set::grammar::parse_set;
use tvlb_table_set::sha256;
use tvlb_topology::arrangement::Arrangement;
use tvlb_traffic::workload::{Axis, Grid, Motif, Programs};

/// Raised when a run's file comes to hold other values.
const VERSION: u32 = 1;
/// Flits that a process sends to each neighbour.
const FLITS: u64 = 4096;
const QUICK_FLITS: u64 = 64;

/// Everything that a run depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Subject<'s> {
    neighbour_phase_version: u32,
    tool_version: &'static str,
    images: &'s str,
    settings: &'s Settings,
    messages: &'s MessageSettings,
    grid: [u32; 3],
    flits: u64,
    nodes: &'s str,
    seed: u64,
}

/// What is kept of a run: the cycles of the phase.
#[derive(Serialize, Deserialize)]
struct Cycles(u32);

/// One system, and what its processes do.
struct Bench {
    fabric: Fabric,
    valg: Images,
    valn: Images,
    grid: [u32; 3],
    programs: Programs,
}

impl Bench {
    fn new(p: u32, flits: u64, progress: &dyn Progress) -> Result<Self, ExperimentError> {
        // Sizes that do not fit are refused as those of a fabric file are.
        let (a, g) = (p.saturating_mul(2), p.saturating_mul(p).saturating_mul(2).saturating_add(1));
        let dragonfly = Dragonfly::new(p, a, p, g)?;
        let fabric = Fabric::new("neighbour-phase", dragonfly, Arrangement::Relative, 1)?;
        let images = |set| {
            let pair = PolicyPair::parse(set, 1).expect("the names are in the grammar");
            generate(&fabric, &pair.per_decision(), progress).map(|made| made.images)
        };
        let (valg, valn) = (images("valg")?, images("valn")?);
        let processes = dragonfly.node_count();
        let grid = Grid::nearest_to_cube(processes);
        let bytes = flits * u64::from(MessageSettings::default().packet_bytes);
        let programs =
            Motif::Neighbour(Some(grid), Axis::Z).programs(processes, bytes, NonZeroU32::MIN);
        let programs = programs.expect("the grid has a process for each node");
        Ok(Self { fabric, valg, valn, grid: grid.lengths(), programs })
    }

    fn images(&self, routing: &Routing) -> &Images {
        if routing.set == "valn" { &self.valn } else { &self.valg }
    }

    fn nodes(&self, routing: &Routing, seed: u64) -> Vec<NodeId> {
        let df = self.fabric.topology.dragonfly();
        let placement = routing.placement.on(df, seed).expect("all groups are alike");
        df.nodes().map(|process| placement.node(process)).collect()
    }

    /// The flits of all processes over the nodes times the longest that a link needs.
    fn bound(&self, routing: &Routing, nodes: &[NodeId], flits: u64) -> f64 {
        let df = self.fabric.topology.dragonfly();
        let mut sent: BTreeMap<SwitchId, BTreeMap<SwitchId, f64>> = BTreeMap::new();
        let mut to_nodes = vec![0.0; df.node_numbers() as usize];
        let mut from_nodes = to_nodes.clone();
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let flits = flits as f64;
        let mut total = 0.0;
        for (from, to, _) in self.programs.messages() {
            let [from, to] = [from, to].map(|rank| nodes[rank.as_usize()]);
            from_nodes[from.as_usize()] += flits;
            to_nodes[to.as_usize()] += flits;
            total += flits;
            let [from, to] = [from, to].map(|node| df.switch_of(node).0);
            *sent.entry(from).or_default().entry(to).or_default() += flits;
        }
        let to_switches = |source: SwitchId| {
            let to = sent.get(&source).into_iter().flatten();
            to.map(|(&to, &flits)| (to, flits)).collect()
        };
        let rule = parse_set(routing.set, 1).expect("the names are in the grammar");
        let at_nodes = (to_nodes, df.node_count());
        let loads = loads_of(&self.fabric.topology, &to_switches, at_nodes, &Paths::Set(rule));
        let loads = loads.expect("every pair has third groups");
        let most = from_nodes.into_iter().fold(loads.largest(), f64::max);
        total / (f64::from(df.node_count()) * most)
    }

    /// Cycles until the last flit has arrived.
    fn simulate(
        &self,
        (images, settings): (&Images, &Settings),
        nodes: &[NodeId],
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<Cycles, ExperimentError> {
        let fabric = BootedFabric::boot(&images.fabric, &images.switches)?;
        let jobs = [JobRun { programs: &self.programs, nodes }];
        let messages = MessageSettings::default();
        let completion = complete(&fabric, settings, &jobs, &messages, seed, progress);
        let completion = completion.map_err(|error| match error {
            CompletionError::Run(RunError::Cancelled(cancelled)) => cancelled.into(),
            error => ExperimentError::Completion { seed, error: Box::new(error) },
        })?;
        Ok(Cycles(completion.cycles))
    }
}

pub(super) fn run(
    experiment: &Experiment,
    (options, known): (&Options, &KeptResults),
    progress: &dyn Progress,
) -> Result<Findings, ExperimentError> {
    let flits = if options.quick { QUICK_FLITS } else { FLITS };
    let mut sizes = options.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let benches: Result<Vec<Bench>, _> =
        sizes.iter().map(|&p| Bench::new(p, flits, progress)).collect();
    let (benches, routings) = (benches?, routings());
    let work: Vec<(&Bench, &Routing)> = benches
        .iter()
        .flat_map(|bench| routings.iter().map(move |routing| (bench, routing)))
        .collect();
    let found = in_parallel("runs", work, progress, |(bench, routing)| {
        let images = bench.images(routing);
        let nodes = bench.nodes(routing, options.seed);
        let settings =
            Settings { buffer_flits: 64, ..Settings::new(routing.scheme, VlbPaths::Custom) };
        let numbers: Vec<u8> = nodes.iter().flat_map(|node| node.0.to_le_bytes()).collect();
        let subject = Subject {
            neighbour_phase_version: VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            images: &sha256(&[&images.fabric[..], &images.switches.concat()].concat()),
            settings: &settings,
            messages: &MessageSettings::default(),
            grid: bench.grid,
            flits,
            nodes: &sha256(&numbers),
            seed: options.seed,
        };
        let kept = kept::open(options.state.as_deref())?;
        let timed = recall_or(kept.as_ref(), &subject, || {
            bench.simulate((images, &settings), &nodes, options.seed, progress)
        })?;
        let Cycles(cycles) = timed.found;
        let sent = f64::from(u32::try_from(bench.programs.messages().count()).expect("two a node"));
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let sent = sent * flits as f64;
        let nodes_times_cycles =
            f64::from(bench.fabric.topology.dragonfly().node_count()) * f64::from(cycles.max(1));
        let routed = PhaseRouted {
            routing: routing.name.to_owned(),
            bound: bench.bound(routing, &nodes, flits),
            throughput: sent / nodes_times_cycles,
        };
        Ok((routed, timed.processor_seconds))
    })?;
    let seconds = found.iter().map(|(_, seconds)| seconds).sum();
    let systems = benches.iter().zip(found.chunks(routings.len())).map(|(bench, routed)| {
        let df = bench.fabric.topology.dragonfly();
        Phase {
            dragonfly: [df.p(), df.a(), df.h(), df.g()],
            grid: bench.grid,
            routed: routed.iter().map(|(routed, _)| routed.clone()).collect(),
        }
    });
    let found = Phases { flits, systems: systems.collect() };
    let texts = Texts::<()> {
        csv: csv(&found),
        pictures: vec![("figure".to_owned(), picture(experiment, &found))],
        words: words(&found),
        model: None,
    };
    Ok(Findings::new(experiment, (Figures::Phases(found), seconds), texts, (options, known)))
}

fn csv(found: &Phases) -> String {
    let mut text = "p,a,h,g,x,y,z,flits,routing,bound,throughput\n".to_owned();
    for Phase { dragonfly: [p, a, h, g], grid: [x, y, z], routed } in &found.systems {
        for PhaseRouted { routing, bound, throughput } in routed {
            let flits = found.flits;
            let _ = writeln!(
                text,
                "{p},{a},{h},{g},{x},{y},{z},{flits},\"{routing}\",{bound:.6},{throughput:.6}"
            );
        }
    }
    text
}

fn words(found: &Phases) -> String {
    let mut text = String::new();
    for phase in &found.systems {
        let [x, y, z] = phase.grid;
        let _ = writeln!(text, "  {}, a grid of {x} by {y} by {z}", phase.name());
        for PhaseRouted { routing, bound, throughput } in &phase.routed {
            let _ = writeln!(text, "    {routing}: carries {throughput:.4}, at most {bound:.4}");
        }
    }
    text
}

/// Throughput over the size.
fn picture(experiment: &Experiment, found: &Phases) -> String {
    let series = routings().into_iter().enumerate().map(|(number, routing)| {
        let marks = found.systems.iter().filter_map(|phase| {
            let routed = phase.routed.iter().find(|routed| routed.routing == routing.name)?;
            let y = routed.throughput;
            let hover = format!("{}, {}: {y:.4}", routing.name, phase.name());
            Some(Mark::new(f64::from(phase.dragonfly[0]), y, hover))
        });
        Series {
            name: routing.name.to_owned(),
            ink: Ink::nth(number),
            joined: true,
            marks: marks.collect(),
        }
    });
    let last = found.systems.last().map_or(1, |phase| phase.dragonfly[0]);
    let of_systems = found.systems.iter().flat_map(|phase| &phase.routed);
    let most = of_systems.fold(0.0, |most: f64, routed| most.max(routed.throughput));
    Plot {
        title: format!("Load imbalance: {}", experiment.about),
        x: ChartAxis::new("p: nodes per switch", 0.0, f64::from(last)),
        y: ChartAxis::new("Flits per node and cycle", 0.0, most),
        level: None,
        series: series.collect(),
    }
    .file()
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    /// No phase is faster than its busiest link allows; on a system of three nodes per switch the stride of the
    /// axis is one group, so each group sends to the two beside it.
    #[test]
    fn a_phase_is_no_faster_than_its_busiest_link() {
        let options = Options { quick: true, sizes: vec![2, 3], ..Options::default() };
        let experiment = find("load-imbalance-neighbour").unwrap();
        let findings = experiment.run(&options, &KeptResults::default(), &()).unwrap();
        let Figures::Phases(found) = &findings.results.figures else { panic!("{findings:?}") };
        assert_eq!(found.systems.len(), 2);
        for phase in &found.systems {
            assert_eq!(phase.routed.len(), 4);
            for PhaseRouted { routing, bound, throughput } in &phase.routed {
                // Draws wander about their mean in so short a phase.
                assert!(
                    *throughput > 0.0 && *throughput < 1.1 * bound,
                    "{routing}: {throughput} {bound}"
                );
            }
        }
        let min = &found.systems[1].routed[0];
        // 18 nodes of a group share the one link to the next.
        assert!((min.bound - 2.0 * 18.0 / 19.0 / 18.0).abs() < 1e-9, "{min:?}");
        let again = experiment.run(&options, &KeptResults::default(), &()).unwrap();
        assert_eq!(again.csv, findings.csv);
    }
}
