//! The summary of a wiring as a text: a table of two columns, and what an engineer should know.

use super::{PairCount, SwitchLinks, SwitchPorts, TopologySummary};
use crate::lacking::{KindPair, PairWithFewer};
use std::fmt;
use tvlb_base::text::counted;
use tvlb_schema::{GroupId, GroupKind};
use tvlb_table_set::names::after;

impl TopologySummary {
    /// "4", or "1 to 2 (1 for 30 pairs, 2 for 6)".
    fn links_in_words(&self) -> String {
        let mut counts = self.links_per_pair.iter();
        let Some(first) = counts.next().filter(|_| self.links_per_pair.len() > 1) else {
            return self.most_links_per_pair.to_string();
        };
        let rest: String = counts.fold(String::new(), |text, count| {
            format!("{text}, {} for {}", count.links, count.pairs)
        });
        format!(
            "{} to {} ({} for {}{rest})",
            self.least_links_per_pair,
            self.most_links_per_pair,
            first.links,
            counted(first.pairs as u64, "pair")
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
    pub(super) fn unlinked_in_words(&self) -> String {
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

    /// Facts that an engineer needs before tables are made: a sentence for each switch without a
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
    /// The counts of groups, switches, nodes and ports.
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
        match self.leaves {
            0 => row("switches", &self.switches)?,
            leaves => {
                let spines = self.switches as usize - leaves;
                let leaves = counted(leaves as u64, "leaf");
                let spines = counted(spines as u64, "spine");
                row("switches", &format_args!("{}: {leaves} and {spines}", self.switches))?;
            }
        }
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
                let links = counted(*links as u64, "link");
                let listed = self.pairs_in_words(unusual_pairs, *pairs);
                row(&format!("  unusual: {links}"), &listed)?;
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
