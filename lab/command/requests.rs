//! What to request from a scheduler, so that jobs run on hosts with the same positions as those where they were placed.

use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use tvlb_jobs::workload::PlacedJob;
use tvlb_lab::scheduler::{HostRequest, requests};
use tvlb_schema::{Dragonfly, NodeId};
use tvlb_table_set::names::{Hosts, NamedPort, Names, after};
use tvlb_topology::export::slurm::Blocks;

/// The host of every node that runs a rank, or why a node has none.
pub(crate) fn host_of<'h>(
    hosts: &'h Hosts,
    names: &Names,
    df: &Dragonfly,
    jobs: &[PlacedJob],
) -> Result<BTreeMap<NodeId, &'h str>, String> {
    let host = |&node: &NodeId| {
        let called = || {
            let (switch, terminal) = df.switch_of(node);
            let port = names.port(switch, NamedPort::Node(terminal));
            after(node, port.map(|port| port.name.as_str()))
        };
        hosts.host(node).map(|host| (node, host)).map_err(|error| {
            format!(
                "node {node}{}: {error}; accepted is --hosts FILE, a list of the host of each node",
                called()
            )
        })
    };
    jobs.iter().flat_map(|job| &job.node_of).map(host).collect()
}

/// The requests of each job, or why there are none.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HostRequests {
    /// For each job.
    Requests(Vec<Vec<HostRequest>>),
    NoRequests(String),
}

impl HostRequests {
    pub(crate) fn of(
        df: &Dragonfly,
        jobs: &[PlacedJob],
        blocks: &Blocks<'_>,
        host_of: &Result<BTreeMap<NodeId, &str>, String>,
    ) -> Self {
        match host_of {
            Ok(host_of) => Self::Requests(requests(df, jobs, blocks, |node| host_of[&node])),
            Err(why) => Self::NoRequests(why.clone()),
        }
    }
}

impl Display for HostRequests {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requests(jobs) => {
                for (number, requests) in jobs.iter().enumerate() {
                    writeln!(f, "\nwhat to ask a scheduler for, job {number}")?;
                    for HostRequest { scheduler, gives, command } in requests {
                        writeln!(f, "  {scheduler}: {gives}\n    {command}")?;
                    }
                }
                Ok(())
            }
            Self::NoRequests(why) => writeln!(f, "\nno request to a scheduler: {why}"),
        }
    }
}
