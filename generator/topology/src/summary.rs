//! The summary of a wiring: its sizes, how evenly it joins the groups, what is unused, missing or irregular, and
//! whether all groups are alike.

mod words;

use super::Topology;
use super::dragonfly_plus::leaves;
use super::lacking::{KindPair, Lacking, LackingCables, PairWithFewer, unused_ports, usual};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use tvlb_schema::{GroupId, GroupKind, NodeId, SwitchId, SwitchIndex};
use tvlb_table_set::names::Names;

/// A wiring in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TopologySummary {
    /// Nodes per switch.
    pub p: u32,
    /// Switches per group.
    pub a: u32,
    /// Global ports per switch.
    pub h: u32,
    /// Groups.
    pub g: u32,
    /// The kinds of groups, in the order of the groups, if there is more than one; p, a and h are then the most that
    /// any kind has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<GroupKind>,
    /// Switches of the fabric that live.
    pub switches: u32,
    /// Leaves among them, if groups consist of leaves and spines ([`crate::dragonfly_plus::leaves`]).
    #[serde(skip_serializing_if = "is_zero")]
    pub leaves: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub dead_switches: usize,
    /// Nodes that there are, on switches that live.
    pub nodes: u32,
    /// Missing nodes on these switches; spines never have nodes.
    #[serde(skip_serializing_if = "is_zero")]
    pub places_without_node: usize,
    /// Global ports of these switches, used or not; leaves have none.
    pub global_ports: usize,
    pub global_cables: usize,
    /// Global ports without a cable.
    pub unused_ports: usize,
    /// The least links that any pair of groups has of which switches live.
    pub least_links_per_pair: usize,
    /// The most links that any such pair has.
    pub most_links_per_pair: usize,
    /// How many pairs of groups have how many links, by rising number of links.
    pub links_per_pair: Vec<PairCount>,
    /// Pairs of groups without any link.
    pub unlinked_pairs: usize,
    /// The first of these, at most [`TopologySummary::SHOWN`]; lower group first, sorted.
    pub first_unlinked_pairs: Vec<(GroupId, GroupId)>,
    /// Groups of which the cable list has the local links.
    #[serde(skip_serializing_if = "is_zero")]
    pub groups_with_local_links: usize,
    /// Their local links, counted in one direction.
    #[serde(skip_serializing_if = "is_zero")]
    pub local_links: usize,
    /// Pairs of switches of one group that share no link; two leaves or two spines are not meant to.
    #[serde(skip_serializing_if = "is_zero")]
    pub pairs_without_local_link: usize,
    /// The first pairs that share another number of links than most of their kind of groups, those without
    /// any before the others, at most [`TopologySummary::SHOWN`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first_unusual_local_links: Vec<SwitchLinks>,
    /// How many such pairs there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub pairs_with_unusual_local_links: usize,
    /// Every switch with global ports that have no cable, by group and index; leaves have no global port.
    pub switches_with_unused_ports: Vec<SwitchPorts>,
    /// Those of them that have no global cable at all, as (group, index); a leaf is not meant to.
    pub switches_without_global_cable: Vec<(GroupId, u32)>,
    /// If there are several kinds of groups: the links of the pairs of each two kinds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links_by_kinds: Vec<KindPair>,
    /// The pairs of groups that have fewer links than most pairs of their kinds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs_with_fewer: Vec<PairWithFewer>,
    /// The cables that would make up for that, as far as there are unused ports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lacking_cables: Vec<LackingCables>,
    /// Whether all groups are alike: [`Topology::is_rotation_invariant`].
    pub rotation_invariant: bool,
    /// The machine's names of the groups in the pairs above, by number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub group_names: BTreeMap<GroupId, String>,
}

/// How many pairs of groups have a certain number of links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PairCount {
    pub links: usize,
    /// How many such pairs there are; a pair counts once, not once for each direction.
    pub pairs: usize,
    /// The first of them, at most [`TopologySummary::SHOWN`], lower group first, where this number
    /// of links is unusual: at most one pair in [`TopologySummary::UNUSUAL`] has it.
    pub unusual_pairs: Vec<(GroupId, GroupId)>,
}

/// Two switches of a group, and how many links they share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SwitchLinks {
    pub group: GroupId,
    /// The lower index and the higher.
    pub switches: [u32; 2],
    /// The machine's names of them, if both are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<[String; 2]>,
    /// 0 if there is none.
    pub links: u32,
}

