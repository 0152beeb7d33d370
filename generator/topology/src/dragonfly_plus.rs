//! `dragonfly-plus`: groups of leaves, which have all the nodes, and spines, which have all the global links.
//!
//! The leaves of a group are its first switches, its spines the others. Each leaf is linked to each spine, and no two
//! leaves or two spines are. Leonardo and other `InfiniBand` machines are built like this.
//!
//! Only the spines count for the links between groups: with s spines of h global ports, each pair of groups has K =
//! ⌊s·h / (g−1)⌋ links, and the pairs that `extra_links` names have one more. They are dealt out pair by pair, (0, 1),
//! (0, 2), … (1, 2), …, by [`in_turn::lay_between`]: at either end, each link goes to the next free port of the spine
//! whose turn it is, and the turn goes round the spines. So no spine has more than one link more than another of its
//! group, and K spines of a group lead to each other group, or all of them if K ≥ s. If h = g − 1, port q of a spine
//! leads to the q-th other group, to the spine of its own index.

use super::{Topology, extra_links, in_turn};
use std::collections::BTreeSet;
use tvlb_schema::{Dragonfly, End, LeavesAndSpines, NodeId, Nodes, SwitchId, SwitchIndex};

/// The wiring of a Dragonfly whose groups begin with this many leaves, at least 1 and fewer than `a`.
///
/// # Panics
/// If there is no leaf or no spine, or the spines of a group have too few ports for a link to each other group.
pub(super) fn topology(df: Dragonfly, leaves: u8) -> Topology {
    let of_spines = spines(&df, leaves).expect("leaves, spines, and enough of their ports");
    let more = extra_links::pairs(&of_spines);
    let links = of_spines.ports_per_group() / (df.g() - 1);
    let spines = in_turn::lay_between(of_spines, |i, j| {
        links + u32::from(more.binary_search(&(i.0, j.0)).is_ok())
    });
    let end = |end: End| {
        let (spine, slot) = of_spines.split_port(end.port);
        End::new(&df, end.group, SwitchIndex(leaves + spine.0), slot)
    };
    let cables = spines.cables().iter().map(|cable| (end(cable.low), end(cable.high)));
    let mut local = Vec::new();
    for group in df.groups() {
        for leaf in (0..leaves).map(SwitchIndex) {
            for spine in df.indices(group).filter(|spine| spine.0 >= leaves) {
                let links = df.kind_of(group).local_links;
                local.extend((0..links).map(|_| (group, leaf, spine)));
            }
        }
    }
    let ends = nodes(&df, leaves).ends();
    let topology = Topology::from_cables(df, cables).expect("every port is given once");
    topology.with_ends(ends).with_local_links(local).expect("each leaf is linked to each spine")
}

/// The Dragonfly of the spines alone; `None` if there is no leaf, no spine, or too few of their ports.
pub fn spines(df: &Dragonfly, leaves: u8) -> Option<Dragonfly> {
    let spines = df.a().checked_sub(leaves.into()).filter(|_| leaves > 0)?;
    Dragonfly::new(df.p(), spines, df.h(), df.g()).ok()
}

/// The nodes, all of which are at the leaves.
pub(super) fn nodes(df: &Dragonfly, leaves: u8) -> Nodes {
    let is_at_spine = |&node: &NodeId| df.place(df.switch_of(node).0).1.0 >= leaves;
    Nodes::from(df).without(df.nodes().filter(is_at_spine))
}

