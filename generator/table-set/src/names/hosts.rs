//! The hosts of nodes, by the names that programs use to start jobs.
//!
//! A node is a place in the network with one adapter. A machine may name it after its adapter, and several nodes may
//! belong to one host, so names of nodes are not always names of hosts. A list tells them:
//!
//! ```text
//! node,host
//! x1000c0s0b0n0h0,x1000c0s0b0n0
//! x1000c0s0b0n0h1,x1000c0s0b0n0
//! 17,login1
//! ```

use crate::names::parts::{GENERIC, PartError, Parts};
use crate::names::{NamedPort, Names, list};
use std::collections::BTreeMap;
use tvlb_base::text::{Records, Refused, quoted};
use tvlb_schema::{Dragonfly, NodeId};

/// The columns, in the only order accepted.
const COLUMNS: [&str; 2] = ["node", "host"];

/// The most digits of a number that is counted: those that fit 64 bits.
const MOST_DIGITS: usize = 18;

/// The most characters of the name of a host.
const MOST_CHARACTERS: usize = 253;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    of: BTreeMap<NodeId, String>,
    is_listed: bool,
}

/// Why a text is not a list of hosts. Lines count from 1, comments and blank lines included.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostsError {
    #[error(transparent)]
    Text(#[from] Refused),
    #[error("line {line}: {error}")]
    Node { line: usize, error: PartError },
    #[error("line {line}: {error}")]
    Host { line: usize, error: HostError },
    #[error("line {line}: node {node} has a host already; accepted is one line for each node")]
    Twice { line: usize, node: NodeId },
}

/// Why a node has no name that a program to start jobs accepts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    #[error("{name} {why}, which has letters, digits, hyphens, underscores and dots")]
    Name { name: String, why: &'static str },
    #[error("it has no name, though other nodes have")]
    Nameless,
    #[error("no line of the list of hosts names it")]
    Unlisted,
}

impl Hosts {
    /// The hosts of a fabric without a list: each node by its name, and all with the same name as one host. If no node
    /// has a name, node N is `node-N`.
    pub fn of_names(df: &Dragonfly, names: &Names) -> Self {
        let named = |(switch, port, named): (_, _, &crate::names::PortName)| match port {
            NamedPort::Node(terminal) => Some((df.node(switch, terminal), named.name.clone())),
            _ => None,
        };
        let mut of: BTreeMap<NodeId, String> = names.ports().filter_map(named).collect();
        if of.is_empty() {
            of = df.nodes().map(|node| (node, format!("{GENERIC}{node}"))).collect();
        }
        Self { of, is_listed: false }
    }

    /// The hosts of these nodes from a list.
    ///
    /// # Errors
    /// The first line that does not assign a host to a node.
    pub fn read(text: &str, parts: &Parts<'_>) -> Result<Self, HostsError> {
        let mut of = BTreeMap::new();
        let mut records = Records::of_text(text);
        records.expect_header(&[&COLUMNS])?;
        while records.read()? {
            let line = records.line_number() as usize;
            let (node, host) = (&records.fields()[0], &records.fields()[1]);
            check(host).map_err(|error| HostsError::Host { line, error })?;
            let nodes = parts.nodes(node).map_err(|error| HostsError::Node { line, error })?;
            for node in nodes {
                if of.insert(node, host.to_owned()).is_some() {
                    return Err(HostsError::Twice { line, node });
                }
            }
        }
        Ok(Self { of, is_listed: true })
    }

    /// Whether they come from a list.
    pub const fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// The host of a node.
    ///
    /// # Errors
    /// Its name cannot be a host's.
    pub fn host(&self, node: NodeId) -> Result<&str, HostError> {
        let none = || if self.is_listed { HostError::Unlisted } else { HostError::Nameless };
        let host = self.of.get(&node).ok_or_else(none)?;
        check(host).map(|()| host.as_str())
    }

    /// The nodes of each host, by rising number.
    pub fn nodes_by_host(&self) -> BTreeMap<&str, Vec<NodeId>> {
        let mut nodes: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
        for (&node, host) in &self.of {
            nodes.entry(host).or_default().push(node);
        }
        nodes
    }
}

