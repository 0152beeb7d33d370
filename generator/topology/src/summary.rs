//! The summary of a wiring: its sizes, how evenly it joins the
//! groups, what is unused, missing or unlike the rest, and whether all groups are alike.

use super::Topology;
use super::names::Names;
use serde::Serialize;
use std::{collections::BTreeMap, fmt};
use tvlb_schema::{Dragonfly, End, FewerLinks, GroupId, GroupKind, SwitchIndex};

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
    /// Switches of the fabric.
    pub switches: u32,
    /// Nodes of the fabric.
    pub nodes: u32,
    /// Global ports of the fabric, used or not.
    pub global_ports: u32,
    /// Global cables.
    pub global_cables: usize,
    /// Global ports without a cable.
    pub unused_ports: usize,
    /// The least links that any pair of groups has.
    pub least_links_per_pair: usize,
    /// The most links that any pair of groups has.
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
    /// The first pairs that share fewer links than others of their kind of groups, at most
    /// [`TopologySummary::SHOWN`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first_fewer_local_links: Vec<SwitchLinks>,
    /// How many such pairs there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub pairs_with_fewer_local_links: usize,
    /// Every switch with global ports that have no cable, by group and index.
    pub switches_with_unused_ports: Vec<SwitchPorts>,
    /// Those of them that have no global cable at all, as (group, index).
    pub switches_without_global_cable: Vec<(GroupId, u32)>,
    /// Whether all groups are alike: [`Topology::is_rotation_invariant`].
    pub rotation_invariant: bool,
    /// What the machine calls the groups of the pairs above, by number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub group_names: BTreeMap<GroupId, String>,
}

