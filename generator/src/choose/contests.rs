//! Both contests of a fabric: their participants, and the choice for each decision.
//!
//! UGAL-L and PAR are contested side by side.

use super::again::Again;
use super::baseline::{LongRuns, MostRegret, ObliviousSteps, long_runs};
use super::candidates::{PolicyCandidate, Sources};
use super::contender::{Contender, Field};
use super::contest::{ContestResult, ContestRules, contest};
use super::error::ChooseError;
use super::families::Families;
use super::memory::Memory;
use super::objective::{Finalist, Prefer};
use super::panel::Panel;
use super::record::contest_entry;
use super::runner::all_of;
use super::simulation::{SimulatedRunner, with_images};
use super::step_one::StepOneOutcome;
use crate::checked_fabric::CheckedFabric;
use crate::image::Images;
use crate::policy::{Policy, PolicyPair};
use std::collections::BTreeMap;
use tvlb_base::progress::{AsOneStep, Progress};
use tvlb_schema::PerDecision;
use tvlb_simulator::Scheme;
use tvlb_table_set::ContestEntry;
use tvlb_topology::routes::expected::fabric_mean;

/// The outcome of Step 2.
pub(super) struct StepTwoOutcome {
    pub(super) policies: PerDecision<Policy>,
    /// The manifest's entry of each contest.
    pub(super) contests: Vec<ContestEntry>,
}

/// The outcome of one scheme's contests.
struct ContestOutcome {
    policies: PolicyPair,
    entry: ContestEntry,
}

/// The oblivious routings, which both schemes are compared with.
struct Shared<'a> {
    oblivious: ObliviousSteps,
    again: Again<'a>,
}

/// Everything that the contests of a fabric share.
pub(super) struct Contests<'t> {
    /// The fabric that policies are chosen for.
    pub(super) fabric: &'t CheckedFabric<'t>,
    /// Step 1's outcome; `None` if the fabric is too large for the model.
    pub(super) modelled: Option<&'t StepOneOutcome>,
    pub(super) panel: &'t Panel,
    /// The runs made so far.
    pub(super) memory: &'t Memory,
    /// Decides among the candidates that hold the guards.
    pub(super) prefer: Prefer,
    /// The most regret that a candidate may have on a guard.
    pub(super) most_regret: MostRegret,
    /// As [`Sources::plain`].
    pub(super) plain: bool,
    /// The caller's progress.
    pub(super) progress: &'t dyn Progress,
}

