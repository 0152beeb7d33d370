//! What ways are judged with: their estimates, and their runs.

use super::error::AdviceError;
use super::estimate::{BusyLink, Packets, WayEstimate};
use super::machine::Machines;
use super::{Answer, Judged, Question, Way};
use crate::sweep::{ResultStore, Results, SweepError};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use tvlb_base::progress::Progress;
use tvlb_jobs::workload::{Graph, PlacedJob, Programs, SendOrder};
use tvlb_jobs::{CompletionError, JobRun, MessageSettings, complete, least_time};
use tvlb_simulator::{RunError, Settings};
use tvlb_table_set::runs::{POLL, build};
use tvlb_table_set::sha256;

/// All that ways are judged with.
pub(super) struct WayJudge<'q> {
    question: &'q Question<'q>,
    results: &'q Results,
    machines: Machines,
    /// For each job who exchanges bytes with whom.
    graphs: Vec<Graph>,
    /// For each order the programs of each job, and the SHA-256 of them.
    programs: Vec<(Vec<Programs>, String)>,
    /// How messages travel in all runs.
    messages: MessageSettings,
}

impl<'q> WayJudge<'q> {
    pub(super) fn new(
        question: &'q Question<'q>,
        results: &'q Results,
        progress: &dyn Progress,
    ) -> Result<Self, AdviceError> {
        let ordered = |order: &SendOrder| {
            let all = question.programs.iter().map(|programs| order.of(programs));
            let all = all.collect::<Result<Vec<_>, _>>()?;
            let hash = sha256(format!("{all:?}").as_bytes());
            Ok((all, hash))
        };
        let programs = question.orders.iter().map(ordered).collect::<Result<_, AdviceError>>()?;
        let machines = Machines::new(question, progress)?;
        let (graphs, messages) = (question.graphs(), question.messages());
        Ok(Self { question, results, machines, graphs, programs, messages })
    }

    fn jobs<'j>(&'j self, order: usize, placed: &'j [PlacedJob]) -> Vec<JobRun<'j>> {
        let all = self.programs[order].0.iter().zip(placed);
        all.map(|(programs, job)| JobRun { programs, nodes: &job.node_of }).collect()
    }

    /// What is known of ways that differ in the order and the routing alone.
    pub(super) fn estimates(
        &self,
        ways: &[Way],
        progress: &dyn Progress,
    ) -> Result<Vec<Judged>, AdviceError> {
        let question = self.question;
        let first = ways[0];
        let placed = question.placed(first, question.seeds[0], &self.graphs, progress)?;
        let topology = &self.machines.fabrics[first[0]].fabric.topology;
        let packets = Packets::of(topology, &self.jobs(0, &placed), &self.messages);
        let mut links: BTreeMap<usize, BusyLink> = BTreeMap::new();
        let mut all = Vec::new();
        for &way in ways {
            progress.check()?;
            let [_, _, _, order, routing] = way;
            let chosen = &question.routings[routing];
            let link = match links.get(&routing) {
                Some(link) => link.clone(),
                None => packets.busiest(topology, chosen)?,
            };
            links.insert(routing, link.clone());
            let booted = self.machines.booted(way[0], routing)?;
            let jobs = self.jobs(order, &placed);
            let settings = question.settings_of(chosen);
            let least_time = least_time(&booted, &settings, &jobs, &self.messages);
            all.push(Judged {
                way,
                estimate: WayEstimate { least_time, link },
                cycles: Vec::new(),
            });
            progress.step();
        }
        Ok(all)
    }

    /// Runs those of these ways that have not run yet, with every seed.
    pub(super) fn simulate(
        &self,
        answer: &mut Answer,
        mut wanted: BTreeSet<Way>,
        progress: &dyn Progress,
    ) -> Result<(), AdviceError> {
        let seeds = &self.question.seeds;
        wanted.retain(|&way| answer.of(way).cycles.is_empty());
        let work: Vec<(Way, u64)> =
            wanted.iter().flat_map(|&way| seeds.iter().map(move |&seed| (way, seed))).collect();
        progress.stage("runs", Some(work.len()));
        let cycles = work.into_par_iter().with_max_len(1).map(|(way, seed)| {
            let cycles = self.cycles(way, seed, progress);
            progress.step();
            cycles
        });
        let cycles: Vec<u32> = cycles.collect::<Vec<_>>().into_iter().collect::<Result<_, _>>()?;
        for (way, cycles) in wanted.into_iter().zip(cycles.chunks(seeds.len())) {
            let judged = answer.ways.iter_mut().find(|judged| judged.way == way);
            judged.expect("all ways were judged").cycles = cycles.to_vec();
        }
        Ok(())
    }

    /// Cycles until the last job ends: kept, or made now, or by another process.
    fn cycles(&self, way: Way, seed: u64, progress: &dyn Progress) -> Result<u32, AdviceError> {
        let [wiring, _, _, order, routing] = way;
        let placed = self.question.placed(way, seed, &self.graphs, progress)?;
        let nodes: Vec<u8> = placed
            .iter()
            .flat_map(|job| &job.node_of)
            .flat_map(|node| node.0.to_le_bytes())
            .collect();
        let fabric = &self.machines.fabrics[wiring];
        let subject = WaySubject {
            tool_version: build(),
            wiring: &fabric.wiring,
            rules: self.machines.paths[routing].rules_in_words(&fabric.fabric),
            settings: self.question.settings_of(&self.question.routings[routing]),
            messages: &self.messages,
            programs: &self.programs[order].1,
            nodes: sha256(&nodes),
            seed,
        };
        let store = ResultStore::new(self.results, true);
        loop {
            let make = || self.run(way, &placed, (&subject.settings, seed), progress);
            if let Some(cycles) = store.run(&subject, make)? {
                return Ok(cycles);
            }
            progress.check()?;
            thread::sleep(POLL);
        }
    }

    /// Makes a run.
    fn run(
        &self,
        way: Way,
        placed: &[PlacedJob],
        (settings, seed): (&Settings, u64),
        progress: &dyn Progress,
    ) -> Result<u32, SweepError> {
        let [wiring, _, _, order, routing] = way;
        let fabric = self.machines.booted(wiring, routing)?;
        let jobs = self.jobs(order, placed);
        let completion = complete(&fabric, settings, &jobs, &self.messages, seed, progress);
        let completion = completion.map_err(|error| match error {
            CompletionError::Run(RunError::Cancelled(cancelled)) => cancelled.into(),
            error => {
                let run = format!("{}, seed {seed}", self.question.in_words(way));
                SweepError::Run { run, error: error.into() }
            }
        })?;
        Ok(completion.cycles)
    }
}

/// Everything that a run depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct WaySubject<'s> {
    tool_version: &'static str,
    wiring: &'s str,
    rules: String,
    settings: Settings,
    messages: &'s MessageSettings,
    programs: &'s str,
    nodes: String,
    seed: u64,
}
