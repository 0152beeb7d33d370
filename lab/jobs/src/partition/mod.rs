//! Splits of a weighted graph into two parts of given sizes, with a small cut.
//!
//! The *cut* of a split is the weight of all edges between its parts. The least cut is hard to find, and [`split`] does
//! not promise it: it improves several starts by local search and keeps the best. The result depends on the graph, the
//! size and the seed alone.
//!
//! # Example
//! ```
//! use tvlb_jobs::partition::{Graph, split};
//!
//! // Two triangles, joined by one edge.
//! let edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)];
//! let graph = Graph::from_edges(6, edges.map(|(one, other)| (one, other, 1)));
//! let halves = split(&graph, 3, 7, &())?;
//! assert_eq!(halves.cut, 1);
//! assert_eq!(halves.is_first, [true, true, true, false, false, false]);
//! # Ok::<(), tvlb_base::progress::Cancelled>(())
//! ```

mod graph;
mod split;
mod tournament;

pub use graph::Graph;
pub use split::{Split, improved, split};
