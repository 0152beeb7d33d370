//! How many virtual channels the packets need that a switch may send according to its own image.
//!
//! [`Channels::needed`] is enough for any path that a scheme can draw. A set may leave out the longest of them: one
//! whose routes make at most one hop in the intermediate group needs a local and a global channel less with `ordered`
//! (L0 G0 L1 G1 L2) and with `per-hop`, but the same with `positional`, whose last local hop has channel 3 on every
//! path. Here each possible path is followed hop by hop, by the rules of forwarding itself.
//!
//! Promise: a switch that has these channels sends no packet, whatever dies, that needs another one. Two kinds of path
//! are therefore included that most switches never send: a MIN path that makes two hops in the group of its
//! destination, around a dead link, and, with PAR, one that makes two in its source group. If links have no spare
//! channel for another detour around a dead part, the switch does not use it.
//!
//! A switch that serves only MIN, in a fabric whose MIN paths are all direct, may have as few channels as these paths
//! take (Prisacari et al. 2013, section 2: two for shortest paths; here under `ordered`). It keeps the promise by
//! refusing fault images.

use crate::channel::{AGAIN, HopKind, Rules, place};
use crate::path::{Path, Place};
use crate::{Channels, Header, Scheme, Stage, Switch, VlbPaths};
use rand_core::Rng;
use tvlb_schema::{Decision, Shape, ShapeSet, VcScheme};

/// A packet on its way, and the channels that it has needed so far.
#[derive(Clone, Copy)]
struct ChannelWalk {
    rules: &'static Rules,
    header: Header,
    needed: Channels,
}

impl ChannelWalk {
    /// A packet at its source.
    fn new(assignment: VcScheme) -> Self {
        Self::at(Rules::of(assignment), Header::from_bits(0))
    }

    /// A packet at the place in its header.
    const fn at(rules: &'static Rules, header: Header) -> Self {
        Self { rules, header, needed: Channels { local: 0, global: 0 } }
    }

    /// One hop, over the link at this place of a path, to this stage.
    const fn hop(self, at: u32, arrives: Stage) -> Self {
        let channel = self.rules.assign(self.header, at);
        let count = channel.saturating_add(1);
        let is_local = at & 1 == HopKind::Local as u32;
        let used = if is_local {
            Channels { local: count, global: 0 }
        } else {
            Channels { local: 0, global: count }
        };
        let header = self.header.moved(arrives as u32, channel);
        Self { header, needed: self.needed.or(used), ..self }
    }

    const fn local_hop(self, arrives: Stage) -> Self {
        self.hop(place(self.header.stage_code(), HopKind::Local), arrives)
    }

    const fn global_hop(self, arrives: Stage) -> Self {
        self.hop(place(self.header.stage_code(), HopKind::Global), arrives)
    }

    /// This many local hops in the source group, at most two, and the link that leaves it.
    fn out_of_source(self, local_hops: u8, arrives: Stage) -> Self {
        let mut walk = self;
        if local_hops > 0 {
            walk = walk.local_hop(Stage::SourceLocal);
        }
        if local_hops > 1 {
            walk = walk.hop(AGAIN, Stage::SourceLocalAgain);
        }
        walk.global_hop(arrives)
    }

    /// From the arrival of a VLB packet in its intermediate group: this many hops within that, at most two, and within
    /// the group of its destination, at most one.
    const fn onward(self, mid: u32, tail: u32) -> Self {
        let mut walk = self;
        if mid > 1 {
            walk = walk.local_hop(Stage::MiddleDetour);
        }
        if mid > 0 {
            walk = walk.local_hop(Stage::MiddleLocal);
        }
        walk = walk.global_hop(Stage::Destination);
        if tail > 0 {
            walk = walk.local_hop(Stage::DestinationLocal);
        }
        walk
    }
}

/// By VC scheme, in the order of their codes: the needs of a VLB packet from its arrival in its intermediate group, if
/// it makes two hops there, above the channel of the first of them.
const ABOVE_FIRST: [Channels; 4] = [
    above_first(VcScheme::Ordered),
    above_first(VcScheme::PerHop),
    above_first(VcScheme::Positional),
    above_first(VcScheme::UpDown),
];

const fn above_first(assignment: VcScheme) -> Channels {
    let (rules, header) =
        (Rules::of(assignment), Header::from_bits(0).moved(Stage::Middle as u32, 0));
    let Channels { local, global } = ChannelWalk::at(rules, header).onward(2, 1).needed;
    let first = rules.assign(header, AT_MIDDLE);
    Channels { local: local - first, global: global - first }
}

/// The place of a local hop with which a VLB packet goes on after its arrival in the intermediate group.
const AT_MIDDLE: u32 = place(Stage::Middle as u32, HopKind::Local);

/// The needs of a MIN path with one local hop in its source group, and one in that of its destination.
fn by_direct_min(assignment: VcScheme) -> Channels {
    let arrived = ChannelWalk::new(assignment).out_of_source(1, Stage::Destination);
    arrived.local_hop(Stage::DestinationLocal).needed
}

