//! A machine as its cable files describe it: names and links, before tvlb numbers anything.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

#[derive(Debug)]
pub(crate) struct Machine {
    /// The names of the ports of its switches.
    pub(crate) ports: PortNames,
    /// The groups' names, in the source's order.
    pub(crate) groups: Vec<String>,
    pub(crate) switches: Vec<ImportedSwitch>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) node_names: NameList,
    pub(crate) links: Vec<SwitchLink>,
    /// How to find a port's physical number.
    pub(crate) physical: Physical,
    /// The links that are planned and not live, by rising number.
    pub(crate) down: Vec<u32>,
}

#[derive(Debug)]
pub(crate) struct ImportedSwitch {
    pub(crate) name: String,
    /// By number, as in [`Machine::groups`].
    pub(crate) group: u32,
    /// Its rank among the switches of its group.
    pub(crate) rank: u32,
}

/// A node: one end point, at one port of one switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) switch: u32,
    pub(crate) port: u32,
    /// By number, as in [`Machine::node_names`].
    pub(crate) name: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LinkEnd {
    pub(crate) switch: u32,
    pub(crate) port: u32,
}

/// A link between two switches. It is local if they are of one group, and global otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SwitchLink {
    pub(crate) ends: [LinkEnd; 2],
}

/// The names of the ports of switches. A port is a number that rises in the order of the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortNames {
    /// Two ports for each jack: `j5p0` is port 10, and `j5p1` port 11.
    Jacks,
    /// The number itself in brackets.
    Numbers,
}

impl PortNames {
    pub(crate) fn of(self, switch: &str, port: u32) -> String {
        match self {
            Self::Jacks => format!("{switch}j{}p{}", port / 2, port % 2),
            Self::Numbers => format!("{switch}[{port}]"),
        }
    }
}

/// The physical port numbers.
#[derive(Debug)]
pub(crate) enum Physical {
    /// Not stated.
    Unknown,
    /// The source's own port number.
    Same,
    /// By switch and port.
    Listed(HashMap<LinkEnd, u32>),
}

/// Many short names in one piece of memory.
#[derive(Debug, Default)]
pub(crate) struct NameList {
    text: String,
    ends: Vec<usize>,
}

impl NameList {
    /// Adds a name and returns its number.
    pub(crate) fn push(&mut self, name: &impl Display) -> u32 {
        use std::fmt::Write;
        let number = count(self.ends.len());
        let _ = write!(self.text, "{name}");
        self.ends.push(self.text.len());
        number
    }

    pub(crate) fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let begin = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[begin..self.ends[number]]
    }
}

impl Machine {
    pub(crate) fn is_local(&self, link: &SwitchLink) -> bool {
        let [one, other] = link.ends.map(|end| self.switches[end.switch as usize].group);
        one == other
    }

    pub(crate) fn port_name(&self, end: LinkEnd) -> impl Display {
        EndName { machine: self, end }
    }

    /// The name of a link: those of its two ports.
    pub(crate) fn link_name(&self, [one, other]: [LinkEnd; 2]) -> impl Display {
        format!("{}-{}", self.port_name(one), self.port_name(other))
    }

    /// The physical number of a port, if known.
    pub(crate) fn physical_port(&self, end: LinkEnd) -> Option<u32> {
        match &self.physical {
            Physical::Unknown => None,
            Physical::Same => Some(end.port),
            Physical::Listed(numbers) => numbers.get(&end).copied(),
        }
    }
}

struct EndName<'m> {
    machine: &'m Machine,
    end: LinkEnd,
}

impl Display for EndName<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let LinkEnd { switch, port } = self.end;
        let switch = &self.machine.switches[switch as usize].name;
        f.write_str(&self.machine.ports.of(switch, port))
    }
}

/// A number of switches, nodes or links.
pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).expect("the readers refuse more records than 32 bits count")
}
