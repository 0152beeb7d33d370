//! Patterns as maps of nodes: for each node, by number, the one that it sends to.
//!
//! Everything random comes from a seed, by a generator and in an order that are part of a pattern's
//! meaning: a model's flows and a simulator's packets of one name and seed are the same traffic, on
//! every machine.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_schema::{GroupId, NodeId, Nodes};

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
    pub(crate) fn of(nodes: &Nodes) -> Self {
        let count = nodes.count();
        let is_whole = nodes.dragonfly().node_numbers() == count;
        Self { nodes: if is_whole { Vec::new() } else { nodes.iter().collect() }, count }
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

/// Where the nodes are: by group, of each switch that has nodes, these nodes.
struct Places(Vec<Vec<Vec<NodeId>>>);

impl Places {
    fn of(nodes: &Nodes) -> Self {
        let df = nodes.dragonfly();
        let of_group = |group| {
            let switches = df.switches_in(group);
            let there = switches.map(|switch| nodes.of_switch(switch).collect::<Vec<_>>());
            there.filter(|nodes| !nodes.is_empty()).collect()
        };
        Self(df.group_numbers().map(of_group).collect())
    }

    /// The groups that have nodes, in order.
    fn groups(&self) -> Vec<GroupId> {
        let groups = (0..).map(GroupId).zip(&self.0);
        groups.filter(|(_, switches)| !switches.is_empty()).map(|(group, _)| group).collect()
    }

    /// How many switches of a group have nodes.
    fn switches(&self, group: GroupId) -> usize {
        self.0[group.as_usize()].len()
    }

    /// The node of a group that has nodes, on this switch and terminal, each modulo how many there are.
    fn wrapped(&self, group: GroupId, switch: usize, terminal: usize) -> NodeId {
        let switches = &self.0[group.as_usize()];
        let nodes = &switches[switch % switches.len()];
        nodes[terminal % nodes.len()]
    }

    /// The map of so many numbers that a function of group, switch and terminal makes of all nodes.
    fn map(&self, numbers: u32, to: impl Fn(GroupId, usize, usize) -> NodeId) -> Vec<NodeId> {
        let mut map = vec![SILENT; numbers as usize];
        for (group, switches) in (0..).map(GroupId).zip(&self.0) {
            for (switch, nodes) in switches.iter().enumerate() {
                for (terminal, node) in nodes.iter().enumerate() {
                    map[node.as_usize()] = to(group, switch, terminal);
                }
            }
        }
        map
    }
}

/// The nodes of the first switch of each group, of those that have nodes.
pub(crate) fn first_switches(nodes: &Nodes) -> impl Iterator<Item = NodeId> + use<> {
    Places::of(nodes).0.into_iter().filter_map(|switches| switches.into_iter().next()).flatten()
}

/// From switch (i, j) to switch (i + Δg, j + Δs), each modulo its count, to the node on the same
/// terminal. Groups, switches and terminals are counted among those that have nodes, and what the group
/// there does not have wraps.
pub(crate) fn shift(nodes: &Nodes, groups: u32, switches: u32) -> Vec<NodeId> {
    let df = nodes.dragonfly();
    let places = Places::of(nodes);
    let order = places.groups();
    let mut next = vec![GroupId(0); df.g() as usize];
    for (rank, group) in order.iter().enumerate() {
        next[group.as_usize()] = order[(rank + groups as usize) % order.len()];
    }
    places.map(df.node_numbers(), |group, switch, terminal| {
        places.wrapped(next[group.as_usize()], switch + switches as usize, terminal)
    })
}

/// The patterns of `TYPE_2_SET`, one after the other: a random permutation of the groups that leaves
/// no group in place, and a random permutation of the switches for each group.
///
/// The permutation of the groups is uniform over those without a fixed group: permutations are
/// drawn until one has no fixed group, 2.7 on average.
pub(crate) fn type_two(nodes: &Nodes, seed: u64) -> impl Iterator<Item = Vec<NodeId>> + use<> {
    let (g, numbers) = (nodes.dragonfly().g(), nodes.dragonfly().node_numbers());
    let places = Places::of(nodes);
    let order = places.groups();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    std::iter::repeat_with(move || {
        let mut groups = order.clone();
        // A single group has nowhere else to send to.
        while groups.len() > 1 {
            groups.shuffle(&mut rng);
            if order.iter().zip(&groups).all(|(from, to)| from != to) {
                break;
            }
        }
        let mut there = vec![(GroupId(0), Vec::new()); g as usize];
        for (from, to) in order.iter().zip(groups) {
            let mut switches: Vec<usize> = (0..places.switches(to)).collect();
            switches.shuffle(&mut rng);
            there[from.as_usize()] = (to, switches);
        }
        places.map(numbers, |group, switch, terminal| {
            let (to, switches) = &there[group.as_usize()];
            places.wrapped(*to, switches[switch % switches.len()], terminal)
        })
    })
}

/// Permutations of the nodes, one after the other.
pub(crate) fn permutations(nodes: &Nodes, seed: u64) -> impl Iterator<Item = Vec<NodeId>> + use<> {
    let (ranks, numbers) = (Ranks::of(nodes), nodes.dragonfly().node_numbers());
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
    use tvlb_schema::Dragonfly;

    fn small() -> Nodes {
        Nodes::from(&Dragonfly::new(1, 2, 1, 3).unwrap())
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
        for map in type_two(&Nodes::from(&df), 3).take(50) {
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

    /// Of two groups of three switches with two nodes each, the second lacks its first switch's nodes
    /// and the last node of its second.
    #[test]
    fn groups_switches_and_terminals_are_counted_among_those_that_have_nodes() {
        let df = Dragonfly::new(2, 3, 1, 2).unwrap();
        let nodes = Nodes::from(&df).without([6, 7, 9].map(NodeId));
        let pairs = |map: Vec<NodeId>| -> Vec<(u32, u32)> {
            let all = (0..).zip(map).filter(|(_, to)| *to != SILENT);
            all.map(|(from, to)| (from, to.0)).collect()
        };
        assert_eq!(
            pairs(shift(&nodes, 1, 0)),
            [(0, 8), (1, 8), (2, 10), (3, 11), (4, 8), (5, 8), (8, 0), (10, 2), (11, 3)]
        );
        for map in type_two(&nodes, 5).take(20).chain(permutations(&nodes, 5).take(20)) {
            let pairs = pairs(map);
            assert_eq!(pairs.len(), 9);
            assert!(
                pairs
                    .iter()
                    .all(|&(from, to)| { nodes.has(NodeId(from)) && nodes.has(NodeId(to)) })
            );
        }
        assert!(first_switches(&nodes).eq([0, 1, 8].map(NodeId)));
        // A group whose nodes are all missing is none that anybody sends to.
        let nodes = nodes.without((6..12).map(NodeId));
        assert_eq!(pairs(shift(&nodes, 0, 1)).len(), 6);
    }
}
