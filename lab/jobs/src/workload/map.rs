//! Which of a job's nodes each rank runs on.

use crate::partition::Graph;
use crate::workload::bisect;
use crate::workload::error::WorkloadError;
use crate::workload::job::{Job, PlacedJob};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fmt;
use std::str::FromStr;
use tvlb_base::progress::Progress;
use tvlb_base::text::quoted;
use tvlb_schema::{Dragonfly, NodeId};

/// Keeps the draws of maps apart from others of the same seed.
const STREAM: u64 = 0x7261_6e6b_6d61_7073;

/// A map of ranks to a job's nodes, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankMap {
    /// Ranks fill one node after the other, in the order of placement.
    #[default]
    Linear,
    /// Each rank in turn goes to a node drawn uniformly from those that have room.
    Random,
    /// Ranks that exchange many bytes go to the same node, switch or group if they can, by recursive bisection of the
    /// rank graph and of the nodes. It needs a graph.
    Bisect,
}

impl RankMap {
    /// Puts a job's ranks on the nodes that it takes. `graph` has the bytes that ranks exchange, and the seed decides
    /// random choices and where bisection starts; a job number separates the draws of jobs with the same seed.
    ///
    /// # Errors
    /// A bisection without a graph, or a graph of another size than the job; or the caller has cancelled the
    /// work.
    ///
    /// # Panics
    /// If there are fewer nodes than the job takes.
    pub fn place(
        self,
        df: &Dragonfly,
        job: Job,
        nodes: Vec<NodeId>,
        graph: Option<&Graph>,
        (seed, job_number): (u64, u32),
        progress: &dyn Progress,
    ) -> Result<PlacedJob, WorkloadError> {
        let (ranks, room) = (job.ranks.get(), job.ranks_per_node.get());
        assert!(nodes.len() >= job.nodes() as usize, "{} nodes for {job}", nodes.len());
        let seed = seed ^ STREAM ^ (u64::from(job_number) << 32);
        let node_of = match self {
            Self::Linear => (0..ranks).map(|rank| nodes[(rank / room) as usize]).collect(),
            Self::Random => {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
                let mut open: Vec<(NodeId, u32)> = nodes.iter().map(|node| (*node, room)).collect();
                let draw = |_| {
                    let drawn = rng.random_range(0..open.len());
                    let (node, left) = &mut open[drawn];
                    let node = *node;
                    *left -= 1;
                    if *left == 0 {
                        open.swap_remove(drawn);
                    }
                    node
                };
                (0..ranks).map(draw).collect()
            }
            Self::Bisect => {
                let graph = graph.ok_or_else(|| {
                    let found = "map bisect needs to know who exchanges messages with whom";
                    WorkloadError::refused(found, "with a graph")
                })?;
                if graph.vertices() != ranks {
                    return Err(WorkloadError::graph_size(graph.vertices(), ranks));
                }
                progress.stage("mapping", Some(bisect::splits(nodes.len())));
                let count = u32::try_from(nodes.len()).expect("nodes are numbered by u32");
                let part_of = bisect::parts(graph, count, room, (seed, progress))?;
                let between = graph.between(count, &part_of);
                let node_of = bisect::parts_on_nodes(&between, df, &nodes, (seed, progress))?;
                part_of.into_iter().map(|part| node_of[part as usize]).collect()
            }
        };
        Ok(PlacedJob { job, nodes, node_of })
    }
}

impl FromStr for RankMap {
    type Err = WorkloadError;

    fn from_str(text: &str) -> Result<Self, WorkloadError> {
        match text.trim() {
            "linear" => Ok(Self::Linear),
            "random" => Ok(Self::Random),
            "bisect" => Ok(Self::Bisect),
            _ => {
                let found = format!("{} is not a map of ranks", quoted(text));
                Err(WorkloadError::refused(found, "linear, random and bisect"))
            }
        }
    }
}

