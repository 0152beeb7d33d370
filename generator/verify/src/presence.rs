//! Checks which shapes of routes the images say that pairs of switches have, for sets that are drawn by shape.
//!
//! If a shape is kept whole and not thinned, the tables of links determine this exactly, for every pair of every
//! fabric. If it is a fraction or thinned, it takes a search: the first kept route proves that a shape is present, and
//! only all routes prove that it is absent. All pairs are searched if all routes are walked; otherwise as many as a
//! limit for each source switch allows, and the digest in the manifest covers the rest.

use super::VerifyError;
use super::by_switch::{self, CountedWalks};
use super::crossings::{Crossings, FirstLink, Unlinked};
use super::draws::{chances, mean_hops};
use super::groups::Groups;
use super::packet::{BootedSwitches, Hops};
use tvlb_base::progress::Progress;
use tvlb_schema::{
    Decision, EndSwitches, GroupId, Keep, SetRule, SetView, Shape, ShapeSet, SwitchId, SwitchImage,
    SwitchIndex,
};

/// Counts from the tables of links for all pairs of switches with nodes of different groups.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// By decision, for rules that keep all or nothing of each shape, before thinning: routes, pairs without one, and
    /// the mean hops of a pair's routes as drawn, summed over pairs.
    pub(super) kept: [u64; 3],
    pub(super) without: [u64; 3],
    pub(super) hops: [f64; 3],
}

