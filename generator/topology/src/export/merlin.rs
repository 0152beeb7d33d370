//! For the topology `topoDragonFly` of SST's merlin: lines of Python with its sizes and its
//! `global_link_map`.
//!
//! The map has one entry for each global port of one group, and merlin wires every group by it. An
//! entry is k·(g − 1) + d: link number k of those to destination d. What group d is depends on the
//! group in which the map is read: in the reading `absolute` groups count from 0 without the own one,
//! in the reading `relative` from the group after the own one. Merlin joins the two ports of a pair of
//! groups that have the same link number. So a map can say a wiring exactly when each port has one
//! destination in all groups, and the ports can be given link numbers that agree at the two ends of
//! every cable.

use super::error::{ExportError, MapConflict, PortTarget};
use super::like_groups::{expect_like_groups, expect_live_switches, expect_plain_groups};
use crate::Topology;
use std::collections::BTreeSet;
use std::fmt;
use tvlb_schema::End;
use tvlb_schema::{Dragonfly, GroupId};
use tvlb_table_set::names::{NamedPort, Names};

/// How merlin finds the group that an entry of the map means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Groups count from 0, without the own one.
    Absolute,
    /// Groups count from the one after the own one.
    Relative,
}

/// A wiring for merlin; its `Display` is the text in Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merlin {
    dragonfly: Dragonfly,
    pub reading: Reading,
    /// Links between every two groups.
    pub intergroup_links: usize,
    /// Global ports of a router, which merlin computes by itself.
    pub ports_per_router: usize,
    /// One entry for each global port of a group, router by router.
    pub global_link_map: Vec<Option<usize>>,
}

/// The wiring for merlin: in the reading `absolute`, merlin's default, if that can say it.
///
/// # Errors
/// A dead switch, groups or switches that differ, two switches of a group that do not share exactly one link, pairs of groups with
/// different numbers of links, a switch with more cables than merlin has ports for, or cables that no
/// map says.
pub fn merlin(topology: &Topology, names: &Names) -> Result<Merlin, ExportError> {
    let df = topology.dragonfly();
    expect_live_switches(topology, names, "merlin")?;
    expect_like_groups(df, names, "merlin")?;
    expect_plain_groups(topology, names, &BTreeSet::new(), "merlin")?;
    let intergroup_links = equal_links(topology, names)?;
    let absolute = match entries(topology, names, Reading::Absolute) {
        Ok(entries) => return in_ports(df, Reading::Absolute, intergroup_links, &entries),
        Err(conflict) => conflict,
    };
    match entries(topology, names, Reading::Relative) {
        Ok(entries) => in_ports(df, Reading::Relative, intergroup_links, &entries),
        Err(relative) => Err(ExportError::NoCommonMap { absolute, relative }),
    }
}

/// The number of links that every two groups share.
fn equal_links(topology: &Topology, names: &Names) -> Result<usize, ExportError> {
    let df = topology.dragonfly();
    let pairs = || {
        let later = |i: GroupId| df.groups().filter(move |&j| i < j);
        let count = |i, j| (i, j, topology.links(i, j).len());
        df.groups().flat_map(move |i| later(i).map(move |j| count(i, j)))
    };
    let least = pairs().min_by_key(|&(_, _, links)| links).expect("there are two groups or more");
    // The first of several, as above.
    let most = pairs().fold(least, |most, pair| if pair.2 > most.2 { pair } else { most });
    match (least.2, most.2) {
        (0, 0) => Err(ExportError::NoLinks),
        (one, other) if one == other => Ok(one),
        _ => {
            let [least, most] = [least, most]
                .map(|(i, j, links)| Box::new((names.named_group(i), names.named_group(j), links)));
            Err(ExportError::UnequalLinks { least, most })
        }
    }
}

/// What the map calls the group `to`, as seen from the group `from`: 0 to g − 2.
fn destination(reading: Reading, df: &Dragonfly, from: GroupId, to: GroupId) -> u32 {
    let (from, to) = (u32::from(from.0), u32::from(to.0));
    match reading {
        Reading::Absolute if to < from => to,
        Reading::Absolute => to - 1,
        Reading::Relative => (to + df.g() - from - 1) % df.g(),
    }
}