/// Names as in Slurm's host lists, in their order: consecutive numbers are in brackets, as in `n[08-11,13],login`.
/// Slurm gives the numbers of a range as many digits as its first one has.
pub fn host_list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<(&str, &str)> = names.into_iter().map(without_number).collect();
    let of_prefix = |names: &[(&str, &str)]| {
        let (prefix, first) = names[0];
        let numbers: Vec<&str> = names.iter().map(|(_, number)| *number).collect();
        let ranges: Vec<String> =
            numbers.chunk_by(|one, next| follows(one, next)).map(range).collect();
        match ranges.as_slice() {
            [only] if only == first => format!("{prefix}{first}"),
            _ => format!("{prefix}[{}]", ranges.join(",")),
        }
    };
    let is_one = |one: &(&str, &str), next: &(&str, &str)| {
        one.0 == next.0 && !one.1.is_empty() && !next.1.is_empty()
    };
    names.chunk_by(is_one).map(of_prefix).collect::<Vec<_>>().join(",")
}

/// A name without the number at its end, and that number; empty for a number of more digits than we count.
fn without_number(name: &str) -> (&str, &str) {
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &name[prefix.len()..];
    if number.len() > MOST_DIGITS { (name, "") } else { (prefix, number) }
}

/// Whether one number follows another and is written with as many digits, or more if it needs them.
fn follows(one: &str, next: &str) -> bool {
    one.parse::<u64>()
        .is_ok_and(|number| format!("{:0width$}", number + 1, width = one.len()) == next)
}

/// Consecutive numbers.
fn range(numbers: &[&str]) -> String {
    match numbers {
        [first, .., last] => format!("{first}-{last}"),
        numbers => numbers.concat(),
    }
}

/// Refuses what Slurm, Open MPI or a resolver would not read as one host.
fn check(name: &str) -> Result<(), HostError> {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_part = |part: &str| {
        part.chars().all(is_inner)
            && part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part.ends_with(|c: char| c.is_ascii_alphanumeric())
    };
    let why = if name.chars().count() > MOST_CHARACTERS || !name.split('.').all(is_part) {
        "cannot be the name of a host"
    } else if name.split('.').all(list::is_number) {
        "is a number, not the name of a host"
    } else if is_interface(name) {
        "is an interface of a host, not the host"
    } else if is_id(name) {
        "is the id of an adapter, not the name of a host"
    } else {
        return Ok(());
    };
    Err(HostError::Name { name: quoted(name), why })
}

/// Whether a name is that of an interface of HPE Slingshot, as in `x1000c0s4b1n0h0`.
fn is_interface(name: &str) -> bool {
    let rest = ['x', 'c', 's', 'b', 'n', 'h'].into_iter().try_fold(name, |rest, letter| {
        let number = rest.strip_prefix(letter)?;
        let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
        (rest.len() < number.len()).then_some(rest)
    });
    rest == Some("")
}

