//! The search for mixtures, beyond the paper: weights, fractions and thresholds, judged by simulation.
//!
//! [`search`] looks on one or several fabrics at once. Wave by wave it draws new mixtures and varies
//! the best so far (`variation`), tries all a little and the better ones to the end (`halving`), on
//! the same panel that `generate` chooses by, until its budget of runs is spent. With S a mixture's mean
//! saturation over the score patterns, L its mean latency at low load, c conventional UGAL:
//!
//! J = mean over fabrics of (S − Sc) − [`LATENCY_WEIGHT`] · (L / Lc − 1)
//!
//! for those that hold every guard; the others are out. The same fabrics, seed and budget give the same
//! mixtures at any number of threads and after any interruption.

mod arena;
mod halving;
pub mod record;
mod variation;

pub use arena::Figures;

use super::candidates::{Candidate, Origin, Sources};
use super::memory::{self, Memory};
use super::objective::{Finalist, Prefer, choose};
use super::panel::{Panel, PanelSize};
use super::trial::{Simulated, entrants, images_of};
use super::yardstick::{CONVENTIONAL, PAPER, Yardstick, all_of};
use super::{ChooseError, make_state};
use crate::fabric::Fabric;
use crate::image::Images;
use crate::policy::PolicyPair;
use crate::routes::count::RouteCounter;
use arena::{Arena, lead};
use halving::{halve, rungs};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use std::path::PathBuf;
use tvlb_firmware_model::Scheme;
use tvlb_progress::Progress;
use variation::{drawn, varied};

/// What a mean latency doubled at low load is worth in saturation.
pub const LATENCY_WEIGHT: f64 = 0.05;
/// New mixtures of a wave.
const WAVE: usize = 54;
/// How many of them are tried to the end.
const LAST: usize = 4;
/// The best so far that are varied.
const PARENTS: usize = 8;
/// What a mixture must be ahead of conventional UGAL in each of its first trials, at least; once there
/// is a best one, half of its lead on that fabric.
const LEAST_HOPE: f64 = 0.01;
/// Keeps the draws of mixtures apart from other uses of the seed.
const MIXTURE_STREAM: u64 = 0x6d69_7874_7572;

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whose decision the mixtures are for; for PAR there is one for each of its two.
    pub scheme: Scheme,
    /// No new wave begins after so many runs.
    pub runs: usize,
    /// Of the panel, and of the draws of mixtures. That of `generate` is the fabric file's: another one
    /// here makes its choice a test of what was found.
    pub seed: u64,
    /// How much traffic.
    pub panel: PanelSize,
    /// Mixtures to begin with, besides the family that `generate` tries.
    pub tried: Vec<PolicyPair>,
    /// Where to keep the runs, for another time.
    pub state: Option<PathBuf>,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Conventional UGAL, the paper's choice, then those that hold all guards, by falling J.
    pub mixtures: Vec<Mixture>,
    /// Runs that were needed.
    pub runs: usize,
    /// Mixtures that were tried at all.
    pub tried: usize,
    /// By preference the position of the mixture that it comes to.
    pub preferred: [(Prefer, usize); 3],
}

/// A mixture that was tried to the end.
#[derive(Clone, Debug)]
pub struct Mixture {
    /// It; none for conventional UGAL.
    pub candidate: Option<Candidate>,
    /// J.
    pub objective: f64,
    /// By fabric.
    pub figures: Vec<Figures>,
    /// Whether no other is at least as good in all of throughput, hot switch and latency.
    pub is_on_front: bool,
}

/// A fabric with its panel.
struct Ground<'f> {
    fabric: &'f Fabric,
    counter: RouteCounter<'f>,
    panel: Panel,
    memory: Memory,
}

impl<'f> Ground<'f> {
    fn new(fabric: &'f Fabric, options: &Options) -> Result<Self, ChooseError> {
        let Fabric { file, topology } = fabric;
        let panel = Panel::new(topology.dragonfly(), file.latencies, options.seed, options.panel);
        let state = options.state.as_ref().map(|directory| directory.join(&file.name));
        let memory = memory::open(state, fabric, &panel)?;
        Ok(Self { fabric, counter: RouteCounter::new(topology), panel, memory })
    }
}

/// Searches on all fabrics at once.
///
/// # Errors
/// The first thing that went wrong, or the interruption; with a state directory, the runs made until then
/// are kept.
pub fn search(
    fabrics: &[Fabric],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Found, ChooseError> {
    make_state(options.state.as_deref())?;
    let grounds = fabrics.iter().map(|fabric| Ground::new(fabric, options));
    let grounds = grounds.collect::<Result<Vec<_>, ChooseError>>()?;
    progress.stage("mixtures", Some(options.runs));
    let found = Search { grounds: &grounds, options, progress }.run();
    for ground in &grounds {
        ground.memory.save()?;
    }
    found
}

/// All that the waves share.
struct Search<'s> {
    grounds: &'s [Ground<'s>],
    options: &'s Options,
    progress: &'s dyn Progress,
}

