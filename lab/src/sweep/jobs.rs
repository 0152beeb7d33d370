//! How long jobs take: by fabric, routing, settings, placement on nodes and map of ranks.

mod line;

use super::asked::{Half, Jobs};
use super::error::SweepError;
use super::fabrics::NamedFabric;
use super::file::File;
use super::images::{BootImages, ImageKey};
use super::job_run::{JobPrograms, JobSubject, PlacedJobs};
use super::kind::{Kind, StudyTable, Unit, UnitRows, Units};
use super::lists::{combinations, distinct};
use super::network::{all_of, scheme, sets};
use super::sets::StudyPaths;
use super::settings::{Variant, variants};
use std::fmt::Display;
use std::path::Path;
use tvlb_base::progress::Progress;
use tvlb_jobs::MessageSettings;
use tvlb_jobs::workload::{Grid, Job, Motif, Programs, RankMap, WorkloadError, place};
use tvlb_schema::{Dragonfly, LinkKind, NodeId};
use tvlb_simulator::{Scheme, Settings};
use tvlb_traffic::PlacementRule;

/// A row of the table before its seeds are run.
pub(super) struct Case {
    variant: usize,
    fabric: usize,
    scheme: Scheme,
    set: usize,
    place: usize,
    map: usize,
}

/// All jobs of a study.
pub(super) struct JobRuns {
    jobs: Jobs,
    fabrics: Vec<NamedFabric>,
    /// The jobs of each fabric, and the programs of their ranks.
    loaded: Vec<(Vec<Job>, JobPrograms)>,
    sets: Vec<StudyPaths>,
    variants: Vec<Variant>,
    places: Vec<PlacementRule>,
    maps: Vec<RankMap>,
    seeds: Vec<u64>,
    cases: Vec<Case>,
    images: BootImages,
}

impl JobRuns {
    pub(super) fn new(
        jobs: &Jobs,
        file: &File,
        (fabrics, beside): (Vec<NamedFabric>, &Path),
        wrong: &dyn Fn(&dyn Display) -> SweepError,
    ) -> Result<Self, SweepError> {
        let each = |name: &str, error: String| wrong(&format!("{name}: {error}"));
        for (name, list) in
            [("schemes", &file.schemes), ("jobs.places", &jobs.places), ("jobs.maps", &jobs.maps)]
        {
            distinct(name, list).map_err(|error| wrong(&error))?;
        }
        distinct("seeds", &file.seeds).map_err(|error| wrong(&error))?;
        let schemes = all_of(&file.schemes, scheme).map_err(|e| each("schemes", e))?;
        let sets = sets(file, beside).map_err(|e| each("sets", e))?;
        let variants = variants(&file.settings, &file.variants).map_err(|error| wrong(&error))?;
        let in_words = |error: WorkloadError| error.to_string();
        let places = all_of(&jobs.places, |text| {
            text.parse::<PlacementRule>().map_err(|error| error.to_string())
        });
        let maps = all_of(&jobs.maps, |text| text.parse().map_err(in_words));
        let loaded = fabrics.iter().map(|named| programs(jobs, named.fabric.topology.dragonfly()));
        let loaded: Vec<_> = loaded.collect::<Result<_, _>>().map_err(|e| each("jobs", e))?;
        let mut all = Self {
            jobs: jobs.clone(),
            fabrics,
            loaded,
            sets,
            variants,
            places: places.map_err(|e| each("jobs.places", e))?,
            maps: maps.map_err(|e| each("jobs.maps", e))?,
            seeds: file.seeds.clone(),
            cases: Vec::new(),
            images: BootImages::default(),
        };
        all.add_cases(&schemes);
        // Jobs that do not fit are found before the first run.
        for case in &all.cases {
            all.settings(case).check().map_err(|refused| wrong(&refused))?;
            all.nodes(case, all.seeds[0]).map_err(|e| each("jobs", e))?;
        }
        Ok(all)
    }

    fn add_cases(&mut self, schemes: &[Scheme]) {
        let Self { variants, fabrics, sets, places, maps, .. } = self;
        let lengths =
            [variants.len(), fabrics.len(), schemes.len(), sets.len(), places.len(), maps.len()];
        for [variant, fabric, scheme, set, place, map] in combinations(lengths) {
            let (paths, scheme) = (&self.sets[set], schemes[scheme]);
            if paths.is_of(scheme) && paths.is_with(&self.places[place].to_string()) {
                self.cases.push(Case { variant, fabric, scheme, set, place, map });
            }
        }
    }

