//! Which nodes of a machine jobs take.

use crate::workload::error::WorkloadError;
use crate::workload::job::Job;
use tvlb_schema::{NodeId, Nodes};
use tvlb_traffic::PlacementRule;

/// The existing nodes that each job takes, in the order of the placement. The seed decides random choices.
///
/// # Errors
/// A list that does not fit the machine, or jobs that need more nodes than there are.
///
/// # Example
/// ```
/// use tvlb_schema::{Dragonfly, NodeId};
/// use tvlb_traffic::PlacementRule;
/// use tvlb_jobs::workload::{Job, place};
///
/// // Nine groups of four switches with two nodes each.
/// let df = Dragonfly::new(2, 4, 2, 9)?;
/// let jobs = ["3".parse::<Job>()?, "4x2".parse()?];
/// let placed = place(&PlacementRule::Spread, &df, &jobs, 1)?;
/// assert_eq!(placed[0], [0, 1, 8].map(NodeId));
/// assert_eq!(placed[1], [9, 16].map(NodeId));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn place(
    rule: &PlacementRule,
    among: impl Into<Nodes>,
    jobs: &[Job],
    seed: u64,
) -> Result<Vec<Vec<NodeId>>, WorkloadError> {
    let order = rule.order(&among.into(), seed)?;
    let mut free = order.as_slice();
    let mut placed = Vec::with_capacity(jobs.len());
    for (number, job) in jobs.iter().enumerate() {
        let wanted = job.nodes();
        let left = free.len();
        let taken = free.split_off(..wanted as usize).ok_or_else(|| {
            let found = format!("job {number} takes {wanted} nodes, but {left} are free");
            WorkloadError::refused(found, "jobs that fit together")
        })?;
        placed.push(taken.to_vec());
    }
    Ok(placed)
}
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use tvlb_schema::{Dragonfly, GroupKind};
    use tvlb_table_set::names::{ListedNode, Names, Parts};

    #[test]
    fn a_list_gives_its_nodes_in_its_order() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let jobs = ["2".parse::<Job>().unwrap(), "3x2".parse().unwrap()];
        let names = Names::default();
        let placed = |text: &str| {
            let list =
                Parts::new(&df, &names).node_list(text).map_err(|error| error.to_string())?;
            place(&PlacementRule::Listed(list), &df, &jobs, 1).map_err(|error| error.to_string())
        };
        let nodes = placed("# first job\n70\n3\n\n# second\n9\n8\n").unwrap();
        assert_eq!(nodes, [[70, 3].map(NodeId).to_vec(), [9, 8].map(NodeId).to_vec()]);
        for (text, said) in [
            ("70\n3\n9\n", "job 1 takes 2 nodes, but 1 are free, accepted jobs that fit together"),
            ("70\n\n72\n", "line 3: there is no node 72; the last node is 71"),
            ("70\n3\n70\n", "line 3: node 70 already stands in line 1, accepted each node once"),
        ] {
            assert_eq!(placed(text), Err(said.to_owned()));
        }
        let other = PlacementRule::Listed(vec![ListedNode { line: 3, node: NodeId(72) }]);
        assert_eq!(
            place(&other, &df, &jobs, 1).unwrap_err().to_string(),
            "line 3: there is no node 72; the last node is 71"
        );
    }

    proptest! {
        /// No node is taken twice, every job has its nodes, and the seed determines everything, on uneven machines too.
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
            let placement: PlacementRule =
                ["identity", "spread", "random", "groups"][name].parse().unwrap();
            let all: u32 = jobs.iter().map(Job::nodes).sum();
            match place(&placement, &df, &jobs, seed) {
                Ok(placed) => {
                    let taken: BTreeSet<NodeId> = placed.iter().flatten().copied().collect();
                    prop_assert_eq!(taken.len(), all as usize);
                    prop_assert!(taken.iter().all(|node| df.has_node(*node)));
                    for (job, nodes) in jobs.iter().zip(&placed) {
                        prop_assert_eq!(nodes.len(), job.nodes() as usize);
                    }
                    prop_assert_eq!(place(&placement, &df, &jobs, seed).unwrap(), placed);
                }
                Err(_) => prop_assert!(all > df.node_count()),
            }
        }
    }
}
