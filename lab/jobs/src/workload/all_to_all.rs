//! All-to-all: every rank has a message of its own for every other rank.

use crate::workload::error::WorkloadError;
use crate::workload::program::Step;
use crate::workload::rank::Rank;
use crate::workload::reduction::{exchange, expect_groups};
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use tvlb_base::text::quoted;

/// The ways in which n ranks exchange a message of B bytes each with every other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllToAll {
    /// For s = 1 … n − 1, rank r posts a receive from rank (r − s) mod n, sends to rank (r + s) mod n, and waits.
    Direct,
    /// By m = n/G groups of G consecutive ranks, in two phases, in each of which ranks exchange as in [`Self::Direct`].
    /// First the ranks of a group: each sends the one at place k of the group the m messages that it has for the ranks
    /// at place k of all groups, as one message of m·B bytes. Then the ranks at one place of all groups: each sends the
    /// one of another group the G messages that the ranks of its own group have for it, as one message of G·B bytes. A
    /// rank sends G + m − 2 messages instead of n − 1.
    Hierarchical(NonZeroU32),
}

/// The steps of the rank at a place among n, each of which has a message of this length for every other: in the order
/// of their distance.
fn around(
    (place, n): (u32, u32),
    rank_at: impl Fn(u32) -> Rank,
    bytes: u64,
) -> impl Iterator<Item = Step> {
    let at = move |sum: u64| {
        let place = u32::try_from(sum % u64::from(n));
        rank_at(place.expect("a rest is less than the number of ranks"))
    };
    let (place, n) = (u64::from(place), u64::from(n));
    (1..n).flat_map(move |s| exchange((at(place + s), bytes), (at(place + n - s), bytes)))
}

impl AllToAll {
    /// The steps of a rank.
    ///
    /// # Errors
    /// Ranks that do not fill groups.
    pub(super) fn steps(
        self,
        ranks: u32,
        bytes: u64,
    ) -> Result<impl Fn(Rank) -> Vec<Step>, WorkloadError> {
        if let Self::Hierarchical(group) = self {
            expect_groups(ranks, group)?;
        }
        Ok(move |Rank(rank)| {
            let Self::Hierarchical(size) = self else {
                return around((rank, ranks), Rank, bytes).collect();
            };
            let groups = ranks / size;
            let (group, place) = (rank / size, rank % size);
            // Messages that are too long for a number are too long for a network, which refuses them.
            let [inside, between] =
                [groups, size.get()].map(|count| bytes.saturating_mul(u64::from(count)));
            around((place, size.get()), |place| Rank(group * size.get() + place), inside)
                .chain([Step::PhaseEnd])
                .chain(around((group, groups), |group| Rank(group * size.get() + place), between))
                .chain([Step::PhaseEnd])
                .collect()
        })
    }

    /// How many steps a rank takes.
    pub(super) fn most_steps(self, ranks: u32) -> u64 {
        let among = |n: u32| 3 * u64::from(n.saturating_sub(1));
        match self {
            Self::Direct => among(ranks),
            Self::Hierarchical(group) => among(group.get()) + among(ranks / group) + 2,
        }
    }
}

impl FromStr for AllToAll {
    type Err = WorkloadError;

    /// Reads the text after `alltoall:`.
    fn from_str(text: &str) -> Result<Self, WorkloadError> {
        let group = text.split_once(':').filter(|(name, _)| name.trim() == "hierarchical");
        match group.and_then(|(_, group)| group.trim().parse().ok()) {
            Some(group) => Ok(Self::Hierarchical(group)),
            None => Err(WorkloadError::refused(
                format!("{} is not an all-to-all", quoted(text)),
                "hierarchical:RANKS, where RANKS are those of a group, at least 1",
            )),
        }
    }
}

impl fmt::Display for AllToAll {
    /// As it follows `alltoall`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Direct => Ok(()),
            Self::Hierarchical(group) => write!(f, ":hierarchical:{group}"),
        }
    }
}
