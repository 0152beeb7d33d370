//! Local hops between switches of a group that share several links, or none, and paths around dead parts.
//!
//! Most fabrics are *plain*: one link joins every two switches of a group, nothing is dead, and this module is not
//! used. In others:
//!
//! - **Several links.** The first hop of a packet takes one of them at random, and each later local hop
//!   one by the bits of its route and destination, so that a later hop of one route to one node always
//!   takes the same link.
//! - **No link.** A VLB route over such a hop is not drawn. A MIN path avoids it by another global link if it can; if
//!   every global link needs such a hop, the packet goes through a third switch that is linked to both, and within a
//!   group likewise. In its source group it then makes two local hops, like a packet that PAR's second look sends on,
//!   and in its destination's group two, like a VLB packet in the group between. In the plan there is such a third
//!   switch for any two that have nodes.
//!
//! Dead links and switches, and dead cables between groups, count as absent: no path over one is drawn, and the
//! remaining paths are drawn as uniformly as otherwise. If the fault image says that they are only drained, a packet in
//! transit still crosses them if it has no other way. A set may then have no path for a pair, until images arrive that
//! say so.
//!
//! Work is bounded: a hop without a link examines each switch of the group, all others one pair.

use crate::path::Path;
use crate::random::{split, word};
use crate::{Header, Switch};
use rand_core::Rng;
use tvlb_schema::{FabricImage, GroupId, Port, SwitchIndex};

/// More local hops than any path makes in one group.
const NO_HOPS: u8 = u8::MAX;

/// A word that looks random, the same for all packets of one route to one node.
pub(crate) fn spread_of(header: Header) -> u32 {
    // Without stage, virtual channel and kind. The multiplier is that of `SplitMix64`'s sequence.
    let bits = (header.bits() >> 8).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((bits >> 32 ^ bits >> 15) & 0xffff_ffff) as u32
}

impl Switch<'_> {
    /// The port of one of the links to a switch of this group with a link, by this random word.
    pub(crate) fn port_to(&self, next: SwitchIndex, random: u32) -> Port {
        self.port_in(self.image.fabric(), next, random)
    }

    /// The same in another view of its fabric.
    #[inline(never)]
    pub(crate) fn port_in(&self, fabric: &FabricImage<'_>, next: SwitchIndex, random: u32) -> Port {
        let here = self.image.index();
        let (group, ends) = (self.image.group(), (here, next));
        let links = fabric.local_links(group, here, next);
        let k = fabric.nth_live_local_link(group, ends, split(random, links).0);
        let switches = self.image.switches_of_group();
        self.dragonfly().nth_local_port(switches, ends, k)
    }

    /// The port of the first link to a switch of this group, if there is one.
    #[inline(never)]
    pub(crate) fn first_port_to(&self, next: SwitchIndex) -> Option<Port> {
        let (fabric, here) = (self.image.fabric(), self.image.index());
        let is_linked =
            self.image.has_index(next) && fabric.local_links(self.image.group(), here, next) > 0;
        is_linked.then(|| self.port_to(next, 0))
    }

    /// A switch that is linked to this one and to another of its group, by this random word.
    pub(crate) fn third(&self, next: SwitchIndex, random: u32) -> Option<SwitchIndex> {
        self.third_in(self.image.fabric(), next, random)
    }

    /// The same in another view of its fabric.
    #[inline(never)]
    pub(crate) fn third_in(
        &self,
        fabric: &FabricImage<'_>,
        next: SwitchIndex,
        random: u32,
    ) -> Option<SwitchIndex> {
        let group = self.image.group();
        let ends = (self.image.index(), next);
        let count = fabric.relay_count(group, ends.0, ends.1);
        fabric.relay(group, ends, split(random, count).0)
    }

    /// The hops from one switch of a group to another: 0, 1, 2 if they share no link, and [`NO_HOPS`] if no third
    /// switch has links to both either.
    #[inline(never)]
    pub(crate) fn local_hops(&self, group: GroupId, from: SwitchIndex, to: SwitchIndex) -> u8 {
        let fabric = self.image.fabric();
        if fabric.is_local_hop(group, from, to) {
            u8::from(from != to)
        } else if fabric.relay_count(group, from, to) > 0 {
            2
        } else {
            NO_HOPS
        }
    }

    /// The same path, with any of the links of its first hop if that is a local one.
    #[cold]
    #[inline(never)]
    pub(crate) fn spread(&self, path: Path, rng: &mut (impl Rng + ?Sized)) -> Path {
        let df = self.dragonfly();
        if self.image.fabric().tiers().is_some() {
            return path;
        }
        let (switches, port) = (self.image.switches_of_group(), path.first_port());
        match df.local_end(switches, self.image.index(), port) {
            Some((next, _)) => path.by(self.port_to(next, word(rng))),
            None => path,
        }
    }
}
