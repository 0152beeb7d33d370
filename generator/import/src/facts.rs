//! Facts about an imported machine for people, in numbers and in sentences.

use crate::components::Components;
use crate::directory::FABRIC_FILE;
use crate::earlier::NumberChanges;
use crate::local_pairs::LocalPairs;
use crate::machine::{Machine, count};
use crate::notes::{NameSample, Notes, counted};
use crate::numbering::Numbering;
use crate::summary::Summary;
use std::collections::BTreeMap;
use std::io::{self, Write};
use tvlb_table_set::sha256;

/// How many pairs have each number of links.
type Histogram = BTreeMap<usize, usize>;

/// Numbers and sentences.
#[derive(Debug)]
pub(crate) struct Facts {
    local_links: usize,
    global_links: usize,
    groups: usize,
    nodes: usize,
    by_pair_of_groups: Histogram,
    local: LocalPairs,
    /// A sentence for each kind in which not all switches have p nodes.
    uneven: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

impl Facts {
    pub(crate) fn of(machine: &Machine, numbering: &Numbering) -> Self {
        let global_links = numbering.globals.len() / 2;
        let mut facts = Self {
            local_links: machine.links.len() - global_links,
            global_links,
            groups: machine.groups.len(),
            nodes: machine.nodes.len(),
            by_pair_of_groups: Histogram::default(),
            local: LocalPairs::of(machine, numbering),
            uneven: Vec::new(),
            warnings: Vec::new(),
        };
        facts.count_pairs_of_groups(machine, numbering);
        facts.warnings.extend(facts.local.warnings(machine, numbering));
        facts.look_at_nodes(machine, numbering);
        facts.look_for_parts(machine);
        facts
    }

    fn count_pairs_of_groups(&mut self, machine: &Machine, numbering: &Numbering) {
        let links = machine.links.iter().filter(|link| !machine.is_local(link));
        let mut pairs: Vec<[u32; 2]> = links
            .map(|link| {
                let [one, other] = link.ends.map(|end| numbering.places[end.switch as usize].0);
                [one.min(other), one.max(other)]
            })
            .collect();
        pairs.sort_unstable();
        let groups = machine.groups.len();
        let mut without = groups * (groups - 1) / 2;
        for same in pairs.chunk_by(|one, other| one == other) {
            *self.by_pair_of_groups.entry(same.len()).or_default() += 1;
            without -= 1;
        }
        if without > 0 {
            self.by_pair_of_groups.insert(0, without);
        }
    }

    fn look_at_nodes(&mut self, machine: &Machine, numbering: &Numbering) {
        let mut nodes = numbering.nodes.iter().peekable();
        let mut group = 0;
        for kind in &numbering.kinds {
            let mut fewer: BTreeMap<u32, NameSample> = BTreeMap::new();
            let end = group + kind.g;
            for switch in numbering.starts[group as usize]..numbering.starts[end as usize] {
                let mut own = 0;
                while nodes.next_if(|node| node.switch == switch).is_some() {
                    own += 1;
                }
                if own < kind.p {
                    let number = numbering.switches[switch as usize] as usize;
                    fewer.entry(own).or_default().push(|| machine.switches[number].name.clone());
                }
            }
            group = end;
            for (own, switches) in fewer {
                self.uneven.push(format!(
                    "Of the kind {} with p = {}, {} {}, and the other places are unused: {}.",
                    kind.name,
                    kind.p,
                    counted(switches.count(), "switch has", "switches have"),
                    counted(own as usize, "node", "nodes"),
                    switches.in_words()
                ));
            }
        }
    }

    /// Searches switches that no chain of links reaches.
    fn look_for_parts(&mut self, machine: &Machine) {
        let mut parts = Components::new(machine.switches.len());
        for link in &machine.links {
            parts.join(link.ends[0].switch, link.ends[1].switch);
        }
        let lowest = parts.lowest();
        let first: Vec<usize> =
            (0..lowest.len()).filter(|&switch| lowest[switch] == count(switch)).collect();
        if first.len() > 1 {
            let names = first.iter().map(|switch| machine.switches[*switch].name.clone());
            self.warnings.push(format!(
                "The machine is in {} parts that no link joins; a switch of each: {}.",
                first.len(),
                NameSample::of(names).in_short()
            ));
        }
    }

    /// In numbers, beside what was read and numbered.
    pub(crate) fn summary(
        &self,
        numbering: &Numbering,
        changes: Option<&NumberChanges>,
        notes: &Notes,
    ) -> Summary {
        Summary {
            read: notes.read.clone(),
            groups: self.groups,
            switches: numbering.switches.len(),
            nodes: self.nodes,
            local_links: self.local_links,
            global_links: self.global_links,
            kinds: numbering.kinds.clone(),
            numbers: changes.map(NumberChanges::summary),
            not_live: None,
            assumptions: self.assumed(numbering, changes.is_some(), notes),
            warnings: self.warned(notes),
        }
    }

