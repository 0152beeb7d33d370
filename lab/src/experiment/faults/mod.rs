//! What dead parts cost: a failure, its installation and its mending window by window (`failure`), and
//! saturation over the share of cables that are dead (`ageing`), all on dfly(4,8,4,9).
//!
//! Here the chosen sets are those that `generate` chooses for the whole fabric, unless the user names
//! others. What is dead changes them as `tvlb faults` does.

mod ageing;
pub(super) mod ageing_texts;
mod dead_cables;
mod failure;
pub(super) mod failure_texts;
mod paths;
pub(super) mod results;
mod whole;

pub(super) use ageing::run as run_ageing;
pub(super) use failure::run as run_failure;
pub use paths::Paths;
pub use results::{Ageing, AgeingLine, AgeingPoint, AgeingRun, Failure, FailureLine, Windows};
