//! What ways are judged with: their estimates, and their runs.

use super::error::AdviceError;
use super::estimate::{BusyLink, Packets, WayEstimate};
use super::machine::WiredMachine;
use super::{Answer, Judged, Question, Way};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tvlb_base::progress::Progress;
use tvlb_jobs::workload::{Graph, PlacedJob, Programs, SendOrder};
use tvlb_jobs::{JobRun, MessageSettings, complete, least_time};
use tvlb_simulator::BootedFabric;

/// All that ways are judged with.
pub(super) struct WayJudge<'q> {
    question: &'q Question<'q>,
    machines: Vec<WiredMachine>,
    /// For each job who exchanges bytes with whom.
    graphs: Vec<Graph>,
    /// For each order the programs of each job.
    programs: Vec<Vec<Programs>>,
    /// How messages travel in all runs.
    messages: MessageSettings,
}

impl<'q> WayJudge<'q> {
    pub(super) fn new(
        question: &'q Question<'q>,
        progress: &dyn Progress,
    ) -> Result<Self, AdviceError> {
        let ordered = |order: &SendOrder| {
            let all = question.programs.iter().map(|programs| order.of(programs));
            all.collect::<Result<Vec<_>, _>>()
        };
        let programs = question.orders.iter().map(ordered).collect::<Result<_, _>>()?;
        let machines = WiredMachine::all(question, progress)?;
        let graphs = question.graphs();
        Ok(Self { question, machines, graphs, programs, messages: question.messages() })
    }

    fn jobs<'j>(&'j self, order: usize, placed: &'j [PlacedJob]) -> Vec<JobRun<'j>> {
        let all = self.programs[order].iter().zip(placed);
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
        let machine = &self.machines[first[0]];
        let placed = question.placed(first, question.seeds[0], &self.graphs, progress)?;
        let topology = &machine.fabric.topology;
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
            let images = machine.images(chosen);
            let booted = BootedFabric::boot(&images.fabric, &images.switches)?;
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

    /// Cycles until the last job ends.
    fn cycles(&self, way: Way, seed: u64, progress: &dyn Progress) -> Result<u32, AdviceError> {
        let question = self.question;
        let [wiring, _, _, order, routing] = way;
        let routing = &question.routings[routing];
        let images = self.machines[wiring].images(routing);
        let placed = question.placed(way, seed, &self.graphs, progress)?;
        let fabric = BootedFabric::boot(&images.fabric, &images.switches)?;
        let jobs = self.jobs(order, &placed);
        let settings = question.settings_of(routing);
        let completion = complete(&fabric, &settings, &jobs, &self.messages, seed, progress)
            .map_err(|error| AdviceError::of_run(question.in_words(way), seed, error))?;
        Ok(completion.cycles)
    }
}
