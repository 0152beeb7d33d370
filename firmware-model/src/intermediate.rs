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

/// The shortest legs from a switch of one group to a switch of another.
#[derive(Clone, Copy)]
struct Shortest {
    links: Links,
    groups: (GroupId, GroupId),
    from: SwitchIndex,
    to: SwitchIndex,
    /// Hops of each, 1 to 3.
    hops: u8,
    /// How many there are, at least 1.
    count: u32,
    /// Bit k is set where the k-th link is one of them; 0 where that is not known.
    which: u32,
}

/// An intermediate switch of a set, with its legs.
#[derive(Clone, Copy)]
struct Intermediate {
    index: SwitchIndex,
    first: Shortest,
    second: Shortest,
}

/// Drawing; `to` is a place in another group.
impl Switch<'_> {
    /// The shortest legs between two groups over these links; `None` if there are none.
    fn shortest(
        &self,
        links: Links,
        groups: (GroupId, GroupId),
        (from, to): (SwitchIndex, SwitchIndex),
    ) -> Option<Shortest> {
        // A host's short cut to the same.
        let is_host = cfg!(not(target_os = "none"));
        if is_host && links.count() <= FEW && self.image.fabric().has_whole_groups() {
            return self.shortest_of_few(links, groups, (from, to));
        }
        let mut shortest = Shortest { links, groups, from, to, hops: NO_LEG, count: 0, which: 0 };
        for k in 0..links.count() {
            let hops = self.leg_hops(&shortest, k).2;
            if hops < shortest.hops {
                (shortest.hops, shortest.count) = (hops, 0);
            }
            shortest.count += u32::from(hops == shortest.hops);
        }
        (shortest.hops < NO_LEG).then_some(shortest)
    }

    /// As [`Self::shortest`] over at most [`FEW`] links, where every link and every local hop of the plan lives.
    #[inline]
    fn shortest_of_few(
        &self,
        links: Links,
        groups: (GroupId, GroupId),
        (from, to): (SwitchIndex, SwitchIndex),
    ) -> Option<Shortest> {
        let df = self.dragonfly();
        let (mut one, mut two, mut any, mut bit) = (0_u32, 0, 0, 1_u32);
        self.image.fabric().for_each_link(links, |out, arrival| {
            let (is_near, is_there) = (df.is_on(out, from), df.is_on(arrival, to));
            one |= if is_near && is_there { bit } else { 0 };
            two |= if is_near == is_there { 0 } else { bit };
            any |= bit;
            bit <<= 1;
        });
        let (hops, which) = match (one, two) {
            (0, 0) => (3, any),
            (0, two) => (2, two),
            (one, _) => (1, one),
        };
        (which > 0).then_some(Shortest {
            links,
            groups,
            from,
            to,
            hops,
            count: which.count_ones(),
            which,
        })
    }

    /// The ends of the k-th link, and the hops of its leg: [`NO_LEG`] where a local hop has no link
    /// or the cable is dead.
    #[inline]
    fn leg_hops(&self, leg: &Shortest, k: u32) -> (GlobalPort, GlobalPort, u8) {
        let df = self.dragonfly();
        let (out, arrival) = self.image.fabric().ends(leg.links, k);
        let (leaves, arrives) = (df.split_port(out).0, df.split_port(arrival).0);
        let fabric = self.image.fabric();
        let is_leg = fabric.has_whole_groups()
            || fabric.has_live_cable(End { group: leg.groups.0, port: out })
                && fabric.is_local_hop(leg.groups.0, leg.from, leaves)
                && fabric.is_local_hop(leg.groups.1, arrives, leg.to);
        let hops = 1 + u8::from(leaves != leg.from) + u8::from(arrives != leg.to);
        (out, arrival, if is_leg { hops } else { NO_LEG })
    }

    /// The n-th of the shortest legs: the ends of its link.
    fn nth_shortest(&self, leg: &Shortest, n: u32) -> Option<(GlobalPort, GlobalPort)> {
        if cfg!(not(target_os = "none")) && leg.which != 0 {
            let later = (0..n).fold(leg.which, |which, _| which & which.wrapping_sub(1));
            return (later != 0)
                .then(|| self.image.fabric().ends(leg.links, later.trailing_zeros()));
        }
        let mut left = n;
        for k in 0..leg.links.count() {
            let (out, arrival, hops) = self.leg_hops(leg, k);
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
    fn draw_leg(
        &self,
        leg: &Shortest,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<(GlobalPort, GlobalPort)> {
        let n = if leg.count > 1 { below(rng, leg.count) } else { 0 };
        self.nth_shortest(leg, n)
    }

    /// A MIN path, uniformly among the shortest.
    #[inline(never)]
    pub(crate) fn draw_shortest_min(
        &self,
        to: &Place,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let groups = (self.image.group(), to.group);
        let links = self.image.fabric().links_between(groups.0, groups.1);
        let leg = self.shortest(links, groups, (self.image.index(), to.index))?;
        let (x, _) = self.draw_leg(&leg, rng)?;
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
            let mut is_of_set = |number| {
                looks > MOST_SOUGHT || self.intermediate(to, number, legs, &mut looks).is_some()
            };
            let is_empty = tried == switches && !(0..switches).any(&mut is_of_set);
            if is_empty || looks > MOST_SOUGHT {
                break;
            }
        }
        None
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
    fn intermediate(
        &self,
        to: &Place,
        number: u32,
        legs: LegHops,
        looks: &mut u32,
    ) -> Option<Intermediate> {
        let (fabric, a) = (self.image.fabric(), self.dragonfly().a());
        let middle = self.group_between(to, number.checked_div(a)?);
        let index = SwitchIndex((number.checked_rem(a)? & 0xff) as u8);
        if !self.dragonfly().has_index(middle, index) {
            *looks += 1;
            return None;
        }
        let first = fabric.links_between(self.image.group(), middle);
        *looks += 1 + first.count();
        let ends = (self.image.index(), index);
        let first = self.shortest(first, (self.image.group(), middle), ends)?;
        if !legs.contains(first.hops, 1) {
            return None;
        }
        let second = fabric.links_between(middle, to.group);
        *looks += second.count();
        let second = self.shortest(second, (middle, to.group), (index, to.index))?;
        legs.contains(first.hops, second.hops).then_some(Intermediate { index, first, second })
    }

    /// A walk over this switch, uniformly; `None` if it comes back and is not to.
    fn draw_through(
        &self,
        to: &Place,
        through: &Intermediate,
        returns: bool,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let out = self.draw_leg(&through.first, rng)?;
        let on = self.draw_leg(&through.second, rng)?;
        let links = self.link_pair(through, out, on);
        if links.v == links.w && links.v != through.index && !returns {
            return None;
        }
        self.triple(to, links, through.index.0.into())
    }

    fn link_pair(
        &self,
        through: &Intermediate,
        (x, arrival): (GlobalPort, GlobalPort),
        (y, z): (GlobalPort, GlobalPort),
    ) -> LinkPair {
        let df = self.dragonfly();
        let tail = df.split_port(z).0 != through.second.to;
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
            self.ways_through(&through, returns, |_, route, shape| {
                each(route, shape, through.first.count.saturating_mul(through.second.count));
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
            self.ways_through(&through, returns, |links, route, shape| {
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
        through: &Intermediate,
        returns: bool,
        mut each: impl FnMut(LinkPair, Route, Shape),
    ) {
        for n in 0..through.first.count {
            for m in 0..through.second.count {
                let legs = self.nth_shortest(&through.first, n);
                let Some((out, on)) = legs.zip(self.nth_shortest(&through.second, m)) else {
                    continue;
                };
                let links = self.link_pair(through, out, on);
                let r = through.index;
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
