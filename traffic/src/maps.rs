//! Patterns as maps of nodes: for each node, by number, the one that it sends to.
//!
//! Everything random comes from a seed, by a generator and in an order that are part of a pattern's
//! meaning: a model's flows and a simulator's packets of one name and seed are the same traffic, on
//! every machine.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_schema::{Dragonfly, NodeId};

/// Keeps the draws of permutations and of mixtures apart from those of nodes and switches.
const STREAM: u64 = 0x7261_6666_6963;

/// From switch (i, j) to switch (i + Δg, j + Δs), each modulo its count, to the node on the same
/// terminal.
pub(crate) fn shift(df: &Dragonfly, groups: u32, switches: u32) -> Vec<NodeId> {
    let to = |node: u32| {
        let (switch, terminal) = (node / df.p(), node % df.p());
        let (group, index) = (switch / df.a(), switch % df.a());
        let (group, index) = ((group + groups) % df.g(), (index + switches) % df.a());
        NodeId((group * df.a() + index) * df.p() + terminal)
    };
    (0..df.node_count()).map(to).collect()
}

/// The patterns of `TYPE_2_SET`, one after the other: a random permutation of the groups that leaves
/// no group in place, and a random permutation of the switches for each group.
///
/// The permutation of the groups is uniform over those without a fixed group: permutations are
/// drawn until one has no fixed group, 2.7 on average.
pub(crate) fn type_two(df: &Dragonfly, seed: u64) -> impl Iterator<Item = Vec<NodeId>> + use<> {
    let df = *df;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    std::iter::repeat_with(move || {
        let mut groups: Vec<u32> = (0..df.g()).collect();
        loop {
            groups.shuffle(&mut rng);
            if (0..).zip(&groups).all(|(from, &to)| from != to) {
                break;
            }
        }
        let mut to = Vec::with_capacity(df.node_count() as usize);
        for group in groups {
            let mut switches: Vec<u32> = (0..df.a()).collect();
            switches.shuffle(&mut rng);
            for index in switches {
                let first = (group * df.a() + index) * df.p();
                to.extend((first..first + df.p()).map(NodeId));
            }
        }
        to
    })
}

/// Permutations of the nodes, one after the other.
pub(crate) fn permutations(df: &Dragonfly, seed: u64) -> impl Iterator<Item = Vec<NodeId>> + use<> {
    let nodes = df.node_count();
    let mut rng = stream(seed);
    std::iter::repeat_with(move || permutation(nodes, &mut rng))
}

/// The draws of permutations and mixtures.
pub(crate) fn stream(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed ^ STREAM)
}

/// A permutation of the nodes 0 to n − 1, every one equally likely up to the bias of [`below`].
pub(crate) fn permutation(n: u32, rng: &mut impl Rng) -> Vec<NodeId> {
    let mut order: Vec<NodeId> = (0..n).map(NodeId).collect();
    for last in (1..n).rev() {
        order.swap(last as usize, below(rng, last + 1) as usize);
    }
    order
}

/// A number below `n`, uniform up to a bias of n·2⁻³².
#[inline]
pub fn below(rng: &mut impl Rng, n: u32) -> u32 {
    ((u64::from(rng.next_u32()) * u64::from(n)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Dragonfly {
        Dragonfly::new(1, 2, 1, 3).unwrap()
    }

    fn numbers(map: &[NodeId]) -> Vec<u32> {
        map.iter().map(|node| node.0).collect()
    }

    #[test]
    fn the_draws_of_a_seed_do_not_change() {
        let type_two: Vec<_> = type_two(&small(), 1).take(2).map(|map| numbers(&map)).collect();
        let permutations: Vec<_> =
            permutations(&small(), 1).take(2).map(|map| numbers(&map)).collect();
        assert_eq!(type_two, [[3, 2, 4, 5, 0, 1], [5, 4, 0, 1, 2, 3]]);
        assert_eq!(permutations, [[3, 0, 1, 5, 4, 2], [4, 2, 3, 0, 5, 1]]);
    }

    #[test]
    fn a_type_2_pattern_moves_every_group_as_a_whole() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let group = |node: NodeId| df.place(df.switch_of(node).0).0;
        for map in type_two(&df, 3).take(50) {
            let mut sorted = map.clone();
            sorted.sort_unstable();
            assert_eq!(numbers(&sorted), (0..72).collect::<Vec<_>>());
            for (from, &to) in (0..).map(NodeId).zip(&map) {
                let first = NodeId(from.0 / 8 * 8);
                assert_ne!(group(from), group(to));
                assert_eq!(group(to), group(map[first.as_usize()]));
                assert_eq!(df.switch_of(from).1, df.switch_of(to).1, "the terminal stays");
            }
        }
    }
}