/// What a wave ends in.
struct Wave {
    /// Conventional UGAL's figures and the paper's choice's, by fabric.
    references: [Vec<Figures>; 2],
    /// Those that hold all guards.
    finished: Vec<(Candidate, Vec<Figures>)>,
    /// Runs of the new mixtures.
    runs: usize,
}

impl Search<'_> {
    fn run(&self) -> Result<Found, ChooseError> {
        let seed = self.options.seed;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ MIXTURE_STREAM);
        // A set's fractions and draws are the fabric file's affair; its seed is no part of a mixture.
        let sources = Sources { front: &[], user: &self.options.tried, thresholds: None, seed };
        let begin = sources.candidates(self.options.scheme);
        let paper = begin[0].clone();
        let mut tried = begin.clone();
        let mut new = begin[1..].to_vec();
        let mut best: Vec<Mixture> = Vec::new();
        let mut runs = 0;
        let mut hopes = vec![LEAST_HOPE; self.grounds.len()];
        loop {
            while new.len() < WAVE {
                let candidate = self.propose(&best, &mut rng);
                if !tried.iter().any(|other| other.is_like(&candidate)) {
                    tried.push(candidate.clone());
                    new.push(candidate);
                }
            }
            let wave = self.wave(&paper, &new, &hopes)?;
            runs += wave.runs;
            let rated = |candidate, figures: Vec<Figures>| Mixture {
                candidate,
                objective: objective(&figures, &wave.references[CONVENTIONAL]),
                figures,
                is_on_front: false,
            };
            best.extend(wave.finished.into_iter().map(|(c, figures)| rated(Some(c), figures)));
            best.sort_by(|one, other| other.objective.total_cmp(&one.objective));
            if let Some(first) = best.first() {
                let pairs = first.figures.iter().zip(&wave.references[CONVENTIONAL]);
                let leads = pairs.map(|(own, conventional)| own.lead_over(conventional));
                hopes = leads.map(|lead| (lead / 2.0).max(LEAST_HOPE)).collect();
            }
            if runs >= self.options.runs {
                let [conventional, papers] = wave.references.clone();
                let references = [rated(None, conventional), rated(Some(paper.clone()), papers)];
                let mut mixtures: Vec<Mixture> = references.into_iter().chain(best).collect();
                mark_front(&mut mixtures);
                let preferred = [Prefer::Throughput, Prefer::Latency, Prefer::Robust]
                    .map(|prefer| (prefer, preferred(prefer, &mixtures)));
                return Ok(Found { mixtures, runs, tried: tried.len(), preferred });
            }
            new.clear();
        }
    }

    /// One more mixture: three of four are variations of a good one.
    fn propose(&self, best: &[Mixture], rng: &mut impl Rng) -> Candidate {
        let seed = self.options.seed;
        let is_par = self.options.scheme == Scheme::Par;
        let parents: Vec<Candidate> =
            best.iter().filter_map(|mixture| mixture.candidate.clone()).take(PARENTS).collect();
        let one_of = |rng: &mut _| &parents[RngExt::random_range(rng, 0..parents.len())].policies;
        let (source, second) = if parents.is_empty() || rng.random_range(0..4) == 0 {
            (drawn(seed, rng), drawn(seed, rng))
        } else {
            let parent = one_of(rng);
            match rng.random_range(0..if is_par { 4 } else { 1 }) {
                0 => (varied(&parent.source, rng), parent.second.clone()),
                1 => (parent.source.clone(), varied(&parent.second, rng)),
                2 => (varied(&parent.source, rng), varied(&parent.second, rng)),
                _ => (parent.source.clone(), one_of(rng).second.clone()),
            }
        };
        let policies =
            if is_par { PolicyPair { source, second } } else { PolicyPair::same(source) };
        Candidate { policies, origin: Origin::Family }
    }

    /// Tries new mixtures beside conventional UGAL and the paper's choice.
    /// In its first trials a mixture that is not ahead of conventional UGAL by a fabric's hope is out.
    fn wave(
        &self,
        paper: &Candidate,
        new: &[Candidate],
        hopes: &[f64],
    ) -> Result<Wave, ChooseError> {
        let all: Vec<Candidate> = [std::slice::from_ref(paper), new].concat();
        let mut images: Vec<Vec<Images>> = Vec::new();
        for Ground { fabric, counter, .. } in self.grounds {
            let of = |candidate: &Candidate| images_of(counter, fabric, candidate, self.progress);
            images.push(all.par_iter().map(of).collect::<Result<_, _>>()?);
        }
        let mut arenas: Vec<Arena<'_>> = Vec::new();
        for (ground, images) in self.grounds.iter().zip(&images) {
            let Ground { panel, memory, .. } = ground;
            let entrants = entrants(&all, images);
            let judge =
                Simulated::boot(self.options.scheme, panel, entrants, memory, self.progress)?;
            let yardstick = Yardstick::measure(&judge, panel)?;
            arenas.push(Arena { panel, judge, yardstick });
        }

        // Contender 0 is conventional UGAL, 1 the paper's choice.
        let trials = self.grounds.iter().map(|ground| ground.panel.score.len()).sum();
        let rungs = rungs(new.len(), trials, self.grounds.len(), LAST);
        let halved = halve(new.len(), &rungs, |left, results, until| {
            all_of(left, |&number| lead(&arenas, number + 2, &results[number], until, hopes))
        })?;
        let figures = |contender: usize| {
            arenas.iter().map(|arena| arena.figures(contender)).collect::<Result<Vec<_>, _>>()
        };
        let finished = all_of(&halved, |&number| {
            for arena in &arenas {
                if arena.breaches(number + 2, 0..arena.panel.guards.len())? {
                    return Ok(None);
                }
            }
            Ok(Some((new[number].clone(), figures(number + 2)?)))
        })?;
        let references = [figures(CONVENTIONAL)?, figures(PAPER)?];
        let runs = arenas.into_iter().map(|arena| {
            arena.judge.asked().keys().filter(|(_, contender, _)| *contender > PAPER).count()
        });
        Ok(Wave {
            references,
            finished: finished.into_iter().flatten().collect(),
            runs: runs.sum(),
        })
    }
}

