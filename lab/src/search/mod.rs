//! The search for mixtures, beyond the paper: weights and fractions of shapes, thresholds, numbers of
//! candidates and gates, compared by simulation.
//!
//! [`search`] works on one or several fabrics at once. Generation by generation it draws new mixtures and varies the
//! best so far (`variation`), tries all a little and the better ones to the end (`halving`, `leads`), on the same panel
//! by which `generate` chooses, until its budget of runs is spent. With S a mixture's mean saturation over the score
//! patterns, L its mean latency at low load, R its worst regret on a guard, m the margin that it may have, c
//! conventional UGAL:
//!
//! J = mean over fabrics of (S − Sc) − `LATENCY_WEIGHT` · (L / Lc − 1) − `REGRET_WEIGHT` · max(0, R − m)
//!
//! Mixtures that are slow at light load, have a long tail of latency, or have far more regret than the
//! margin are eliminated. The same fabrics, seed and budget give the same mixtures at any number of
//! threads and after any interruption.

mod halving;
mod leads;
mod record;
mod variation;

pub use record::{MixtureEntry, SearchEntry};

use halving::{halve, rungs};
use leads::{GIVEN_UP, leads, regret_cost};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::PathBuf;
use tvlb_base::progress::Progress;
use tvlb_generator::checked_fabric::CheckedFabric;
use tvlb_generator::choose::candidates::{PolicyCandidate, Sources};
use tvlb_generator::choose::families::Families;
use tvlb_generator::choose::trial::{Entrants, Ground, MinAndVlb, Trial, TrialFigures};
use tvlb_generator::choose::{
    ChooseError, Contender, Finalist, MostRegret, PanelSize, Prefer, all_of, by_merit, make_state,
    mean,
};
use tvlb_generator::policy::PolicyPair;
use tvlb_schema::PerDecision;
use tvlb_simulator::Scheme;
use tvlb_table_set::{Origin, Regrets};
use variation::{PolicyPlace, drawn, varied};

/// The value of a doubled mean latency at low load, in saturation.
const LATENCY_WEIGHT: f64 = 0.05;
/// New mixtures of a generation.
const GENERATION: usize = 54;
/// How many mixtures of a generation are tried to the end.
const LAST: usize = 4;
/// How many of the best mixtures so far are varied.
const PARENTS: usize = 8;
/// The least by which a mixture must lead conventional UGAL in each of its first trials. Once there is a best mixture,
/// half of its lead on that fabric is required, if that is more.
const LEAST_LEAD: f64 = 0.01;
/// Keeps the draws of mixtures apart from other uses of the seed.
const MIXTURE_STREAM: u64 = 0x6d69_7874_7572;

#[derive(Clone, Debug)]
pub struct SearchSettings {
    /// The scheme that the mixtures are for; for PAR there is one for each of its two decisions.
    pub scheme: Scheme,
    /// No new generation begins after this many runs.
    pub runs: usize,
    /// The seed of the panel and of the draws of mixtures. `generate` uses the fabric file's seed: another seed here
    /// makes its choice a test of the result.
    pub seed: u64,
    /// How much regret on a guard costs a mixture nothing.
    pub most_regret: MostRegret,
    /// How much traffic the mixtures are tried with.
    pub panel: PanelSize,
    /// Mixtures to begin with, in addition to the family that `generate` tries.
    pub tried: Vec<PolicyPair>,
    /// The directory that keeps the runs, so that an interrupted search goes on from there.
    pub state: Option<PathBuf>,
}

impl SearchSettings {
    /// The sources of the mixtures to begin with. The fabric file decides the seed of a set's fractions and draws, so
    /// no mixture has its own.
    fn sources<'s>(&'s self, families: &'s Families) -> Sources<'s> {
        let weighing = PerDecision::default();
        Sources { front: &[], user: &self.tried, weighing, seed: self.seed, families, plain: false }
    }

