//! What stands in the way of more throughput: the nodes, or the links whose prices prove the bound.
//!
//! Where links of several kinds have prices, it is the kind that has the largest part of them. That is where more
//! cables would help first, and only there: a link without a price can be taken away and the bound holds.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use tvlb_schema::{Dragonfly, GroupId, LinkKind};
use tvlb_topology::Topology;
use tvlb_topology::links::LinkNumbers;

/// What a throughput is limited by. Kinds of groups count from 0, in the order of the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Limit {
    /// What nodes send and receive.
    Nodes,
    /// Links within groups of a kind.
    Local(u8),
    /// Links between groups of two kinds, the lower first.
    Global(u8, u8),
}

impl Limit {
    /// For each of the first link numbers what it limits by.
    pub(super) fn of_links(rows: usize, topology: &Topology) -> Vec<Self> {
        let df = topology.dragonfly();
        let links = LinkNumbers::new(*df);
        let kinds = (0..).zip(df.kinds());
        let kinds: Vec<u8> =
            kinds.flat_map(|(number, kind)| std::iter::repeat_n(number, kind.g.into())).collect();
        let kind = |group: GroupId| kinds[group.as_usize()];
        let mut all = vec![Self::Nodes; links.count()];
        for (link, limit) in all.iter_mut().enumerate() {
            let Some((from, _)) = links.leaves(link) else { continue };
            if links.kind(link) == LinkKind::Local {
                *limit = Self::Local(kind(df.place(from).0));
            }
        }
        for group in df.groups() {
            for other in df.groups().filter(|&other| other != group) {
                let (low, high) = (kind(group).min(kind(other)), kind(group).max(kind(other)));
                for link in topology.links(group, other) {
                    all[links.global(group, link.from)] = Self::Global(low, high);
                }
            }
        }
        all.truncate(rows);
        all
    }

    /// What has the largest part of these prices; the nodes where nothing has one.
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
        let is_even = df.is_even();
        fmt::from_fn(move |f| match self {
            Self::Nodes => f.write_str("nodes"),
            Self::Local(_) if is_even => f.write_str("local links"),
            Self::Global(..) if is_even => f.write_str("global links"),
            Self::Local(kind) => write!(f, "local links of groups of kind {}", kind + 1),
            Self::Global(kind, other) if kind == other => {
                write!(f, "global links between groups of kind {}", kind + 1)
            }
            Self::Global(kind, other) => {
                write!(f, "global links between groups of kinds {} and {}", kind + 1, other + 1)
            }
        })
        .to_string()
    }
}
