//! Patterns as maps of nodes: for each node, by number, the one that it sends to.
//!
//! Everything random comes from a seed, by a generator and in an order that are part of a pattern's
//! meaning: a model's flows and a simulator's packets of one name and seed are the same traffic, on
//! every machine.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::mem;
use tvlb_schema::{GroupId, NodeId, Nodes};

/// Keeps the draws of permutations and of mixtures apart from those of nodes and switches.
const STREAM: u64 = 0x7261_6666_6963;

/// Replaces in a map a node that does not exist or sends nothing.
pub(crate) const SILENT: NodeId = NodeId(u32::MAX - 1);

/// The nodes of a fabric by their rank among those that exist.
#[derive(Clone, Debug)]
pub(crate) struct NodeRanks {
    /// Empty if every number below the count is a node.
    nodes: Vec<NodeId>,
    count: u32,
}

impl NodeRanks {
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

/// The groups that have nodes, in lists of those that send to each other: groups whose switches and nodes on each
/// switch are as many, and in a last list those of which there is only one. Within each, groups stand in order.
///
/// A group that sent to a smaller one would measure how much that one takes, and nothing of the network.
fn peers(nodes: &Nodes) -> Vec<Vec<GroupId>> {
    let mut of_size: BTreeMap<(u16, u16), Vec<GroupId>> = BTreeMap::new();
    for group in nodes.groups() {
        let kind = nodes.dragonfly().kind_of(group);
        of_size.entry((kind.a, kind.p)).or_default().push(group);
    }
    let (mut peers, single): (Vec<_>, Vec<_>) =
        of_size.into_values().partition(|groups| groups.len() > 1);
    let mut single = single.concat();
    single.sort_unstable();
    peers.push(single);
    peers.retain(|groups| !groups.is_empty());
    peers
}

/// The nodes of the groups that are most of a fabric: of the groups of one size that together have the most nodes, or of
/// the first such where two have as many.
///
/// A throughput of all nodes alike is that of those who can send least, so that a few groups for storage would hide
/// what the others reach.
#[must_use]
pub fn of_most_peers(nodes: &Nodes) -> Nodes {
    let df = nodes.dragonfly();
    let group = |node: NodeId| df.place(df.switch_of(node).0).0;
    let count =
        |groups: &[GroupId]| nodes.iter().filter(|&node| groups.contains(&group(node))).count();
    let lists = peers(nodes).into_iter().map(|groups| (count(&groups), groups));
    let most = lists.reduce(|most, list| if list.0 > most.0 { list } else { most });
    let (_, most) = most.unwrap_or_default();
    let others: Vec<NodeId> = nodes.iter().filter(|&node| !most.contains(&group(node))).collect();
    nodes.clone().without(others)
}

/// How far a group sends in a list of this many peers, if patterns say this many groups further; `None` if there is no
/// other. If the peers are fewer than all groups, distances start again after the last other one.
fn ahead(peers: usize, groups: u32) -> Option<usize> {
    match (groups as usize, peers) {
        (0, _) => Some(0),
        (_, 0 | 1) => None,
        (groups, peers) => Some(1 + (groups - 1) % (peers - 1)),
    }
}

/// Where the nodes are.
struct NodePlaces {
    /// By group, of each switch that has nodes, these nodes.
    nodes: Vec<Vec<Vec<NodeId>>>,
    peers: Vec<Vec<GroupId>>,
    numbers: usize,
}

impl NodePlaces {
    fn of(nodes: &Nodes) -> Self {
        let df = nodes.dragonfly();
        let of_group = |group| {
            let switches = df.switches_in(group);
            let there = switches.map(|switch| nodes.of_switch(switch).collect::<Vec<_>>());
            there.filter(|nodes| !nodes.is_empty()).collect()
        };
        Self {
            nodes: df.group_numbers().map(of_group).collect(),
            peers: peers(nodes),
            numbers: df.node_numbers() as usize,
        }
    }

    /// How many switches of a group have nodes.
    fn switches(&self, group: GroupId) -> usize {
        self.nodes[group.as_usize()].len()
    }

