//! The summary of a wiring: its sizes, how evenly it joins the
//! groups, what is unused, missing or unlike the rest, and whether all groups are alike.

use super::Topology;
use super::lacking::{KindPair, Lacking, LackingCables, PairWithFewer, unused_ports, usual};
use serde::Serialize;
use std::{collections::BTreeMap, fmt};
use tvlb_schema::{GroupId, GroupKind, NodeId, SwitchIndex};
use tvlb_table_set::names::{Names, after};

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
    /// The kinds of groups, in the order of the groups, where there is more than one; p, a and h are
    /// then the most that any kind has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<GroupKind>,
    /// Switches of the fabric that live.
    pub switches: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub dead_switches: usize,
    /// Nodes that there are, on switches that live.
    pub nodes: u32,
    /// Places of nodes on these switches at which there is none.
    #[serde(skip_serializing_if = "is_zero")]
    pub places_without_node: usize,
    /// Global ports of these switches, used or not.
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
    /// Pairs of switches of one group that share no link.
    #[serde(skip_serializing_if = "is_zero")]
    pub pairs_without_local_link: usize,
    /// The first pairs that share another number of links than most of their kind of groups, those without
    /// any before the others, at most [`TopologySummary::SHOWN`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first_unusual_local_links: Vec<SwitchLinks>,
    /// How many such pairs there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub pairs_with_unusual_local_links: usize,
    /// Every switch with global ports that have no cable, by group and index.
    pub switches_with_unused_ports: Vec<SwitchPorts>,
    /// Those of them that have no global cable at all, as (group, index).
    pub switches_without_global_cable: Vec<(GroupId, u32)>,
    /// Where there are several kinds of groups: the links of the pairs of each two kinds.
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
    /// What the machine calls the groups of the pairs above, by number.
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
    /// What the machine calls them, if both are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<[String; 2]>,
    /// 0 if there is none.
    pub links: u32,
}

impl fmt::Display for SwitchLinks {
    /// "(1,0)-(1,2)", and what the machine calls the two.
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
    /// What the machine calls it, if that is known.
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

