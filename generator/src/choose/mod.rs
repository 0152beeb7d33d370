//! Step 2 of the method: simulate the candidates and choose, for each decision of a switch.
//!
//! [`choose`] takes Step 1's front on a sample of patterns ([`screen`]), adds the paper's choice and
//! a family of mixtures ([`mod@candidates`]), makes each candidate's images in memory, boots them and
//! runs a panel of traffic on them ([`panel`], [`trial`]). A contest for each scheme ([`mod@contest`]) excludes what
//! fails a guard, drops what cannot win ([`race`]), and chooses by the user's preference
//! ([`objective`]). [`record`] keeps how it went. The same fabric and seed give the same choice at any number
//! of threads and after any interruption. `docs/step-2.md` explains it to users.

pub mod candidates;
pub mod contest;
pub mod evidence;
pub mod mixtures;
pub mod objective;
pub mod panel;
pub mod policy;
pub mod race;
pub mod record;
pub mod screen;
pub mod search;
pub mod table;
pub mod trial;
pub mod yardstick;

mod memory;

pub use memory::MemoryError;
pub use objective::Prefer;
pub use panel::PanelSize;
pub use record::ChoiceEntry;

use crate::balance::{Balancer, is_countable};
use crate::fabric::Fabric;
use crate::image::{BalancedSet, ImageStageError, Images, Routing, build};
use crate::routes::count::RouteCounter;
use crate::routes::expected::fabric_mean;
use crate::set_grammar::parse_set;
use crate::throughput::ModelError;
use crate::throughput::state::StateError;
use candidates::{Candidate, DEFAULT, FALLBACK, Origin, Sources, by_shape, pairs};
use contest::{Verdict, contest};
use evidence::{Curve, Evidence, curves};
use memory::Memory;
use panel::Panel;
use policy::Policy;
use record::{About, CONVENTIONAL_NAME, ContestEntry, ModelEntry, PanelEntry};
use screen::{Screened, screen};
use search::load_of;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use trial::{Entrant, Simulated};
use tvlb_firmware_model::{Scheme, VlbPaths};
use tvlb_schema::{PerDecision, SetRule, ShapeSet};
use tvlb_simulator::{BootError, RunError, TrafficError, scheme_name};
use yardstick::{CONVENTIONAL, PAPER};

/// How many of the best sets are paired for PAR's two decisions, and how many are balanced.
const BEST: usize = 3;

