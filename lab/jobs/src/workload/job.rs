//! Jobs: how many ranks each has, and on which nodes they run.

use crate::partition::Graph;
use crate::workload::error::WorkloadError;
use crate::workload::rank::Rank;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use tvlb_base::text::quoted;
use tvlb_schema::{Dragonfly, NodeId};

/// The most ranks of a job whose size is read from a text.
pub const MOST_RANKS: u32 = 1 << 24;

/// A job by its size. Its text is `RANKS` or `RANKSxPER_NODE`, such as `72x2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// How many ranks it has.
    pub ranks: NonZeroU32,
    /// How many of them a node runs at most: 1 if the text does not say.
    pub ranks_per_node: NonZeroU32,
}

impl Job {
    /// How many nodes the job takes.
    pub const fn nodes(&self) -> u32 {
        self.ranks.get().div_ceil(self.ranks_per_node.get())
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}x{}", self.ranks, self.ranks_per_node))
    }
}

impl FromStr for Job {
    type Err = WorkloadError;

    fn from_str(text: &str) -> Result<Self, WorkloadError> {
        let (ranks, per_node) = text.split_once('x').unwrap_or((text, "1"));
        let number = |text: &str| text.trim().parse::<NonZeroU32>();
        match (number(ranks), number(per_node)) {
            (Ok(ranks), Ok(ranks_per_node)) if ranks.get() <= MOST_RANKS => {
                Ok(Self { ranks, ranks_per_node })
            }
            _ => Err(WorkloadError::refused(
                format!("{} is not a job", quoted(text)),
                "RANKS or RANKSxPER_NODE, such as 72x2, with 1 to 16777216 ranks and at least 1 on a node",
            )),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedJob {
    pub job: Job,
    /// The nodes that it takes, in the order of placement. No other job has one of them.
    pub nodes: Vec<NodeId>,
    /// The node of each rank: one of `nodes`, none of which has more ranks than the job allows.
    pub node_of: Vec<NodeId>,
}

/// How many bytes stay how near.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BytesByNearness {
    /// Between ranks of one node.
    pub on_node: u128,
    /// Between two nodes of one switch.
    pub on_switch: u128,
    /// Between two switches of one group.
    pub in_group: u128,
    pub between_groups: u128,
}

impl PlacedJob {
    /// How near to each other those ranks are that exchange messages. An edge of the graph weighs as many
    /// bytes as two ranks exchange.
    ///
    /// # Panics
    /// If the graph has more ranks than the job.
    pub fn nearness(&self, df: &Dragonfly, graph: &Graph) -> BytesByNearness {
        let mut nearness = BytesByNearness::default();
        for (one, other, bytes) in graph.edges() {
            let nodes = [one, other].map(|rank| self.node_of[rank as usize]);
            let [switch, far_switch] = nodes.map(|node| df.switch_of(node).0);
            let amount = if nodes[0] == nodes[1] {
                &mut nearness.on_node
            } else if switch == far_switch {
                &mut nearness.on_switch
            } else if df.place(switch).0 == df.place(far_switch).0 {
                &mut nearness.in_group
            } else {
                &mut nearness.between_groups
            };
            *amount += u128::from(bytes);
        }
        nearness
    }

    /// The ranks that run on each of its nodes: nodes by rising number, ranks too.
    pub fn ranks_by_node(&self) -> Vec<(NodeId, Vec<Rank>)> {
        let mut pairs: Vec<(NodeId, Rank)> =
            self.node_of.iter().copied().zip((0..).map(Rank)).collect();
        pairs.sort_unstable();
        let runs = pairs.chunk_by(|one, next| one.0 == next.0);
        runs.map(|run| (run[0].0, run.iter().map(|(_, rank)| *rank).collect())).collect()
    }

    /// How many ranks each host runs: each host once, by the rising number of its first node.
    pub fn ranks_by_host<'h>(&self, host: impl Fn(NodeId) -> &'h str) -> Vec<(&'h str, usize)> {
        let mut hosts: Vec<(&str, usize)> = Vec::new();
        let mut place_of = BTreeMap::new();
        for (node, ranks) in self.ranks_by_node() {
            let host = host(node);
            let place = *place_of.entry(host).or_insert(hosts.len());
            if place == hosts.len() {
                hosts.push((host, 0));
            }
            hosts[place].1 += ranks.len();
        }
        hosts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_ranks_and_ranks_per_node() {
        for (text, nodes, shown) in [("72x2", 36, "72x2"), ("7", 7, "7x1"), (" 5 x 4", 2, "5x4")] {
            let job: Job = text.parse().unwrap();
            assert_eq!((job.nodes(), job.to_string().as_str()), (nodes, shown));
        }
        for text in ["", "0", "4x0", "4x", "x2", "4x2x1", "-3", "16777217"] {
            assert_eq!(
                text.parse::<Job>().unwrap_err().to_string(),
                format!(
                    "{text:?} is not a job, accepted RANKS or RANKSxPER_NODE, such as 72x2, with 1 to \
                     16777216 ranks and at least 1 on a node"
                )
            );
        }
    }

    #[test]
    fn ranks_are_listed_by_node() {
        let nodes = [7, 3].map(NodeId);
        let placed = PlacedJob {
            job: "3x2".parse().unwrap(),
            nodes: nodes.to_vec(),
            node_of: [7, 3, 7].map(NodeId).to_vec(),
        };
        assert_eq!(
            placed.ranks_by_node(),
            [(NodeId(3), vec![Rank(1)]), (NodeId(7), vec![Rank(0), Rank(2)])]
        );
    }

    #[test]
    fn bytes_are_counted_by_how_near_they_stay() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let placed = PlacedJob {
            job: "5x2".parse().unwrap(),
            nodes: [0, 1, 7, 70].map(NodeId).to_vec(),
            node_of: [0, 0, 1, 7, 70].map(NodeId).to_vec(),
        };
        let graph =
            Graph::from_edges(5, [(0, 1, 1), (1, 2, 20), (0, 3, 300), (3, 4, 4000), (0, 4, 5)]);
        let expected =
            BytesByNearness { on_node: 1, on_switch: 20, in_group: 300, between_groups: 4005 };
        assert_eq!(placed.nearness(&df, &graph), expected);
    }
}
