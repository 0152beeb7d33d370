//! Which switches form a group: by their descriptions, or by their links.
//!
//! By links there are two kinds of networks. In a Dragonfly+ the switches with nodes (leaves) are linked only with
//! switches without (spines), and a group is a component of those links. A leaf may have lost its nodes. In a Dragonfly
//! two linked switches of one group have many neighbours in common, and those of two groups few; thresholds are tried,
//! and every number that gives groups at all must give the same groups.

use super::links::SwitchGraph;
use super::natural::natural;
use super::network::Subnet;
use super::roots::{Roots, regex};
use crate::components::Components;
use crate::machine::count;
use crate::notes::{Notes, counted};
use regex_lite::Regex;
use std::collections::HashMap;
use tvlb_base::text::{Refused, quoted};

#[derive(Clone, Debug, Default)]
pub struct Grouping {
    /// A pattern for descriptions, whose capture group is the group's name.
    pub pattern: Option<String>,
    /// Two linked switches of a Dragonfly with more common neighbours than this are of one group.
    pub threshold: Option<u32>,
    /// The spines of a Dragonfly+.
    pub roots: Option<Roots>,
}

/// Groups that are not in order yet.
pub(super) struct UnorderedGroups {
    of_switch: Vec<u32>,
    /// The groups' names, if the descriptions have them.
    names: Option<Vec<String>>,
}

/// Groups in order.
pub(super) struct OrderedGroups {
    pub(super) of_switch: Vec<u32>,
    pub(super) names: Vec<String>,
}

/// With more comparisons of neighbours' neighbours it would take too long.
const MOST_LOOKS: usize = 4_000_000_000;

impl Grouping {
    /// Refuses a pattern that is not one, before the file is read.
    pub(super) fn check(&self) -> Result<(), Refused> {
        self.regex().map(drop)
    }

    fn regex(&self) -> Result<Option<(Regex, &str)>, Refused> {
        let Some(pattern) = &self.pattern else { return Ok(None) };
        let regex = regex("--groups", pattern)?;
        let groups = regex.captures_len() - 1;
        if groups != 1 {
            let found = format!("found {groups} capture groups");
            let accepted =
                "one, which takes the group's name out of a description, as in '^(g[0-9]+)-'";
            let option = format!("--groups {}", quoted(pattern));
            return Err(Refused::new(found, accepted).in_file(&option));
        }
        Ok(Some((regex, pattern)))
    }
}

/// The groups of the switches.
pub(super) fn find(
    network: &Subnet,
    joined: &SwitchGraph,
    grouping: &Grouping,
    notes: &mut Notes,
) -> Result<UnorderedGroups, Refused> {
    if let Some((regex, pattern)) = grouping.regex()? {
        notes.assumed.push(format!(
            "The group of a switch is what the capture group of {pattern:?} takes out of its \
             description."
        ));
        return by_description(network, joined, &regex, pattern);
    }
    let structure = Structure::of(joined);
    if let Some(roots) = &grouping.roots {
        let is_leaf = roots.leaves(network, joined)?;
        return islands(network, joined, (&structure, &is_leaf), notes);
    }
    let ambiguous = |reason: String| {
        let found = format!("the links do not tell the groups: {reason}");
        let accepted = "--groups REGEX, a pattern whose one capture group takes the group's name out of each \
                        switch's description, --roots with the spines of a Dragonfly+, or --threshold N with \
                        another number";
        Refused::new(found, accepted).in_file(&network.file)
    };
    if grouping.threshold.is_none()
        && let Some(is_leaf) = structure.leaves()
    {
        notes.assumed.push(
            "The network is taken for a Dragonfly+: its switches with nodes (leaves) have links to \
             switches without (spines) alone. A group is what hangs together by links between \
             leaves and spines, and links between spines are global."
                .to_owned(),
        );
        let empty =
            is_leaf.iter().zip(&structure.nodes).filter(|leaf| leaf == &(&true, &0)).count();
        if empty > 0 {
            notes.assumed.push(format!(
                "{}: all links of such a switch lead to spines of one group.",
                counted(
                    empty,
                    "switch without nodes is taken for a leaf",
                    "switches without nodes are taken for leaves"
                )
            ));
        }
        let of_switch = structure.islands(&is_leaf).map_err(|[one, other]| {
            ambiguous(format!(
                "it looks like a Dragonfly+, but {} and {} are spines of one group with a link \
                 between them",
                joined.name(network, one),
                joined.name(network, other)
            ))
        })?;
        return Ok(UnorderedGroups { of_switch, names: None });
    }
    let of_switch = structure.by_common_neighbours(grouping.threshold).map_err(ambiguous)?;
    let many = match grouping.threshold {
        Some(threshold) => format!("more than {threshold}"),
        None => "many".to_owned(),
    };
    notes.assumed.push(format!(
        "The network is taken for a Dragonfly in which two linked switches with {many} common \
         neighbours are of one group."
    ));
    Ok(UnorderedGroups { of_switch, names: None })
}

