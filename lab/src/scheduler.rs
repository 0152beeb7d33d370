//! What to request from a scheduler, so that jobs run where they were placed, or on hosts with the same relative
//! positions.
//!
//! Slurm counts leaf switches (`--switches`), puts as many hosts into each block (`--segment`), and accepts hosts by
//! name. PBS puts all hosts of a job where a resource has one value (`place=group=`). Neither accepts the number of
//! groups of an uneven placement, so that cannot be requested: a request says in words what it gives.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use tvlb_generator::counted::counted;
use tvlb_jobs::workload::PlacedJob;
use tvlb_schema::{Dragonfly, GroupId, NodeId, SwitchId};
use tvlb_table_set::names::host_list;
use tvlb_topology::export::slurm::Blocks;

/// A command that asks for the hosts of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct HostRequest {
    pub scheduler: &'static str,
    /// The effect of the request, in words.
    pub gives: String,
    pub command: String,
}

/// For each job the requests. `host` names the host of each node that runs a rank; the blocks are those of
/// topology/block.
pub fn requests<'h>(
    df: &Dragonfly,
    jobs: &[PlacedJob],
    blocks: &Blocks<'_>,
    host: impl Fn(NodeId) -> &'h str,
) -> Vec<Vec<HostRequest>> {
    let all: Vec<JobSpread<'_>> = jobs.iter().map(|job| JobSpread::of(df, job, &host)).collect();
    let groups: Vec<BTreeSet<GroupId>> =
        all.iter().map(|spread| spread.groups.keys().copied().collect()).collect();
    let is_alone = |number: usize| {
        let mut others = groups.iter().enumerate().filter(|(other, _)| *other != number).peekable();
        others.peek().is_some() && others.all(|(_, other)| groups[number].is_disjoint(other))
    };
    let mut jobs_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (host, _) in all.iter().flat_map(|spread| &spread.hosts) {
        *jobs_of.entry(host).or_default() += 1;
    }
    let of_job = |(number, spread): (usize, &JobSpread<'_>)| {
        let alike = [spread.few_switches(), spread.blocks(blocks, is_alone(number))];
        let is_shared = spread.hosts.iter().any(|(host, _)| jobs_of[host] > 1);
        let slurm = [spread.these_hosts(is_shared)].into_iter().chain(alike.into_iter().flatten());
        slurm.chain([spread.pbs()]).collect()
    };
    all.iter().enumerate().map(of_job).collect()
}

/// Over which hosts, switches and groups a job is spread.
struct JobSpread<'h> {
    /// By the rising number of their first nodes, with the ranks that each runs.
    hosts: Vec<(&'h str, usize)>,
    switches: BTreeMap<SwitchId, BTreeSet<&'h str>>,
    groups: BTreeMap<GroupId, BTreeSet<&'h str>>,
}

impl<'h> JobSpread<'h> {
    fn of(df: &Dragonfly, job: &PlacedJob, host: impl Fn(NodeId) -> &'h str) -> Self {
        let hosts = job.ranks_by_host(&host);
        let (mut switches, mut groups) = (BTreeMap::new(), BTreeMap::new());
        for &node in &job.node_of {
            let (switch, host) = (df.switch_of(node).0, host(node));
            switches.entry(switch).or_insert_with(BTreeSet::new).insert(host);
            groups.entry(df.place(switch).0).or_insert_with(BTreeSet::new).insert(host);
        }
        Self { hosts, switches, groups }
    }

    /// A command of Slurm, with its further requests besides the numbers of hosts and ranks.
    fn slurm(&self, gives: String, exclusive: &str, options: &str) -> HostRequest {
        let ranks: usize = self.hosts.iter().map(|(_, ranks)| ranks).sum();
        let most = self.hosts.iter().map(|(_, ranks)| *ranks).max().unwrap_or(0);
        let command = format!(
            "salloc{}{exclusive} --nodes={} --ntasks={ranks} --ntasks-per-node={most}{options}",
            if exclusive.is_empty() { "" } else { " " },
            self.hosts.len()
        );
        HostRequest { scheduler: "Slurm", gives, command }
    }

