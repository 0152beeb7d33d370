//! What an experiment is told.

use std::path::PathBuf;
use tvlb_generator::choose::PanelSize;

/// The set that is shown as ours under UGAL-L and UGAL-G unless the user names another: a plain set
/// that does well on dfly(4,8,4,9). Experiments with dead parts show what `generate` chooses instead.
pub const OURS_UGAL: &str = "shapes:011";
/// The sets that are shown as ours under PAR unless the user names others.
pub const OURS_PAR: &str = "shapes:011+110 by shape then shapes:020+110 by shape";

/// The nodes per switch of the systems on which load-imbalance experiments are made unless the user names
/// others.
pub const SIZES: [u32; 3] = [2, 3, 4];

/// How an experiment is to be made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Short windows, few loads and few patterns: to see what an experiment does, not to compare
    /// figures.
    pub quick: bool,
    /// The set that the user names to be shown as ours under UGAL-L and UGAL-G, with a threshold if it
    /// has one.
    pub ours_ugal: Option<String>,
    /// The same under PAR, or one for each of its two decisions.
    pub ours_par: Option<String>,
    /// With how much traffic the sets are chosen again where cables are dead; they are not if this is not
    /// said, because a choice takes minutes.
    pub choose_again: Option<PanelSize>,
    /// The directory that keeps what was run and modelled, so that an interrupted experiment can continue.
    pub state: Option<PathBuf>,
    /// Decides random traffic, patterns and fractions.
    pub seed: u64,
    /// The systems of load-imbalance experiments, by p: p nodes on each of 2p switches with p global ports
    /// in each of 2p² + 1 groups.
    pub sizes: Vec<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            quick: false,
            ours_ugal: None,
            ours_par: None,
            choose_again: None,
            state: None,
            seed: 1,
            sizes: SIZES.to_vec(),
        }
    }
}
