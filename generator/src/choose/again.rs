//! What a choice is worth on traffic that took no part in it.
//!
//! A contest takes the best of many candidates on some seeds, so on these seeds the chosen one looks better than it
//! is. After the contest it is therefore asked again, beside what it was compared with, on patterns and runs of
//! further seeds, and those figures are what is reported.

use super::baseline::guard_steps;
use super::contender::{Contender, Field};
use super::contest::ContestResult;
use super::error::ChooseError;
use super::figures::mean;
use super::memory::Memory;
use super::panel::{Event, Guard, Oblivious, Panel};
use super::runner::{Runner, STEPS, all_of, load_of};
use super::simulation::SimulatedRunner;
use tvlb_base::progress::Progress;
use tvlb_simulator::Scheme;
use tvlb_table_set::{AgainContender, AgainEntry, AgainGuard, Carried};

/// Everything that the runs share.
pub(super) struct Again<'a> {
    pub(super) panel: &'a Panel,
    pub(super) memory: &'a Memory,
    pub(super) progress: &'a dyn Progress,
}

/// What one seed has found: by contender of the field its saturations on the score patterns and on traffic that is
/// usual, and the chosen one's regret on each guard.
struct Found {
    seed: u64,
    score: Vec<Vec<f64>>,
    usual: Vec<Vec<f64>>,
    regrets: Vec<f64>,
}

impl Again<'_> {
    /// Asks the references and the chosen contender of a contest on each further seed.
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
        let panels = self.panel.of_further_seeds();
        let seeds = all_of(&panels, |panel| {
            let runner = SimulatedRunner::boot(scheme, panel, &small, self.memory, self.progress)?;
            let conventional = small.images(Contender::CONVENTIONAL);
            let oblivious =
                SimulatedRunner::oblivious(panel, conventional, self.memory, self.progress)?;
            Seed { runner: &runner, panel, result, guesses: &guesses }.ask(&oblivious, chosen)
        })?;
        let contender = |number: usize| {
            let all = |of: fn(&Found) -> &Vec<Vec<f64>>| {
                mean(seeds.iter().flat_map(|found| of(found)[number].iter().copied()))
            };
            AgainContender {
                set: small.name(Contender::number(number)),
                saturation: all(|found| &found.score),
                usual: all(|found| &found.usual),
            }
        };
        let guard = |(number, guard): (usize, &Guard)| {
            let regrets = || seeds.iter().map(|found| (found.regrets[number], found.seed));
            let (worst, seed) = regrets()
                .reduce(|one, next| if next.0 > one.0 { next } else { one })
                .unwrap_or_default();
            let traffic = Guard { seeds: 1, ..guard.clone() }.traffic();
            AgainGuard { traffic, mean: mean(regrets().map(|(regret, _)| regret)), worst, seed }
        };
        Ok(AgainEntry {
            seeds: panels.iter().map(|panel| panel.score[0].seed).collect(),
            contenders: (0..asked.len()).map(contender).collect(),
            guards: self.panel.guards.iter().enumerate().map(guard).collect(),
        })
    }
}

/// One further seed.
struct Seed<'s> {
    runner: &'s SimulatedRunner<'s>,
    panel: &'s Panel,
    result: &'s ContestResult,
    /// By contender the step at which the search on a score pattern begins.
    guesses: &'s [u32],
}

impl Seed<'_> {
    fn ask(
        &self,
        oblivious: &SimulatedRunner<'_, Oblivious>,
        chosen: usize,
    ) -> Result<Found, ChooseError> {
        let known = &self.result.baselines.guards;
        let of = |step: fn(&Carried) -> u32| known.iter().map(step).map(|step| (step, STEPS));
        let [min, vlb] = [Oblivious::Min, Oblivious::Vlb].map(|routing| {
            let guess: Vec<_> = match routing {
                Oblivious::Min => of(|carried| carried.min).collect(),
                Oblivious::Vlb => of(|carried| carried.vlb).collect(),
            };
            guard_steps(oblivious, routing, &guess)
        });
        let guess: Vec<_> = of(|carried| carried.conventional).collect();
        let conventional = guard_steps(self.runner, Contender::CONVENTIONAL, &guess)?;
        let (min, vlb) = (min?, vlb?);
        let all = conventional.into_iter().zip(min.into_iter().zip(vlb));
        let carried: Vec<Carried> =
            all.map(|(ugal, (min, vlb))| Carried::new(min, vlb, ugal)).collect();
        let contenders: Vec<usize> = (0..self.guesses.len()).collect();
        let score = all_of(&contenders, |&number| {
            let search = |event: &Event| {
                let guess = self.guesses[number];
                self.runner.saturation(Contender::number(number), event, guess).map(load_of)
            };
            self.panel.score.iter().map(search).collect::<Result<Vec<f64>, _>>()
        })?;
        let usual = all_of(&contenders, |&number| self.usual(Contender::number(number), &carried))?;
        let steps = self.chosen_on_guards(Contender::number(chosen), &carried)?;
        let regrets = carried.iter().zip(steps).map(|(carried, step)| carried.regret(step));
        let (seed, regrets) = (self.panel.score[0].seed, regrets.collect());
        Ok(Found { seed, score, usual, regrets })
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

    /// What the chosen contender carries of each guard, as far as the best of the baselines.
    fn chosen_on_guards(
        &self,
        chosen: Contender,
        carried: &[Carried],
    ) -> Result<Vec<u32>, ChooseError> {
        let search: Vec<_> = carried.iter().map(|one| (one.most(), one.most())).collect();
        guard_steps(self.runner, chosen, &search)
    }
}