    /// Only of hosts that no other job has can a job be the only one.
    fn these_hosts(&self, is_shared: bool) -> HostRequest {
        let list = host_list(self.hosts.iter().map(|(host, _)| *host));
        let (gives, exclusive) = if is_shared {
            ("these hosts, of which another job has some too", "")
        } else {
            ("these hosts", "--exclusive")
        };
        self.slurm(gives.to_owned(), exclusive, &format!(" --nodelist={list}"))
    }

    /// As few leaf switches as possible, if hosts share them. A host of several switches has no leaf of its own.
    fn few_switches(&self) -> Option<HostRequest> {
        let switches = self.switches.len();
        let is_asked =
            is_partition(&self.switches, self.hosts.len()) && switches < self.hosts.len();
        let gives = match switches {
            1 => "any hosts of one switch (topology/tree)".to_owned(),
            _ => format!("any hosts of at most {switches} switches (topology/tree)"),
        };
        is_asked.then(|| self.slurm(gives, "--exclusive", &format!(" --switches={switches}")))
    }

    /// As many hosts in each of as many groups, and groups without another job, if groups are blocks. A segment is at
    /// most as large as a block.
    fn blocks(&self, blocks: &Blocks<'_>, is_alone: bool) -> Option<HostRequest> {
        if !self.groups.keys().all(|group| blocks.groups.contains_key(group)) {
            return None;
        }
        let mut sizes = self.groups.values().map(BTreeSet::len);
        let (size, groups) = (sizes.next()?, self.groups.len());
        let is_even =
            is_partition(&self.groups, self.hosts.len()) && sizes.all(|each| each == size);
        let segments = if is_even && groups > 1 && size <= blocks.size {
            format!(" --segment={size} --spread-segments")
        } else {
            String::new()
        };
        if segments.is_empty() && !is_alone {
            return None;
        }
        let hosts = match (segments.is_empty(), groups) {
            (false, _) => {
                format!("any {} in each of {groups} groups", counted(size as u64, "host"))
            }
            (true, 1) => "any hosts of one group".to_owned(),
            (true, _) => "any hosts".to_owned(),
        };
        let alone = if is_alone { ", without another job in their groups" } else { "" };
        let exclusive = if is_alone { "--exclusive=topo" } else { "--exclusive" };
        Some(self.slurm(format!("{hosts}{alone} (topology/block)"), exclusive, &segments))
    }

    fn pbs(&self) -> HostRequest {
        let mut of_ranks: BTreeMap<usize, usize> = BTreeMap::new();
        for (_, ranks) in &self.hosts {
            *of_ranks.entry(*ranks).or_default() += 1;
        }
        let chunks = of_ranks.iter().rev();
        let chunks = chunks.map(|(ranks, hosts)| format!("{hosts}:ncpus={ranks}:mpiprocs={ranks}"));
        let (gives, group) = match (self.hosts.len(), self.switches.len(), self.groups.len()) {
            (1, ..) => ("any host".to_owned(), ""),
            (_, 1, _) => ("any hosts of one switch".to_owned(), ":group=switch"),
            (_, _, 1) => ("any hosts of one group".to_owned(), ":group=group"),
            (hosts, ..) => (format!("any {hosts} hosts, in whatever groups they are"), ""),
        };
        let chunks: Vec<String> = chunks.collect();
        let command =
            format!("qsub -l select={} -l place=scatter:exclhost{group}", chunks.join("+"));
        HostRequest { scheduler: "PBS", gives, command }
    }
}

