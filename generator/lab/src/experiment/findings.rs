//! What an experiment is told, and what it finds.

use super::catalogue::Experiment;
use serde::Serialize;
use std::path::PathBuf;

/// The set that is shown as ours under UGAL-L and UGAL-G unless the user names another: a plain set
/// that does well on dfly(4,8,4,9).
pub const OURS_UGAL: &str = "shapes:011";
/// The sets that are shown as ours under PAR unless the user names others.
pub const OURS_PAR: &str = "shapes:011+110 by shape then shapes:020+110 by shape";

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

/// What every `figures.json` begins with.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Heading<'e> {
    tool_version: &'static str,
    experiment: &'e str,
    about: &'e str,
    quick: bool,
    seed: u64,
}

impl<'e> Heading<'e> {
    pub(super) fn new(experiment: &'e Experiment, options: &Options) -> Self {
        Self {
            tool_version: env!("CARGO_PKG_VERSION"),
            experiment: experiment.name,
            about: experiment.about,
            quick: options.quick,
            seed: options.seed,
        }
    }
}

/// A document as indented JSON, with a line end.
pub(super) fn to_json(value: &impl Serialize) -> String {
    let mut json = serde_json::to_string_pretty(value).expect("findings are plain values");
    json.push('\n');
    json
}

/// Our figure, the paper's, and by how much they differ.
pub(super) fn compared(ours: f64, paper: f64) -> String {
    format!("{ours:.4} (paper {paper}, {:+.1}%)", 100.0 * (ours / paper - 1.0))
}
