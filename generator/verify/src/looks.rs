//! Searches for a route of one shape that a set keeps, one candidate after the other, and checks the shapes that images
//! say are left when parts are dead.

use super::VerifyError;
use super::crossings::{Crossings, FirstLink};
use super::packet::BootedSwitches;
use super::presence::{
    denied_route, distinct_sets, no_such_route, present_if_any, shapes_with_routes,
};
use super::ways::{LinkWay, PairOfLinks, pairs, pairs_into};
use tvlb_schema::{GroupId, SetView, Shape, ShapeSet, SwitchId, SwitchImage};

/// There are no looks left.
pub(super) struct Spent;

/// The search for routes of fractions and thinned sets from one switch.
pub(super) struct PresenceSearch<'s, 'f> {
    pub(super) fabric: &'s BootedSwitches<'f>,
    pub(super) from: SwitchId,
    pub(super) first: &'s [FirstLink],
    /// How many candidates may still be tried.
    pub(super) looks_left: u64,
}

impl PresenceSearch<'_, '_> {
    /// Checks the image's shapes for one destination; `false` if the looks did not suffice.
    pub(super) fn check(&mut self, to: SwitchId) -> Result<bool, VerifyError> {
        let switch = self.fabric.switch(self.from);
        let mut all = true;
        for decision in distinct_sets(switch) {
            let set = switch.image().set(decision);
            if !set.rule().is_by_shape() {
                continue;
            }
            let said = set.shapes_to(to);
            for shape in set.rule().shapes().without(present_if_any(set)).iter() {
                match (self.has(set, shape, to), said.contains(shape)) {
                    (Ok(true), false) => return Err(denied_route(self.from, to, shape)),
                    (Ok(false), true) => return Err(no_such_route(self.from, to, shape)),
                    (Err(Spent), _) => all = false,
                    (Ok(true), true) | (Ok(false), false) => {}
                }
            }
        }
        Ok(all)
    }

    /// Whether the set has a route of a shape.
    pub(super) fn has(
        &mut self,
        set: &SetView<'_>,
        shape: Shape,
        to: SwitchId,
    ) -> Result<bool, Spent> {
        let (fabric, ends) = (self.fabric.switch(self.from).image().fabric(), (self.from, to));
        if shape.tail() == 0 {
            self.has_among(pairs_into(fabric, ends), set, shape, to)
        } else {
            let (df, here) = (fabric.dragonfly(), self.fabric.place(self.from).1);
            let is_head = |x| (df.split_port(x).0 != here) == (shape.head() > 0);
            let first = self.first.iter().filter(|link| is_head(link.x));
            self.has_among(pairs(fabric, first, ends), set, shape, to)
        }
    }

    fn has_among(
        &mut self,
        pairs: impl Iterator<Item = PairOfLinks>,
        set: &SetView<'_>,
        shape: Shape,
        to: SwitchId,
    ) -> Result<bool, Spent> {
        let fabric = self.fabric.switch(self.from).image().fabric();
        let (df, ends) = (fabric.dragonfly(), (self.from, to));
        let is_kept = |way: LinkWay| way.shape() == shape && way.is_kept(df, set, ends);
        for pair in pairs.filter(|pair| pair.has_ends_of(shape)) {
            if shape.mid() < 2 || pair.v == pair.w {
                // Finding nothing takes time too.
                self.spend()?;
                if pair.straight(fabric).is_some_and(is_kept) {
                    return Ok(true);
                }
                continue;
            }
            for way in pair.ways(fabric).filter(|way| way.shape() == shape) {
                self.spend()?;
                if is_kept(way) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn spend(&mut self) -> Result<(), Spent> {
        self.looks_left = self.looks_left.checked_sub(1).ok_or(Spent)?;
        Ok(())
    }
}

/// Checks all pairs of live switches from one group to another: of the shapes that images of the table set (`planned`,
/// by switch) have, exactly those with a route left must be present. Returns how many pairs were checked.
pub(super) fn check_left<'i, 'p>(
    fabric: &BootedSwitches<'i>,
    planned: &dyn Fn(SwitchId) -> &'p SwitchImage<'i>,
    (from, first): (GroupId, &[FirstLink]),
    (to, crossings): (GroupId, &Crossings<'_>),
) -> Result<u64, VerifyError> {
    let df = &fabric.df;
    let mut pairs = 0;
    for own in df.indices(from) {
        let source = df.switch(from, own);
        let switch = fabric.switch(source);
        let image = switch.image();
        if !image.fabric().lives(source) {
            continue;
        }
        let mut search = PresenceSearch { fabric, from: source, first, looks_left: u64::MAX };
        let sets = distinct_sets(switch).into_iter().map(|decision| {
            let set = image.set(decision);
            (set, planned(source).set(decision), present_if_any(set))
        });
        let by_shape = |set: &SetView<'_>| set.rule().is_by_shape();
        let sets: Vec<_> = sets.filter(|(set, ..)| by_shape(set)).collect();
        for there in df.indices(to) {
            let to = df.switch(to, there);
            if !image.fabric().lives(to) {
                continue;
            }
            pairs += 1;
            if sets.is_empty() {
                continue;
            }
            let some = shapes_with_routes(&crossings.routes((from, own), df.place(to)));
            for &(set, planned, whole) in &sets {
                let (said, planned) = (set.shapes_to(to), planned.shapes_to(to));
                let drawn = planned.and(some).without(whole);
                let kept =
                    drawn.iter().filter(|&shape| matches!(search.has(set, shape, to), Ok(true)));
                let left: ShapeSet = planned.and(some).and(whole).iter().chain(kept).collect();
                if let Some(shape) = said.without(left).nth(0) {
                    return Err(no_such_route(source, to, shape));
                }
                if let Some(shape) = left.without(said).nth(0) {
                    return Err(denied_route(source, to, shape));
                }
            }
        }
    }
    Ok(pairs)
}
