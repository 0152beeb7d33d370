//! Finds switches, nodes and ports as people name them: by number, or by name.

use crate::names::gap::Gap;
use crate::names::list::{self, is_number, quoted_name, unquoted};
use crate::names::{NamedPort, Names};
use std::collections::BTreeMap;
use std::ops::Bound;
use tvlb_base::text::{cut, quoted};
use tvlb_schema::{Dragonfly, GroupId, NodeId, Nodes, SwitchId, SwitchIndex};

/// The parts of a fabric, each by number and by name.
///
/// A switch is named by its number, by `(GROUP,SWITCH)` or by its name, a node by its number or its name. Digits are a
/// number, and quoted text is a name ([`list`] has the rules).
///
/// # Example
/// ```
/// use tvlb_table_set::names::{Names, Parts};
/// use tvlb_schema::{Dragonfly, NodeId, SwitchId};
///
/// let df = Dragonfly::new(2, 4, 2, 9)?;
/// let list = "group,switch,port,name,physical\n1,2,,rack 7,\n1,2,node 0,host7,\n";
/// let names = Names::read(&df, list)?;
/// let parts = Parts::new(&df, &names);
/// for text in ["6", "(1,2)", "rack 7", "\"rack 7\""] {
///     assert_eq!(parts.switch(text)?, SwitchId(6));
/// }
/// assert_eq!(parts.node("host7")?, NodeId(12));
/// let error = parts.switch("rack 8").unwrap_err().to_string();
/// assert!(error.contains("did you mean \"rack 7\"?"), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parts<'n> {
    df: &'n Dragonfly,
    existing: Nodes,
    /// Whether the list of names has names of nodes.
    has_node_names: bool,
    groups: BTreeMap<&'n str, GroupId>,
    switches: BTreeMap<&'n str, SwitchId>,
    /// Several ports may have one name.
    ports: BTreeMap<&'n str, Vec<(SwitchId, NamedPort)>>,
    /// Nodes by name, or by the names of their hosts.
    nodes: BTreeMap<&'n str, Vec<NodeId>>,
}

/// Why a text names no part of a fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    #[error("there is no {what} {found}; {exist}")]
    Number { what: &'static str, found: String, exist: String },
    #[error("{found} is not a {what}; accepted {accepted}{hint}")]
    Unknown { found: String, what: &'static str, accepted: &'static str, hint: String },
    #[error(
        "{found} is the name of {count} {what}s, among them {what}s {first} and {second}; accepted {accepted}"
    )]
    Several {
        found: String,
        what: &'static str,
        count: usize,
        first: String,
        second: String,
        accepted: &'static str,
    },
    #[error(
        "{found} is the number of one {what} and the name of another; accepted the name in quotes, as in \"{found}\", or {accepted}"
    )]
    Either { found: String, what: &'static str, accepted: &'static str },
}

/// A line of a list that names no part of the fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {error}")]
pub struct ListError {
    /// The line, counted from 1.
    pub line: usize,
    pub error: PartError,
}

/// A node in a list, with its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedNode {
    /// The line, counted from 1.
    pub line: usize,
    pub node: NodeId,
}

impl<'n> Parts<'n> {
    /// Those of a fabric, with these names.
    pub fn new(df: &'n Dragonfly, names: &'n Names) -> Self {
        let switch = |switch| names.switch(switch).map(|name| (name, switch));
        let switches = df.switches().filter_map(switch).collect();
        let groups = df.groups().filter_map(|group| Some((names.group(group)?, group))).collect();
        let mut ports: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        let mut nodes: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for (switch, port, named) in names.ports() {
            ports.entry(&named.name).or_default().push((switch, port));
            if let NamedPort::Node(terminal) = port {
                nodes.entry(&named.name).or_default().push(df.node(switch, terminal));
            }
        }
        let (existing, has_node_names) = (names.nodes(df), !nodes.is_empty());
        Self { df, existing, has_node_names, groups, switches, ports, nodes }
    }

    /// The same, but the name of a host also names all its nodes.
    #[must_use]
    pub fn with_hosts(mut self, hosts: impl IntoIterator<Item = (&'n str, Vec<NodeId>)>) -> Self {
        for (host, nodes) in hosts {
            self.nodes.insert(host, nodes);
        }
        self
    }

    pub const fn existing_nodes(&self) -> &Nodes {
        &self.existing
    }

    /// The sizes of the fabric.
    pub const fn dragonfly(&self) -> &'n Dragonfly {
        self.df
    }

