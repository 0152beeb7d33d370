//! Finds the dead parts of a fabric from the list of live links, given by the names of their ports.

use super::LinkPlan;
use crate::miscabled::{Miscabled, Nearness, in_lines, miscabled, things};
use crate::names::{NamedPort, Names, PartError, Parts, jack_of};
use std::collections::BTreeSet;
use tvlb_schema::{Dragonfly, End, FaultSet, LocalLink, SwitchId};

/// Why a list of live links does not fit a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LiveError {
    #[error(
        "{port} has no name in the list of names, by which links are held against the plan; accepted is a list of names with a name for every port that has a link"
    )]
    NoName { port: String },
    #[error("it names the link {link}, but the list of names has no port {port}")]
    NoPort { link: String, port: String },
    #[error("it names a port that the list of names does not tell from others: {0}")]
    Several(PartError),
    #[error("{} not as planned; nothing was made of it:{}", things(.0.len()), in_lines(.0))]
    Miscabled(Vec<String>),
}

/// A link of the plan, as in a fault set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PlannedLink {
    Cable(End),
    Local(LocalLink),
}

/// All dead parts of a plan if only these links, each named by its two ports, are live: every other link, and instead
/// of its links a switch that has no live link.
///
/// # Errors
/// A live link that is not in the plan, or a planned one whose ports have no names.
///
/// # Example
/// ```
/// use tvlb_table_set::dead_parts::dead_but;
/// use tvlb_table_set::names::Names;
/// use tvlb_schema::{Dragonfly, End, FabricImage, GlobalPort, GroupId, encode_fabric_image};
///
/// // Two groups of one switch, and two cables between them.
/// let df = Dragonfly::new(1, 1, 2, 2)?;
/// let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
/// let cables = [(end(0, 0), end(1, 0)), (end(0, 1), end(1, 1))];
/// let image = encode_fabric_image(&df, &cables);
/// let plan = FabricImage::decode(&image)?;
/// let list = "group,switch,port,name,physical\n\
///     0,0,global 0,a0,\n0,0,global 1,a1,\n1,0,global 0,b0,\n1,0,global 1,b1,\n";
/// let names = Names::read(&df, list)?;
///
/// let live = [["b0".to_owned(), "a0".to_owned()]];
/// let dead = dead_but(&live, &plan, &names)?;
/// assert_eq!(dead.cables, [end(0, 1)].into());
/// let crossed = [["a0".to_owned(), "b1".to_owned()]];
/// assert!(dead_but(&crossed, &plan, &names).unwrap_err().to_string().contains("leads to b0"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn dead_but<'l>(
    live: impl IntoIterator<Item = &'l [String; 2]>,
    plan: &dyn LinkPlan,
    names: &Names,
) -> Result<FaultSet, LiveError> {
    let df = plan.dragonfly();
    let parts = Parts::new(df, names);
    let find = |name: &str| parts.port(name).map_err(LiveError::Several);
    let (mut alive, mut found, mut is_known) = (BTreeSet::new(), Vec::new(), true);
    for ends in live {
        let [one, other] = [find(&ends[0])?, find(&ends[1])?];
        let of_plan = one.and_then(|one| link_at(plan, one)).filter(|(_, far)| Some(*far) == other);
        alive.extend(of_plan.map(|(link, _)| link));
        is_known &= of_plan.is_some();
        found.push(ends.clone());
    }
    let mut dead = FaultSet::default();
    let mut used: BTreeSet<SwitchId> = BTreeSet::new();
    let mut left: BTreeSet<(PlannedLink, [SwitchId; 2])> = BTreeSet::new();
    let mut planned = Vec::new();
    for (switch, port) in df.switches().flat_map(|switch| ports(plan, switch)) {
        let Some((link, (far, far_port))) = link_at(plan, (switch, port)) else { continue };
        let one = name_of(df, names, (switch, port))?;
        let other = name_of(df, names, (far, far_port))?;
        if !is_known {
            planned.push([one.to_owned(), other.to_owned()]);
        }
        if alive.contains(&link) {
            used.extend([switch, far]);
        } else {
            left.insert((link, [switch.min(far), switch.max(far)]));
        }
    }
    if !is_known {
        return Err(wrong(df, names, &found, &planned));
    }
    for (link, ends) in left {
        let mut unused = ends.into_iter().filter(|end| !used.contains(end)).peekable();
        if unused.peek().is_some() {
            dead.switches.extend(unused);
            continue;
        }
        match link {
            PlannedLink::Cable(end) => dead.cables.insert(end),
            PlannedLink::Local(link) => dead.local_links.insert(link),
        };
    }
    Ok(dead)
}

