//! Lists of the dead parts of a fabric, as people write them.
//!
//! One part per line, with comments and quotes as in every list of names ([`crate::names::list`]). Parts are named by
//! number, or by the names in the machine's list:
//!
//! ```text
//! cable (3,1):2         # at global port 2 of switch 1 in group 3; either end will do
//! cable x1000c0r3j17p0  # the same by the name of the port
//! cable x1000c0r3j17    # all links of the jack whose ports have this name and p0, p1 ...
//! local (3,1)-(3,4)     # all links between two switches of a group
//! local (3,1)-(3,4):1   # one of several, from 0
//! switch (7,3)          # with all its cables and links
//! switch x1003c5r7
//! switch "Rack 7 # 3"   # a name with a # after a blank
//! switch x1003c*        # all switches with such names; cables by the names of ports
//! group (7)             # all switches of a group
//! cabinet x1003         # or `chassis x1003c5`: the switches whose names say that they are there
//! draining              # what is listed is not dead, but no path over it is to be drawn
//! ```
//!
//! A list states everything that is dead, or drained. [`parse`] reads back the output of [`write()`] and of
//! [`write_with_names`].

mod live;
mod not_in;
mod several;

pub use live::{LiveError, dead_but};
pub use not_in::{OtherSizes, not_in};
pub use several::switches_of_line;

use crate::names::{NamedPort, Names, PartError, Parts, list};
use std::collections::BTreeMap;
use std::fmt::Write;
use tvlb_schema::{
    Dragonfly, End, FabricImage, FaultSet, GroupId, LocalLink, SwitchId, SwitchIndex,
};

/// The most bytes of a list: enough for each part of the largest fabrics in service, by name.
pub const MOST_BYTES: u64 = 64 << 20;

/// The line that makes the parts of a list drained: see [`FaultSet::is_draining`].
const DRAINING: &str = "draining";

/// The planned links, with which a list of dead parts is compared.
pub trait LinkPlan {
    fn dragonfly(&self) -> &Dragonfly;

    /// The other end of the cable at a port that exists.
    fn peer(&self, end: End) -> Option<End>;

    /// How many links join two switches of a group that exist and differ.
    fn links_within(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> u32;
}

impl LinkPlan for FabricImage<'_> {
    fn dragonfly(&self) -> &Dragonfly {
        self.dragonfly()
    }

    fn peer(&self, end: End) -> Option<End> {
        self.peer(end)
    }

    fn links_within(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> u32 {
        self.planned_local_links(group, one, other)
    }
}

/// Why a text is not a list of dead parts. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultsError {
    #[error(
        "line {line}: found {found}, accepted `cable (GROUP,SWITCH):PORT`, `local (GROUP,SWITCH)-(GROUP,SWITCH)`, `switch (GROUP,SWITCH)`, `group (GROUP)`, `cabinet NAME`, `chassis NAME`, names of the list in their place, or `draining`"
    )]
    Line { line: usize, found: String },
    #[error(
        "line {line}: found {found}, accepted `switch (GROUP,SWITCH)`, `group (GROUP)`, `cabinet NAME`, `chassis NAME`, or names of the list in their place"
    )]
    NoSwitches { line: usize, found: String },
    #[error("line {line}: {error}")]
    Part { line: usize, error: PartError },
    #[error("line {line}: {end} has no cable in the plan")]
    NoCable { line: usize, end: String },
    #[error("line {line}: {what}")]
    NoLink { line: usize, what: String },
    #[error("line {line}: {what} is dead by line {first} already; accepted is one line for each")]
    Twice { line: usize, what: String, first: usize },
}

/// A part of a fabric, to find the line that named it first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ListedPart {
    Switch(SwitchId),
    Cable(End),
    Link(LocalLink),
}