    /// The switch that a text names.
    ///
    /// # Errors
    /// It names none.
    pub fn switch(&self, text: &str) -> Result<SwitchId, PartError> {
        let df = self.df;
        let named = find(&self.switches, text).copied();
        if is_number(text) {
            let number = text.parse().map(SwitchId).ok().filter(|&number| df.has_switch(number));
            return match (number, named) {
                (Some(number), Some(other)) if number != other => Err(PartError::Either {
                    found: text.to_owned(),
                    what: "switch",
                    accepted: "the number as (GROUP,SWITCH)",
                }),
                (Some(switch), _) | (None, Some(switch)) => Ok(switch),
                (None, None) => Err(self.no_switch(text)),
            };
        }
        if let Some(switch) = named {
            return Ok(switch);
        }
        match place(text) {
            Some((group, index)) => self.switch_at(group, index),
            None => Err(PartError::Unknown {
                found: quoted(text),
                what: "switch",
                accepted: if self.switches.is_empty() {
                    "a number or (GROUP,SWITCH); the fabric has no names of switches"
                } else {
                    "a number, (GROUP,SWITCH) or a name of the list of names"
                },
                hint: hint(text, self.switches.keys()),
            }),
        }
    }

    /// The group that a text names: `(7)` or 7 by number, or by name.
    ///
    /// # Errors
    /// It names none.
    pub fn group(&self, text: &str) -> Result<GroupId, PartError> {
        let df = self.df;
        let in_brackets = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        let number = in_brackets.map_or(text, str::trim);
        let named = find(&self.groups, text).copied();
        if !is_number(number) {
            return named.ok_or_else(|| PartError::Unknown {
                found: quoted(text),
                what: "group",
                accepted: if self.groups.is_empty() {
                    "a number or (GROUP); the fabric has no names of groups"
                } else {
                    "a number, (GROUP) or a name of the list of names"
                },
                hint: hint(text, self.groups.keys()),
            });
        }
        let existing = number.parse().map(GroupId).ok();
        match (existing.filter(|&group| df.has_group(group)), named) {
            (Some(group), Some(other)) if group != other => Err(PartError::Either {
                found: text.to_owned(),
                what: "group",
                accepted: "the number as (GROUP)",
            }),
            (Some(group), _) | (None, Some(group)) => Ok(group),
            (None, None) => Err(PartError::Number {
                what: "group",
                found: cut(number),
                exist: format!("groups are 0 to {}", df.g() - 1),
            }),
        }
    }

    /// The switches whose names the pattern matches, by rising name.
    pub fn switches_like(&self, pattern: &Pattern<'_>) -> impl Iterator<Item = SwitchId> {
        let like = self.switches.iter().filter(|(name, _)| pattern.matches(name));
        like.map(|(_, &switch)| switch)
    }

    /// The ports whose names the pattern matches, by rising name.
    pub fn ports_like(
        &self,
        pattern: &Pattern<'_>,
    ) -> impl Iterator<Item = (&'n str, (SwitchId, NamedPort))> {
        let like = self.ports.iter().filter(|(name, _)| pattern.matches(name));
        like.flat_map(|(name, ports)| ports.iter().map(|&port| (*name, port)))
    }

    fn no_switch(&self, text: &str) -> PartError {
        let df = self.df;
        let gap = text.parse().ok().and_then(|number| Gap::of_switch(df, SwitchId(number)));
        let gaps = if df.is_even() { "" } else { ", with gaps after those of smaller groups" };
        let range = || format!("switches are 0 to {}{gaps}", df.last_switch());
        let exist = gap.map_or_else(range, |gap| gap.to_string());
        PartError::Number { what: "switch", found: cut(text), exist }
    }