impl fmt::Display for RankMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Linear => "linear",
            Self::Random => "random",
            Self::Bisect => "bisect",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Motif;
    use proptest::prelude::*;
    use std::num::NonZeroU32;

    fn small() -> Dragonfly {
        Dragonfly::new(2, 4, 2, 9).unwrap()
    }

    fn placed(map: RankMap, job: &str, graph: Option<&Graph>, seed: u64) -> Vec<u32> {
        let job: Job = job.parse().unwrap();
        let nodes = small().nodes().take(job.nodes() as usize).collect();
        let placed = map.place(&small(), job, nodes, graph, (seed, 0), &()).unwrap();
        placed.node_of.iter().map(|node| node.0).collect()
    }

    fn halo(grid: &str, ranks: u32) -> Graph {
        let motif: Motif = format!("halo3d:{grid}").parse().unwrap();
        motif.programs(ranks, 1000, NonZeroU32::MIN).unwrap().graph()
    }

    #[test]
    fn a_linear_map_fills_nodes_in_order() {
        assert_eq!(placed(RankMap::Linear, "5x2", None, 1), [0, 0, 1, 1, 2]);
    }

    /// The draws of a seed are part of a map's meaning.
    #[test]
    fn the_draws_of_a_seed_do_not_change() {
        assert_eq!(placed(RankMap::Random, "10x2", None, 1), [0, 3, 0, 1, 1, 3, 4, 4, 2, 2]);
        assert_eq!(placed(RankMap::Random, "10x2", None, 2), [2, 1, 2, 1, 3, 0, 4, 4, 3, 0]);
    }

    /// The bytes of a stencil that leave a group, which is what the map is to save.
    #[test]
    fn bisection_keeps_a_stencil_together() {
        let graph = halo("6x6x4", 144);
        let groups = |map| {
            let nodes = placed(map, "144x2", Some(&graph), 1);
            graph.cut(&nodes.iter().map(|node| node / 8).collect::<Vec<_>>())
        };
        let (linear, random) = (groups(RankMap::Linear), groups(RankMap::Random));
        let bisect = groups(RankMap::Bisect);
        assert_eq!((linear, random, bisect), (316_000, 618_000, 224_000));
    }

    #[test]
    fn a_bisection_needs_the_graph_of_the_job() {
        let (df, job) = (small(), "4x2".parse::<Job>().unwrap());
        let place = |graph: Option<&Graph>| {
            let nodes = df.nodes().take(2).collect();
            RankMap::Bisect.place(&df, job, nodes, graph, (1, 0), &()).unwrap_err().to_string()
        };
        assert_eq!(
            place(None),
            "map bisect needs to know who exchanges messages with whom, accepted with a graph"
        );
        let said = "the graph has 6 ranks, accepted one of the job's 4";
        assert_eq!(place(Some(&halo("3x2x1", 6))), said);
    }

    struct Impatient;

    impl Progress for Impatient {
        fn is_cancelled(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_bisection_can_be_cancelled() {
        let (df, job, graph) = (small(), "144x2".parse::<Job>().unwrap(), halo("6x6x4", 144));
        let nodes = df.nodes().collect();
        let placed = RankMap::Bisect.place(&df, job, nodes, Some(&graph), (1, 0), &Impatient);
        assert_eq!(placed, Err(WorkloadError::Cancelled(tvlb_base::progress::Cancelled)));
    }

    #[test]
    fn names_read_back() {
        for name in ["linear", "random", "bisect"] {
            assert_eq!(name.parse::<RankMap>().unwrap().to_string(), name);
        }
        assert_eq!(
            "cluster".parse::<RankMap>().unwrap_err().to_string(),
            "\"cluster\" is not a map of ranks, accepted linear, random and bisect"
        );
    }

    proptest! {
        /// No node has more ranks than the job allows, no rank is elsewhere, and the seed determines everything.
        #[test]
        fn maps_respect_the_ranks_of_a_node(
            ranks in 1..40_u32, room in 1..5_u32, map in 0..3_usize, seed: u64,
        ) {
            let map = [RankMap::Linear, RankMap::Random, RankMap::Bisect][map];
            let edges = (0..ranks).flat_map(|rank| [(rank, rank / 2, 3), (rank, rank * 7 % ranks, 1)]);
            let graph = Graph::from_edges(ranks, edges);
            let job: Job = format!("{ranks}x{room}").parse().unwrap();
            let nodes: Vec<NodeId> = small().nodes().skip(3).take(job.nodes() as usize).collect();
            let place = || map.place(&small(), job, nodes.clone(), Some(&graph), (seed, 1), &()).unwrap();
            let placed = place();
            prop_assert_eq!(placed.node_of.len(), ranks as usize);
            for (node, members) in placed.ranks_by_node() {
                prop_assert!(nodes.contains(&node));
                prop_assert!(members.len() <= room as usize);
            }
            prop_assert_eq!(place(), placed);
        }
    }
}