/// Parses a list of dead parts.
///
/// # Errors
/// The first line that names no part of the plan, or one that was already named.
///
/// # Example
/// ```
/// use tvlb_table_set::dead_parts::parse;
/// use tvlb_table_set::names::Names;
/// use tvlb_schema::{Dragonfly, End, FabricImage, GlobalPort, GroupId, SwitchId, encode_fabric_image};
///
/// // Three groups of two switches, one cable between any two groups.
/// let df = Dragonfly::new(1, 2, 1, 3)?;
/// let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
/// let cables = [(end(0, 0), end(1, 0)), (end(0, 1), end(2, 0)), (end(1, 1), end(2, 1))];
/// let image = encode_fabric_image(&df, &cables);
/// let plan = FabricImage::decode(&image)?;
///
/// let faults = parse("cable (2,0):0  # since noon\nswitch (1,1)\n", &plan, &Names::default())?;
/// assert!(faults.cables.contains(&end(0, 1)) && faults.switches.contains(&SwitchId(3)));
/// let twice = parse("cable (0,1):0\ncable (2,0):0\n", &plan, &Names::default()).unwrap_err();
/// assert!(twice.to_string().contains("dead by line 1 already"), "{twice}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(text: &str, plan: &dyn LinkPlan, names: &Names) -> Result<FaultSet, FaultsError> {
    let parts = Parts::new(plan.dragonfly(), names);
    let mut faults = FaultSet::default();
    let mut first = BTreeMap::new();
    for (line, text) in list::lines(text) {
        if text == DRAINING {
            faults.is_draining = true;
            continue;
        }
        let reader = PartReader { line, plan, names, parts: &parts };
        let several = reader.several(text)?;
        let is_one = several.is_none();
        for part in several.map_or_else(|| reader.parts(text), Ok)? {
            // Lines with several parts may overlap with others.
            if let Some(first) = is_one.then(|| first.insert(part, line)).flatten() {
                return Err(FaultsError::Twice { line, what: reader.in_words(part), first });
            }
            match part {
                ListedPart::Switch(switch) => faults.switches.insert(switch),
                ListedPart::Cable(end) => faults.cables.insert(end),
                ListedPart::Link(link) => faults.local_links.insert(link),
            };
        }
    }
    Ok(faults)
}

/// One line, and the plan that it refers to.
struct PartReader<'r> {
    line: usize,
    plan: &'r dyn LinkPlan,
    names: &'r Names,
    parts: &'r Parts<'r>,
}

