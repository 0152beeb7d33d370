//! Numbers of pairs (x, y) of a first and a second global link, and the routes that follow from them.

use crate::Topology;
use tvlb_schema::{GroupId, Shape};

/// The weight of a pair (x, y) in a count.
#[derive(Clone, Copy)]
pub(super) enum PairWeight {
    Once,
    /// One less than the number of switches of its intermediate group.
    Others,
}

impl PairWeight {
    #[inline]
    pub(super) fn of(self, topology: &Topology, group: GroupId) -> u32 {
        match self {
            Self::Once => 1,
            Self::Others => topology.dragonfly().switches_of(group) - 1,
        }
    }
}

/// A value for each way to count.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByWeight<T> {
    pub(super) once: T,
    /// `None` if all groups are alike: it follows from the other.
    pub(super) by_others: Option<T>,
}

impl<T> ByWeight<T> {
    /// The value of a way that the fabric needs.
    pub(super) fn of(&self, weight: PairWeight) -> &T {
        match (weight, &self.by_others) {
            (PairWeight::Others, Some(by_others)) => by_others,
            _ => &self.once,
        }
    }
}

/// Numbers of pairs (x, y) of a first and a second global link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pairs {
    /// With a common intermediate group. At most (a·h)²·(a − 1), which fits 32 bits.
    pub(super) through: u32,
    /// Of these, with a common intermediate switch.
    pub(super) meeting: u32,
}

impl Pairs {
    /// The pairs with one or more hops in the intermediate group.
    pub(super) fn apart(self) -> u64 {
        u64::from(self.through - self.meeting)
    }

    pub(super) fn times(self, factor: u32) -> Self {
        Self { through: self.through * factor, meeting: self.meeting * factor }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self { through: self.through - other.through, meeting: self.meeting - other.meeting }
    }
}

/// By head and tail, 0 and 1 for a local hop at that end or none.
pub(super) type ByEnds = [[Pairs; 2]; 2];

/// Counts with the links of both ends' own, and of all switches of their groups.
pub(super) fn by_ends(
    at_both: Pairs,
    at_source: Pairs,
    at_destination: Pairs,
    anywhere: Pairs,
) -> ByEnds {
    let only_source = at_source.minus(at_both);
    let only_destination = at_destination.minus(at_both);
    [[at_both, only_source], [only_destination, anywhere.minus(at_source).minus(only_destination)]]
}

/// The number of routes of each shape, given the pairs (x, y) by head and tail, each once and each as
/// [`PairWeight::Others`] says.
pub(super) fn shape_counts(pairs: [[(Pairs, Pairs); 2]; 2]) -> [u64; Shape::COUNT] {
    let mut counts = [0; Shape::COUNT];
    for (head, row) in pairs.into_iter().enumerate() {
        for (tail, (pairs, by_others)) in row.into_iter().enumerate() {
            // If two switches are apart, there are a − 2 others.
            let detours = by_others.apart() - pairs.apart();
            let by_mid = [u64::from(pairs.meeting), pairs.apart(), detours];
            for (mid, count) in (0..).zip(by_mid) {
                counts[Shape::of_walk(head == 1, mid, tail == 1).number()] = count;
            }
        }
    }
    counts
}
