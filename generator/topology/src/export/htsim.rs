//! For the Dragonfly of HTSIM: its `dragonfly.topo`, and the host tables of source routing, one for each switch.
//!
//! HTSIM knows one wiring: a·h + 1 groups, and global port s of switch i leads i·h + s + 1 groups on. A path is two
//! numbers of switches. They are the first two hops while the packet is in the source's group, and the rest is MIN; so
//! a path can be expressed exactly if it is MIN after it leaves the group of its source.

use super::error::ExportError;
use super::wiring::Wiring;
use crate::routes::drawn::DrawnPaths;
use crate::routes::minimal;
use crate::routes::walk::Walk;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tvlb_schema::{Dragonfly, GroupId, SetRule, SwitchId, SwitchIndex};

const PROGRAM: &str = "HTSIM";

/// The name of the file of the wiring.
pub const TOPOLOGY_FILE: &str = "dragonfly.topo";
/// The directory of the host tables, which are called `SWITCH.lt`.
pub const TABLE_DIRECTORY: &str = "host_table";

/// The content of [`TOPOLOGY_FILE`].
///
/// # Errors
/// Dead switches, groups that differ, another number of groups, or cables that HTSIM lays differently.
pub fn htsim(wiring: &Wiring<'_>) -> Result<String, ExportError> {
    let df = wiring.dragonfly();
    wiring.expect_like_groups(PROGRAM, &BTreeSet::new())?;
    let (p, a, h, g, accepted) = (df.p(), df.a(), df.h(), df.g(), df.a() * df.h() + 1);
    if g != accepted {
        let found = format!("there are {g}");
        return Err(ExportError::refused(
            PROGRAM,
            "has a·h + 1 groups",
            found,
            accepted.to_string(),
        ));
    }
    for &switch in wiring.switches() {
        let far: BTreeSet<SwitchId> = wiring.links_of(switch).map(|link| link.far.switch).collect();
        if let Some(other) = (0..h).map(|slot| laid(df, switch, slot)).find(|to| !far.contains(to))
        {
            let [one, other] = [switch, other].map(|switch| wiring.names().named(switch));
            return Err(ExportError::refused(
                PROGRAM,
                format!("joins switches {one} and {other} by a cable"),
                "here they share none",
                "the wiring of the arrangement `relative`",
            ));
        }
    }
    Ok(format!(
        "# dfly({p}, {a}, {h}, {g}) for HTSIM. Speeds and latencies are HTSIM's own; lines such as\n\
         # Link_latency_global_ns 500 give others.\np {p}\na {a}\nh {h}\n"
    ))
}

/// The switch to which HTSIM lays the cable of a global port.
fn laid(df: &Dragonfly, switch: SwitchId, slot: u32) -> SwitchId {
    let (group, index) = df.place(switch);
    let (group, index) = (u32::from(group.0), u32::from(index.0));
    let group = u16::try_from((group + index * df.h() + slot + 1) % df.g());
    let index = u8::try_from(df.a() - 1 - index);
    df.switch(GroupId(group.expect("below g")), SwitchIndex(index.expect("below a")))
}

/// The host table of a switch of a wiring that HTSIM has: the MIN paths and the VLB paths of a set to every other
/// switch.
///
/// # Errors
/// A path that HTSIM cannot take, or paths that the set draws unequally.
pub fn host_table(
    wiring: &Wiring<'_>,
    rule: &SetRule,
    source: SwitchId,
) -> Result<String, ExportError> {
    let mut text = String::new();
    for &destination in wiring.switches().iter().filter(|&&other| other != source) {
        let DrawnPaths { min, vlb, .. } =
            DrawnPaths::new(wiring.topology(), rule, source, destination);
        if vlb.iter().any(|path| (path.probability - vlb[0].probability).abs() > f64::EPSILON) {
            let [from, to] = [source, destination].map(|switch| wiring.names().named(switch));
            return Err(ExportError::refused(
                PROGRAM,
                "knows no weights of paths",
                format!(
                    "the set draws some paths from switch {from} to switch {to} more often than others"
                ),
                "sets that are drawn by route",
            ));
        }
        let _ = writeln!(text, "{destination}");
        write_paths(wiring, &mut text, min.iter().map(|path| &path.switches))?;
        write_paths(wiring, &mut text, vlb.iter().map(|path| &path.switches))?;
    }
    Ok(text)
}

/// Paths by their hops: a line has the numbers of local and of global ones, and the headers of its paths.
fn write_paths<'p>(
    wiring: &Wiring<'_>,
    text: &mut String,
    paths: impl Iterator<Item = &'p Walk>,
) -> Result<(), ExportError> {
    let df = wiring.dragonfly();
    let mut headers: BTreeMap<[usize; 2], String> = BTreeMap::new();
    for walk in paths {
        let switches = walk.switches();
        let group = |place: usize| df.place(switches[place]).0;
        let global = (1..switches.len()).filter(|&hop| group(hop - 1) != group(hop)).count();
        let first = (1..switches.len()).find(|&place| group(place) != group(0));
        let is_min = |first: usize| {
            let rest = minimal::direct(wiring.topology(), switches[first], walk.last());
            first <= 2 && rest.iter().any(|path| path.walk.switches() == &switches[first..])
        };
        if !first.is_none_or(is_min) {
            return Err(ExportError::refused(
                PROGRAM,
                "goes by MIN from where a path enters the intermediate group",
                format!("the path {} does not", walk.in_words(df, wiring.names())),
                "sets of shapes with at most one local hop in the middle",
            ));
        }
        // If a path leaves the group with its first hop, or never, HTSIM does not read the second number.
        let second = if first == Some(2) { switches[2] } else { SwitchId(0) };
        let line = headers.entry([walk.hops() - global, global]).or_default();
        let _ = write!(line, " {} {second}", switches[1]);
    }
    for ([local, global], headers) in headers {
        let _ = writeln!(text, "{local} {global}{headers}");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
