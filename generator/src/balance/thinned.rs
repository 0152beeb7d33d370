//! What is left of a set that switches thin, over all pairs of switches of different groups.

use super::link_load::kept_and_hops;
use crate::policy::Policy;
use crate::routes::count::RouteCounter;
use crate::routes::expected::FabricMean;
use rayon::prelude::*;
use tvlb_schema::SwitchId;

/// The means over the very routes that the switches keep of a policy's set, fractions included. The set
/// is not one of intermediate switches, which cannot be thinned.
///
/// Uses the threads of the current rayon pool; the result is the same for any number of them.
pub fn thinned_mean(counter: &RouteCounter<'_>, policy: &Policy) -> FabricMean {
    let topology = counter.topology();
    let df = topology.dragonfly();
    let switches: Vec<SwitchId> = df.switches().collect();
    // One sum for each source, in the order of the destinations.
    let by_source: Vec<(u64, u64, f64)> = switches
        .par_iter()
        .map(|&source| {
            let set = (&policy.rule, policy.levels_of(source));
            let from = df.place(source).0;
            let others = df.switches().filter(|&to| df.place(to).0 != from);
            others.fold((0, 0, 0.0), |(routes, drawing, sum), to| {
                let (kept, hops) = kept_and_hops(topology, set, (source, to));
                (routes + kept, drawing + u64::from(kept > 0), sum + hops.unwrap_or(0.0))
            })
        })
        .collect();
    let (mut routes, mut drawing, mut hops) = (0, 0, 0.0);
    for of_source in by_source {
        routes += of_source.0;
        drawing += of_source.1;
        hops += of_source.2;
    }
    let pairs = df.pairs_between_groups();
    FabricMean {
        pairs,
        empty_pairs: pairs - drawing,
        routes: real(routes) / real(pairs),
        hops: (drawing > 0).then(|| hops / real(drawing)),
        hops_are_exact: true,
    }
}

#[expect(clippy::cast_precision_loss, reason = "at most 2⁵³ routes are counted one by one")]
fn real(count: u64) -> f64 {
    count as f64
}
