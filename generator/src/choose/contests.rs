//! Both contests of a fabric: who takes part in them, and what is chosen for each decision.
//!
//! UGAL-L and PAR are contested side by side. In PAR's the best sets are paired, one for the source
//! and one for the second look; in both the best one is tried once more with its load balanced.

use super::baseline::{MostRegret, NearSaturation, ObliviousSteps, near_saturation};
use super::candidates::{Candidate, FALLBACK, Origin, Sources, pairs};
use super::contender::{Contender, Field};
use super::contest::{ContestResult, Rules, contest};
use super::curves::{Curve, Shown, curves};
use super::error::ChooseError;
use super::memory::Memory;
use super::objective::{Finalist, Prefer};
use super::outlook::{self, OfScheme, Outlook};
use super::panel::Panel;
use super::record::{About, contest_entry};
use super::runner::all_of;
use super::simulation::{ObliviousRunner, SimulatedRunner, baseline_images, images_of};
use super::step_one::Modelled;
use crate::balance::Balancer;
use crate::fabric::Fabric;
use crate::image::Images;
use crate::policy::{Policy, PolicyPair};
use crate::routes::count::RouteCounter;
use crate::routes::expected::fabric_mean;
use crate::set_grammar::canonical;
use crate::table_set::ContestEntry;
use std::collections::BTreeMap;
use tvlb_base::progress::Progress;
use tvlb_schema::{PerDecision, SetRule, ShapeSet};
use tvlb_simulator::Scheme;

/// How many of the best sets are paired for PAR's two decisions.
const PAIRED: usize = 3;
/// Of how many of the best sets it is asked what they do near saturation: such runs are long.
const ASKED_NEAR_SATURATION: usize = 3;
/// How many of the best sets are tried balanced: of the fabrics that we measured, one scheme on one has gained
/// by it (docs/measurements/step-2.md, "Load balance").
const BALANCED: usize = 1;

/// About how many runs are made once the choice is: those near saturation, and those of the curves.
const AFTERWARDS: usize = 46;

/// The outcome of Step 2.
pub(super) struct Found {
    pub(super) policies: PerDecision<Policy>,
    /// The manifest's entry of each contest.
    pub(super) contests: Vec<ContestEntry>,
    /// The curves of each contest, for plots.
    pub(super) curves: Vec<Curve>,
}

/// The outcome of one scheme's contests.
struct Chosen {
    policies: PolicyPair,
    entry: ContestEntry,
    curves: Vec<Curve>,
}

/// Everything that the contests of a fabric share.
pub(super) struct Contests<'t> {
    /// The fabric that policies are chosen for.
    pub(super) fabric: &'t Fabric,
    /// Counts the routes of the fabric.
    pub(super) counter: &'t RouteCounter<'t>,
    /// Step 1's outcome; none where the fabric is too large to be modelled.
    pub(super) modelled: Option<&'t Modelled>,
    pub(super) panel: &'t Panel,
    /// The runs made so far.
    pub(super) memory: &'t Memory,
    /// Decides among the candidates that hold the guards.
    pub(super) prefer: Prefer,
    /// How much regret a candidate may have on a guard.
    pub(super) most_regret: MostRegret,
    /// The caller's progress.
    pub(super) progress: &'t dyn Progress,
    /// The mean hops of a path that conventional VLB draws.
    pub(super) conventional_hops: Option<f64>,
    /// Balances sets; none where the fabric is too large for a balance.
    pub(super) balancer: Option<Balancer<'t>>,
}

