//! The figures of section 4 of Rahman et al., SC'19, each by its name, and experiments of our own.
//!
//! An experiment takes no files but the runs that it keeps, and its findings are texts: CSV, JSON,
//! pictures, and lines that hold our figures against those that the paper's text states.
//!
//! # Example
//! ```
//! use tvlb_lab::experiment::{Options, find};
//!
//! let table = find("table2").ok_or("there is no such experiment")?;
//! let findings = table.run(&Options::default(), &())?;
//! // Four fabrics, three sets on each, and a header.
//! assert_eq!(findings.csv.lines().count(), 13);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalogue;
mod curves;
mod error;
mod findings;
mod kept;
mod step_one;
mod topologies;

pub use catalogue::{EXPERIMENTS, Experiment};
pub use error::ExperimentError;
pub use findings::{Findings, OURS_PAR, OURS_UGAL, Options};

use catalogue::Kind;
use tvlb_progress::Progress;

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name)
}

impl Experiment {
    /// Whether the experiment simulates, so that [`Options::state`] keeps its runs.
    pub const fn simulates(&self) -> bool {
        matches!(self.kind, Kind::Curves(_))
    }

    /// Makes the experiment.
    ///
    /// # Errors
    /// A set that is not one, kept runs that cannot be used, the first simulation that failed, or
    /// the cancellation.
    pub fn run(
        &self,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Findings, ExperimentError> {
        match &self.kind {
            Kind::Model { p, a, h, g } => step_one::run([*p, *a, *h, *g], self, options, progress),
            Kind::Curves(study) => curves::run(study, self, options, progress),
            Kind::Topologies => topologies::run(self, options, progress),
        }
    }
}