/// The groups of a Dragonfly+ whose spines a person stated.
fn islands(
    network: &Subnet,
    joined: &SwitchGraph,
    (structure, is_leaf): (&Structure, &[bool]),
    notes: &mut Notes,
) -> Result<UnorderedGroups, Refused> {
    let refuse = |found: String| {
        let accepted = "a --roots that names all spines of a Dragonfly+ and none of its leaves";
        Refused::new(format!("by --roots, {found}"), accepted).in_file(&network.file)
    };
    let name = |switch| joined.name(network, switch);
    if let Some((switch, problem)) = structure.unlike_two_levels(is_leaf) {
        return Err(refuse(format!("{} {problem}", name(switch))));
    }
    let of_switch = structure.islands(is_leaf).map_err(|[one, other]| {
        let [one, other] = [one, other].map(name);
        refuse(format!("{one} and {other} are spines of one group with a link between them"))
    })?;
    let spines = is_leaf.iter().filter(|&&leaf| !leaf).count();
    notes.assumed.push(format!(
        "The network is a Dragonfly+ of which --roots says {}; all other switches are leaves, with nodes or without. \
         A group is what hangs together by links between leaves and spines, and links between spines are global.",
        counted(spines, "spine", "spines")
    ));
    Ok(UnorderedGroups { of_switch, names: None })
}

fn by_description(
    network: &Subnet,
    joined: &SwitchGraph,
    regex: &Regex,
    pattern: &str,
) -> Result<UnorderedGroups, Refused> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut found = UnorderedGroups { of_switch: Vec::new(), names: None };
    let mut names = Vec::new();
    for number in &joined.switches {
        let device = &network.devices[*number as usize];
        let (description, line) = match &device.record {
            Some(record) => (&*record.description, record.line),
            None => ("", 0),
        };
        let captured = regex.captures(description).and_then(|captures| captures.get(1));
        let name = match captured {
            Some(name) if !name.is_empty() => name.as_str(),
            _ => {
                let found = format!(
                    "the description {} of the switch {} does not match --groups {}",
                    quoted(description),
                    device.id,
                    quoted(pattern)
                );
                let accepted = "a pattern that matches the description of every switch, with a capture group that \
                                is not empty; to leave a switch out, remove its record and the lines of the ports \
                                that lead to it";
                return Err(Refused::new(found, accepted).at(network.place(line)));
            }
        };
        let group = numbers.get(name).copied().unwrap_or_else(|| {
            let group = count(names.len());
            numbers.insert(name.to_owned(), group);
            names.push(name.to_owned());
            group
        });
        found.of_switch.push(group);
    }
    found.names = Some(names);
    Ok(found)
}

/// Puts groups into the order of their names or, without names, of their first switches, by which
/// they are then called. `order` has all switches in the order of their names.
pub(super) fn name(
    found: UnorderedGroups,
    order: &[usize],
    switch_names: &[String],
) -> OrderedGroups {
    let mut groups: Vec<u32> = order.iter().map(|switch| found.of_switch[*switch]).collect();
    let mut seen = vec![false; found.of_switch.iter().max().map_or(0, |most| *most as usize + 1)];
    groups.retain(|group| !std::mem::replace(&mut seen[*group as usize], true));
    if let Some(names) = &found.names {
        groups.sort_by_cached_key(|group| natural(&names[*group as usize]));
    }
    let mut number = vec![0; seen.len()];
    for (new, group) in (0..).zip(&groups) {
        number[*group as usize] = new;
    }
    let mut names = match found.names {
        Some(names) => groups.iter().map(|group| names[*group as usize].clone()).collect(),
        None => vec![String::new(); groups.len()],
    };
    for switch in order {
        let name = &mut names[number[found.of_switch[*switch] as usize] as usize];
        if name.is_empty() {
            *name = format!("group of {}", switch_names[*switch]);
        }
    }
    let of_switch = found.of_switch.iter().map(|group| number[*group as usize]).collect();
    OrderedGroups { of_switch, names }
}