    /// The switch of an index within a group.
    fn switch_at(&self, group: u64, index: u64) -> Result<SwitchId, PartError> {
        let df = self.df;
        let none = |exist| PartError::Number {
            what: "switch",
            found: format!("{index} in group {group}"),
            exist,
        };
        let existing = u16::try_from(group).map(GroupId).ok().filter(|&group| df.has_group(group));
        let group = existing.ok_or_else(|| none(format!("groups are 0 to {}", df.g() - 1)))?;
        let own = u8::try_from(index).map(SwitchIndex).ok();
        match own.filter(|&index| df.has_index(group, index)) {
            Some(index) => Ok(df.switch(group, index)),
            None => Err(none(match df.switches_of(group).checked_sub(1) {
                Some(last) => format!("its switches are 0 to {last}"),
                None => "the group is absent".to_owned(),
            })),
        }
    }

    /// The node that a text names.
    ///
    /// # Errors
    /// It names none, or several.
    pub fn node(&self, text: &str) -> Result<NodeId, PartError> {
        match self.nodes(text)?[..] {
            [node] => Ok(node),
            [first, second, ..] => Err(PartError::Several {
                found: quoted(text),
                what: "node",
                count: self.nodes(text)?.len(),
                first: first.to_string(),
                second: second.to_string(),
                accepted: "the number of one",
            }),
            [] => unreachable!("a name is that of some node"),
        }
    }

    /// The nodes that a text names: one by number, or all with a name, or all of the host with this name. If no node
    /// has a name, `node-N` is node N, which is its name in files for other programs.
    ///
    /// # Errors
    /// It names none.
    pub fn nodes(&self, text: &str) -> Result<Vec<NodeId>, PartError> {
        let there = &self.existing;
        let named = find(&self.nodes, text);
        // A spreadsheet may quote numbers too; if nodes have names, quotes make it a name.
        let in_quotes = unquoted(text).filter(|text| !self.has_node_names && is_number(text));
        let text = in_quotes.as_deref().unwrap_or(text);
        let generic = text.strip_prefix(GENERIC).filter(|_| self.nodes.is_empty());
        let number = Some(generic.unwrap_or(text)).filter(|text| is_number(text));
        let Some(number) = number else {
            return named.cloned().ok_or_else(|| PartError::Unknown {
                found: quoted(text),
                what: "node",
                accepted: if self.nodes.is_empty() {
                    "a number; the fabric has no names of nodes"
                } else {
                    "a number or a name of the list of names"
                },
                hint: hint(text, self.nodes.keys()),
            });
        };
        let existing = number.parse().map(NodeId).ok().filter(|&node| there.has(node));
        match (existing, named) {
            (Some(node), Some(others)) if others[..] != [node] => Err(PartError::Either {
                found: text.to_owned(),
                what: "node",
                accepted: "the name of the node that has the number",
            }),
            (Some(node), _) => Ok(vec![node]),
            (None, Some(nodes)) => Ok(nodes.clone()),
            (None, None) => {
                let gap =
                    number.parse().ok().and_then(|number| Gap::of_node(there, NodeId(number)));
                let range = || format!("the last node is {}", there.last().unwrap_or_default());
                let exist = gap.map_or_else(range, |gap| gap.to_string());
                Err(PartError::Number { what: "node", found: cut(number), exist })
            }
        }
    }

    /// The port that has a name, if there is one.
    ///
    /// # Errors
    /// Several have it.
    pub fn port(&self, text: &str) -> Result<Option<(SwitchId, NamedPort)>, PartError> {
        let Some(ports) = find(&self.ports, text) else { return Ok(None) };
        let in_words =
            |&(switch, port): &(SwitchId, NamedPort)| format!("{port} of switch {switch}");
        match &ports[..] {
            [] => Ok(None),
            [port] => Ok(Some(*port)),
            [first, second, ..] => Err(PartError::Several {
                found: quoted(text),
                what: "port",
                count: ports.len(),
                first: in_words(first),
                second: in_words(second),
                accepted: "the port by number",
            }),
        }
    }

    /// The ports of a jack: those whose names are the jack's followed by `p` and a number.
    pub fn ports_of_jack(&self, jack: &str) -> impl Iterator<Item = (&str, (SwitchId, NamedPort))> {
        let is_port = move |name: &str| {
            let digits = name[jack.len()..].strip_prefix('p').unwrap_or_default();
            !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
        };
        let from_jack = (Bound::Included(jack), Bound::Unbounded);
        let named = self.ports.range::<str, _>(from_jack);
        let named = named.take_while(move |(name, _)| name.starts_with(jack));
        let named = named.filter(move |(name, _)| is_port(name));
        named.flat_map(|(name, ports)| ports.iter().map(|&port| (*name, port)))
    }

