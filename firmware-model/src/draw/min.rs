//! Draws a MIN path: one of the links between two groups, uniformly, or a link within one.
//!
//! If local hops have no link, a MIN path avoids them by another global link if it can: see [`crate::local_hop`].

use crate::path::{Path, Place};
use crate::random::{below, word};
use crate::{Channels, Stage, Switch};
use rand_core::Rng;
use tvlb_schema::{End, GlobalPort, Links, Port, SwitchIndex};

impl Switch<'_> {
    /// A MIN path: one of the links between the two groups, uniformly, or a link within this one. For local hops
    /// without a link, see [`crate::local_hop`].
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn draw_min(&self, to: &Place, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        let (fabric, df) = (self.image.fabric(), self.dragonfly());
        if !fabric.group_links().is_single() {
            return self.draw_min_by_links(to, true, rng);
        }
        if to.group == self.image.group() {
            let port = df.local_port(self.image.index(), to.index);
            let first = (port, Stage::DestinationLocal);
            return Path::new(first, GlobalPort(0), GlobalPort(0), SwitchIndex(0), 1);
        }
        let links = fabric.links_between(self.image.group(), to.group);
        let k = if links.count() > 1 { below(rng, links.count()) } else { 0 };
        let (x, z) = fabric.nth(links, k)?;
        let (first, head) = self.way_out(x, Stage::Destination);
        let tail = df.split_port(z).0 != to.index;
        Path::new(first, x, GlobalPort(0), SwitchIndex(0), 1 + u8::from(head) + u8::from(tail))
    }

    /// A MIN path, uniformly by the link between the groups, over those whose local hops have links. If there are none,
    /// and only if `thirds` says so, over all links, through third switches.
    #[cold]
    #[inline(never)]
    pub(crate) fn draw_min_by_links(
        &self,
        to: &Place,
        thirds: bool,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let (fabric, df) = (self.image.fabric(), self.dragonfly());
        let (group, here) = (self.image.group(), self.image.index());
        let none = (GlobalPort(0), SwitchIndex(0));
        if to.group == group {
            if fabric.local_links(group, here, to.index) == 0 {
                return None;
            }
            let first = (self.port_to(to.index, word(rng)), Stage::DestinationLocal);
            return Path::new(first, none.0, none.0, none.1, 1);
        }
        let links = fabric.links_between(group, to.group);
        if let Some(path) = self.draw_min_between_tiers(to, links, rng) {
            return Some(path);
        }
        let hops = |k| {
            let (x, z) = fabric.ends(links, k);
            let head = self.local_hops(group, here, df.split_port(x).0);
            (x, head, self.local_hops(to.group, df.split_port(z).0, to.index))
        };
        // How many links have local hops of at most this many each, and the one of them with this number.
        let is_of = |k: u32, most: u8| {
            let (x, head, tail) = hops(k);
            let lives = fabric.is_faultless() || fabric.has_live_cable(End { group, port: x });
            head.max(tail) <= most && lives
        };
        let count_of =
            |most| (0..links.count()).filter(|&k| is_of(k, most)).fold(0_u32, |count, _| count + 1);
        let mut most = 1;
        let mut count =
            if fabric.group_links().is_whole() { links.count() } else { count_of(most) };
        if count == 0 && thirds && self.has_channel_for_thirds() {
            most = 2;
            count = count_of(most);
        }
        if count == 0 {
            return None;
        }
        let number = below(rng, count);
        let k = if count == links.count() {
            number
        } else {
            (0..links.count()).filter(|&k| is_of(k, most)).nth(number as usize)?
        };
        let (x, head, tail) = if most == 1 {
            let (x, z) = fabric.ends(links, k);
            let is_hop = |from, to| u8::from(from != to);
            (x, is_hop(here, df.split_port(x).0), is_hop(df.split_port(z).0, to.index))
        } else {
            hops(k)
        };
        let first = if let Some(slot) = self.image.own_slot(x) {
            (df.slot_port(slot), Stage::Destination)
        } else {
            let leaves = df.split_port(x).0;
            let next = if head == 1 { leaves } else { self.third(leaves, word(rng))? };
            (self.port_to(next, word(rng)), Stage::SourceLocal)
        };
        Path::new(first, x, none.0, none.1, 1 + head + tail)
    }

    /// The MIN path over a drawn link, if its local hops have links, in groups of two tiers. A caller that draws among
    /// all remaining links has then drawn uniformly.
    #[inline]
    fn draw_min_between_tiers(
        &self,
        to: &Place,
        links: Links,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let (tiers, df) = (self.image.fabric().tiers()?, self.dragonfly());
        let k = if links.count() > 1 { below(rng, links.count()) } else { 0 };
        let (x, z) = self.image.fabric().nth(links, k)?;
        let (leaves, arrives) = (df.split_port(x).0, df.split_port(z).0);
        let (here, there) = (self.image.index(), to.index);
        let is_hop = |from, to| from == to || (from < tiers) != (to < tiers);
        if !is_hop(here, leaves) || !is_hop(arrives, there) {
            return None;
        }
        let (first, head) = self.way_out(x, Stage::Destination);
        let hops = 1 + u8::from(head) + u8::from(arrives != there);
        Path::new(first, x, GlobalPort(0), SwitchIndex(0), hops)
    }

    /// A MIN path within this group to a switch to which the plan has no link: through a third switch.
    #[cold]
    #[inline(never)]
    pub(crate) fn draw_min_over_third(
        &self,
        to: &Place,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let (fabric, group, here) = (self.image.fabric(), self.image.group(), self.image.index());
        if to.group != group || fabric.planned_local_links(group, here, to.index) > 0 {
            return None;
        }
        let third = self.third(to.index, word(rng))?;
        let first = (self.port_to(third, word(rng)), Stage::MiddleLocal);
        Path::new(first, GlobalPort(0), GlobalPort(0), SwitchIndex(0), 2)
    }

    /// Whether a MIN packet has channels for a second local hop in its source group. If the plan joins all switches of
    /// a group, links may have too few for that.
    fn has_channel_for_thirds(&self) -> bool {
        self.channels.have(Channels::for_thirds(self.image.virtual_channels()))
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
        if self.image.fabric().group_links().is_single() {
            path
        } else {
            Some(self.spread(path?, rng))
        }
    }

    /// The physical port of a packet's first hop to leave the group through x, and the stage after that hop if it is x
    /// itself; and whether it is a local hop instead, over the first of its links.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn way_out(&self, x: GlobalPort, behind_x: Stage) -> ((Port, Stage), bool) {
        let df = self.dragonfly();
        if let Some(slot) = self.image.own_slot(x) {
            return ((df.slot_port(slot), behind_x), false);
        }
        let port = df.local_port(self.image.index(), df.split_port(x).0);
        ((port, Stage::SourceLocal), true)
    }
}
