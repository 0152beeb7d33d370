//! Which nodes each job takes.
//!
//! A placement is an order of the machine's nodes. Jobs are placed one after the other, and each takes the
//! next nodes of the order.

use crate::workload::error::WorkloadError;
use crate::workload::job::Job;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fmt;
use std::str::FromStr;
use tvlb_schema::{GroupId, NodeId, Nodes, SwitchIndex};
use tvlb_table_set::names::ListedNode;

/// Keeps the draws of placements apart from others of the same seed.
const STREAM: u64 = 0x6a6f_6273_6f6e_6466;

/// A placement of jobs by name, on no machine in particular.
///
/// # Example
/// ```
/// use tvlb_schema::{Dragonfly, NodeId};
/// use tvlb_traffic::workload::{Job, JobPlacement};
///
/// let df = Dragonfly::new(2, 4, 2, 9)?;
/// let jobs = ["6x2".parse::<Job>()?, "4x2".parse()?];
/// let placed = "spread".parse::<JobPlacement>()?.nodes(&df, &jobs, 1)?;
/// // The first job has nodes of the first switches of groups 0 and 1, the second goes on there.
/// assert_eq!(placed[0], [0, 1, 8].map(NodeId));
/// assert_eq!(placed[1], [9, 16].map(NodeId));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum JobPlacement {
    /// By rising number: group by group, switch by switch.
    #[default]
    Cluster,
    /// The nodes of the first switch of every group, then of the second of every group, and so on.
    Spread,
    /// In random order.
    Random,
    /// By rising number, but the groups in random order.
    Groups,
    /// In the order of a list, and on no other nodes. [`Parts::node_list`](tvlb_table_set::names::Parts::node_list) reads
    /// such a list.
    Listed(Vec<ListedNode>),
}

impl JobPlacement {
    /// The nodes that each job takes of those that there are, in the order of placement. The seed decides what is random.
    ///
    /// # Errors
    /// A list that does not fit the machine, or jobs that need more nodes than there are.
    pub fn nodes(
        &self,
        among: impl Into<Nodes>,
        jobs: &[Job],
        seed: u64,
    ) -> Result<Vec<Vec<NodeId>>, WorkloadError> {
        let order = self.order(&among.into(), seed)?;
        let mut free = order.as_slice();
        let mut placed = Vec::with_capacity(jobs.len());
        for (number, job) in jobs.iter().enumerate() {
            let wanted = job.nodes();
            let taken = free.split_off(..wanted as usize).ok_or(WorkloadError::Nodes {
                job: number,
                wanted,
                free: free.len(),
            })?;
            placed.push(taken.to_vec());
        }
        Ok(placed)
    }

    /// The nodes in the order in which jobs take them.
    fn order(&self, among: &Nodes, seed: u64) -> Result<Vec<NodeId>, WorkloadError> {
        let df = among.dragonfly();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ STREAM);
        let mut nodes: Vec<NodeId> = among.iter().collect();
        match self {
            Self::Cluster => {}
            Self::Spread => nodes.sort_by_key(|node| {
                let (group, index): (GroupId, SwitchIndex) = df.place(df.switch_of(*node).0);
                (index, group) // stable: the nodes of a switch stay in order
            }),
            Self::Random => nodes.shuffle(&mut rng),
            Self::Groups => {
                let mut groups: Vec<GroupId> = df.groups().collect();
                groups.shuffle(&mut rng);
                let mut places = vec![0; groups.len()];
                for (place, group) in groups.iter().enumerate() {
                    places[group.as_usize()] = place;
                }
                nodes.sort_by_key(|node| places[df.place(df.switch_of(*node).0).0.as_usize()]);
            }
            Self::Listed(list) => nodes = listed(among, list)?,
        }
        Ok(nodes)
    }
}

/// The nodes of a list, if the machine has them and none is there twice.
fn listed(among: &Nodes, list: &[ListedNode]) -> Result<Vec<NodeId>, WorkloadError> {
    // The line of each node, 0 where it has none.
    let mut lines = vec![0; among.dragonfly().node_numbers() as usize];
    for &ListedNode { line, node } in list {
        if !among.has(node) {
            let last = among.last().unwrap_or_default();
            return Err(WorkloadError::NoSuchNode { line, node, last });
        }
        let first = std::mem::replace(&mut lines[node.as_usize()], line);
        if first != 0 {
            return Err(WorkloadError::NodeTwice { line, node, first });
        }
    }
    Ok(list.iter().map(|listed| listed.node).collect())
}

impl FromStr for JobPlacement {
    type Err = WorkloadError;