impl Told {
    /// Notes routes, pairs without one and the sum of mean hops, for each decision that has this one's
    /// set.
    fn note(
        &mut self,
        image: &SwitchImage<'_>,
        decision: Decision,
        (kept, without, hops): (u64, u64, f64),
    ) {
        let same = |other: &Decision| image.set_number(*other) == image.set_number(decision);
        for number in (0..3).filter(|&number| same(&Decision::ALL[number])) {
            self.kept[number] += kept;
            self.without[number] += without;
            self.hops[number] += hops;
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        for decision in 0..3 {
            self.kept[decision] += other.kept[decision];
            self.without[decision] += other.without[decision];
            self.hops[decision] += other.hops[decision];
        }
    }
}

/// The decisions to check: one of those that share a set in the image.
pub(super) fn distinct_sets(switch: &tvlb_firmware_model::Switch<'_>) -> Vec<Decision> {
    let number = |decision| switch.image().set_number(decision);
    let is_first = |&decision: &Decision| {
        Decision::ALL.into_iter().find(|&d| number(d) == number(decision)) == Some(decision)
    };
    Decision::ALL.into_iter().filter(is_first).collect()
}

/// The shapes of which a rule keeps every route.
fn whole_shapes(rule: &SetRule) -> ShapeSet {
    rule.shapes().iter().filter(|&shape| rule.keep_of(shape) == Keep::ALL).collect()
}

/// The shapes of which a switch keeps every route.
pub(super) fn present_if_any(set: &SetView<'_>) -> ShapeSet {
    if set.is_thinned() { ShapeSet::EMPTY } else { whole_shapes(set.rule()) }
}

/// The shapes of which there are routes.
pub(super) fn shapes_with_routes(routes: &[u64; Shape::COUNT]) -> ShapeSet {
    Shape::all().filter(|shape| routes[shape.number()] > 0).collect()
}

/// Checks all pairs of switches from one group: whether there is a path, and whether the images' shapes are those of
/// the tables of links. Returns these counts, and the groups to which there is a VLB path.
pub(super) fn check_group(
    fabric: &BootedSwitches<'_>,
    from: GroupId,
    (first, unlinked): (&[FirstLink], &Unlinked),
    progress: &dyn Progress,
) -> Result<(Told, Groups), VerifyError> {
    let (df, mut told) = (&fabric.df, Told::default());
    let mut crossed = Groups::none(df);
    let image = *fabric.switches[0].image().fabric();
    let mut crossings = Crossings::new(df, unlinked);
    let rows = by_switch::leg_rows(fabric, from);
    for to in df.groups().filter(|&to| to != from) {
        progress.check()?;
        crossings.count(&image, first, to, progress)?;
        if crossings.all() > 0 {
            crossed.insert(to);
        } else if image.is_faultless()
            && image.link_count(from, to) == 0
            && let Some((from, to)) =
                fabric.ends.of_group(from).next().zip(fabric.ends.of_group(to).next())
        {
            return Err(VerifyError::Unreachable { from: from.into(), to: to.into() });
        }
        let leaving = (from, rows.as_deref(), first);
        let walks = CountedWalks::new(&image, leaving, (to, &crossings));
        for own in df.indices(from) {
            let switch = fabric.switch(df.switch(from, own));
            if !image.lives(switch.image().switch()) {
                continue;
            }
            check_switch((switch, &fabric.ends), to, (&crossings, &walks), &mut told)?;
        }
    }
    Ok((told, crossed))
}

/// The same from one switch to all of one group.
fn check_switch(
    (switch, ends): (&tvlb_firmware_model::Switch<'_>, &EndSwitches),
    to: GroupId,
    (crossings, walks): (&Crossings<'_>, &CountedWalks<'_, '_>),
    told: &mut Told,
) -> Result<(), VerifyError> {
    let image = switch.image();
    let (df, own) = (image.fabric().dragonfly(), image.index());
    let is_end = ends.has(image.switch());
    let ends_there = |there: &SwitchIndex| ends.has(df.switch(to, *there));
    for decision in distinct_sets(switch) {
        let set = image.set(decision);
        let whole = whole_shapes(set.rule());
        let is_all = whole == set.rule().shapes();
        let present = present_if_any(set);
        let by_shape = set.rule().is_by_shape();
        if let Some(through) = by_switch::rule_of(set).filter(|_| is_end) {
            let routes_and_hops = walks.of_source(own, through);
            let mut sums = (0, 0, 0.0);
            for there in df.indices(to).filter(ends_there) {
                let (routes, hops) = routes_and_hops(there);
                sums = (sums.0 + routes, sums.1 + u64::from(routes == 0), sums.2 + hops);
            }
            told.note(image, decision, sums);
            continue;
        }
        let is_told = is_all && is_end;
        if !by_shape && !is_told {
            continue;
        }
        let (mut kept, mut without, mut hops) = (0, 0, 0.0);
        for there in df.indices(to) {
            let routes = crossings.routes((image.group(), own), (to, there));
            let some = shapes_with_routes(&routes);
            if by_shape && image.fabric().lives(df.switch(to, there)) {
                let to = df.switch(to, there);
                let said = set.shapes_to(to);
                // A fraction has a route only if the whole shape has one.
                if let Some(shape) = said.without(some).iter().next() {
                    return Err(no_such_route(image.switch(), to, shape));
                }
                if let Some(shape) = some.and(present).without(said).iter().next() {
                    return Err(denied_route(image.switch(), to, shape));
                }
            }
            if is_told && ends_there(&there) {
                let mut of_set = [0; Shape::COUNT];
                whole.iter().for_each(|shape| of_set[shape.number()] = routes[shape.number()]);
                let of_pair: u64 = of_set.iter().sum();
                kept += of_pair;
                without += u64::from(of_pair == 0);
                hops += mean_hops(&chances(set.rule(), &of_set), &of_set);
            }
        }
        if is_told {
            told.note(image, decision, (kept, without, hops));
        }
    }
    Ok(())
}

pub(super) fn no_such_route(from: SwitchId, to: SwitchId, shape: Shape) -> VerifyError {
    let text = format!(
        "the image of switch {from} says that there is a route of shape {shape}, but none is kept"
    );
    BootedSwitches::finding(from, to, "T-VLB", (Hops::default(), text))
}

pub(super) fn denied_route(from: SwitchId, to: SwitchId, shape: Shape) -> VerifyError {
    let text = format!(
        "the image of switch {from} says that there is no route of shape {shape}, but one is kept"
    );
    BootedSwitches::finding(from, to, "T-VLB", (Hops::default(), text))
}
