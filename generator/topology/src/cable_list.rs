//! A wiring as CSV text: one cable per line, for machines that no arrangement describes.
//!
//! ```text
//! # Two groups of two switches, two cables.
//! from_group,from_switch,from_port,to_group,to_switch,to_port
//! 0,0,0,1,0,0
//! 0,1,0,1,1,0
//! ```
//!
//! A row may also name a link between two switches of a group: `0,0,local,0,1,local`. Each link is a row of its own, so
//! links that join the same switches are equal rows. If a group has such a row, every two of its switches must have
//! one.
//!
//! The header line is required. A switch is given by its index in its group, 0 to a − 1, a port by
//! its slot among the switch's global ports, 0 to h − 1. Either end may come first. Blank lines and
//! lines that begin with `#` are skipped, spaces around a field too. Ports that no line mentions are
//! unused.
//!
//! [`read`] restores the wiring from the output of [`write()`]. Reading never panics, whatever the text. There are no
//! files here: the caller reads and writes them, and names them in its errors.

use super::export::{WiredLink, Wiring};
use super::local_links::LocalLinkError;
use super::{CableError, Topology};
use std::collections::BTreeSet;
use std::fmt::Write;
use tvlb_base::text::{CsvFields, Records, Refused, cut, quoted};
use tvlb_schema::{Dragonfly, End, GroupId, Nodes, SwitchIndex};
use tvlb_table_set::names::{NamedPort, Names};

/// The columns, in the only order accepted.
pub const COLUMNS: [&str; 6] =
    ["from_group", "from_switch", "from_port", "to_group", "to_switch", "to_port"];

