//! `random`: each pair of groups gets its K links, the ports are drawn.
//!
//! To choose the pairs with one extra link, if a·h is not a multiple of g − 1, we start from the regular choice of
//! `extra_links` with the groups renumbered at random, then often exchange the partners of two random pairs, the Markov
//! chain whose limit is uniform over such choices (each group keeps its number of links at every exchange). Then every
//! group deals its links to its ports in an order of its own, drawn uniformly.
//!
//! The same seed gives the same wiring on every machine: the generator is xoshiro256++, all numbers are drawn as 32-bit
//! ones, nothing depends on the order of a hash table. A test pins one wiring, so that a new version of a dependency
//! cannot silently change the meaning of a seed.

use super::extra_links;
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_schema::End;
use tvlb_schema::{Dragonfly, GlobalPort, GroupId};

/// Attempted exchanges per pair: with ten the tests see no trace of the regular start.
const EXCHANGES_PER_PAIR: usize = 10;

pub(super) fn cables(df: &Dragonfly, seed: u64) -> Vec<(End, End)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let extra = random_extra_pairs(df, &mut rng);

    let mut free: Vec<Vec<GlobalPort>> = df
        .groups()
        .map(|_| {
            let mut ports: Vec<_> = df.global_ports().collect();
            ports.shuffle(&mut rng);
            ports
        })
        .collect();
    let mut cables = Vec::new();
    let mut join = |i: GroupId, j: GroupId| {
        let mut take = |group: GroupId| {
            let port = free[group.as_usize()]
                .pop()
                .expect("a group has at most a·h links by the counts above");
            End { group, port }
        };
        cables.push((take(i), take(j)));
    };
    let each = df.ports_per_group() / (df.g() - 1);
    for i in df.groups() {
        for j in df.groups().filter(|&j| i < j) {
            for _ in 0..each {
                join(i, j);
            }
        }
    }
    for (i, j) in extra {
        join(GroupId(i), GroupId(j));
    }
    cables
}

/// The pairs with a link more than the others.
fn random_extra_pairs(df: &Dragonfly, rng: &mut Xoshiro256PlusPlus) -> Vec<(u16, u16)> {
    let mut names: Vec<u16> = df.groups().map(|group| group.0).collect();
    names.shuffle(rng);
    let mut pairs: Vec<_> = extra_links::pairs(df)
        .into_iter()
        .map(|(i, j)| (names[usize::from(i)], names[usize::from(j)]))
        .collect();
    let Ok(count @ 2..) = u32::try_from(pairs.len()) else {
        return pairs; // Nothing to exchange.
    };

    let g = df.g() as usize;
    let at = |i: u16, j: u16| usize::from(i.min(j)) * g + usize::from(i.max(j));
    let mut taken = vec![false; g * g];
    for &(i, j) in &pairs {
        taken[at(i, j)] = true;
    }
    for _ in 0..EXCHANGES_PER_PAIR * pairs.len() {
        let one = rng.random_range(0..count) as usize;
        let other = rng.random_range(0..count) as usize;
        let (i, j) = pairs[one];
        // Either end of the second pair may come first: both exchanges are to be possible.
        let (k, l) = if rng.random_range(0..2_u32) == 0 {
            pairs[other]
        } else {
            (pairs[other].1, pairs[other].0)
        };
        if i == l || k == j || taken[at(i, l)] || taken[at(k, j)] {
            continue;
        }
        taken[at(i, j)] = false;
        taken[at(k, l)] = false;
        taken[at(i, l)] = true;
        taken[at(k, j)] = true;
        pairs[one] = (i, l);
        pairs[other] = (k, j);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Topology,
        arrangement::{Arrangement, arrange},
        cable_list,
    };

    fn laid((a, h, g): (u32, u32, u32), seed: u64) -> Topology {
        arrange(Dragonfly::new(1, a, h, g).unwrap(), Arrangement::Random, seed).unwrap()
    }

    #[test]
    fn a_seed_means_this_wiring_for_ever() {
        insta::assert_snapshot!(cable_list::write(&laid((2, 3, 5), 1)), @r"
        from_group,from_switch,from_port,to_group,to_switch,to_port
        0,0,0,1,0,2
        0,0,1,2,1,0
        0,0,2,1,1,0
        0,1,0,3,1,2
        0,1,1,2,0,0
        0,1,2,4,1,2
        1,0,0,2,0,2
        1,0,1,3,0,0
        1,1,1,3,1,1
        1,1,2,4,1,0
        2,0,1,4,0,2
        2,1,1,3,1,0
        2,1,2,4,0,0
        3,0,1,4,1,1
        3,0,2,4,0,1
        ");
    }

    #[test]
    fn seeds_differ() {
        assert_eq!(laid((8, 4, 9), 1), laid((8, 4, 9), 1));
        assert_ne!(laid((8, 4, 9), 1), laid((8, 4, 9), 2));
    }

    /// The pairs of groups with two links.
    fn extra_pairs(topology: &Topology) -> Vec<(GroupId, GroupId)> {
        let df = topology.dragonfly();
        df.groups()
            .flat_map(|i| df.groups().map(move |j| (i, j)))
            .filter(|&(i, j)| i < j && topology.links(i, j).len() == 2)
            .collect()
    }

    /// With five groups of two extra links each, the extra pairs are one of the 12 rings through
    /// all groups.
    #[test]
    fn extra_pairs_are_drawn_evenly() {
        let mut drawn = std::collections::BTreeMap::new();
        for seed in 0..1200 {
            let pairs = extra_pairs(&laid((2, 3, 5), seed));
            *drawn.entry(pairs).or_insert(0) += 1;
        }
        assert_eq!(drawn.len(), 12);
        let chi_square: f64 =
            drawn.values().map(|&count| f64::from(count - 100).powi(2) / 100.0).sum();
        // The 99.9th percentile for 11 degrees of freedom.
        assert!(chi_square < 31.3, "{chi_square}: {drawn:?}");
    }

    /// With seven groups they are one of 360 rings through all or one of 105 rings of three beside
    /// a ring of four. Renumbering groups alone would never give one of the 105.
    #[test]
    fn extra_pairs_are_not_only_renumbered() {
        let mut with_ring_of_three = 0;
        for seed in 0..2000 {
            let pairs = extra_pairs(&laid((4, 2, 7), seed));
            let both = |i, j| pairs.contains(&(i, j));
            let closes = |&(i, j): &(GroupId, GroupId)| {
                (j.0 + 1..7).any(|k| both(j, GroupId(k)) && both(i, GroupId(k)))
            };
            with_ring_of_three += u32::from(pairs.iter().any(closes));
        }
        // 2000 · 105/465 = 451.6, give or take 3.3 standard deviations of 18.7.
        assert!((390..=513).contains(&with_ring_of_three), "{with_ring_of_three}");
    }

    /// The port of group 1 at which its one link from group 0 arrives.
    #[test]
    fn ports_are_drawn_evenly() {
        let mut drawn = [0; 8];
        for seed in 0..4096 {
            let topology = laid((4, 2, 9), seed);
            let link = topology.links(GroupId(0), GroupId(1))[0];
            drawn[link.to.as_usize()] += 1;
        }
        let chi_square: f64 =
            drawn.iter().map(|&count| f64::from(count - 512).powi(2) / 512.0).sum();
        // The 99.9th percentile for 7 degrees of freedom.
        assert!(chi_square < 24.4, "{chi_square}: {drawn:?}");
    }
}
