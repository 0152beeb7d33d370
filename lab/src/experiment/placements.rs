//! How long jobs take by where they are placed, how their ranks are mapped, how global links are arranged and how
//! switches route, after Kaplan et al. (CCGRID 2017). The paper routes statically, by MIN and by Valiant's
//! method; here adaptive routing stands beside it, conventional and by the sets and policies that
//! `tvlb generate` chooses for the machine.
//!
//! The machine is that of `arrangements.rs`.

use super::arrangements::{ARRANGEMENTS, Cycles, PACKET, settings, simulate};
use super::catalogue::{Experiment, Jobs};
use super::error::ExperimentError;
use super::findings::{Findings, Texts};
use super::in_parallel::in_parallel;
use super::kept::{self, recall_or};
use super::kept_results::KeptResults;
use super::options::Options;
use super::results::{Figures, PlacedTimes, Placements};
use serde::Serialize;
use std::fmt::Write;
use std::num::NonZeroU32;
use tvlb_base::progress::Progress;
use tvlb_chart::{Axis, Ink, Mark, Plot, Series};
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::generate::generate;
use tvlb_generator::image::Images;
use tvlb_generator::policy::PolicyPair;
use tvlb_schema::{Dragonfly, LinkKind, NodeId};
use tvlb_simulator::{JobRun, MessageSettings, Scheme, Settings};
use tvlb_table_set::sha256;
use tvlb_topology::arrangement::Arrangement;
use tvlb_traffic::workload::{Job, JobPlacement, Motif, Programs, RankMap};

/// Raised when a run's file comes to hold other values.
const VERSION: u32 = 1;
/// The bandwidth of a link between groups, in thousandths of that of a link within a group.
const RATIOS: [u32; 2] = [500, 4000];
/// Seeds of placements, maps and paths.
const SEEDS: u64 = 5;
const PLACEMENTS: [JobPlacement; 3] =
    [JobPlacement::Cluster, JobPlacement::Spread, JobPlacement::Random];
const MAPS: [RankMap; 3] = [RankMap::Linear, RankMap::Random, RankMap::Bisect];
/// The set and the policy that `tvlb generate` chooses for tables/dfly-2-4-2-9.toml.
const CHOSEN: &str = "strategic-2-3 by shape 1x4 gate=1.25";

/// How switches route.
struct Routing {
    name: &'static str,
    scheme: Scheme,
    /// The set; nothing where packets draw conventionally.
    set: Option<&'static str>,
}

const ROUTINGS: [Routing; 7] = [
    Routing { name: "MIN", scheme: Scheme::Min, set: None },
    Routing { name: "VALg", scheme: Scheme::Vlb, set: Some("valg") },
    Routing { name: "VALn", scheme: Scheme::Vlb, set: Some("valn") },
    Routing { name: "UGAL-L", scheme: Scheme::UgalL, set: None },
    Routing { name: "T-UGAL-L", scheme: Scheme::UgalL, set: Some(CHOSEN) },
    Routing { name: "PAR", scheme: Scheme::Par, set: None },
    Routing { name: "T-PAR", scheme: Scheme::Par, set: Some(CHOSEN) },
];

/// The jobs, and what their ranks do.
struct Plan {
    jobs: Vec<Job>,
    programs: Vec<Programs>,
    packets: u64,
}

impl Plan {
    fn of(jobs: Jobs, quick: bool) -> Self {
        let (sizes, motif, packets, iterations): (&[&str], _, _, _) = match jobs {
            Jobs::OneBisection => (&["144x2"], "bisection", 98, 1),
            Jobs::OneStencil => (&["144x2"], "halo3d:6x6x4", 980, 2),
            Jobs::TwoStencils => (&["72x2", "72x2"], "halo3d:6x4x3", 980, 2),
        };
        let packets = if quick { 20 } else { packets };
        let motif: Motif = motif.parse().expect("it is the name of a pattern");
        let iterations = NonZeroU32::new(iterations).expect("one or two");
        let jobs: Vec<Job> = sizes.iter().map(|size| size.parse().expect("it is a job")).collect();
        let programs = jobs.iter().map(|job| {
            let programs = motif.programs(job.ranks.get(), packets * PACKET, iterations);
            programs.expect("the grids are those of the jobs")
        });
        Self { programs: programs.collect(), jobs, packets }
    }

