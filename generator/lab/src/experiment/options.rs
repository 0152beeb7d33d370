//! What an experiment is told.

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
    /// The directory that keeps what was run and modelled, so that an interrupted experiment can continue.
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
