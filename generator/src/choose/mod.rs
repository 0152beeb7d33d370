//! Step 2 of the method: simulate the candidates and choose, for each decision of a switch.
//!
//! [`choose`] takes Step 1's front on a sample of patterns ([`screen`]), adds the paper's choice and
//! a family of mixtures ([`mod@candidates`]), makes each candidate's images in memory, boots them and
//! runs a panel of traffic on them ([`panel`], [`trial`]). A contest for each scheme ([`mod@contest`]) excludes what
//! fails a guard, drops what cannot win ([`race`]), and chooses by the user's preference
//! ([`objective`]). [`record`] keeps how it went. The same fabric and seed give the same choice at any number
//! of threads and after any interruption. `docs/explanation/step-2.md` explains it to users.

pub mod candidates;
pub mod contest;
pub mod evidence;
pub mod mixtures;
pub mod objective;
pub mod panel;
pub mod race;
pub mod record;
pub mod screen;
pub mod search;
pub mod table;
pub mod trial;
pub mod yardstick;

mod memory;
mod step_two;

pub use crate::table_set::ChoiceEntry;
pub use objective::Prefer;
pub use panel::PanelSize;

use crate::balance::{Balancer, is_countable};
use crate::fabric::Fabric;
use crate::image::ImageStageError;
use crate::policy::{Policy, PolicyPair, policies};
use crate::routes::count::RouteCounter;
use crate::set_grammar::parse_set;
use crate::throughput::ModelError;
use candidates::{DEFAULT, Sources, by_shape};
use evidence::Evidence;
use panel::Panel;
use record::{model_entry, panel_entry};
use screen::{Screened, screen};
use std::io;
use std::path::{Path, PathBuf};
use step_two::{Found, Trials, conventional_hops};
use tvlb_firmware_model::Scheme;
use tvlb_progress::{Cancelled, Progress};
use tvlb_run_store::StoreError;
use tvlb_schema::{PerDecision, SetRule};
use tvlb_simulator::{BootError, RunError, TrafficError};

/// Why there is no choice.
#[derive(Debug, thiserror::Error)]
pub enum ChooseError {
    /// Step 1 failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A candidate's images could not be made.
    #[error(transparent)]
    Image(ImageStageError),
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
    Store(#[from] StoreError),
    /// The directory for it cannot be made.
    #[error("{path}: cannot create the directory: {source}")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The answer.
        source: io::Error,
    },
    /// The caller cancelled the work.
    #[error("interrupted; nothing was written")]
    Cancelled(#[from] Cancelled),
}

/// A cancelled image stage is a cancelled choice.
impl From<ImageStageError> for ChooseError {
    fn from(error: ImageStageError) -> Self {
        match error {
            ImageStageError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            error => Self::Image(error),
        }
    }
}

/// How to choose.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// By what.
    pub prefer: Prefer,
    /// How much traffic to try.
    pub panel: PanelSize,
    /// By Step 1 alone, without any simulation.
    pub fast: bool,
    /// Further policies to try.
    pub candidates: Vec<PolicyPair>,
    /// Where to keep what is done, for another time.
    pub state: Option<PathBuf>,
}

/// The sets that were chosen, and how.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The policy of each decision.
    pub policies: PerDecision<Policy>,
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
/// assert!(!canonical(&choice.policies.ugal_l.rule).is_empty());
/// assert!(choice.entry.contests.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn choose(
    fabric: &Fabric,
    options: &Options,
    progress: &dyn Progress,
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
        .map(|candidate| candidate.policies.source.rule)
        .collect();
    let screened = screen(fabric, &counter, &tried, state("model").as_deref(), progress)?;
    let front = screened.as_ref().map_or(Vec::new(), Screened::front);
    let model = screened.as_ref().map(model_entry);
    if options.fast {
        let rule = if model.is_some() {
            by_shape(front.first().ok_or(ChooseError::NoCandidate)?)
        } else {
            parse_set(DEFAULT, seed).expect("the default is in the grammar")
        };
        let rule = SetRule { seed, ..rule };
        let thresholds = thresholds.unwrap_or_default();
        let policies = policies(&PerDecision::same(rule), &thresholds);
        let entry = ChoiceEntry {
            by: if model.is_some() { "model" } else { "default" }.to_owned(),
            prefer: None,
            model,
            panel: None,
            contests: Vec::new(),
        };
        let evidence = Evidence { model: screened.map(|s| s.report), curves: Vec::new() };
        return Ok(Choice { policies, entry, evidence });
    }

    let df = fabric.topology.dragonfly();
    let panel = Panel::new(df, fabric.file.latencies, seed, options.panel);
    let memory = memory::open(state("simulate"), fabric, &panel)?;
    let trials = Trials {
        fabric,
        counter: &counter,
        screened: screened.as_ref(),
        panel: &panel,
        memory: &memory,
        prefer: options.prefer,
        progress,
        conventional_hops: conventional_hops(&counter),
        balancer: is_countable(&fabric.topology).then(|| Balancer::new(&counter)),
    };
    let outcome = trials.both(&Sources { front: &front, ..unscreened });
    // Also where it was interrupted: that is what the file is for.
    memory.save()?;
    let Found { policies, contests, curves } = outcome?;
    let entry = ChoiceEntry {
        by: "simulation".to_owned(),
        prefer: Some(options.prefer.name().to_owned()),
        model,
        panel: Some(panel_entry(&panel)),
        contests,
    };
    let evidence = Evidence { model: screened.map(|s| s.report), curves };
    Ok(Choice { policies, entry, evidence })
}

/// How many runs a state directory holds for this fabric; 0 if it cannot be read.
pub fn runs_kept(fabric: &Fabric, options: &Options) -> usize {
    let df = fabric.topology.dragonfly();
    let panel = Panel::new(df, fabric.file.latencies, fabric.file.seed, options.panel);
    let path = options.state.as_ref().map(|directory| directory.join("simulate"));
    memory::open(path, fabric, &panel).map_or(0, |memory| memory.len())
}

/// Makes the directory that keeps what is done, if there is to be one.
fn make_state(directory: Option<&Path>) -> Result<(), ChooseError> {
    let Some(path) = directory else { return Ok(()) };
    let error = |source| ChooseError::Directory { path: path.to_owned(), source };
    std::fs::create_dir_all(path).map_err(error)
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
        assert_eq!(choice.policies, PerDecision::same(Policy::from(default)));
    }
}