impl fmt::Display for SwitchLinks {
    /// "(1,0)-(1,2)", and the machine's names of the two.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (group, [low, high]) = (self.group, self.switches);
        write!(f, "({group},{low})-({group},{high})")?;
        match &self.names {
            Some([low, high]) => write!(f, " {low} and {high}"),
            None => Ok(()),
        }
    }
}

/// A switch of which some global ports have no cable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SwitchPorts {
    /// The machine's name of it, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub group: GroupId,
    /// Its index in the group.
    pub switch: u32,
    /// Global ports without a cable.
    pub unused: u32,
}

impl TopologySummary {
    /// How many pairs without a link are listed: enough to find the fault, few enough to read.
    pub const SHOWN: usize = 8;
    /// A number of links is unusual if at most one pair of groups in this many has it.
    pub const UNUSUAL: usize = 8;

    /// The numbers of this wiring, with the machine's names of its switches and its nodes.
    pub fn named(topology: &Topology, names: &Names) -> Self {
        let mut summary = Self::of(topology);
        let df = topology.dragonfly();
        summary.nodes = topology.nodes(names).count();
        let leaves = leaves(topology);
        let is_place = |&node: &NodeId| {
            let switch = df.switch_of(node).0;
            topology.lives(switch) && (leaves.is_empty() || leaves.contains(&switch))
        };
        summary.places_without_node = names.nodes(df).missing().filter(is_place).count();
        for found in &mut summary.switches_with_unused_ports {
            let index = u8::try_from(found.switch).ok().map(SwitchIndex);
            let switch = index.map(|index| df.switch(found.group, index));
            found.name = switch.and_then(|switch| names.switch(switch)).map(str::to_owned);
        }
        for found in &mut summary.first_unusual_local_links {
            let name = |index: u32| {
                let switch = df.switch(found.group, SwitchIndex(u8::try_from(index).ok()?));
                names.switch(switch).map(str::to_owned)
            };
            let [low, high] = found.switches.map(name);
            found.names = low.zip(high).map(|(low, high)| [low, high]);
        }
        for end in summary.lacking_cables.iter_mut().flat_map(|cables| &mut cables.ends) {
            let index = end.switch.and_then(|index| u8::try_from(index).ok()).map(SwitchIndex);
            let switch = index.map(|index| df.switch(end.group, index));
            end.name = switch.and_then(|switch| names.switch(switch)).map(str::to_owned);
        }
        let unusual = summary.links_per_pair.iter().flat_map(|count| &count.unusual_pairs);
        let pairs = unusual.chain(&summary.first_unlinked_pairs).flat_map(|&(i, j)| [i, j]);
        let fewer = summary.pairs_with_fewer.iter().flat_map(|pair| pair.groups);
        let named = |group| Some((group, names.group(group)?.to_owned()));
        summary.group_names = pairs.chain(fewer).filter_map(named).collect();
        summary
    }

