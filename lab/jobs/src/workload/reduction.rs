//! All-reduce: every rank contributes a vector, and every rank gets their sum.
//!
//! Each step of an algorithm waits for what it receives, because the next step sends the result.

use crate::workload::error::WorkloadError;
use crate::workload::program::Step;
use crate::workload::rank::Rank;
use std::fmt;
use std::num::NonZeroU32;
use std::ops::Range;
use std::str::FromStr;
use tvlb_base::text::quoted;

/// An algorithm for an all-reduce of n ranks, each of which has a vector of B bytes. A part of a vector is
/// cut at whole bytes, so that parts differ by at most one byte.
///
/// `Doubling` and `Halving` need a power of two ranks, p. Of n = p + r ranks, r < p, the first 2r are r pairs, as
/// in MPICH (`src/mpi/coll/allreduce`): the even rank of a pair first sends its vector to the odd one, which
/// takes part for both and at the end sends the sum back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Around a ring, in 2(n − 1) steps of B/n: a reduce-scatter, and an allgather (Patarasuk and Yuan, 2009).
    /// Each of the two is a phase.
    Ring,
    /// Recursive doubling, in log₂ p steps of B: in step i a rank exchanges vectors with the one whose place
    /// differs in bit i (Thakur, Rabenseifner and Gropp, 2005).
    Doubling,
    /// Recursive halving and then doubling, Rabenseifner's algorithm: a reduce-scatter in steps of B/2, B/4, …
    /// B/p, and an allgather in steps of B/p, … B/4, B/2. Each of the two is a phase.
    Halving,
    /// By groups of consecutive ranks: a reduce-scatter around the ring of each group; a ring all-reduce among the
    /// ranks at one place of all groups, of the part that they hold; and an allgather around the ring of each group
    /// (Cho et al., `BlueConnect`, 2019). Each of the three is a phase.
    Hierarchical(NonZeroU32),
}

/// The bytes of some of the n parts of a vector.
fn bytes_of(parts: Range<u32>, n: u32, vector_bytes: u64) -> u64 {
    let cut = |part: u32| {
        let place = u128::from(vector_bytes) * u128::from(part) / u128::from(n);
        u64::try_from(place).expect("it is at most the length of the vector")
    };
    cut(parts.end) - cut(parts.start)
}

/// Sends one message, receives one, and awaits both.
pub(super) const fn exchange(to: (Rank, u64), from: (Rank, u64)) -> [Step; 3] {
    let post = Step::Post { from: from.0, bytes: from.1 };
    [post, Step::Send { to: to.0, bytes: to.1 }, Step::Wait]
}

/// Refuses ranks that do not fill groups of this size.
pub(super) fn expect_groups(ranks: u32, group: NonZeroU32) -> Result<(), WorkloadError> {
    if ranks.is_multiple_of(group.get()) {
        return Ok(());
    }
    let found = format!("the job has {ranks} ranks");
    let accepted = format!("a multiple of {group}, the ranks of a group");
    Err(WorkloadError::refused(found, accepted))
}

/// Once around a ring of n ranks: in each of n − 1 steps a rank sends to the next rank the part of a vector that it
/// received in the previous step. The first is the part at its own place, or some places before.
fn around(
    (place, n): (u32, u32),
    rank_at: impl Fn(u32) -> Rank,
    vector_bytes: u64,
    first_before: u32,
) -> impl Iterator<Item = Step> {
    let [next, last] = [place + 1, place + n - 1].map(|place| rank_at(place % n));
    let part = move |before: u32| {
        let part = (place + 2 * n - before) % n;
        bytes_of(part..part + 1, n, vector_bytes)
    };
    let sent = first_before..first_before + n - 1;
    sent.flat_map(move |before| exchange((next, part(before)), (last, part(before + 1))))
}

/// A reduce-scatter around a ring, after which a rank holds the part at its own place.
const SCATTER: u32 = 1;
/// An allgather around a ring, before which a rank holds the part at its own place.
const GATHER: u32 = 0;

impl Reduction {
    /// The steps of a rank.
    ///
    /// # Errors
    /// Ranks that do not fill groups.
    pub(super) fn steps(
        self,
        ranks: u32,
        vector_bytes: u64,
    ) -> Result<impl Fn(Rank) -> Vec<Step>, WorkloadError> {
        if let Self::Hierarchical(group) = self {
            expect_groups(ranks, group)?;
        }
        Ok(move |rank| match self {
            Self::Ring => by_rings(rank, (ranks, ranks), vector_bytes),
            Self::Hierarchical(group) => by_rings(rank, (group.get(), ranks), vector_bytes),
            Self::Doubling | Self::Halving => self.by_bits(rank, ranks, vector_bytes),
        })
    }

    /// How many steps a rank takes at most.
    pub(super) fn most_steps(self, ranks: u32) -> u64 {
        let of_a_ring = |n: u32| 6 * u64::from(n.saturating_sub(1));
        match self {
            Self::Ring => of_a_ring(ranks) + 2,
            Self::Hierarchical(group) => of_a_ring(group.get()) + of_a_ring(ranks / group) + 3,
            Self::Doubling | Self::Halving => 6 * u64::from(ranks.max(1).ilog2()) + 6,
        }
    }