/// Whether a name is an id of InfiniBand, as in `H-b8cef60300000a10`, or a GUID, as in `0xb8cef60300000a10`.
fn is_id(name: &str) -> bool {
    let id = name.strip_prefix(['H', 'S', 'R']).and_then(|rest| rest.strip_prefix('-'));
    let id = id.or_else(|| name.strip_prefix("0x"));
    id.is_some_and(|id| id.len() == 16 && id.chars().all(|c| c.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn df() -> Dragonfly {
        Dragonfly::new(2, 2, 1, 3).unwrap()
    }

    const NAMES: &str = "group,switch,port,name,physical\n\
        0,0,node 0,node00 HCA-1,\n0,0,node 1,node00 HCA-2,\n0,1,node 0,n1,\n0,1,node 1,n1,\n";

    #[test]
    fn a_name_that_another_program_reads_otherwise_is_refused() {
        for name in ["n1", "N-1", "node_7", "r1.example.org", "0a", "x1000c0s0b0n0", "h-12"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for (name, why) in [
            ("node00 HCA-1", "cannot be the name"),
            ("cn[1-9]", "cannot be the name"),
            ("a,b", "cannot be the name"),
            ("a#b", "cannot be the name"),
            ("n0\tslots=9", "cannot be the name"),
            ("a=b", "cannot be the name"),
            ("-a", "cannot be the name"),
            ("a-", "cannot be the name"),
            ("a..b", "cannot be the name"),
            ("", "cannot be the name"),
            ("é", "cannot be the name"),
            ("17", "is a number"),
            ("10.0.0.1", "is a number"),
            ("x1000c0s4b1n0h0", "is an interface"),
            ("H-b8cef60300000a10", "is the id"),
            ("0xb8cef60300000a10", "is the id"),
        ] {
            let error = check(name).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        assert!(check(&"a".repeat(254)).is_err());
    }

    #[test]
    fn a_host_list_has_ranges_of_numbers() {
        for (names, list) in [
            ("", ""),
            ("a", "a"),
            ("a a", "a,a"),
            ("n7", "n7"),
            ("n8 n9 n10 n12", "n[8-10,12]"),
            ("n08 n09 n10 n100", "n[08-10,100]"),
            ("n98 n99 n100", "n[98-100]"),
            ("n08 n9", "n[08,9]"),
            ("n2 n1", "n[2,1]"),
            ("n1 n2 m3 m4 login n3", "n[1-2],m[3-4],login,n3"),
            ("r1.a r2.a", "r1.a,r2.a"),
            (
                "n9999999999999999999 n10000000000000000000",
                "n9999999999999999999,n10000000000000000000",
            ),
        ] {
            assert_eq!(host_list(names.split_terminator(' ')), list);
        }
    }

    #[test]
    fn nodes_are_called_by_name_or_all_by_number() {
        let df = df();
        let generic = Hosts::of_names(&df, &Names::default());
        assert_eq!(generic.host(NodeId(11)), Ok("node-11"));
        let names = Names::read(&df, NAMES).unwrap();
        let hosts = Hosts::of_names(&df, &names);
        assert_eq!([2, 3].map(|node| hosts.host(NodeId(node))), [Ok("n1"), Ok("n1")]);
        assert!(matches!(hosts.host(NodeId(0)), Err(HostError::Name { .. })));
        assert_eq!(hosts.host(NodeId(4)), Err(HostError::Nameless));
    }

    #[test]
    fn a_list_gives_nodes_their_hosts() {
        let df = df();
        let names = Names::read(&df, NAMES).unwrap();
        let parts = Parts::new(&df, &names);
        let text =
            "# two\nnode,host\nnode00 HCA-1,node00\n\"node00 HCA-2\",node00\nn1,n01\n4,n02\n";
        let hosts = Hosts::read(text, &parts).unwrap();
        let of = |node| hosts.host(NodeId(node)).unwrap();
        assert_eq!([0, 1, 2, 3, 4].map(of), ["node00", "node00", "n01", "n01", "n02"]);
        assert_eq!(hosts.host(NodeId(5)), Err(HostError::Unlisted));
        let parts = parts.with_hosts(hosts.nodes_by_host());
        assert_eq!(parts.nodes("node00"), Ok([0, 1].map(NodeId).to_vec()));
        let error = |text: &str| Hosts::read(text, &parts).unwrap_err().to_string();
        assert_eq!(error(""), "line 1: found the end of the file, accepted the header node,host");
        assert_eq!(
            error("host,node\n"),
            "line 1: column 1 of the header is \"host\", accepted \"node\"; the header is node,host"
        );
        assert_eq!(error("node,host\n1\n"), "line 2: found 1 fields, accepted 2: node,host");
        assert_eq!(
            error("node,host\n1,a\n\n1,b\n"),
            "line 4: node 1 has a host already; accepted is one line for each node"
        );
        assert!(
            error("node,host\n1,a b\n").starts_with("line 2: \"a b\" cannot be the name of a host")
        );
        assert!(
            error("node,host\n99,a\n")
                .starts_with("line 2: there is no node 99; the last node is 11")
        );
    }
}
