//! Jobs: how many ranks each has, and on which nodes they run.

use crate::error::WorkloadError;
use crate::rank::Rank;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use tvlb_schema::NodeId;

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
            (Ok(ranks), Ok(ranks_per_node)) => Ok(Self { ranks, ranks_per_node }),
            _ => Err(WorkloadError::Job { text: text.to_owned() }),
        }
    }
}

/// A job on a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedJob {
    /// Its size.
    pub job: Job,
    /// The nodes that it takes, in the order of placement. No other job has one of them.
    pub nodes: Vec<NodeId>,
    /// The node of each rank: one of `nodes`, which has no more ranks than the job says.
    pub node_of: Vec<NodeId>,
}

impl PlacedJob {
    /// The ranks that run on each of its nodes: nodes by rising number, ranks too.
    pub fn ranks_by_node(&self) -> Vec<(NodeId, Vec<Rank>)> {
        let mut pairs: Vec<(NodeId, Rank)> =
            self.node_of.iter().copied().zip((0..).map(Rank)).collect();
        pairs.sort_unstable();
        let runs = pairs.chunk_by(|one, next| one.0 == next.0);
        runs.map(|run| (run[0].0, run.iter().map(|(_, rank)| *rank).collect())).collect()
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
        for text in ["", "0", "4x0", "4x", "x2", "4x2x1", "-3"] {
            assert_eq!(
                text.parse::<Job>().unwrap_err().to_string(),
                format!(
                    "{text:?} is not a job; accepted RANKS or RANKSxPER_NODE, both at least 1, such as \
                     72x2"
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
}