    /// For each job the node of each rank.
    fn nodes(
        &self,
        df: &Dragonfly,
        (placement, map): (&JobPlacement, RankMap),
        seed: u64,
    ) -> Vec<Vec<NodeId>> {
        let nodes = placement.nodes(df, &self.jobs, seed).expect("the jobs fill the machine");
        let placed = (0..).zip(nodes).zip(&self.jobs).zip(&self.programs);
        placed
            .map(|(((number, nodes), &job), programs)| {
                let graph = (map == RankMap::Bisect).then(|| programs.graph());
                let placed = map.place(df, job, nodes, graph.as_ref(), (seed, number), &());
                placed.expect("the graph is the job's").node_of
            })
            .collect()
    }
}

/// One arrangement and one routing.
struct Machine {
    arrangement: Arrangement,
    routing: &'static Routing,
    images: Images,
    hash: String,
}

fn machines(df: Dragonfly, progress: &dyn Progress) -> Result<Vec<Machine>, ExperimentError> {
    let mut machines = Vec::new();
    for arrangement in ARRANGEMENTS {
        let fabric = Fabric::new("placements", df, arrangement, 1)?;
        for routing in &ROUTINGS {
            let pair = PolicyPair::parse(routing.set.unwrap_or("min"), 1);
            let pair = pair.expect("the sets are in the grammar").per_decision();
            let images = generate(&fabric, &pair, progress)?.images;
            let hash = sha256(&[&images.fabric[..], &images.switches.concat()].concat());
            machines.push(Machine { arrangement, routing, images, hash });
        }
    }
    Ok(machines)
}

/// Everything that a run depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Subject<'s> {
    placements_version: u32,
    tool_version: &'static str,
    images: &'s str,
    settings: &'s Settings,
    messages: &'s MessageSettings,
    jobs: &'static str,
    packets: u64,
    nodes: &'s [Vec<NodeId>],
    seed: u64,
}

pub(super) fn run(
    experiment: &Experiment,
    jobs: Jobs,
    (options, known): (&Options, &KeptResults),
    progress: &dyn Progress,
) -> Result<Findings, ExperimentError> {
    let df = Dragonfly::new(2, 4, 2, 9)?;
    let plan = Plan::of(jobs, options.quick);
    let machines = machines(df, progress)?;
    let seeds = if options.quick { 1 } else { SEEDS };
    let mut cases = Vec::new();
    for ratio in RATIOS {
        for machine in &machines {
            for placement in &PLACEMENTS {
                cases.extend(MAPS.map(|map| (ratio, machine, placement, map)));
            }
        }
    }
    let work: Vec<_> =
        cases.iter().flat_map(|case| (1..=seeds).map(move |seed| (case, seed))).collect();
    let times = in_parallel("runs", work, progress, |(case, seed)| {
        let &(ratio, machine, placement, map) = case;
        let nodes = plan.nodes(&df, (placement, map), seed);
        let routing = machine.routing;
        let paths = if routing.set.is_some() { VlbPaths::Custom } else { VlbPaths::Conventional };
        let settings = Settings { scheme: routing.scheme, paths, ..settings(ratio) };
        let subject = Subject {
            placements_version: VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            images: &machine.hash,
            settings: &settings,
            messages: &MessageSettings::default(),
            jobs: jobs.name(),
            packets: plan.packets,
            nodes: &nodes,
            seed,
        };
        let kept = kept::open(options.state.as_deref())?;
        let all = plan.programs.iter().zip(&nodes);
        let runs: Vec<JobRun<'_>> =
            all.map(|(programs, nodes)| JobRun { programs, nodes }).collect();
        recall_or(kept.as_ref(), &subject, || {
            simulate(&machine.images, &settings, &runs, seed, progress)
        })
    })?;
    let seconds = times.iter().map(|timed| timed.processor_seconds).sum();
    let count = usize::try_from(seeds).expect("a few");
    let rows = cases.iter().zip(times.chunks(count)).map(|(case, of_seeds)| {
        let &(ratio, machine, placement, map) = case;
        // Time is counted in messages on a link within a group, whatever the fastest kind is.
        let packet = settings(ratio).bandwidths.flits_per_cycle(LinkKind::Local);
        #[expect(clippy::cast_precision_loss, reason = "a thousand packets at most")]
        let unit = packet / plan.packets as f64;
        let mut cycles: Vec<u32> = of_seeds
            .iter()
            .map(|timed| {
                let Cycles(cycles) = timed.found;
                cycles
            })
            .collect();
        cycles.sort_unstable();
        let at = |place: usize| f64::from(cycles[place]) * unit;
        PlacedTimes {
            ratio: f64::from(ratio) / 1000.0,
            arrangement: machine.arrangement.name().to_owned(),
            routing: machine.routing.name.to_owned(),
            placement: placement.to_string(),
            map: map.to_string(),
            median: at(count / 2),
            largest: at(count - 1),
        }
    });
    let found = Placements { seeds, packets: plan.packets, times: rows.collect() };
    let texts = Texts::<()> {
        csv: csv(&found),
        pictures: vec![("figure".to_owned(), picture(experiment, &found))],
        words: words(&found),
        model: None,
    };
    Ok(Findings::new(experiment, (Figures::Placements(found), seconds), texts, (options, known)))
}