/// Why there is no choice.
#[derive(Debug, thiserror::Error)]
pub enum ChooseError {
    /// Step 1 failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A candidate's images could not be made.
    #[error(transparent)]
    Image(#[from] ImageStageError),
    /// The images do not make a network that the simulator can hold.
    #[error("cannot simulate the candidates: {0}; --fast chooses without a simulation")]
    Boot(#[from] BootError),
    /// The panel does not fit the fabric.
    #[error(transparent)]
    Traffic(#[from] TrafficError),
    /// A run failed.
    #[error("{run}: {error}")]
    Run {
        /// Scheme, set, traffic and load in hundredths.
        run: String,
        /// Why.
        error: RunError,
    },
    /// No modelled set lies on the front.
    #[error("no set has a path for every flow of the modelled patterns; choose a set with --set")]
    NoCandidate,
    /// What an interrupted search left cannot be used or written.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The same, of Step 1.
    #[error(transparent)]
    State(#[from] StateError),
    /// The directory for it cannot be made.
    #[error("{path}: cannot create the directory: {source}")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The answer.
        source: io::Error,
    },
    /// The user asked to stop.
    #[error("interrupted; nothing was written")]
    Interrupted,
}

/// Whoever waits for a choice; called from any thread.
pub trait Watch: Sync {
    /// A stage begins; `steps` is how many it has, if that is known.
    fn stage(&self, _name: &'static str, _steps: Option<usize>) {}

    /// One of them is done.
    fn step(&self) {}

    /// Whether to end at once, as an error.
    fn stop(&self) -> bool {
        false
    }
}

/// Nobody.
impl Watch for () {}

/// How to choose.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// By what.
    pub prefer: Prefer,
    /// How much traffic to try.
    pub panel: PanelSize,
    /// By Step 1 alone, without any simulation.
    pub fast: bool,
    /// What to try besides: a policy at the source and one at PAR's second look.
    pub candidates: Vec<(Policy, Policy)>,
    /// Where to keep what is done, for another time.
    pub state: Option<PathBuf>,
}

/// The sets that were chosen, and how.
#[derive(Clone, Debug)]
pub struct Choice {
    /// By decision.
    pub sets: PerDecision<BalancedSet>,
    /// T by decision.
    pub thresholds: PerDecision<i16>,
    /// For the manifest.
    pub entry: ChoiceEntry,
    /// For the report.
    pub evidence: Evidence,
}

/// Chooses the T-VLB set of each decision.
///
/// # Errors
/// The first thing that went wrong, or the interruption; with a state directory, what was done
/// until then is kept.
///
/// # Example
/// ```
/// use tvlb_generator::choose::{Options, choose};
/// use tvlb_generator::set_grammar::canonical;
///
/// # use tvlb_generator::fabric::Fabric;
/// # use tvlb_generator::fabric_file::FabricFile;
/// # use tvlb_generator::topology::arrangement::{Arrangement, arrange};
/// # let text = "name = \"lab\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\n[routing]\nset = \"auto\"";
/// # let file = FabricFile::parse(text, "lab.toml")?;
/// # let topology = arrange(file.dragonfly, Arrangement::default(), file.seed)?;
/// # let fabric = Fabric { file, topology };
/// // By the model alone; without `fast`, minutes of simulation decide.
/// let options = Options { fast: true, ..Options::default() };
/// let choice = choose(&fabric, &options, &())?;
/// assert!(!canonical(&choice.sets.ugal_l.rule).is_empty());
/// assert!(choice.entry.contests.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn choose(
    fabric: &Fabric,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Choice, ChooseError> {
    make_state(options.state.as_deref())?;
    let state = |file: &str| options.state.as_ref().map(|directory| directory.join(file));
    let counter = RouteCounter::new(&fabric.topology);
    let seed = fabric.file.seed;
    let (user, thresholds) = (&options.candidates, fabric.file.thresholds);
    let unscreened = Sources { front: &[], user, thresholds, seed };
    let tried: Vec<SetRule> = [Scheme::UgalL, Scheme::Par]
        .iter()
        .flat_map(|&scheme| unscreened.candidates(scheme))
        .map(|candidate| candidate.source.rule)
        .collect();
    let screened = screen(fabric, &counter, &tried, state("model").as_deref(), watch)?;
    let front = screened.as_ref().map_or(Vec::new(), Screened::front);
    let model = screened.as_ref().map(ModelEntry::of);
    if options.fast {
        let rule = if model.is_some() {
            by_shape(front.first().ok_or(ChooseError::NoCandidate)?)
        } else {
            parse_set(DEFAULT, seed).expect("the default is in the grammar")
        };
        let rule = SetRule { seed, ..rule };
        let sets = PerDecision::same(BalancedSet::unthinned(rule));
        let entry = ChoiceEntry {
            by: if model.is_some() { "model" } else { "default" }.to_owned(),
            prefer: None,
            model,
            panel: None,
            contests: Vec::new(),
        };
        let evidence = Evidence { model: screened.map(|s| s.report), curves: Vec::new() };
        return Ok(Choice { sets, thresholds: thresholds.unwrap_or_default(), entry, evidence });
    }

    let df = fabric.topology.dragonfly();
    let panel = Panel::new(df, fabric.file.latencies, seed, options.panel);
    let memory = Memory::open(state("simulate"), &subject(fabric, &panel))?;
    let trials = Trials {
        fabric,
        counter: &counter,
        screened: screened.as_ref(),
        panel: &panel,
        memory: &memory,
        prefer: options.prefer,
        watch,
        conventional_hops: conventional_hops(&counter),
        balancer: is_countable(&fabric.topology).then(|| Balancer::new(&counter)),
    };
    let outcome = trials.both(&Sources { front: &front, ..unscreened });
    // Also where it was interrupted: that is what the file is for.
    memory.save()?;
    let (sets, thresholds, contests, curves) = outcome?;
    let entry = ChoiceEntry {
        by: "simulation".to_owned(),
        prefer: Some(options.prefer.name().to_owned()),
        model,
        panel: Some(PanelEntry::of(&panel)),
        contests,
    };
    let evidence = Evidence { model: screened.map(|s| s.report), curves };
    Ok(Choice { sets, thresholds, entry, evidence })
}

/// How many runs a state directory holds for this fabric; 0 if it cannot be read.
pub fn runs_kept(fabric: &Fabric, options: &Options) -> usize {
    let df = fabric.topology.dragonfly();
    let panel = Panel::new(df, fabric.file.latencies, fabric.file.seed, options.panel);
    let path = options.state.as_ref().map(|directory| directory.join("simulate"));
    Memory::open(path, &subject(fabric, &panel)).map_or(0, |memory| memory.len())
}

/// The images that a switch would boot from, were a candidate chosen. `set` makes of each rule what
/// switches have.
fn images_of(
    counter: &RouteCounter<'_>,
    fabric: &Fabric,
    candidate: &Candidate,
    set: impl Fn(SetRule) -> BalancedSet,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Images, ChooseError> {
    let Candidate { source, second, .. } = candidate;
    let at_source = set(source.rule);
    let routing = Routing {
        sets: PerDecision {
            ugal_l: at_source.clone(),
            par_source: at_source,
            par_second: set(second.rule),
        },
        thresholds: PerDecision {
            ugal_l: source.threshold,
            par_source: source.threshold,
            par_second: second.threshold,
        },
        virtual_channels: fabric.file.virtual_channels,
    };
    build(counter, &routing, &|| (), stop).map_err(|error| match error {
        ImageStageError::Interrupted => ChooseError::Interrupted,
        error @ ImageStageError::Unreachable { .. } => error.into(),
    })
}

/// Makes the directory that keeps what is done, if there is to be one.
fn make_state(directory: Option<&Path>) -> Result<(), ChooseError> {
    let Some(path) = directory else { return Ok(()) };
    let error = |source| ChooseError::Directory { path: path.to_owned(), source };
    std::fs::create_dir_all(path).map_err(error)
}

/// Conventional UGAL, then the candidates.
fn entrants<'i>(candidates: &[Candidate], images: &'i [Images]) -> Vec<Entrant<'i>> {
    let conventional = Entrant {
        name: CONVENTIONAL_NAME.to_owned(),
        images: &images[0],
        paths: VlbPaths::Conventional,
    };
    let custom = candidates.iter().zip(images).map(|(candidate, images)| Entrant {
        name: format!("{}; set seed {}", candidate.name(), candidate.source.rule.seed),
        images,
        paths: VlbPaths::Custom,
    });
    std::iter::once(conventional).chain(custom).collect()
}

/// All that a run depends on besides its scheme, sets, traffic, load and seed.
fn subject(fabric: &Fabric, panel: &Panel) -> String {
    let df = fabric.topology.dragonfly();
    let cables = fabric.topology.cables();
    let channels = fabric.file.virtual_channels;
    let (window, warm_up, limit) = (panel.window, panel.warm_up, panel.latency_limit);
    format!(
        "{} {df:?} {cables:?} {:?} {channels:?} {window} {warm_up} {limit}",
        env!("CARGO_PKG_VERSION"),
        fabric.file.latencies
    )
}

/// Hops of a path that conventional VLB draws, over all pairs of switches of different groups.
fn conventional_hops(counter: &RouteCounter<'_>) -> Option<f64> {
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

/// Who takes part in a contest.
struct Field {
    candidates: Vec<Candidate>,
    /// Of each.
    images: Vec<Images>,
}

impl Field {
    /// The few best of a contest, the very best first.
    fn best(&self, verdict: &Verdict) -> impl Iterator<Item = Candidate> {
        verdict.finalists.iter().take(BEST).map(|f| self.candidates[f.contender - 1])
    }
}

/// What Step 2 ends in: sets and thresholds, what the manifest keeps of the contests, their curves.
type Found = (PerDecision<BalancedSet>, PerDecision<i16>, Vec<ContestEntry>, Vec<Curve>);

/// All that the contests of a fabric share.
struct Trials<'t> {
    fabric: &'t Fabric,
    counter: &'t RouteCounter<'t>,
    screened: Option<&'t Screened>,
    panel: &'t Panel,
    memory: &'t Memory,
    prefer: Prefer,
    watch: &'t dyn Watch,
    conventional_hops: Option<f64>,
    /// None where the fabric is too large for a balance.
    balancer: Option<Balancer<'t>>,
}

impl Trials<'_> {
    /// Both schemes. PAR is first tried with the candidates as they are, then the best sets in
    /// pairs; and with either scheme the best are tried once more with their load balanced.
    fn both(&self, sources: &Sources<'_>) -> Result<Found, ChooseError> {
        let mut field = self.field("ugal-l", &sources.candidates(Scheme::UgalL))?;
        let (verdict, of_ugal_l, mut drawn) = self.with_balanced(Scheme::UgalL, &mut field)?;
        let for_ugal_l = field.candidates[verdict.chosen - 1];

        let mut field = self.field("par", &sources.candidates(Scheme::Par))?;
        let (verdict, _) = self.contest(Scheme::Par, &field)?;
        let best: Vec<Candidate> = field.best(&verdict).collect();
        self.join(&mut field, &pairs(&best))?;
        let (verdict, of_par, of_second) = self.with_balanced(Scheme::Par, &mut field)?;
        drawn.extend(of_second);
        let for_par = field.candidates[verdict.chosen - 1];
        let sets = PerDecision {
            ugal_l: self.set(for_ugal_l.source.rule, for_ugal_l),
            par_source: self.set(for_par.source.rule, for_par),
            par_second: self.set(for_par.second.rule, for_par),
        };
        let thresholds = PerDecision {
            ugal_l: for_ugal_l.source.threshold,
            par_source: for_par.source.threshold,
            par_second: for_par.second.threshold,
        };
        Ok((sets, thresholds, vec![of_ugal_l, of_par], drawn))
    }

    /// The candidates of a scheme with their images.
    fn field(&self, scheme: &'static str, candidates: &[Candidate]) -> Result<Field, ChooseError> {
        self.watch.stage("candidates", Some(candidates.len()));
        let field = Field { candidates: candidates.to_vec(), images: self.images(candidates)? };
        self.watch.stage(scheme, None);
        Ok(field)
    }

    /// A contest, and once more with the best balanced, which join the field.
    fn with_balanced(
        &self,
        scheme: Scheme,
        field: &mut Field,
    ) -> Result<(Verdict, ContestEntry, Vec<Curve>), ChooseError> {
        let (mut verdict, mut drawn) = self.contest(scheme, field)?;
        if self.balancer.is_some() {
            let best: Vec<Candidate> = field.best(&verdict).map(Candidate::balanced).collect();
            let thinned = |candidate: &Candidate| {
                let rules = [candidate.source.rule, candidate.second.rule];
                rules.iter().any(|&rule| !self.set(rule, *candidate).levels.is_empty())
            };
            let best: Vec<Candidate> = best.into_iter().filter(thinned).collect();
            self.join(field, &best)?;
            (verdict, drawn) = self.contest(scheme, field)?;
        }
        let entry = self.entry(scheme, &field.candidates, &verdict);
        Ok((verdict, entry, drawn))
    }

    /// Some more candidates join.
    fn join(&self, field: &mut Field, more: &[Candidate]) -> Result<(), ChooseError> {
        field.images.extend(self.images(more)?);
        field.candidates.extend_from_slice(more);
        Ok(())
    }

    /// One of a candidate's sets as switches would have it.
    fn set(&self, rule: SetRule, candidate: Candidate) -> BalancedSet {
        match &self.balancer {
            Some(balancer) if candidate.is_balanced => {
                balancer.balanced(&rule, &|| self.watch.stop())
            }
            _ => BalancedSet::unthinned(rule),
        }
    }

    /// The images of candidates.
    fn images(&self, candidates: &[Candidate]) -> Result<Vec<Images>, ChooseError> {
        let images = candidates.iter().map(|candidate| {
            let set = |rule| self.set(rule, *candidate);
            let stop = || self.watch.stop();
            let images = images_of(self.counter, self.fabric, candidate, set, &stop);
            self.watch.step();
            images
        });
        images.collect()
    }

    fn contest(&self, scheme: Scheme, field: &Field) -> Result<(Verdict, Vec<Curve>), ChooseError> {
        let Field { candidates, images } = field;
        let entrants = entrants(candidates, images);
        let count = entrants.len();
        let stop = || self.watch.stop();
        let done = || self.watch.step();
        let judge = Simulated::boot(scheme, self.panel, entrants, self.memory, &stop, &done)?;
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
        let curves = curves(scheme_name(scheme), &judge.asked(), &shown, load_of);
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
                    modelled: self.screened.and_then(|s| s.modelled(&candidate.source.rule)),
                    mean_hops: looked_up
                        .then(|| fabric_mean(self.counter, &candidate.source.rule).hops)
                        .flatten(),
                },
            );
        }
        ContestEntry::of(scheme_name(scheme), self.panel, all, verdict, &about)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric_file::FabricFile;
    use crate::topology::arrangement::{Arrangement, arrange};

    #[test]
    fn a_fabric_too_large_for_the_model_gets_the_default() {
        let text = "name = \"large\"\n[dragonfly]\np = 1\na = 32\nh = 8\ng = 188\n";
        let file = FabricFile::parse(text, "large.toml").unwrap();
        let topology = arrange(file.dragonfly, Arrangement::Absolute, 1).unwrap();
        let options = Options { fast: true, ..Options::default() };
        let choice = choose(&Fabric { file, topology }, &options, &()).unwrap();
        assert_eq!(choice.entry.by, "default");
        assert!(choice.entry.model.is_none());
        let default = parse_set(DEFAULT, 1).unwrap();
        assert_eq!(choice.sets, PerDecision::same(BalancedSet::unthinned(default)));
    }
}
