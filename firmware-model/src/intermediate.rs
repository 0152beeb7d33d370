//! Drawing by intermediate switch, and along shortest links.
//!
//! Between two switches of different groups a *leg* is a minimal path: a link between the groups, with
//! a local hop before it unless it leaves the first switch, and one after it unless it arrives at the
//! second. The *shortest* links are those whose legs have the fewest hops, 1 to 3.
//!
//! A set that is drawn by intermediate switch holds the switches of the groups between for which the
//! hops of the shortest leg to them and of the shortest leg on are as its rule says. One of these
//! switches is drawn uniformly, then one of the shortest links of each of its legs, uniformly and each
//! for itself. Where the rule does not want walks that come back, from a switch to the one drawn and
//! at once to the first again, all three are drawn again.
//!
//! A host may know beforehand which links are a switch's own (`link_masks`), and then looks at none of them.
//!
//! **Work.** Switches are drawn from all switches of the groups between until one is in the set, which
//! costs one look at each link of a leg: at most [`MOST_TRIES`] switches, and none after
//! [`MOST_SOUGHT`] looks. When as many have missed as there are switches, all are looked at once, so
//! that a pair without any is soon known. The host refuses to write a set whose draws would often need
//! more than a few tries, so that a draw that misses a walk that there is hardly ever happens.

use crate::cells::{LinkPair, MOST_SOUGHT, MOST_TRIES, below};
use crate::path::{Path, Place};
use crate::{Stage, Switch};
use rand_core::Rng;
use tvlb_schema::{
    DrawRule, End, GlobalPort, GroupId, LegHops, Links, Route, SetView, Shape, SwitchIndex,
};

/// More hops than any leg has.
const NO_LEG: u8 = u8::MAX;

/// How many links are a few: as many as a word has bits.
const FEW: u32 = u32::BITS;

/// A switch of one group, and one of another to which legs lead.
#[derive(Clone, Copy)]
struct Between {
    groups: (GroupId, GroupId),
    from: SwitchIndex,
    to: SwitchIndex,
}

/// The shortest legs between two switches. Small enough for a register, which a host needs to be fast.
#[derive(Clone, Copy)]
struct Shortest {
    /// Hops of each, 1 to 3.
    hops: u8,
    /// Whether `legs` has bit k set where the k-th link is that of one of them, as a host knows it. Otherwise
    /// `legs` is how many there are. They are at least 1.
    are_bits: bool,
    legs: u32,
}

impl Shortest {
    /// How many there are, at least 1.
    #[inline]
    const fn count(self) -> u32 {
        // Most switches that are asked about are none of the set: a host counts only where it draws.
        if cfg!(not(target_os = "none")) && self.are_bits {
            self.legs.count_ones()
        } else {
            self.legs
        }
    }
}

/// An intermediate switch of a set, with its legs.
#[derive(Clone, Copy)]
struct Intermediate {
    group: GroupId,
    index: SwitchIndex,
    first: Shortest,
    second: Shortest,
}