    /// The mixtures to begin with on these fabrics, the paper's choice first.
    fn begin(&self, fabrics: &[CheckedFabric<'_>]) -> Vec<PolicyCandidate> {
        let mut all: Vec<PolicyCandidate> = Vec::new();
        for fabric in fabrics {
            for candidate in self.sources(Families::for_fabric(fabric)).candidates(self.scheme) {
                if !all.iter().any(|other| other.is_like(&candidate)) {
                    all.push(candidate);
                }
            }
        }
        all
    }
}

/// The outcome of a search.
#[derive(Clone, Debug)]
struct SearchOutcome {
    /// Conventional UGAL, the paper's choice, then the mixtures that were tried to the end, by falling J.
    mixtures: Vec<Mixture>,
    /// Runs that were needed.
    runs: usize,
    /// Mixtures that were tried at all.
    tried: usize,
    /// The mixture that each preference chooses. Mixtures are numbered like contenders.
    preferred: [(Prefer, Contender); 3],
}

/// A mixture that was tried to the end.
#[derive(Clone, Debug)]
struct Mixture {
    /// The mixture's policies; `None` for conventional UGAL.
    candidate: Option<PolicyCandidate>,
    objective: f64,
    /// The figures by fabric.
    figures: Vec<TrialFigures>,
    /// Whether no other is at least as good in all of throughput, regret and latency.
    is_on_front: bool,
}

/// Searches on all fabrics at once.
///
/// # Errors
/// The first thing that went wrong, or the work was cancelled. With a state directory, the runs made
/// until then are kept.
pub fn search(
    fabrics: &[CheckedFabric<'_>],
    options: &SearchSettings,
    progress: &dyn Progress,
) -> Result<SearchEntry, ChooseError> {
    make_state(options.state.as_deref())?;
    // As published, which is the same for every kind of fabric.
    let conventional = &options.sources(&Families::DRAGONFLY).conventional(options.scheme)[0];
    let (panel, state) = ((options.seed, options.panel), options.state.as_deref());
    let ground = |fabric| Ground::new(fabric, conventional, panel, state, progress);
    let grounds = fabrics.iter().map(ground).collect::<Result<Vec<_>, ChooseError>>()?;
    progress.stage("mixtures", Some(options.runs));
    let oblivious = grounds.iter().map(|ground| ground.min_and_vlb(progress));
    let oblivious = oblivious.collect::<Result<Vec<_>, ChooseError>>()?;
    let search = PolicySearch { grounds: &grounds, oblivious: &oblivious, options, progress };
    let found = search.run(&options.begin(fabrics))?;
    Ok(SearchEntry::of(fabrics, options, &found))
}

/// Everything that the generations of a search share.
struct PolicySearch<'s> {
    grounds: &'s [Ground<'s>],
    /// The saturations of MIN and conventional VLB, by fabric.
    oblivious: &'s [MinAndVlb],
    options: &'s SearchSettings,
    progress: &'s dyn Progress,
}

struct SearchRound {
    /// The figures of conventional UGAL, by fabric.
    conventional: Vec<TrialFigures>,
    /// The figures of the paper's choice, by fabric.
    paper: Vec<TrialFigures>,
    /// The mixtures that were tried to the end, with their figures by fabric.
    finished: Vec<(PolicyCandidate, Vec<TrialFigures>)>,
    /// Runs of the new mixtures.
    runs: usize,
}

