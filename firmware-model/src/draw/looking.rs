//! The search of a draw: the two links that a cell selects, and the path over them.

use super::cells::{Cells, DETOURS, LinkPair, OTHERS, OWN, Stratum, THEIRS, global_port, low_u16};
use crate::path::{Path, Place};
use crate::{Stage, Switch};
use tvlb_schema::{End, GlobalPort, Route, RouteKey, SetView, Shape, ShapeSet, SwitchIndex};

/// A switch that searches a VLB path to a switch of another group: a route of a set, or a triple without a set.
#[derive(Clone, Copy)]
pub(super) struct Looking<'l> {
    pub(super) switch: &'l Switch<'l>,
    pub(super) to: &'l Place,
    pub(super) set: Option<&'l SetView<'l>>,
}

impl Looking<'_> {
    /// The cells of the three strata that contain routes of these shapes.
    #[inline]
    pub(super) fn strata(&self, shapes: ShapeSet) -> [Cells; 3] {
        [
            self.stratum(Stratum::Own, shapes),
            self.stratum(Stratum::Theirs, shapes),
            self.stratum(Stratum::Others, shapes),
        ]
    }

    /// The cells of one stratum that contain routes of these shapes.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(super) fn stratum(&self, stratum: Stratum, shapes: ShapeSet) -> Cells {
        let df = self.switch.dragonfly();
        let (of, ports) = match stratum {
            Stratum::Own => (OWN, df.h()),
            Stratum::Theirs => (THEIRS, df.h()),
            Stratum::Others => (OTHERS, df.ports_per_group() - df.h()),
            Stratum::All => (ShapeSet::ALL, df.ports_per_group()),
        };
        let shapes = shapes.and(of);
        let direct = u8::from(!shapes.without(DETOURS).is_empty());
        let detours = if shapes.and(DETOURS).is_empty() { 0 } else { df.a().saturating_sub(2) };
        let links = self.switch.image.fabric().most_links();
        // In one stratum: the shapes without a head, or those with one, which begin with number 6.
        let bits = shapes.bits();
        let wanted = ((bits | bits >> 6) & 0x3f) as u8;
        let ways = u32::from(direct) + detours;
        let [ports, links, ways] = [ports, links, ways].map(low_u16);
        Cells { stratum, wanted, ports, links, ways, direct }
    }

    /// The cells that contain triples: one for each two links and each switch R.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn cells_of_triples(&self) -> Cells {
        let df = self.switch.dragonfly();
        Cells {
            stratum: Stratum::All,
            wanted: 0x3f,
            ports: low_u16(df.ports_per_group()),
            links: low_u16(self.switch.image.fabric().most_links()),
            ways: low_u16(df.a()),
            direct: 0,
        }
    }

    /// Whether two links belong to a stratum and end as one of its wanted shapes does.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(super) fn fits(&self, links: LinkPair, cells: &Cells) -> bool {
        cells.wants(links.tail)
            && (cells.stratum == Stratum::All
                || cells.head() != self.switch.image.own_slot(links.x).is_some())
    }

    /// As [`Self::fits`], for links that a cell of the stratum has selected. Of these, only a port of the destination's
    /// group can select a first link of this switch, which belongs to another stratum.
    #[inline]
    pub(super) fn named_fit(&self, links: LinkPair, cells: &Cells) -> bool {
        if cfg!(target_os = "none") {
            return self.fits(links, cells);
        }
        if cells.stratum == Stratum::Theirs && self.switch.image.own_slot(links.x).is_some() {
            return false;
        }
        cells.wants(links.tail)
    }

    /// The two links selected by a port and a number k; `None` if no k-th link to the destination's group leads on from
    /// the far end of the port, and then there is no later one either.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    pub(super) fn links(&self, cells: &Cells, port: u32, k: u32) -> Option<LinkPair> {
        if cells.stratum == Stratum::Theirs {
            let z = self.switch.dragonfly().global_port(self.to.index, low_u16(port));
            return self.links_by_z(z, k);
        }
        self.links_by_x(self.first_link(cells, port), k)
    }

    /// The first link of the cells with this port, in a stratum that counts ports of this group.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn first_link(&self, cells: &Cells, port: u32) -> GlobalPort {
        let h = self.switch.dragonfly().h();
        let own = u32::from(self.switch.image.index().0) * h;
        global_port(match cells.stratum {
            Stratum::Own => own + port,
            Stratum::Others if port >= own => port + h,
            Stratum::Others | Stratum::Theirs | Stratum::All => port,
        })
    }

    /// As [`Self::links`], where k counts the links onward from the far end of port x of this group.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    pub(super) fn links_by_x(&self, x: GlobalPort, k: u32) -> Option<LinkPair> {
        let (fabric, df) = (self.switch.image.fabric(), self.switch.dragonfly());
        let End { group: middle, port: v } = self.switch.image.behind(x)?;
        if middle == self.to.group {
            return None;
        }
        let second = fabric.links_between(middle, self.to.group);
        if k >= second.count() {
            return None;
        }
        let (y, z) = fabric.ends(second, k);
        let tail = df.split_port(z).0 != self.to.index;
        Some(LinkPair { x, y, tail, v: df.split_port(v).0, w: df.split_port(y).0 })
    }

    /// As [`Self::links`], where k counts the links from this group to the far end of port z of the destination's.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(super) fn links_by_z(&self, z: GlobalPort, k: u32) -> Option<LinkPair> {
        let (fabric, df, group) =
            (self.switch.image.fabric(), self.switch.dragonfly(), self.switch.image.group());
        let (middle, kz) = fabric.link_behind(End { group: self.to.group, port: z })?;
        let first = fabric.links_between(group, middle);
        if middle == group || k >= first.count() {
            return None;
        }
        let (x, v) = fabric.ends(first, k);
        let (_, y) = fabric.ends(fabric.links_between(self.to.group, middle), kz);
        Some(LinkPair { x, y, tail: false, v: df.split_port(v).0, w: df.split_port(y).0 })
    }

    /// The route in a cell, if its shape is wanted and the set keeps it; without a set, the triple.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    pub(super) fn path_in(&self, links: LinkPair, cells: &Cells, way: u32) -> Option<Path> {
        let Some(set) = self.set else { return self.triple(links, way) };
        let direct = u32::from(cells.direct);
        let (detour, mid) = if way < direct {
            (None, u8::from(links.v != links.w))
        } else {
            (Some(detour_number(way - direct, links.v, links.w)?), 2)
        };
        self.kept(set, links, cells.shape(mid, links.tail)?, detour)
    }

    /// The route over two links with or without this detour, if the set keeps it.
    #[cfg_attr(target_os = "none", inline)]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    pub(super) fn kept(
        &self,
        set: &SetView<'_>,
        links: LinkPair,
        shape: Shape,
        detour: Option<SwitchIndex>,
    ) -> Option<Path> {
        if let Some(r) = detour
            && !self.switch.dragonfly().is_even()
            && !self.is_beside(links.x, r.0.into())
        {
            return None;
        }
        if !set.keeps_all(shape) {
            let route = Route { x: links.x, y: links.y, detour };
            let df = self.switch.dragonfly();
            if !keeps_some(set, shape, route.key(df, self.switch.image.switch(), self.to.switch)) {
                return None;
            }
        }
        self.path(links, detour.unwrap_or(links.w), shape.mid())
    }

    /// The triple of two links and the number of R in the intermediate group.
    #[inline]
    pub(super) fn triple(&self, links: LinkPair, r: u32) -> Option<Path> {
        if !self.switch.dragonfly().is_even() && !self.is_beside(links.x, r) {
            return None;
        }
        self.triple_over(links, r)
    }

    /// As [`Self::triple`], if the intermediate group has as many switches as any.
    #[inline]
    pub(super) fn triple_over(&self, links: LinkPair, r: u32) -> Option<Path> {
        let r = SwitchIndex(u8::try_from(r).ok()?);
        // If R is at either end of the local hop between v and w, the walk has no detour.
        let detour = if r == links.v { links.w } else { r };
        let mid = u8::from(links.v != r) + u8::from(r != links.w);
        self.path(links, detour, mid)
    }

    /// Whether the group after port x has a switch of this index. Detours are drawn from as many as the largest group
    /// has.
    #[cold]
    #[inline(never)]
    pub(super) fn is_beside(&self, x: GlobalPort, detour: u32) -> bool {
        let middle = self.switch.image.behind(x);
        middle.is_some_and(|End { group, .. }| detour < self.switch.dragonfly().switches_of(group))
    }

    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(super) fn path(&self, links: LinkPair, detour: SwitchIndex, mid: u8) -> Option<Path> {
        if !self.switch.image.fabric().group_links().is_whole() && !self.has_links(links, detour) {
            return None;
        }
        let (first, head) = self.switch.way_out(links.x, Stage::Middle);
        let hops = 2 + u8::from(head) + mid + u8::from(links.tail);
        Path::new(first, links.x, links.y, detour, hops)
    }

    /// Whether all local hops of a VLB path with this detour have links, and its cables are live; `to` is in another
    /// group.
    #[cold]
    #[inline(never)]
    pub(super) fn has_links(&self, links: LinkPair, detour: SwitchIndex) -> bool {
        let (fabric, df) = (self.switch.image.fabric(), self.switch.dragonfly());
        let Some(End { group: middle, .. }) = self.switch.image.behind(links.x) else {
            return false;
        };
        let (own, here) = (self.switch.image.group(), self.switch.image.index());
        // Most that fail lack one of the first two.
        let has_others = fabric.is_local_hop(middle, links.v, detour)
            && fabric.is_local_hop(middle, detour, links.w)
            && fabric.is_local_hop(own, here, df.split_port(links.x).0);
        let live = || {
            fabric.has_live_cable(End { group: own, port: links.x })
                && fabric.has_live_cable(End { group: middle, port: links.y })
        };
        if !has_others || !fabric.is_faultless() && !live() {
            return false;
        }
        let Some((_, k)) = fabric.link_behind(End { group: middle, port: links.y }) else {
            return false;
        };
        let (_, z) = fabric.ends(fabric.links_between(middle, self.to.group), k);
        fabric.is_local_hop(self.to.group, df.split_port(z).0, self.to.index)
    }
}

/// Whether the route with this key is in a set that does not have every route of its shape.
// Separate on a host, so that draws of whole shapes need no registers for the hash.
#[cfg_attr(target_os = "none", inline)]
#[cfg_attr(not(target_os = "none"), inline(never))]
fn keeps_some(set: &SetView<'_>, shape: Shape, key: RouteKey) -> bool {
    set.keeps_some(shape, key)
}

/// The n-th switch of a group that is neither v nor w; `None` if v is w, because a detour from a switch to itself would
/// revisit it.
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
