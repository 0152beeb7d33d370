//! What an engineer wants to know of a wiring at a glance: its sizes, how evenly it joins the
//! groups, what is unused or missing, and whether all groups are alike.

use super::Topology;
use serde::Serialize;
use std::{collections::BTreeMap, fmt};
use tvlb_schema::Group;

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
    pub first_unlinked_pairs: Vec<(Group, Group)>,
    /// Whether all groups are alike: [`Topology::is_rotation_invariant`].
    pub rotation_invariant: bool,
}

/// How many pairs of groups have a certain number of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PairCount {
    /// Links of each of them.
    pub links: usize,
    /// How many such pairs there are; a pair counts once, not once for each direction.
    pub pairs: usize,
}

impl TopologySummary {
    /// How many pairs without a link are listed: enough to find the fault, few enough to read.
    pub const SHOWN: usize = 8;

    /// The numbers of this wiring.
    pub fn of(topology: &Topology) -> Self {
        let df = topology.dragonfly();
        let mut pairs_by_links = BTreeMap::new();
        let mut first_unlinked_pairs = Vec::new();
        for i in df.groups() {
            for j in df.groups().filter(|&j| i < j) {
                let links = topology.links(i, j).len();
                *pairs_by_links.entry(links).or_insert(0) += 1;
                if links == 0 && first_unlinked_pairs.len() < Self::SHOWN {
                    first_unlinked_pairs.push((i, j));
                }
            }
        }
        let (least_links_per_pair, most_links_per_pair) = topology.links_per_pair();
        Self {
            p: df.p(),
            a: df.a(),
            h: df.h(),
            g: df.g(),
            switches: df.switch_count(),
            nodes: df.node_count(),
            global_ports: df.port_count(),
            global_cables: topology.cables().len(),
            unused_ports: topology.unused_ports(),
            least_links_per_pair,
            most_links_per_pair,
            unlinked_pairs: pairs_by_links.get(&0).copied().unwrap_or(0),
            links_per_pair: pairs_by_links
                .into_iter()
                .map(|(links, pairs)| PairCount { links, pairs })
                .collect(),
            first_unlinked_pairs,
            rotation_invariant: topology.is_rotation_invariant(),
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
        let shown: Vec<_> =
            self.first_unlinked_pairs.iter().map(|(i, j)| format!("{i}-{j}")).collect();
        let more = if self.unlinked_pairs > shown.len() { ", …" } else { "" };
        format!("{}: {}{more}", self.unlinked_pairs, shown.join(", "))
    }
}

impl fmt::Display for TopologySummary {
    /// A table of two aligned columns, each line ended.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { p, a, h, g, .. } = self;
        let alike = if self.rotation_invariant { "yes" } else { "no" };
        let rows: [(&str, &dyn fmt::Display); 9] = [
            ("Dragonfly (p, a, h, g)", &format_args!("{p}, {a}, {h}, {g}")),
            ("switches", &self.switches),
            ("nodes", &self.nodes),
            ("global ports", &self.global_ports),
            ("global ports unused", &self.unused_ports),
            ("global cables", &self.global_cables),
            ("links per pair of groups", &self.links_in_words()),
            ("pairs without a link", &self.unlinked_in_words()),
            ("same under group rotation", &alike),
        ];
        for (name, value) in rows {
            writeln!(f, "{name:<27}{value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{
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
        insta::assert_snapshot!(summary(Arrangement::Absolute, (3, 3, 3, 7)), @r"
        Dragonfly (p, a, h, g)     3, 3, 3, 7
        switches                   21
        nodes                      63
        global ports               63
        global ports unused        1
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
        insta::assert_snapshot!(summary, @r"
        Dragonfly (p, a, h, g)     1, 1, 2, 3
        switches                   3
        nodes                      3
        global ports               6
        global ports unused        4
        global cables              1
        links per pair of groups   0 to 1 (0 for 2 pairs, 1 for 1)
        pairs without a link       2: 0-1, 1-2
        same under group rotation  no
        ");
        insta::assert_snapshot!(serde_json::to_string(&summary).unwrap(), @r#"{"p":1,"a":1,"h":2,"g":3,"switches":3,"nodes":3,"global_ports":6,"global_cables":1,"unused_ports":4,"least_links_per_pair":0,"most_links_per_pair":1,"links_per_pair":[{"links":0,"pairs":2},{"links":1,"pairs":1}],"unlinked_pairs":2,"first_unlinked_pairs":[[0,1],[1,2]],"rotation_invariant":false}"#);
    }

    #[test]
    fn many_holes_are_not_all_listed() {
        let df = Dragonfly::new(1, 4, 2, 9).unwrap();
        let summary = TopologySummary::of(&Topology::from_cables(df, []).unwrap());
        assert_eq!(summary.unlinked_pairs, 36);
        assert_eq!(summary.unlinked_in_words(), "36: 0-1, 0-2, 0-3, 0-4, 0-5, 0-6, 0-7, 0-8, …");
    }
}