impl Contests<'_> {
    /// Contests both schemes, side by side: where one has fewer runs to make than there are cores,
    /// the other goes on.
    ///
    /// # Errors
    /// The first run that failed, or the work was cancelled.
    pub(super) fn both(&self, sources: &Sources<'_>) -> Result<Found, ChooseError> {
        let for_ugal_l = sources.candidates(Scheme::UgalL);
        let for_par = sources.candidates(Scheme::Par);
        self.progress.stage("candidates", Some(for_ugal_l.len() + for_par.len()));
        let baseline = baseline_images(self.counter, self.fabric, self.progress)?;
        let ugal_l = Field::new(baseline.clone(), self.with_images(for_ugal_l)?);
        let par = Field::new(baseline.clone(), self.with_images(for_par)?);
        self.progress.stage("simulate", None);
        let expected = [
            outlook::of_scheme(self.panel, Scheme::UgalL, ugal_l.count()),
            outlook::of_scheme(self.panel, Scheme::Par, par.count()),
        ];
        self.progress.about_left(outlook::of_oblivious(self.panel) + expected[0] + expected[1]);
        // Before the contests, which share them: no run is made twice.
        let runner = ObliviousRunner::boot(self.panel, &baseline, self.memory, self.progress)?;
        let oblivious = &ObliviousSteps::measure(&runner, self.panel)?;
        let outlook = Outlook::new(self.progress, expected);
        let (ugal_l, par) = rayon::join(
            || self.with_balanced(outlook.of(Scheme::UgalL), ugal_l, oblivious),
            || self.par(outlook.of(Scheme::Par), par, oblivious),
        );
        let (ugal_l, par) = (ugal_l?, par?);
        Ok(Found {
            policies: PerDecision {
                ugal_l: ugal_l.policies.source,
                par_source: par.policies.source,
                par_second: par.policies.second,
            },
            contests: vec![ugal_l.entry, par.entry],
            curves: [ugal_l.curves, par.curves].concat(),
        })
    }

    /// PAR's choice: first tried with the candidates as they are, then with the best sets in pairs.
    fn par(
        &self,
        progress: OfScheme<'_, '_>,
        mut field: Field,
        oblivious: &ObliviousSteps,
    ) -> Result<Chosen, ChooseError> {
        let (result, _) = self.contest(&progress, &field, oblivious)?;
        let pairs = pairs(&best(&field, &result, PAIRED));
        progress.left(outlook::of_candidates(self.panel, pairs.len() + BALANCED) + AFTERWARDS);
        field.join(self.with_images(pairs)?);
        self.with_balanced(progress, field, oblivious)
    }

    /// A contest, and once more with the best balanced.
    fn with_balanced(
        &self,
        progress: OfScheme<'_, '_>,
        mut field: Field,
        oblivious: &ObliviousSteps,
    ) -> Result<Chosen, ChooseError> {
        let scheme = progress.scheme();
        if let Some(balancer) = &self.balancer {
            let (result, _) = self.contest(&progress, &field, oblivious)?;
            progress.left(outlook::of_candidates(self.panel, BALANCED) + AFTERWARDS);
            let balanced = |policy: &Policy| balancer.balanced(policy, self.progress);
            let mut thinned = Vec::new();
            for Candidate { policies: PolicyPair { source, second }, .. } in
                best(&field, &result, BALANCED)
            {
                let policies =
                    PolicyPair { source: balanced(&source)?, second: balanced(&second)? };
                if policies.is_thinned() {
                    thinned.push(Candidate { policies, origin: Origin::Balanced });
                }
            }
            field.join(self.with_images(thinned)?);
        }
        let (result, runner) = self.contest(&progress, &field, oblivious)?;
        progress.left(AFTERWARDS);
        let near_saturation = self.near_saturation(&runner, &result)?;
        let curves = self.shown_curves(scheme, &field, &result, &runner)?;
        progress.left(0);
        let entry = self.entry(scheme, &field, &result, &near_saturation);
        let chosen = field.candidate(result.chosen).expect("conventional UGAL is never chosen");
        Ok(Chosen { policies: chosen.policies.clone(), entry, curves })
    }

    fn with_images(
        &self,
        candidates: Vec<Candidate>,
    ) -> Result<Vec<(Candidate, Images)>, ChooseError> {
        let with_images = candidates.into_iter().map(|candidate| {
            let policies = candidate.policies.per_decision();
            let images = images_of(self.counter, self.fabric, policies, self.progress)?;
            self.progress.step();
            Ok((candidate, images))
        });
        with_images.collect()
    }

    /// A contest, with the runner that it asked.
    fn contest<'f>(
        &'f self,
        progress: &'f OfScheme<'_, '_>,
        field: &'f Field,
        oblivious: &ObliviousSteps,
    ) -> Result<(ContestResult, SimulatedRunner<'f>), ChooseError> {
        let scheme = progress.scheme();
        let runner = SimulatedRunner::boot(scheme, self.panel, field, self.memory, progress)?;
        // A pair may be the fallback too, where both of its policies are the fallback's.
        let is_fallback = |candidate: &Candidate| {
            candidate.origin == Origin::Family
                && canonical(&candidate.policies.source.rule) == FALLBACK
        };
        let fallback = field.candidates().find(|(_, candidate)| is_fallback(candidate));
        let fallback = fallback.map_or(Contender::PAPER, |(contender, _)| contender);
        let rules =
            Rules { prefer: self.prefer, most_regret: self.most_regret, oblivious, fallback };
        let result = contest(&runner, self.panel, field.count(), &rules)?;
        Ok((result, runner))
    }

    /// What the references and the best finalists do near saturation.
    fn near_saturation(
        &self,
        runner: &SimulatedRunner<'_>,
        result: &ContestResult,
    ) -> Result<BTreeMap<Contender, NearSaturation>, ChooseError> {
        let asked: Vec<&Finalist> = result
            .references
            .iter()
            .chain(result.finalists.iter().take(ASKED_NEAR_SATURATION))
            .collect();
        let found = all_of(&asked, |finalist| {
            let Finalist { contender, saturations, .. } = finalist;
            near_saturation(runner, self.panel, *contender, saturations)
        })?;
        let each = asked.iter().zip(found);
        Ok(each.filter_map(|(f, found)| Some((f.contender, found?))).collect())
    }

    /// The curves of the contenders that a user compares.
    fn shown_curves(
        &self,
        scheme: Scheme,
        field: &Field,
        result: &ContestResult,
        runner: &SimulatedRunner<'_>,
    ) -> Result<Vec<Curve>, ChooseError> {
        let mut shown = Contender::REFERENCES.to_vec();
        if !result.chosen.is_reference() {
            shown.push(result.chosen);
        }
        let shown: Vec<Shown<'_>> = shown
            .into_iter()
            .map(|contender| Shown {
                contender,
                name: field.name(contender),
                saturations: &result.standings.values[contender],
            })
            .collect();
        curves(scheme.name(), runner, self.panel, &shown)
    }

    /// The manifest's entry of a contest.
    fn entry(
        &self,
        scheme: Scheme,
        field: &Field,
        result: &ContestResult,
        near_saturation: &BTreeMap<Contender, NearSaturation>,
    ) -> ContestEntry {
        let modelled = |rule: &SetRule| self.modelled.and_then(|modelled| modelled.of(rule));
        let conventional = About {
            modelled: modelled(&SetRule::whole(ShapeSet::ALL)),
            mean_hops: self.conventional_hops,
            near_saturation: near_saturation.get(&Contender::CONVENTIONAL).copied(),
        };
        let mut about = BTreeMap::from([(Contender::CONVENTIONAL, conventional)]);
        for (contender, candidate) in field.candidates() {
            let rule = &candidate.policies.source.rule;
            // Counting takes long, so only the contenders that a user compares are looked up.
            let is_shown = contender.is_reference() || contender == result.chosen;
            let mean_hops = is_shown.then(|| fabric_mean(self.counter, rule).hops).flatten();
            let near_saturation = near_saturation.get(&contender).copied();
            about.insert(contender, About { modelled: modelled(rule), mean_hops, near_saturation });
        }
        contest_entry(scheme.name(), self.panel, field, result, &about)
    }
}

/// The few best candidates of a contest, the very best first.
fn best(field: &Field, result: &ContestResult, count: usize) -> Vec<Candidate> {
    let finalists = result.finalists.iter().take(count);
    finalists.filter_map(|finalist| field.candidate(finalist.contender)).cloned().collect()
}

/// The mean hops of a path that conventional VLB draws, over all pairs of switches of different groups.
pub(super) fn conventional_hops(counter: &RouteCounter<'_>) -> Option<f64> {
    let df = counter.topology().dragonfly();
    let (mut sum, mut pairs) = (0.0, 0.0);
    for source in df.switches() {
        for destination in df.switches() {
            if df.place(source).0 == df.place(destination).0 {
                continue;
            }
            let by_hops = counter.triples(source, destination).by_hops();
            let real = |count: u64| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
            let total: f64 = by_hops.iter().map(|&count| real(count)).sum();
            let hops: f64 = (0_u32..).zip(by_hops).map(|(h, n)| f64::from(h) * real(n)).sum();
            if total > 0.0 {
                sum += hops / total;
                pairs += 1.0;
            }
        }
    }
    (pairs > 0.0).then(|| sum / pairs)
}
