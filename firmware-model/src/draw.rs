//! Drawing a path for one packet: a MIN path, a conventional VLB triple, or a route of a T-VLB set.
//!
//! Sets are rules, so routes are not listed anywhere; they are found in cells (see [`crate::cells`]).

use crate::cells::{
    Cells, DETOURS, LinkPair, MOST_MISSES, MOST_SOUGHT, MOST_TRIES, MOST_VISITED, Rest, Stratum,
    below, draw_cell, low_u16, split, word,
};
use crate::path::{Path, Place};
use crate::search::Search;
use crate::{Stage, Switch, VlbPaths};
use rand_core::Rng;
use tvlb_schema::{
    Decision, DrawRule, End, GlobalPort, Port, Route, SetView, Shape, ShapeSet, SwitchIndex,
};

/// Where a VLB path is to lead, the set that it is to be of (a triple where there is none), and the
/// cells in which such paths lie.
pub(crate) struct Wanted<'s> {
    pub(crate) to: &'s Place,
    pub(crate) set: Option<&'s SetView<'s>>,
    pub(crate) strata: &'s [Cells],
}

/// What seeking has come to.
enum Sought {
    /// To a path, or to that there is none.
    Ended(Option<Path>),
    /// To neither.
    Missed,
}

/// What the try of a cell has come to.
enum Tried {
    Found(Path),
    /// Two links, but no path that is wanted.
    NoPath,
    /// No two links.
    NoLinks,
}

/// The random tries of a draw.
#[derive(Clone, Copy)]
pub(crate) struct Tries {
    /// How two links are found.
    pub(crate) search: Search,
    /// The most of them.
    pub(crate) most: u32,
    /// The random word of the first.
    pub(crate) random: u32,
}

