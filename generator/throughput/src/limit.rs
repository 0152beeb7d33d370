//! The limit of the throughput: the nodes, or the links whose prices prove the bound.
//!
//! If links of several kinds have prices, it is the kind with the largest part of them. More cables would help there
//! first, and only there: the bound holds without any link that has no price.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tvlb_schema::{Dragonfly, End, GlobalPort, GroupId, LinkKind};
use tvlb_topology::Topology;
use tvlb_topology::lacking::kinds_of_groups;
use tvlb_topology::links::LinkNumbers;

/// The limit of a throughput. Kinds of groups count from 0, in the order of the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Limit {
    /// The capacity of the nodes.
    Nodes,
    /// Links within groups of a kind.
    Local(usize),
    /// Links between groups of two kinds, the lower first.
    Global(usize, usize),
}

impl Limit {
    /// For each of the first link numbers what it limits by; the nodes for those that are of no link.
    pub(super) fn of_links(rows: usize, topology: &Topology) -> Vec<Self> {
        let df = topology.dragonfly();
        let links = LinkNumbers::new(*df);
        let kinds = kinds_of_groups(df);
        let kind = |group: GroupId| kinds[group.as_usize()];
        let far = |link, group| {
            let port = u16::try_from(link - links.global(group, GlobalPort(0))).ok()?;
            topology.peer(End { group, port: GlobalPort(port) }).map(|end| end.group)
        };
        let mut all = vec![Self::Nodes; rows];
        for (link, limit) in all.iter_mut().enumerate() {
            let Some((from, _)) = links.leaves(link) else { continue };
            let (group, _) = df.place(from);
            if links.kind(link) == LinkKind::Local {
                *limit = Self::Local(kind(group));
            } else if let Some(far) = far(link, group) {
                let (one, other) = (kind(group), kind(far));
                *limit = Self::Global(one.min(other), one.max(other));
            }
        }
        all
    }

    /// The owner of the largest part of these prices; the nodes if there are no prices.
    pub(super) fn of_prices(prices: &[f64], of_links: &[Self]) -> Self {
        let mut parts: BTreeMap<Self, f64> = BTreeMap::new();
        for (&price, &limit) in prices.iter().zip(of_links).filter(|(price, _)| **price > 0.0) {
            *parts.entry(limit).or_default() += price;
        }
        let most = parts.into_iter().reduce(|most, part| if part.1 > most.1 { part } else { most });
        most.map_or(Self::Nodes, |(limit, _)| limit)
    }

    /// "nodes", "local links", "global links between groups of kinds 1 and 2".
    pub fn in_words(self, df: &Dragonfly) -> String {
        match self {
            Self::Nodes => "nodes".to_owned(),
            Self::Local(_) if df.is_even() => "local links".to_owned(),
            Self::Global(..) if df.is_even() => "global links".to_owned(),
            Self::Local(kind) => format!("local links of groups of kind {}", kind + 1),
            Self::Global(kind, other) if kind == other => {
                format!("global links between groups of kind {}", kind + 1)
            }
            Self::Global(kind, other) => {
                format!("global links between groups of kinds {} and {}", kind + 1, other + 1)
            }
        }
    }
}