    /// The node of a group that has nodes, on this switch and terminal, each modulo how many there are.
    fn wrapped(&self, group: GroupId, switch: usize, terminal: usize) -> NodeId {
        let switches = &self.nodes[group.as_usize()];
        let nodes = &switches[switch % switches.len()];
        nodes[terminal % nodes.len()]
    }

    /// The map of a function of group, switch and terminal over all nodes. No node receives from two: the second sender
    /// is silent.
    fn map(&self, to: impl Fn(GroupId, usize, usize) -> Option<NodeId>) -> Vec<NodeId> {
        let mut map = vec![SILENT; self.numbers];
        let mut receives = vec![false; self.numbers];
        for (group, switches) in (0..).map(GroupId).zip(&self.nodes) {
            for (switch, nodes) in switches.iter().enumerate() {
                for (terminal, node) in nodes.iter().enumerate() {
                    let free = to(group, switch, terminal)
                        .filter(|to| !mem::replace(&mut receives[to.as_usize()], true));
                    map[node.as_usize()] = free.unwrap_or(SILENT);
                }
            }
        }
        map
    }
}

/// The nodes of the first switch of each group, of those that have nodes.
pub(crate) fn first_switches(nodes: &Nodes) -> impl Iterator<Item = NodeId> + use<> {
    let groups = NodePlaces::of(nodes).nodes.into_iter();
    groups.filter_map(|switches| switches.into_iter().next()).flatten()
}

/// From switch (i, j) to switch (i + Δg, j + Δs), each modulo its count, to the node on the same
/// terminal. Groups are counted among [`peers`], switches and terminals among those that have nodes, and what the
/// group there does not have wraps. Who has no other group to send to, or would be second to send to a node, is
/// silent.
pub(crate) fn shift(nodes: &Nodes, groups: u32, switches: u32) -> Vec<NodeId> {
    let places = NodePlaces::of(nodes);
    let mut next = vec![None; nodes.dragonfly().g() as usize];
    for peers in &places.peers {
        for (rank, group) in peers.iter().enumerate() {
            let ahead = ahead(peers.len(), groups);
            next[group.as_usize()] = ahead.map(|ahead| peers[(rank + ahead) % peers.len()]);
        }
    }
    places.map(|group, switch, terminal| {
        let to = next[group.as_usize()]?;
        Some(places.wrapped(to, switch + switches as usize, terminal))
    })
}

/// Where destinations are drawn from groups further on.
#[derive(Clone, Debug)]
pub(crate) struct Ahead {
    /// How many numbers the nodes of a group have.
    numbers: u32,
    /// The nodes of each list of peers, twice: what follows the last group is its first.
    nodes: Vec<NodeId>,
    /// By group, which of these nodes are drawn from: the first, and how many. None for a group without peers.
    of_group: Vec<(u32, u32)>,
}

impl Ahead {
    /// From each group to as many groups as `count` says of it, the first of them so many further among its peers.
    pub(crate) fn of(nodes: &Nodes, groups: u32, count: impl Fn(GroupId) -> u32) -> Self {
        let df = nodes.dragonfly();
        let mut ahead = Self {
            numbers: df.p() * df.a(),
            nodes: Vec::new(),
            of_group: vec![(0, 0); df.g() as usize],
        };
        for peers in peers(nodes) {
            let Some(distance) = self::ahead(peers.len(), groups) else { continue };
            let mut firsts = Vec::new();
            for &group in peers.iter().chain(&peers) {
                firsts.push(ahead.nodes.len());
                let there = df.switches_in(group).flat_map(|switch| nodes.of_switch(switch));
                ahead.nodes.extend(there);
            }
            firsts.push(ahead.nodes.len());
            for (rank, &group) in peers.iter().enumerate() {
                let others = peers.len() - 1;
                let count = (count(group) as usize).clamp(1, others);
                let first = firsts[rank + distance];
                let drawn = firsts[rank + distance + count] - first;
                let number = |place| u32::try_from(place).unwrap_or(u32::MAX);
                ahead.of_group[group.as_usize()] = (number(first), number(drawn));
            }
        }
        ahead
    }

