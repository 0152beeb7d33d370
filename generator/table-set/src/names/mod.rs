//! The machine's names of its groups, switches and ports.
//!
//! ```text
//! group,switch,port,name,physical
//! 0,,,row 3,
//! 0,1,,x1000c0r3,
//! 0,1,node 2,x1000c0s4b1n0h0,17
//! 0,1,node 3,,
//! 0,1,local 4 0,x1000c0r3j5p1,43
//! 0,1,global 0,x1000c0r3j9p0,
//! ```
//!
//! A row names a group if switch and port are empty, a switch if the port is, and else a port: `node T`, the K-th link
//! to the switch of index J `local J K`, or the global slot `global S`. The last field is the number of the port on the
//! switch itself, if known. A part without a row has no name. A row of a port `node T` with an empty name says that
//! there is no node. Names are beside the images, not in them, because no switch needs them. The numbers are in the
//! images as well.

pub mod list;

mod gap;
mod hosts;
mod parts;

pub use hosts::{HostError, Hosts, HostsError, host_list};
pub use parts::{ListError, ListedNode, PartError, Parts, Pattern};

use crate::printable::is_shown;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use tvlb_base::text::{CsvFields, Records, Refused, field, quoted};
use tvlb_schema::{Dragonfly, End, GroupId, NodeId, Nodes, Port, SwitchId, SwitchIndex};

/// The columns, in the only order accepted.
pub const COLUMNS: [&str; 5] = ["group", "switch", "port", "name", "physical"];

const MOST_CHARACTERS: usize = 128;

/// The highest number of a port on a switch: an image gives it a byte, and one value means unknown.
pub const MOST_PHYSICAL: u8 = 254;

/// A port of a switch, in terms of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NamedPort {
    Node(u8),
    /// The link of this number, from 0, to the switch of this index in the same group.
    Local(SwitchIndex, u16),
    Global(u16),
}

impl fmt::Display for NamedPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(terminal) => write!(f, "node {terminal}"),
            Self::Local(index, number) => write!(f, "local {index} {number}"),
            Self::Global(slot) => write!(f, "global {slot}"),
        }
    }
}

/// The name of a port, and its number on the switch itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortName {
    /// Not empty.
    pub name: String,
    /// The number on the switch, 0 to [`MOST_PHYSICAL`], if known.
    pub physical: Option<u8>,
}

/// A machine's names of its parts, and which nodes are missing; empty for most fabrics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    groups: BTreeMap<GroupId, String>,
    switches: BTreeMap<SwitchId, String>,
    ports: BTreeMap<(SwitchId, NamedPort), PortName>,
    /// The terminals without a node.
    empty: BTreeSet<(SwitchId, u8)>,
}

