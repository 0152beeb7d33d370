//! An estimate of the saturation under `VALg` that counts shares of links, as in Prisacari et al., "Performance
//! Optimization of Load Imbalanced Workloads in Large Scale Dragonfly Systems" (HPSR 2015).

use std::collections::BTreeMap;
use tvlb_schema::{Dragonfly, GroupId, NodeId, SwitchIndex};
use tvlb_topology::Topology;
use tvlb_traffic::Traffic;

/// For every ordered pair of groups (S, I), S ≠ I, the share of the bandwidth that S's traffic finds in I: all of it if
/// S sends to I or within S, or if S's traffic crosses I without a local hop; else 1/n, where n is the number of groups
/// whose traffic takes the same local link of I. The estimate is the sum over twice the number of nodes.
///
/// `None` if it does not apply: two groups do not share exactly one link, or a group sends to several.
pub fn share_count(topology: &Topology, traffic: &Traffic) -> Option<f64> {
    let df = topology.dragonfly();
    if topology.links_per_pair() != (1, 1) {
        return None;
    }
    let to = destinations(df, traffic)?;
    let mut sum = 0.0;
    for middle in df.groups() {
        let mut users: BTreeMap<(SwitchIndex, SwitchIndex), u32> = BTreeMap::new();
        for source in df.groups().filter(|&source| source != middle) {
            let destination = to[source.as_usize()];
            if destination == middle || destination == source {
                sum += 1.0;
                continue;
            }
            let arrives = topology.links(source, middle)[0].to;
            let leaves = topology.links(middle, destination)[0].from;
            let (v, w) = (df.split_port(arrives).0, df.split_port(leaves).0);
            if v == w {
                sum += 1.0;
            } else {
                *users.entry((v, w)).or_default() += 1;
            }
        }
        // The groups that share a link share its bandwidth.
        sum += users.values().fold(0.0, |links, _| links + 1.0);
    }
    Some(sum / (2.0 * f64::from(df.node_count())))
}

/// The one group to which each group sends.
fn destinations(df: &Dragonfly, traffic: &Traffic) -> Option<Vec<GroupId>> {
    let mut to = vec![None; df.g() as usize];
    let group = |node: NodeId| df.place(df.switch_of(node).0).0;
    for (from, at) in traffic.map()? {
        let known = to[group(from).as_usize()].get_or_insert(group(at));
        if *known != group(at) {
            return None;
        }
    }
    to.into_iter().collect()
}
