//! What a draw looks for, and what it finds: the two links that a cell names, and the path over them.

use super::cells::{Cells, LinkPair, Stratum, global_port, low_u16};
use crate::path::{Path, Place};
use crate::{Stage, Switch};
use tvlb_schema::{End, GlobalPort, Port, Route, SetView, Shape, SwitchIndex};

/// Where a VLB path is to lead, the set that it is to be of (a triple where there is none), and the
/// cells in which such paths lie.
pub(crate) struct Wanted<'s> {
    pub(crate) to: &'s Place,
    pub(crate) set: Option<&'s SetView<'s>>,
    pub(crate) strata: &'s [Cells],
}

/// Finding; `to` is a place in another group.
impl Switch<'_> {
    /// Whether two links are of a stratum and end as a shape that is wanted of it does.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn fits(&self, links: LinkPair, cells: &Cells) -> bool {
        cells.wants(links.tail)
            && (cells.stratum == Stratum::All
                || cells.head() != self.image.own_slot(links.x).is_some())
    }

    /// As [`Self::fits`], for links that a cell of the stratum has named. Of these, only a port of the
    /// destination's group can have named a first link of this switch, which another stratum holds.
    #[inline]
    pub(crate) fn named_fit(&self, links: LinkPair, cells: &Cells) -> bool {
        if cfg!(target_os = "none") {
            return self.fits(links, cells);
        }
        if cells.stratum == Stratum::Theirs && self.image.own_slot(links.x).is_some() {
            return false;
        }
        cells.wants(links.tail)
    }

    /// The two links that a port and a number k name; `None` where the port leads nowhere from where
    /// the destination's group can be reached by a k-th link, and then by no later one either.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    pub(crate) fn links(&self, to: &Place, cells: &Cells, port: u32, k: u32) -> Option<LinkPair> {
        if cells.stratum == Stratum::Theirs {
            let z = self.dragonfly().global_port(to.index, low_u16(port));
            return self.links_by_z(to, z, k);
        }
        self.links_by_x(to, self.first_link(cells, port), k)
    }

    /// The first link of the cells with this port, of a stratum that counts ports of this group.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn first_link(&self, cells: &Cells, port: u32) -> GlobalPort {
        let h = self.dragonfly().h();
        let own = u32::from(self.image.index().0) * h;
        global_port(match cells.stratum {
            Stratum::Own => own + port,
            Stratum::Others if port >= own => port + h,
            Stratum::Others | Stratum::Theirs | Stratum::All => port,
        })
    }

    /// As [`Self::links`], where k counts the links from behind port x of this group.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    pub(crate) fn links_by_x(&self, to: &Place, x: GlobalPort, k: u32) -> Option<LinkPair> {
        let (fabric, df) = (self.image.fabric(), self.dragonfly());
        let End { group: middle, port: v } = self.image.behind(x)?;
        if middle == to.group {
            return None;
        }
        let second = fabric.links_between(middle, to.group);
        if k >= second.count() {
            return None;
        }
        let (y, z) = fabric.ends(second, k);
        let tail = df.split_port(z).0 != to.index;
        Some(LinkPair { x, y, tail, v: df.split_port(v).0, w: df.split_port(y).0 })
    }

    /// As [`Self::links`], where k counts the links from this group to behind port z of the
    /// destination's.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn links_by_z(&self, to: &Place, z: GlobalPort, k: u32) -> Option<LinkPair> {
        let (fabric, df, group) = (self.image.fabric(), self.dragonfly(), self.image.group());
        let (middle, kz) = fabric.link_behind(End { group: to.group, port: z })?;
        let first = fabric.links_between(group, middle);
        if middle == group || k >= first.count() {
            return None;
        }
        let (x, v) = fabric.ends(first, k);
        let (_, y) = fabric.ends(fabric.links_between(to.group, middle), kz);
        Some(LinkPair { x, y, tail: false, v: df.split_port(v).0, w: df.split_port(y).0 })
    }

    /// The route that a cell holds, if it has a shape that is wanted and the set keeps it; where
    /// there is no set, the triple.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    pub(crate) fn path_in(
        &self,
        wanted: &Wanted<'_>,
        links: LinkPair,
        cells: &Cells,
        way: u32,
    ) -> Option<Path> {
        let Some(set) = wanted.set else { return self.triple(wanted.to, links, way) };
        let direct = u32::from(cells.direct);
        let (detour, mid) = if way < direct {
            (None, u8::from(links.v != links.w))
        } else {
            (Some(detour_number(way - direct, links.v, links.w)?), 2)
        };
        self.kept(wanted.to, set, links, cells.shape(mid, links.tail)?, detour)
    }

    /// The route over two links with this detour or none, if the set keeps it.
    #[inline]
    pub(super) fn kept(
        &self,
        to: &Place,
        set: &SetView<'_>,
        links: LinkPair,
        shape: Shape,
        detour: Option<SwitchIndex>,
    ) -> Option<Path> {
        if let Some(r) = detour
            && !self.dragonfly().is_even()
            && !self.is_beside(links.x, r.0.into())
        {
            return None;
        }
        if !set.keeps_all(shape) {
            let route = Route { x: links.x, y: links.y, detour };
            let key = route.key(self.dragonfly(), self.image.switch(), to.switch);
            if !set.keeps_some(shape, key) {
                return None;
            }
        }
        self.path(to, links, detour.unwrap_or(links.w), shape.mid())
    }

    /// The triple of two links and the number of R in the intermediate group.
    #[inline]
    pub(crate) fn triple(&self, to: &Place, links: LinkPair, r: u32) -> Option<Path> {
        if !self.dragonfly().is_even() && !self.is_beside(links.x, r) {
            return None;
        }
        self.triple_over(to, links, r)
    }

    /// As [`Self::triple`], where the intermediate group has as many switches as any.
    #[inline]
    pub(super) fn triple_over(&self, to: &Place, links: LinkPair, r: u32) -> Option<Path> {
        let r = SwitchIndex(u8::try_from(r).ok()?);
        // Where R is at either end of the local hop between v and w, the walk has no detour.
        let detour = if r == links.v { links.w } else { r };
        let mid = u8::from(links.v != r) + u8::from(r != links.w);
        self.path(to, links, detour, mid)
    }

    /// Whether the group after port x has a switch of this index. Detours are drawn from as many as the
    /// largest group has.
    #[cold]
    #[inline(never)]
    pub(super) fn is_beside(&self, x: GlobalPort, detour: u32) -> bool {
        let middle = self.image.behind(x);
        middle.is_some_and(|End { group, .. }| detour < self.dragonfly().switches_of(group))
    }

    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(super) fn path(
        &self,
        to: &Place,
        links: LinkPair,
        detour: SwitchIndex,
        mid: u8,
    ) -> Option<Path> {
        if !self.image.fabric().has_whole_groups() && !self.has_links(to, links, detour) {
            return None;
        }
        let (first, head) = self.way_out(links.x, Stage::Middle);
        let hops = 2 + u8::from(head) + mid + u8::from(links.tail);
        Path::new(first, links.x, links.y, detour, hops)
    }

    /// The physical port by which a packet sets out to leave the group by x, and the stage behind
    /// that hop if it is by x itself; and whether it is a local hop instead, by the first of its links.
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

    /// Whether the local hops of a VLB path by this detour all have links, and its cables live; `to` is
    /// in another group.
    #[cold]
    #[inline(never)]
    pub(crate) fn has_links(&self, to: &Place, links: LinkPair, detour: SwitchIndex) -> bool {
        let (fabric, df) = (self.image.fabric(), self.dragonfly());
        let Some(End { group: middle, .. }) = self.image.behind(links.x) else { return false };
        let Some((_, k)) = fabric.link_behind(End { group: middle, port: links.y }) else {
            return false;
        };
        let (_, z) = fabric.ends(fabric.links_between(middle, to.group), k);
        let (own, here) = (self.image.group(), self.image.index());
        fabric.has_live_cable(End { group: own, port: links.x })
            && fabric.has_live_cable(End { group: middle, port: links.y })
            && fabric.is_local_hop(own, here, df.split_port(links.x).0)
            && fabric.is_local_hop(middle, links.v, detour)
            && fabric.is_local_hop(middle, detour, links.w)
            && fabric.is_local_hop(to.group, df.split_port(z).0, to.index)
    }
}

/// The n-th switch of a group that is neither v nor w; `None` if v is w, since a detour from a
/// switch to itself would revisit it.
pub(super) fn detour_number(n: u32, v: SwitchIndex, w: SwitchIndex) -> Option<SwitchIndex> {
    if v == w {
        return None;
    }
    let (least, most) = if v < w { (v, w) } else { (w, v) };
    let mut index = n;
    if index >= least.0.into() {
        index += 1;
    }
    if index >= most.0.into() {
        index += 1;
    }
    u8::try_from(index).ok().map(SwitchIndex)
}
