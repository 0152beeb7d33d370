//! A split into two parts of given sizes, by the local search of Fiduccia and Mattheyses ("A linear-time heuristic for
//! improving network partitions", DAC 1982), restricted to exact sizes.

use crate::partition::graph::Graph;
use crate::partition::tournament::Tournament;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_base::progress::{Cancelled, Progress};

/// How many random starts are improved, beside the start in the order of numbers.
const RANDOM_STARTS: u32 = 7;

/// A split of a graph's vertices into two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Of each vertex, whether it is in the first part.
    pub is_first: Vec<bool>,
    /// The weight of the edges between the parts.
    pub cut: u128,
}

/// A split with `first` vertices in the first part and a small cut: the best of a few starts. The first of
/// these is the split in the order of numbers. Of equal cuts the earlier start's stays. The seed decides the
/// others.
///
/// # Errors
/// The caller has cancelled the work.
///
/// # Panics
/// If there are fewer than `first` vertices.
pub fn split(
    graph: &Graph,
    first: u32,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Split, Cancelled> {
    let vertices = graph.vertices();
    assert!(first <= vertices, "{first} of {vertices} vertices");
    let mut order: Vec<u32> = (0..vertices).collect();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut best = improved(graph, &order, first);
    for _ in 0..RANDOM_STARTS {
        if best.cut == 0 {
            break;
        }
        progress.check()?;
        order.shuffle(&mut rng);
        let next = improved(graph, &order, first);
        if next.cut < best.cut {
            best = next;
        }
    }
    Ok(best)
}

/// The split that local search makes of one start: the first vertices of an order against the others.
///
/// # Panics
/// If the order has fewer than `first` vertices, or does not have each vertex of the graph once.
pub fn improved(graph: &Graph, order: &[u32], first: u32) -> Split {
    assert_eq!(order.len(), graph.vertices() as usize, "an order has all vertices");
    let mut is_first = vec![false; order.len()];
    for vertex in &order[..first as usize] {
        is_first[*vertex as usize] = true;
    }
    while pass(graph, &mut is_first) {}
    let cut = graph.cut(&is_first);
    Split { is_first, cut }
}

/// Moves every vertex once, the best first and by turns between the parts, and keeps the moves up to
/// the best split of the right sizes. Whether the cut has become less.
fn pass(graph: &Graph, is_first: &mut [bool]) -> bool {
    let mut gains = initial_gains(graph, is_first);
    let mut parts = [Tournament::new(gains.len()), Tournament::new(gains.len())];
    for vertex in 0..graph.vertices() {
        parts[part(is_first, vertex)].set(vertex, true, &gains);
    }
    let mut moved = Vec::with_capacity(gains.len());
    // The part with one vertex too many, if any.
    let mut larger: Option<usize> = None;
    let (mut gained, mut best_gained, mut best_moves) = (0_i128, 0, 0);
    loop {
        let from = larger.unwrap_or_else(|| match [0, 1].map(|part| parts[part].winner()) {
            [Some(one), Some(other)] => usize::from(gains[other as usize] > gains[one as usize]),
            [_, other] => usize::from(other.is_some()),
        });
        let Some(vertex) = parts[from].winner() else { break };
        gained += gains[vertex as usize];
        parts[from].set(vertex, false, &gains);
        is_first[vertex as usize] = from == 1;
        larger = if larger.is_some() { None } else { Some(1 - from) };
        moved.push(vertex);
        for &(other, weight) in graph.neighbours(vertex) {
            let there = part(is_first, other);
            // The edge is now cut where it was not, or the reverse.
            let change = 2 * i128::from(weight);
            gains[other as usize] += if there == from { change } else { -change };
            if parts[there].has(other) {
                parts[there].set(other, true, &gains);
            }
        }
        if larger.is_none() && gained > best_gained {
            (best_gained, best_moves) = (gained, moved.len());
        }
    }
    for vertex in &moved[best_moves..] {
        is_first[*vertex as usize] ^= true;
    }
    best_gained > 0
}

/// By how much the cut falls if a vertex alone changes its part.
fn initial_gains(graph: &Graph, is_first: &[bool]) -> Vec<i128> {
    let gain = |vertex: u32| {
        let weights = graph.neighbours(vertex).iter().map(|&(other, weight)| {
            let is_cut = is_first[other as usize] != is_first[vertex as usize];
            if is_cut { i128::from(weight) } else { -i128::from(weight) }
        });
        weights.sum()
    };
    (0..graph.vertices()).map(gain).collect()
}

/// The part of a vertex: 0 for the first, 1 for the second.
fn part(is_first: &[bool], vertex: u32) -> usize {
    usize::from(!is_first[vertex as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph() -> impl Strategy<Value = Graph> {
        (2..10_u32).prop_flat_map(|vertices| {
            let edge = (0..vertices, 0..vertices, 0..5_u64);
            prop::collection::vec(edge, 0..30)
                .prop_map(move |edges| Graph::from_edges(vertices, edges))
        })
    }

    /// The least cut of all splits with this many vertices in the first part.
    fn least(graph: &Graph, first: u32) -> u128 {
        let all = (0..1_u32 << graph.vertices()).filter(|set| set.count_ones() == first);
        let cut = |set: u32| {
            let is_first: Vec<bool> = (0..graph.vertices()).map(|v| set >> v & 1 == 1).collect();
            graph.cut(&is_first)
        };
        all.map(cut).min().expect("there is a split")
    }

    proptest! {
        #[test]
        fn a_split_has_its_size_and_its_cut(graph in graph(), seed: u64, share in 0..=8_u32) {
            let first = graph.vertices() * share / 8;
            let found = split(&graph, first, seed, &()).unwrap();
            prop_assert_eq!(found.is_first.iter().filter(|is_first| **is_first).count(), first as usize);
            prop_assert_eq!(found.cut, graph.cut(&found.is_first));
            prop_assert_eq!(&split(&graph, first, seed, &()).unwrap(), &found);
            prop_assert!(found.cut >= least(&graph, first));
        }
    }

    /// A ring whose numbers are scattered, so that the first start is bad.
    #[test]
    fn a_ring_is_cut_twice() {
        let ring = Graph::from_edges(40, (0..40).map(|n| (n * 7 % 40, (n + 1) * 7 % 40, 3)));
        let cut = |first| split(&ring, first, 1, &()).unwrap().cut;
        assert_eq!(cut(20), 6);
        assert_eq!(cut(13), 6);
        assert_eq!(cut(0), 0);
    }

    #[test]
    fn the_greatest_weights_do_not_overflow() {
        let clique = (0..8).flat_map(|one| (0..one).map(move |other| (one, other, u64::MAX)));
        let found = split(&Graph::from_edges(8, clique), 4, 1, &()).unwrap();
        assert_eq!(found.cut, 16 * u128::from(u64::MAX));
    }
}