/// J.
fn objective(figures: &[Figures], conventional: &[Figures]) -> f64 {
    mean(figures.iter().zip(conventional).map(|(own, conventional)| {
        let slower = own.low_load_latency / conventional.low_load_latency - 1.0;
        own.lead_over(conventional) - LATENCY_WEIGHT * slower
    }))
}

/// Marks whom nobody else beats: in mean saturation, hot switch and latency under uniform traffic, all
/// beside conventional UGAL, the first of the mixtures.
fn mark_front(mixtures: &mut [Mixture]) {
    let Some(Mixture { figures: conventional, .. }) = mixtures.first() else { return };
    let merits: Vec<[f64; 3]> = mixtures
        .iter()
        .map(|mixture| {
            let pairs = || mixture.figures.iter().zip(conventional);
            [
                mean(pairs().map(|(own, c)| own.lead_over(c))),
                mean(pairs().map(|(own, _)| own.hot_switch)),
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

/// The position of the mixture that a preference comes to.
fn preferred(prefer: Prefer, mixtures: &[Mixture]) -> usize {
    let finalist = |(contender, mixture): (usize, &Mixture)| Finalist {
        contender,
        saturations: mixture.figures.iter().flat_map(|f| f.saturations.clone()).collect(),
        guards: mixture.figures.iter().map(|f| f.hot_switch).collect(),
        latency: mean(mixture.figures.iter().map(|f| f.low_load_latency)),
    };
    let all: Vec<Finalist> = mixtures.iter().enumerate().map(finalist).collect();
    let references = [all[CONVENTIONAL].clone(), all[PAPER].clone()];
    let order = choose(prefer, all[PAPER..].to_vec(), &references);
    order.first().map_or(PAPER, |first| first.contender)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixture(saturation: f64, hot_switch: f64, uniform_latency: f64) -> Mixture {
        let figures = Figures {
            saturations: vec![saturation; 3],
            hot_switch,
            uniform_latency,
            low_load_latency: uniform_latency,
        };
        Mixture { candidate: None, objective: 0.0, figures: vec![figures], is_on_front: false }
    }

    #[test]
    fn the_front_is_what_nothing_beats() {
        let mut mixtures = [
            mixture(0.2, 1.0, 50.0),
            mixture(0.3, 0.9, 50.0),
            mixture(0.3, 0.9, 51.0),
            mixture(0.2, 1.0, 49.0),
            mixture(0.3, 0.9, 50.0),
        ];
        mark_front(&mut mixtures);
        assert_eq!(mixtures.map(|m| m.is_on_front), [false, true, false, true, true]);
    }

    #[test]
    fn each_preference_comes_to_its_own() {
        let mixtures = [
            mixture(0.2, 1.0, 50.0),
            mixture(0.25, 0.95, 49.0),
            mixture(0.3, 0.96, 50.0),
            mixture(0.26, 0.97, 45.0),
            mixture(0.28, 1.0, 52.0),
        ];
        let of = |prefer| preferred(prefer, &mixtures);
        assert_eq!(of(Prefer::Throughput), 2);
        assert_eq!(of(Prefer::Latency), 3);
        assert_eq!(of(Prefer::Robust), 4);
    }

    #[test]
    fn latency_counts_a_twentieth() {
        let figures = |m: Mixture| m.figures;
        let j = objective(&figures(mixture(0.3, 1.0, 60.0)), &figures(mixture(0.2, 1.0, 50.0)));
        assert!((j - (0.1 - 0.05 * 0.2)).abs() < 1e-12);
    }
}