/// The live leaves of a Dragonfly+; empty for any other wiring.
pub fn leaves(topology: &Topology) -> BTreeSet<SwitchId> {
    if !topology.has_leaves_and_spines_with(topology.ends()) {
        return BTreeSet::new();
    }
    let is_leaf = |&switch: &SwitchId| topology.lives(switch) && !topology.is_spine(switch);
    topology.dragonfly().switches().filter(is_leaf).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrangement::{Arrangement, arrange};
    use std::collections::BTreeMap;
    use tvlb_schema::GroupId;

    fn laid([leaves, spines, h, g]: [u32; 4]) -> Topology {
        let df = Dragonfly::new(2, leaves + spines, h, g).unwrap();
        let leaves = u8::try_from(leaves).unwrap();
        arrange(df, Arrangement::DragonflyPlus { leaves }, 1).unwrap()
    }

    /// Checks the promises of the module's documentation.
    fn check(sizes: [u32; 4]) {
        let [leaves, spines, h, g] = sizes;
        let topology = laid(sizes);
        let df = topology.dragonfly();
        let links = (spines * h / (g - 1)) as usize;
        let more = usize::from(!(spines * h).is_multiple_of(g - 1));
        let (least, most) = topology.links_per_pair();
        assert!(least >= links && most <= links + more, "{sizes:?}: {least} to {most}");
        for group in df.groups() {
            let mut of_spine = vec![0; spines as usize];
            let mut towards: BTreeMap<(GroupId, u8), usize> = BTreeMap::new();
            for link in df.groups().filter(|&far| far != group).flat_map(|far| {
                topology.links(group, far).iter().map(move |link| (far, df.split_port(link.from).0))
            }) {
                let (far, spine) = link;
                of_spine[usize::from(spine.0) - leaves as usize] += 1;
                *towards.entry((far, spine.0)).or_default() += 1;
            }
            assert!(of_spine.iter().max().unwrap() - of_spine.iter().min().unwrap() <= 1);
            for far in df.groups().filter(|&far| far != group) {
                let spread = towards.keys().filter(|(to, _)| *to == far).count();
                let links = topology.links(group, far).len();
                assert_eq!(spread, links.min(spines as usize), "{sizes:?}: {group} to {far}");
            }
            for (low, high) in df.indices(group).flat_map(|low| {
                df.indices(group).filter(move |&high| low < high).map(move |high| (low, high))
            }) {
                let is_linked = u32::from(low.0) < leaves && u32::from(high.0) >= leaves;
                assert_eq!(topology.links_within(group, low, high), u32::from(is_linked));
            }
        }
        let odd = (spines * h * g % 2) as usize;
        assert_eq!(topology.unused_ports(), (leaves * h * g) as usize + odd, "{sizes:?}");
        let ends: Vec<u8> = topology.ends().iter().map(|end| df.place(end).1.0).collect();
        assert_eq!(ends.len(), (leaves * g) as usize);
        assert!(ends.iter().all(|&index| u32::from(index) < leaves));
    }

    #[test]
    fn links_are_spread_over_all_small_sizes() {
        for (leaves, spines) in [(1, 1), (2, 2), (3, 2), (2, 3), (4, 4)] {
            for h in 1..=5 {
                for g in 2..=spines * h + 1 {
                    check([leaves, spines, h, g]);
                }
            }
        }
        check([18, 18, 22, 23]);
    }

    /// Worked out on paper from the definition: 3 spines of 2 ports, one link between any two of 7 groups.
    #[test]
    fn the_turn_goes_round_the_spines() {
        let topology = laid([2, 3, 2, 7]);
        let df = topology.dragonfly();
        let ends = |group: u16| {
            let ports = df.global_ports().map(move |port| End { group: GroupId(group), port });
            let far = |end: End| {
                let (index, slot) = df.split_port(end.port);
                let far = topology.peer(end)?;
                let (there, at) = df.split_port(far.port);
                Some([index.0.into(), slot, far.group.0, there.0.into(), at])
            };
            ports.filter_map(far).collect::<Vec<_>>()
        };
        let of_first = [
            [2, 0, 1, 2, 0],
            [2, 1, 4, 2, 0],
            [3, 0, 2, 2, 0],
            [3, 1, 5, 2, 0],
            [4, 0, 3, 2, 0],
            [4, 1, 6, 2, 0],
        ];
        assert_eq!(ends(0), of_first);
        // The last group is the last to which each other group is joined.
        let of_last = [
            [2, 0, 0, 4, 1],
            [2, 1, 3, 4, 1],
            [3, 0, 1, 4, 1],
            [3, 1, 4, 4, 1],
            [4, 0, 2, 4, 1],
            [4, 1, 5, 4, 1],
        ];
        assert_eq!(ends(6), of_last);
    }

    #[test]
    fn a_spine_of_g_minus_1_ports_leads_to_its_like_in_every_group() {
        let topology = laid([4, 3, 5, 6]);
        let df = topology.dragonfly();
        for group in df.groups() {
            for spine in (4..7).map(SwitchIndex) {
                for slot in 0..5 {
                    let far = topology.peer(End::new(df, group, spine, slot)).unwrap();
                    let there = if slot < group.0 { slot } else { slot + 1 };
                    assert_eq!((far.group.0, df.split_port(far.port).0), (there, spine));
                }
            }
        }
    }
}