/// Whether each of this many hosts is in one part.
fn is_partition<K>(parts: &BTreeMap<K, BTreeSet<&str>>, hosts: usize) -> bool {
    parts.values().map(BTreeSet::len).sum::<usize>() == hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTS: usize = 72;

    /// Blocks of this size, which these groups are.
    fn blocks(size: usize, groups: impl IntoIterator<Item = u16>) -> Blocks<'static> {
        let groups = groups.into_iter().map(|group| (GroupId(group), Vec::new())).collect();
        Blocks { size, groups }
    }

    fn asked(jobs: &[(&str, &[u32])]) -> Vec<Vec<String>> {
        asked_of(&blocks(8, 0..9), jobs)
    }

    fn asked_of(blocks: &Blocks<'_>, jobs: &[(&str, &[u32])]) -> Vec<Vec<String>> {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let placed = jobs.iter().map(|(job, node_of)| {
            let node_of: Vec<NodeId> = node_of.iter().copied().map(NodeId).collect();
            PlacedJob { job: job.parse().unwrap(), nodes: node_of.clone(), node_of }
        });
        let names: Vec<String> = (0..HOSTS).map(|node| format!("n{node:02}")).collect();
        let requests = requests(&df, &placed.collect::<Vec<_>>(), blocks, |node| {
            names[node.0 as usize].as_str()
        });
        let in_words =
            |HostRequest { scheduler, gives, command }| format!("{scheduler}, {gives}: {command}");
        requests.into_iter().map(|job| job.into_iter().map(in_words).collect()).collect()
    }

    #[test]
    fn a_job_of_one_switch_or_one_group_is_asked_for_as_such() {
        let [switch] = &asked(&[("3x2", &[0, 1, 0])])[..] else { panic!() };
        insta::assert_snapshot!(switch.join("\n"));
        let [group] = &asked(&[("4", &[0, 2, 3, 5])])[..] else { panic!() };
        insta::assert_snapshot!(group.join("\n"));
        let [host] = &asked(&[("2x2", &[7, 7])])[..] else { panic!() };
        insta::assert_snapshot!(host.join("\n"));
    }

    #[test]
    fn groups_are_asked_for_where_they_are_even_or_free_of_others() {
        let even: &[u32] = &[0, 2, 8, 10, 64, 66];
        let [even] = &asked(&[("6", even)])[..] else { panic!() };
        insta::assert_snapshot!(even.join("\n"));
        // Two hosts in one group and one in another; then beside a job in other groups, and one in the same.
        let uneven = ("3", &[0, 2, 8][..]);
        let alone = asked(&[uneven]);
        assert!(alone[0].iter().all(|request| !request.contains("block")), "{alone:?}");
        let beside = asked(&[uneven, ("2", &[16, 18])]);
        insta::assert_snapshot!(beside.concat().join("\n"));
        let among = asked(&[uneven, ("2", &[16, 14])]);
        assert!(among.concat().iter().all(|request| !request.contains("=topo")), "{among:?}");
    }

    /// Requests that the blocks of `tvlb topology --format slurm-yaml` make impossible are not made.
    #[test]
    fn segments_fit_into_blocks() {
        let even: &[u32] = &[0, 2, 4, 8, 10, 12];
        let asks = |blocks: &Blocks<'_>| {
            asked_of(blocks, &[("6", even)])[0]
                .iter()
                .any(|request| request.contains("--segment=3"))
        };
        assert!(asks(&blocks(3, 0..9)));
        assert!(!asks(&blocks(2, 0..9)), "a segment is larger than a block");
        assert!(!asks(&blocks(3, 1..9)), "group 0 is no block");
    }

    #[test]
    fn jobs_that_share_a_host_do_not_ask_for_it_alone() {
        let [one, other, alone] = &asked(&[("2", &[0, 2]), ("2", &[2, 4]), ("1", &[9])])[..] else {
            panic!()
        };
        for shared in [one, other] {
            assert!(
                shared[0].starts_with(
                    "Slurm, these hosts, of which another job has some too: salloc --nodes=2 "
                ),
                "{shared:?}"
            );
        }
        assert!(alone[0].contains("salloc --exclusive --nodes=1"), "{alone:?}");
    }

    #[test]
    fn a_host_of_several_switches_has_no_leaf() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let node_of = [0, 1, 2, 3].map(NodeId).to_vec();
        let job = PlacedJob { job: "4".parse().unwrap(), nodes: node_of.clone(), node_of };
        let requests =
            requests(&df, &[job], &blocks(8, 0..9), |node| ["a", "b", "c", "a"][node.0 as usize]);
        assert!(requests[0].iter().all(|request| !request.command.contains("--switches")));
        assert!(requests[0][0].command.ends_with("--ntasks-per-node=2 --nodelist=a,b,c"));
    }
}