impl PartReader<'_> {
    /// The parts that a line names.
    fn parts(&self, text: &str) -> Result<Vec<ListedPart>, FaultsError> {
        let (kind, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        match kind {
            "switch" if !rest.is_empty() => Ok(vec![ListedPart::Switch(self.switch(rest)?)]),
            "cable" if !rest.is_empty() => self.cable(rest),
            "local" if !rest.is_empty() => self.local(rest, text),
            _ => Err(self.no_line(text)),
        }
    }

    fn no_line(&self, text: &str) -> FaultsError {
        FaultsError::Line { line: self.line, found: quoted(text) }
    }

    fn wrong(&self, error: PartError) -> FaultsError {
        FaultsError::Part { line: self.line, error }
    }

    fn switch(&self, text: &str) -> Result<SwitchId, FaultsError> {
        self.parts.switch(text).map_err(|error| self.wrong(error))
    }

    /// "(3,1):2", "x1000c0r3:2", the name of a port, or that of a jack: its links.
    fn cable(&self, text: &str) -> Result<Vec<ListedPart>, FaultsError> {
        if let Some(port) = self.parts.port(text).map_err(|error| self.wrong(error))? {
            return Ok(vec![self.named_link(text, port)?]);
        }
        let of_jack = self.parts.ports_of_jack(text);
        let links: Vec<ListedPart> =
            of_jack.map(|(name, port)| self.named_link(name, port)).collect::<Result<_, _>>()?;
        if !links.is_empty() {
            return Ok(links);
        }
        let split = text.rsplit_once(':');
        let found = split.and_then(|(switch, slot)| Some((switch, slot.trim().parse().ok()?)));
        let (switch, slot) = found.ok_or_else(|| self.wrong(self.parts.no_port(text)))?;
        Ok(vec![self.global(self.switch(switch.trim())?, slot)?])
    }

    /// The link at a port of this name.
    fn named_link(
        &self,
        name: &str,
        (switch, port): (SwitchId, NamedPort),
    ) -> Result<ListedPart, FaultsError> {
        match port {
            NamedPort::Global(slot) => self.global(switch, slot.into()),
            NamedPort::Local(other, number) => {
                Ok(ListedPart::Link(self.link((switch, other), number.into())?))
            }
            NamedPort::Node(_) => {
                let end = format!("port {} of a node", quoted(name));
                Err(FaultsError::NoCable { line: self.line, end })
            }
        }
    }

    /// The lower end of the cable at a global port.
    fn global(&self, switch: SwitchId, slot: u32) -> Result<ListedPart, FaultsError> {
        let df = self.plan.dragonfly();
        let (group, index) = df.place(switch);
        let no_cable = |what: String| FaultsError::NoCable { line: self.line, end: what };
        let exists = slot < df.h() && slot < u32::from(df.kind_of(group).h);
        let slot = u16::try_from(slot).ok().filter(|_| exists).ok_or_else(|| {
            no_cable(format!("group {group}, switch {index}, global port {slot}"))
        })?;
        let end = End::new(df, group, index, slot);
        let peer = self.plan.peer(end);
        let peer = peer.ok_or_else(|| no_cable(self.names.end_in_words(df, end)))?;
        Ok(ListedPart::Cable(end.min(peer)))
    }

    /// "(3,1)-(3,4)", "(3,1)-(3,4):1", or two names or numbers separated by a blank or a dash.
    fn local(&self, text: &str, whole: &str) -> Result<Vec<ListedPart>, FaultsError> {
        let df = self.plan.dragonfly();
        let (ends, number) = match text.rsplit_once(':') {
            Some((ends, number)) => match number.trim().parse::<u32>() {
                Ok(number) => (ends.trim(), Some(number)),
                Err(_) => (text, None),
            },
            None => (text, None),
        };
        let (one, other) = self.two_switches(ends, whole)?;
        let ((group, low), (second, high)) = (df.place(one), df.place(other));
        let no_link = |what: String| FaultsError::NoLink { line: self.line, what };
        if group != second || low == high {
            let what = if low == high && group == second {
                format!("both ends are switch {one}; a link joins two")
            } else {
                format!(
                    "switches {one} and {other} are in groups {group} and {second}; a local link joins two of a group"
                )
            };
            return Err(no_link(what));
        }
        let count = self.plan.links_within(group, low, high);
        let numbers = match number {
            Some(number) => number..number + 1,
            None if count == 0 => {
                return Err(no_link(format!(
                    "no local link joins switches {one} and {other} in the plan"
                )));
            }
            None => 0..count,
        };
        numbers.map(|number| self.link((one, high), number).map(ListedPart::Link)).collect()
    }

    /// The switches on both sides of the only blank or dash that separates two; names may contain these too.
    fn two_switches(&self, ends: &str, whole: &str) -> Result<(SwitchId, SwitchId), FaultsError> {
        let separators = list::outside_quotes(ends).filter(|(_, c)| *c == '-' || c.is_whitespace());
        let sides = separators.map(|(at, c)| (ends[..at].trim(), ends[at + c.len_utf8()..].trim()));
        let mut found = None;
        let mut wrong = None;
        for (one, other) in sides.filter(|(one, other)| !one.is_empty() && !other.is_empty()) {
            match (self.switch(one), self.switch(other)) {
                (Ok(one), Ok(other)) if found.is_none() => found = Some((one, other)),
                (Ok(_), Ok(_)) => return Err(self.no_line(whole)),
                // If one side is valid, the error of the other says more.
                (Ok(_), Err(error)) => wrong = Some(error),
                (Err(error), _) => wrong = wrong.or(Some(error)),
            }
        }
        found.ok_or_else(|| wrong.unwrap_or_else(|| self.no_line(whole)))
    }

    /// A link of the plan from a switch to another of its group.
    fn link(
        &self,
        (one, other): (SwitchId, SwitchIndex),
        number: u32,
    ) -> Result<LocalLink, FaultsError> {
        let df = self.plan.dragonfly();
        let (group, index) = df.place(one);
        let count = if df.has_index(group, other) && other != index {
            self.plan.links_within(group, index, other)
        } else {
            0
        };
        let far = df.switch(group, other);
        match u16::try_from(number) {
            Ok(number) if u32::from(number) < count => Ok(LocalLink {
                low: df.switch(group, index.min(other)),
                high: index.max(other),
                number,
            }),
            _ => {
                let what = format!(
                    "there is no local link {number} between switches {one} and {far}; they share {count} in the plan, which count from 0"
                );
                Err(FaultsError::NoLink { line: self.line, what })
            }
        }
    }

    fn in_words(&self, part: ListedPart) -> String {
        let df = self.plan.dragonfly();
        match part {
            ListedPart::Switch(switch) => format!("switch {}", self.names.named(switch)),
            ListedPart::Cable(end) => format!("the cable at {}", self.names.end_in_words(df, end)),
            ListedPart::Link(LocalLink { low, high, number }) => {
                let high = df.switch(df.place(low).0, high);
                let [low, high] = [low, high].map(|switch| self.names.named(switch));
                format!("link {number} between switches {low} and {high}")
            }
        }
    }
}

