//! The manifest's entry for how evenly a set loads the links.

use super::Imbalance;
use crate::policy::Policy;
use tvlb_table_set::{BalanceEntry, ImbalanceEntry, rounded};
use tvlb_topology::Topology;
use tvlb_topology::loads::Draw;

/// Measures a policy's set before and after thinning. The digest of the levels, which is taken from images, is not
/// filled in.
pub fn balance_entry(
    topology: &Topology,
    policy: &Policy,
    conventional: Imbalance,
) -> BalanceEntry {
    let Policy { rule, levels, .. } = policy;
    let before = Imbalance::of(topology, Draw::Set { rule, levels: &[] });
    let thinned = policy.thinned_switches();
    let after = match thinned {
        0 => before,
        _ => Imbalance::of(topology, Draw::Set { rule, levels }),
    };
    BalanceEntry {
        conventional: conventional.into(),
        before: before.into(),
        after: after.into(),
        thinned_switches: thinned as u64,
        levels_sha256: None,
    }
}

impl From<Imbalance> for ImbalanceEntry {
    fn from(imbalance: Imbalance) -> Self {
        Self { local: rounded(imbalance.local), global: rounded(imbalance.global) }
    }
}