/// The needs of a MIN path with this many local hops in its source group, and two in that of its destination, as around
/// a dead link there.
fn by_min(assignment: VcScheme, local_hops: u8) -> Channels {
    let arrived = ChannelWalk::new(assignment).out_of_source(local_hops, Stage::Destination);
    let third = arrived.hop(place(Stage::Middle as u32, HopKind::Local), Stage::MiddleLocal);
    third.local_hop(Stage::DestinationLocal).needed
}

/// The needs of two hops within one group.
fn within_group(assignment: VcScheme) -> Channels {
    let third = ChannelWalk::new(assignment).local_hop(Stage::SourceLocal);
    third.local_hop(Stage::DestinationLocal).needed
}

/// The needs of a route of this shape that begins after `hops_before` local hops of the source group, 0 or 1.
fn by_route(assignment: VcScheme, shape: Shape, hops_before: u8) -> Channels {
    let head = hops_before.saturating_add(shape.head());
    let arrived = ChannelWalk::new(assignment).out_of_source(head, Stage::Middle);
    arrived.onward(shape.mid().into(), shape.tail().into()).needed
}

/// The local hops that a packet has made before a decision.
const fn hops_before(decision: Decision) -> u8 {
    matches!(decision, Decision::ParSecond) as u8
}

impl Channels {
    /// The needs of MIN packets that make two local hops in their source group.
    pub(crate) fn for_thirds(assignment: VcScheme) -> Self {
        by_min(assignment, 2)
    }

    /// The larger number on each kind of link.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            local: if self.local > other.local { self.local } else { other.local },
            global: if self.global > other.global { self.global } else { other.global },
        }
    }

    /// Whether there are at least these on each kind of link.
    pub const fn have(self, needed: Self) -> bool {
        self.local >= needed.local && self.global >= needed.global
    }
}