/// The error if some live link is not in the plan, each link by the names of its ports.
fn wrong(
    df: &Dragonfly,
    names: &Names,
    found: &[[String; 2]],
    planned: &[[String; 2]],
) -> LiveError {
    let known: BTreeSet<&String> = planned.iter().flatten().collect();
    if let Some([one, other]) = found.first()
        && !found.iter().flatten().any(|port| known.contains(port))
    {
        return LiveError::NoPort { link: format!("{one}-{other}"), port: one.clone() };
    }
    // Ports of one jack are named by the jack, unless the error is within a jack.
    let jack = |port: &String| jack_of(port).unwrap_or(port).to_owned();
    let links = |all: &[[String; 2]], name: &dyn Fn(&String) -> String| -> Vec<[String; 2]> {
        all.iter().map(|ends| ends.each_ref().map(name)).collect()
    };
    let parts = Parts::new(df, names);
    let switch_of = |end: &String| {
        let port = parts.port(end).ok().flatten();
        let port = port.or_else(|| parts.ports_of_jack(end).next().map(|(_, port)| port));
        port.map(|(switch, _)| switch)
    };
    let nearness = |one: &String, other: &String| match [one, other].map(switch_of) {
        [Some(one), Some(other)] => Nearness::of(df, names, [one, other]),
        _ => Nearness::Elsewhere,
    };
    let of = |name: &dyn Fn(&String) -> String| {
        let wrong = miscabled(links(planned, name), links(found, name), nearness);
        // Missing links are dead, which is not an error.
        let is_wrong = |one: &&Miscabled<String>| !matches!(one, Miscabled::Missing(_));
        wrong.iter().filter(is_wrong).map(|one| one.in_words(String::clone)).collect::<Vec<_>>()
    };
    let by_jack = of(&jack);
    LiveError::Miscabled(if by_jack.is_empty() { of(&String::clone) } else { by_jack })
}

/// The ports of a switch that can have links to other switches.
fn ports(plan: &dyn LinkPlan, switch: SwitchId) -> impl Iterator<Item = (SwitchId, NamedPort)> {
    let df = plan.dragonfly();
    let (group, own) = df.place(switch);
    let locals = df.indices(group).filter(move |&other| other != own).flat_map(move |other| {
        let links = u16::try_from(plan.links_within(group, own, other)).unwrap_or(u16::MAX);
        (0..links).map(move |number| NamedPort::Local(other, number))
    });
    let globals = (0..df.kind_of(group).h).map(NamedPort::Global);
    locals.chain(globals).map(move |port| (switch, port))
}

/// The link at a port, and the port at its other end.
fn link_at(
    plan: &dyn LinkPlan,
    (switch, port): (SwitchId, NamedPort),
) -> Option<(PlannedLink, (SwitchId, NamedPort))> {
    let df = plan.dragonfly();
    let (group, own) = df.place(switch);
    match port {
        NamedPort::Node(_) => None,
        NamedPort::Local(other, number) => {
            let planned = df.has_index(group, other) && other != own;
            if !planned || u32::from(number) >= plan.links_within(group, own, other) {
                return None;
            }
            let far = df.switch(group, other);
            let link = LocalLink { low: switch.min(far), high: own.max(other), number };
            Some((PlannedLink::Local(link), (far, NamedPort::Local(own, number))))
        }
        NamedPort::Global(slot) => {
            let end = End::new(df, group, own, slot);
            let peer = plan.peer(end)?;
            let (index, far_slot) = df.split_port(peer.port);
            let far = (df.switch(peer.group, index), NamedPort::Global(far_slot));
            Some((PlannedLink::Cable(end.min(peer)), far))
        }
    }
}

fn name_of<'n>(
    df: &Dragonfly,
    names: &'n Names,
    (switch, port): (SwitchId, NamedPort),
) -> Result<&'n str, LiveError> {
    if let Some(named) = names.port(switch, port) {
        return Ok(&named.name);
    }
    let (group, index) = df.place(switch);
    let port = match port {
        NamedPort::Local(other, number) => format!("local port {other} {number}"),
        NamedPort::Global(slot) => format!("global port {slot}"),
        NamedPort::Node(terminal) => format!("node {terminal}"),
    };
    Err(LiveError::NoName { port: format!("group {group}, switch {index}, {port}") })
}
