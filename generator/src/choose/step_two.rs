//! Both contests of a fabric: who takes part in them, and what is chosen for each decision.
//!
//! UGAL-L and PAR are contested side by side. In PAR's the best sets are paired, one for the source
//! and one for the second look; in both the best are tried once more with their load balanced.

use super::ChooseError;
use super::candidates::{Candidate, FALLBACK, Origin, Sources, pairs};
use super::contest::{Verdict, contest};
use super::evidence::{Curve, curves};
use super::memory::Memory;
use super::objective::Prefer;
use super::panel::Panel;
use super::record::{About, CONVENTIONAL_NAME, contest_entry};
use super::screen::Screened;
use super::search::load_of;
use super::trial::{Simulated, entrants, images_of};
use super::yardstick::{CONVENTIONAL, PAPER};
use crate::balance::Balancer;
use crate::fabric::Fabric;
use crate::image::Images;
use crate::policy::{Policy, PolicyPair};
use crate::routes::count::RouteCounter;
use crate::routes::expected::fabric_mean;
use crate::table_set::ContestEntry;
use std::collections::BTreeMap;
use tvlb_firmware_model::Scheme;
use tvlb_progress::Progress;
use tvlb_schema::{PerDecision, SetRule, ShapeSet};

/// How many of the best sets are paired for PAR's two decisions, and how many are balanced.
const BEST: usize = 3;

/// Who takes part in a contest.
struct Field {
    candidates: Vec<Candidate>,
    /// Of each.
    images: Vec<Images>,
}

impl Field {
    /// The few best of a contest, the very best first.
    fn best(&self, verdict: &Verdict) -> impl Iterator<Item = Candidate> {
        verdict.finalists.iter().take(BEST).map(|f| self.candidates[f.contender - 1].clone())
    }
}

/// What Step 2 ends in.
pub(super) struct Found {
    /// The policy chosen for each decision.
    pub(super) policies: PerDecision<Policy>,
    /// What the manifest keeps of the contests.
    pub(super) contests: Vec<ContestEntry>,
    /// What a report draws of them.
    pub(super) curves: Vec<Curve>,
}

/// A scheme's choice, what the manifest keeps of its contest, its curves.
type Chosen = (Candidate, ContestEntry, Vec<Curve>);

/// All that the contests of a fabric share.
pub(super) struct Trials<'t> {
    /// What is chosen for.
    pub(super) fabric: &'t Fabric,
    /// Of its routes.
    pub(super) counter: &'t RouteCounter<'t>,
    /// Step 1, unless the fabric is too large for it.
    pub(super) screened: Option<&'t Screened>,
    /// The traffic.
    pub(super) panel: &'t Panel,
    /// The runs made so far.
    pub(super) memory: &'t Memory,
    /// What decides among those that hold the guards.
    pub(super) prefer: Prefer,
    /// The caller's progress.
    pub(super) progress: &'t dyn Progress,
    /// Of a path that conventional VLB draws.
    pub(super) conventional_hops: Option<f64>,
    /// None where the fabric is too large for a balance.
    pub(super) balancer: Option<Balancer<'t>>,
}

