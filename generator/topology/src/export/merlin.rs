//! For the topology `topoDragonFly` of SST's merlin: lines of Python with its sizes and its
//! `global_link_map`.
//!
//! `link_map` says which wirings such a map can express.

use super::error::ExportError;
use super::wiring::Wiring;
use link_map::{Reading, entries};
use std::collections::BTreeSet;
use tvlb_base::text::counted;
use tvlb_schema::Dragonfly;

mod link_map;

const PROGRAM: &str = "merlin";

/// The text in Python for merlin: in the reading `absolute`, merlin's default, if that can express the wiring.
///
/// # Errors
/// A dead switch, groups or switches that differ, two switches of a group that do not share exactly one link, pairs of
/// groups with different numbers of links, a switch with more cables than merlin has ports for, or cables that no map
/// can express.
pub fn merlin(wiring: &Wiring<'_>) -> Result<String, ExportError> {
    wiring.expect_like_groups(PROGRAM, &BTreeSet::new())?;
    let links = equal_links(wiring)?;
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

/// The number of links that every two groups share.
fn equal_links(wiring: &Wiring<'_>) -> Result<usize, ExportError> {
    let topology = wiring.topology();
    let (least, most) = topology.links_per_pair();
    if least == most && most > 0 {
        return Ok(most);
    }
    let share = |links: usize| {
        let pair = topology.live_pairs().find(|&(i, j)| topology.links(i, j).len() == links);
        let (i, j) = pair.expect("some pair has the least and some the most");
        let [i, j] = [i, j].map(|group| wiring.names().named_group(group));
        format!("groups {i} and {j} share {links}")
    };
    let found = if most == 0 {
        "no two share any".to_owned()
    } else {
        share(least) + " and " + &share(most)
    };
    Err(ExportError::refused(
        PROGRAM,
        "joins every two groups by the same number of links",
        found,
        "one number, at least 1, for all pairs of groups",
    ))
}

/// The entries in the ports that merlin gives each router. A port keeps its place, unless its router has fewer places
/// than that; then the cables of the router move together.
fn in_ports(
    df: &Dragonfly,
    intergroup_links: usize,
    entries: &[Option<usize>],
) -> Result<Vec<Vec<Option<usize>>>, ExportError> {
    let links = (df.g() as usize - 1) * intergroup_links;
    let accepted = links.div_ceil(df.a() as usize);
    let of_router = |(index, own): (usize, &[Option<usize>])| {
        let mut ports = own.to_vec();
        if own.iter().skip(accepted).any(Option::is_some) {
            ports.retain(Option::is_some);
        }
        if ports.iter().skip(accepted).any(Option::is_some) {
            let of = |count: usize, what| counted(count as u64, what);
            return Err(ExportError::refused(
                PROGRAM,
                format!(
                    "spreads the {} of a group over its {}",
                    of(links, "link"),
                    of(df.a() as usize, "router")
                ),
                format!("switch {index} of each group has {}", of(ports.len(), "global cable")),
                format!("at most {accepted}"),
            ));
        }
        ports.resize(accepted, None);
        Ok(ports)
    };
    entries.chunks(df.h() as usize).enumerate().map(of_router).collect()
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
