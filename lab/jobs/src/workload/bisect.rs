//! Recursive bisection: parts of a rank graph with few bytes between them, and parts onto nodes.

use crate::partition::{Graph, split};
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_schema::{Dragonfly, NodeId};

/// The seed of random starts, and the progress, which may cancel.
pub(crate) type Search<'p> = (u64, &'p dyn Progress);

/// How many splits it takes to put the ranks of a job on this many nodes.
pub(crate) fn splits(nodes: usize) -> usize {
    3 * nodes.saturating_sub(1)
}

/// The part of each vertex, if these are parted into `parts` parts of at most `size` with a small cut. Parts
/// are as even as their halves allow.
///
/// # Panics
/// If the vertices do not fit into the parts.
pub(crate) fn parts(
    graph: &Graph,
    parts: u32,
    size: u32,
    (seed, progress): Search<'_>,
) -> Result<Vec<u32>, Cancelled> {
    let vertices = graph.vertices();
    assert!(u64::from(vertices) <= u64::from(parts) * u64::from(size), "{vertices} vertices");
    let mut part_of = vec![0; vertices as usize];
    let all: Vec<u32> = (0..vertices).collect();
    part(graph, &all, 0, parts, (seed, progress), &mut part_of)?;
    Ok(part_of)
}

/// Parts these vertices, whose graph is given, into `parts` parts, the first of which has number `first`.
fn part(
    graph: &Graph,
    vertices: &[u32],
    first: u32,
    parts: u32,
    search: Search<'_>,
    part_of: &mut [u32],
) -> Result<(), Cancelled> {
    if parts <= 1 {
        for vertex in vertices {
            part_of[*vertex as usize] = first;
        }
        return Ok(());
    }
    let lower = parts.div_ceil(2);
    // In proportion, and rounded up, so that neither half gets more than fits into its parts.
    let share = (u64::from(graph.vertices()) * u64::from(lower)).div_ceil(u64::from(parts));
    let share = u32::try_from(share).expect("a share is no more than the whole");
    let halves = halves(graph, share, search)?;
    for (half, first, parts) in
        [(&halves[0], first, lower), (&halves[1], first + lower, parts - lower)]
    {
        let members: Vec<u32> = half.iter().map(|place| vertices[*place as usize]).collect();
        part(&graph.within(half), &members, first, parts, search, part_of)?;
    }
    Ok(())
}

/// The node of each part, one part to a node: heavy edges stay on a switch or in a group if they can.
///
/// The nodes are split into halves of greatest inner affinity, which two nodes have by the switch or the
/// group that they share; the parts are split into halves of the same sizes with the least weight
/// between them; and so on in both halves.
///
/// # Panics
/// If there are not as many parts as nodes.
pub(crate) fn parts_on_nodes(
    graph: &Graph,
    df: &Dragonfly,
    nodes: &[NodeId],
    search: Search<'_>,
) -> Result<Vec<NodeId>, Cancelled> {
    assert_eq!(graph.vertices() as usize, nodes.len(), "one part to a node");
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    let affinity = affinity(df, &sorted);
    let mut node_of = vec![NodeId(0); nodes.len()];
    let all: Vec<u32> = (0..graph.vertices()).collect();
    assign(graph, &all, &affinity, &sorted, search, &mut node_of)?;
    Ok(node_of)
}

fn assign(
    graph: &Graph,
    parts: &[u32],
    affinity: &Graph,
    nodes: &[NodeId],
    search: Search<'_>,
    node_of: &mut [NodeId],
) -> Result<(), Cancelled> {
    if let ([part], [node]) = (parts, nodes) {
        node_of[*part as usize] = *node;
        return Ok(());
    }
    if parts.is_empty() {
        return Ok(());
    }
    let half = graph.vertices().div_ceil(2);
    let of_nodes = halves(affinity, half, search)?;
    let of_parts = halves(graph, half, search)?;
    for (here, there) in of_parts.iter().zip(&of_nodes) {
        let members: Vec<u32> = here.iter().map(|place| parts[*place as usize]).collect();
        let their_nodes: Vec<NodeId> = there.iter().map(|place| nodes[*place as usize]).collect();
        let (graph, affinity) = (graph.within(here), affinity.within(there));
        assign(&graph, &members, &affinity, &their_nodes, search, node_of)?;
    }
    Ok(())
}