    fn settings(&self, case: &Case) -> Settings {
        let fabric = &self.fabrics[case.fabric].fabric;
        self.variants[case.variant].settings(fabric, (case.scheme, self.sets[case.set].kind), false)
    }

    /// The inputs of a case's images.
    fn tables(&self, case: &Case) -> ImageKey {
        let usual = self.fabrics[case.fabric].fabric.virtual_channels();
        let vc_scheme = self.settings(case).vc_scheme.unwrap_or(usual);
        ImageKey { fabric: case.fabric, set: case.set, vc_scheme, dead: 0, seed: 0 }
    }

    /// For each job the node of each rank.
    fn nodes(&self, case: &Case, seed: u64) -> Result<Vec<Vec<NodeId>>, String> {
        let df = self.fabrics[case.fabric].fabric.topology.dragonfly();
        let (jobs, JobPrograms { of_jobs: programs, .. }) = &self.loaded[case.fabric];
        let map = self.maps[case.map];
        let placed = |job: Job, nodes: Vec<NodeId>, programs: &Programs, number: u32| {
            let graph = (map == RankMap::Bisect).then(|| programs.graph());
            let placed = map.place(df, job, nodes, graph.as_ref(), (seed, number), &());
            placed.map(|placed| placed.node_of).map_err(|error| error.to_string())
        };
        if let Some(first) = self.half(case, df)? {
            let others = df.nodes().filter(|node| !first.contains(node)).collect();
            let per_node = jobs[0].ranks_per_node;
            let half = |nodes: Vec<NodeId>, number: u32| {
                let text = format!("{}x{per_node}", nodes.len() * per_node.get() as usize);
                let job: Job = text.parse().map_err(|error: WorkloadError| error.to_string())?;
                placed(job, nodes, &programs[0], number)
            };
            return Ok(vec![[half(first, 0)?, half(others, 1)?].concat()]);
        }
        let nodes = place(&self.places[case.place], df, jobs, seed);
        let nodes = nodes.map_err(|error| error.to_string())?;
        let all = (0..).zip(nodes).zip(jobs).zip(programs);
        all.map(|(((number, nodes), &job), programs)| placed(job, nodes, programs, number))
            .collect()
    }

    /// The nodes of the first half of the ranks, if the study names them.
    fn half(&self, case: &Case, df: &Dragonfly) -> Result<Option<Vec<NodeId>>, String> {
        let bandwidth = self.settings(case).bandwidths.flits_per_cycle(LinkKind::Global)
            / self.settings(case).bandwidths.flits_per_cycle(LinkKind::Local);
        let fabric = &self.fabrics[case.fabric].path;
        let fits = |half: &&Half| {
            half.fabric.as_ref().is_none_or(|name| name == fabric)
                && half.global_bandwidth.is_none_or(|most| bandwidth <= most + 1e-9)
        };
        let Some(half) = self.jobs.halves.iter().find(fits) else { return Ok(None) };
        let wrong = || {
            format!(
                "halves: found the nodes {:?}, accepted half of the nodes, as in 0-31 36-39",
                half.nodes
            )
        };
        let mut nodes = Vec::new();
        for range in half.nodes.split_whitespace() {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let [first, last] = [first, last].map(|number| number.parse::<u32>().ok());
            let (first, last) = (first.ok_or_else(wrong)?, last.ok_or_else(wrong)?);
            nodes.extend((first..=last.min(df.node_count())).map(NodeId));
        }
        let mut distinct = nodes.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let is_half =
            2 * distinct.len() == df.node_count() as usize && nodes.len() == distinct.len();
        let is_there = distinct.last().is_some_and(|node| node.0 < df.node_count());
        if is_half && is_there { Ok(Some(nodes)) } else { Err(wrong()) }
    }

