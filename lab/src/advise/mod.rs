//! How jobs should be wired, placed, mapped, ordered and routed: every combination of the given choices is estimated by
//! its link loads, and the best are simulated.
//!
//! A [`Question`] has a list for each of five *choices*: the wiring, the placement of jobs, the map of ranks, the order
//! of sends, and the routing. One entry of each is a [`Way`]. The first of every list is the present one, and all
//! others are compared with it. [`advise`] estimates all ways ([`WayEstimate`]), and simulates those of the [`Answer`]:
//! the first way, every way that differs from it in one choice, those with the best estimates, and the one that
//! combines, for each choice, what helped most on its own. Then the fastest way's single changes are simulated in turn,
//! until none of them is faster. So no single change of the fastest way of an answer is faster; another way altogether
//! might be.
//!
//! The same question has the same answer at any number of threads.

mod bench;
mod error;
mod estimate;
mod machine;
#[cfg(test)]
mod tests;

pub use error::AdviceError;
pub use estimate::{Bottleneck, BusyLink, WayEstimate};

use crate::sweep::{Results, combinations};
use bench::WayJudge;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fmt;
use tvlb_base::progress::{AsOneStep, Progress};
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::policy::PolicyPair;
use tvlb_jobs::MessageSettings;
use tvlb_jobs::workload::{Graph, Job, PlacedJob, Programs, RankMap, SendOrder, place};
use tvlb_simulator::{Scheme, Settings, least_control_latency};
use tvlb_topology::arrangement::Arrangement;
use tvlb_traffic::PlacementRule;

/// How switches route.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRouting {
    /// How they decide.
    pub scheme: Scheme,
    /// The sets that they draw from; `None` if they draw conventionally.
    pub set: Option<PolicyPair>,
}

impl fmt::Display for JobRouting {
    /// "par", or "par:shapes:011" with a set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.set {
            None => f.pad(self.scheme.name()),
            Some(set) => f.pad(&format!("{}:{set}", self.scheme.name())),
        }
    }
}

/// The name of a wiring: its arrangement, or that it is unchanged.
pub fn name_of(wiring: Option<Arrangement>) -> &'static str {
    wiring.map_or("own", Arrangement::name)
}

/// The question. Each list has at least one entry, and the first is the present one.
pub struct Question<'q> {
    pub fabric: &'q Fabric,
    pub jobs: &'q [Job],
    pub programs: &'q [Programs],
    /// How global links are laid; nothing for the machine's own.
    pub arrangements: Vec<Option<Arrangement>>,
    /// Which nodes the jobs take.
    pub placements: Vec<PlacementRule>,
    /// On which node a rank runs.
    pub maps: Vec<RankMap>,
    /// In which order ranks send.
    pub orders: Vec<SendOrder>,
    /// How switches route.
    pub routings: Vec<JobRouting>,
    /// The properties of switches and links. The scheme and its paths are those of each routing.
    pub settings: Settings,
    /// How messages travel. Without a control latency they have that of [`Question::messages`].
    pub messages: MessageSettings,
    /// The seeds of the runs. Estimates are of the first.
    pub seeds: Vec<u64>,
    /// How many of the best estimates are simulated.
    pub simulated: usize,
}

/// How many choices a way has.
pub const CHOICES: usize = 5;

/// An entry of each list of a question, by its place: wiring, placement, map, order and routing.
pub type Way = [usize; CHOICES];

pub const NOW: Way = [0; CHOICES];

/// A way with its results.
#[derive(Clone, Debug)]
pub struct Judged {
    pub way: Way,
    /// The estimate.
    pub estimate: WayEstimate,
    /// The cycles of a run by each seed; nothing if the way was not simulated.
    pub cycles: Vec<u32>,
}

impl Judged {
    /// Of the seeds of a question the one whose run took the median, of an even number of runs the shorter one
    /// of the two in the middle; the first of several, and the first seed if the way was not simulated.
    ///
    /// # Panics
    /// If there is no seed.
    pub fn seed_of_median(&self, seeds: &[u64]) -> u64 {
        let mut cycles = self.cycles.clone();
        cycles.sort_unstable();
        let median = cycles.get(cycles.len().saturating_sub(1) / 2);
        let place = self.cycles.iter().position(|cycles| Some(cycles) == median);
        seeds[place.unwrap_or(0)]
    }

    /// The median of the runs, of an even number of them the mean of the two in the middle.
    pub fn median(&self) -> Option<f64> {
        let mut cycles = self.cycles.clone();
        cycles.sort_unstable();
        let upper = *cycles.get(cycles.len() / 2)?;
        let lower = cycles[(cycles.len() - 1) / 2];
        Some(f64::midpoint(f64::from(lower), f64::from(upper)))
    }
}

/// The results.
#[derive(Clone, Debug)]
pub struct Answer {
    /// All ways, in the order of the lists, the last list the fastest.
    pub ways: Vec<Judged>,
}

impl Answer {
    pub fn of(&self, way: Way) -> &Judged {
        let place = self.ways.binary_search_by_key(&way, |judged| judged.way);
        &self.ways[place.expect("all ways were judged")]
    }

    /// The ways that were simulated, the fastest first.
    pub fn simulated(&self) -> Vec<&Judged> {
        let median = |judged: &Judged| judged.median();
        let mut all: Vec<&Judged> = self.ways.iter().filter(|one| median(one).is_some()).collect();
        let key = |judged: &Judged| median(judged).expect("those without are left out");
        all.sort_by(|one, other| key(one).total_cmp(&key(other)).then(one.way.cmp(&other.way)));
        all
    }

    /// The ways that differ from the present one in one choice, in order.
    pub fn one_change(&self) -> impl Iterator<Item = (usize, &Judged)> {
        self.ways.iter().filter_map(|judged| Some((changed(judged.way)?, judged)))
    }
}

