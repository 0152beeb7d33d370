//! Step 2 of the method: simulate the candidates and choose, for each decision of a switch.
//!
//! [`choose`] takes Step 1's front on a sample of patterns (`step_one`), adds the paper's choice and a family of
//! policies ([`mod@candidates`]), makes each candidate's images in memory, boots them and runs a panel of traffic on
//! them ([`panel`], `simulation`). A contest for each scheme (`contest`) compares all with MIN, conventional VLB and
//! conventional UGAL (`baseline`), excludes the candidates that fail a guard, drops those that can no longer win, and
//! chooses by the user's preference (`objective`). `record` writes the result to the manifest. The same fabric and seed
//! give the same choice at any number of threads and after any interruption. `docs/explanation/step-2.md` explains it
//! to users.
//!
//! A *candidate* is a pair of policies with its name; a *contender* is a candidate on trial, or conventional UGAL
//! (`contender`).

pub mod candidates;
pub mod families;
pub mod panel;
pub mod table;
pub mod trial;

pub(crate) mod baseline;
pub(crate) mod floor;
pub(crate) mod objective;
pub(crate) mod step_one;

mod again;
mod contender;
mod contest;
mod contests;
mod error;
mod figures;
mod memory;
mod record;
mod runner;
mod simulation;

pub use baseline::MostRegret;
pub use contender::Contender;
pub use error::ChooseError;
pub use figures::mean;
pub use memory::RunsMade;
pub use objective::{Finalist, Prefer, by_merit};
pub use panel::PanelSize;
pub use runner::all_of;
pub use simulation::make_state;
pub use tvlb_table_set::ChoiceEntry;

use crate::checked_fabric::CheckedFabric;
use crate::policy::{Policy, PolicyPair};
use candidates::{Sources, by_shape};
use contests::{Contests, StepTwoOutcome};
use families::Families;
use floor::Floor;
use panel::Panel;
use record::{model_entry, panel_entry};
use std::path::PathBuf;
use tvlb_base::progress::Progress;
use tvlb_schema::{PerDecision, SetRule};
use tvlb_table_set::all_rounded;
use tvlb_throughput::report::Report;

#[derive(Clone, Debug, Default)]
pub struct ChoiceOptions {
    pub prefer: Prefer,
    /// The most regret that a candidate may have on a guard.
    pub most_regret: MostRegret,
    /// How much traffic the candidates are tried with.
    pub panel: PanelSize,
    /// Whether to choose by Step 1 and few short runs.
    pub fast: bool,
    /// Further policies to try.
    pub candidates: Vec<PolicyPair>,
    /// Whether to choose only what a plain build of the datapath boots.
    pub plain: bool,
    /// The directory that keeps finished work, so that an interrupted choice continues, and several processes with the
    /// same options make each run once.
    pub state: Option<PathBuf>,
}

/// The name of a choice's runs in its state directory.
const RUNS: &str = "simulate";

/// The chosen policies, and how they were chosen.
#[derive(Clone, Debug)]
pub struct PolicyChoice {
    pub policies: PerDecision<Policy>,
    /// The manifest's entry.
    pub entry: ChoiceEntry,
    /// Step 1's report; `None` if the fabric is too large for the model.
    pub modelled: Option<Report>,
    /// How many runs were made by whom. It does not affect the choice.
    pub runs: RunsMade,
}

