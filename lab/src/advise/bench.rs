//! The means to judge ways: their estimates, and their runs.

use super::error::AdviceError;
use super::estimate::{BusyLink, Packets, WayEstimate};
use super::machine::Machines;
use super::{Answer, Judged, Question, Way};
use crate::sweep::{JobPrograms, PlacedJobs, ResultStore, Results};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use tvlb_base::progress::Progress;
use tvlb_jobs::workload::{Graph, PlacedJob, SendOrder};
use tvlb_jobs::{MessageSettings, least_time};
use tvlb_schema::NodeId;
use tvlb_table_set::runs::POLL;

/// All that ways are judged with.
pub(super) struct WayJudge<'q> {
    question: &'q Question<'q>,
    results: &'q Results,
    machines: Machines,
    /// For each job the bytes that its ranks exchange.
    graphs: Vec<Graph>,
    /// For each order the programs of each job.
    programs: Vec<JobPrograms>,
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
            Ok(all.collect::<Result<Vec<_>, _>>()?.into())
        };
        let programs = question.orders.iter().map(ordered).collect::<Result<_, AdviceError>>()?;
        let machines = Machines::new(question, progress)?;
        let (graphs, messages) = (question.graphs(), question.messages());
        Ok(Self { question, results, machines, graphs, programs, messages })
    }

    /// The common data of ways that differ only in the order and the routing.
    pub(super) fn estimates(
        &self,
        ways: &[Way],
        progress: &dyn Progress,
    ) -> Result<Vec<Judged>, AdviceError> {
        let question = self.question;
        let first = ways[0];
        let placed = question.placed(first, question.seeds[0], &self.graphs, progress)?;
        let nodes = nodes_of(placed);
        let topology = &self.machines.fabrics[first[0]].fabric.topology;
        let packets = Packets::of(topology, &self.programs[0].on(&nodes), &self.messages);
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
            let jobs = self.programs[order].on(&nodes);
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
        let run = PlacedJobs {
            programs: &self.programs[order],
            nodes: &nodes_of(placed),
            settings: &self.question.settings_of(&self.question.routings[routing]),
            messages: &self.messages,
            seed,
        };
        let fabric = &self.machines.fabrics[wiring];
        let rules = self.machines.paths[routing].rules_in_words(&fabric.fabric);
        let subject = run.subject(&fabric.wiring, rules, "all");
        let store = ResultStore::new(self.results, true);
        loop {
            let make = || {
                let fabric = self.machines.booted(wiring, routing)?;
                let name = || format!("{}, seed {seed}", self.question.in_words(way));
                Ok(run.complete(&fabric, name, progress)?.cycles)
            };
            if let Some(cycles) = store.run(&subject, make)? {
                return Ok(cycles);
            }
            progress.check()?;
            thread::sleep(POLL);
        }
    }
}

/// For each job the node of each rank.
fn nodes_of(placed: Vec<PlacedJob>) -> Vec<Vec<NodeId>> {
    placed.into_iter().map(|job| job.node_of).collect()
}