    /// Reads a name; the list of [`Self::Listed`] is in a file.
    fn from_str(text: &str) -> Result<Self, WorkloadError> {
        match text.trim() {
            "cluster" => Ok(Self::Cluster),
            "spread" => Ok(Self::Spread),
            "random" => Ok(Self::Random),
            "groups" => Ok(Self::Groups),
            _ => Err(WorkloadError::Placement { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for JobPlacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cluster => "cluster",
            Self::Spread => "spread",
            Self::Random => "random",
            Self::Groups => "groups",
            Self::Listed(_) => "listed",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use tvlb_schema::{Dragonfly, GroupKind};
    use tvlb_table_set::names::{Names, Parts};

    fn small() -> Dragonfly {
        Dragonfly::new(2, 4, 2, 9).unwrap()
    }

    fn order(name: &str, df: &Dragonfly, seed: u64) -> Vec<u32> {
        let nodes = name.parse::<JobPlacement>().unwrap().order(&df.into(), seed).unwrap();
        nodes.into_iter().map(|NodeId(node)| node).collect()
    }

    #[test]
    fn orders_of_a_small_machine() {
        let df = small();
        assert_eq!(order("cluster", &df, 1), (0..72).collect::<Vec<_>>());
        let spread = order("spread", &df, 1);
        assert_eq!(spread[..6], [0, 1, 8, 9, 16, 17]);
        assert_eq!(spread[18..22], [2, 3, 10, 11]);
        assert_eq!(spread[71], 71);
        let groups = order("groups", &df, 1);
        for nodes in groups.chunks(8) {
            let group = nodes[0] / 8;
            assert_eq!(nodes, (8 * group..8 * group + 8).collect::<Vec<_>>());
        }
    }

    /// What a seed draws is part of a placement's meaning.
    #[test]
    fn the_draws_of_a_seed_do_not_change() {
        let firsts = |seed| -> Vec<u32> {
            order("groups", &small(), seed).chunks(8).map(|nodes| nodes[0] / 8).collect()
        };
        assert_eq!(firsts(1), [8, 2, 4, 3, 6, 5, 0, 1, 7]);
        assert_eq!(firsts(2), [2, 5, 0, 4, 6, 7, 8, 3, 1]);
        assert_eq!(order("random", &small(), 1)[..6], [66, 39, 13, 26, 41, 5]);
    }

    #[test]
    fn a_list_gives_its_nodes_in_its_order() {
        let df = small();
        let jobs = ["2".parse::<Job>().unwrap(), "3x2".parse().unwrap()];
        let names = Names::default();
        let placed = |text: &str| {
            let list =
                Parts::new(&df, &names).node_list(text).map_err(|error| error.to_string())?;
            JobPlacement::Listed(list).nodes(&df, &jobs, 1).map_err(|error| error.to_string())
        };
        let nodes = placed("# first job\n70\n3\n\n# second\n9\n8\n").unwrap();
        assert_eq!(nodes, [[70, 3].map(NodeId).to_vec(), [9, 8].map(NodeId).to_vec()]);
        for (text, said) in [
            ("70\n3\n9\n", "job 1 takes 2 nodes, but 1 are free; accepted jobs that fit together"),
            ("70\n\n72\n", "line 3: there is no node 72; the last node is 71"),
            ("70\n3\n70\n", "line 3: node 70 already stands in line 1, accepted each node once"),
        ] {
            assert_eq!(placed(text), Err(said.to_owned()));
        }
        let other = JobPlacement::Listed(vec![ListedNode { line: 3, node: NodeId(72) }]);
        assert_eq!(
            other.nodes(&df, &jobs, 1).unwrap_err().to_string(),
            "line 3: found node 72, accepted a node of the machine, 0 to 71"
        );
    }

    #[test]
    fn names_read_back() {
        for name in ["cluster", "spread", "random", "groups"] {
            assert_eq!(name.parse::<JobPlacement>().unwrap().to_string(), name);
        }
        assert_eq!(
            "linear".parse::<JobPlacement>().unwrap_err().to_string(),
            "\"linear\" is not a placement of jobs; accepted cluster, spread, random, groups and \
             listed:FILE"
        );
    }

    proptest! {
        /// No node is taken twice, every job has its nodes, and a seed says all, on uneven machines too.
        #[test]
        fn placements_are_injective(
            name in 0..4_usize,
            seed: u64,
            ranks in prop::collection::vec((1..9_u32, 1..4_u32), 1..4),
        ) {
            let kind = |p, a, g| GroupKind::new(p, a, 2, g);
            let df = Dragonfly::of_kinds(&[kind(2, 3, 1), kind(1, 2, 2), kind(3, 3, 1)]).unwrap();
            let jobs: Vec<Job> =
                ranks.iter().map(|(n, c)| format!("{n}x{c}").parse().unwrap()).collect();
            let placement: JobPlacement =
                ["cluster", "spread", "random", "groups"][name].parse().unwrap();
            let all: u32 = jobs.iter().map(Job::nodes).sum();
            match placement.nodes(&df, &jobs, seed) {
                Ok(placed) => {
                    let taken: BTreeSet<NodeId> = placed.iter().flatten().copied().collect();
                    prop_assert_eq!(taken.len(), all as usize);
                    prop_assert!(taken.iter().all(|node| df.has_node(*node)));
                    for (job, nodes) in jobs.iter().zip(&placed) {
                        prop_assert_eq!(nodes.len(), job.nodes() as usize);
                    }
                    prop_assert_eq!(placement.nodes(&df, &jobs, seed).unwrap(), placed);
                }
                Err(_) => prop_assert!(all > df.node_count()),
            }
        }
    }
}