    /// The numbers of this wiring, with what the machine calls its switches and the nodes that it has.
    pub fn named(topology: &Topology, names: &Names) -> Self {
        let mut summary = Self::of(topology);
        let df = topology.dragonfly();
        summary.nodes = topology.nodes(names).count();
        let is_of_live = |&node: &NodeId| topology.lives(df.switch_of(node).0);
        summary.places_without_node = names.nodes(df).missing().filter(is_of_live).count();
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
        let switches_with_unused_ports = with_unused_ports(topology);
        let (unlinked_pairs, first_unlinked_pairs) =
            pairs_by_links.get(&0).cloned().unwrap_or_default();
        let local_links = topology.local_links().iter().map(|links| links.links as usize).sum();
        let mut unusual = unusual_local_links(topology);
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
            dead_switches: topology.dead_switches().len(),
            nodes: topology.nodes(&Names::default()).count(),
            places_without_node: 0,
            global_ports: topology.global_ports(),
            global_cables: topology.cables().len(),
            unused_ports: topology.unused_ports(),
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
                .filter(|switch| switch.unused == u32::from(df.kind_of(switch.group).h))
                .map(|switch| (switch.group, switch.switch))
                .collect(),
            switches_with_unused_ports,
            links_by_kinds: if df.is_even() { Vec::new() } else { kinds },
            pairs_with_fewer: fewer,
            lacking_cables: cables,
            rotation_invariant: topology.is_rotation_invariant(),
            group_names: BTreeMap::new(),
        }
    }

    /// "4", or "1 to 2 (1 for 30 pairs, 2 for 6)".
    fn links_in_words(&self) -> String {
        let mut counts = self.links_per_pair.iter();
        let Some(first) = counts.next().filter(|_| self.links_per_pair.len() > 1) else {
            return self.most_links_per_pair.to_string();
        };
        let unit = if first.pairs == 1 { "pair" } else { "pairs" };
        let rest: String = counts.fold(String::new(), |text, count| {
            format!("{text}, {} for {}", count.links, count.pairs)
        });
        format!(
            "{} to {} ({} for {} {unit}{rest})",
            self.least_links_per_pair, self.most_links_per_pair, first.links, first.pairs
        )
    }

    /// "2: 0-1 3 of 4, 2-4 1 of 4": what pairs have of what is usual.
    fn fewer_in_words(&self) -> String {
        let all = &self.pairs_with_fewer;
        let shown =
            all.iter().take(Self::SHOWN).map(|PairWithFewer { groups: [i, j], links, usual }| {
                format!("{} {links} of {usual}", self.pair_in_words(*i, *j))
            });
        listed(all.len(), all.len(), &shown.collect::<Vec<_>>())
    }

    /// "1: (2,1) global port 0 = (4,2) global port 1".
    fn lacking_in_words(&self) -> String {
        let all = &self.lacking_cables;
        let shown: Vec<_> = all.iter().take(Self::SHOWN).map(ToString::to_string).collect();
        listed(all.iter().map(|cables| cables.cables).sum(), all.len(), &shown)
    }

    /// "none", or "3: 0-1, 0-4, 2-3".
    fn unlinked_in_words(&self) -> String {
        if self.unlinked_pairs == 0 {
            return "none".to_owned();
        }
        format!(
            "{}: {}",
            self.unlinked_pairs,
            self.pairs_in_words(&self.first_unlinked_pairs, self.unlinked_pairs)
        )
    }

    /// "0-1", or "0 x1000 - 1 x1001" where groups have names.
    fn pair_in_words(&self, i: GroupId, j: GroupId) -> String {
        let name = |group| after(group, self.group_names.get(&group).map(String::as_str));
        match [i, j].map(name) {
            [from, to] if from.is_empty() && to.is_empty() => format!("{i}-{j}"),
            [from, to] => format!("{i}{from} - {j}{to}"),
        }
    }

    /// The pairs in words, with dots after them if there are more.
    fn pairs_in_words(&self, first: &[(GroupId, GroupId)], all: usize) -> String {
        let shown: Vec<_> = first.iter().map(|&(i, j)| self.pair_in_words(i, j)).collect();
        let more = if all > shown.len() { ", …" } else { "" };
        format!("{}{more}", shown.join(", "))
    }

    /// Global ports of each switch of a group.
    fn h_of(&self, group: GroupId) -> u32 {
        let mut left = u32::from(group.0);
        for kind in &self.kinds {
            if left < kind.g.into() {
                return kind.h.into();
            }
            left -= u32::from(kind.g);
        }
        self.h
    }

    /// "2: (0,3) 1 of 4, (5,1) all 4".
    fn unused_in_words(&self) -> String {
        let all = &self.switches_with_unused_ports;
        let shown: Vec<_> = all
            .iter()
            .take(Self::SHOWN)
            .map(|SwitchPorts { name, group, switch, unused }| {
                let name = after(switch, name.as_deref());
                match *unused {
                    unused if unused == self.h_of(*group) => {
                        format!("({group},{switch}){name} all {unused}")
                    }
                    unused => {
                        format!("({group},{switch}){name} {unused} of {}", self.h_of(*group))
                    }
                }
            })
            .collect();
        let more = if all.len() > shown.len() { ", …" } else { "" };
        format!("{}: {}{more}", all.len(), shown.join(", "))
    }

    /// What an engineer should know before tables are made: a sentence for each switch without a
    /// global cable, at most [`Self::SHOWN`], and one for the others.
    pub fn warnings(&self) -> Vec<String> {
        let all = &self.switches_without_global_cable;
        let mut warnings: Vec<String> = all
            .iter()
            .take(Self::SHOWN)
            .map(|(group, switch)| {
                let known = &self.switches_with_unused_ports;
                let known = known.iter().find(|one| (one.group, one.switch) == (*group, *switch));
                let name = after(switch, known.and_then(|known| known.name.as_deref()));
                format!(
                    "switch ({group},{switch}){name} has no global cable; where it has local links, \
                     packets take detours through it, and it is a source and a destination"
                )
            })
            .collect();
        let more = all.len() - warnings.len();
        if more > 0 {
            let switches = if more == 1 { "switch has" } else { "switches have" };
            warnings.push(format!(
                "{more} more {switches} no global cable; `tvlb topology --json` lists all of them"
            ));
        }
        warnings
    }
}

/// The pairs of switches of a group that share no link, or another number of links than most of their kind
/// of groups, by rising group.
pub fn unusual_local_links(topology: &Topology) -> Vec<SwitchLinks> {
    let df = topology.dragonfly();
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
fn with_unused_ports(topology: &Topology) -> Vec<SwitchPorts> {
    let mut found: Vec<SwitchPorts> = Vec::new();
    for group in topology.dragonfly().groups() {
        for (switch, _) in unused_ports(topology, group) {
            match found.last_mut().filter(|last| (last.group, last.switch) == (group, switch)) {
                Some(last) => last.unused += 1,
                None => found.push(SwitchPorts { name: None, group, switch, unused: 1 }),
            }
        }
    }
    found
}

/// "2: a, b", with dots after what is shown if it is not all.
fn listed(count: usize, all: usize, shown: &[String]) -> String {
    let more = if all > shown.len() { ", …" } else { "" };
    format!("{count}: {}{more}", shown.join(", "))
}

impl fmt::Display for TopologySummary {
    /// A table of two aligned columns, and a line for each warning, each line ended.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let alike = if self.rotation_invariant { "yes" } else { "no" };
        let row: Row<'_> = &mut |name, value| writeln!(f, "{name:<27}{value}");
        self.sizes(row)?;
        self.cables(row)?;
        self.local_links(row)?;
        row("same under group rotation", &alike)?;
        for warning in self.warnings() {
            writeln!(f, "warning: {warning}")?;
        }
        Ok(())
    }
}

