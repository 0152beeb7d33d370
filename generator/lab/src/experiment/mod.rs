//! The figures of section 4 of Rahman et al., SC'19, each by its name.
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
mod kept;
mod step_one;
mod topologies;

pub use catalogue::{EXPERIMENTS, Experiment};
pub use curves::{OURS_PAR, OURS_UGAL};
pub use error::ExperimentError;

use catalogue::Kind;
use serde::Serialize;
use std::path::PathBuf;
use tvlb_progress::Progress;

/// How an experiment is to be made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Short windows, few loads and few patterns: to see what an experiment does, not to compare
    /// figures.
    pub quick: bool,
    /// The set that is shown as ours under UGAL-L and UGAL-G, with a threshold if it has one.
    pub ours_ugal: String,
    /// The set that is shown as ours under PAR, or one for each of its two decisions.
    pub ours_par: String,
    /// The directory that keeps every simulated run, so that an interrupted experiment can continue.
    pub state: Option<PathBuf>,
    /// Decides random traffic, patterns and fractions.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            quick: false,
            ours_ugal: OURS_UGAL.to_owned(),
            ours_par: OURS_PAR.to_owned(),
            state: None,
            seed: 1,
        }
    }
}

/// What an experiment found.
#[derive(Clone, Debug)]
pub struct Findings {
    /// A table with one line for each figure, and a header.
    pub csv: String,
    /// Everything that was found.
    pub json: String,
    /// Pictures in SVG by the names of their files, without the ending.
    pub pictures: Vec<(String, String)>,
    /// Lines for the terminal.
    pub words: String,
}

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

/// What every `figures.json` begins with.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Heading<'e> {
    tool_version: &'static str,
    experiment: &'e str,
    about: &'e str,
    quick: bool,
    seed: u64,
}

impl<'e> Heading<'e> {
    fn new(experiment: &'e Experiment, options: &Options) -> Self {
        Self {
            tool_version: env!("CARGO_PKG_VERSION"),
            experiment: experiment.name,
            about: experiment.about,
            quick: options.quick,
            seed: options.seed,
        }
    }
}

fn to_json(value: &impl Serialize) -> String {
    let mut json = serde_json::to_string_pretty(value).expect("findings are plain values");
    json.push('\n');
    json
}

/// Our figure, the paper's, and by how much they differ.
fn compared(ours: f64, paper: f64) -> String {
    format!("{ours:.4} (paper {paper}, {:+.1}%)", 100.0 * (ours / paper - 1.0))
}