/// Why a text is not a list of names. Lines count from 1, comments and blank lines included.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NamesError {
    #[error(transparent)]
    Text(#[from] Refused),
    #[error("line {line}: {column} is {found}, but must be {accepted}")]
    Field { line: usize, column: &'static str, found: String, accepted: String },
    #[error("line {line}: {what} is given a second time; accepted is one line for each")]
    Twice { line: usize, what: String },
}

impl Names {
    /// No names; only these nodes exist.
    pub fn of(nodes: &Nodes) -> Self {
        let df = nodes.dragonfly();
        Self { empty: nodes.missing().map(|node| df.switch_of(node)).collect(), ..Self::default() }
    }

    /// The names of a fabric of these sizes, with at most these nodes.
    ///
    /// # Errors
    /// The first fault in the text, by line.
    pub fn read(nodes: impl Into<Nodes>, text: &str) -> Result<Self, NamesError> {
        let nodes = nodes.into();
        let mut records = Records::of_text(text);
        records.expect_header(&[&COLUMNS])?;
        let mut reader =
            NameReader { nodes: &nodes, names: Self::default(), known: BTreeSet::new() };
        while records.read()? {
            let line = records.line_number() as usize;
            reader.take(&NameRow { line, fields: records.fields() })?;
        }
        let mut names = reader.names;
        names.empty.extend(Self::of(&nodes).empty);
        Ok(names)
    }

    /// The list of these names, sorted: [`Self::read`] reads it back.
    pub fn write(&self, df: &Dragonfly) -> String {
        let mut text = String::new();
        let mut row = |group: &str, switch: &str, port: &str, name: &str, physical: &str| {
            text += &[group, switch, port, &*field(name), physical].join(",");
            text.push('\n');
        };
        let [group, switch, port, name, physical] = COLUMNS;
        row(group, switch, port, name, physical);
        for (group, name) in &self.groups {
            row(&group.to_string(), "", "", name, "");
        }
        for (&switch, name) in &self.switches {
            let (group, index) = df.place(switch);
            row(&group.to_string(), &index.to_string(), "", name, "");
        }
        let named = self.ports.iter().map(|(&at, port)| (at, port.name.as_str(), port.physical));
        let empty = self.empty.iter().map(|&(at, node)| ((at, NamedPort::Node(node)), "", None));
        let mut ports: Vec<_> = named.chain(empty).collect();
        ports.sort_unstable();
        for ((switch, port), name, physical) in ports {
            let (group, index) = df.place(switch);
            let physical = physical.map_or_else(String::new, |number| number.to_string());
            row(&group.to_string(), &index.to_string(), &port.to_string(), name, &physical);
        }
        text
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        let Self { groups, switches, ports, empty } = self;
        groups.is_empty() && switches.is_empty() && ports.is_empty() && empty.is_empty()
    }

    /// The existing nodes: all nodes of the sizes, without those that the list says are missing.
    pub fn nodes(&self, df: &Dragonfly) -> Nodes {
        let missing = self.empty.iter().map(|&(switch, terminal)| df.node(switch, terminal));
        Nodes::from(df).without(missing)
    }

    /// The node to which a port of this number leads, if it is a terminal and there is a node.
    pub fn node_at(&self, df: &Dragonfly, switch: SwitchId, port: Port) -> Option<NodeId> {
        let terminal = u8::try_from(port.0).ok().filter(|&number| u32::from(number) < df.p())?;
        let node = df.node(switch, terminal);
        (df.has_node(node) && !self.empty.contains(&(switch, terminal))).then_some(node)
    }

    pub fn group(&self, group: GroupId) -> Option<&str> {
        self.groups.get(&group).map(String::as_str)
    }

    pub fn switch(&self, switch: SwitchId) -> Option<&str> {
        self.switches.get(&switch).map(String::as_str)
    }

    pub fn port(&self, switch: SwitchId, port: NamedPort) -> Option<&PortName> {
        self.ports.get(&(switch, port))
    }

    /// All ports with names, in order.
    pub fn ports(&self) -> impl Iterator<Item = (SwitchId, NamedPort, &PortName)> {
        self.ports.iter().map(|(&(switch, port), name)| (switch, port, name))
    }

    /// The name of the port with this number in images: terminals, local links, global slots.
    pub fn port_number(&self, df: &Dragonfly, switch: SwitchId, port: Port) -> Option<&PortName> {
        let (group, own) = df.place(switch);
        let named = if u32::from(port.0) < df.p() {
            NamedPort::Node(u8::try_from(port.0).ok()?)
        } else if df.is_slot(port) {
            NamedPort::Global(port.0 - df.slot_port(0).0)
        } else {
            let (other, link) = df.local_end(df.switches_of(group), own, port)?;
            NamedPort::Local(other, u16::try_from(link).ok()?)
        };
        self.port(switch, named)
    }

    /// For each port, its number on the switch, if known; empty if none is.
    pub fn physical_numbers(&self, df: &Dragonfly, switch: SwitchId) -> Vec<Option<u8>> {
        let first = (switch, NamedPort::Node(0));
        let mut own = self.ports.range(first..).take_while(|((of, _), _)| *of == switch);
        if own.all(|(_, named)| named.physical.is_none()) {
            return Vec::new();
        }
        let ports =
            (0..df.radix()).map(|port| Port(u16::try_from(port).expect("ports fit 16 bits")));
        let group = df.place(switch).0;
        // A list may name links that the group does not have.
        let named =
            |port| df.has_port_of(group, port).then(|| self.port_number(df, switch, port))?;
        ports.map(|port| named(port)?.physical).collect()
    }

    /// " x1000c0r3": the suffix for the number of a switch in a text ([`after`] says more).
    pub fn after(&self, switch: SwitchId) -> String {
        after(switch, self.switch(switch))
    }

    /// " row 3": the suffix for the number of a group in a text ([`after`] says more).
    pub fn after_group(&self, group: GroupId) -> String {
        after(group, self.group(group))
    }

    /// A group with its name.
    pub fn named_group(&self, group: GroupId) -> NamedGroup {
        NamedGroup { group, name: self.group(group).map(str::to_owned) }
    }

    /// A switch with its name.
    pub fn named(&self, switch: SwitchId) -> NamedSwitch {
        NamedSwitch { switch, name: self.switch(switch).map(str::to_owned) }
    }

    /// " by x1000c0r3j5p1", or empty if the port has no name: the suffix for a link that begins at the port.
    pub fn by(&self, df: &Dragonfly, switch: SwitchId, port: Port) -> String {
        let named = self.port_number(df, switch, port);
        named.map_or_else(String::new, |named| format!(" by {}", named.name))
    }

    /// "group 3, switch 1 x1000c3r1, global port 0 x1000c3r1j9p0", with the names that exist.
    pub fn end_in_words(&self, df: &Dragonfly, end: End) -> String {
        let (index, slot) = df.split_port(end.port);
        let group = end.group;
        let switch = df.switch(group, index);
        let port = self.port(switch, NamedPort::Global(slot)).map(|named| named.name.as_str());
        let (switch, port) = (self.after(switch), after(slot, port));
        format!("group {group}, switch {index}{switch}, global port {slot}{port}")
    }
}

/// The jack of a port of a Slingshot switch: "x1000c0r3j17" for "x1000c0r3j17p0"; `None` for other names.
pub fn jack_of(port: &str) -> Option<&str> {
    let (jack, number) = port.rsplit_once('p')?;
    let is_jack = jack.rsplit_once('j').is_some_and(|(_, jack)| list::is_number(jack));
    (is_jack && list::is_number(number)).then_some(jack)
}

/// The suffix for the number of a part in a text: a blank and its name, or empty if it has none or is named by this
/// very number. A name that is another number is in quotes, as in lists.
///
/// # Example
/// ```
/// use tvlb_table_set::names::after;
///
/// assert_eq!(after(2, Some("row 2")), " row 2");
/// assert_eq!(after(2, Some("2")) + &after(2, None), "");
/// assert_eq!(after(2, Some("7")), " \"7\"");
/// ```
pub fn after(number: impl fmt::Display, name: Option<&str>) -> String {
    match name {
        None => String::new(),
        Some(name) if name == number.to_string() => String::new(),
        Some(name) if list::is_number(name) => format!(" {}", list::quoted_name(name)),
        Some(name) => format!(" {name}"),
    }
}

/// A switch by its number, with the machine's name: "5 x1000c0r3", or "5" if it has none.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct NamedSwitch {
    pub switch: SwitchId,
    /// The name, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl From<SwitchId> for NamedSwitch {
    /// A switch whose name is unknown.
    fn from(switch: SwitchId) -> Self {
        Self { switch, name: None }
    }
}

