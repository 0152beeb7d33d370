//! Step 1 of the T-UGAL method: how much traffic each candidate set could carry at best.
//!
//! For a pattern of flows between switches and a set of VLB paths, the model of [`bundle`] gives
//! the throughput that UGAL could reach if it split each flow perfectly between MIN and VLB paths.
//! Promises: every figure is an interval with a proof behind both ends, computed in plain
//! arithmetic apart from any solver ([`certificate`]); the same input gives the same bytes at any
//! number of threads. `docs/explanation/throughput-model.md` explains the model to its users.
//!
//! Flows ([`tvlb_traffic`]) and sets ([`path_set`]) go in; paths are counted ([`path_counter`]), bundles made
//! ([`bundle`]), the program solved ([`mod@solve`]); [`sweep`] does so for many sets and patterns and
//! [`front`] chooses among the results.

pub mod bundle;
pub mod certificate;
pub mod front;
pub mod limit;
pub mod path_counter;
pub mod path_set;
pub mod plot;
pub mod report;
pub mod solve;
pub mod state;
pub mod sweep;

mod dense;
mod factored;
mod first_order;
mod interior;
mod program;
#[cfg(test)]
mod reference_lp;
mod rule;
mod solve_large;
mod sparse_counts;

pub use bundle::Bundles;
pub use certificate::Certified;
pub use limit::Limit;
pub use path_set::{Counting, PathSet};
pub use rule::{BundleKind, Rule};

use bundle::folds;
use factored::Factored;
use path_counter::PathCounter;
use program::Program;
use solve::{Solved, Warm, solve};
use tvlb_schema::Dragonfly;
use tvlb_topology::Topology;
use tvlb_traffic::{Flow, Flows};

/// The gap, as a fraction of the upper bound, up to which a value counts as a number.
///
/// Small fabrics are held to 10⁻⁶, those of more than [`LARGE`] switches to 10⁻³, those of more than
/// [`VAST`] to 10⁻²: there a program takes seconds, or a minute, and finer differences between sets
/// decide nothing.
pub const TOLERANCE: f64 = 1e-6;
/// The gap up to which a value of a large fabric counts as a number.
pub const TOLERANCE_OF_LARGE: f64 = 1e-3;
/// The gap up to which a value of a vast fabric counts as a number.
pub const TOLERANCE_OF_VAST: f64 = 1e-2;
/// How many switches a small fabric has at most: dfly(4,8,4,17) is small, dfly(4,8,4,33) is not.
pub const LARGE: u32 = 200;
/// How many switches a large fabric has at most: dfly(13,26,13,27) is large, a machine of thousands is
/// vast.
pub const VAST: u32 = 1000;

/// Why there is no throughput.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    #[error(
        "no path leads from switch {source_switch} ({source_place}) to switch {destination_switch} \
         ({destination_place}), which {pattern} needs: there is no MIN path, and the set {set:?} has \
         no VLB path between them"
    )]
    NoPath {
        source_switch: u16,
        source_place: String,
        destination_switch: u16,
        destination_place: String,
        pattern: String,
        set: String,
    },
    #[error(
        "the rule {rule} on a fabric with {found}; accepted {accepted}, and the rule monotone on any fabric"
    )]
    TooLarge { rule: Rule, found: String, accepted: String },
    #[error(
        "the rule by-switch with paths counted as routes, which have no intermediate switch; accepted triples"
    )]
    NoSwitches,
}

impl ModelError {
    fn no_path(df: &Dragonfly, flow: &Flow, set: &PathSet, pattern: &Flows) -> Self {
        let place = |switch| {
            let (group, index) = df.place(switch);
            format!("group {group}, switch {index}")
        };
        Self::NoPath {
            source_switch: flow.source.0,
            source_place: place(flow.source),
            destination_switch: flow.destination.0,
            destination_place: place(flow.destination),
            pattern: pattern.name.clone(),
            set: set.name().to_owned(),
        }
    }
}