/// The two halves of a split, each by rising vertex.
fn halves(
    graph: &Graph,
    first: u32,
    (seed, progress): Search<'_>,
) -> Result<[Vec<u32>; 2], Cancelled> {
    let found = split(graph, first, seed, progress)?;
    progress.step();
    let is_first = |vertex: &u32| found.is_first[*vertex as usize];
    let (one, other) = (0..graph.vertices()).partition(is_first);
    Ok([one, other])
}

/// The affinity of nodes that are sorted: 3 on a switch, 1 in a group. That any two have one more would not
/// change a split of given sizes.
fn affinity(df: &Dragonfly, nodes: &[NodeId]) -> Graph {
    let switches: Vec<_> = nodes.iter().map(|node| df.switch_of(*node).0).collect();
    let count = u32::try_from(nodes.len()).expect("nodes are numbered by u32");
    let edges = (0..count).flat_map(|one| {
        let (switches, switch) = (&switches, switches[one as usize]);
        let in_group =
            move |other: &u32| df.place(switches[*other as usize]).0 == df.place(switch).0;
        (one + 1..count)
            .take_while(in_group)
            .map(move |other| (one, other, if switches[other as usize] == switch { 3 } else { 1 }))
    });
    Graph::from_edges(count, edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph() -> impl Strategy<Value = Graph> {
        (1..30_u32).prop_flat_map(|vertices| {
            let edge = (0..vertices, 0..vertices, 0..9_u64);
            prop::collection::vec(edge, 0..60)
                .prop_map(move |edges| Graph::from_edges(vertices, edges))
        })
    }

    proptest! {
        #[test]
        fn parts_are_balanced(graph in graph(), size in 1..5_u32, more in 0..3_u32, seed: u64) {
            let count = graph.vertices().div_ceil(size) + more;
            let part_of = parts(&graph, count, size, (seed, &())).unwrap();
            let mut sizes = vec![0; count as usize];
            for part in &part_of {
                sizes[*part as usize] += 1;
            }
            prop_assert!(sizes.iter().all(|found| *found <= size), "{:?}", sizes);
            prop_assert_eq!(parts(&graph, count, size, (seed, &())).unwrap(), part_of);
        }

        #[test]
        fn every_part_has_a_node_of_its_own(graph in graph(), seed: u64) {
            let df = Dragonfly::new(2, 4, 2, 9).unwrap();
            let nodes: Vec<NodeId> = df.nodes().skip(5).take(graph.vertices() as usize).collect();
            let place = || parts_on_nodes(&graph, &df, &nodes, (seed, &())).unwrap();
            let mut found = place();
            prop_assert_eq!(&place(), &found);
            found.sort_unstable();
            prop_assert_eq!(found, nodes);
        }
    }

    /// Four pairs with heavy edges: each pair is one part, and a part that talks to another is on its switch.
    #[test]
    fn what_talks_stays_together() {
        let pairs = [(0, 4, 9), (1, 5, 9), (2, 6, 9), (3, 7, 9), (0, 1, 5), (2, 3, 5), (1, 2, 1)];
        let graph = Graph::from_edges(8, pairs);
        let part_of = parts(&graph, 4, 2, (1, &())).unwrap();
        for pair in 0..4 {
            assert_eq!(part_of[pair], part_of[pair + 4]);
        }
        let df = Dragonfly::new(2, 2, 1, 3).unwrap();
        let between = graph.between(4, &part_of);
        let nodes = [9, 0, 8, 1].map(NodeId);
        let node_of = parts_on_nodes(&between, &df, &nodes, (1, &())).unwrap();
        let switch = |rank: usize| df.switch_of(node_of[part_of[rank] as usize]).0;
        assert_eq!((switch(0), switch(2)), (switch(1), switch(3)));
    }
}