    /// What the process of this number draws from: the first place of [`Self::node`], and how many; 0 if it has no
    /// peers.
    #[inline]
    pub(crate) fn drawn(&self, process: NodeId) -> (u32, u32) {
        self.of_group[(process.0 / self.numbers) as usize]
    }

    #[inline]
    pub(crate) fn node(&self, place: u32) -> NodeId {
        self.nodes[place as usize]
    }
}

/// The patterns of `TYPE_2_SET`, one after the other: a random permutation of the groups that leaves
/// no group in place, and a random permutation of the switches for each group. Groups are permuted among [`peers`].
///
/// The permutation of the groups is uniform over those without a fixed group: permutations are
/// drawn until one has no fixed group, 2.7 on average.
pub(crate) fn type_two(nodes: &Nodes, seed: u64) -> impl Iterator<Item = Vec<NodeId>> + use<> {
    let order: Vec<GroupId> = nodes.groups().collect();
    let places = NodePlaces::of(nodes);
    let g = nodes.dragonfly().g() as usize;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    std::iter::repeat_with(move || {
        let mut next = vec![None; g];
        for peers in &places.peers {
            let mut groups = peers.clone();
            while groups.len() > 1 {
                groups.shuffle(&mut rng);
                if peers.iter().zip(&groups).all(|(from, to)| from != to) {
                    break;
                }
            }
            for (from, &to) in peers.iter().zip(&groups) {
                // The only group of a fabric has nowhere else to send to.
                let is_sent = *from != to || order.len() == 1;
                next[from.as_usize()] = is_sent.then_some(to);
            }
        }
        let mut there = vec![None; g];
        for from in &order {
            there[from.as_usize()] = next[from.as_usize()].map(|to| {
                let mut switches: Vec<usize> = (0..places.switches(to)).collect();
                switches.shuffle(&mut rng);
                (to, switches)
            });
        }
        places.map(|group, switch, terminal| {
            let (to, switches) = there[group.as_usize()].as_ref()?;
            Some(places.wrapped(*to, switches[switch % switches.len()], terminal))
        })
    })
}

/// Permutations of the nodes, one after the other.
pub(crate) fn permutations(nodes: &Nodes, seed: u64) -> impl Iterator<Item = Vec<NodeId>> + use<> {
    let (ranks, numbers) = (NodeRanks::of(nodes), nodes.dragonfly().node_numbers());
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
    use tvlb_schema::{Dragonfly, GroupKind, SwitchIndex};

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
            [(0, 8), (2, 10), (3, 11), (8, 0), (10, 2), (11, 3)]
        );
        let is_there = |&(from, to): &(u32, u32)| nodes.has(NodeId(from)) && nodes.has(NodeId(to));
        for map in type_two(&nodes, 5).take(20) {
            let pairs = pairs(map);
            assert!((5..=6).contains(&pairs.len()) && pairs.iter().all(is_there), "{pairs:?}");
        }
        for map in permutations(&nodes, 5).take(20) {
            let pairs = pairs(map);
            assert!(pairs.len() == 9 && pairs.iter().all(is_there), "{pairs:?}");
        }
        assert!(first_switches(&nodes).eq([0, 1, 8].map(NodeId)));
        // A group whose nodes are all missing receives nothing.
        let nodes = nodes.without((6..12).map(NodeId));
        assert_eq!(pairs(shift(&nodes, 0, 1)).len(), 6);
    }

    /// Three groups of two switches with two nodes each, one of three switches with a node each, two of two switches
    /// with one node each, and a fourth of the first kind after them.
    fn of_three_kinds() -> Nodes {
        let kind = |p, a, g| GroupKind { p, a, h: 3, g, local_links: 1 };
        let kinds = [kind(2, 2, 3), kind(1, 3, 1), kind(1, 2, 2), kind(2, 2, 1)];
        Nodes::from(&Dragonfly::of_kinds(&kinds).unwrap())
    }

    fn groups_of(nodes: &Nodes, map: &[NodeId]) -> Vec<(u16, Option<u16>)> {
        let df = nodes.dragonfly();
        let group = |node: NodeId| df.place(df.switch_of(node).0).0.0;
        let all = nodes.iter().map(|node| {
            let to = map[node.as_usize()];
            (group(node), (to != SILENT).then(|| group(to)))
        });
        let mut all: Vec<_> = all.collect();
        all.dedup();
        all
    }

    /// A single group of its kind has none to send to, and says nothing: to the others it would be a
    /// destination that takes too little.
    #[test]
    fn patterns_stay_among_groups_of_a_kind() {
        let nodes = of_three_kinds();
        let next = |groups| groups_of(&nodes, &shift(&nodes, groups, 0));
        let single = (3, None);
        assert_eq!(
            next(1),
            [
                (0, Some(1)),
                (1, Some(2)),
                (2, Some(6)),
                single,
                (4, Some(5)),
                (5, Some(4)),
                (6, Some(0))
            ]
        );
        assert_eq!(
            next(3),
            [
                (0, Some(6)),
                (1, Some(0)),
                (2, Some(1)),
                single,
                (4, Some(5)),
                (5, Some(4)),
                (6, Some(2))
            ]
        );
        assert_eq!(next(4), next(1));
        let maps =
            type_two(&nodes, 5).take(20).chain((1..7).map(|groups| shift(&nodes, groups, 1)));
        for map in maps {
            let mut received = map.clone();
            received.retain(|to| *to != SILENT);
            assert_eq!(received.len(), 20, "all but the single group send");
            received.sort_unstable();
            received.dedup();
            assert_eq!(received.len(), 20, "nobody receives twice");
            assert!(groups_of(&nodes, &map).iter().all(|&(from, to)| to != Some(from)));
        }
    }

    /// Two groups that are each the only one of their kind send to each other as far as the smaller takes it.
    #[test]
    fn single_groups_of_several_kinds_send_to_each_other() {
        let kind = |p, a| GroupKind { p, a, h: 1, g: 1, local_links: 1 };
        let nodes = Nodes::from(&Dragonfly::of_kinds(&[kind(2, 2), kind(1, 2)]).unwrap());
        let map = shift(&nodes, 1, 0);
        let sent = map.iter().filter(|to| **to != SILENT).count();
        assert_eq!(sent, 4);
        assert_eq!(groups_of(&nodes, &map).first(), Some(&(0, Some(1))));
    }

    #[test]
    fn most_peers_are_those_with_the_most_nodes() {
        let nodes = of_three_kinds();
        assert!(of_most_peers(&nodes).groups().eq([0, 1, 2, 6].map(GroupId)));
        let even = small();
        assert_eq!(of_most_peers(&even), even);
    }

    #[test]
    fn groups_further_on_are_those_of_a_kind() {
        let nodes = of_three_kinds();
        let df = nodes.dragonfly();
        let groups = |distance, count| -> Vec<Vec<u16>> {
            let ahead = Ahead::of(&nodes, distance, |_| count);
            let of_group = df.groups().map(|group| {
                let (first, count) = ahead.drawn(df.node(df.switch(group, SwitchIndex(0)), 0));
                let drawn = (first..first + count).map(|place| df.switch_of(ahead.node(place)).0);
                let mut drawn: Vec<_> = drawn.map(|switch| df.place(switch).0.0).collect();
                drawn.dedup();
                drawn
            });
            of_group.collect()
        };
        assert_eq!(groups(1, 1), [vec![1], vec![2], vec![6], vec![], vec![5], vec![4], vec![0]]);
        assert_eq!(
            groups(1, 2),
            [vec![1, 2], vec![2, 6], vec![6, 0], vec![], vec![5], vec![4], vec![0, 1]]
        );
        assert_eq!(groups(3, 1), [vec![6], vec![0], vec![1], vec![], vec![5], vec![4], vec![2]]);
    }
}