    /// `assumptions.txt`.
    pub(crate) fn assumptions(
        &self,
        out: &mut dyn Write,
        (machine, numbering): (&Machine, &Numbering),
        changes: Option<&NumberChanges>,
        notes: &Notes,
        fabric: &[u8],
    ) -> io::Result<()> {
        writeln!(out, "Read: {}.", notes.read)?;
        writeln!(out, "{FABRIC_FILE} as it was written has the SHA-256 {}.", sha256(fabric))?;
        writeln!(out, "\nAssumptions\n")?;
        let mut sentences =
            |list: &[String]| list.iter().try_for_each(|sentence| writeln!(out, "- {sentence}"));
        sentences(&self.assumed(numbering, changes.is_some(), notes))?;
        groups(out, machine, numbering)?;
        if let Some(changes) = changes {
            writeln!(out, "\nSince the earlier import\n")?;
            changes.sentences().try_for_each(|sentence| writeln!(out, "- {sentence}"))?;
        }
        self.counts(out, numbering)?;
        let mut incomplete = self.local.sentences(machine, numbering).peekable();
        if incomplete.peek().is_some() {
            writeln!(out, "\nMissing local links\n")?;
            incomplete.try_for_each(|sentence| writeln!(out, "- {sentence}"))?;
        }
        if !machine.down.is_empty() {
            writeln!(out, "\nLinks that are planned and not live\n")?;
            for link in &machine.down {
                writeln!(out, "- {}", machine.link_name(machine.links[*link as usize].ends))?;
            }
        }
        writeln!(out, "\nWarnings\n")?;
        let warnings = self.warned(notes);
        if warnings.is_empty() {
            writeln!(out, "- There are no warnings.")?;
        }
        warnings.iter().try_for_each(|sentence| writeln!(out, "- {sentence}"))
    }

    /// What was assumed: a sentence each. Parts of an earlier import keep their numbers if there was one.
    fn assumed(&self, numbering: &Numbering, is_again: bool, notes: &Notes) -> Vec<String> {
        let kinds = "Groups next to each other with equally many switches, and equally many nodes at the \
                     switch that has the most, are one kind.";
        let numbers = if is_again {
            "Parts of the earlier import keep their numbers; other groups come after \
             those, and within a group or switch new parts take the lowest free numbers."
        } else if numbering.groups.iter().is_sorted() {
            "The groups are numbered in the order of their names."
        } else {
            "The groups are numbered by falling size, because in the order of their names a fabric has no \
             room for their kinds."
        };
        let own = [kinds, numbers].map(str::to_owned);
        notes.assumed.iter().chain(&self.uneven).cloned().chain(own).collect()
    }

    /// What a person should check: a sentence each.
    fn warned(&self, notes: &Notes) -> Vec<String> {
        notes.warnings.iter().chain(&self.warnings).cloned().collect()
    }

    /// How much there is of everything.
    fn counts(&self, out: &mut dyn Write, numbering: &Numbering) -> io::Result<()> {
        writeln!(out, "\nCounts\n")?;
        writeln!(
            out,
            "- {}, {}, {}.",
            counted(self.groups, "group", "groups"),
            counted(numbering.switches.len(), "switch", "switches"),
            counted(self.nodes, "node", "nodes")
        )?;
        writeln!(
            out,
            "- {} and {}, which use {} of switches.",
            counted(self.local_links, "local link", "local links"),
            counted(self.global_links, "global link", "global links"),
            counted(self.nodes + 2 * (self.local_links + self.global_links), "port", "ports")
        )?;
        histogram(out, "global", "pair of groups", "pairs of groups", &self.by_pair_of_groups)?;
        let several = format!("{} of a group", self.local.in_words());
        let one = several.replacen("pairs", "pair", 1);
        histogram(out, "local", &one, &several, &self.local.by_links)
    }
}

/// The kinds of groups, and the groups of each by their names.
fn groups(out: &mut dyn Write, machine: &Machine, numbering: &Numbering) -> io::Result<()> {
    writeln!(out, "\nGroups\n")?;
    let mut group = 0;
    for kind in &numbering.kinds {
        let groups = counted(kind.g as usize, "group", "groups");
        write!(out, "- {}: {groups}", kind.name)?;
        match kind.a {
            0 => writeln!(out, ", of the earlier import alone.")?,
            a => writeln!(out, " with a = {a}, p = {} and h = {}.", kind.p, kind.h)?,
        }
        for number in group..group + kind.g {
            let name = numbering.group_name(machine, number);
            writeln!(out, "  - Group {number} has the name {name}.")?;
        }
        group += kind.g;
    }
    Ok(())
}

fn histogram(
    out: &mut dyn Write,
    links: &str,
    one: &str,
    several: &str,
    histogram: &Histogram,
) -> io::Result<()> {
    for (number, pairs) in histogram {
        let pairs_have = match pairs {
            1 => format!("1 {one} has"),
            _ => format!("{pairs} {several} have"),
        };
        let number = match number {
            0 => format!("no {links} link"),
            _ => counted(*number, &format!("{links} link"), &format!("{links} links")),
        };
        writeln!(out, "- {pairs_have} {number}.")?;
    }
    Ok(())
}
