//! The shortest legs between two switches.
//!
//! Between two switches of different groups a *leg* is a minimal path: a link between the groups, with
//! a local hop before it unless it leaves the first switch, and one after it unless it arrives at the
//! second. The *shortest* links are those whose legs have the fewest hops, 1 to 3.
//!
//! A host may know in advance which links are a switch's own (`link_masks`), and then need not examine them.

use crate::Switch;
use crate::path::Place;
use crate::random::below;
use rand_core::Rng;
use tvlb_schema::{End, GlobalPort, GroupId, Links, SwitchIndex};

/// More hops than any leg has.
const NO_LEG: u8 = u8::MAX;

/// The most links that are few: as many as a word has bits.
const FEW: u32 = u32::BITS;

/// A switch of one group, and one of another to which legs lead.
#[derive(Clone, Copy)]
pub(super) struct Between {
    groups: (GroupId, GroupId),
    from: SwitchIndex,
    to: SwitchIndex,
}

/// The shortest legs between two switches. Small enough for a register, which a host needs to be fast.
#[derive(Clone, Copy)]
pub(super) struct Shortest {
    /// Hops of each, 1 to 3.
    pub(super) hops: u8,
    /// Whether `legs` has bit k set if the k-th link belongs to one of them, as a host knows it. Otherwise `legs` is
    /// how many there are. There is at least one.
    are_bits: bool,
    legs: u32,
}

impl Shortest {
    /// How many there are, at least 1.
    #[inline]
    pub(super) const fn count(self) -> u32 {
        // Most switches that are examined are not in the set: a host counts only when it draws.
        if cfg!(not(target_os = "none")) && self.are_bits {
            self.legs.count_ones()
        } else {
            self.legs
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "a host would put its parts together in memory"
)]
impl Switch<'_> {
    /// The shortest legs between two switches; `None` if there are none. Counts a look for each link.
    // In place on a host, so that the legs of a switch outside the set are never assembled.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    pub(super) fn shortest(&self, between: &Between, looks: &mut u32) -> Option<Shortest> {
        let links = self.links_of(between);
        *looks += links.count();
        // A shortcut for a host.
        let is_host = cfg!(not(target_os = "none"));
        if is_host && links.count() <= FEW && self.image.fabric().group_links().is_whole() {
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

    /// As [`Self::shortest`] over this many links, at most [`FEW`], if all of them and every local hop of the plan are
    /// live.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn shortest_of_few(&self, links: u32, between: &Between) -> Option<Shortest> {
        // The links that leave the first switch, and those that arrive at the second.
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

    /// The ends of the k-th link, and the hops of its leg: [`NO_LEG`] if a local hop has no link or the cable is dead.
    #[inline]
    fn leg_hops(&self, links: Links, between: &Between, k: u32) -> (GlobalPort, GlobalPort, u8) {
        let (df, fabric) = (self.dragonfly(), self.image.fabric());
        let Between { groups, from, to } = *between;
        let (out, arrival) = fabric.ends(links, k);
        let (leaves, arrives) = (df.split_port(out).0, df.split_port(arrival).0);
        let is_leg = fabric.group_links().is_whole()
            || fabric.has_live_cable(End { group: groups.0, port: out })
                && fabric.is_local_hop(groups.0, from, leaves)
                && fabric.is_local_hop(groups.1, arrives, to);
        let hops = 1 + u8::from(leaves != from) + u8::from(arrives != to);
        (out, arrival, if is_leg { hops } else { NO_LEG })
    }

    /// The n-th of the shortest legs: the ends of its link.
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(super) fn nth_shortest(
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
    pub(super) fn draw_leg(
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
    pub(super) fn first_leg(&self, group: GroupId, index: SwitchIndex) -> Between {
        Between { groups: (self.image.group(), group), from: self.image.index(), to: index }
    }

    /// The ends of the second leg from a switch between.
    #[inline]
    pub(super) const fn second_leg(to: &Place, group: GroupId, index: SwitchIndex) -> Between {
        Between { groups: (group, to.group), from: index, to: to.index }
    }
}