/// The entry of each global port of a group; none for those without a cable.
fn entries(
    topology: &Topology,
    names: &Names,
    reading: Reading,
) -> Result<Vec<Option<usize>>, MapConflict> {
    let df = topology.dragonfly();
    let destinations = destinations(topology, names, reading)?;
    let slices = link_numbers(topology, names, &destinations)?;
    let others = df.g() as usize - 1;
    let entry =
        |(destination, slice): (&Option<usize>, usize)| Some(slice * others + (*destination)?);
    Ok(destinations.iter().zip(slices).map(entry).collect())
}

/// The destination of each port of a group, where it is the same in all groups.
fn destinations(
    topology: &Topology,
    names: &Names,
    reading: Reading,
) -> Result<Vec<Option<usize>>, MapConflict> {
    let df = topology.dragonfly();
    let target = |group, port| {
        let far = topology.peer(End { group, port })?.group;
        Some((far, destination(reading, df, group, far)))
    };
    let number = |group, port| target(group, port).map(|(_, destination)| destination as usize);
    let in_words = |group, port| match target(group, port) {
        None => PortTarget::Nowhere,
        Some((group, destination)) => {
            PortTarget::Group { group: names.named_group(group), destination }
        }
    };
    let first = GroupId(0);
    df.global_ports()
        .map(|port| {
            let one = number(first, port);
            match df.groups().find(|&group| number(group, port) != one) {
                None => Ok(one),
                Some(group) => {
                    let (index, slot) = df.split_port(port);
                    let [one, other] = [first, group].map(|group| {
                        Box::new((place(df, names, End { group, port }), in_words(group, port)))
                    });
                    Err(MapConflict::Port { index, slot, one, other })
                }
            }
        })
        .collect()
}

/// Where a port of a known index and slot is: "group 3", with the names of the group, the switch and the
/// port where there are any.
fn place(df: &Dragonfly, names: &Names, end: End) -> String {
    let (index, slot) = df.split_port(end.port);
    let switch = df.switch(end.group, index);
    let port = names.port(switch, NamedPort::Global(slot));
    let mut called = Vec::new();
    called.extend(names.switch(switch).map(|name| format!("switch {name}")));
    called.extend(port.map(|port| format!("port {}", port.name)));
    let called =
        if called.is_empty() { String::new() } else { format!(" ({})", called.join(", ")) };
    format!("group {}{called}", names.named_group(end.group))
}

/// The link number of each port, so that the two ports of every cable have the same one and no two
/// ports of a destination have the same one; 0 for ports without a cable.
fn link_numbers(
    topology: &Topology,
    names: &Names,
    destinations: &[Option<usize>],
) -> Result<Vec<usize>, MapConflict> {
    let df = topology.dragonfly();
    // Ports that cables join, in whatever groups, have one link number. `above` leads from each to the
    // least of them.
    let mut above: Vec<usize> = (0..destinations.len()).collect();
    for cable in topology.cables() {
        let one = root(&mut above, cable.low.port.as_usize());
        let other = root(&mut above, cable.high.port.as_usize());
        above[one.max(other)] = one.min(other);
    }
    // Joined ports of two such sets have the same destinations, unless there is a conflict, so sets
    // with the same least destination take the numbers from 0.
    let mut least = vec![usize::MAX; destinations.len()];
    for (port, destination) in destinations.iter().enumerate() {
        if let Some(destination) = *destination {
            let root = root(&mut above, port);
            least[root] = least[root].min(destination);
        }
    }
    let others = df.g() as usize - 1;
    let mut next = vec![0; others];
    let mut of_root = vec![None; destinations.len()];
    let mut taken = BTreeSet::new();
    let mut numbers = vec![0; destinations.len()];
    for (port, destination) in destinations.iter().enumerate() {
        let Some(destination) = *destination else { continue };
        let root = root(&mut above, port);
        let number = *of_root[root].get_or_insert_with(|| {
            let next = &mut next[least[root]];
            *next += 1;
            *next - 1
        });
        if !taken.insert((destination, number)) {
            return Err(conflict_at(topology, names, port));
        }
        numbers[port] = number;
    }
    Ok(numbers)
}