/// The structure that the links alone show.
struct Structure {
    /// Each switch's neighbours, once each, by rising number.
    neighbours: Vec<Vec<u32>>,
    nodes: Vec<u32>,
}

impl Structure {
    fn of(joined: &SwitchGraph) -> Self {
        let mut neighbours = vec![Vec::new(); joined.switches.len()];
        for link in &joined.links {
            let [one, other] = link.ends.map(|end| end.switch);
            neighbours[one as usize].push(other);
            neighbours[other as usize].push(one);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        let mut nodes = vec![0; joined.switches.len()];
        joined.nodes.iter().for_each(|node| nodes[node.switch as usize] += 1);
        Self { neighbours, nodes }
    }

    /// Which switches are leaves, if this is a Dragonfly+. A spine may have one node, the adapter of an aggregation
    /// node under another name, and a leaf none, while its nodes are off: then all its neighbours are spines of one
    /// island, but those of a spine are leaves and spines of others.
    fn leaves(&self) -> Option<Vec<bool>> {
        let all = 0..self.nodes.len();
        let leads_to = |switch: usize, is: &dyn Fn(u32) -> bool| {
            self.neighbours[switch].iter().any(|far| is(self.nodes[*far as usize]))
        };
        let shows = |switch| match self.nodes[switch] {
            0 => false,
            1 => !leads_to(switch, &|nodes| nodes > 1) && leads_to(switch, &|nodes| nodes == 0),
            _ => true,
        };
        let mut is_leaf: Vec<bool> = all.clone().map(shows).collect();
        let mut islands = Components::new(is_leaf.len());
        let mut is_spine = vec![false; is_leaf.len()];
        for leaf in all.clone().filter(|switch| is_leaf[*switch]) {
            for spine in &self.neighbours[leaf] {
                islands.join(count(leaf), *spine);
                is_spine[*spine as usize] = true;
            }
        }
        let islands = islands.lowest();
        for switch in all.clone().filter(|switch| !is_spine[*switch]) {
            let mut far = self.neighbours[switch].iter().map(|far| *far as usize);
            let island = far.clone().next().map(|first| islands[first]);
            is_leaf[switch] |=
                island.is_some() && far.all(|far| is_spine[far] && Some(islands[far]) == island);
        }
        self.unlike_two_levels(&is_leaf).is_none().then_some(is_leaf)
    }

    /// The first switch that groups of leaves and spines do not have, and why: leaves have no links to leaves, and
    /// every switch has one to the other kind.
    fn unlike_two_levels(&self, is_leaf: &[bool]) -> Option<(u32, &'static str)> {
        let unlike = |switch: usize| {
            let mut near = self.neighbours[switch].iter().map(|far| is_leaf[*far as usize]);
            match is_leaf[switch] {
                true if near.clone().any(|leaf| leaf) => Some("is a leaf with a link to a leaf"),
                true if near.len() == 0 => Some("is a leaf without a link to a spine"),
                false if !near.any(|leaf| leaf) => Some("is a spine without a link to a leaf"),
                _ => None,
            }
        };
        (0..is_leaf.len()).find_map(|switch| Some((count(switch), unlike(switch)?)))
    }

    /// The groups of a Dragonfly+, or two spines of one group with a link between them.
    fn islands(&self, is_leaf: &[bool]) -> Result<Vec<u32>, [u32; 2]> {
        let mut islands = Components::new(self.nodes.len());
        let links = || {
            let all = (0..).zip(&self.neighbours);
            all.flat_map(|(one, list)| list.iter().map(move |other| [one, *other]))
        };
        let is_global = |[one, other]: [u32; 2]| !is_leaf[one as usize] && !is_leaf[other as usize];
        for [one, other] in links().filter(|link| !is_global(*link)) {
            islands.join(one, other);
        }
        let of_switch = islands.lowest();
        let within = links().find(|&[one, other]| {
            is_global([one, other]) && of_switch[one as usize] == of_switch[other as usize]
        });
        within.map_or(Ok(of_switch), Err)
    }

    /// The groups of a Dragonfly, or why there are none.
    fn by_common_neighbours(&self, threshold: Option<u32>) -> Result<Vec<u32>, String> {
        let looks: usize = self.neighbours.iter().map(|list| list.len() * list.len()).sum();
        if looks > MOST_LOOKS {
            return Err(format!(
                "comparing the neighbours of {} switches takes too long",
                self.nodes.len()
            ));
        }
        let pairs = self.pairs();
        let mut groups = Components::new(self.nodes.len());
        if let Some(threshold) = threshold {
            for (_, [one, other]) in pairs.iter().filter(|(common, _)| *common > threshold) {
                groups.join(*one, *other);
            }
            let of_switch = groups.lowest();
            self.check(&of_switch)
                .map_err(|switch| format!("with --threshold {threshold}, {switch}"))?;
            return Ok(of_switch);
        }
        let mut found: Option<(u32, Vec<u32>)> = None;
        for same in pairs.chunk_by(|one, other| one.0 == other.0) {
            for (_, [one, other]) in same {
                groups.join(*one, *other);
            }
            let (threshold, of_switch) = (same[0].0 - 1, groups.lowest());
            if self.check(&of_switch).is_err() {
                continue;
            }
            match &found {
                Some((other, known)) if *known != of_switch => {
                    return Err(format!(
                        "thresholds of {threshold} and {other} common neighbours give different \
                         groups"
                    ));
                }
                _ => found = Some((threshold, of_switch)),
            }
        }
        let none = "it is not a Dragonfly+, and no number of common neighbours makes groups of two \
                    or more switches, each linked with more than half of its group";
        found.map(|(_, of_switch)| of_switch).ok_or_else(|| none.to_owned())
    }

    /// The pairs of linked switches that have common neighbours, by falling number of them.
    fn pairs(&self) -> Vec<(u32, [u32; 2])> {
        let mut pairs = Vec::new();
        for (one, list) in (0..).zip(&self.neighbours) {
            for &other in list.iter().filter(|far| **far > one) {
                let common = common(list, &self.neighbours[other as usize]);
                if common > 0 {
                    pairs.push((common, [one, other]));
                }
            }
        }
        pairs.sort_unstable_by_key(|(common, pair)| (std::cmp::Reverse(*common), *pair));
        pairs
    }

    /// Refuses groups that are not those of a Dragonfly: a single one, one of a single switch, or a
    /// switch that is linked with half of its own group or less, or with more switches of another.
    fn check(&self, of_switch: &[u32]) -> Result<(), String> {
        let mut sizes: HashMap<u32, usize> = HashMap::new();
        for group in of_switch {
            *sizes.entry(*group).or_default() += 1;
        }
        if sizes.len() == 1 {
            return Err("all switches are of one group".to_owned());
        }
        for (switch, list) in self.neighbours.iter().enumerate() {
            let own = of_switch[switch];
            let mut groups: Vec<u32> = list.iter().map(|far| of_switch[*far as usize]).collect();
            groups.sort_unstable();
            let (mut local, mut most_global) = (0, 0);
            for same in groups.chunk_by(|one, other| one == other) {
                if same[0] == own {
                    local = same.len();
                } else {
                    most_global = most_global.max(same.len());
                }
            }
            let others = sizes[&own] - 1;
            if others == 0 {
                return Err("a group has a single switch".to_owned());
            }
            if 2 * local <= others || most_global > local {
                return Err("a switch is linked with too few switches of its group".to_owned());
            }
        }
        Ok(())
    }
}

/// How many numbers two rising lists share.
fn common(mut one: &[u32], mut other: &[u32]) -> u32 {
    let mut shared = 0;
    while let ([first, rest @ ..], [second, other_rest @ ..]) = (one, other) {
        shared += u32::from(first == second);
        if first <= second {
            one = rest;
        }
        if second <= first {
            other = other_rest;
        }
    }
    shared
}
