//! The figures of section 4 of Rahman et al., SC'19, each by its name, experiments of our own, and those
//! of Prisacari et al., HPSR'15, on traffic that loads links unevenly.
//!
//! An experiment takes no files but the runs that it keeps. Its findings are texts (CSV, JSON,
//! pictures, lines for the terminal), and [`Results`] as plain values. [`KeptResults`] holds those of
//! many experiments, and [`with_tables`] makes the tables of a document from them. Whatever the
//! paper's text states, numbers and comparisons, is a list that every experiment is held against.
//!
//! # Example
//! ```
//! use tvlb_lab::experiment::{KeptResults, Options, find};
//!
//! let table = find("table2").ok_or("there is no such experiment")?;
//! let findings = table.run(&Options::default(), &KeptResults::default(), &())?;
//! // Four fabrics, three sets on each, and a header.
//! assert_eq!(findings.csv.lines().count(), 13);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arrangements;
mod catalogue;
mod clock;
mod curves;
mod document;
mod error;
mod faults;
mod findings;
mod grid;
mod imbalance;
mod in_parallel;
mod kept;
mod kept_results;
mod neighbour_phase;
mod options;
mod per_hop;
mod pictures;
mod placements;
mod results;
mod rules;
#[cfg(test)]
mod samples;
mod stated;
mod statement;
mod step_one;
mod tables;
#[cfg(test)]
mod tests;
mod topologies;
mod verdict;

pub use catalogue::{EXPERIMENTS, Experiment, Page, find};
pub use document::{DocumentError, with_tables};
pub use error::ExperimentError;
pub use faults::{
    Ageing, AgeingLine, AgeingPoint, AgeingRun, Failure, FailureLine, Paths, Windows,
};
pub use findings::Findings;
pub use kept_results::KeptResults;
pub use options::{OURS_PAR, OURS_UGAL, Options, SIZES};
pub use per_hop::results::{PerHop, PerHopRun};
pub use results::{
    ArrangedTimes, Arrangements, Curves, FabricRow, Figures, Imbalance, Line, Model, ModelledSet,
    Phase, PhaseRouted, Phases, PlacedTimes, Placements, Point, Results, Routed, SetPaths, System,
};
pub use rules::Rules;
pub use verdict::{Judged, Verdict};

use catalogue::Kind;
use tvlb_base::progress::Progress;

/// How many statements of the paper the results of all experiments bear out, in one line.
pub fn summary(results: &KeptResults) -> String {
    tables::plain_summary(results)
}

impl Experiment {
    /// Whether [`Options::state`] keeps what the experiment does.
    pub const fn is_kept(&self) -> bool {
        !matches!(self.kind, Kind::Topologies)
    }

    /// Makes the experiment. Comparisons with other experiments are decided by the results of those
    /// in `known`.
    ///
    /// # Errors
    /// A set that is not one, kept runs that cannot be used, the first simulation that failed, or
    /// the cancellation.
    pub fn run(
        &self,
        options: &Options,
        known: &KeptResults,
        progress: &dyn Progress,
    ) -> Result<Findings, ExperimentError> {
        match &self.kind {
            Kind::Model { p, a, h, g } => {
                step_one::run([*p, *a, *h, *g], self, (options, known), progress)
            }
            Kind::Curves(study) => {
                let (curves, seconds) = curves::run(study, options, progress)?;
                Ok(findings::of_curves(self, curves, seconds, (options, known)))
            }
            Kind::Topologies => topologies::run(self, (options, known), progress),
            Kind::Failure => faults::run_failure(self, (options, known), progress),
            Kind::Ageing(traffic) => faults::run_ageing(traffic, self, (options, known), progress),
            Kind::Imbalance(shift) => imbalance::run(self, *shift, (options, known), progress),
            Kind::NeighbourPhase => neighbour_phase::run(self, (options, known), progress),
            Kind::Arrangements(exchange, machine) => {
                arrangements::run(self, (*exchange, *machine), (options, known), progress)
            }
            Kind::Placements(jobs) => placements::run(self, *jobs, (options, known), progress),
            Kind::PerHop(study) => per_hop::run(self, *study, (options, known), progress),
        }
    }
}
