//! For the topology `topoDragonFly` of SST's merlin: lines of Python with its sizes and its
//! `global_link_map`.
//!
//! `link_map` says which wirings such a map can express.

use super::error::ExportError;
use super::wiring::Wiring;
use link_map::{PROGRAM, Reading, entries, in_ports};
use std::collections::BTreeSet;
use tvlb_schema::Dragonfly;

mod link_map;

/// The text in Python for merlin: in the reading `absolute`, merlin's default, if that can express the wiring.
///
/// # Errors
/// A dead switch, groups or switches that differ, two switches of a group that do not share exactly one link, pairs of
/// groups with different numbers of links, a switch with more cables than merlin has ports for, or cables that no map
/// can express.
pub fn merlin(wiring: &Wiring<'_>) -> Result<String, ExportError> {
    wiring.expect_like_groups(PROGRAM, &BTreeSet::new())?;
    let links = wiring.expect_equal_pairs(PROGRAM)?;
    let written = |reading, entries: &[Option<usize>]| {
        Ok(text(wiring.dragonfly(), reading, links, &in_ports(wiring.dragonfly(), links, entries)?))
    };
    let absolute = match entries(wiring, Reading::Absolute) {
        Ok(entries) => return written(Reading::Absolute, &entries),
        Err(conflict) => conflict,
    };
    match entries(wiring, Reading::Relative) {
        Ok(entries) => written(Reading::Relative, &entries),
        Err(relative) => Err(ExportError::refused(
            PROGRAM,
            "wires all groups by one global_link_map",
            format!(
                "none says these cables: in the reading `absolute` {absolute}; in the reading `relative` {relative}"
            ),
            "cables that one map says in every group",
        )),
    }
}

/// The text of a map, which has the ports of each router of a group.
fn text(df: &Dragonfly, reading: Reading, links: usize, map: &[Vec<Option<usize>>]) -> String {
    let (p, a, h, g) = (df.p(), df.a(), df.h(), df.g());
    let note = match reading {
        Reading::Absolute => "",
        Reading::Relative => {
            "# Let merlin's dragonfly.cc read this map as relative too. Where it looks for a parameter\n\
             # global_route_mode, which topoDragonFly does not set, it routes by the absolute reading.\n"
        }
    };
    let entry =
        |entry: &Option<usize>| entry.map_or(" -1,".to_owned(), |entry| format!(" {entry},"));
    let line = |ports: &Vec<_>| format!("   {}\n", ports.iter().map(entry).collect::<String>());
    let lines: String = map.iter().map(line).collect();
    format!(
        "# dfly({p}, {a}, {h}, {g}) for SST's merlin. Routers, latencies, the routing algorithm and\n\
         # everything else are left to you. Router r of group G is switch {a} * G + r.\n\
         {note}from sst.merlin.topology import topoDragonFly\n\n\
         topo = topoDragonFly()\n\
         topo.hosts_per_router = {p}\n\
         topo.routers_per_group = {a}\n\
         topo.intergroup_links = {links}\n\
         topo.num_groups = {g}\n\
         topo.setRoutingMode{reading:?}()\n\
         # one line for each router of a group; -1 is a port without a cable\n\
         topo.global_link_map = [\n{lines}]\n"
    )
}

#[cfg(test)]
mod tests;
