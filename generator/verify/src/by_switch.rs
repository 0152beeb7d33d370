//! The walks of a set that is drawn by intermediate switch or by triple, derived from the fabric image alone, to
//! compare with the datapath's draws.

use super::VerifyError;
use super::crossings::FirstLink;
use super::packet::{BootedSwitches, Hops};
use super::through_switches::LegRow;
use super::ways::{LinkWay, pairs};
use tvlb_firmware_model::Switch;
use tvlb_schema::{
    Decision, DrawRule, FabricImage, LegHops, Route, SetView, Shape, SwitchId, SwitchIndex,
};

/// A walk over an intermediate switch: its route and shape, and over how many pairs of shortest links it goes.
pub(super) type Walk = (Route, Shape, u32);

/// Which walks over intermediate switches a set draws.
#[derive(Clone, Copy)]
pub(super) enum Through {
    /// Over the shortest links of each leg, to switches of so many hops; and whether also those that return.
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

/// All walks that a set draws from one switch to another of a different group, given the first links of its group.
pub(super) fn walks(
    fabric: &FabricImage<'_>,
    first: &[FirstLink],
    through: Through,
    (from, to): (SwitchId, SwitchId),
) -> Vec<Walk> {
    let rows = match through {
        Through::Any => None,
        Through::Shortest(..) => Some([from, to].map(|end| LegRow::of(fabric, end))),
    };
    // The number of pairs of links over which the set reaches a switch this way, if it draws that.
    let pairs_over = |switch: SwitchIndex, way: &LinkWay| match (through, &rows) {
        (Through::Shortest(legs, returns), Some(rows)) => {
            let [one, other] = way.pair.legs(switch);
            let switch = fabric.dragonfly().switch(way.pair.middle, switch);
            let is_drawn = legs.contains(one, other)
                && rows[0].is(switch, one)
                && rows[1].is(switch, other)
                && (returns || !way.returns());
            is_drawn.then(|| rows[0].links(switch) * rows[1].links(switch))
        }
        _ => Some(1),
    };
    let mut walks = Vec::new();
    for pair in pairs(fabric, first, (from, to)) {
        for (switch, way) in pair.by_switch(fabric) {
            let ways = pairs_over(switch, &way);
            walks.extend(ways.map(|ways| (way.route(), way.shape(), ways)));
        }
    }
    walks.sort_unstable();
    walks
}

/// How many routes a pair's walks make, each counted once, and their mean hops as drawn; 0 if there are none.
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

/// For each walk, the probability that it is drawn.
pub(super) fn chances(walks: &[Walk]) -> impl Iterator<Item = f64> {
    let total: f64 = walks.iter().map(|&(_, _, ways)| 1.0 / f64::from(ways)).sum();
    walks.iter().map(move |&(_, _, ways)| 1.0 / f64::from(ways) / total)
}

/// Checks that the datapath draws exactly these walks, and lists each of their routes once.
pub(super) fn check(
    switch: &Switch<'_>,
    decision: Decision,
    to: SwitchId,
    expected: &[Walk],
) -> Result<(), VerifyError> {
    let from = switch.image().switch();
    let finding = |text| Err(BootedSwitches::finding(from, to, "T-VLB", (Hops::default(), text)));
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
