//! What a machine with dead parts installs: an update of its table set.
//!
//! An update is a function of the plan and of the dead parts, never of an earlier update: any order of dying and
//! mending ends in the same bytes. All switches take its fault image, and from then on draw no path over dead parts. A
//! switch image changes only if a pair of switches has lost the last route of a shape, so that its source does not
//! search for one in vain; sets, thinning and thresholds stay.

mod loss;
mod reach;
mod update;
mod written;

pub(crate) use loss::is_cut;
pub use loss::{Mend, PairList, RouteLoss, lost_pairs};
pub use update::{FaultUpdate, update};
pub use written::{UpdateError, UpdatedTables, write_update};