/// Drawing for packets from this switch; `to` is a place in another group where nothing else is said.
impl Switch<'_> {
    /// A MIN path: one of the links between the two groups, uniformly, or a link within this one. Where
    /// local hops have no link, see [`crate::local_hop`].
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn draw_min(&self, to: &Place, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        let (fabric, df) = (self.image.fabric(), self.dragonfly());
        if !fabric.has_plain_groups() {
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

    /// A VLB candidate: a path within the group, a conventional triple, or a route of the decision's
    /// set.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn draw_vlb(
        &self,
        to: &Place,
        decision: Decision,
        paths: VlbPaths,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let path = if to.group == self.image.group() {
            self.draw_within_group(to, rng)
        } else {
            self.draw_between_groups(to, decision, paths, rng)
        };
        if self.image.fabric().has_plain_groups() { path } else { Some(self.spread(path?, rng)) }
    }

    /// A VLB candidate to another group.
    #[inline]
    fn draw_between_groups(
        &self,
        to: &Place,
        decision: Decision,
        paths: VlbPaths,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        match paths {
            VlbPaths::Conventional => self.draw_triple(to, rng),
            VlbPaths::Custom => match self.image.set(decision) {
                // Apart from the rest, so that neither needs the other's stack.
                set if set.rule().is_by_switch() => self.draw_by_switch(to, set, rng),
                set if set.rule().is_by_triple() => self.draw_triple(to, rng),
                set => self.draw_from_set(to, set, rng),
            },
        }
    }

    /// A path within this group by way of a third switch, uniformly; `None` where there is none.
    pub(crate) fn draw_within_group(
        &self,
        to: &Place,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        if !self.image.fabric().has_plain_groups() {
            return self.draw_third(to, rng);
        }
        let ways = self.image.switches_of_group().checked_sub(2).filter(|&ways| ways > 0)?;
        let through = detour_number(below(rng, ways), self.image.index(), to.index)?;
        let port = self.dragonfly().local_port(self.image.index(), through);
        Path::new((port, Stage::SourceLocal), GlobalPort(0), GlobalPort(0), through, 2)
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

    /// A VLB triple (R, leg 1, leg 2), uniformly over all: the conventional draw. With the same
    /// number of links between all groups that is R uniformly, then each leg's link uniformly.
    #[inline(never)]
    pub(crate) fn draw_triple(&self, to: &Place, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        let cells = self.cells_of_triples();
        // Hardly any cell misses, so the first is tried apart from the rest, for which a loop makes
        // ready what it mostly does not need.
        let apart =
            cfg!(not(target_os = "none")) && cells.count() > 0 && self.dragonfly().is_even();
        if apart {
            let (port, k, way) = draw_cell(word(rng), &cells, rng);
            if let Some(links) = self.links(to, &cells, port, k)
                && let Some(found) = self.triple_over(to, links, way)
            {
                return Some(found);
            }
        }
        self.draw_triple_from(to, cells, u32::from(apart), rng)
    }

    /// The cells in which triples lie: one for each two links and each switch R.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn cells_of_triples(&self) -> Cells {
        let df = self.dragonfly();
        Cells {
            stratum: Stratum::All,
            wanted: 0x3f,
            ports: low_u16(df.ports_per_group()),
            links: low_u16(self.image.fabric().most_links()),
            ways: low_u16(df.a()),
            direct: 0,
        }
    }

    /// The walks of all triples, each with whether it is the first of its walk: a walk of one hop in the
    /// intermediate group has two triples, with R at either end of that hop.
    pub(crate) fn visit_triples(&self, to: &Place, mut each: impl FnMut(Route, Shape, bool)) {
        self.visit(to, &[self.cells_of_triples()], u32::MAX, |links, _, r| {
            let Some(path) = self.triple(to, links, r) else { return };
            let (at_v, at_w) = (r == links.v.0.into(), r == links.w.0.into());
            let mid = u8::from(!at_v) + u8::from(!at_w);
            let detour = (mid == 2).then_some(path.detour());
            let head = self.image.own_slot(links.x).is_none();
            let shape = Shape::of_walk(head, mid, links.tail);
            each(Route { x: links.x, y: links.y, detour }, shape, mid != 1 || at_w);
        });
    }

    /// As [`Self::draw_triple`], after some tries that have missed.
    #[cfg_attr(target_os = "none", inline)]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn draw_triple_from(
        &self,
        to: &Place,
        cells: Cells,
        tried: u32,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        self.draw_from(&Wanted { to, set: None, strata: &[cells] }, tried, rng)
    }

    /// A route of a T-VLB set, drawn as its rule says: by shape that is a shape by its weight, then
    /// a route of that shape uniformly, and by route a route uniformly.
    #[cfg_attr(target_os = "none", inline)]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    pub(crate) fn draw_from_set(
        &self,
        to: &Place,
        set: &SetView<'_>,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let shapes = set.shapes_to(to.switch);
        match &set.rule().draw {
            DrawRule::ByShape { weights } => {
                let (shape, rest) = draw_shape(shapes, set.is_even(), weights, rng)?;
                match self.try_shape(to, set, shape, rest, rng) {
                    Some(found) => Some(found),
                    None => self.draw_of_shape_otherwise(to, set, shape, rng),
                }
            }
            DrawRule::ByRoute | DrawRule::BySwitch { .. } | DrawRule::ByTriple => {
                let strata = self.strata(shapes);
                self.draw_from(&Wanted { to, set: Some(set), strata: &strata }, 0, rng)
            }
        }
    }

    /// A route of a set, or a triple where there is none, from all cells of these strata alike, after
    /// as many tries that have missed.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    fn draw_from(
        &self,
        wanted: &Wanted<'_>,
        tried: u32,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let most = count(wanted.strata).min(MOST_TRIES).saturating_sub(tried);
        let found = if most == 0 {
            None
        } else {
            let tries = Tries { search: Search::Cells, most, random: word(rng) };
            match wanted.strata {
                &[cells] if cfg!(not(target_os = "none")) => {
                    self.try_stratum(wanted, cells, tries, rng)
                }
                _ => self.try_cells(wanted, tries, rng),
            }
        };
        match found {
            Some(found) => Some(found),
            None => self.draw_otherwise(wanted, rng),
        }
    }

    /// As [`Self::draw_from`] by random tries, which may all miss.
    // Apart from the visit, so that a switch's stack holds one of the two at a time.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    pub(crate) fn try_cells(
        &self,
        wanted: &Wanted<'_>,
        tries: Tries,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let Tries { search, most, mut random } = tries;
        let strata = wanted.strata;
        let mut misses = if self.image.fabric().is_regular() { most } else { MOST_MISSES };
        for _ in 0..most {
            let cells = if let [cells] = strata {
                cells
            } else {
                let cells = stratum_of(strata, split(random, count(strata)).0)?;
                random = word(rng);
                cells
            };
            match self.try_cell(wanted, cells, search, random, rng) {
                Tried::Found(found) => return Some(found),
                Tried::NoPath => {}
                Tried::NoLinks => {
                    misses -= 1;
                    if misses == 0 {
                        break;
                    }
                }
            }
            random = word(rng);
        }
        None
    }

    /// As [`Self::try_cells`], of a single stratum, which is what nearly all draws are from. A host
    /// saves a tenth of the instructions of a decision where the cells are a value of their own and
    /// not behind a reference; a switch's flash has no room for both.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn try_stratum(
        &self,
        wanted: &Wanted<'_>,
        cells: Cells,
        tries: Tries,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let Tries { search, most, mut random } = tries;
        // Without a reference to the strata, so that the cells can stay in registers.
        let wanted = &Wanted { to: wanted.to, set: wanted.set, strata: &[] };
        let mut misses = if self.image.fabric().is_regular() { most } else { MOST_MISSES };
        for _ in 0..most {
            match self.try_cell(wanted, &cells, search, random, rng) {
                Tried::Found(found) => return Some(found),
                Tried::NoPath => {}
                Tried::NoLinks => {
                    misses -= 1;
                    if misses == 0 {
                        break;
                    }
                }
            }
            random = word(rng);
        }
        None
    }

    /// Tries the cell that a random word names.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn try_cell(
        &self,
        wanted: &Wanted<'_>,
        cells: &Cells,
        search: Search,
        random: u32,
        rng: &mut (impl Rng + ?Sized),
    ) -> Tried {
        let (port, k, way) = draw_cell(random, cells, rng);
        let is_asked = search != Search::Cells;
        let k = if is_asked { self.ask(wanted.to, cells, search, port, k) } else { Some(k) };
        let Some(links) = k.and_then(|k| self.links(wanted.to, cells, port, k)) else {
            return Tried::NoLinks;
        };
        if !self.named_fit(links, cells) {
            return Tried::NoPath;
        }
        self.path_in(wanted, links, cells, way).map_or(Tried::NoPath, Tried::Found)
    }

    /// As [`Self::draw_from`], where all tries have missed: by seeking pairs of links where wirings
    /// have uneven cells, and by a visit where that misses too.
    // The two side by side, so that a switch's stack holds one of them at a time.
    #[cfg_attr(target_os = "none", inline)]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    pub(crate) fn draw_otherwise(
        &self,
        wanted: &Wanted<'_>,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        if !self.image.fabric().is_regular()
            && let Sought::Ended(found) = self.draw_by_seeking(wanted, rng)
        {
            return found;
        }
        self.draw_by_visit(wanted, rng)
    }

    /// As [`Self::draw_from`] by pairs of links that are drawn by number.
    #[cold]
    #[inline(never)]
    fn draw_by_seeking(&self, wanted: &Wanted<'_>, rng: &mut (impl Rng + ?Sized)) -> Sought {
        let mut strata = wanted.strata.iter().filter(|cells| cells.ways > 0);
        let single = strata.next().filter(|_| strata.next().is_none());
        // Where there are several, they share the pairs between them, so that one number names a pair of any.
        let ways = single.map_or(self.dragonfly().a(), |cells| cells.ways.into());
        let few = single.filter(|cells| matches!(cells.stratum, Stratum::Own | Stratum::Theirs));
        let each = few.map_or(self.dragonfly().g(), |cells| cells.ports.into());
        let mut left = u32::MAX;
        self.seek(wanted.to, few, &mut left);
        let pairs = !left;
        // No more looks than the visit takes, which ends the search for sure.
        let cells = pairs.saturating_mul(ways);
        let looks = cells.saturating_add(self.dragonfly().ports_per_group()).min(MOST_SOUGHT);
        for _ in 0..looks.checked_div(each).unwrap_or(0) {
            let mut pair = below(rng, pairs);
            let Some(links) = self.seek(wanted.to, few, &mut pair) else {
                return Sought::Ended(None);
            };
            let way = below(rng, ways);
            if let Some(cells) = wanted.strata.iter().find(|cells| self.fits(links, cells))
                && way < cells.ways.into()
                && let Some(found) = self.path_in(wanted, links, cells, way)
            {
                return Sought::Ended(Some(found));
            }
        }
        Sought::Missed
    }

    /// Does the work of [`Switch::for_each_route`].
    pub(crate) fn visit_routes(
        &self,
        decision: Decision,
        destination: tvlb_schema::SwitchId,
        mut each: impl FnMut(Route, Shape),
    ) {
        let to = &self.place(destination);
        if to.group == self.image.group() || !self.dragonfly().has_switch(destination) {
            return;
        }
        let set = self.image.set(decision);
        if let DrawRule::BySwitch { legs, returns } = set.rule().draw {
            return self.visit_routes_by_switch(to, (legs, returns), each);
        }
        if set.rule().is_by_triple() {
            return self.visit_triples(to, |route, shape, is_first| {
                if is_first {
                    each(route, shape);
                }
            });
        }
        let strata = self.strata(set.shapes_to(destination));
        let wanted = &Wanted { to, set: Some(set), strata: &strata };
        self.visit(to, &strata, u32::MAX, |links, cells, way| {
            if let Some(path) = self.path_in(wanted, links, cells, way) {
                let detour = (path.detour() != links.w).then_some(path.detour());
                let ends = 2 + u8::from(cells.head()) + u8::from(links.tail);
                let mid = path.hops().wrapping_sub(ends);
                let shape = Shape::of_walk(cells.head(), mid, links.tail);
                each(Route { x: path.x(), y: path.y(), detour }, shape);
            }
        });
    }

    /// As [`Self::draw_from`] by visiting all cells in order, after so many tries have missed.
    #[cold]
    #[inline(never)]
    fn draw_by_visit(&self, wanted: &Wanted<'_>, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        let (mut kept, mut hits) = (None, 0);
        self.visit(wanted.to, wanted.strata, MOST_VISITED, |links, cells, way| {
            if let Some(found) = self.path_in(wanted, links, cells, way) {
                hits += 1;
                if below(rng, hits) == 0 {
                    kept = Some(found);
                }
            }
        });
        kept
    }

    /// A route of one of these shapes without a detour, whether a set keeps it or not: uniform over the
    /// routes of the first cells, by a visit.
    #[cold]
    #[inline(never)]
    pub(crate) fn draw_direct(
        &self,
        to: &Place,
        shapes: ShapeSet,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let (mut kept, mut hits) = (None, 0);
        self.visit(to, &self.strata(shapes.without(DETOURS)), MOST_VISITED, |links, cells, _| {
            let mid = u8::from(links.v != links.w);
            if cells.shape(mid, links.tail).is_some()
                && let Some(found) = self.path(to, links, links.w, mid)
            {
                hits += 1;
                if below(rng, hits) == 0 {
                    kept = Some(found);
                }
            }
        });
        if self.image.fabric().has_plain_groups() { kept } else { Some(self.spread(kept?, rng)) }
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
    fn kept(
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
    fn triple_over(&self, to: &Place, links: LinkPair, r: u32) -> Option<Path> {
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
    fn is_beside(&self, x: GlobalPort, detour: u32) -> bool {
        let middle = self.image.behind(x);
        middle.is_some_and(|End { group, .. }| detour < self.dragonfly().switches_of(group))
    }

    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn path(&self, to: &Place, links: LinkPair, detour: SwitchIndex, mid: u8) -> Option<Path> {
        if !self.image.fabric().has_whole_groups() && !self.has_links(to, links, detour) {
            return None;
        }
        let (first, head) = self.way_out(links.x, Stage::Middle);
        let hops = 2 + u8::from(head) + mid + u8::from(links.tail);
        Path::new(first, links.x, links.y, detour, hops)
    }
}

/// The stratum that the cell of this number is in.
#[inline]
fn stratum_of(strata: &[Cells], cell: u32) -> Option<&Cells> {
    let mut at = cell;
    strata.iter().find(|cells| {
        let hit = at < cells.count();
        at = at.saturating_sub(cells.count());
        hit
    })
}

/// The cells of some strata.
#[inline]
fn count(strata: &[Cells]) -> u32 {
    strata.iter().map(Cells::count).fold(0, u32::saturating_add)
}

/// A shape by its weight, and what is left of the random word; `None` if there is none to draw.
#[inline]
fn draw_shape(
    shapes: ShapeSet,
    is_even: bool,
    weights: &[u16; Shape::COUNT],
    rng: &mut (impl Rng + ?Sized),
) -> Option<(Shape, Rest)> {
    // Equal weights cancel out, so the general rule below draws the same; this is a host's short cut.
    if is_even && cfg!(not(target_os = "none")) {
        let (n, rest) = Rest::split(word(rng), shapes.len());
        return Some((shapes.nth(n)?, rest));
    }
    let weight = |s: Shape| weights.get(s.number()).map_or(0, |&w| u32::from(w));
    let (mut left, rest) = Rest::split(word(rng), shapes.iter().map(weight).sum());
    let shape = shapes.iter().find(|&s| {
        let weight = weight(s);
        let hit = left < weight;
        left = left.saturating_sub(weight);
        hit
    })?;
    Some((shape, rest))
}

/// The n-th switch of a group that is neither v nor w; `None` if v is w, since a detour from a
/// switch to itself would revisit it.
fn detour_number(n: u32, v: SwitchIndex, w: SwitchIndex) -> Option<SwitchIndex> {
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
