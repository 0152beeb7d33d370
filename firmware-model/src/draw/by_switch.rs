//! Draws by intermediate switch.
//!
//! A set that is drawn by intermediate switch contains the switches of the groups between for which the hops of the
//! shortest leg to them and of the shortest leg onward ([`super::legs`]) satisfy its rule. One of these switches is
//! drawn uniformly, then one of the shortest links of each of its legs, uniformly and independently. If the rule
//! excludes walks that return, from a switch to the drawn one and straight back, all three are drawn again.
//!
//! **Work.** Switches are drawn from all switches of the groups between until one is in the set, which costs one look
//! at each link of a leg: at most [`MOST_TRIES`] switches, and none after [`MOST_SOUGHT`] looks. After as many misses
//! as there are switches, all are examined once, so that a pair without any is soon known. The host refuses to write a
//! set whose draws would often need more than a few tries, so a draw hardly ever misses an existing walk.

use super::cells::{LinkPair, MOST_SOUGHT, MOST_TRIES};
use super::legs::Shortest;
use super::looking::Looking;
use crate::Switch;
use crate::path::Path;
use crate::random::below;
use rand_core::Rng;
use tvlb_schema::{GlobalPort, GroupId, LegHops, Route, Shape, SwitchIndex};

/// An intermediate switch of a set, with its legs.
#[derive(Clone, Copy)]
struct Intermediate {
    group: GroupId,
    index: SwitchIndex,
    first: Shortest,
    second: Shortest,
}

