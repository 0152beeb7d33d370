//! The ranks of a job on its nodes, in the formats of programs that start jobs.
//!
//! All three files name the host of a node, which the caller provides. Several nodes may belong to one host.

use crate::workload::job::PlacedJob;
use std::collections::BTreeMap;
use tvlb_schema::NodeId;

/// A rank file of Open MPI: `rank R=HOST slot=S` in each line, by rank. Slots count from the number that earlier
/// jobs have `taken` of the host, which is raised: first the ranks of the host's first node, by rising rank, then
/// those of the next.
pub fn open_mpi_rank_file<'h>(
    job: &PlacedJob,
    host: impl Fn(NodeId) -> &'h str,
    taken: &mut BTreeMap<&'h str, usize>,
) -> String {
    let mut slots = vec![0; job.node_of.len()];
    for (node, ranks) in job.ranks_by_node() {
        let taken = taken.entry(host(node)).or_default();
        for rank in ranks {
            slots[rank.as_usize()] = *taken;
            *taken += 1;
        }
    }
    let ranks = job.node_of.iter().zip(slots).enumerate();
    lines(ranks.map(|(rank, (node, slot))| format!("rank {rank}={} slot={slot}", host(*node))))
}

/// A host file of Open MPI: `HOST slots=N` in each line, each host once, by the rising number of its first node. It
/// says how many ranks a host takes, not which.
pub fn open_mpi_host_file<'h>(job: &PlacedJob, host: impl Fn(NodeId) -> &'h str) -> String {
    let hosts = job.ranks_by_host(host);
    lines(hosts.into_iter().map(|(host, slots)| format!("{host} slots={slots}")))
}

/// A host list with the host of each rank in a line of its own. Slurm reads it from `SLURM_HOSTFILE` with
/// `--distribution=arbitrary`, and Open MPI's `--map-by seq` as a host file.
pub fn host_list<'h>(job: &PlacedJob, host: impl Fn(NodeId) -> &'h str) -> String {
    lines(job.node_of.iter().map(|node| host(*node).to_owned()))
}

/// Each text in a line of its own.
fn lines(texts: impl Iterator<Item = String>) -> String {
    texts.fold(String::new(), |all, text| all + &text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> PlacedJob {
        PlacedJob {
            job: "5x2".parse().unwrap(),
            nodes: [7, 3, 4].map(NodeId).to_vec(),
            node_of: [7, 3, 7, 4, 3].map(NodeId).to_vec(),
        }
    }

    #[test]
    fn three_files_say_where_ranks_run() {
        let host = |NodeId(node)| ["n3", "n4", "", "", "n7"][node as usize - 3];
        assert_eq!(
            open_mpi_rank_file(&job(), host, &mut BTreeMap::new()),
            "rank 0=n7 slot=0\nrank 1=n3 slot=0\nrank 2=n7 slot=1\nrank 3=n4 slot=0\nrank 4=n3 slot=1\n"
        );
        assert_eq!(open_mpi_host_file(&job(), host), "n3 slots=2\nn4 slots=1\nn7 slots=2\n");
        assert_eq!(host_list(&job(), host), "n7\nn3\nn7\nn4\nn3\n");
    }

    #[test]
    fn nodes_of_one_host_share_its_slots() {
        let host = |NodeId(node)| if node == 4 { "b" } else { "a" };
        let mut taken = BTreeMap::new();
        assert_eq!(
            open_mpi_rank_file(&job(), host, &mut taken),
            "rank 0=a slot=2\nrank 1=a slot=0\nrank 2=a slot=3\nrank 3=b slot=0\nrank 4=a slot=1\n"
        );
        // A job beside it on the same hosts.
        assert!(open_mpi_rank_file(&job(), host, &mut taken).starts_with("rank 0=a slot=6\n"));
        assert_eq!(open_mpi_host_file(&job(), host), "a slots=4\nb slots=1\n");
    }
}