impl fmt::Display for NamedSwitch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.switch, after(self.switch, self.name.as_deref()))
    }
}

/// A group by its number, with the machine's name: "3 row 3", or "3" if it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedGroup {
    pub group: GroupId,
    /// The name, if there is one.
    pub name: Option<String>,
}

impl fmt::Display for NamedGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.group, after(self.group, self.name.as_deref()))
    }
}

/// One line below the header.
struct NameRow<'r> {
    line: usize,
    fields: &'r CsvFields,
}

impl NameRow<'_> {
    fn wrong<T>(&self, column: usize, accepted: String) -> Result<T, NamesError> {
        Err(NamesError::Field {
            line: self.line,
            column: COLUMNS[column],
            found: quoted(&self.fields[column]),
            accepted,
        })
    }

    /// A number in a column that is not empty.
    fn number(&self, column: usize, most: u32) -> Result<u16, NamesError> {
        match number(&self.fields[column]).filter(|&number| u32::from(number) <= most) {
            Some(number) => Ok(number),
            None => self.wrong(column, format!("a whole number, 0 to {most}")),
        }
    }
}

/// The rows read so far.
struct NameReader<'d> {
    /// The nodes that the list may name.
    nodes: &'d Nodes,
    names: Names,
    /// Which numbers each switch has, and the names of groups and switches.
    known: BTreeSet<(Option<SwitchId>, String)>,
}

