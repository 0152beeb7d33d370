//! The output of `ibnetdiscover` for an InfiniBand network: from its text to records.
//!
//! A record is a line that names a switch, a channel adapter or a router, and a line for each of its ports with a link.
//! `records.rs` reads them, `links.rs` joins the two ends of each link, and `groups.rs` finds groups.

mod groups;
mod links;
mod natural;
mod network;
mod parse;
mod records;
mod roots;

use crate::files::MOST_DUMP_LINE_BYTES;
use crate::machine::{
    ImportedSwitch, LinkEnd, Machine, NameList, Physical, PortNames, SwitchLink, count,
};
use crate::notes::{NameSample, Notes, counted};
use natural::natural;
use network::{Record, Subnet};
use parse::{DumpLine, Role};
use records::read_records;
use std::collections::{BTreeMap, HashMap};
use std::iter;
use tvlb_base::text::{Lines, NamedText, Refused};

pub use groups::Grouping;
pub use roots::Roots;

/// The machine that the text describes.
///
/// # Errors
/// The first thing that is wrong, with its line.
pub(crate) fn read(
    source: NamedText<'_>,
    grouping: &Grouping,
) -> Result<(Machine, Notes), Refused> {
    grouping.check()?;
    let network = read_records(source)?;
    let joined = links::join(&network)?;
    let mut notes = Notes::default();
    let groups = groups::find(&network, &joined, grouping, &mut notes)?;
    say_what_was_read(&network, &joined, &mut notes);

    let names = switch_names(&network, &joined, &mut notes);
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_cached_key(|&switch| natural(&names[switch]));
    // Groups by structure have no names of their own: they are called by their first switch.
    let named = groups::name(groups, &order, &names);
    let mut switches: Vec<ImportedSwitch> = (names.into_iter().zip(named.of_switch))
        .map(|(name, group)| ImportedSwitch { name, group, rank: 0 })
        .collect();
    for (rank, switch) in order.into_iter().enumerate() {
        switches[switch].rank = count(rank);
    }
    let mut node_names = NameList::default();
    for name in links::node_names(&network, &joined) {
        node_names.push(&name);
    }
    let machine = Machine {
        ports: PortNames::Numbers,
        groups: named.names,
        switches,
        nodes: joined.nodes,
        node_names,
        links: joined.links,
        physical: Physical::Same,
        down: Vec::new(),
    };
    say_slow_links(&network, &joined.switches, &machine, &mut notes);
    Ok((machine, notes))
}

