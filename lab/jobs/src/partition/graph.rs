//! An undirected graph with weighted edges.

/// An undirected graph whose edges have weights. Vertices are numbers from 0. No edge joins a vertex to
/// itself, and two vertices share one edge at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Where the neighbours of each vertex begin, and where those of the last one end.
    starts: Vec<usize>,
    /// Neighbours by rising number, with the weight of the edge.
    neighbours: Vec<(u32, u64)>,
}

impl Graph {
    /// The graph of these edges, in any order and direction. Edges between the same two vertices become one
    /// with the sum of their weights (at most [`u64::MAX`]). Edges of a vertex to itself are left out.
    ///
    /// # Panics
    /// If an edge names a vertex that is not below `vertices`.
    pub fn from_edges(vertices: u32, edges: impl IntoIterator<Item = (u32, u32, u64)>) -> Self {
        let edges = edges.into_iter().filter(|(one, other, _)| one != other);
        let mut both: Vec<(u32, u32, u64)> = edges
            .flat_map(|(one, other, weight)| [(one, other, weight), (other, one, weight)])
            .collect();
        both.sort_unstable();
        both.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            if is_same {
                kept.2 = kept.2.saturating_add(next.2);
            }
            is_same
        });
        let mut starts = vec![0; vertices as usize + 1];
        for (from, _, _) in &both {
            starts[*from as usize + 1] += 1;
        }
        for vertex in 0..vertices as usize {
            starts[vertex + 1] += starts[vertex];
        }
        Self { starts, neighbours: both.into_iter().map(|(_, to, weight)| (to, weight)).collect() }
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> u32 {
        u32::try_from(self.starts.len() - 1).expect("a graph is made with a number of this type")
    }

    /// The neighbours of a vertex by rising number, and the weights of the edges to them.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn neighbours(&self, vertex: u32) -> &[(u32, u64)] {
        &self.neighbours[self.starts[vertex as usize]..self.starts[vertex as usize + 1]]
    }

    /// Every edge once, from its lower to its higher vertex, sorted.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        (0..self.vertices()).flat_map(|from| {
            let later = self.neighbours(from).iter().filter(move |(to, _)| *to > from);
            later.map(move |&(to, weight)| (from, to, weight))
        })
    }

    /// The graph between some vertices, each of which is listed once. Its vertices are the places in the list.
    #[must_use]
    pub fn within(&self, vertices: &[u32]) -> Self {
        let count = u32::try_from(vertices.len()).expect("a graph has no more vertices than this");
        let mut places = vec![None; self.vertices() as usize];
        for (place, vertex) in (0..).zip(vertices) {
            places[*vertex as usize] = Some(place);
        }
        let edges = (0..count).zip(vertices).flat_map(|(from, vertex)| {
            let places = &places;
            self.neighbours(*vertex).iter().filter_map(move |&(to, weight)| {
                let to = places[to as usize].filter(|to| *to > from)?;
                Some((from, to, weight))
            })
        });
        Self::from_edges(count, edges)
    }

    /// The graph between parts: the weight between two parts is that of all edges between their vertices.
    /// `part_of` has the part of each vertex.
    #[must_use]
    pub fn between(&self, parts: u32, part_of: &[u32]) -> Self {
        let part = |vertex: u32| part_of[vertex as usize];
        Self::from_edges(
            parts,
            self.edges().map(|(one, other, weight)| (part(one), part(other), weight)),
        )
    }

    /// The weight of the edges that join a vertex of one part to a vertex of another.
    pub fn cut<P: PartialEq>(&self, part_of: &[P]) -> u128 {
        let is_cut = |(one, other): (u32, u32)| part_of[one as usize] != part_of[other as usize];
        let cut = self.edges().filter(|&(one, other, _)| is_cut((one, other)));
        cut.map(|(_, _, weight)| u128::from(weight)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_summed_up_and_sorted() {
        let graph = Graph::from_edges(4, [(2, 0, 5), (1, 1, 9), (0, 2, 2), (3, 2, 1)]);
        assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 2, 7), (2, 3, 1)]);
        assert_eq!(graph.neighbours(2), [(0, 7), (3, 1)]);
        assert_eq!(graph.neighbours(1), []);
        assert_eq!(graph.cut(&[0, 0, 1, 1]), 7);
        let within = graph.within(&[3, 0, 2]);
        assert_eq!(within.edges().collect::<Vec<_>>(), [(0, 2, 1), (1, 2, 7)]);
        let between = graph.between(2, &[0, 1, 1, 0]);
        assert_eq!(between.edges().collect::<Vec<_>>(), [(0, 1, 8)]);
    }
}