    /// Recursive doubling or halving, with the pairs that leave a power of two ranks.
    fn by_bits(self, rank: Rank, ranks: u32, vector_bytes: u64) -> Vec<Step> {
        let power = 1 << ranks.ilog2();
        let pairs = ranks - power;
        let send = |to| Step::Send { to, bytes: vector_bytes };
        let await_from = |from| [Step::Post { from, bytes: vector_bytes }, Step::Wait];
        let is_paired = rank.0 < 2 * pairs;
        let halves = if is_paired && rank.0.is_multiple_of(2) {
            let odd = Rank(rank.0 + 1);
            [vec![send(odd)], await_from(odd).to_vec()]
        } else if is_paired {
            let even = Rank(rank.0 - 1);
            let [first, second] = self.among(rank.0 / 2, (power, pairs), vector_bytes);
            [[await_from(even).to_vec(), first].concat(), [second, vec![send(even)]].concat()]
        } else {
            self.among(rank.0 - pairs, (power, pairs), vector_bytes)
        };
        let ends = (self == Self::Halving).then_some(Step::PhaseEnd);
        halves.into_iter().flat_map(|half| half.into_iter().chain(ends)).collect()
    }

    /// The steps of the rank at a place among a power of two ranks, which are the odd ranks of the pairs and then all
    /// that are in no pair: the reduce-scatter and the allgather, or all steps and none.
    fn among(self, place: u32, (power, pairs): (u32, u32), vector_bytes: u64) -> [Vec<Step>; 2] {
        let rank_at = |place: u32| Rank(if place < pairs { 2 * place + 1 } else { place + pairs });
        let bits = (0..power.ilog2()).map(|bit| 1_u32 << bit);
        if self == Self::Doubling {
            let vector = |bit| (rank_at(place ^ bit), vector_bytes);
            return [bits.flat_map(|bit| exchange(vector(bit), vector(bit))).collect(), Vec::new()];
        }
        // A bit says how many parts either rank holds after a step of the reduce-scatter: those whose numbers
        // differ from its place in lower bits alone.
        let held = |of: u32, bit: u32| {
            let first = of & !(bit - 1);
            bytes_of(first..first + bit, power, vector_bytes)
        };
        let ends = |bit: u32| {
            let partner = place ^ bit;
            let rank = rank_at(partner);
            [(rank, held(place, bit)), (rank, held(partner, bit))]
        };
        let scatter = |bit| {
            let [own, partners] = ends(bit);
            exchange(partners, own)
        };
        let gather = |bit| {
            let [own, partners] = ends(bit);
            exchange(own, partners)
        };
        [bits.clone().rev().flat_map(scatter).collect(), bits.flat_map(gather).collect()]
    }
}

/// A reduce-scatter in each group, an all-reduce between groups, and an allgather in each group, all around
/// rings. Of one group there is nothing to reduce between groups.
fn by_rings(rank: Rank, (size, ranks): (u32, u32), vector_bytes: u64) -> Vec<Step> {
    let groups = ranks / size;
    let (group, place) = (rank.0 / size, rank.0 % size);
    let inside =
        |first| around((place, size), |place| Rank(group * size + place), vector_bytes, first);
    let own_bytes = bytes_of(place..place + 1, size, vector_bytes);
    let between =
        |first| around((group, groups), |group| Rank(group * size + place), own_bytes, first);
    let mut steps: Vec<Step> = inside(SCATTER).chain([Step::PhaseEnd]).collect();
    if groups > 1 {
        steps.extend(between(SCATTER).chain(between(GATHER)).chain([Step::PhaseEnd]));
    }
    steps.extend(inside(GATHER).chain([Step::PhaseEnd]));
    steps
}

impl FromStr for Reduction {
    type Err = WorkloadError;

    fn from_str(text: &str) -> Result<Self, WorkloadError> {
        let (name, group) = match text.split_once(':') {
            Some((name, group)) => (name.trim_end(), Some(group.trim().parse())),
            None => (text.trim(), None),
        };
        match (name, group) {
            ("ring", None) => Ok(Self::Ring),
            ("doubling", None) => Ok(Self::Doubling),
            ("halving", None) => Ok(Self::Halving),
            ("hierarchical", Some(Ok(group))) => Ok(Self::Hierarchical(group)),
            _ => Err(WorkloadError::refused(
                format!("{} is not an all-reduce", quoted(text)),
                "ring, doubling, halving and hierarchical:RANKS, where RANKS are those of a group, at least 1",
            )),
        }
    }
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ring => f.pad("ring"),
            Self::Doubling => f.pad("doubling"),
            Self::Halving => f.pad("halving"),
            Self::Hierarchical(group) => f.pad(&format!("hierarchical:{group}")),
        }
    }
}