/// At most 60 characters of a text, as a message shows them.
fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    let more = if text.chars().count() > 60 { "..." } else { "" };
    format!("\"{shown}{more}\"")
}

/// The list of these parts by number: whether they are drained, then switches, cables, links, each in order.
pub fn write(df: &Dragonfly, faults: &FaultSet) -> String {
    let mut text = draining(faults).map_or_else(String::new, |line| format!("{line}\n"));
    let place = |switch: SwitchId| {
        let (group, index) = df.place(switch);
        format!("({group},{index})")
    };
    let mut line = |part: String| writeln!(text, "{part}").expect("a string grows");
    for &switch in &faults.switches {
        line(format!("switch {}", place(switch)));
    }
    for &end in &faults.cables {
        let (index, slot) = df.split_port(end.port);
        line(format!("cable {}:{slot}", place(df.switch(end.group, index))));
    }
    for &LocalLink { low, high, number } in &faults.local_links {
        let far = df.switch(df.place(low).0, high);
        line(format!("local {}-{}:{number}", place(low), place(far)));
    }
    text
}

const fn draining(faults: &FaultSet) -> Option<&'static str> {
    if faults.is_draining { Some(DRAINING) } else { None }
}

/// As [`write()`], each line with the names of its part as a comment, if it has any: a switch's, those of the ports at
/// the two ends of a link, or of its switches.
pub fn write_with_names(plan: &dyn LinkPlan, names: &Names, faults: &FaultSet) -> String {
    let df = plan.dragonfly();
    let of_global = |end: End| {
        let (index, slot) = df.split_port(end.port);
        let switch = df.switch(end.group, index);
        names.port(switch, NamedPort::Global(slot)).map(|port| port.name.as_str())
    };
    let switches = faults.switches.iter().map(|&switch| [names.switch(switch), None]);
    let cables = faults.cables.iter().map(|&end| [Some(end), plan.peer(end)]);
    let cables = cables.map(|ends| ends.map(|end| end.and_then(of_global)));
    let links = faults.local_links.iter().map(|&LocalLink { low, high, number }| {
        let (group, index) = df.place(low);
        let far = df.switch(group, high);
        [(low, high), (far, index)].map(|(switch, other)| {
            let port = names.port(switch, NamedPort::Local(other, number));
            port.map(|port| port.name.as_str()).or_else(|| names.switch(switch))
        })
    });
    let mut text = String::new();
    let of_parts = draining(faults).map(|_| [None, None]).into_iter();
    let of_parts = of_parts.chain(switches).chain(cables).chain(links);
    for (line, of_part) in write(df, faults).lines().zip(of_parts) {
        let of_part: Vec<&str> = of_part.into_iter().flatten().collect();
        let comment = if of_part.is_empty() { "" } else { " # " };
        writeln!(text, "{line}{comment}{}", of_part.join("-")).expect("a string grows");
    }
    text
}

#[cfg(test)]
mod tests;
