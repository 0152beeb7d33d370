//! How long a choice will take: an estimate before it begins ([`Forecast`]), and how many runs are
//! left while it goes on ([`Outlook`]), which serves the user's bar and decides nothing.

use super::candidates::Sources;
use super::contender::Contender;
use super::panel::{Panel, PanelSize};
use super::step_one;
use crate::fabric::Fabric;
use crate::policy::PolicyPair;
use std::sync::atomic::{AtomicUsize, Ordering};
use tvlb_base::progress::Progress;
use tvlb_simulator::Scheme;

/// Runs that a candidate takes on average until it is excluded, dropped or has finished, for each traffic
/// of the panel asked with one seed: of 72 switches 1.5 under UGAL-L and 0.9 under PAR, of 36 switches 0.9
/// under both. Each further seed of a guard takes about one run more: by this a choice on dfly(4, 8, 4, 9)
/// makes 2,421 runs, where it makes 2,585.
const PER_TRAFFIC: f64 = 1.5;
/// Runs that a search for a saturation takes.
const PER_SEARCH: usize = 4;
/// About how many of a contest's candidates are sets of Step 1's front and their mirror images, each weighed
/// in two or three ways.
const FROM_FRONT: usize = 8;
/// What is left for PAR once its candidates are through: pairs of the best sets.
const PAIRS: usize = 6;

/// What a choice will do, before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// Whether Step 1 models sets.
    pub models: bool,
    /// About how many runs Step 2 makes.
    pub runs: usize,
    /// Cycles of a run that is measured; one of which only the verdict counts may end sooner.
    pub cycles: u32,
}

impl Forecast {
    /// What a choice by simulation for this fabric will do, with these policies to be tried besides.
    pub fn new(fabric: &Fabric, user: &[PolicyPair], size: PanelSize) -> Self {
        let df = fabric.topology.dragonfly();
        let models = df.switch_count() <= step_one::MOST_SWITCHES;
        let panel = Panel::new(fabric.nodes(), fabric.file.links(), fabric.file.seed, size);
        let (seed, weighing) = (fabric.file.seed, fabric.file.weighing);
        let sources = Sources { front: &[], user, weighing, seed };
        let front = if models { FROM_FRONT } else { 0 };
        let runs = [Scheme::UgalL, Scheme::Par]
            .map(|scheme| of_scheme(&panel, scheme, sources.candidates(scheme).len() + front));
        let runs = of_oblivious(&panel) + runs[0] + runs[1];
        Self { models, runs, cycles: panel.window * (panel.warm_up + 1) }
    }
}

/// Runs of MIN and conventional VLB.
pub(super) fn of_oblivious(panel: &Panel) -> usize {
    2 * PER_SEARCH * (panel.score.len() + panel.guards.len())
}

/// About how many runs a scheme's contests of so many candidates take.
pub(super) fn of_scheme(panel: &Panel, scheme: Scheme, candidates: usize) -> usize {
    let pairs = if scheme == Scheme::Par { PAIRS } else { 0 };
    of_candidates(panel, candidates + pairs) + of_references(panel)
}

/// Runs of some candidates.
pub(super) fn of_candidates(panel: &Panel, candidates: usize) -> usize {
    let traffics = panel.score.len() + panel.guards.len();
    let with_one_seed = PER_TRAFFIC * f64::from(u32::try_from(traffics).unwrap_or(u32::MAX));
    let further_seeds: u32 = panel.guards.iter().map(|guard| guard.seeds - 1).sum();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "some runs for each candidate, and at least 0"
    )]
    let runs = (with_one_seed.ceil() as usize + further_seeds as usize) * candidates;
    runs
}

/// Runs of conventional UGAL and of the paper's choice, and what is asked of the best at the end.
pub(super) fn of_references(panel: &Panel) -> usize {
    Contender::REFERENCES.len() * PER_SEARCH * (panel.score.len() + panel.guards.len())
}

