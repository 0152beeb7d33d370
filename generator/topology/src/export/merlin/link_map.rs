//! The map has one entry for each global port of one group, and merlin wires every group by it. An entry is k·(g − 1) +
//! d: link number k of those to destination d. The group of d depends on the group in which the map is read: in the
//! reading `absolute` groups count from 0 without the own one, in the reading `relative` from the group after the own
//! one. Merlin joins the two ports of a pair of groups that have the same link number. So a map can express a wiring
//! exactly if each port has one destination in all groups, and the ports can be given link numbers that agree at the
//! two ends of every cable.

use super::super::error::ExportError;
use super::super::wiring::{Wiring, parts};
use std::collections::{BTreeMap, BTreeSet};
use tvlb_base::text::counted;
use tvlb_schema::{Dragonfly, End, GroupId};

pub(super) const PROGRAM: &str = "merlin";

/// How merlin finds the group that an entry of the map means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Groups count from 0, without the own one.
    Absolute,
    /// Groups count from the one after the own one.
    Relative,
}

impl Reading {
    /// The number of the group `to` in the map, as seen from the group `from`: 0 to g − 2.
    fn destination(self, df: &Dragonfly, from: GroupId, to: GroupId) -> usize {
        let (from, to) = (from.as_usize(), to.as_usize());
        match self {
            Self::Absolute if to < from => to,
            Self::Absolute => to - 1,
            Self::Relative => (to + df.g() as usize - from - 1) % df.g() as usize,
        }
    }
}

/// The entry of each global port of a group, `None` for those without a cable; or why no map can express the cables.
pub(super) fn entries(wiring: &Wiring<'_>, reading: Reading) -> Result<Vec<Option<usize>>, String> {
    let (df, topology) = (wiring.dragonfly(), wiring.topology());
    let far = |group, port| topology.peer(End { group, port }).map(|far| far.group);
    let destination = |group, port| Some(reading.destination(df, group, far(group, port)?));
    let in_words = |end: End| wiring.names().end_in_words(df, end);
    let mut entries = Vec::new();
    for port in df.global_ports() {
        let first = destination(GroupId(0), port);
        if let Some(other) = df.groups().find(|&group| destination(group, port) != first) {
            let [one, other] = [GroupId(0), other].map(|group| {
                let to = far(group, port).zip(destination(group, port));
                let to = to.map(|(far, destination)| {
                    let far = wiring.names().named_group(far);
                    format!("to group {far}, destination {destination} of the map")
                });
                let to = to.unwrap_or_else(|| "nowhere".to_owned());
                format!("{} leads {to}", in_words(End { group, port }))
            });
            return Err(format!("{one}, while {other}"));
        }
        entries.push(first);
    }
    // The two ports of a cable have the same link number, and so have all ports that cables join, in whatever groups.
    let cables = topology.cables();
    let joined = cables.iter().map(|cable| [cable.low, cable.high].map(|end| end.port.as_usize()));
    let parts = parts(entries.len(), joined);
    // Joined ports of two parts have the same destinations, unless there is a conflict, so parts with the same least
    // destination take the numbers from 0.
    let mut least: BTreeMap<usize, usize> = BTreeMap::new();
    for (part, destination) in parts.iter().zip(&entries).filter_map(|(&p, d)| Some((p, (*d)?))) {
        let known = least.entry(part).or_insert(destination);
        *known = destination.min(*known);
    }
    let (mut taken, mut numbers) = (BTreeSet::new(), BTreeMap::new());
    let mut next: BTreeMap<usize, usize> = BTreeMap::new();
    for (port, entry) in entries.iter_mut().enumerate() {
        let Some(destination) = *entry else { continue };
        let number = *numbers.entry(parts[port]).or_insert_with(|| {
            let next = next.entry(least[&parts[port]]).or_default();
            *next += 1;
            *next - 1
        });
        if !taken.insert((destination, number)) {
            let is_at = |end: End| end.port.as_usize() == port;
            let mut at = cables.iter().filter(|cable| is_at(cable.low) || is_at(cable.high));
            let cable = at.next().expect("a port with a destination has a cable");
            return Err(format!(
                "the cable from {} to {} gives its two ports one link number, and so two ports with the same \
                 destination would have the same number",
                in_words(cable.low),
                in_words(cable.high)
            ));
        }
        *entry = Some(number * (df.g() as usize - 1) + destination);
    }
    Ok(entries)
}

/// The entries in the ports that merlin gives each router. A port keeps its place, unless its router has fewer places
/// than that; then the cables of the router move together.
pub(super) fn in_ports(
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