/// Chooses the T-VLB set of each decision.
///
/// # Errors
/// The first failure, or the work was cancelled. With a state directory, all work finished before that is kept.
///
/// # Example
/// ```
/// use tvlb_generator::checked_fabric::{CheckedFabric, fabric_image};
/// use tvlb_generator::choose::{ChoiceOptions, choose};
/// use tvlb_table_set::grammar::canonical;
///
/// # use tvlb_generator::fabric::Fabric;
/// # use tvlb_topology::arrangement::Arrangement;
/// # let df = tvlb_schema::Dragonfly::new(1, 4, 2, 5)?;
/// # let fabric = Fabric::new("lab", df, Arrangement::default(), 1)?;
/// // By the model and short runs; without `fast`, minutes of simulation decide.
/// let options = ChoiceOptions { fast: true, ..ChoiceOptions::default() };
/// let image = fabric_image(&fabric.topology);
/// let choice = choose(&CheckedFabric::new(&fabric, &image)?, &options, &())?;
/// assert!(!canonical(&choice.policies.ugal_l.rule).is_empty());
/// assert!(choice.entry.contests.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn choose(
    fabric: &CheckedFabric<'_>,
    options: &ChoiceOptions,
    progress: &dyn Progress,
) -> Result<PolicyChoice, ChooseError> {
    make_state(options.state.as_deref())?;
    let seed = fabric.file.seed;
    let (user, weighing) = (&options.candidates, fabric.file.policies.weighing);
    let families = Families::for_fabric(fabric);
    let without_front =
        Sources { front: &[], user, weighing, seed, families, plain: options.plain };
    let schemes = fabric.file.schemes();
    let tried: Vec<SetRule> = schemes
        .iter()
        .flat_map(|&scheme| without_front.candidates(scheme))
        .map(|candidate| candidate.policies.source.rule)
        .collect();
    let modelled = step_one::model(fabric, &tried, options.state.as_deref(), progress)?;
    // On some uneven wirings most pairs have hardly a route of some shape, and a switch would search for one too long;
    // by route it finds another.
    let can_be_drawn = |rule: &SetRule| {
        without_front.boots_set(rule)
            && fabric
                .draw_work(&Policy::from(*rule), progress)
                .is_ok_and(|work| work.check(rule).is_ok())
    };
    let drawn = |rule: &SetRule| [by_shape(rule), *rule].into_iter().find(&can_be_drawn);
    let front = modelled.as_ref().map_or(Vec::new(), |modelled| modelled.front(drawn));
    progress.check()?;
    let model = modelled.as_ref().map(model_entry);
    if options.fast {
        let sources = Sources { front: &front, ..without_front };
        let floor = Floor { fabric, state: options.state.as_deref(), progress };
        let (policies, floor) = match &model {
            Some(_) => floor.choose(&sources)?,
            // A fabric that is too large for the model is too large for runs.
            None => (floor.conventional(&sources), Vec::new()),
        };
        let entry = all_rounded(&ChoiceEntry {
            by: if model.is_some() { "model" } else { "default" }.to_owned(),
            prefer: None,
            model,
            floor,
            panel: None,
            contests: Vec::new(),
        });
        let modelled = modelled.map(|modelled| modelled.report);
        return Ok(PolicyChoice { policies, entry, modelled, runs: RunsMade::default() });
    }

    let panel = Panel::new(fabric.nodes(), fabric.file.links(), seed, options.panel);
    let memory = memory::open(options.state.as_deref(), RUNS, fabric, &panel)?;
    let contests = Contests {
        fabric,
        modelled: modelled.as_ref(),
        panel: &panel,
        memory: &memory,
        prefer: options.prefer,
        most_regret: options.most_regret,
        plain: options.plain,
        progress,
    };
    let outcome = contests.both(&Sources { front: &front, ..without_front });
    let StepTwoOutcome { policies, contests } = outcome?;
    let runs = memory.made();
    let entry = all_rounded(&ChoiceEntry {
        by: "simulation".to_owned(),
        prefer: Some(options.prefer.name().to_owned()),
        model,
        floor: Vec::new(),
        panel: Some(panel_entry(&panel, options.most_regret)),
        contests,
    });
    Ok(PolicyChoice { policies, entry, modelled: modelled.map(|modelled| modelled.report), runs })
}

/// How many runs a state directory holds; 0 if it cannot be read.
pub fn runs_kept(options: &ChoiceOptions) -> usize {
    options.state.as_deref().map_or(0, |state| memory::kept(state, RUNS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checked_fabric::fabric_image;
    use crate::fabric::Fabric;
    use tvlb_schema::{Dragonfly, MinCandidate, Queue};
    use tvlb_table_set::OpenWeighing;
    use tvlb_topology::arrangement::Arrangement;

    #[test]
    fn a_fabric_too_large_for_the_model_keeps_conventional_routing() {
        let df = Dragonfly::new(1, 32, 8, 188).unwrap();
        let fabric = Fabric::new("large", df, Arrangement::Absolute, 1).unwrap();
        let options = ChoiceOptions { fast: true, ..ChoiceOptions::default() };
        let image = fabric_image(&fabric.topology);
        let choose = |fabric: &Fabric| {
            choose(&CheckedFabric::new(fabric, &image).unwrap(), &options, &()).unwrap()
        };
        let choice = choose(&fabric);
        assert_eq!(choice.entry.by, "default");
        assert!(choice.entry.model.is_none());
        let PerDecision { ugal_l, par_source, par_second } = choice.policies;
        for policy in [&ugal_l, &par_source, &par_second] {
            assert_eq!(policy.rule, SetRule { seed: 1, ..SetRule::conventional() });
            assert_eq!(policy.weighing.queue, Queue::Channel);
        }
        assert_eq!((par_source.min, par_second.min), (MinCandidate::Kept, MinCandidate::Shortest));

        // If the fabric file says whose queue counts, that is fixed.
        let mut fabric = fabric;
        let queue = Some(Queue::Port);
        let open = OpenWeighing { queue, ..OpenWeighing::default() };
        fabric.file.policies.weighing = PerDecision::same(open);
        assert_eq!(choose(&fabric).policies.ugal_l.weighing.queue, Queue::Port);
    }
}