/// Why a text is not a cable list. Lines count from 1, comments and blank lines included.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CableListError {
    #[error(transparent)]
    Text(#[from] Refused),
    #[error("line {line}: {column} is {found}, but must be a whole number, 0 to {most}")]
    NotANumber { line: usize, column: &'static str, found: String, most: u32 },
    #[error("line {line}: {column} is {found}, but must be 0 to {most}")]
    OutOfRange { line: usize, column: &'static str, found: String, most: u32 },
    #[error("line {line}: {column} is {group}, which is absent, but must be a group with switches")]
    Absent { line: usize, column: &'static str, group: GroupId },
    #[error("line {line}: {end} already has the cable of line {first}; a port takes one cable")]
    PortTaken { line: usize, end: String, first: usize },
    #[error("line {line}: {problem}; a local link is GROUP,SWITCH,local,GROUP,SWITCH,local")]
    Local { line: usize, problem: String },
    #[error(transparent)]
    LocalLinks(#[from] LocalLinkError),
    #[error("line {line}: {source}")]
    Cable { line: usize, source: CableError },
}

/// The wiring that a cable list describes.
///
/// # Errors
/// The first fault in the text, by line.
pub fn read(nodes: impl Into<Nodes>, text: &str) -> Result<Topology, CableListError> {
    let nodes = nodes.into();
    let df = *nodes.dragonfly();
    let mut records = Records::of_text(text);
    records.expect_header(&[&COLUMNS])?;

    let (mut cables, mut local) = (Vec::new(), Vec::new());
    // For each port, the line of its cable.
    let mut taken: Vec<Option<usize>> = vec![None; df.port_numbers() as usize];
    while records.read()? {
        let (line, fields) = (records.line_number() as usize, records.fields());
        if [&fields[2], &fields[5]].contains(&LOCAL) {
            local.push(local_link(&df, line, fields)?);
            continue;
        }
        let from = end(&df, line, fields, 0)?;
        let to = end(&df, line, fields, 3)?;
        if from.group == to.group {
            return Err(CableListError::Cable {
                line,
                source: CableError::WithinGroup {
                    low: from.min(to).in_words(&df).to_string(),
                    high: from.max(to).in_words(&df).to_string(),
                },
            });
        }
        for end in [from, to] {
            if let Some(first) = taken[super::port_number(&df, end)].replace(line) {
                return Err(CableListError::PortTaken {
                    line,
                    end: end.in_words(&df).to_string(),
                    first,
                });
            }
        }
        cables.push((from, to));
    }
    // Everything that the wiring would refuse was refused above, with its line.
    let topology = Topology::from_cables(df, cables)
        .map_err(|source| CableListError::Cable { line: records.line_number() as usize, source })?;
    Ok(topology.with_ends(nodes.ends()).with_local_links(local)?)
}

/// Stands for both ports of a local link.
const LOCAL: &str = "local";

fn local_link(
    df: &Dragonfly,
    line: usize,
    fields: &CsvFields,
) -> Result<(GroupId, SwitchIndex, SwitchIndex), CableListError> {
    let wrong = |problem: String| Err(CableListError::Local { line, problem });
    if let Some(column) = [2, 5].into_iter().find(|&column| &fields[column] != LOCAL) {
        let (name, found) = (COLUMNS[column], quoted(&fields[column]));
        return wrong(format!("{name} is {found}, but the other port is {LOCAL}"));
    }
    let (group, one) = switch(df, line, fields, 0)?;
    let (other_group, other) = switch(df, line, fields, 3)?;
    if group != other_group {
        return wrong(format!("from_group is {group} and to_group is {other_group}"));
    }
    if one == other {
        return wrong(format!("from_switch and to_switch are both {one}"));
    }
    Ok((group, one, other))
}

/// The cable list of a wiring: the header, then the cables and the individually known local links, sorted, each with
/// its lower end first.
pub fn write(topology: &Topology) -> String {
    let (df, names) = (topology.dragonfly(), Names::default());
    let listed: BTreeSet<GroupId> = topology.local_links().iter().map(|pair| pair.group).collect();
    let is_known =
        |link: &WiredLink| link.is_global() || listed.contains(&df.place(link.near.switch).0);
    let mut text = COLUMNS.join(",") + "\n";
    for link in Wiring::new(topology, &names).links().filter(is_known) {
        for (end, after) in [(link.near, ','), (link.far, '\n')] {
            let (group, index) = df.place(end.switch);
            let port = match end.port {
                NamedPort::Global(slot) => slot.to_string(),
                _ => LOCAL.to_owned(),
            };
            let _ = write!(text, "{group},{index},{port}{after}");
        }
    }
    text
}

/// The end in three fields, from this column on.
fn end(
    df: &Dragonfly,
    line: usize,
    fields: &CsvFields,
    first: usize,
) -> Result<End, CableListError> {
    let (group, index) = switch(df, line, fields, first)?;
    let most = u32::from(df.kind_of(group).h) - 1;
    let slot = number(line, first + 2, &fields[first + 2], most)?;
    Ok(End { group, port: df.global_port(index, slot) })
}

/// The switch in two fields, from this column on.
fn switch(
    df: &Dragonfly,
    line: usize,
    fields: &CsvFields,
    first: usize,
) -> Result<(GroupId, SwitchIndex), CableListError> {
    let number = |column, most| number(line, column, &fields[column], most);
    let group = GroupId(number(first, df.g() - 1)?);
    let last = df.switches_of(group).checked_sub(1);
    let last = last.ok_or(CableListError::Absent { line, column: COLUMNS[first], group })?;
    let index = number(first + 1, last)?;
    Ok((group, SwitchIndex(u8::try_from(index).expect("an index below a fits 8 bits"))))
}

fn number(line: usize, column: usize, field: &str, most: u32) -> Result<u16, CableListError> {
    let column = COLUMNS[column];
    if field.is_empty() || !field.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CableListError::NotANumber { line, column, found: quoted(field), most });
    }
    // Digits fail to parse only if the number is too large.
    match field.parse::<u16>() {
        Ok(number) if u32::from(number) <= most => Ok(number),
        _ => Err(CableListError::OutOfRange { line, column, found: cut(field), most }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrangement::{Arrangement, arrange};
    use crate::local_links::LocalLinks;
    use proptest::prelude::*;

    const HEADER: &str = "from_group,from_switch,from_port,to_group,to_switch,to_port\n";

    /// dfly(1, 2, 2, 3).
    fn small() -> Dragonfly {
        Dragonfly::new(1, 2, 2, 3).unwrap()
    }

    fn error(text: &str) -> String {
        read(&small(), text).unwrap_err().to_string()
    }

    fn error_below_header(lines: &str) -> String {
        error(&format!("{HEADER}{lines}"))
    }

    #[test]
    fn a_list_with_comments_blank_lines_and_spaces() {
        let text = format!(
            "\u{feff}# two cables\n\n{HEADER}# the first, higher end first\r\n\
             2, 1,0 ,0,0,1\r\n  \n\"0\",1,1,1,0,0"
        );
        let topology = read(&small(), &text).unwrap();
        assert_eq!(write(&topology), format!("{HEADER}0,0,1,2,1,0\n0,1,1,1,0,0\n"));
        assert_eq!(topology.unused_ports(), 12 - 4);
    }

    #[test]
    fn a_list_without_cables_is_a_list() {
        let topology = read(&small(), HEADER).unwrap();
        assert_eq!(topology.cables(), []);
        assert_eq!(write(&topology), HEADER);
    }

    #[test]
    fn faults_of_the_header_are_named() {
        let header = HEADER.trim_end();
        let end =
            |line| format!("line {line}: found the end of the file, accepted the header {header}");
        assert_eq!(error(""), end(1));
        assert_eq!(error("# only\n\n# comments\n"), end(3));
        let tail = format!("; the header is {header}");
        assert_eq!(
            error("# c\n0,0,0,1,0,0\n"),
            format!("line 2: column 1 of the header is \"0\", accepted \"from_group\"{tail}")
        );
        assert_eq!(
            error(&HEADER.replace("to_port", "to_port,length")),
            format!(
                "line 1: column 7 of the header is \"length\", accepted the end of the line{tail}"
            )
        );
    }

    #[test]
    fn faults_of_a_line_are_named() {
        let columns = "accepted 6: from_group,from_switch,from_port,to_group,to_switch,to_port";
        assert_eq!(error_below_header("0,0,0,1,0\n"), format!("line 2: found 5 fields, {columns}"));
        assert_eq!(
            error_below_header("# c\n\n0,0,0,1,0,0\n0,0,1,1,0,1,9\n"),
            format!("line 5: found 7 fields, {columns}")
        );
        for (field, shown) in [("x", "x"), ("", ""), ("-1", "-1"), ("1.0", "1.0"), ("+1", "+1")] {
            assert_eq!(
                error_below_header(&format!("0,0,0,1,{field},0\n")),
                format!("line 2: to_switch is {shown:?}, but must be a whole number, 0 to 1")
            );
        }
        assert_eq!(
            error_below_header("3,0,0,1,0,0\n"),
            "line 2: from_group is 3, but must be 0 to 2"
        );
        assert_eq!(
            error_below_header("0,0,0,1,2,0\n"),
            "line 2: to_switch is 2, but must be 0 to 1"
        );
        assert_eq!(
            error_below_header("0,0,2,1,0,0\n"),
            "line 2: from_port is 2, but must be 0 to 1"
        );
        let long = "9".repeat(1000);
        assert_eq!(
            error_below_header(&format!("0,0,{long},1,0,0\n")),
            format!("line 2: from_port is {}…, but must be 0 to 1", "9".repeat(64))
        );
    }

    /// dfly(1, 3, 2, 3).
    #[test]
    fn local_links_are_read_counted_and_written() {
        let df = Dragonfly::new(1, 3, 2, 3).unwrap();
        let text = format!(
            "{HEADER}0,0,0,1,0,0\n2,0,local,2,1,local\n2,2,local,2,0,local\n2,1,local,2,2,local\n\
             2,1,local,2,0,local\n"
        );
        let topology = read(&df, &text).unwrap();
        let of = |low, high, links| LocalLinks {
            group: GroupId(2),
            low: SwitchIndex(low),
            high: SwitchIndex(high),
            links,
        };
        assert_eq!(topology.local_links(), [of(0, 1, 2), of(0, 2, 1), of(1, 2, 1)]);
        let written = write(&topology);
        assert_eq!(
            written,
            format!(
                "{HEADER}0,0,0,1,0,0\n2,0,local,2,1,local\n2,0,local,2,1,local\n\
                 2,0,local,2,2,local\n2,1,local,2,2,local\n"
            )
        );
        assert_eq!(read(&df, &written), Ok(topology));
        let error = |lines: &str| read(&df, &format!("{HEADER}{lines}")).unwrap_err().to_string();
        assert_eq!(
            error("1,0,local,1,2,local\n"),
            "group 1: no local link joins switches 0 and 1, and no third switch is linked to both; \
             accepted is a link or such a switch between every two switches with nodes of a group of \
             which a local link is listed; one other pair is apart, too"
        );
        let form = "; a local link is GROUP,SWITCH,local,GROUP,SWITCH,local";
        assert_eq!(
            error("1,0,local,1,2,1\n"),
            format!("line 2: to_port is \"1\", but the other port is local{form}")
        );
        assert_eq!(
            error("1,0,local,0,2,local\n"),
            format!("line 2: from_group is 1 and to_group is 0{form}")
        );
        assert_eq!(
            error("1,2,local,1,2,local\n"),
            format!("line 2: from_switch and to_switch are both 2{form}")
        );
        assert_eq!(error("1,3,local,1,2,local\n"), "line 2: from_switch is 3, but must be 0 to 2");
    }

    #[test]
    fn faults_of_the_wiring_are_named() {
        assert_eq!(
            error_below_header("0,0,0,1,0,0\n# c\n2,0,0,1,0,0\n"),
            "line 4: group 1, switch 0, global port 0 already has the cable of line 2; \
             a port takes one cable"
        );
        assert_eq!(
            error_below_header("1,1,0,1,0,0"),
            "line 2: a cable from group 1, switch 0, global port 0 to group 1, switch 1, \
             global port 0 stays within one group; a global cable joins two groups"
        );
        assert_eq!(
            error_below_header("1,1,0,1,1,0"),
            "line 2: a cable from group 1, switch 1, global port 0 to group 1, switch 1, \
             global port 0 stays within one group; a global cable joins two groups"
        );
    }

    #[test]
    fn lines_are_counted_whatever_their_ends() {
        for line_end in ["\n", "\r\n"] {
            let text = ["# a", HEADER.trim_end(), "", "0,0,0,1,0,0", "# b", "x,0,0,1,0,0"];
            for last in ["", line_end] {
                let text = text.join(line_end) + last;
                assert!(error(&text).starts_with("line 6: "), "{text:?}");
            }
        }
    }

    fn any_topology() -> impl Strategy<Value = Topology> {
        (1_u32..=6, 1_u32..=4)
            .prop_flat_map(|(a, h)| (Just(a), Just(h), 2..=a * h + 1))
            .prop_flat_map(|(a, h, g)| {
                let df = Dragonfly::new(1, a, h, g).unwrap();
                let arrangement = prop::sample::select(&Arrangement::ALL[..]);
                (arrangement, any::<u64>())
                    .prop_flat_map(move |(arrangement, seed)| {
                        let whole = arrange(df, arrangement, seed).unwrap();
                        let cables = whole.cables().to_vec();
                        let count = 0..=cables.len();
                        prop::sample::subsequence(cables, count)
                    })
                    .prop_map(move |cables| {
                        let ends = cables.into_iter().map(|cable| (cable.low, cable.high));
                        Topology::from_cables(df, ends).unwrap()
                    })
            })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(topology in any_topology()) {
            let text = write(&topology);
            prop_assert_eq!(read(topology.dragonfly(), &text), Ok(topology));
        }

        #[test]
        fn garbage_never_panics(text in any::<String>(), below in "[0-9,#\"\r\nx -]{0,60}") {
            let _ = read(&small(), &text);
            let _ = read(&small(), &format!("{HEADER}{text}"));
            let _ = read(&small(), &format!("{HEADER}{below}"));
        }

        #[test]
        fn a_spoilt_list_never_panics(
            topology in any_topology(),
            at in any::<prop::sample::Index>(),
            with in any::<char>(),
        ) {
            let mut text: Vec<char> = write(&topology).chars().collect();
            let at = at.index(text.len());
            text[at] = with;
            let text: String = text.into_iter().collect();
            let _ = read(topology.dragonfly(), &text);
        }
    }
}
