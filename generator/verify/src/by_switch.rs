//! The walks of a set that is drawn by intermediate switch or by triple, found from the fabric image alone:
//! what a switch draws is held against them.

use super::VerifyError;
use super::crossings::links;
use super::packet::{BootedSwitches, Path};
use tvlb_firmware_model::Switch;
use tvlb_schema::{
    Decision, DrawRule, FabricImage, GlobalPort, LegHops, Route, SetView, Shape, SwitchId,
    SwitchIndex,
};

/// A walk over an intermediate switch: its route and shape, and how many pairs of shortest links lead
/// over that switch.
pub(super) type Walk = (Route, Shape, u32);

/// Which walks over intermediate switches a set draws.
#[derive(Clone, Copy)]
pub(super) enum Through {
    /// Over the shortest links of each leg, to switches of so many hops; whether also those that come back.
    Shortest(LegHops, bool),
    /// Those of all triples.
    Any,
}

/// What a set draws over intermediate switches; `None` if it is drawn by route or by shape.
pub(super) fn rule_of(set: &SetView<'_>) -> Option<Through> {
    match set.rule().draw {
        DrawRule::BySwitch { legs, returns } => Some(Through::Shortest(legs, returns)),
        DrawRule::ByTriple => Some(Through::Any),
        DrawRule::ByRoute | DrawRule::ByShape { .. } => None,
    }
}

/// The links of a leg, all or the shortest, and the hops of the shortest.
struct Leg {
    hops: u8,
    links: Vec<(GlobalPort, GlobalPort)>,
}

fn leg(fabric: &FabricImage<'_>, from: SwitchId, to: SwitchId, all: bool) -> Option<Leg> {
    let df = fabric.dragonfly();
    let ((out, here), (into, there)) = (df.place(from), df.place(to));
    let of = |(leaves, arrives): (GlobalPort, GlobalPort)| {
        1 + u8::from(df.split_port(leaves).0 != here) + u8::from(df.split_port(arrives).0 != there)
    };
    // Each of its hops goes by a link.
    let is_leg = |&(leaves, arrives): &(GlobalPort, GlobalPort)| {
        fabric.is_local_hop(out, here, df.split_port(leaves).0)
            && fabric.is_local_hop(into, df.split_port(arrives).0, there)
    };
    let legs = || links(fabric, out, into).filter(is_leg);
    let hops = legs().map(of).min()?;
    Some(Leg { hops, links: legs().filter(|&link| all || of(link) == hops).collect() })
}

/// The shortest links from one switch to another of a different group.
pub(super) fn shortest_links(
    fabric: &FabricImage<'_>,
    from: SwitchId,
    to: SwitchId,
) -> Vec<(GlobalPort, GlobalPort)> {
    leg(fabric, from, to, false).map_or_else(Vec::new, |leg| leg.links)
}

/// All walks that a set draws from one switch to another of a different group.
pub(super) fn walks(
    fabric: &FabricImage<'_>,
    through: Through,
    from: SwitchId,
    to: SwitchId,
) -> Vec<Walk> {
    let is_any = matches!(through, Through::Any);
    let df = fabric.dragonfly();
    let ((own, here), (target, there)) = (df.place(from), df.place(to));
    let mut walks = Vec::new();
    for switch in df.switches() {
        let (middle, r) = df.place(switch);
        if middle == own || middle == target {
            continue;
        }
        let of = |from, to| leg(fabric, from, to, is_any);
        let Some((first, second)) = of(from, switch).zip(of(switch, to)) else {
            continue;
        };
        let (is_drawn, returns, pairs) = match through {
            Through::Any => (true, true, 1),
            Through::Shortest(legs, returns) => {
                let pairs = first.links.len() * second.links.len();
                (legs.contains(first.hops, second.hops), returns, pairs)
            }
        };
        if !is_drawn {
            continue;
        }
        let ways = u32::try_from(pairs).expect("two groups share at most 4096 links");
        for &(x, arrives) in &first.links {
            for &(y, z) in &second.links {
                let index = |port| -> SwitchIndex { df.split_port(port).0 };
                let (v, w) = (index(arrives), index(y));
                let comes_back = v == w && v != r;
                if comes_back && !returns {
                    continue;
                }
                let mid = u8::from(v != r) + u8::from(r != w);
                let shape = Shape::of_walk(index(x) != here, mid, index(z) != there);
                walks.push((Route { x, y, detour: (mid == 2).then_some(r) }, shape, ways));
            }
        }
    }
    walks.sort_unstable();
    walks
}

/// What the walks of a pair amount to: how many routes, each counted once, and their mean hops as they
/// are drawn; 0 if there are none.
pub(super) fn routes_and_hops(walks: &[Walk]) -> (u64, f64) {
    // They are sorted by route.
    let routes = walks.chunk_by(|one, next| one.0 == next.0).count() as u64;
    let (mut weights, mut hops) = (0.0, 0.0);
    for &(_, shape, ways) in walks {
        let weight = 1.0 / f64::from(ways);
        weights += weight;
        hops += weight * f64::from(shape.hops());
    }
    (routes, if weights > 0.0 { hops / weights } else { 0.0 })
}

/// By walk the probability that it is drawn.
pub(super) fn chances(walks: &[Walk]) -> impl Iterator<Item = f64> {
    let total: f64 = walks.iter().map(|&(_, _, ways)| 1.0 / f64::from(ways)).sum();
    walks.iter().map(move |&(_, _, ways)| 1.0 / f64::from(ways) / total)
}

/// The datapath draws these walks and no others, and lists each of their routes once.
pub(super) fn check(
    switch: &Switch<'_>,
    decision: Decision,
    to: SwitchId,
    expected: &[Walk],
) -> Result<(), VerifyError> {
    let from = switch.image().switch();
    let finding = |text| Err(BootedSwitches::finding(from, to, "T-VLB", (Path::default(), text)));
    let mut found: Vec<Walk> = Vec::with_capacity(expected.len());
    switch.for_each_way(decision, to, |route, shape, ways| found.push((route, shape, ways)));
    found.sort_unstable();
    if found != expected {
        return finding(format!(
            "the image of switch {from} draws {} walks over intermediate switches, but these are not \
             the {} that its rule gives",
            found.len(),
            expected.len()
        ));
    }
    let mut routes: Vec<Route> = Vec::new();
    switch.for_each_route(decision, to, |route, _| routes.push(route));
    routes.sort_unstable();
    let mut expected: Vec<Route> = expected.iter().map(|&(route, _, _)| route).collect();
    expected.dedup();
    if routes != expected {
        return finding(format!(
            "the image of switch {from} lists {} routes, but its walks have {}",
            routes.len(),
            expected.len()
        ));
    }
    Ok(())
}