impl PolicySearch<'_> {
    fn run(&self, begin: &[PolicyCandidate]) -> Result<SearchOutcome, ChooseError> {
        let seed = self.options.seed;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ MIXTURE_STREAM);
        let paper = begin[0].clone();
        let mut tried = begin.to_vec();
        let mut new = begin[1..].to_vec();
        let mut best: Vec<Mixture> = Vec::new();
        let mut runs = 0;
        let mut least_leads = vec![LEAST_LEAD; self.grounds.len()];
        loop {
            while new.len() < GENERATION {
                let candidate = self.propose(&best, &mut rng);
                if !tried.iter().any(|other| other.is_like(&candidate)) {
                    tried.push(candidate.clone());
                    new.push(candidate);
                }
            }
            let candidates = [std::slice::from_ref(&paper), &new].concat();
            let generation = self.generation(&candidates, &least_leads)?;
            runs += generation.runs;
            let rated = |candidate, figures: Vec<TrialFigures>| Mixture {
                candidate,
                objective: objective(&figures, &generation.conventional, self.options.most_regret),
                figures,
                is_on_front: false,
            };
            let finished = generation.finished.into_iter();
            best.extend(finished.map(|(candidate, figures)| rated(Some(candidate), figures)));
            best.sort_by(|one, other| other.objective.total_cmp(&one.objective));
            if let Some(first) = best.first() {
                let pairs = first.figures.iter().zip(&generation.conventional);
                let leads = pairs.map(|(own, conventional)| own.lead_over(conventional));
                least_leads = leads.map(|lead| (lead / 2.0).max(LEAST_LEAD)).collect();
            }
            if runs >= self.options.runs {
                let references = [
                    rated(None, generation.conventional.clone()),
                    rated(Some(paper), generation.paper),
                ];
                let mut mixtures: Vec<Mixture> = references.into_iter().chain(best).collect();
                mark_front(&mut mixtures);
                let preferred = [Prefer::Throughput, Prefer::Latency, Prefer::Robust]
                    .map(|prefer| (prefer, preferred(prefer, &mixtures, self.options.most_regret)));
                return Ok(SearchOutcome { mixtures, runs, tried: tried.len(), preferred });
            }
            new.clear();
        }
    }

    /// One more mixture: three of four are variations of a good one.
    fn propose(&self, best: &[Mixture], rng: &mut impl Rng) -> PolicyCandidate {
        let seed = self.options.seed;
        let is_par = self.options.scheme == Scheme::Par;
        let parents: Vec<&PolicyPair> = best
            .iter()
            .filter_map(|mixture| mixture.candidate.as_ref())
            .map(|candidate| &candidate.policies)
            .take(PARENTS)
            .collect();
        let one_of = |rng: &mut _| parents[RngExt::random_range(rng, 0..parents.len())];
        let (source, second) = if parents.is_empty() || rng.random_range(0..4) == 0 {
            (drawn(seed, PolicyPlace::Source, rng), drawn(seed, PolicyPlace::SecondLook, rng))
        } else {
            let parent = one_of(rng);
            match rng.random_range(0..if is_par { 4 } else { 1 }) {
                0 => (varied(&parent.source, PolicyPlace::Source, rng), parent.second.clone()),
                1 => (parent.source.clone(), varied(&parent.second, PolicyPlace::SecondLook, rng)),
                2 => (
                    varied(&parent.source, PolicyPlace::Source, rng),
                    varied(&parent.second, PolicyPlace::SecondLook, rng),
                ),
                _ => (parent.source.clone(), one_of(rng).second.clone()),
            }
        };
        let policies =
            if is_par { PolicyPair { source, second } } else { PolicyPair::same(source) };
        PolicyCandidate { policies, origin: Origin::Family }
    }

    /// Tries candidates, of which the first is the paper's choice and the others are new mixtures. A
    /// mixture whose lead over conventional UGAL in a first trial is below the fabric's least lead is
    /// eliminated.
    fn generation(
        &self,
        candidates: &[PolicyCandidate],
        least_leads: &[f64],
    ) -> Result<SearchRound, ChooseError> {
        let Self { grounds, options, progress, .. } = *self;
        let entrants = grounds.iter().map(|ground| ground.entrants(candidates, progress));
        let entrants = entrants.collect::<Result<Vec<Entrants>, _>>()?;
        let each = grounds.iter().zip(self.oblivious).zip(&entrants);
        let begun = each.map(|((ground, oblivious), entrants)| {
            let SearchSettings { scheme, most_regret, .. } = *options;
            Trial::begin(ground, scheme, entrants, oblivious, most_regret, progress)
        });
        let trials = begun.collect::<Result<Vec<_>, ChooseError>>()?;

        let new: Vec<Contender> = Contender::all(candidates.len() + 1)
            .filter(|contender| !contender.is_published())
            .collect();
        // Every fabric has as many trials, whatever its panel has.
        let patterns = grounds.iter().map(Ground::patterns).min();
        let rungs =
            rungs(new.len(), patterns.unwrap_or_default() * grounds.len(), grounds.len(), LAST);
        let on = (&trials[..], least_leads, options.most_regret);
        let halved = halve(new, &rungs, |left, results, until| {
            all_of(left, |&contender| leads(on, contender, &results[&contender], until))
        })?;
        let figures = |contender: Contender| {
            trials.iter().map(|trial| trial.figures(contender)).collect::<Result<Vec<_>, _>>()
        };
        // Conventional UGAL is the contender before the first candidate.
        let of_candidates: Vec<(Contender, &PolicyCandidate)> =
            Contender::all(candidates.len() + 1).skip(1).zip(candidates).collect();
        let finished = all_of(&halved, |&contender| {
            for trial in &trials {
                if !trial.holds(contender, GIVEN_UP)? {
                    return Ok(None);
                }
            }
            let candidate = of_candidates.iter().find(|(of, _)| *of == contender);
            let figures = figures(contender)?;
            Ok(candidate.map(|&(_, candidate)| (candidate.clone(), figures)))
        })?;
        let (conventional, paper) = (figures(Contender::CONVENTIONAL)?, figures(Contender::PAPER)?);
        let runs = trials.into_iter().map(Trial::asked_of_new).sum();
        let finished = finished.into_iter().flatten().collect();
        Ok(SearchRound { conventional, paper, finished, runs })
    }
}