impl Switch<'_> {
    /// The virtual channels for the packets of a scheme that this switch sends by these paths: those of
    /// [`Self::channels_needed`] if VLB paths are conventional, and the needs of the longest paths of the image's sets
    /// if they are the sets'. Packets of all switches share the links, so a link needs the most that any switch of the
    /// fabric states.
    ///
    /// If no cable joins this switch's group with some other one, a pair without a route in the set takes a
    /// conventional path there, and only a search could tell whether there is such a pair. Then nothing is saved.
    ///
    /// MIN needs only the channels of its direct paths, at most one local hop at each end, if the plan joins this
    /// switch's group with every other one and all switches of a group with each other, or, if channels are assigned
    /// `up-down`, all leaves of a group with all its spines, which all have higher indices than leaves or all lower
    /// ones, and nothing is dead. Otherwise MIN packets go around missing links, or take VLB, and MIN needs the
    /// channels of UGAL-L.
    ///
    /// # Example
    /// ```
    /// use tvlb_firmware_model::{Channels, Scheme, Switch, VlbPaths};
    ///
    /// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v3/");
    /// # let fabric_image = std::fs::read(format!("{golden}fabric.tvlb"))?;
    /// # let switch_image = std::fs::read(format!("{golden}switch-00005.tvlb"))?;
    /// let switch = Switch::boot(&fabric_image, &switch_image)?;
    /// let most = switch.channels_needed(Scheme::UgalL);
    /// assert!(most.have(switch.channels_needed_for(Scheme::UgalL, VlbPaths::Custom)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn channels_needed_for(&self, scheme: Scheme, paths: VlbPaths) -> Channels {
        if matches!(scheme, Scheme::Min) && self.has_direct_min_alone() {
            return by_direct_min(self.image.virtual_channels());
        }
        let most = self.channels_needed(scheme);
        match paths {
            VlbPaths::Conventional => most,
            VlbPaths::Custom => {
                let needed = self.channels_of_sets(scheme);
                if needed == most || self.is_joined_with_all() { needed } else { most }
            }
        }
    }

    fn channels_of_sets(&self, scheme: Scheme) -> Channels {
        let assignment = self.image.virtual_channels();
        let is_par = matches!(scheme, Scheme::Par);
        let goes_by_thirds = is_par || !self.image.fabric().planned_group_links().is_whole();
        let head = if goes_by_thirds { 2 } else { 1 };
        let mut needed = within_group(assignment).or(by_min(assignment, head));
        let second = is_par.then_some(Decision::ParSecond);
        for decision in [Some(scheme.decision()), second].into_iter().flatten() {
            for shape in self.image.set(decision).rule().shapes().iter() {
                needed = needed.or(by_route(assignment, shape, hops_before(decision)));
            }
        }
        needed
    }

    /// The most hops within its intermediate group for which the links have channels for a VLB packet there, at most
    /// two; `None` if they lack them for the way out.
    #[inline]
    pub(crate) fn most_hops_onward(&self, header: Header) -> Option<u8> {
        let first = self.rules.assign(header, AT_MIDDLE);
        let Channels { local, global } = ABOVE_FIRST[self.image.virtual_channels() as usize];
        let needed = Channels { local: first + local, global: first + global };
        if self.channels.have(needed) { Some(2) } else { self.fewer_hops_onward(header) }
    }

    #[cold]
    #[inline(never)]
    fn fewer_hops_onward(&self, header: Header) -> Option<u8> {
        let walk = ChannelWalk::at(self.rules, header);
        (0..=2).rev().find(|&mid| self.channels.have(walk.onward(mid.into(), 1).needed))
    }

    /// Whether all MIN packets of this switch take direct paths.
    fn has_direct_min_alone(&self) -> bool {
        let fabric = self.image.fabric();
        fabric.is_faultless()
            && self.is_joined_with_all()
            && (fabric.planned_group_links().is_whole()
                || self.image.virtual_channels() == VcScheme::UpDown && fabric.has_two_tiers())
    }

    /// Whether some cable of the plan joins this switch's group with each other one. An absent group has no
    /// destinations.
    fn is_joined_with_all(&self) -> bool {
        let (fabric, own) = (self.image.fabric(), self.image.group());
        let mut groups = self.dragonfly().groups();
        groups.all(|group| group == own || fabric.link_count(own, group) > 0)
    }

    /// A VLB path if the set has none and there is no MIN path either: a conventional one for which the links have
    /// channels. If they have too few for all, it has at most one hop in the intermediate group, and is drawn uniformly
    /// from the first [`crate::MOST_VISITED`] cells.
    #[cold]
    #[inline(never)]
    pub(crate) fn draw_in_place_of_set(
        &self,
        to: &Place,
        decision: Decision,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let assignment = self.image.virtual_channels();
        let scheme = if hops_before(decision) > 0 { Scheme::Par } else { Scheme::Vlb };
        if to.group == self.image.group()
            || self.channels.have(Channels::needed(assignment, scheme))
        {
            return self.draw_vlb(to, decision, VlbPaths::Conventional, rng);
        }
        let mut shapes = ShapeSet::EMPTY;
        for shape in Shape::all() {
            if self.channels.have(by_route(assignment, shape, hops_before(decision))) {
                shapes = shapes.or(ShapeSet::only(shape));
            }
        }
        self.draw_direct(to, shapes, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The needs of routes of shapes of at most these hops, from the source or after one hop.
    fn routes(assignment: VcScheme, most: (u8, u8, u8), hops_before: u8) -> Channels {
        let top = Shape::new(most.0, most.1, most.2).unwrap();
        let shapes = Shape::all().filter(|shape| shape.is_within(top));
        let none = Channels { local: 0, global: 0 };
        shapes.fold(none, |all, shape| all.or(by_route(assignment, shape, hops_before)))
    }

    #[test]
    fn all_shapes_need_what_any_path_needs() {
        for assignment in VcScheme::ALL {
            let all = |hops_before| routes(assignment, (1, 2, 1), hops_before);
            assert_eq!(all(0), Channels::needed(assignment, Scheme::UgalL), "{assignment:?}");
            assert_eq!(all(1), Channels::needed(assignment, Scheme::Par), "{assignment:?}");
            // And no other path needs more, except one that only `positional` has no channel for.
            assert!(all(0).have(within_group(assignment)));
            assert!(all(0).have(by_min(assignment, 1)));
            assert!(all(1).have(by_min(assignment, 2)));
            let is_positional = assignment == VcScheme::Positional;
            assert_eq!(all(0).have(by_min(assignment, 2)), !is_positional);
        }
    }

    /// The sum replaces a walk wherever it says that there are enough channels.
    #[test]
    fn above_the_first_channel_a_way_on_needs_what_a_walk_says() {
        for (assignment, above) in VcScheme::ALL.into_iter().zip(ABOVE_FIRST) {
            let rules = Rules::of(assignment);
            for channel in 0..8 {
                let header = Header::from_bits(0).moved(Stage::Middle as u32, channel);
                let first = rules.assign(header, AT_MIDDLE);
                let sum = Channels { local: first + above.local, global: first + above.global };
                let walked = ChannelWalk::at(rules, header).onward(2, 1).needed;
                assert!(sum.have(walked), "{assignment:?} {channel}");
                assert!(channel > 3 || sum == walked, "{assignment:?} {channel}");
            }
        }
    }

    #[test]
    fn shapes_with_one_hop_in_the_middle_need_fewer() {
        let needed = |assignment, hops_before| {
            let Channels { local, global } = routes(assignment, (1, 1, 1), hops_before);
            (local, global)
        };
        assert_eq!([0, 1].map(|hops| needed(VcScheme::Ordered, hops)), [(3, 2), (4, 3)]);
        assert_eq!([0, 1].map(|hops| needed(VcScheme::PerHop, hops)), [(5, 4), (6, 5)]);
        assert_eq!([0, 1].map(|hops| needed(VcScheme::Positional, hops)), [(4, 2), (5, 2)]);
        // Without a hop in the middle `ordered` needs as many: the third local channel is the last hop's.
        let none = routes(VcScheme::Ordered, (1, 0, 1), 0);
        assert_eq!(none, Channels { local: 3, global: 2 });
    }
}
