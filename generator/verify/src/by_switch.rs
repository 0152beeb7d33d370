//! The walks of a set that is drawn by intermediate switch or by triple, derived from the fabric image alone, to
//! compare with the datapath's draws.

use super::VerifyError;
use super::crossings::{Crossings, FirstLink};
use super::packet::{BootedSwitches, Hops};
use super::through_switches::{GroupPair, LegRow};
use super::ways::{LinkWay, pairs};
use tvlb_firmware_model::Switch;
use tvlb_schema::{
    Decision, DrawRule, FabricImage, GroupId, LegHops, Route, SetView, Shape, SwitchId, SwitchIndex,
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

/// The shortest legs of a group's switches, if one of them draws over these.
pub(super) fn leg_rows(fabric: &BootedSwitches<'_>, group: GroupId) -> Option<Vec<LegRow>> {
    let is_shortest = |set| matches!(rule_of(set), Some(Through::Shortest(..)));
    let mut images = fabric.df.switches_in(group).map(|switch| fabric.switch(switch).image());
    let is_any = images.any(|image| Decision::ALL.iter().any(|&d| is_shortest(image.set(d))));
    is_any.then(|| LegRow::of_group(fabric.switches[0].image().fabric(), group))
}

/// The walks from the switches of one group to those of another, as they are counted without a list of them.
pub(super) struct CountedWalks<'c, 'i> {
    groups: (GroupId, GroupId),
    crossings: &'c Crossings<'c>,
    legs: Option<GroupPair<'c, 'i>>,
}

impl<'c, 'i> CountedWalks<'c, 'i> {
    /// Those from a group, given its [`leg_rows`] and the links out of it, to the group of which crossings are counted.
    pub(super) fn new(
        fabric: &'c FabricImage<'i>,
        (from, rows, first): (GroupId, Option<&'c [LegRow]>, &[FirstLink]),
        (to, crossings): (GroupId, &'c Crossings<'c>),
    ) -> Self {
        let legs = rows.map(|rows| GroupPair::new(fabric, (from, rows, first), to));
        Self { groups: (from, to), crossings, legs }
    }

    /// To each switch of the other group: how many routes one switch draws, each counted once, and their mean hops as
    /// they are drawn; 0 if there are none.
    pub(super) fn of_source(
        &self,
        own: SwitchIndex,
        through: Through,
    ) -> Box<dyn Fn(SwitchIndex) -> (u64, f64) + '_> {
        let (from, to) = self.groups;
        match through {
            Through::Any => Box::new(move |there| self.crossings.triples((from, own), (to, there))),
            Through::Shortest(legs, returns) => {
                let between = self.legs.as_ref().expect("a switch of the group has such a set");
                let source = between.source(own, (legs, returns));
                Box::new(move |there| source.routes_and_hops(there))
            }
        }
    }
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
