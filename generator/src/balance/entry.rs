//! What the manifest keeps of how evenly a set uses links.

use super::link_use::{Draw, Imbalance};
use crate::image::BalancedSet;
use crate::routes::count::RouteCounter;
use crate::table_set::{BalanceEntry, ImbalanceEntry, rounded};

/// Measures a set as its rule has it and as switches have it. The digest of the levels is not filled
/// in: it is of images.
pub fn balance_entry(
    counter: &RouteCounter<'_>,
    set: &BalancedSet,
    conventional: Imbalance,
) -> BalanceEntry {
    let rule = &set.rule;
    let before = Imbalance::of(counter, Draw::Set { rule, levels: &[] });
    let thinned = set.levels.iter().filter(|levels| !levels.is_empty()).count();
    let after = match thinned {
        0 => before,
        _ => Imbalance::of(counter, Draw::Set { rule, levels: &set.levels }),
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
