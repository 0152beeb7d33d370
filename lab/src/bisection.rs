//! The bisection bandwidth of a wiring: the least weight of links that any split of its switches into equal halves
//! cuts, where a local link counts 1 and a global link α.

mod bound;
mod ratio;
mod weighted;

pub use ratio::{Ratio, RatioError};

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_jobs::partition::{Split, improved, split};
use tvlb_schema::SwitchId;
use tvlb_topology::Topology;
use weighted::Weighted;

/// How many local searches for a good split begin at random splits that leave groups whole.
const STARTS_BY_GROUP: u32 = 64;
/// How many further starts exchange the places of two groups of the best split so far, which moves of single switches
/// cannot do.
const EXCHANGES: u32 = 256;
/// How many further starts move as many switches of either half of the best split so far to the other side, a quarter
/// at most, to leave splits that no single move improves.
const DISTURBANCES: u32 = 64;

/// The least cut of a wiring, or an interval that contains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bisection {
    /// The weight of a global link.
    pub ratio: Ratio,
    /// The switches of the first half, sorted: as many as in the second, or one less.
    pub first_half: Vec<SwitchId>,
    /// How many local links this split cuts.
    pub local_links: u64,
    /// How many global links this split cuts.
    pub global_links: u64,
    /// A weight, in the whole numbers of the ratio, that no split cuts less of, as counting shows.
    pub lower: u64,
}

impl Bisection {
    /// The weight of the split, in the whole numbers of the ratio.
    pub fn upper(&self) -> u64 {
        self.local_links * self.ratio.local() + self.global_links * self.ratio.global()
    }

    /// Whether no split cuts less.
    pub fn is_least(&self) -> bool {
        self.lower == self.upper()
    }
}

/// The least cut at a ratio of bandwidths.
///
/// # Errors
/// The caller has cancelled the work.
pub fn bisection(
    topology: &Topology,
    ratio: Ratio,
    progress: &dyn Progress,
) -> Result<Bisection, Cancelled> {
    let weighted = Weighted::new(topology, ratio);
    let Split { is_first, cut } = good_split(&weighted, progress)?;
    let lower = bound::least_cut(&weighted, progress)?;
    let lower = u64::try_from(lower).expect("a cut is not negative");
    let of_half = weighted.switches.iter().zip(&is_first).filter(|(_, is_first)| **is_first);
    let first_half: Vec<SwitchId> = of_half.map(|(switch, _)| *switch).collect();
    let (local_links, global_links) = cut_links(topology, &first_half);
    let found = Bisection { ratio, first_half, local_links, global_links, lower };
    debug_assert_eq!(u128::from(found.upper()), cut);
    Ok(found)
}

/// The best split of local search from many starts, and from the best of these with groups exchanged.
fn good_split(weighted: &Weighted, progress: &dyn Progress) -> Result<Split, Cancelled> {
    let half = weighted.half();
    let half = u32::try_from(half).expect("switches are numbered by fewer bits");
    let mut best = split(&weighted.all, half, 0, progress)?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut groups: Vec<usize> = (0..weighted.groups.len()).collect();
    for start in 0..=STARTS_BY_GROUP {
        progress.check()?;
        let vertices = |group: &usize| weighted.groups[*group].clone();
        let mut order: Vec<usize> = groups.iter().flat_map(vertices).collect();
        if start == 0 {
            // The first half of each group's switches.
            order.sort_by_key(|vertex| {
                let group = &weighted.groups[weighted.group_of(*vertex)];
                2 * (vertex - group.start) >= group.len()
            });
        }
        let order: Vec<u32> = order.into_iter().map(weighted::number).collect();
        let next = improved(&weighted.all, &order, half);
        if next.cut < best.cut {
            best = next;
        }
        groups.shuffle(&mut rng);
    }
    for round in 0..EXCHANGES + DISTURBANCES {
        progress.check()?;
        let mut is_first = best.is_first.clone();
        if round < EXCHANGES {
            groups.shuffle(&mut rng);
            let [one, other, ..] = &groups[..] else { continue };
            let [one, other] = [one, other].map(|group| weighted.groups[*group].clone());
            if one.len() != other.len() {
                continue;
            }
            one.zip(other).for_each(|(one, other)| is_first.swap(one, other));
        } else {
            disturb(&mut is_first, &mut rng);
        }
        let mut order: Vec<u32> = (0..weighted.all.vertices()).collect();
        order.sort_by_key(|vertex| !is_first[*vertex as usize]);
        let next = improved(&weighted.all, &order, half);
        if next.cut <= best.cut {
            best = next;
        }
    }
    Ok(best)
}

/// Lets some switches of the first half, and as many of the second, change sides.
fn disturb(is_first: &mut [bool], rng: &mut Xoshiro256PlusPlus) {
    let (mut first, mut second): (Vec<usize>, Vec<usize>) =
        (0..is_first.len()).partition(|vertex| is_first[*vertex]);
    first.shuffle(rng);
    second.shuffle(rng);
    let count = rng.random_range(1..=first.len().div_ceil(4).max(1));
    for (one, other) in first.into_iter().zip(second).take(count) {
        is_first.swap(one, other);
    }
}

/// How many local and how many global links are cut between these switches and all others.
pub fn cut_links(topology: &Topology, first_half: &[SwitchId]) -> (u64, u64) {
    let df = topology.dragonfly();
    let mut is_first = vec![false; df.switch_numbers() as usize];
    for switch in first_half {
        is_first[switch.as_usize()] = true;
    }
    let is_cut =
        |one: SwitchId, other: SwitchId| is_first[one.as_usize()] != is_first[other.as_usize()];
    let mut local = 0;
    for group in df.groups() {
        for one in df.indices(group) {
            for other in df.indices(group).filter(|other| *other > one) {
                if is_cut(df.switch(group, one), df.switch(group, other)) {
                    local += u64::from(topology.links_within(group, one, other));
                }
            }
        }
    }
    let global = topology.cables().iter().filter(|cable| {
        let [low, high] =
            [cable.low, cable.high].map(|end| df.switch(end.group, df.split_port(end.port).0));
        is_cut(low, high)
    });
    (local, global.count() as u64)
}

#[cfg(test)]
mod tests;