/// Whether the text is an output of `ibnetdiscover`: whether it has the first line of a record, whatever precedes it,
/// so that the reader of such texts reports what it does not understand.
pub(crate) fn is_one(source: NamedText<'_>) -> Result<bool, Refused> {
    let mut lines = Lines::with_limit(source, MOST_DUMP_LINE_BYTES);
    while let Some(line) = lines.next_line()? {
        if let Ok(DumpLine::Record { .. }) = parse::line(line) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The names of the two ports of every link between switches.
pub(crate) fn link_names(source: NamedText<'_>) -> Result<Vec<[String; 2]>, Refused> {
    let network = read_records(source)?;
    let joined = links::join(&network)?;
    let switches = switch_names(&network, &joined, &mut Notes::default());
    let name = |end: LinkEnd| PortNames::Numbers.of(&switches[end.switch as usize], end.port);
    Ok(joined.links.iter().map(|link| link.ends.map(name)).collect())
}

fn say_what_was_read(network: &Subnet, joined: &links::SwitchGraph, notes: &mut Notes) {
    let of = |kind| {
        let records = network.devices.iter().filter_map(|device| device.record.as_ref());
        records.filter(|record| record.kind == kind).count()
    };
    notes.read = format!(
        "1 file: {}, {}, {}",
        counted(of(Role::Switch), "switch", "switches"),
        counted(of(Role::Adapter), "channel adapter", "channel adapters"),
        counted(of(Role::Router), "router", "routers"),
    );
    let assumed = &mut notes.assumed;
    assumed.push(
        "ibnetdiscover does not number the switches of a group: they are numbered in the order of \
         their names, in which a number counts as a number. This is a convention."
            .to_owned(),
    );
    assumed.push(
        "A port of a channel adapter or router with a link is one node. A link that is down is \
         missing from the file, so that it counts as one that was never planned."
            .to_owned(),
    );
    say_rates(network, joined, notes);
    let assumed = &mut notes.assumed;
    if joined.aggregation.count() > 0 {
        assumed.push(format!(
            "Channel adapters whose descriptions call them aggregation nodes were left out ({}): {}.",
            joined.aggregation.count(),
            joined.aggregation.in_words()
        ));
    }
    if of(Role::Router) > 0 {
        assumed.push("Routers count as nodes.".to_owned());
    }
    if network.bare_routers.count() > 0 {
        assumed.push(format!(
            "Routers without a record of their own were taken from the lines that lead to them ({}): {}.",
            network.bare_routers.count(),
            network.bare_routers.in_words()
        ));
    }
}

/// Reports how wide and fast the links between switches are, which makes no difference to tables.
fn say_rates(network: &Subnet, joined: &links::SwitchGraph, notes: &mut Notes) {
    let rated = rated_links(network, &joined.switches, &joined.links);
    let rates = count_rates(rated.iter().map(|(_, rate)| *rate));
    let rates: Vec<String> =
        rates.iter().map(|(rate, links)| format!("{rate} ({links})")).collect();
    if rates.is_empty() {
        return;
    }
    let sentence = format!(
        "The widths and speeds of links are not used; those of the links between switches are {}.",
        rates.join(", ")
    );
    if rates.len() > 1 {
        notes.warnings.push(sentence);
    } else {
        notes.assumed.push(sentence);
    }
}

/// Lists the links that are slower than most within groups, or than most between groups. `switches` has the
/// device of each switch.
fn say_slow_links(network: &Subnet, switches: &[u32], machine: &Machine, notes: &mut Notes) {
    let all = rated_links(network, switches, &machine.links);
    for (what, is_local) in [("within groups", true), ("between groups", false)] {
        let rated = || all.iter().filter(|(link, _)| machine.is_local(link) == is_local);
        let counts = count_rates(rated().map(|(_, rate)| *rate));
        let usual = counts.iter().max_by_key(|&(rate, count)| (count, rate)).map(|(rate, _)| *rate);
        let Some((usual, least)) = usual.and_then(|usual| Some((usual, megabits(usual)?))) else {
            continue;
        };
        let slow = rated().filter(|(_, rate)| megabits(rate).is_some_and(|rate| rate < least));
        let slow = NameSample::of(
            slow.map(|(link, rate)| format!("{} {rate}", machine.link_name(link.ends))),
        );
        if slow.count() > 0 {
            notes.warnings.push(format!(
                "{} slower than most {what}, which are {usual}: {}.",
                counted(slow.count(), "link is", "links are"),
                slow.in_words()
            ));
        }
    }
}

/// The links whose width and speed the text states. `switches` has the device of each switch.
fn rated_links<'n, 'l>(
    network: &'n Subnet,
    switches: &[u32],
    links: &'l [SwitchLink],
) -> Vec<(&'l SwitchLink, &'n str)> {
    let ports = network.rates.iter().flat_map(|(rate, ports)| ports.iter().zip(iter::repeat(rate)));
    let rates: HashMap<&(u32, u32), &String> = ports.collect();
    let rated = links.iter().filter_map(|link| {
        let end = link.ends[0];
        let rate = rates.get(&(switches[end.switch as usize], end.port))?;
        Some((link, rate.as_str()))
    });
    rated.collect()
}

/// How often each of these occurs, in order.
fn count_rates<'n>(rates: impl Iterator<Item = &'n str>) -> BTreeMap<&'n str, usize> {
    let mut counts = BTreeMap::new();
    rates.for_each(|rate| *counts.entry(rate).or_default() += 1);
    counts
}

/// The rate of a width and a speed such as 4xHDR, in Mbit/s; `None` for an unknown speed.
fn megabits(rate: &str) -> Option<u32> {
    let (width, speed) = rate.split_once('x')?;
    let lane = match speed {
        "SDR" => 2_500,
        "DDR" => 5_000,
        "QDR" => 10_000,
        "FDR10" => 10_313,
        "FDR" => 14_063,
        "EDR" => 25_781,
        "HDR" => 53_125,
        "NDR" => 106_250,
        "XDR" => 212_500,
        _ => return None,
    };
    width.parse::<u32>().ok()?.checked_mul(lane)
}

/// The descriptions of switches, or their ids if several share one or have none.
fn switch_names(network: &Subnet, joined: &links::SwitchGraph, notes: &mut Notes) -> Vec<String> {
    let device = |number: &u32| &network.devices[*number as usize];
    let description =
        |number| device(number).record.as_ref().map_or("", |record: &Record| &*record.description);
    let mut uses: HashMap<&str, u32> = HashMap::new();
    for number in &joined.switches {
        *uses.entry(description(number)).or_default() += 1;
        // An id is never another switch's description.
        *uses.entry(&device(number).id).or_default() += 1;
    }
    let mut by_id = NameSample::default();
    let names = joined.switches.iter().map(|number| match description(number) {
        name if !name.is_empty() && uses[name] == 1 => name.to_owned(),
        _ => {
            by_id.push(|| device(number).id.clone());
            device(number).id.clone()
        }
    });
    let names = names.collect();
    if by_id.count() > 0 {
        notes.assumed.push(format!(
            "Switches without a description of their own are named by their ids ({}): {}.",
            by_id.count(),
            by_id.in_words()
        ));
    }
    names
}