fn csv(found: &Placements) -> String {
    let mut text =
        "ratio,arrangement,routing,placement,map,seeds,packets,median,largest\n".to_owned();
    let Placements { seeds, packets, times } = found;
    for PlacedTimes { ratio, arrangement, routing, placement, map, median, largest } in times {
        let _ = writeln!(
            text,
            "{ratio},{arrangement},{routing},{placement},{map},{seeds},{packets},{median:.3},{largest:.3}"
        );
    }
    text
}

fn words(found: &Placements) -> String {
    let mut text = String::new();
    for of_routing in found.routings() {
        let (best, worst) = Placements::ends(&of_routing);
        let PlacedTimes { ratio, arrangement, routing, placement, map, median, .. } = best;
        let _ = writeln!(
            text,
            "  ratio {ratio}, {arrangement}, {routing}: {median:.1} messages with {placement} and {map}, \
             {:.1} with {} and {}",
            worst.median, worst.placement, worst.map
        );
    }
    text
}

/// For each routing the shortest and the longest of all medians, at the first arrangement.
fn picture(experiment: &Experiment, found: &Placements) -> String {
    let mut series = Vec::new();
    for (number, (name, is_best)) in
        [("best placement and map", true), ("worst placement and map", false)]
            .into_iter()
            .enumerate()
    {
        for (place, ratio) in RATIOS.into_iter().enumerate() {
            let ratio = f64::from(ratio) / 1000.0;
            let of_ratio = found.routings().into_iter().filter(|times| {
                (times[0].ratio - ratio).abs() < 1e-9
                    && times[0].arrangement == ARRANGEMENTS[0].name()
            });
            let marks = of_ratio.zip(0_u32..).map(|(times, x)| {
                let (best, worst) = Placements::ends(&times);
                let shown = if is_best { best } else { worst };
                let hover = format!(
                    "{}, {}, {}: {:.1}",
                    shown.routing, shown.placement, shown.map, shown.median
                );
                Mark::new(f64::from(x), shown.median, hover)
            });
            series.push(Series {
                name: format!("{name}, ratio {ratio}"),
                ink: Ink::nth(2 * number + place),
                joined: false,
                marks: marks.collect(),
            });
        }
    }
    let most = found.times.iter().fold(0.0, |most: f64, times| most.max(times.median));
    let names: Vec<&str> = ROUTINGS.iter().map(|routing| routing.name).collect();
    Plot {
        title: format!("Placements: {}", experiment.about),
        x: Axis::new(format!("Routing: 0 to 6 are {}", names.join(", ")), 0.0, 6.0),
        y: Axis::new("Median time, in messages on a local link", 0.0, most),
        level: None,
        series,
    }
    .file()
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    #[test]
    fn where_jobs_run_and_how_switches_route_matters() {
        // The other experiments with placements differ in their jobs alone.
        let name = "placements-two-halo3d";
        let options = Options { quick: true, ..Options::default() };
        let findings = find(name).unwrap().run(&options, &KeptResults::default(), &()).unwrap();
        let Figures::Placements(found) = &findings.results.figures else { panic!("{name}") };
        assert_eq!(found.times.len(), 2 * 3 * 7 * 9);
        assert_eq!(found.routings().len(), 2 * 3 * 7);
        for of_routing in found.routings() {
            let (best, worst) = Placements::ends(&of_routing);
            assert_eq!(of_routing.len(), 9);
            assert!(best.median < worst.median && best.median <= best.largest, "{best:?}");
        }
    }
}
