//! Visits cells in order: for a draw that has missed otherwise, and for tools that need every route.

use super::cells::{Cells, DETOURS, LinkPair, MOST_VISITED};
use super::looking::Looking;
use crate::path::Path;
use crate::random::below;
use rand_core::Rng;
use tvlb_schema::{Route, SetView, Shape, ShapeSet};

impl Looking<'_> {
    /// Visits the cells that hold two links, in order, `most` of them at most.
    #[inline]
    pub(super) fn visit(
        &self,
        strata: &[Cells],
        most: u32,
        mut each: impl FnMut(LinkPair, &Cells, u32),
    ) {
        let mut left = most;
        for cells in strata.iter().filter(|cells| cells.ways > 0) {
            for port in 0..cells.ports.into() {
                for k in 0..cells.links.into() {
                    let Some(links) = self.links(cells, port, k) else { break };
                    if !self.named_fit(links, cells) {
                        continue;
                    }
                    for way in 0..cells.ways.into() {
                        if left == 0 {
                            return;
                        }
                        left -= 1;
                        each(links, cells, way);
                    }
                }
            }
        }
    }

    /// As [`Self::draw_from`], by visiting all cells in order after the tries have missed.
    #[cold]
    #[inline(never)]
    pub(super) fn draw_by_visit(
        &self,
        strata: &[Cells],
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let (mut kept, mut hits) = (None, 0);
        self.visit(strata, MOST_VISITED, |links, cells, way| {
            if let Some(found) = self.path_in(links, cells, way) {
                hits += 1;
                if below(rng, hits) == 0 {
                    kept = Some(found);
                }
            }
        });
        kept
    }

    /// A route of one of these shapes without a detour, whether or not a set keeps it: uniform over the routes of the
    /// first cells, by a visit.
    #[cold]
    #[inline(never)]
    pub(super) fn draw_direct(
        &self,
        shapes: ShapeSet,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let (mut kept, mut hits) = (None, 0);
        self.visit(&self.strata(shapes.without(DETOURS)), MOST_VISITED, |links, cells, _| {
            let mid = u8::from(links.v != links.w);
            if cells.shape(mid, links.tail).is_some()
                && let Some(found) = self.path(links, links.w, mid)
            {
                hits += 1;
                if below(rng, hits) == 0 {
                    kept = Some(found);
                }
            }
        });
        if self.switch.image.fabric().group_links().is_single() {
            kept
        } else {
            Some(self.switch.spread(kept?, rng))
        }
    }

    /// Every route of a set, without repetition.
    pub(super) fn visit_routes(&self, set: &SetView<'_>, mut each: impl FnMut(Route, Shape)) {
        let strata = self.strata(set.shapes_to(self.to.switch));
        self.visit(&strata, u32::MAX, |links, cells, way| {
            if let Some(path) = self.path_in(links, cells, way) {
                let detour = (path.detour() != links.w).then_some(path.detour());
                let ends = 2 + u8::from(cells.head()) + u8::from(links.tail);
                let mid = path.hops().wrapping_sub(ends);
                let shape = Shape::of_walk(cells.head(), mid, links.tail);
                each(Route { x: path.x(), y: path.y(), detour }, shape);
            }
        });
    }

    /// The walks of all triples, each with whether it is the first of its walk: a walk of one hop in the intermediate
    /// group has two triples, with R at either end of that hop.
    pub(super) fn visit_triples(&self, mut each: impl FnMut(Route, Shape, bool)) {
        self.visit(&[self.cells_of_triples()], u32::MAX, |links, _, r| {
            let Some(path) = self.triple(links, r) else { return };
            let (at_v, at_w) = (r == links.v.0.into(), r == links.w.0.into());
            let mid = u8::from(!at_v) + u8::from(!at_w);
            let detour = (mid == 2).then_some(path.detour());
            let head = self.switch.image.own_slot(links.x).is_none();
            let shape = Shape::of_walk(head, mid, links.tail);
            each(Route { x: links.x, y: links.y, detour }, shape, mid != 1 || at_w);
        });
    }
}
