//! Drawing a path for one packet: a MIN path, a conventional VLB triple, or a route of a T-VLB set.
//!
//! Sets are rules, so routes are not listed anywhere; they are found in cells (see [`crate::cells`]).

use crate::cells::{
    Cells, Links, MOST_TRIES, MOST_VISITED, Stratum, below, count, draw_cell, global_port,
};
use crate::path::{Path, Place};
use crate::{Stage, Switch};
use rand_core::Rng;
use tvlb_schema::{Decision, DrawRule, GlobalPort, Index, Port, Route, SetView, Shape, ShapeSet};

/// Drawing for packets from this switch; `to` is a place in another group where nothing else is said.
impl Switch<'_> {
    /// A MIN path: one of the links between the two groups, uniformly, or the link within this one.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn draw_min(&self, to: Place, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        let (fabric, df) = (self.image.fabric(), self.dragonfly());
        if to.group == self.image.group() {
            let port = df.local_port(self.image.index(), to.index);
            let first = (port, Stage::DestinationLocal);
            return Path::new(first, GlobalPort(0), GlobalPort(0), Index(0), 1);
        }
        let links = fabric.links_between(self.image.group(), to.group);
        let k = if links.count() > 1 { below(rng, links.count()) } else { 0 };
        let (x, z) = fabric.nth(links, k)?;
        let (first, head) = self.way_out(x, Stage::Destination);
        let tail = df.split_port(z).0 != to.index;
        Path::new(first, x, GlobalPort(0), Index(0), 1 + u8::from(head) + u8::from(tail))
    }

    /// A path within this group by way of a third switch, uniformly; `None` where a = 2.
    pub(crate) fn draw_within_group(
        &self,
        to: Place,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let ways = self.dragonfly().a().checked_sub(2).filter(|&ways| ways > 0)?;
        let through = detour_number(below(rng, ways), self.image.index(), to.index)?;
        let port = self.dragonfly().local_port(self.image.index(), through);
        Path::new((port, Stage::SourceLocal), GlobalPort(0), GlobalPort(0), through, 2)
    }

    /// The physical port by which a packet sets out to leave the group by x, and the stage behind
    /// that hop if it is by x itself; and whether it is a local hop instead.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn way_out(&self, x: GlobalPort, behind_x: Stage) -> ((Port, Stage), bool) {
        let df = self.dragonfly();
        if let Some(slot) = self.image.own_slot(x) {
            return ((df.slot_port(slot), behind_x), false);
        }
        let port = df.local_port(self.image.index(), df.split_port(x).0);
        ((port, Stage::SourceLocal), true)
    }

    /// A VLB triple (R, leg 1, leg 2), uniformly over all: the conventional draw. With the same
    /// number of links between all groups that is R uniformly, then each leg's link uniformly.
    #[inline(never)]
    pub(crate) fn draw_triple(&self, to: Place, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        let df = self.dragonfly();
        let cells = Cells {
            stratum: Stratum::All,
            shapes: ShapeSet::ALL,
            tails: 3,
            ports: df.ports_per_group(),
            links: self.image.fabric().most_links(),
            ways: df.a(),
            direct: 0,
        };
        // Hardly any cell misses.
        for _ in 0..cells.tries() {
            let (port, k, way) = draw_cell(&cells, rng);
            if let Some(links) = self.links_by_x(to, &cells, global_port(port), k) {
                return self.triple(links, way);
            }
        }
        self.draw_by_visit(to, &[cells], None, rng)
    }

    /// A route of a T-VLB set by the set's draw rule.
    #[inline(never)]
    pub(crate) fn draw_route(
        &self,
        to: Place,
        set: &SetView<'_>,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let shapes = set.shapes_to(to.switch);
        if let DrawRule::ByShape { weights } = &set.rule().draw {
            let shape = draw_shape(shapes, set.is_even(), weights, rng)?;
            let cells = self.stratum(Stratum::of(shape), ShapeSet::only(shape));
            // The two not within each other, so that a switch's stack holds one of them.
            return match self.try_for_shape(to, set, shape, &cells, rng) {
                Some(found) => Some(found),
                None => self.draw_by_visit(to, &[cells], Some(set), rng),
            };
        }
        self.draw_by_route(to, set, shapes, rng)
    }

    /// A route of one shape by random tries.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn try_for_shape(
        &self,
        to: Place,
        set: &SetView<'_>,
        shape: Shape,
        cells: &Cells,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let (is_straight, turns) = (shape.mid() == 0, shape.mid() == 2);
        for _ in 0..cells.tries() {
            let (port, k, way) = draw_cell(cells, rng);
            let Some(links) = self.links(to, cells, port, k) else { continue };
            if (links.v == links.w) != is_straight {
                continue;
            }
            let detour = if turns { detour_number(way, links.v, links.w) } else { None };
            if let Some(found) = self.kept(to, set, links, shape, detour) {
                return Some(found);
            }
        }
        None
    }

    /// A route of these shapes, uniformly.
    #[inline(never)]
    fn draw_by_route(
        &self,
        to: Place,
        set: &SetView<'_>,
        shapes: ShapeSet,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let strata = self.strata(shapes);
        match self.try_for_route(to, set, &strata, rng) {
            Some(found) => Some(found),
            None => self.draw_by_visit(to, &strata, Some(set), rng),
        }
    }

    /// A route of some shapes by random tries.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn try_for_route(
        &self,
        to: Place,
        set: &SetView<'_>,
        strata: &[Cells],
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let total = count(strata);
        for _ in 0..total.min(MOST_TRIES) {
            let mut at = below(rng, total);
            let cells = strata.iter().find(|cells| {
                let hit = at < cells.count();
                at = at.saturating_sub(cells.count());
                hit
            })?;
            let (port, k, way) = draw_cell(cells, rng);
            if let Some(links) = self.links(to, cells, port, k)
                && let Some(found) = self.kept_in(to, set, links, cells, way)
            {
                return Some(found);
            }
        }
        None
    }

    /// Every VLB route to `destination` that a decision's set keeps, each once, with its shape.
    ///
    /// For tools and tests: the time grows with the number of routes.
    pub fn for_each_route(
        &self,
        decision: Decision,
        destination: tvlb_schema::Switch,
        mut each: impl FnMut(Route, Shape),
    ) {
        let to = self.place(destination);
        if to.group == self.image.group() || !self.dragonfly().has_switch(destination) {
            return;
        }
        let set = self.image.set(decision);
        let strata = self.strata(set.shapes_to(destination));
        self.visit(to, &strata, |links, cells, way| {
            if let Some(path) = self.kept_in(to, set, links, cells, way) {
                let detour = (path.detour() != links.w).then_some(path.detour());
                let ends = 2 + u8::from(cells.head()) + u8::from(links.tail);
                let mid = path.hops().wrapping_sub(ends);
                let shape = Shape::of_walk(cells.head(), mid, links.tail);
                each(Route { x: path.x(), y: path.y(), detour }, shape);
            }
        });
    }

    /// Draws by visiting all these cells in order, after so many tries have missed.
    #[cold]
    #[inline(never)]
    fn draw_by_visit(
        &self,
        to: Place,
        strata: &[Cells],
        set: Option<&SetView<'_>>,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        if count(strata) > MOST_VISITED {
            return None;
        }
        let (mut kept, mut hits) = (None, 0);
        self.visit(to, strata, |links, cells, way| {
            let found = match set {
                Some(set) => self.kept_in(to, set, links, cells, way),
                None => self.triple(links, way),
            };
            if let Some(found) = found {
                hits += 1;
                if below(rng, hits) == 0 {
                    kept = Some(found);
                }
            }
        });
        kept
    }

    /// The route that a cell holds, if it has one of the shapes wanted and the set keeps it.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn kept_in(
        &self,
        to: Place,
        set: &SetView<'_>,
        links: Links,
        cells: &Cells,
        way: u32,
    ) -> Option<Path> {
        let (detour, mid) = if way < cells.direct {
            (None, u8::from(links.v != links.w))
        } else {
            (Some(detour_number(way - cells.direct, links.v, links.w)?), 2)
        };
        let shape = Shape::of_walk(cells.head(), mid, links.tail);
        if !cells.shapes.contains(shape) {
            return None;
        }
        self.kept(to, set, links, shape, detour)
    }

    /// The route over two links with this detour or none, if the set keeps it.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn kept(
        &self,
        to: Place,
        set: &SetView<'_>,
        links: Links,
        shape: Shape,
        detour: Option<Index>,
    ) -> Option<Path> {
        if !set.keeps_all(shape) {
            let route = Route { x: links.x, y: links.y, detour };
            let key = route.key(self.dragonfly(), self.image.switch(), to.switch);
            if !set.keeps(shape, key) {
                return None;
            }
        }
        self.path(links, detour.unwrap_or(links.w), shape.mid())
    }

    /// The triple of two links and the number of R in the intermediate group.
    #[inline]
    fn triple(&self, links: Links, r: u32) -> Option<Path> {
        let r = Index(u8::try_from(r).ok()?);
        // Where R is at either end of the local hop between v and w, the walk has no detour.
        let detour = if r == links.v { links.w } else { r };
        let mid = u8::from(links.v != r) + u8::from(r != links.w);
        self.path(links, detour, mid)
    }

    #[inline]
    fn path(&self, links: Links, detour: Index, mid: u8) -> Option<Path> {
        let (first, head) = self.way_out(links.x, Stage::Middle);
        let hops = 2 + u8::from(head) + mid + u8::from(links.tail);
        Path::new(first, links.x, links.y, detour, hops)
    }
}

/// A shape by its weight; `None` if there is none to draw.
#[inline]
fn draw_shape(
    shapes: ShapeSet,
    is_even: bool,
    weights: &[u16; Shape::COUNT],
    rng: &mut (impl Rng + ?Sized),
) -> Option<Shape> {
    if is_even {
        // The same as below, since the weight cancels out.
        return shapes.nth(below(rng, shapes.len()));
    }
    let weight = |s: Shape| weights.get(s.number()).map_or(0, |&w| u32::from(w));
    let total = shapes.iter().map(weight).sum();
    let mut left = below(rng, total);
    shapes.iter().find(|&s| {
        let weight = weight(s);
        let hit = left < weight;
        left = left.saturating_sub(weight);
        hit
    })
}

/// The n-th switch of a group that is neither v nor w; `None` if v is w, since a detour from a
/// switch to itself would revisit it.
fn detour_number(n: u32, v: Index, w: Index) -> Option<Index> {
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
    u8::try_from(index).ok().map(Index)
}
