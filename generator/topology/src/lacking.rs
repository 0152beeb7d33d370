//! Pairs of groups with fewer links than others of the same kinds, and which cables would complete them.
//!
//! Of all pairs of groups of the same two kinds most have one number of links, the *usual* one. If a pair has fewer,
//! and both its groups have unused ports, a machine whose pairs are all alike would have cables between such ports. If
//! the unused ports of a group are those of one switch, the end of the cable is known to be there.

use super::Topology;
use super::dragonfly_plus::leaves;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use tvlb_schema::{Dragonfly, End, GroupId, SwitchId};

/// How many links the pairs of groups of two kinds have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KindPair {
    /// The two kinds, numbered from 0 in the order of the groups, the lower number first.
    pub kinds: [usize; 2],
    /// The usual number of links: that of most pairs, the larger one if two are equally frequent.
    pub usual: usize,
    /// How many pairs have how many links, by rising number of links.
    pub links: Vec<(usize, usize)>,
}

/// A pair of groups with fewer links than is usual between groups of their kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PairWithFewer {
    /// The two groups, the lower one first.
    pub groups: [GroupId; 2],
    pub links: usize,
    pub usual: usize,
}

/// One or several cables that would give a pair of groups the usual number of links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LackingCables {
    /// How many.
    pub cables: usize,
    /// Where they would begin and end, in the lower and in the higher group.
    pub ends: [LackingEnd; 2],
}

/// Where a missing cable would end: at an unused port of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LackingEnd {
    pub group: GroupId,
    /// How many of its global ports are unused.
    pub unused: usize,
    /// The index of the switch that has all of them, if one switch does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch: Option<u32>,
    /// The machine's name of the switch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The unused global ports of that switch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<u32>,
}

/// The links that pairs of groups have and lack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lacking {
    /// For each pair of kinds that occurs.
    pub(super) kinds: Vec<KindPair>,
    /// By rising groups.
    pub(super) fewer: Vec<PairWithFewer>,
    /// By rising groups.
    pub(super) cables: Vec<LackingCables>,
}

impl Lacking {
    pub(super) fn of(topology: &Topology) -> Self {
        let df = topology.dragonfly();
        let kinds = kinds_of_groups(df);
        let pairs = || topology.live_pairs();
        let kinds_of = |i: GroupId, j: GroupId| [kinds[i.as_usize()], kinds[j.as_usize()]];
        let mut counts: BTreeMap<[usize; 2], BTreeMap<usize, usize>> = BTreeMap::new();
        for (i, j) in pairs() {
            let of_kinds = counts.entry(kinds_of(i, j)).or_default();
            *of_kinds.entry(topology.links(i, j).len()).or_default() += 1;
        }
        let usual_of = |counts: &BTreeMap<usize, usize>| usual(counts).unwrap_or(0);
        let leaves = leaves(topology);
        let unused: Vec<Vec<(u32, u32)>> =
            df.group_numbers().map(|group| unused_ports(topology, &leaves, group)).collect();
        let mut left: Vec<usize> = unused.iter().map(Vec::len).collect();
        let (mut fewer, mut cables) = (Vec::new(), Vec::new());
        for (i, j) in pairs() {
            let (links, usual) = (topology.links(i, j).len(), usual_of(&counts[&kinds_of(i, j)]));
            if links >= usual {
                continue;
            }
            fewer.push(PairWithFewer { groups: [i, j], links, usual });
            let [one, other] = [i, j].map(GroupId::as_usize);
            let lacking = (usual - links).min(left[one]).min(left[other]);
            if lacking > 0 {
                left[one] -= lacking;
                left[other] -= lacking;
                let ends = [i, j].map(|group| end(group, &unused[group.as_usize()]));
                cables.push(LackingCables { cables: lacking, ends });
            }
        }
        let kinds = counts.into_iter().map(|(kinds, counts)| KindPair {
            kinds,
            usual: usual_of(&counts),
            links: counts.into_iter().collect(),
        });
        Self { kinds: kinds.collect(), fewer, cables }
    }
}

/// The number that is most frequent, the larger one of two: from the frequency of each number.
pub(super) fn usual<N: Copy + Ord>(counts: &BTreeMap<N, usize>) -> Option<N> {
    counts.iter().max_by_key(|&(&number, &count)| (count, number)).map(|(&number, _)| number)
}

/// For each group the number of its kind, in the order of [`Dragonfly::kinds`], from 0.
pub fn kinds_of_groups(df: &Dragonfly) -> Vec<usize> {
    let kinds = df.kinds().enumerate();
    kinds.flat_map(|(number, kind)| std::iter::repeat_n(number, kind.g.into())).collect()
}

/// The global ports of a group's live switches without a cable, as (switch, slot); leaves have no global port.
pub(super) fn unused_ports(
    topology: &Topology,
    leaves: &BTreeSet<SwitchId>,
    group: GroupId,
) -> Vec<(u32, u32)> {
    let df = topology.dragonfly();
    let is_there = |switch| topology.lives(switch) && !leaves.contains(&switch);
    let is_unused = |port: &_| {
        df.has_global_port_of(group, *port)
            && is_there(df.switch(group, df.split_port(*port).0))
            && topology.peer(End { group, port: *port }).is_none()
    };
    let place = |port| {
        let (index, slot) = df.split_port(port);
        (index.0.into(), slot.into())
    };
    df.global_ports().filter(is_unused).map(place).collect()
}

fn end(group: GroupId, unused: &[(u32, u32)]) -> LackingEnd {
    let switch = unused.first().map(|&(switch, _)| switch);
    let switch = switch.filter(|&first| unused.iter().all(|&(switch, _)| switch == first));
    let ports = match switch {
        Some(_) => unused.iter().map(|&(_, slot)| slot).collect(),
        None => Vec::new(),
    };
    LackingEnd { group, unused: unused.len(), switch, name: None, ports }
}

impl fmt::Display for LackingEnd {
    /// "(2,1) global port 0 or 1", or "an unused port of group 2".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group, switch, name, ports, .. } = self;
        let Some(switch) = switch else {
            return write!(f, "an unused port of group {group}");
        };
        let name = tvlb_table_set::names::after(switch, name.as_deref());
        let ports: Vec<String> = ports.iter().map(ToString::to_string).collect();
        write!(f, "({group},{switch}){name} global port {}", ports.join(" or "))
    }
}

impl fmt::Display for LackingCables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cables, ends: [low, high] } = self;
        if *cables > 1 {
            write!(f, "{cables} times ")?;
        }
        write!(f, "{low} = {high}")
    }
}