impl NameReader<'_> {
    fn take(&mut self, row: &NameRow<'_>) -> Result<(), NamesError> {
        let df = self.nodes.dragonfly();
        let name = row.fields[3].to_owned();
        let is_plain = |name: &str| {
            !name.is_empty()
                && name.chars().count() <= MOST_CHARACTERS
                && name.chars().all(is_shown)
        };
        let is_empty_place = name.is_empty() && row.fields[2].starts_with("node ");
        if !is_plain(&name) && !is_empty_place {
            let accepted =
                format!("a name of 1 to {MOST_CHARACTERS} characters that a terminal shows");
            return row.wrong(3, accepted);
        }
        let group = GroupId(row.number(0, df.g() - 1)?);
        let (has_switch, has_port) = (!row.fields[1].is_empty(), !row.fields[2].is_empty());
        if !has_port && !row.fields[4].is_empty() {
            return row.wrong(4, "empty in a line that names no port".to_owned());
        }
        if !has_switch && has_port {
            return row.wrong(1, "the index of the switch that has the port".to_owned());
        }
        if !has_switch {
            self.note_once(row, None, format!("the name {name:?}"))?;
            let again = self.names.groups.insert(group, name).is_some();
            return once(row, again, || format!("group {group}"));
        }
        let Some(last) = df.switches_of(group).checked_sub(1) else {
            return row.wrong(0, "a group that is not absent".to_owned());
        };
        let index = row.number(1, last)?;
        let index = SwitchIndex(u8::try_from(index).expect("an index below a fits 8 bits"));
        let switch = df.switch(group, index);
        if !has_port {
            self.note_once(row, None, format!("the name {name:?}"))?;
            let again = self.names.switches.insert(switch, name).is_some();
            return once(row, again, || format!("switch {index} of group {group}"));
        }
        self.take_port(row, name, (group, index))
    }

    /// Takes a row of a port.
    fn take_port(
        &mut self,
        row: &NameRow<'_>,
        name: String,
        (group, index): (GroupId, SwitchIndex),
    ) -> Result<(), NamesError> {
        let df = self.nodes.dragonfly();
        let switch = df.switch(group, index);
        let port = self.port(row, group, index)?;
        let what = || format!("port {port} of switch {index} of group {group}");
        if let (NamedPort::Node(terminal), "") = (port, &*name) {
            if !row.fields[4].is_empty() {
                return row.wrong(4, "empty in a line that says that there is no node".to_owned());
            }
            let again = self.names.ports.contains_key(&(switch, port))
                || !self.names.empty.insert((switch, terminal));
            return once(row, again, what);
        }
        if let NamedPort::Node(terminal) = port {
            once(row, self.names.empty.contains(&(switch, terminal)), what)?;
            if !self.nodes.has(df.node(switch, terminal)) {
                return row.wrong(2, "another port, because this switch is a spine".to_owned());
            }
        }
        let physical = if row.fields[4].is_empty() {
            None
        } else {
            let number = row.number(4, MOST_PHYSICAL.into())?;
            Some(u8::try_from(number).expect("at most 254"))
        };
        if let Some(number) = physical {
            self.note_once(row, Some(switch), format!("number {number} of this switch"))?;
        }
        let again = self.names.ports.insert((switch, port), PortName { name, physical }).is_some();
        once(row, again, what)
    }

    fn note_once(
        &mut self,
        row: &NameRow<'_>,
        switch: Option<SwitchId>,
        what: String,
    ) -> Result<(), NamesError> {
        let again = !self.known.insert((switch, what.clone()));
        once(row, again, || what)
    }

    /// The port that a row names.
    fn port(
        &self,
        row: &NameRow<'_>,
        group: GroupId,
        own: SwitchIndex,
    ) -> Result<NamedPort, NamesError> {
        let kind = self.nodes.dragonfly().kind_of(group);
        let words: Vec<&str> = row.fields[2].split(' ').collect();
        let below = |text: &str, count: u16| number(text).filter(|&number| number < count);
        let port = match words[..] {
            ["node", terminal] => below(terminal, kind.p)
                .and_then(|terminal| u8::try_from(terminal).ok())
                .map(NamedPort::Node),
            ["local", other, link] => below(other, kind.a)
                .and_then(|other| u8::try_from(other).ok().map(SwitchIndex))
                .filter(|&other| other != own)
                .zip(number(link))
                .map(|(other, link)| NamedPort::Local(other, link)),
            ["global", slot] => below(slot, kind.h).map(NamedPort::Global),
            _ => None,
        };
        port.map_or_else(
            || {
                let last = |count: u16| u32::from(count).saturating_sub(1);
                row.wrong(
                    2,
                    format!(
                        "empty, node T, local J K or global S of this switch: T 0 to {}, J the index \
                         of another switch, 0 to {}, K a number from 0, S 0 to {}",
                        last(kind.p),
                        last(kind.a),
                        last(kind.h)
                    ),
                )
            },
            Ok,
        )
    }
}