fn objective(figures: &[TrialFigures], conventional: &[TrialFigures], margin: MostRegret) -> f64 {
    mean(figures.iter().zip(conventional).map(|(own, conventional)| {
        let slower = own.low_load_latency / conventional.low_load_latency - 1.0;
        let regret = regret_cost(own.regrets.worst_guard.regret, margin);
        own.lead_over(conventional) - LATENCY_WEIGHT * slower - regret
    }))
}

/// The worst of a figure of the regrets over all fabrics.
fn worst_of(figures: &[TrialFigures], of: fn(&Regrets) -> f64) -> f64 {
    figures.iter().map(|figures| of(&figures.regrets)).fold(f64::NEG_INFINITY, f64::max)
}

/// Marks the mixtures that no other beats in mean saturation, worst regret on a guard and latency under
/// uniform traffic, all compared with conventional UGAL, the first of the mixtures.
fn mark_front(mixtures: &mut [Mixture]) {
    let Some(Mixture { figures: conventional, .. }) = mixtures.first() else { return };
    let merits: Vec<[f64; 3]> = mixtures
        .iter()
        .map(|mixture| {
            let pairs = || mixture.figures.iter().zip(conventional);
            [
                mean(pairs().map(|(own, c)| own.lead_over(c))),
                -worst_of(&mixture.figures, |regrets| regrets.worst_guard.regret),
                mean(pairs().map(|(own, c)| -own.uniform_latency / c.uniform_latency)),
            ]
        })
        .collect();
    let beats = |one: &[f64; 3], other: &[f64; 3]| {
        let pairs = || one.iter().zip(other);
        pairs().all(|(one, other)| one >= other) && pairs().any(|(one, other)| one > other)
    };
    for (mixture, merit) in mixtures.iter_mut().zip(&merits) {
        mixture.is_on_front = !merits.iter().any(|other| beats(other, merit));
    }
}