impl Contests<'_> {
    /// Runs the contests of both schemes side by side: when one has fewer runs to make than there are cores, the other
    /// continues.
    ///
    /// # Errors
    /// The first run that failed, or the work was cancelled.
    pub(super) fn both(&self, sources: &Sources<'_>) -> Result<StepTwoOutcome, ChooseError> {
        let candidates = |scheme| {
            let mut conventional = sources.conventional(scheme);
            let others = conventional.split_off(1);
            [conventional, sources.candidates(scheme), others].concat()
        };
        let [ugal, of_two] = self.fabric.file.schemes();
        let (for_ugal, for_par) = (candidates(ugal), candidates(of_two));
        self.progress.stage("candidates", Some(for_ugal.len() + for_par.len()));
        let ugal_l = Field::new(self.with_images(for_ugal)?);
        let par = Field::new(self.with_images(for_par)?);
        self.progress.stage("simulate", None);
        let (contenders, references) = (ugal_l.count() + par.count(), ugal_l.references().len());
        self.progress.about_left(about_runs(self.panel, contenders, references));
        // Before the contests, which share them: no run is made twice.
        let conventional = ugal_l.images(Contender::CONVENTIONAL);
        let runner =
            SimulatedRunner::oblivious(self.panel, conventional, self.memory, self.progress)?;
        let oblivious = ObliviousSteps::measure(&runner)?;
        let (panel, memory, progress) = (self.panel, self.memory, self.progress);
        let again = Again::new(panel, (conventional, &oblivious), memory, progress)?;
        let shared = &Shared { oblivious, again };
        let (ugal_l, par) = rayon::join(
            || self.outcome(ugal, &ugal_l, shared),
            || self.outcome(of_two, &par, shared),
        );
        let (ugal_l, par) = (ugal_l?, par?);
        Ok(StepTwoOutcome {
            policies: PerDecision {
                ugal_l: ugal_l.policies.source,
                par_source: par.policies.source,
                par_second: par.policies.second,
            },
            contests: vec![ugal_l.entry, par.entry],
        })
    }

    /// One scheme's contest.
    fn outcome(
        &self,
        scheme: Scheme,
        field: &Field,
        Shared { oblivious, again }: &Shared<'_>,
    ) -> Result<ContestOutcome, ChooseError> {
        let (result, runner) = self.contest(scheme, field, oblivious)?;
        let mut entry = contest_entry(scheme.name(), self.panel, field, &result);
        self.complete(&mut entry, field, &result, &runner)?;
        entry.again = Some(again.ask(scheme, field, &result)?);
        Ok(ContestOutcome { policies: field.candidate(result.chosen).policies.clone(), entry })
    }

    fn with_images(
        &self,
        candidates: Vec<PolicyCandidate>,
    ) -> Result<Vec<(PolicyCandidate, Images)>, ChooseError> {
        let with_images = with_images(self.fabric, candidates, self.progress);
        with_images.inspect(|_| self.progress.step()).collect()
    }

    /// A contest, with its runner.
    fn contest<'f>(
        &'f self,
        scheme: Scheme,
        field: &'f Field,
        oblivious: &ObliviousSteps,
    ) -> Result<(ContestResult, SimulatedRunner<'f>), ChooseError> {
        let runner = SimulatedRunner::boot(scheme, self.panel, field, self.memory, self.progress)?;
        let (weighing, seed) = (self.fabric.file.policies.weighing, self.fabric.file.seed);
        let families = Families::for_fabric(self.fabric);
        let sources =
            Sources { front: &[], user: &[], weighing, seed, families, plain: self.plain };
        let is_allowed = |&one: &Contender| sources.allows(scheme, field.candidate(one));
        let candidates: Vec<Contender> = Contender::all(field.count()).filter(is_allowed).collect();
        let rules = ContestRules {
            prefer: self.prefer,
            most_regret: self.most_regret,
            oblivious,
            references: &field.references(),
            candidates: &candidates,
        };
        let result = contest(&runner, field.count(), &rules)?;
        Ok((result, runner))
    }

    /// Completes the entry of a contest: Step 1's model of the contenders, the mean hops of those that a user compares,
    /// and the results of conventional UGAL and the chosen set in longer runs.
    fn complete(
        &self,
        entry: &mut ContestEntry,
        field: &Field,
        result: &ContestResult,
        runner: &SimulatedRunner<'_>,
    ) -> Result<(), ChooseError> {
        let asked: Vec<&Finalist> =
            result.references.iter().take(1).chain(result.finalists.first()).collect();
        let references = field.references();
        let found: BTreeMap<Contender, Option<LongRuns>> = all_of(&asked, |finalist| {
            let Finalist { contender, saturations, .. } = finalist;
            Ok((*contender, long_runs(runner, &result.baselines, *contender, saturations)?))
        })?
        .into_iter()
        .collect();
        for (contender, entry) in Contender::all(field.count()).zip(&mut entry.contenders) {
            let runs = found.get(&contender).copied().flatten();
            entry.worst_served = runs.map(|runs| runs.worst_served);
            entry.worst_served_at_one_load = runs.map(|runs| runs.worst_served_at_one_load);
            entry.latency_near_saturation = runs.map(|runs| runs.latency);
            let rule = field.candidate(contender).policies.source.rule;
            // Counting takes long.
            if contender == result.chosen || references.contains(&contender) {
                entry.mean_hops =
                    fabric_mean(self.fabric.counter(), &rule, &AsOneStep(self.progress))?.hops;
            }
            entry.modelled = self.modelled.and_then(|modelled| modelled.of(&rule));
        }
        Ok(())
    }
}

/// About how many runs Step 2 takes for both schemes, which have this many contenders together and this many references
/// each. Until it is excluded, dropped or has finished, a contender takes about two runs for each traffic of the panel,
/// and one for each further seed of a guard. On each seed that takes no part in the choice, the references and the
/// chosen contender of a scheme take two runs for each score pattern, conventional UGAL and the chosen one together
/// three for each guard, and MIN and conventional VLB two each: some 1060 runs in all on dfly(4, 8, 4, 9), which makes
/// 1118.
fn about_runs(panel: &Panel, contenders: usize, references: usize) -> usize {
    let further_seeds = panel.guards.iter().map(|guard| guard.seeds as usize - 1);
    let of_one = (panel.score.len() + panel.guards.len()) * 2 + further_seeds.sum::<usize>();
    let again = panel.of_further_seeds().into_iter().map(|panel| {
        let (score, guards) = (panel.score.len(), panel.guards.len());
        2 * ((references + 1) * 2 * score + 3 * guards) + 4 * guards
    });
    of_one * contenders + again.sum::<usize>()
}