    /// What a run of a case is made with and kept under.
    fn run<F>(&self, case: &Case, seed: u64, ask: impl FnOnce(&PlacedJobs<'_>) -> F) -> F {
        let nodes = self.nodes(case, seed).expect("they were placed before");
        let settings = &self.settings(case);
        let (programs, messages) = (&self.loaded[case.fabric].1, &MessageSettings::default());
        ask(&PlacedJobs { programs, nodes: &nodes, settings, messages, seed })
    }

    fn subject(&self, case: &Case, seed: u64) -> JobSubject {
        let named = &self.fabrics[case.fabric];
        let rules = self.sets[case.set].rules_in_words(&named.fabric);
        self.run(case, seed, |run| run.subject(&named.wiring, rules, "last iteration"))
    }

    /// The cycles of the last iteration of the job that takes longest for it.
    fn simulate(&self, case: &Case, seed: u64, progress: &dyn Progress) -> Result<u32, SweepError> {
        let fabric = self.images.booted(self.tables(case))?;
        let name = || format!("seed {seed}");
        let completion = self.run(case, seed, |run| run.complete(&fabric, name, progress))?;
        let last = self.jobs.iterations.get() as usize - 1;
        let of_jobs = completion.jobs.iter().filter_map(|times| times.iteration_cycles(last));
        Ok(of_jobs.max().unwrap_or(completion.cycles))
    }
}

/// The jobs of a machine, and the programs of their ranks.
fn programs(jobs: &Jobs, df: &Dragonfly) -> Result<(Vec<Job>, JobPrograms), String> {
    let in_words = |error: WorkloadError| error.to_string();
    let whole = || {
        let ranks = jobs.ranks_per_node.map_or(1, |ranks| u32::from(ranks.get()));
        vec![format!("{}x{ranks}", df.node_count() * ranks)]
    };
    let sizes = if jobs.sizes.is_empty() { whole() } else { jobs.sizes.clone() };
    let sizes: Vec<Job> = all_of(&sizes, |text| text.parse().map_err(in_words))?;
    let cube = Grid::nearest_to_cube(sizes[0].ranks.get()).to_string();
    let motif: Motif = jobs.workload.replace("{cube}", &cube).parse().map_err(in_words)?;
    let bytes = u64::from(jobs.packets) * u64::from(MessageSettings::default().packet_bytes);
    let programs = sizes.iter().map(|job| {
        let programs = motif.programs(job.ranks.get(), bytes, jobs.iterations)?;
        programs.after_computing(u64::from(jobs.compute))
    });
    let programs: Vec<Programs> = programs.collect::<Result<_, _>>().map_err(in_words)?;
    Ok((sizes, programs.into()))
}

impl JobRuns {
    /// The case of a unit and its seed.
    fn unit(&self, unit: usize) -> (&Case, u64) {
        (&self.cases[unit / self.seeds.len()], self.seeds[unit % self.seeds.len()])
    }
}

impl Units for JobRuns {
    fn count(&self) -> usize {
        self.cases.len() * self.seeds.len()
    }

    fn prepare(&mut self, unit: usize, progress: &dyn Progress) -> Result<(), SweepError> {
        let case = self.unit(unit).0;
        let key = self.tables(case);
        let boots = (&self.fabrics[key.fabric], &self.sets[key.set]);
        self.images.prepare(key, boots, None, progress)
    }
}

/// How long the last iteration takes.
pub(super) struct JobTimes;

impl Kind<JobRuns> for JobTimes {
    type Subject<'u> = JobSubject;
    /// Cycles.
    type Found = u32;

    fn subject(&self, unit: Unit<'_, JobRuns>) -> JobSubject {
        let (case, seed) = unit.units.unit(unit.place);
        unit.units.subject(case, seed)
    }

    fn make(&self, unit: Unit<'_, JobRuns>) -> Result<u32, SweepError> {
        let (case, seed) = unit.units.unit(unit.place);
        unit.units.simulate(case, seed, unit.progress)
    }

    fn seeds_together(&self, units: &JobRuns) -> usize {
        units.seeds.len()
    }

    fn rows(&self, unit: Unit<'_, JobRuns>, found: Vec<u32>) -> Result<UnitRows, SweepError> {
        Ok(vec![unit.units.line(unit.units.unit(unit.place).0, found)])
    }

    fn table(&self, _units: &JobRuns) -> StudyTable {
        StudyTable::of(
            "paths,variant,fabric,p,arrangement,scheme,set,place,map,ratio,workload,seeds,packets",
            "least,median,largest,width,throughput,bound",
            "median over ratio",
        )
    }
}