fn once(row: &NameRow<'_>, again: bool, what: impl FnOnce() -> String) -> Result<(), NamesError> {
    if again { Err(NamesError::Twice { line: row.line, what: what() }) } else { Ok(()) }
}

/// A number written in digits only.
fn number(text: &str) -> Option<u16> {
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tvlb_schema::GroupKind;

    const HEADER: &str = "group,switch,port,name,physical\n";

    /// Two groups of three switches, and one of two without nodes.
    fn df() -> Dragonfly {
        let kind = |p, a, g| GroupKind::new(p, a, 2, g);
        Dragonfly::of_kinds(&[kind(2, 3, 2), kind(0, 2, 1)]).unwrap()
    }

    #[test]
    fn names_are_found_and_written_again() {
        let text = format!(
            "# of a machine\n{HEADER}2,,,storage,\n0,1,,x1000c0r3,\n0,1,node 1,\"a, b\",17\n\
             0,1,local 2 1,x1000c0r3j5p1,\n2,1,global 0,x9j1p0,3\n"
        );
        let names = Names::read(&df(), &text).unwrap();
        let (one, last) = (SwitchId(1), SwitchId(7));
        assert_eq!((names.group(GroupId(2)), names.group(GroupId(0))), (Some("storage"), None));
        assert_eq!((names.switch(one), names.switch(last)), (Some("x1000c0r3"), None));
        let port = |switch, port| names.port(switch, port).map(|p| (p.name.as_str(), p.physical));
        assert_eq!(port(one, NamedPort::Node(1)), Some(("a, b", Some(17))));
        assert_eq!(port(one, NamedPort::Local(SwitchIndex(2), 1)), Some(("x1000c0r3j5p1", None)));
        assert_eq!(port(last, NamedPort::Global(0)), Some(("x9j1p0", Some(3))));
        assert_eq!(port(last, NamedPort::Global(1)), None);
        // Two terminals, then the switches 0 and 2 of the group, then two global slots.
        let named = |switch| {
            let of = |port| names.port_number(&df(), switch, Port(port));
            (0..6).map(|port| of(port).map(|port| port.name.as_str())).collect::<Vec<_>>()
        };
        assert_eq!(named(one), [None, Some("a, b"), None, None, None, None]);
        assert_eq!(named(last), [None, None, None, None, Some("x9j1p0"), None]);
        assert_eq!((names.after(one).as_str(), names.after(last).as_str()), (" x1000c0r3", ""));
        assert_eq!([one, last].map(|switch| names.named(switch).to_string()), ["1 x1000c0r3", "7"]);
        assert_eq!(names.after_group(GroupId(2)), " storage");
        let groups = [0, 2].map(|group| names.named_group(GroupId(group)).to_string());
        assert_eq!(groups, ["0", "2 storage"]);
        assert_eq!(names.by(&df(), last, Port(4)), " by x9j1p0");
        assert_eq!(names.by(&df(), last, Port(5)), "");
        let words = |group, port| {
            let end = End { group: GroupId(group), port: tvlb_schema::GlobalPort(port) };
            names.end_in_words(&df(), end)
        };
        assert_eq!(words(0, 2), "group 0, switch 1 x1000c0r3, global port 0");
        assert_eq!(words(2, 2), "group 2, switch 1, global port 0 x9j1p0");
        assert_eq!(Names::read(&df(), &names.write(&df())), Ok(names));
    }

    #[test]
    fn a_place_without_a_node_has_an_empty_name() {
        let text = format!("{HEADER}0,1,node 0,,\n0,1,node 1,n1,\n1,0,,x,\n1,0,node 1,,\n");
        let names = Names::read(&df(), &text).unwrap();
        assert_eq!(names.nodes(&df()).missing().collect::<Vec<_>>(), [2, 7].map(NodeId));
        assert_eq!(names.node_at(&df(), SwitchId(1), Port(0)), None);
        assert_eq!(names.node_at(&df(), SwitchId(1), Port(1)), Some(NodeId(3)));
        assert_eq!(names.node_at(&df(), SwitchId(1), Port(2)), None);
        assert_eq!(names.port(SwitchId(1), NamedPort::Node(0)), None);
        let written = format!("{HEADER}1,0,,x,\n0,1,node 0,,\n0,1,node 1,n1,\n1,0,node 1,,\n");
        assert_eq!(names.write(&df()), written);
        assert_eq!(Names::read(&df(), &written), Ok(names));
        let only = Names::read(&df(), &format!("{HEADER}0,1,node 0,,\n")).unwrap();
        assert!(!only.is_empty() && Names::default().is_empty());
    }

    #[test]
    fn physical_numbers_by_port() {
        // The last group has two switches, so one link within it; the list names one that does not exist.
        let text = format!(
            "{HEADER}0,0,node 1,a,254\n0,0,local 2 0,b,0\n0,0,global 1,c,\n0,1,global 1,d,\n\
             2,0,local 1 0,e,9\n2,0,local 1 1,f,8\n2,0,global 0,g,7\n"
        );
        let names = Names::read(&df(), &text).unwrap();
        let of = |switch| names.physical_numbers(&df(), SwitchId(switch));
        assert_eq!(of(0), [None, Some(254), None, Some(0), None, None]);
        assert_eq!(of(1), []);
        assert_eq!(of(6), [None, None, Some(9), None, Some(7), None]);
        assert_eq!(Names::default().physical_numbers(&df(), SwitchId(0)), []);
        let too_high = format!("{HEADER}0,0,node 1,a,255\n");
        assert_eq!(
            Names::read(&df(), &too_high).unwrap_err().to_string(),
            "line 2: physical is \"255\", but must be a whole number, 0 to 254"
        );
    }

    #[test]
    fn what_is_wrong_is_said_by_line() {
        let error =
            |lines: &str| Names::read(&df(), &format!("{HEADER}{lines}")).unwrap_err().to_string();
        let port = "but must be empty, node T, local J K or global S of this switch: T 0 to 1, J the \
                    index of another switch, 0 to 2, K a number from 0, S 0 to 1";
        for (lines, said) in [
            ("3,,,x,", "line 2: group is \"3\", but must be a whole number, 0 to 2".to_owned()),
            ("2,2,,x,", "line 2: switch is \"2\", but must be a whole number, 0 to 1".to_owned()),
            ("0,0,node 2,x,", format!("line 2: port is \"node 2\", {port}")),
            ("0,0,local 0 0,x,", format!("line 2: port is \"local 0 0\", {port}")),
            ("0,0,local 1,x,", format!("line 2: port is \"local 1\", {port}")),
            ("0,0,global 2,x,", format!("line 2: port is \"global 2\", {port}")),
            ("0,0,terminal 1,x,", format!("line 2: port is \"terminal 1\", {port}")),
            (
                "0,,node 1,x,",
                "line 2: switch is \"\", but must be the index of the switch that has the port"
                    .to_owned(),
            ),
            (
                "0,0,,x,5",
                "line 2: physical is \"5\", but must be empty in a line that names no port".to_owned(),
            ),
            (
                "0,0,node 1,x,a",
                "line 2: physical is \"a\", but must be a whole number, 0 to 254".to_owned(),
            ),
            (
                "0,0,,,",
                "line 2: name is \"\", but must be a name of 1 to 128 characters that a terminal shows"
                    .to_owned(),
            ),
            (
                "0,0,global 0,,",
                "line 2: name is \"\", but must be a name of 1 to 128 characters that a terminal shows"
                    .to_owned(),
            ),
            (
                "0,0,node 1,,5",
                "line 2: physical is \"5\", but must be empty in a line that says that there is no node"
                    .to_owned(),
            ),
            (
                "0,0,node 1,,\n0,0,node 1,x,",
                "line 3: port node 1 of switch 0 of group 0 is given a second time; accepted is one line \
                 for each"
                    .to_owned(),
            ),
            (
                "0,0,node 1,x,\n0,0,node 1,,",
                "line 3: port node 1 of switch 0 of group 0 is given a second time; accepted is one line \
                 for each"
                    .to_owned(),
            ),
            (
                "0,0,,x,\n0,0,,y,",
                "line 3: switch 0 of group 0 is given a second time; accepted is one line for each"
                    .to_owned(),
            ),
            (
                "0,0,,x,\n0,1,,x,",
                "line 3: the name \"x\" is given a second time; accepted is one line for each".to_owned(),
            ),
            (
                "0,0,node 0,x,5\n0,0,node 1,y,5",
                "line 3: number 5 of this switch is given a second time; accepted is one line for each"
                    .to_owned(),
            ),
            (
                "0,0,,x\u{2028}nodes: y,",
                "line 2: name is \"x\\u{2028}nodes: y\", but must be a name of 1 to 128 characters that a terminal \
                 shows"
                    .to_owned(),
            ),
            (
                "0,0,,x\u{202e}y,",
                "line 2: name is \"x\\u{202e}y\", but must be a name of 1 to 128 characters that a terminal shows"
                    .to_owned(),
            ),
            ("0,0,x,", "line 2: found 4 fields, accepted 5: group,switch,port,name,physical".to_owned()),
        ] {
            assert_eq!(error(lines), said, "{lines}");
        }
        let header = |text: &str| Names::read(&df(), text).unwrap_err().to_string();
        let columns = "header group,switch,port,name,physical";
        assert_eq!(
            header(""),
            format!("line 1: found the end of the file, accepted the {columns}")
        );
        assert_eq!(
            header("a,b\n"),
            format!(
                "line 1: column 1 of the header is \"a\", accepted \"group\"; the header is {}",
                COLUMNS.join(",")
            )
        );
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in any::<String>(), below in "[0-9,a-z #\"\r\n-]{0,80}") {
            let _ = Names::read(&df(), &text);
            let _ = Names::read(&df(), &format!("{HEADER}{below}"));
        }
    }
}