/// The least port that is joined to this one.
fn root(above: &mut [usize], mut port: usize) -> usize {
    while above[port] != port {
        above[port] = above[above[port]];
        port = above[port];
    }
    port
}

/// Names the first cable at this port of some group.
fn conflict_at(topology: &Topology, names: &Names, port: usize) -> MapConflict {
    let df = topology.dragonfly();
    let is_at = |end: End| end.port.as_usize() == port;
    let cable = topology.cables().iter().find(|cable| is_at(cable.low) || is_at(cable.high));
    let cable = cable.expect("a port with a destination has a cable");
    MapConflict::Slice {
        low: names.end_in_words(df, cable.low),
        high: names.end_in_words(df, cable.high),
    }
}

/// Puts the entries in the ports that merlin gives each router. A port keeps its place, unless its
/// router has fewer places than that; then the cables of the router move together.
fn in_ports(
    df: &Dragonfly,
    reading: Reading,
    intergroup_links: usize,
    entries: &[Option<usize>],
) -> Result<Merlin, ExportError> {
    let links = (df.g() as usize - 1) * intergroup_links;
    let ports_per_router = links.div_ceil(df.a() as usize);
    let mut global_link_map = Vec::new();
    for index in df.indices(GroupId(0)) {
        let first = df.global_port(index, 0).as_usize();
        let own = &entries[first..first + df.h() as usize];
        let mut ports: Vec<Option<usize>> = own.to_vec();
        if own.iter().skip(ports_per_router).any(Option::is_some) {
            ports.retain(Option::is_some);
        }
        if ports.iter().skip(ports_per_router).any(Option::is_some) {
            return Err(ExportError::TooManyCables {
                index,
                found: ports.len(),
                links,
                routers: df.a(),
                accepted: ports_per_router,
            });
        }
        ports.resize(ports_per_router, None);
        global_link_map.extend(ports);
    }
    let dragonfly = *df;
    Ok(Merlin { dragonfly, reading, intergroup_links, ports_per_router, global_link_map })
}

impl fmt::Display for Merlin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let df = &self.dragonfly;
        let (p, a, h, g) = (df.p(), df.a(), df.h(), df.g());
        writeln!(
            f,
            "# dfly({p}, {a}, {h}, {g}) for SST's merlin. Routers, latencies, the routing algorithm and"
        )?;
        writeln!(
            f,
            "# everything else are left to you. Router r of group G is switch {a} * G + r."
        )?;
        if self.reading == Reading::Relative {
            writeln!(
                f,
                "# Let merlin's dragonfly.cc read this map as relative too. Where it looks for a parameter"
            )?;
            writeln!(
                f,
                "# global_route_mode, which topoDragonFly does not set, it routes by the absolute reading."
            )?;
        }
        writeln!(f, "from sst.merlin.topology import topoDragonFly\n")?;
        writeln!(f, "topo = topoDragonFly()")?;
        writeln!(f, "topo.hosts_per_router = {p}")?;
        writeln!(f, "topo.routers_per_group = {a}")?;
        writeln!(f, "topo.intergroup_links = {}", self.intergroup_links)?;
        writeln!(f, "topo.num_groups = {g}")?;
        let reading = match self.reading {
            Reading::Absolute => "Absolute",
            Reading::Relative => "Relative",
        };
        writeln!(f, "topo.setRoutingMode{reading}()")?;
        writeln!(f, "# one line for each router of a group; -1 is a port without a cable")?;
        writeln!(f, "topo.global_link_map = [")?;
        for ports in self.global_link_map.chunks(self.ports_per_router) {
            f.write_str("   ")?;
            for entry in ports {
                match entry {
                    Some(entry) => write!(f, " {entry},")?,
                    None => f.write_str(" -1,")?,
                }
            }
            writeln!(f)?;
        }
        writeln!(f, "]")
    }
}

#[cfg(test)]
mod tests;