/// Drawing; `to` is a place in another group.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "a host would put its parts together in memory"
)]
impl Switch<'_> {
    /// The shortest legs between two switches; `None` if there are none. Counts a look for each link.
    // In place on a host, so that the legs of a switch that is not of the set are never put together.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    fn shortest(&self, between: &Between, looks: &mut u32) -> Option<Shortest> {
        let links = self.links_of(between);
        *looks += links.count();
        // A host's short cut to the same.
        let is_host = cfg!(not(target_os = "none"));
        if is_host && links.count() <= FEW && self.image.fabric().has_whole_groups() {
            return self.shortest_of_few(links.count(), between);
        }
        self.shortest_by_hops(links, between)
    }

    /// The links between the groups of two switches.
    #[inline]
    fn links_of(&self, Between { groups, .. }: &Between) -> Links {
        self.image.fabric().links_between(groups.0, groups.1)
    }

    /// As [`Self::shortest`], by the hops of each leg.
    #[cfg_attr(target_os = "none", inline)]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn shortest_by_hops(&self, links: Links, between: &Between) -> Option<Shortest> {
        let mut shortest = Shortest { hops: NO_LEG, are_bits: false, legs: 0 };
        for k in 0..links.count() {
            let hops = self.leg_hops(links, between, k).2;
            if hops < shortest.hops {
                (shortest.hops, shortest.legs) = (hops, 0);
            }
            shortest.legs += u32::from(hops == shortest.hops);
        }
        (shortest.hops < NO_LEG).then_some(shortest)
    }

    /// As [`Self::shortest`] over so many links, at most [`FEW`], where all of them and every local hop of the
    /// plan live.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn shortest_of_few(&self, links: u32, between: &Between) -> Option<Shortest> {
        // Where links leave the first switch, and where they arrive at the second.
        let (near, there) = self.own_links(between);
        let any = u32::MAX.checked_shr(u32::BITS - links).unwrap_or(0);
        let (hops, legs) = match (near & there, near ^ there) {
            (0, 0) => (3, any),
            (0, two) => (2, two),
            (one, _) => (1, one),
        };
        (legs > 0).then_some(Shortest { hops, are_bits: true, legs })
    }

    /// The links that leave the first of two switches, and those that arrive at the second, by their bits.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn own_links(&self, between: &Between) -> (u32, u32) {
        #[cfg(not(target_os = "none"))]
        if let Some(masks) = &self.link_masks {
            return masks.of_leg(between.groups, (between.from, between.to));
        }
        self.own_links_by_ends(between)
    }

    /// As [`Self::own_links`], by the ends of each link.
    fn own_links_by_ends(&self, between: &Between) -> (u32, u32) {
        let df = self.dragonfly();
        let (mut near, mut there, mut bit) = (0, 0, 1_u32);
        self.image.fabric().for_each_link(self.links_of(between), |out, arrival| {
            near |= if df.is_on(out, between.from) { bit } else { 0 };
            there |= if df.is_on(arrival, between.to) { bit } else { 0 };
            bit <<= 1;
        });
        (near, there)
    }

    /// The ends of the k-th link, and the hops of its leg: [`NO_LEG`] where a local hop has no link
    /// or the cable is dead.
    #[inline]
    fn leg_hops(&self, links: Links, between: &Between, k: u32) -> (GlobalPort, GlobalPort, u8) {
        let (df, fabric) = (self.dragonfly(), self.image.fabric());
        let Between { groups, from, to } = *between;
        let (out, arrival) = fabric.ends(links, k);
        let (leaves, arrives) = (df.split_port(out).0, df.split_port(arrival).0);
        let is_leg = fabric.has_whole_groups()
            || fabric.has_live_cable(End { group: groups.0, port: out })
                && fabric.is_local_hop(groups.0, from, leaves)
                && fabric.is_local_hop(groups.1, arrives, to);
        let hops = 1 + u8::from(leaves != from) + u8::from(arrives != to);
        (out, arrival, if is_leg { hops } else { NO_LEG })
    }

    /// The n-th of the shortest legs: the ends of its link.
    #[cfg_attr(not(target_os = "none"), inline)]
    fn nth_shortest(
        &self,
        leg: Shortest,
        between: &Between,
        n: u32,
    ) -> Option<(GlobalPort, GlobalPort)> {
        if cfg!(not(target_os = "none")) && leg.are_bits {
            let later = (0..n).fold(leg.legs, |legs, _| legs & legs.wrapping_sub(1));
            return (later != 0)
                .then(|| self.image.fabric().ends(self.links_of(between), later.trailing_zeros()));
        }
        self.nth_by_hops(leg, between, n)
    }

    /// As [`Self::nth_shortest`], by the hops of each leg.
    #[cfg_attr(target_os = "none", inline)]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn nth_by_hops(
        &self,
        leg: Shortest,
        between: &Between,
        n: u32,
    ) -> Option<(GlobalPort, GlobalPort)> {
        let (links, mut left) = (self.links_of(between), n);
        for k in 0..links.count() {
            let (out, arrival, hops) = self.leg_hops(links, between, k);
            if hops == leg.hops {
                if left == 0 {
                    return Some((out, arrival));
                }
                left -= 1;
            }
        }
        None
    }

    /// One of the shortest legs, uniformly.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    fn draw_leg(
        &self,
        leg: Shortest,
        between: &Between,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<(GlobalPort, GlobalPort)> {
        let count = leg.count();
        let n = if count > 1 { below(rng, count) } else { 0 };
        self.nth_shortest(leg, between, n)
    }

    /// The ends of the first leg to a switch between.
    #[inline]
    fn first_leg(&self, group: GroupId, index: SwitchIndex) -> Between {
        Between { groups: (self.image.group(), group), from: self.image.index(), to: index }
    }

    /// The ends of the leg on from a switch between.
    #[inline]
    const fn second_leg(to: &Place, group: GroupId, index: SwitchIndex) -> Between {
        Between { groups: (group, to.group), from: index, to: to.index }
    }

    /// A MIN path, uniformly among the shortest.
    #[inline(never)]
    pub(crate) fn draw_shortest_min(
        &self,
        to: &Place,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let between = self.first_leg(to.group, to.index);
        let leg = self.shortest(&between, &mut 0)?;
        let (x, _) = self.draw_leg(leg, &between, rng)?;
        let (first, _) = self.way_out(x, Stage::Destination);
        let path = Path::new(first, x, GlobalPort(0), SwitchIndex(0), leg.hops);
        if self.image.fabric().has_plain_groups() { path } else { Some(self.spread(path?, rng)) }
    }

    /// A walk over an intermediate switch, drawn as the head of this module says.
    #[inline(never)]
    pub(crate) fn draw_by_switch(
        &self,
        to: &Place,
        set: &SetView<'_>,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let DrawRule::BySwitch { legs, returns } = set.rule().draw else { return None };
        let switches = self.switches_between();
        if switches == 0 {
            // There are but two groups.
            return None;
        }
        let mut looks = 0;
        for tried in 0..MOST_TRIES {
            let drawn = self.intermediate(to, below(rng, switches), legs, &mut looks);
            if let Some(through) = drawn
                && let Some(path) = self.draw_through(to, &through, returns, rng)
            {
                return Some(path);
            }
            let is_empty = tried == switches && !self.has_intermediate(to, legs, &mut looks);
            if is_empty || looks > MOST_SOUGHT {
                break;
            }
        }
        None
    }

    /// Whether the set has any switch for this destination, or whether there have been too many looks to tell.
    #[cold]
    #[cfg_attr(target_os = "none", inline)]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn has_intermediate(&self, to: &Place, legs: LegHops, looks: &mut u32) -> bool {
        (0..self.switches_between()).any(|number| {
            *looks > MOST_SOUGHT || self.intermediate(to, number, legs, looks).is_some()
        })
    }

    /// How many numbers switches have in the groups between this one and another.
    fn switches_between(&self) -> u32 {
        let df = self.dragonfly();
        df.g().saturating_sub(2) * df.a()
    }

    /// The n-th of the groups that are neither this switch's nor the destination's.
    fn group_between(&self, to: &Place, n: u32) -> GroupId {
        let own = self.image.group();
        let (low, high) = if own < to.group { (own, to.group) } else { (to.group, own) };
        let mut group = n;
        group += u32::from(group >= low.0.into());
        group += u32::from(group >= high.0.into());
        GroupId((group & 0xffff) as u16)
    }

    /// The switch of this number between the groups, with its legs, if the set has it.
    // In place on a host, as [`Self::shortest`].
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    fn intermediate(
        &self,
        to: &Place,
        number: u32,
        legs: LegHops,
        looks: &mut u32,
    ) -> Option<Intermediate> {
        let a = self.dragonfly().a();
        let group = self.group_between(to, number.checked_div(a)?);
        let index = SwitchIndex((number.checked_rem(a)? & 0xff) as u8);
        *looks += 1;
        if !self.dragonfly().has_index(group, index) {
            return None;
        }
        let first = self.shortest(&self.first_leg(group, index), looks)?;
        if !legs.contains(first.hops, 1) {
            return None;
        }
        let second = self.shortest(&Self::second_leg(to, group, index), looks)?;
        let is_of_set = legs.contains(first.hops, second.hops);
        is_of_set.then_some(Intermediate { group, index, first, second })
    }

    /// A walk over this switch, uniformly; `None` if it comes back and is not to.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    fn draw_through(
        &self,
        to: &Place,
        through: &Intermediate,
        returns: bool,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let Intermediate { group, index, first, second } = *through;
        let out = self.draw_leg(first, &self.first_leg(group, index), rng)?;
        let on = self.draw_leg(second, &Self::second_leg(to, group, index), rng)?;
        let links = self.link_pair(to, out, on);
        if links.v == links.w && links.v != through.index && !returns {
            return None;
        }
        self.triple(to, links, through.index.0.into())
    }

    fn link_pair(
        &self,
        to: &Place,
        (x, arrival): (GlobalPort, GlobalPort),
        (y, z): (GlobalPort, GlobalPort),
    ) -> LinkPair {
        let df = self.dragonfly();
        let tail = df.split_port(z).0 != to.index;
        LinkPair { x, y, tail, v: df.split_port(arrival).0, w: df.split_port(y).0 }
    }

    /// Visits the intermediate switches of a set in order.
    fn visit_switches(&self, to: &Place, legs: LegHops, mut each: impl FnMut(u32, Intermediate)) {
        for number in 0..self.switches_between() {
            if let Some(through) = self.intermediate(to, number, legs, &mut 0) {
                each(number, through);
            }
        }
    }

    /// Does the work of [`Switch::for_each_way`].
    pub(crate) fn visit_ways(
        &self,
        to: &Place,
        (legs, returns): (LegHops, bool),
        mut each: impl FnMut(Route, Shape, u32),
    ) {
        self.visit_switches(to, legs, |_, through| {
            self.ways_through(to, &through, returns, |_, route, shape| {
                each(route, shape, through.first.count().saturating_mul(through.second.count()));
            });
        });
    }

    /// The routes of a set that is drawn by intermediate switch, each once.
    pub(crate) fn visit_routes_by_switch(
        &self,
        to: &Place,
        (legs, returns): (LegHops, bool),
        mut each: impl FnMut(Route, Shape),
    ) {
        self.visit_switches(to, legs, |number, through| {
            self.ways_through(to, &through, returns, |links, route, shape| {
                // A walk from v to w without a detour is one over v and one over w.
                let r = through.index;
                let other = if r == links.v { links.w } else { links.v };
                let is_second = route.detour.is_none() && other < r;
                let through_other = |other: SwitchIndex| {
                    let number = number - u32::from(r.0) + u32::from(other.0);
                    self.intermediate(to, number, legs, &mut 0).is_some_and(|other| {
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
        to: &Place,
        through: &Intermediate,
        returns: bool,
        mut each: impl FnMut(LinkPair, Route, Shape),
    ) {
        let Intermediate { group, index: r, first, second } = *through;
        let ends = (self.first_leg(group, r), Self::second_leg(to, group, r));
        for n in 0..first.count() {
            for m in 0..second.count() {
                let legs = self.nth_shortest(first, &ends.0, n);
                let Some((out, on)) = legs.zip(self.nth_shortest(second, &ends.1, m)) else {
                    continue;
                };
                let links = self.link_pair(to, out, on);
                if links.v == links.w && links.v != r && !returns {
                    continue;
                }
                let is_detour = r != links.v && r != links.w;
                let mid = if is_detour { 2 } else { u8::from(links.v != links.w) };
                let head = self.image.own_slot(links.x).is_none();
                let route = Route { x: links.x, y: links.y, detour: is_detour.then_some(r) };
                each(links, route, Shape::of_walk(head, mid, links.tail));
            }
        }
    }
}