/// Writes a name and a value in a line of their own.
type Row<'r> = &'r mut dyn FnMut(&str, &dyn fmt::Display) -> fmt::Result;

impl TopologySummary {
    /// What there is of groups, switches, nodes and ports.
    fn sizes(&self, row: Row<'_>) -> fmt::Result {
        let Self { p, a, h, g, .. } = self;
        if self.kinds.is_empty() {
            row("Dragonfly (p, a, h, g)", &format_args!("{p}, {a}, {h}, {g}"))?;
        }
        for (number, kind) in self.kinds.iter().enumerate() {
            let name = if number == 0 { "groups (p, a, h, how many)" } else { "" };
            let GroupKind { p, a, h, g, local_links } = kind;
            if kind.is_absent() {
                row(name, &format_args!("absent, {g}"))?;
                continue;
            }
            let parallel = match local_links {
                1 => String::new(),
                links => format!("; {links} links between two switches"),
            };
            row(name, &format_args!("{p}, {a}, {h}, {g}{parallel}"))?;
        }
        row("switches", &self.switches)?;
        if self.dead_switches > 0 {
            row("dead switches", &self.dead_switches)?;
        }
        row("nodes", &self.nodes)?;
        if self.places_without_node > 0 {
            row("places without a node", &self.places_without_node)?;
        }
        row("global ports", &self.global_ports)?;
        row("global ports unused", &self.unused_ports)?;
        if self.unused_ports > 0 {
            row("switches with unused ports", &self.unused_in_words())?;
        }
        Ok(())
    }

    /// The cables between groups, by pairs of groups.
    fn cables(&self, row: Row<'_>) -> fmt::Result {
        row("global cables", &self.global_cables)?;
        row("links per pair of groups", &self.links_in_words())?;
        for PairCount { links, pairs, unusual_pairs } in &self.links_per_pair {
            // Pairs without a link have a line of their own.
            if *links > 0 && !unusual_pairs.is_empty() {
                let plural = if *links == 1 { "" } else { "s" };
                let listed = self.pairs_in_words(unusual_pairs, *pairs);
                row(&format!("  unusual: {links} link{plural}"), &listed)?;
            }
        }
        for KindPair { kinds: [one, other], usual, links } in &self.links_by_kinds {
            let name = match (one + 1, other + 1) {
                (one, other) if one == other => format!("  within kind {one}"),
                (one, other) => format!("  between kinds {one} and {other}"),
            };
            let counts = links.iter().map(|(links, pairs)| format!("{links} for {pairs}"));
            match links.len() {
                1 => row(&name, usual)?,
                _ => row(&name, &counts.collect::<Vec<_>>().join(", "))?,
            }
        }
        if !self.pairs_with_fewer.is_empty() {
            row("pairs with fewer links", &self.fewer_in_words())?;
        }
        if !self.lacking_cables.is_empty() {
            row("cables that are lacking", &self.lacking_in_words())?;
        }
        row("pairs without a link", &self.unlinked_in_words())?;
        Ok(())
    }

    /// The links within groups, where they are not one for every two switches.
    fn local_links(&self, row: Row<'_>) -> fmt::Result {
        let absent = self.kinds.iter().filter(|kind| kind.is_absent());
        let g = absent.fold(self.g, |present, kind| present - u32::from(kind.g));
        if self.groups_with_local_links > 0 {
            let Self { groups_with_local_links: groups, local_links: links, .. } = self;
            row("local links listed", &format_args!("{links} in {groups} of {g} groups"))?;
        }
        let listed = |without: bool, all: usize| {
            let of_these = |pair: &&SwitchLinks| (pair.links == 0) == without;
            let shown: Vec<String> = self
                .first_unusual_local_links
                .iter()
                .filter(of_these)
                .map(
                    |pair| {
                        if without { pair.to_string() } else { format!("{pair} {}", pair.links) }
                    },
                )
                .collect();
            let more = if all > shown.len() { ", …" } else { "" };
            format!("{all}: {}{more}", shown.join(", "))
        };
        let without = self.pairs_without_local_link;
        if without > 0 {
            row("pairs without a local link", &listed(true, without))?;
        }
        if self.pairs_with_unusual_local_links > without {
            let unusual = self.pairs_with_unusual_local_links - without;
            row("unusual local links", &listed(false, unusual))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