impl Looking<'_> {
    /// A walk over an intermediate switch, drawn as the head of this module says.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn draw_by_switch(
        &self,
        (legs, returns): (LegHops, bool),
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let switches = self.switches_between();
        if switches == 0 {
            // There are only two groups.
            return None;
        }
        let mut looks = 0;
        for tried in 0..MOST_TRIES {
            let drawn = self.intermediate(below(rng, switches), legs, &mut looks);
            if let Some(through) = drawn
                && let Some(path) = self.draw_through(&through, returns, rng)
            {
                return Some(path);
            }
            let is_empty = tried == switches && !self.has_intermediate(legs, &mut looks);
            if is_empty || looks > MOST_SOUGHT {
                break;
            }
        }
        None
    }

    /// Whether the set has any switch for this destination, or there have been too many looks to tell.
    #[cold]
    #[cfg_attr(target_os = "none", inline)]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn has_intermediate(&self, legs: LegHops, looks: &mut u32) -> bool {
        (0..self.switches_between())
            .any(|number| *looks > MOST_SOUGHT || self.intermediate(number, legs, looks).is_some())
    }

    /// How many switch numbers there are in the groups other than this one and the given one.
    fn switches_between(&self) -> u32 {
        let df = self.switch.dragonfly();
        df.g().saturating_sub(2) * df.a()
    }

    /// The n-th of the groups that are neither this switch's nor the destination's.
    fn group_between(&self, n: u32) -> GroupId {
        let own = self.switch.image.group();
        let (low, high) =
            if own < self.to.group { (own, self.to.group) } else { (self.to.group, own) };
        let mut group = n;
        group += u32::from(group >= low.0.into());
        group += u32::from(group >= high.0.into());
        GroupId((group & 0xffff) as u16)
    }

    /// The switch of this number between the groups, with its legs, if the set has it.
    // In place on a host, as [`Self::shortest`].
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    fn intermediate(&self, number: u32, legs: LegHops, looks: &mut u32) -> Option<Intermediate> {
        let a = self.switch.dragonfly().a();
        let group = self.group_between(number.checked_div(a)?);
        let index = SwitchIndex((number.checked_rem(a)? & 0xff) as u8);
        *looks += 1;
        if !self.switch.dragonfly().has_index(group, index) {
            return None;
        }
        let first = self.switch.shortest(&self.switch.first_leg(group, index), looks)?;
        if !legs.contains(first.hops, 1) {
            return None;
        }
        let second = self.switch.shortest(&Switch::second_leg(self.to, group, index), looks)?;
        let is_of_set = legs.contains(first.hops, second.hops);
        is_of_set.then_some(Intermediate { group, index, first, second })
    }

    /// A walk over this switch, uniformly; `None` if it returns and must not.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    fn draw_through(
        &self,
        through: &Intermediate,
        returns: bool,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let Intermediate { group, index, first, second } = *through;
        let out = self.switch.draw_leg(first, &self.switch.first_leg(group, index), rng)?;
        let on = self.switch.draw_leg(second, &Switch::second_leg(self.to, group, index), rng)?;
        let links = self.link_pair(out, on);
        if links.v == links.w && links.v != through.index && !returns {
            return None;
        }
        self.triple(links, through.index.0.into())
    }

    fn link_pair(
        &self,
        (x, arrival): (GlobalPort, GlobalPort),
        (y, z): (GlobalPort, GlobalPort),
    ) -> LinkPair {
        let df = self.switch.dragonfly();
        let tail = df.split_port(z).0 != self.to.index;
        LinkPair { x, y, tail, v: df.split_port(arrival).0, w: df.split_port(y).0 }
    }

    /// Visits the intermediate switches of a set in order.
    fn visit_switches(&self, legs: LegHops, mut each: impl FnMut(u32, Intermediate)) {
        for number in 0..self.switches_between() {
            if let Some(through) = self.intermediate(number, legs, &mut 0) {
                each(number, through);
            }
        }
    }

    /// The ways of a set whose routes are drawn by intermediate switch.
    pub(super) fn visit_ways(
        &self,
        (legs, returns): (LegHops, bool),
        mut each: impl FnMut(Route, Shape, u32),
    ) {
        self.visit_switches(legs, |_, through| {
            self.ways_through(&through, returns, |_, route, shape| {
                each(route, shape, through.first.count().saturating_mul(through.second.count()));
            });
        });
    }

    /// The routes of a set that is drawn by intermediate switch, without repetition.
    pub(super) fn visit_routes_by_switch(
        &self,
        (legs, returns): (LegHops, bool),
        mut each: impl FnMut(Route, Shape),
    ) {
        self.visit_switches(legs, |number, through| {
            self.ways_through(&through, returns, |links, route, shape| {
                // A walk from v to w without a detour is one over v and one over w.
                let r = through.index;
                let other = if r == links.v { links.w } else { links.v };
                let is_second = route.detour.is_none() && other < r;
                let through_other = |other: SwitchIndex| {
                    let number = number - u32::from(r.0) + u32::from(other.0);
                    self.intermediate(number, legs, &mut 0).is_some_and(|other| {
                        let first = 1 + shape.head() + u8::from(links.v != other.index);
                        let second = 1 + u8::from(links.w != other.index) + shape.tail();
                        (other.first.hops, other.second.hops) == (first, second)
                    })
                };
                if !is_second || !through_other(other) {
                    each(route, shape);
                }
            });
        });
    }

    /// The walks over one intermediate switch.
    fn ways_through(
        &self,
        through: &Intermediate,
        returns: bool,
        mut each: impl FnMut(LinkPair, Route, Shape),
    ) {
        let Intermediate { group, index: r, first, second } = *through;
        let ends = (self.switch.first_leg(group, r), Switch::second_leg(self.to, group, r));
        for n in 0..first.count() {
            for m in 0..second.count() {
                let legs = self.switch.nth_shortest(first, &ends.0, n);
                let Some((out, on)) = legs.zip(self.switch.nth_shortest(second, &ends.1, m)) else {
                    continue;
                };
                let links = self.link_pair(out, on);
                if links.v == links.w && links.v != r && !returns {
                    continue;
                }
                let is_detour = r != links.v && r != links.w;
                let mid = if is_detour { 2 } else { u8::from(links.v != links.w) };
                let head = self.switch.image.own_slot(links.x).is_none();
                let route = Route { x: links.x, y: links.y, detour: is_detour.then_some(r) };
                each(links, route, Shape::of_walk(head, mid, links.tail));
            }
        }
    }
}
