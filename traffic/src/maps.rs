//! Patterns as maps of nodes: for each node, by number, the one that it sends to.
//!
//! Everything random comes from a seed, by a generator and in an order that are part of a pattern's
//! meaning: a model's flows and a simulator's packets of one name and seed are the same traffic, on
//! every machine.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_schema::{Dragonfly, GroupId, NodeId, SwitchIndex};

/// Keeps the draws of permutations and of mixtures apart from those of nodes and switches.
const STREAM: u64 = 0x7261_6666_6963;

/// Stands in a map in the place of a node that does not exist or sends nothing.
pub(crate) const SILENT: NodeId = NodeId(u32::MAX - 1);

/// The nodes of a fabric by their rank among those that exist.
#[derive(Clone, Debug)]
pub(crate) struct Ranks {
    /// Empty where every number below the count is a node.
    nodes: Vec<NodeId>,
    count: u32,
}

impl Ranks {
    pub(crate) fn of(df: &Dragonfly) -> Self {
        let nodes = if df.is_even() { Vec::new() } else { df.nodes().collect() };
        Self { nodes, count: df.node_count() }
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The node of this rank below the count.
    #[inline]
    pub(crate) fn node(&self, rank: u32) -> NodeId {
        if self.nodes.is_empty() { NodeId(rank) } else { self.nodes[rank as usize] }
    }
}

/// The map that a function of group, switch and terminal makes of all nodes.
fn map_of(df: &Dragonfly, to: impl Fn(GroupId, SwitchIndex, u32) -> NodeId) -> Vec<NodeId> {
    let mut map = vec![SILENT; df.node_numbers() as usize];
    for group in df.groups() {
        for index in df.indices(group) {
            let switch = df.switch(group, index);
            for terminal in 0..df.nodes_of(group) {
                map[(u32::from(switch.0) * df.p() + terminal) as usize] =
                    to(group, index, terminal);
            }
        }
    }
    map
}

/// The node of a group that exists and has nodes, on this switch and terminal, each modulo how many
/// there are in that group.
fn wrapped(df: &Dragonfly, group: GroupId, index: u32, terminal: u32) -> NodeId {
    let index = u32::from(group.0) * df.a() + index % df.switches_of(group);
    NodeId(index * df.p() + terminal % df.nodes_of(group))
}

/// From switch (i, j) to switch (i + Δg, j + Δs), each modulo its count, to the node on the same
/// terminal. Groups are counted among those that have nodes, and what the group there does not have
/// wraps.
pub(crate) fn shift(df: &Dragonfly, groups: u32, switches: u32) -> Vec<NodeId> {
    let order: Vec<GroupId> = df.groups_with_nodes().collect();
    let mut next = vec![GroupId(0); df.g() as usize];
    for (rank, group) in order.iter().enumerate() {
        next[group.as_usize()] = order[(rank + groups as usize) % order.len()];
    }
    map_of(df, |group, index, terminal| {
        wrapped(df, next[group.as_usize()], u32::from(index.0) + switches, terminal)
    })
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
        let order: Vec<GroupId> = df.groups_with_nodes().collect();
        let mut groups = order.clone();
        // A single group has nowhere else to send to.
        while groups.len() > 1 {
            groups.shuffle(&mut rng);
            if order.iter().zip(&groups).all(|(from, to)| from != to) {
                break;
            }
        }
        let mut there = vec![(GroupId(0), Vec::new()); df.g() as usize];
        for (from, to) in order.iter().zip(groups) {
            let mut switches: Vec<u32> = (0..df.switches_of(to)).collect();
            switches.shuffle(&mut rng);
            there[from.as_usize()] = (to, switches);
        }
        map_of(&df, |group, index, terminal| {
            let (to, switches) = &there[group.as_usize()];
            wrapped(&df, *to, switches[index.as_usize() % switches.len()], terminal)
        })
    })
}

/// Permutations of the nodes, one after the other.
pub(crate) fn permutations(df: &Dragonfly, seed: u64) -> impl Iterator<Item = Vec<NodeId>> + use<> {
    let (ranks, numbers) = (Ranks::of(df), df.node_numbers());
    let mut rng = stream(seed);
    std::iter::repeat_with(move || {
        let order = permutation(ranks.count(), &mut rng);
        if numbers == ranks.count() {
            return order;
        }
        let mut to = vec![SILENT; numbers as usize];
        for (rank, NodeId(other)) in (0..).zip(order) {
            to[ranks.node(rank).as_usize()] = ranks.node(other);
        }
        to
    })
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