/// How many pairs of groups have a certain number of links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PairCount {
    /// Links of each of them.
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
    /// Their group.
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
    /// Its group.
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

    /// The numbers of this wiring, with what the machine calls its switches.
    pub fn named(topology: &Topology, names: &Names) -> Self {
        let mut summary = Self::of(topology);
        let df = topology.dragonfly();
        for found in &mut summary.switches_with_unused_ports {
            let index = u8::try_from(found.switch).ok().map(SwitchIndex);
            let switch = index.map(|index| df.switch(found.group, index));
            found.name = switch.and_then(|switch| names.switch(switch)).map(str::to_owned);
        }
        for found in &mut summary.first_fewer_local_links {
            let name = |index: u32| {
                let switch = df.switch(found.group, SwitchIndex(u8::try_from(index).ok()?));
                names.switch(switch).map(str::to_owned)
            };
            let [low, high] = found.switches.map(name);
            found.names = low.zip(high).map(|(low, high)| [low, high]);
        }
        let unusual = summary.links_per_pair.iter().flat_map(|count| &count.unusual_pairs);
        let groups = unusual.chain(&summary.first_unlinked_pairs).flat_map(|&(i, j)| [i, j]);
        summary.group_names =
            groups.filter_map(|group| Some((group, names.group(group)?.to_owned()))).collect();
        summary
    }

    /// The numbers of this wiring.
    pub fn of(topology: &Topology) -> Self {
        let df = topology.dragonfly();
        // By number of links: how many pairs, and the first of them.
        let mut pairs_by_links: BTreeMap<usize, (usize, Vec<(GroupId, GroupId)>)> = BTreeMap::new();
        let mut all_pairs = 0;
        for i in df.groups() {
            for j in df.groups().filter(|&j| i < j) {
                let (pairs, first) = pairs_by_links.entry(topology.links(i, j).len()).or_default();
                *pairs += 1;
                all_pairs += 1;
                if first.len() < Self::SHOWN {
                    first.push((i, j));
                }
            }
        }
        let switches_with_unused_ports = with_unused_ports(topology);
        let (unlinked_pairs, first_unlinked_pairs) =
            pairs_by_links.get(&0).cloned().unwrap_or_default();
        let local_links = topology.local_links().iter().map(|links| links.links as usize).sum();
        let fewer = topology.fewer_links();
        let switch_links = |pair: &FewerLinks| {
            let (group, low) = df.place(pair.low);
            let switches = [low.0.into(), pair.high.0.into()];
            SwitchLinks { group, switches, names: None, links: pair.links.into() }
        };
        let (least_links_per_pair, most_links_per_pair) = topology.links_per_pair();
        Self {
            p: df.p(),
            a: df.a(),
            h: df.h(),
            g: df.g(),
            kinds: df.stated_kinds().to_vec(),
            switches: df.switch_count(),
            nodes: df.node_count(),
            global_ports: df.port_count(),
            global_cables: topology.cables().len(),
            unused_ports: topology.unused_ports(),
            least_links_per_pair,
            most_links_per_pair,
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
            pairs_without_local_link: fewer.iter().filter(|pair| pair.links == 0).count(),
            // Those without any come first.
            first_fewer_local_links: (0..=1)
                .flat_map(|some| fewer.iter().filter(move |pair| u16::from(pair.links > 0) == some))
                .take(Self::SHOWN)
                .map(switch_links)
                .collect(),
            pairs_with_fewer_local_links: fewer.len(),
            switches_without_global_cable: switches_with_unused_ports
                .iter()
                .filter(|switch| switch.unused == u32::from(df.kind_of(switch.group).h))
                .map(|switch| (switch.group, switch.switch))
                .collect(),
            switches_with_unused_ports,
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

    /// "0-1, 0-4, 2-3", or "0 x1000 - 1 x1001" where groups have names, with dots after them if there
    /// are more.
    fn pairs_in_words(&self, first: &[(GroupId, GroupId)], all: usize) -> String {
        let pair =
            |&(i, j): &(GroupId, GroupId)| match [i, j].map(|group| self.group_names.get(&group)) {
                [None, None] => format!("{i}-{j}"),
                names => {
                    let [from, to] =
                        names.map(|name| name.map_or(String::new(), |name| format!(" {name}")));
                    format!("{i}{from} - {j}{to}")
                }
            };
        let shown: Vec<_> = first.iter().map(pair).collect();
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
                let name = name.as_ref().map_or_else(String::new, |name| format!(" {name}"));
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
                let name = known.and_then(|known| known.name.as_ref());
                let name = name.map_or_else(String::new, |name| format!(" {name}"));
                format!(
                    "switch ({group},{switch}){name} has no global cable; packets still take local \
                     detours through it, and it is still a source and a destination"
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "so asked for by serde")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The switches of which some global ports have no cable.
fn with_unused_ports(topology: &Topology) -> Vec<SwitchPorts> {
    let df: &Dragonfly = topology.dragonfly();
    let mut found: Vec<SwitchPorts> = Vec::new();
    for group in df.groups() {
        let is_unused = |port: &_| {
            df.has_global_port_of(group, *port)
                && topology.peer(End { group, port: *port }).is_none()
        };
        for port in df.global_ports().filter(is_unused) {
            let switch = u32::from(port.0) / df.h();
            match found.last_mut().filter(|last| (last.group, last.switch) == (group, switch)) {
                Some(last) => last.unused += 1,
                None => found.push(SwitchPorts { name: None, group, switch, unused: 1 }),
            }
        }
    }
    found
}

impl fmt::Display for TopologySummary {
    /// A table of two aligned columns, and a line for each warning, each line ended.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { p, a, h, g, .. } = self;
        let alike = if self.rotation_invariant { "yes" } else { "no" };
        let mut row = |name: &str, value: &dyn fmt::Display| writeln!(f, "{name:<27}{value}");
        if self.kinds.is_empty() {
            row("Dragonfly (p, a, h, g)", &format_args!("{p}, {a}, {h}, {g}"))?;
        }
        for (number, GroupKind { p, a, h, g, local_links }) in self.kinds.iter().enumerate() {
            let name = if number == 0 { "groups (p, a, h, how many)" } else { "" };
            let parallel = match local_links {
                1 => String::new(),
                links => format!("; {links} links between two switches"),
            };
            row(name, &format_args!("{p}, {a}, {h}, {g}{parallel}"))?;
        }
        row("switches", &self.switches)?;
        row("nodes", &self.nodes)?;
        row("global ports", &self.global_ports)?;
        row("global ports unused", &self.unused_ports)?;
        if self.unused_ports > 0 {
            row("switches with unused ports", &self.unused_in_words())?;
        }
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
        row("pairs without a link", &self.unlinked_in_words())?;
        if self.groups_with_local_links > 0 {
            let Self { groups_with_local_links: groups, local_links: links, .. } = self;
            row("local links listed", &format_args!("{links} in {groups} of {g} groups"))?;
        }
        let listed = |without: bool, all: usize| {
            let of_these = |pair: &&SwitchLinks| (pair.links == 0) == without;
            let shown: Vec<String> = self
                .first_fewer_local_links
                .iter()
                .filter(of_these)
                .map(|pair| match pair.links {
                    0 | 1 => pair.to_string(),
                    links => format!("{pair} {links}"),
                })
                .collect();
            let more = if all > shown.len() { ", …" } else { "" };
            format!("{all}: {}{more}", shown.join(", "))
        };
        let without = self.pairs_without_local_link;
        if without > 0 {
            row("pairs without a local link", &listed(true, without))?;
        }
        if self.pairs_with_fewer_local_links > without {
            let fewer = self.pairs_with_fewer_local_links - without;
            row("pairs with fewer of them", &listed(false, fewer))?;
        }
        row("same under group rotation", &alike)?;
        for warning in self.warnings() {
            writeln!(f, "warning: {warning}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        arrangement::{Arrangement, arrange},
        cable_list,
    };
    use tvlb_schema::Dragonfly;

    fn summary(arrangement: Arrangement, (p, a, h, g): (u32, u32, u32, u32)) -> TopologySummary {
        let df = Dragonfly::new(p, a, h, g).unwrap();
        TopologySummary::of(&arrange(df, arrangement, 0).unwrap())
    }

    #[test]
    fn an_even_wiring() {
        insta::assert_snapshot!(summary(Arrangement::Relative, (4, 8, 4, 9)), @r"
        Dragonfly (p, a, h, g)     4, 8, 4, 9
        switches                   72
        nodes                      288
        global ports               288
        global ports unused        0
        global cables              144
        links per pair of groups   4
        pairs without a link       none
        same under group rotation  yes
        ");
    }

    #[test]
    fn an_uneven_wiring() {
        insta::assert_snapshot!(summary(Arrangement::Absolute, (3, 3, 3, 7)), @"
        Dragonfly (p, a, h, g)     3, 3, 3, 7
        switches                   21
        nodes                      63
        global ports               63
        global ports unused        1
        switches with unused ports 1: (6,2) 1 of 3
        global cables              31
        links per pair of groups   1 to 2 (1 for 11 pairs, 2 for 10)
        pairs without a link       none
        same under group rotation  no
        ");
    }

    #[test]
    fn a_wiring_with_holes() {
        let df = Dragonfly::new(1, 1, 2, 3).unwrap();
        let text = "from_group,from_switch,from_port,to_group,to_switch,to_port\n0,0,0,2,0,1\n";
        let summary = TopologySummary::of(&cable_list::read(df, text).unwrap());
        insta::assert_snapshot!(summary, @"
        Dragonfly (p, a, h, g)     1, 1, 2, 3
        switches                   3
        nodes                      3
        global ports               6
        global ports unused        4
        switches with unused ports 3: (0,0) 1 of 2, (1,0) all 2, (2,0) 1 of 2
        global cables              1
        links per pair of groups   0 to 1 (0 for 2 pairs, 1 for 1)
        pairs without a link       2: 0-1, 1-2
        same under group rotation  no
        warning: switch (1,0) has no global cable; packets still take local detours through it, and it is still a source and a destination
        ");
        insta::assert_snapshot!(serde_json::to_string(&summary).unwrap(), @r#"{"p":1,"a":1,"h":2,"g":3,"switches":3,"nodes":3,"global_ports":6,"global_cables":1,"unused_ports":4,"least_links_per_pair":0,"most_links_per_pair":1,"links_per_pair":[{"links":0,"pairs":2,"unusual_pairs":[]},{"links":1,"pairs":1,"unusual_pairs":[]}],"unlinked_pairs":2,"first_unlinked_pairs":[[0,1],[1,2]],"switches_with_unused_ports":[{"group":0,"switch":0,"unused":1},{"group":1,"switch":0,"unused":2},{"group":2,"switch":0,"unused":1}],"switches_without_global_cable":[[1,0]],"rotation_invariant":false}"#);
    }

    /// What an engineer with a cable list looks for: where the odd ones are.
    #[test]
    fn what_is_unusual_is_named() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let whole = arrange(df, Arrangement::Absolute, 0).unwrap();
        let of_switch = |end: End| (end.group.0, u32::from(end.port.0) / df.h());
        // Switch (7,3) is dead, and so is one cable of switch (2,1).
        let cables =
            whole.cables().iter().map(|cable| (cable.low, cable.high)).filter(|&(low, high)| {
                let lost = |end| of_switch(end) == (7, 3);
                !lost(low) && !lost(high) && of_switch(low) != (2, 1)
            });
        let summary = TopologySummary::of(&Topology::from_cables(df, cables).unwrap());
        insta::assert_snapshot!(summary, @"
        Dragonfly (p, a, h, g)     2, 4, 2, 9
        switches                   36
        nodes                      72
        global ports               72
        global ports unused        6
        switches with unused ports 5: (2,1) 1 of 2, (3,3) 1 of 2, (4,2) 1 of 2, (7,3) all 2, (8,3) 1 of 2
        global cables              33
        links per pair of groups   0 to 1 (0 for 3 pairs, 1 for 33)
        pairs without a link       3: 2-4, 3-7, 7-8
        same under group rotation  no
        warning: switch (7,3) has no global cable; packets still take local detours through it, and it is still a source and a destination
        ");
        assert_eq!(summary.warnings().len(), 1);
        assert_eq!(summary.switches_without_global_cable, [(GroupId(7), 3)]);
        // One pair of ten with fewer links than the others.
        let df = Dragonfly::new(1, 4, 4, 5).unwrap();
        let whole = arrange(df, Arrangement::Absolute, 0).unwrap();
        let cables = whole.cables().iter().skip(1).map(|cable| (cable.low, cable.high));
        let summary = TopologySummary::of(&Topology::from_cables(df, cables).unwrap()).to_string();
        let unusual = "links per pair of groups   3 to 4 (3 for 1 pair, 4 for 9)\n  \
                       unusual: 3 links         0-1\n";
        assert!(summary.contains(unusual), "{summary}");
        assert!(!summary.contains("unusual: 4"), "{summary}");
    }

    #[test]
    fn many_switches_without_a_cable_are_not_all_named() {
        let df = Dragonfly::new(1, 4, 2, 9).unwrap();
        let summary = TopologySummary::of(&Topology::from_cables(df, []).unwrap());
        let warnings = summary.warnings();
        assert_eq!(warnings.len(), TopologySummary::SHOWN + 1);
        assert_eq!(
            warnings[TopologySummary::SHOWN],
            "28 more switches have no global cable; `tvlb topology --json` lists all of them"
        );
        assert_eq!(summary.switches_without_global_cable.len(), 36);
    }

    #[test]
    fn many_holes_are_not_all_listed() {
        let df = Dragonfly::new(1, 4, 2, 9).unwrap();
        let summary = TopologySummary::of(&Topology::from_cables(df, []).unwrap());
        assert_eq!(summary.unlinked_pairs, 36);
        assert_eq!(summary.unlinked_in_words(), "36: 0-1, 0-2, 0-3, 0-4, 0-5, 0-6, 0-7, 0-8, …");
    }
}