    /// The numbers of this wiring.
    pub fn of(topology: &Topology) -> Self {
        let df = topology.dragonfly();
        // By number of links: how many pairs, and the first of them.
        let mut pairs_by_links: BTreeMap<usize, (usize, Vec<(GroupId, GroupId)>)> = BTreeMap::new();
        let mut all_pairs = 0;
        for (i, j) in topology.live_pairs() {
            let (pairs, first) = pairs_by_links.entry(topology.links(i, j).len()).or_default();
            *pairs += 1;
            all_pairs += 1;
            if first.len() < Self::SHOWN {
                first.push((i, j));
            }
        }
        let leaves = leaves(topology);
        let ports_of = |&leaf: &SwitchId| usize::from(df.kind_of(df.place(leaf).0).h);
        let leaf_ports = leaves.iter().map(ports_of).sum::<usize>();
        let switches_with_unused_ports = with_unused_ports(topology, &leaves);
        let (unlinked_pairs, first_unlinked_pairs) =
            pairs_by_links.get(&0).cloned().unwrap_or_default();
        let local_links = topology.local_links().iter().map(|links| links.links as usize).sum();
        let mut unusual = unusual_local_links(topology, &leaves);
        unusual.sort_by_key(|pair| pair.links > 0);
        let pairs_with_unusual_local_links = unusual.len();
        let Lacking { kinds, fewer, cables } = Lacking::of(topology);
        Self {
            p: df.p(),
            a: df.a(),
            h: df.h(),
            g: df.g(),
            kinds: df.stated_kinds().collect(),
            switches: topology.dead_switches().iter().fold(df.switch_count(), |n, _| n - 1),
            leaves: leaves.len(),
            dead_switches: topology.dead_switches().len(),
            nodes: topology.nodes(&Names::default()).count(),
            places_without_node: 0,
            global_ports: topology.global_ports() - leaf_ports,
            global_cables: topology.cables().len(),
            unused_ports: topology.unused_ports() - leaf_ports,
            least_links_per_pair: pairs_by_links.keys().next().copied().unwrap_or(0),
            most_links_per_pair: pairs_by_links.keys().next_back().copied().unwrap_or(0),
            unlinked_pairs,
            links_per_pair: pairs_by_links
                .into_iter()
                .map(|(links, (pairs, first))| PairCount {
                    links,
                    pairs,
                    unusual_pairs: if pairs * Self::UNUSUAL <= all_pairs { first } else { vec![] },
                })
                .collect(),
            first_unlinked_pairs,
            groups_with_local_links: topology
                .local_links()
                .chunk_by(|one, next| one.group == next.group)
                .count(),
            local_links,
            pairs_without_local_link: unusual.iter().filter(|pair| pair.links == 0).count(),
            first_unusual_local_links: unusual.into_iter().take(Self::SHOWN).collect(),
            pairs_with_unusual_local_links,
            switches_without_global_cable: switches_with_unused_ports
                .iter()
                .filter(|one| one.unused == u32::from(df.kind_of(one.group).h))
                .map(|one| (one.group, one.switch))
                .collect(),
            switches_with_unused_ports,
            links_by_kinds: if df.is_even() { Vec::new() } else { kinds },
            pairs_with_fewer: fewer,
            lacking_cables: cables,
            rotation_invariant: topology.is_rotation_invariant(),
            group_names: BTreeMap::new(),
        }
    }
}

/// The pairs of switches of a group that share no link, unless both are leaves or both are spines, or another number
/// of links than most of their kind of groups, by rising group.
pub fn unusual_local_links(topology: &Topology, leaves: &BTreeSet<SwitchId>) -> Vec<SwitchLinks> {
    let df = topology.dragonfly();
    let is_leaf = |group, index| leaves.contains(&df.switch(group, index));
    let mut unusual = Vec::new();
    let mut first = 0;
    for kind in df.kinds() {
        let groups = (first..first + kind.g).map(GroupId);
        first += kind.g;
        if topology.group_links().is_single() {
            continue;
        }
        let pairs = groups.flat_map(|group| {
            let higher = move |low| topology.live_indices(group).filter(move |&high| low < high);
            let pairs = move |low| higher(low).map(move |high| (group, low, high));
            topology.live_indices(group).flat_map(pairs)
        });
        let pairs = pairs.filter(|&(group, low, high)| {
            leaves.is_empty()
                || is_leaf(group, low) != is_leaf(group, high)
                || topology.links_within(group, low, high) > 0
        });
        let links: Vec<SwitchLinks> = pairs
            .map(|(group, low, high)| SwitchLinks {
                group,
                switches: [low.0.into(), high.0.into()],
                names: None,
                links: topology.links_within(group, low, high),
            })
            .collect();
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for pair in &links {
            *counts.entry(pair.links).or_default() += 1;
        }
        let usual = usual(&counts);
        // No pair is meant to have none.
        unusual
            .extend(links.into_iter().filter(|pair| Some(pair.links) != usual || pair.links == 0));
    }
    unusual
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "so asked for by serde")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The switches of which some global ports have no cable.
fn with_unused_ports(topology: &Topology, leaves: &BTreeSet<SwitchId>) -> Vec<SwitchPorts> {
    let mut found: Vec<SwitchPorts> = Vec::new();
    for group in topology.dragonfly().groups() {
        for (switch, _) in unused_ports(topology, leaves, group) {
            match found.last_mut().filter(|last| (last.group, last.switch) == (group, switch)) {
                Some(last) => last.unused += 1,
                None => found.push(SwitchPorts { name: None, group, switch, unused: 1 }),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