impl Trials<'_> {
    /// Both schemes, side by side: where one has fewer runs to make than there are cores, the other
    /// goes on.
    ///
    /// # Errors
    /// The first run that failed, or the interruption.
    pub(super) fn both(&self, sources: &Sources<'_>) -> Result<Found, ChooseError> {
        let of_ugal_l = sources.candidates(Scheme::UgalL);
        let of_par = sources.candidates(Scheme::Par);
        self.progress.stage("candidates", Some(of_ugal_l.len() + of_par.len()));
        let (ugal_l, par) = (self.field(of_ugal_l)?, self.field(of_par)?);
        self.progress.stage("simulate", None);
        let (ugal_l, par) =
            rayon::join(|| self.with_balanced(Scheme::UgalL, ugal_l), || self.par(par));
        let ((for_ugal_l, of_ugal_l, mut curves), (for_par, of_par, curves_of_par)) =
            (ugal_l?, par?);
        curves.extend(curves_of_par);
        let policies = PerDecision {
            ugal_l: for_ugal_l.policies.source,
            par_source: for_par.policies.source,
            par_second: for_par.policies.second,
        };
        Ok(Found { policies, contests: vec![of_ugal_l, of_par], curves })
    }

    /// PAR's choice: first tried with the candidates as they are, then with the best sets in pairs.
    fn par(&self, mut field: Field) -> Result<Chosen, ChooseError> {
        let (verdict, _) = self.contest(Scheme::Par, &field)?;
        let best: Vec<Candidate> = field.best(&verdict).collect();
        self.join(&mut field, &pairs(&best))?;
        self.with_balanced(Scheme::Par, field)
    }

    /// Candidates with their images.
    fn field(&self, candidates: Vec<Candidate>) -> Result<Field, ChooseError> {
        let images = self.images(&candidates)?;
        Ok(Field { candidates, images })
    }

    /// A contest, and once more with the best balanced.
    fn with_balanced(&self, scheme: Scheme, mut field: Field) -> Result<Chosen, ChooseError> {
        let (mut verdict, mut drawn) = self.contest(scheme, &field)?;
        if let Some(balancer) = &self.balancer {
            let balanced = |policy: &Policy| balancer.balanced(policy, self.progress);
            let mut thinned = Vec::new();
            for Candidate { policies: PolicyPair { source, second }, .. } in field.best(&verdict) {
                let policies =
                    PolicyPair { source: balanced(&source)?, second: balanced(&second)? };
                if policies.is_thinned() {
                    thinned.push(Candidate { policies, origin: Origin::Balanced });
                }
            }
            self.join(&mut field, &thinned)?;
            (verdict, drawn) = self.contest(scheme, &field)?;
        }
        let entry = self.entry(scheme, &field.candidates, &verdict);
        Ok((field.candidates[verdict.chosen - 1].clone(), entry, drawn))
    }

    /// Some more candidates join.
    fn join(&self, field: &mut Field, more: &[Candidate]) -> Result<(), ChooseError> {
        field.images.extend(self.images(more)?);
        field.candidates.extend_from_slice(more);
        Ok(())
    }

    /// The images of candidates.
    fn images(&self, candidates: &[Candidate]) -> Result<Vec<Images>, ChooseError> {
        let images = candidates.iter().map(|candidate| {
            let images = images_of(self.counter, self.fabric, candidate, self.progress);
            self.progress.step();
            images
        });
        images.collect()
    }

    fn contest(&self, scheme: Scheme, field: &Field) -> Result<(Verdict, Vec<Curve>), ChooseError> {
        let Field { candidates, images } = field;
        let entrants = entrants(candidates, images);
        let count = entrants.len();
        let judge = Simulated::boot(scheme, self.panel, entrants, self.memory, self.progress)?;
        let fallback = candidates
            .iter()
            .position(|c| c.origin != Origin::Pair && c.name() == FALLBACK)
            .map_or(PAPER, |position| position + 1);
        let verdict = contest(&judge, self.panel, count, self.prefer, fallback)?;
        let mut shown = vec![(CONVENTIONAL, CONVENTIONAL_NAME.to_owned())];
        for contender in [PAPER, verdict.chosen] {
            if shown.iter().all(|(known, _)| *known != contender) {
                shown.push((contender, candidates[contender - 1].name()));
            }
        }
        let curves = curves(scheme.name(), &judge.asked(), &shown, load_of);
        Ok((verdict, curves))
    }

    fn entry(&self, scheme: Scheme, all: &[Candidate], verdict: &Verdict) -> ContestEntry {
        let mut about = BTreeMap::new();
        let everything = SetRule::whole(ShapeSet::ALL);
        let conventional = About {
            modelled: self.screened.and_then(|screened| screened.modelled(&everything)),
            mean_hops: self.conventional_hops,
        };
        about.insert(CONVENTIONAL, conventional);
        for (contender, candidate) in (1..).zip(all) {
            let looked_up = contender == PAPER || contender == verdict.chosen;
            about.insert(
                contender,
                About {
                    modelled: self
                        .screened
                        .and_then(|s| s.modelled(&candidate.policies.source.rule)),
                    mean_hops: looked_up
                        .then(|| fabric_mean(self.counter, &candidate.policies.source.rule).hops)
                        .flatten(),
                },
            );
        }
        contest_entry(scheme.name(), self.panel, all, verdict, &about)
    }
}

/// Hops of a path that conventional VLB draws, over all pairs of switches of different groups.
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