/// The throughput of one set on one pattern.
#[derive(Clone, Copy, Debug)]
pub struct SetThroughput {
    pub solved: Solved,
    /// Hops of the set's VLB paths, drawn evenly, on average over the flows.
    pub mean_hops: Option<f64>,
    /// The gap that counts as closed, by the program's size.
    pub tolerance: f64,
}

/// Models patterns and sets on one topology.
///
/// # Example
/// ```
/// use tvlb_throughput::solve::Warm;
/// use tvlb_throughput::{Counting, Model, PathSet};
/// use tvlb_traffic::Flows;
/// use tvlb_topology::arrangement::{Arrangement, arrange};
/// use tvlb_schema::Dragonfly;
///
/// let df = Dragonfly::new(2, 4, 2, 9)?;
/// let topology = arrange(df, Arrangement::default(), 1)?;
/// let mut model = Model::new(&topology, Counting::Triples);
/// let shift = Flows::shift(&df, 2, 0);
/// let all = model.throughput(&shift, &PathSet::parse("all", 1)?, &mut Warm::default())?;
/// // h·g / (2·p·(g − 1)) is the most that any set can carry, and all paths carry it.
/// assert!((all.solved.certified.lower - 0.5625).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model<'t> {
    topology: &'t Topology,
    counter: PathCounter<'t>,
    invariant: bool,
    rule: Rule,
}

impl<'t> Model<'t> {
    /// For this wiring and way of counting.
    pub fn new(topology: &'t Topology, counting: Counting) -> Self {
        Self {
            topology,
            counter: PathCounter::new(topology, counting),
            invariant: topology.is_rotation_invariant(),
            rule: Rule::Monotone,
        }
    }

    /// The same by another rule of rates.
    #[must_use]
    pub fn by(self, rule: Rule) -> Self {
        Self { rule, ..self }
    }

    /// The program of one set on one pattern, not yet solved.
    ///
    /// # Errors
    /// A flow without any path, or a rule that does not fit.
    pub fn bundles(&mut self, pattern: &Flows, set: &PathSet) -> Result<Bundles, ModelError> {
        let counted = (&mut self.counter, self.rule);
        Bundles::new(counted, self.topology, pattern, set, self.invariant)
    }

    /// The throughput of one set on one pattern.
    ///
    /// # Errors
    /// A flow without any path, or a rule that does not fit the fabric.
    pub fn throughput(
        &mut self,
        pattern: &Flows,
        set: &PathSet,
        warm: &mut Warm,
    ) -> Result<SetThroughput, ModelError> {
        self.at_least(0.0, pattern, set, warm)
    }

    /// The throughput of one set on one pattern, given that `reached` is known to be reached.
    fn at_least(
        &mut self,
        reached: f64,
        pattern: &Flows,
        set: &PathSet,
        warm: &mut Warm,
    ) -> Result<SetThroughput, ModelError> {
        let switches = self.topology.dragonfly().switch_count();
        let large = switches > LARGE;
        let tolerance = match (large, switches > VAST) {
            (_, true) => TOLERANCE_OF_VAST,
            (true, _) => TOLERANCE_OF_LARGE,
            _ => TOLERANCE,
        };
        if large && !self.rule.is_usual() {
            return Err(ModelError::TooLarge {
                rule: self.rule,
                found: format!("{switches} switches"),
                accepted: format!("at most {LARGE}"),
            });
        }
        if large && !folds(self.invariant, self.topology, pattern, set) {
            let program = Factored::new(&mut self.counter, self.topology, pattern, set)?;
            let mean_hops = program.choices().mean_hops();
            let paths = solve_large::FlowPaths { counter: &mut self.counter, pattern, set };
            let solved = solve_large::solve(&program, paths, reached, 0.98 * tolerance, warm);
            return Ok(SetThroughput { solved, mean_hops, tolerance });
        }
        let bundles = self.bundles(pattern, set)?;
        // Half the requested gap, so that the middle is well within it.
        let solved = solve(&bundles, reached, 0.5 * tolerance, warm);
        let mean_hops = bundles.choices().mean_hops();
        Ok(SetThroughput { solved, mean_hops, tolerance })
    }
}