    /// The error for a text that [`Self::port`] does not know.
    pub fn no_port(&self, text: &str) -> PartError {
        PartError::Unknown {
            found: quoted(text),
            what: "port or jack",
            accepted: if self.ports.is_empty() {
                "SWITCH:PORT; the fabric has no names of ports"
            } else {
                "SWITCH:PORT or a name of the list of names"
            },
            hint: hint(text, self.ports.keys()),
        }
    }

    /// Reads a list of nodes, one per line, as people and [`Hosts`](crate::names::Hosts) write it.
    ///
    /// A name may appear in several lines, as that of a host that runs several ranks does; it counts once. A name of
    /// several nodes means all of them, by rising number. Numbers count as often as they are written.
    ///
    /// # Errors
    /// The first line that names no node.
    pub fn node_list(&self, text: &str) -> Result<Vec<ListedNode>, ListError> {
        let mut listed: Vec<ListedNode> = Vec::new();
        let mut named = std::collections::BTreeSet::new();
        for (line, text) in list::lines(text) {
            let nodes = self.nodes(text).map_err(|error| ListError { line, error })?;
            if is_number(text) || named.insert(text) {
                listed.extend(nodes.into_iter().map(|node| ListedNode { line, node }));
            }
        }
        Ok(listed)
    }
}

/// A text to match names, in which `*` stands for any number of any characters. Quoted text is a name, not a pattern.
#[derive(Clone, Debug)]
pub struct Pattern<'t>(Vec<&'t str>);

impl<'t> Pattern<'t> {
    /// The pattern, if the text is one.
    ///
    /// # Example
    /// ```
    /// use tvlb_table_set::names::Pattern;
    ///
    /// let cabinet = Pattern::of("x1003c*r1").unwrap();
    /// assert!(cabinet.matches("x1003c0r1") && !cabinet.matches("x1003c0r11"));
    /// assert!(Pattern::of("x1003c0r1").is_none() && Pattern::of("\"row *\"").is_none());
    /// ```
    pub fn of(text: &'t str) -> Option<Self> {
        let is_pattern = text.contains('*') && unquoted(text).is_none();
        is_pattern.then(|| Self(text.split('*').collect()))
    }

    /// Whether it matches a whole name.
    pub fn matches(&self, name: &str) -> bool {
        let [first, within @ .., last] = &self.0[..] else { return false };
        let Some(mut rest) = name.strip_prefix(first) else { return false };
        // The first match is as good as any later one, because it leaves more text after it.
        for part in within {
            let Some((_, after)) = rest.split_once(part) else { return false };
            rest = after;
        }
        rest.ends_with(last)
    }
}

/// The prefix of tvlb's own names of nodes, before their numbers.
pub(crate) const GENERIC: &str = "node-";

/// The item with the name that a text is, or that it encloses in quotes.
fn find<'m, T>(by_name: &'m BTreeMap<&str, T>, text: &str) -> Option<&'m T> {
    let in_quotes = unquoted(text).and_then(|name| by_name.get(&*name));
    in_quotes.or_else(|| by_name.get(text))
}

/// "(3,1)" as two numbers.
fn place(text: &str) -> Option<(u64, u64)> {
    let (one, other) = text.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
    Some((one.trim().parse().ok()?, other.trim().parse().ok()?))
}

/// A hint for a text that is not a name: a name whose end was taken for a comment, or the nearest one.
fn hint<'n>(text: &str, names: impl Iterator<Item = &'n &'n str> + Clone) -> String {
    let goes_on = |name: &&&str| {
        name.strip_prefix(text).is_some_and(|rest| rest.trim_start().starts_with('#'))
    };
    if let Some(name) = names.clone().find(goes_on) {
        return format!(
            " (a # after a blank begins a comment; a name that has one stands in quotes, as in {})",
            quoted_name(name)
        );
    }
    let nearest = tvlb_base::text::nearest(text, names.copied());
    nearest.map_or_else(String::new, |name| format!(" (did you mean {}?)", quoted_name(name)))
}

#[cfg(test)]
mod tests;