/// The mixture that a preference chooses; mixtures are numbered like contenders.
fn preferred(prefer: Prefer, mixtures: &[Mixture], most_regret: MostRegret) -> Contender {
    let finalist = |(contender, mixture): (Contender, &Mixture)| Finalist {
        contender,
        saturations: mixture.figures.iter().flat_map(|f| f.saturations.clone()).collect(),
        worst_regrets: Some([
            worst_of(&mixture.figures, Regrets::worst),
            worst_of(&mixture.figures, |regrets| regrets.worst_guard.regret),
        ]),
        latency: mean(mixture.figures.iter().map(|f| f.low_load_latency)),
    };
    let mut all = Contender::all(mixtures.len()).zip(mixtures).map(finalist);
    let conventional = all.next().expect("conventional UGAL is the first of the mixtures");
    let candidates: Vec<Finalist> = all.collect();
    let paper = candidates.first().expect("the paper's choice is the second").clone();
    // As in a contest: those that hold the guards, and if there are none, by the least worst regret.
    let margin = f64::from(most_regret.0) / 100.0 + 1e-9;
    let holds = |finalist: &&Finalist| {
        finalist.worst_regrets.is_some_and(|[_, on_guards]| on_guards <= margin)
    };
    let holders: Vec<Finalist> = candidates.iter().filter(holds).cloned().collect();
    let (prefer, left) =
        if holders.is_empty() { (Prefer::Robust, candidates) } else { (prefer, holders) };
    let order = by_merit(prefer, left, &[conventional, paper]);
    order.first().map_or(Contender::PAPER, |first| first.contender)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_generator::checked_fabric::fabric_image;
    use tvlb_generator::fabric::Fabric;
    use tvlb_schema::Dragonfly;
    use tvlb_topology::arrangement::Arrangement;

    /// E is 0.4 on the score patterns.
    fn mixture(saturation: f64, regret: f64, uniform_latency: f64) -> Mixture {
        let figures = TrialFigures {
            saturations: vec![saturation; 3],
            regrets: Regrets::new(
                (&[""; 3], vec![1.0 - saturation / 0.4; 3]),
                (&[""; 2], vec![regret, -0.1]),
            ),
            uniform_latency,
            low_load_latency: uniform_latency,
        };
        Mixture { candidate: None, objective: 0.0, figures: vec![figures], is_on_front: false }
    }

    #[test]
    fn the_front_is_what_nothing_beats() {
        let mut mixtures = [
            mixture(0.2, 0.0, 50.0),
            mixture(0.3, 0.1, 50.0),
            mixture(0.3, 0.1, 51.0),
            mixture(0.2, 0.0, 49.0),
            mixture(0.3, 0.1, 50.0),
        ];
        mark_front(&mut mixtures);
        assert_eq!(mixtures.map(|m| m.is_on_front), [false, true, false, true, true]);
    }

    fn preferred_of(mixtures: &[Mixture], prefer: Prefer) -> usize {
        let chosen = preferred(prefer, mixtures, MostRegret::default());
        Contender::all(mixtures.len()).position(|contender| contender == chosen).unwrap()
    }

    #[test]
    fn each_preference_chooses_its_own() {
        let mixtures = [
            mixture(0.2, 0.0, 50.0),
            mixture(0.25, 0.03, 49.0),
            mixture(0.3, 0.02, 50.0),
            mixture(0.26, 0.02, 45.0),
            mixture(0.298, 0.02, 49.5),
            mixture(0.38, 0.031, 40.0),
        ];
        let of = |prefer| preferred_of(&mixtures, prefer);
        assert_eq!(of(Prefer::Throughput), 4);
        assert_eq!(of(Prefer::Latency), 3);
        assert_eq!(of(Prefer::Robust), 2);
    }

    #[test]
    fn where_no_mixture_holds_the_least_worst_regret_is_preferred() {
        let mixtures = [
            mixture(0.2, 0.0, 50.0),
            mixture(0.25, 0.04, 49.0),
            mixture(0.36, 0.12, 50.0),
            mixture(0.38, 0.2, 45.0),
        ];
        // Their worst regrets over all traffic are 37.5%, 12% and 20%.
        for prefer in [Prefer::Throughput, Prefer::Latency, Prefer::Robust] {
            assert_eq!(preferred_of(&mixtures, prefer), 2);
        }
    }

    #[test]
    fn latency_counts_a_twentieth_and_regret_beyond_the_margin_in_full() {
        let j =
            |own: Mixture| objective(&own.figures, &mixture(0.2, 0.0, 50.0).figures, MostRegret(3));
        assert!((j(mixture(0.3, 0.03, 60.0)) - (0.1 - 0.05 * 0.2)).abs() < 1e-12);
        assert!((j(mixture(0.3, 0.08, 50.0)) - (0.1 - 0.05)).abs() < 1e-12);
    }

    #[test]
    fn a_search_begins_with_the_families_of_each_kind_of_fabric() {
        let plain = Dragonfly::new(1, 4, 2, 5).unwrap();
        let plus = Dragonfly::new(2, 4, 2, 5).unwrap();
        let arranged =
            [(plain, Arrangement::Absolute), (plus, Arrangement::DragonflyPlus { leaves: 2 })];
        let fabrics = arranged.map(|(df, how)| Fabric::new("lab", df, how, 1).unwrap());
        let images = fabrics.each_ref().map(|fabric| fabric_image(&fabric.topology));
        let checked = [0, 1].map(|n| CheckedFabric::new(&fabrics[n], &images[n]).unwrap());
        let settings = SearchSettings {
            scheme: Scheme::UgalL,
            runs: 1,
            seed: 1,
            most_regret: MostRegret::default(),
            panel: PanelSize::Quick,
            tried: Vec::new(),
            state: None,
        };
        let begin = |fabrics: &[CheckedFabric<'_>]| -> Vec<String> {
            settings.begin(fabrics).iter().map(|one| one.policies.to_string()).collect()
        };
        let (of_plain, of_plus, both) =
            (begin(&checked[..1]), begin(&checked[1..]), begin(&checked));
        assert_eq!(of_plain[0], of_plus[0], "the paper's choice");
        assert_ne!(of_plain, of_plus);
        assert!(of_plain.iter().chain(&of_plus).all(|policy| both.contains(policy)));
        assert!(both.len() < of_plain.len() + of_plus.len());
    }
}
