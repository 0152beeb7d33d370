//! The remaining routes of a thinned set, over all pairs of switches with nodes in different groups.

use crate::policy::Policy;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_topology::Topology;
use tvlb_topology::loads::kept_and_hops;
use tvlb_topology::routes::expected::{FabricMean, PairMean, mean_of_pairs};

/// The means over exactly the routes that the switches keep of a policy's set, fractions included. A set of
/// intermediate switches cannot be thinned and is not accepted.
///
/// Uses the threads of the current rayon pool; the result is the same for any number of them. Each source is a
/// step.
///
/// # Errors
/// The caller cancelled the work.
pub fn thinned_mean(
    topology: &Topology,
    policy: &Policy,
    progress: &dyn Progress,
) -> Result<FabricMean, Cancelled> {
    let of_pair = |source, destination| {
        let set = (&policy.rule, policy.levels_of(source));
        let (kept, hops) = kept_and_hops(topology, set, (source, destination));
        PairMean { routes: real(kept), hops }
    };
    mean_of_pairs(topology, of_pair, progress)
}

#[expect(clippy::cast_precision_loss, reason = "at most 2⁵³ routes are counted one by one")]
fn real(count: u64) -> f64 {
    count as f64
}
