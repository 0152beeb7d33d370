//! VLB as triples (R, leg 1, leg 2), the papers' way of counting: what those of two switches add up to.
//!
//! R is a switch outside the groups of source and destination, or for two switches of one group
//! another switch of it; leg 1 is a MIN path to R and leg 2 a MIN path from R, and each local hop of
//! either has a link. One walk can be
//! two triples, with R at either end of its hop in the intermediate group, and a walk can go
//! v→R→v. Conventional VLB draws R and then each leg uniformly, which is uniform over triples
//! where all pairs of groups have equally many links.

use serde::Serialize;

/// The sums over the triples between two switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TripleCounts {
    /// Triples by the hops of leg 1 and of leg 2, each less one: `by_legs[0][2]` is (1, 3).
    pub by_legs: [[u64; 3]; 3],
    /// Triples whose walk comes to some switch twice.
    pub revisiting: u64,
    /// Distinct walks among all triples, revisiting ones included. Walks are the same if they go
    /// over the same *cables*; two that differ only in which of two cables between the same
    /// switches they take are two.
    pub distinct_walks: u64,
}

impl TripleCounts {
    pub fn total(&self) -> u64 {
        self.by_legs.iter().flatten().sum()
    }

    /// Triples by hops from switch to switch: entry n has n hops, from 2 on.
    pub fn by_hops(&self) -> [u64; 7] {
        let mut counts = [0; 7];
        for (first, row) in self.by_legs.iter().enumerate() {
            for (second, count) in row.iter().enumerate() {
                counts[first + second + 2] += count;
            }
        }
        counts
    }
}
