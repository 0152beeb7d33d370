//! What an import read and what came of it, for people in a few lines and for programs as JSON.

use crate::notes::counted;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// An import in numbers and sentences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Summary {
    /// What was read, in a few words.
    pub read: String,
    pub groups: usize,
    pub switches: usize,
    pub nodes: usize,
    /// Links between switches of one group.
    pub local_links: usize,
    /// Links between groups.
    pub global_links: usize,
    /// The kinds of groups, in the order of the groups.
    pub kinds: Vec<KindSummary>,
    /// What has become of the numbers of an earlier import, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumbersSummary>,
    /// Planned links that are not live, if it was asked which ones are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_live: Option<usize>,
    /// What was assumed, left out or added: a sentence each.
    pub assumptions: Vec<String>,
    /// What a person should look at: a sentence each.
    pub warnings: Vec<String>,
}

/// Groups next to each other that are alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct KindSummary {
    pub name: String,
    /// How many groups.
    pub g: u32,
    /// Switches per group: 0 for groups that are absent.
    pub a: u32,
    /// The most places for nodes that a switch has.
    pub p: u32,
    /// The most global ports of a switch, and at least 1 if there are switches.
    pub h: u32,
}

/// Of how many parts the numbers stayed or did not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NumbersSummary {
    /// Those that have the numbers that they had.
    pub kept: PartCounts,
    /// Those that are new.
    pub added: PartCounts,
    /// Those that are not there any more.
    pub gone: PartCounts,
    /// Those that have other numbers.
    pub moved: PartCounts,
}

/// One and several parts of each sort, in the order of [`PartCounts`].
pub(crate) const PART_WORDS: [[&str; 2]; 4] = [
    ["group", "groups"],
    ["switch", "switches"],
    ["node", "nodes"],
    ["global port", "global ports"],
];

/// How many parts of each sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PartCounts {
    pub groups: usize,
    pub switches: usize,
    pub nodes: usize,
    pub global_ports: usize,
}

impl Display for PartCounts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { groups, switches, nodes, global_ports } = *self;
        let all = [groups, switches, nodes, global_ports].into_iter().zip(PART_WORDS);
        let some = all.filter(|(count, _)| *count > 0);
        let some: Vec<String> =
            some.map(|(count, [one, several])| counted(count, one, several)).collect();
        f.write_str(if some.is_empty() { "nothing" } else { "" })?;
        f.write_str(&some.join(", "))
    }
}

/// All but the assumptions and warnings.
impl Display for Summary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { read, groups, switches, nodes, local_links, global_links, .. } = self;
        writeln!(f, "read      {read}")?;
        writeln!(
            f,
            "machine   {}, {}, {}",
            counted(*groups, "group", "groups"),
            counted(*switches, "switch", "switches"),
            counted(*nodes, "node", "nodes"),
        )?;
        writeln!(f, "links     {local_links} local, {global_links} global")?;
        for (number, KindSummary { name, g, a, p, h }) in self.kinds.iter().enumerate() {
            let label = if number == 0 { "kinds" } else { "" };
            write!(f, "{label:<9} {name}: g = {g}")?;
            match a {
                0 => writeln!(f)?,
                _ => writeln!(f, ", a = {a}, p = {p}, h = {h}")?,
            }
        }
        if let Some(NumbersSummary { kept, added, gone, moved }) = &self.numbers {
            write!(f, "kept      {kept}\nadded     {added}\n")?;
            write!(f, "gone      {gone}\nmoved     {moved}\n")?;
        }
        if let Some(down) = self.not_live {
            let links = counted(down, "planned link is", "planned links are");
            writeln!(f, "down      {links} not live")?;
        }
        Ok(())
    }
}
