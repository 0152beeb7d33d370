//! The ranks of a job on its nodes, in the words of the programs that start jobs.
//!
//! All three name a node as the machine does, which whoever calls them says.

use crate::job::PlacedJob;
use std::fmt::{self, Display, Formatter};
use tvlb_schema::NodeId;

/// A rank file of Open MPI: `rank R=NODE slot=S` in each line, by rank. The ranks of a node have the slots
/// 0, 1, … by rising rank.
pub fn open_mpi_rank_file(job: &PlacedJob, name: impl Fn(NodeId) -> String) -> impl Display {
    let mut slots = vec![0; job.node_of.len()];
    for (_, ranks) in job.ranks_by_node() {
        for (slot, rank) in ranks.iter().enumerate() {
            slots[rank.as_usize()] = slot;
        }
    }
    let lines = job.node_of.iter().zip(slots).enumerate();
    Lines(
        lines
            .map(|(rank, (node, slot))| format!("rank {rank}={} slot={slot}", name(*node)))
            .collect(),
    )
}

/// A host file of Open MPI: `NODE slots=N` in each line, by rising number of the node. It says how many
/// ranks a node takes, not which.
pub fn open_mpi_host_file(job: &PlacedJob, name: impl Fn(NodeId) -> String) -> impl Display {
    let nodes = job.ranks_by_node().into_iter();
    Lines(nodes.map(|(node, ranks)| format!("{} slots={}", name(node), ranks.len())).collect())
}

/// A host list with the node of each rank in a line of its own. Slurm reads it from `SLURM_HOSTFILE` with
/// `--distribution=arbitrary`, and Open MPI's `--map-by seq` as a host file.
pub fn host_list(job: &PlacedJob, name: impl Fn(NodeId) -> String) -> impl Display {
    Lines(job.node_of.iter().map(|node| name(*node)).collect())
}

/// Each text in a line of its own.
struct Lines(Vec<String>);

impl Display for Lines {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_files_say_where_ranks_run() {
        let job = PlacedJob {
            job: "3x2".parse().unwrap(),
            nodes: [7, 3].map(NodeId).to_vec(),
            node_of: [7, 3, 7].map(NodeId).to_vec(),
        };
        let name = |node: NodeId| format!("n{node}");
        assert_eq!(
            open_mpi_rank_file(&job, name).to_string(),
            "rank 0=n7 slot=0\nrank 1=n3 slot=0\nrank 2=n7 slot=1\n"
        );
        assert_eq!(open_mpi_host_file(&job, name).to_string(), "n3 slots=1\nn7 slots=2\n");
        assert_eq!(host_list(&job, name).to_string(), "n7\nn3\nn7\n");
    }
}