/// The runs that are left, by scheme.
pub(super) struct Outlook<'p> {
    progress: &'p dyn Progress,
    /// How many runs each scheme has made, and how many it is expected to make in all.
    of: [(AtomicUsize, AtomicUsize); 2],
}

impl<'p> Outlook<'p> {
    /// Says how many runs UGAL-L and PAR are expected to take.
    pub(super) fn new(progress: &'p dyn Progress, [ugal_l, par]: [usize; 2]) -> Self {
        let expected = |runs| (AtomicUsize::new(0), AtomicUsize::new(runs));
        let outlook = Self { progress, of: [expected(ugal_l), expected(par)] };
        outlook.tell();
        outlook
    }

    /// The progress of one scheme's runs.
    pub(super) const fn of(&self, scheme: Scheme) -> OfScheme<'_, 'p> {
        OfScheme { outlook: self, scheme }
    }

    const fn of_scheme(&self, scheme: Scheme) -> &(AtomicUsize, AtomicUsize) {
        &self.of[matches!(scheme, Scheme::Par) as usize]
    }

    fn tell(&self) {
        let left = |(made, expected): &(AtomicUsize, AtomicUsize)| {
            expected.load(Ordering::Relaxed).saturating_sub(made.load(Ordering::Relaxed))
        };
        self.progress.about_left(self.of.iter().map(left).sum());
    }
}

/// The progress of one scheme's runs.
#[derive(Clone, Copy)]
pub(super) struct OfScheme<'o, 'p> {
    outlook: &'o Outlook<'p>,
    scheme: Scheme,
}

impl OfScheme<'_, '_> {
    pub(super) const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Says that the scheme takes about so many more runs.
    pub(super) fn left(&self, runs: usize) {
        let (made, expected) = self.outlook.of_scheme(self.scheme);
        expected.store(made.load(Ordering::Relaxed) + runs, Ordering::Relaxed);
        self.outlook.tell();
    }
}

impl Progress for OfScheme<'_, '_> {
    fn step(&self) {
        self.outlook.of_scheme(self.scheme).0.fetch_add(1, Ordering::Relaxed);
        self.outlook.progress.step();
    }

    fn is_cancelled(&self) -> bool {
        self.outlook.progress.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::arrangement::Arrangement;
    use std::sync::Mutex;
    use tvlb_schema::Dragonfly;

    /// Keeps what it was told to be left.
    #[derive(Default)]
    struct Told(Mutex<Vec<usize>>);

    impl Progress for Told {
        fn about_left(&self, steps: usize) {
            self.0.lock().unwrap().push(steps);
        }
    }

    #[test]
    fn what_is_left_is_what_both_schemes_have_left() {
        let told = Told::default();
        let outlook = Outlook::new(&told, [100, 200]);
        let (ugal_l, par) = (outlook.of(Scheme::UgalL), outlook.of(Scheme::Par));
        (0..10).for_each(|_| ugal_l.step());
        par.left(50);
        (0..60).for_each(|_| par.step());
        ugal_l.left(5);
        // 300; of 100 runs 10 are made and 50 are left of PAR; PAR took more than it said.
        assert_eq!(*told.0.lock().unwrap(), [300, 90 + 50, 5]);
    }

    #[test]
    fn the_forecast_is_near_what_was_counted() {
        let middle = Dragonfly::new(4, 8, 4, 9).unwrap();
        let fabric = Fabric::new("x", middle, Arrangement::Absolute, 1).unwrap();
        let forecast = |size| Forecast::new(&fabric, &[], size);
        let standard = forecast(PanelSize::Standard);
        assert!((1300..2600).contains(&standard.runs), "{standard:?}");
        assert_eq!((standard.cycles, standard.models), (3 * 1044, true));
        let quick = forecast(PanelSize::Quick).runs;
        assert!(quick < standard.runs / 2, "{quick}");
    }
}