/// In how many choices two ways differ.
fn differences(one: Way, other: Way) -> usize {
    one.iter().zip(&other).filter(|(one, other)| one != other).count()
}

/// The choice in which a way differs from the present one, if it is one alone.
fn changed(way: Way) -> Option<usize> {
    let mut changes = (0..CHOICES).filter(|&choice| way[choice] != 0);
    let first = changes.next()?;
    changes.next().is_none().then_some(first)
}

/// Finds out.
///
/// Uses the threads of the current rayon pool. Runs that `results` keep are not made again.
///
/// # Errors
/// Something in the question does not fit the machine, a run did not end, or the caller cancelled the work.
///
/// # Panics
/// If a list of the question is empty.
pub fn advise(
    question: &Question<'_>,
    results: &Results,
    progress: &dyn Progress,
) -> Result<Answer, AdviceError> {
    let sizes = [
        question.arrangements.len(),
        question.placements.len(),
        question.maps.len(),
        question.orders.len(),
        question.routings.len(),
    ];
    assert!(!sizes.contains(&0) && !question.seeds.is_empty(), "each list has an entry or more");
    let bench = WayJudge::new(question, results, progress)?;
    let all: Vec<Way> = combinations(sizes).collect();
    progress.stage("estimates", Some(all.len()));
    // Ways that differ in the order and the routing alone send the same packets from and to the same nodes.
    let alike: Vec<&[Way]> = all.chunk_by(|one, other| one[..3] == other[..3]).collect();
    let judged = alike.into_par_iter().map(|ways| bench.estimates(ways, progress));
    let judged: Result<Vec<Vec<Judged>>, AdviceError> = judged.collect();
    let mut answer = Answer { ways: judged?.into_iter().flatten().collect() };

    let mut wanted: BTreeSet<Way> = BTreeSet::from([NOW]);
    wanted.extend(answer.one_change().map(|(_, judged)| judged.way));
    let mut by_estimate: Vec<&Judged> = answer.ways.iter().collect();
    let key = |judged: &Judged| judged.estimate.most().0;
    by_estimate.sort_by(|one, other| key(one).total_cmp(&key(other)).then(one.way.cmp(&other.way)));
    wanted.extend(by_estimate.iter().take(question.simulated).map(|judged| judged.way));
    bench.simulate(&mut answer, wanted, progress)?;
    let together = together(&answer);
    bench.simulate(&mut answer, BTreeSet::from([together]), progress)?;
    loop {
        let fastest = answer.simulated()[0].way;
        let beside = answer.ways.iter().filter(|judged| differences(judged.way, fastest) == 1);
        let left: BTreeSet<Way> =
            beside.filter(|judged| judged.cycles.is_empty()).map(|judged| judged.way).collect();
        if left.is_empty() {
            return Ok(answer);
        }
        bench.simulate(&mut answer, left, progress)?;
    }
}

/// For each choice the entry that shortens the present way most, or the present one if none does.
fn together(answer: &Answer) -> Way {
    let mut best = [(f64::INFINITY, 0); CHOICES];
    let now = answer.of(NOW).median().unwrap_or(f64::INFINITY);
    for (choice, judged) in answer.one_change() {
        let cycles = judged.median().unwrap_or(f64::INFINITY);
        if cycles < now && cycles < best[choice].0 {
            best[choice] = (cycles, judged.way[choice]);
        }
    }
    best.map(|(_, entry)| entry)
}

impl Question<'_> {
    /// For each job the bytes that its ranks exchange.
    pub fn graphs(&self) -> Vec<Graph> {
        self.programs.iter().map(Programs::graph).collect()
    }

    /// Where the ranks of each job run, which is the same on every wiring. `graphs` are [`Self::graphs`].
    ///
    /// # Errors
    /// The jobs do not fit the machine, or the caller cancelled the work.
    pub fn placed(
        &self,
        [_, placement, map, ..]: Way,
        seed: u64,
        graphs: &[Graph],
        progress: &dyn Progress,
    ) -> Result<Vec<PlacedJob>, AdviceError> {
        let df = self.fabric.topology.dragonfly();
        let nodes = place(&self.placements[placement], self.fabric.nodes(), self.jobs, seed)?;
        let placed = (0..).zip(self.jobs.iter().zip(nodes)).map(|(number, (&job, nodes))| {
            let graph = graphs.get(number as usize);
            let step = AsOneStep(progress);
            Ok(self.maps[map].place(df, job, nodes, graph, (seed, number), &step)?)
        });
        placed.collect()
    }

    /// How messages travel in all runs: if the question has no control latency, with the least that every routing in it
    /// allows, so that no routing has an advantage by it.
    pub fn messages(&self) -> MessageSettings {
        let least = |routing| least_control_latency(&self.settings_of(routing));
        let least = self.routings.iter().map(least).max();
        let control_latency_cycles = self.messages.control_latency_cycles.or(least);
        MessageSettings { control_latency_cycles, ..self.messages.clone() }
    }

    fn settings_of(&self, routing: &JobRouting) -> Settings {
        let paths = if routing.set.is_some() { VlbPaths::Custom } else { VlbPaths::Conventional };
        Settings { scheme: routing.scheme, paths, ..self.settings.clone() }
    }

    /// The entries of a way by name, in the order of the lists.
    pub fn names(&self, way: Way) -> [String; CHOICES] {
        let [wiring, placement, map, order, routing] = way;
        [
            name_of(self.arrangements[wiring]).to_owned(),
            self.placements[placement].to_string(),
            self.maps[map].to_string(),
            self.orders[order].to_string(),
            self.routings[routing].to_string(),
        ]
    }

    fn in_words(&self, way: Way) -> String {
        self.names(way).join(", ")
    }
}
