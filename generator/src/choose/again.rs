//! The value of a choice on traffic that took no part in it.
//!
//! A contest takes the best of many candidates on some seeds, so on these seeds the chosen one looks better than it is.
//! After the contest it is therefore run again, with its references, on patterns and runs of further seeds, and those
//! figures are reported.

use super::baseline::{ObliviousSteps, guard_steps};
use super::contender::{Contender, Field};
use super::contest::ContestResult;
use super::error::ChooseError;
use super::figures::mean;
use super::memory::Memory;
use super::panel::{Event, Guard, Oblivious, Panel};
use super::runner::{Runner, STEPS, all_of, load_of};
use super::simulation::SimulatedRunner;
use crate::image::Images;
use tvlb_base::progress::Progress;
use tvlb_simulator::Scheme;
use tvlb_table_set::{AgainContender, AgainEntry, AgainGuard, Carried};

/// Further seeds, each with its panel and with what MIN and conventional VLB carry of its guards, the reference of both
/// schemes.
pub(super) struct Again<'a> {
    seeds: Vec<(Panel, [Vec<u32>; 2])>,
    memory: &'a Memory,
    progress: &'a dyn Progress,
}

/// The results of one seed: by contender of the field its saturations on the score patterns, what conventional UGAL and
/// the chosen one carry of typical traffic, and the chosen one's regret on each guard.
struct SeedOutcome {
    seed: u64,
    score: Vec<Vec<f64>>,
    usual: [Vec<f64>; 2],
    regrets: Vec<f64>,
}

impl<'a> Again<'a> {
    /// Measures MIN and conventional VLB; `known` has their saturations on the seeds of the choice.
    ///
    /// # Errors
    /// The first run that failed, or the work was cancelled.
    pub(super) fn new(
        panel: &Panel,
        (images, known): (&Images, &ObliviousSteps),
        memory: &'a Memory,
        progress: &'a dyn Progress,
    ) -> Result<Self, ChooseError> {
        let panels = panel.of_further_seeds();
        let carried = all_of(&panels, |panel| {
            let runner = SimulatedRunner::oblivious(panel, images, memory, progress)?;
            let each = [(Oblivious::Min, &known.min), (Oblivious::Vlb, &known.vlb)];
            let [min, vlb] = each
                .map(|(routing, known)| guard_steps(&runner, routing, &searches(&known.guards)));
            Ok([min?, vlb?])
        })?;
        Ok(Self { seeds: panels.into_iter().zip(carried).collect(), memory, progress })
    }

    /// Measures the references and the chosen contender of a contest on each further seed.
    ///
    /// # Errors
    /// The first run that failed, or the work was cancelled.
    pub(super) fn ask(
        &self,
        scheme: Scheme,
        field: &Field,
        result: &ContestResult,
    ) -> Result<AgainEntry, ChooseError> {
        // The chosen one last, unless it is a reference.
        let mut asked = field.references();
        if !asked.contains(&result.chosen) {
            asked.push(result.chosen);
        }
        let chosen = asked.iter().position(|&one| one == result.chosen).unwrap_or_default();
        let guesses: Vec<u32> = asked.iter().map(|&one| result.guess(one)).collect();
        let small = field.of(&asked);
        let seeds = all_of(&self.seeds, |(panel, oblivious)| {
            let runner = SimulatedRunner::boot(scheme, panel, &small, self.memory, self.progress)?;
            Seed { runner: &runner, panel, result, guesses: &guesses }.ask(oblivious, chosen)
        })?;
        let usual =
            |of: usize| mean(seeds.iter().flat_map(|found| found.usual[of].iter().copied()));
        let contender = |number: usize| AgainContender {
            set: small.name(Contender::number(number)),
            saturation: mean(seeds.iter().flat_map(|found| found.score[number].iter().copied())),
            usual: if number == chosen {
                Some(usual(1))
            } else {
                (Contender::number(number) == Contender::CONVENTIONAL).then(|| usual(0))
            },
        };
        let guard = |(number, guard): (usize, &Guard)| {
            let regrets = || seeds.iter().map(|found| (found.regrets[number], found.seed));
            let (worst, seed) = regrets()
                .reduce(|one, next| if next.0 > one.0 { next } else { one })
                .unwrap_or_default();
            let traffic = guard.traffic();
            AgainGuard { traffic, mean: mean(regrets().map(|(regret, _)| regret)), worst, seed }
        };
        Ok(AgainEntry {
            seeds: seeds.iter().map(|found| found.seed).collect(),
            contenders: (0..asked.len()).map(contender).collect(),
            guards: self
                .seeds
                .iter()
                .take(1)
                .flat_map(|(panel, _)| &panel.guards)
                .enumerate()
                .map(guard)
                .collect(),
        })
    }
}

/// Searches from these steps up to the most.
fn searches(guesses: &[u32]) -> Vec<(u32, u32)> {
    guesses.iter().map(|&guess| (guess, STEPS)).collect()
}

/// One further seed.
struct Seed<'s> {
    runner: &'s SimulatedRunner<'s>,
    panel: &'s Panel,
    result: &'s ContestResult,
    /// By contender, the step at which the search on a score pattern begins.
    guesses: &'s [u32],
}

impl Seed<'_> {
    fn ask(&self, [min, vlb]: &[Vec<u32>; 2], chosen: usize) -> Result<SeedOutcome, ChooseError> {
        let known = self.result.baselines.guards.iter().map(|carried| carried.conventional);
        let search = searches(&known.collect::<Vec<_>>());
        let conventional = guard_steps(self.runner, Contender::CONVENTIONAL, &search)?;
        let all = conventional.into_iter().zip(min.iter().zip(vlb));
        let carried: Vec<Carried> =
            all.map(|(ugal, (&min, &vlb))| Carried::new(min, vlb, ugal)).collect();
        let contenders: Vec<usize> = (0..self.guesses.len()).collect();
        let score = all_of(&contenders, |&number| {
            let search = |event: &Event| {
                let guess = self.guesses[number];
                self.runner.saturation(Contender::number(number), event, guess).map(load_of)
            };
            self.panel.score.iter().map(search).collect::<Result<Vec<f64>, _>>()
        })?;
        let steps = self.chosen_on_guards(Contender::number(chosen), &carried)?;
        let usual = self.usual(Contender::number(chosen), &carried)?;
        let usual = [self.usual(Contender::CONVENTIONAL, &carried)?, usual];
        let regrets = carried.iter().zip(steps).map(|(carried, step)| carried.regret(step));
        let (seed, regrets) = (self.panel.score[0].seed, regrets.collect());
        Ok(SeedOutcome { seed, score, usual, regrets })
    }

    /// What a contender carries of uniform traffic and of permutations.
    fn usual(&self, contender: Contender, carried: &[Carried]) -> Result<Vec<f64>, ChooseError> {
        let each = self.panel.guards.iter().zip(carried).filter(|(guard, _)| guard.is_usual());
        let each: Vec<_> = each.collect();
        all_of(&each, |(guard, carried)| {
            let search = (carried.conventional, STEPS);
            self.runner.guard_saturation(contender, guard, search).map(load_of)
        })
    }

    /// What the chosen contender carries of each guard, up to what the best of the baselines carries.
    fn chosen_on_guards(
        &self,
        chosen: Contender,
        carried: &[Carried],
    ) -> Result<Vec<u32>, ChooseError> {
        let search: Vec<_> = carried.iter().map(|one| (one.most(), one.most())).collect();
        guard_steps(self.runner, chosen, &search)
    }
}
