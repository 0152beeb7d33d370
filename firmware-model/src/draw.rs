//! Drawing a path for one packet: a MIN path, a conventional VLB triple, or a route of a T-VLB set.
//!
//! Sets are rules, so routes are not listed anywhere; they are found in *cells*. A cell is a port,
//! the number k of a link, and a way to cross the intermediate group; it holds at most one route,
//! and every route of a pair lies in exactly one cell of one of three *strata*:
//!
//! | stratum | the port is      | k counts the links between                  | holds the shapes |
//! |---------|------------------|---------------------------------------------|------------------|
//! | own     | this switch's    | the port's group and the destination's      | 0··              |
//! | theirs  | the destination's| this group and the port's                   | 1·0              |
//! | others  | another switch's of this group | as for own                    | 1·1              |
//!
//! To draw uniformly from the routes wanted, draw cells uniformly until one holds such a route.
//! Since short shapes have their own small strata, few draws miss. After [`MOST_TRIES`] misses
//! (or as many as there are cells, if fewer) all cells are visited once, keeping each hit in turn
//! with probability 1/n (reservoir sampling), which is uniform too: so the result is exactly
//! uniform, up to the bias of at most n·2⁻³² of scaling a 32-bit number to n choices; a port and a
//! way to cross share such a number, so that n is their product. Where there
//! are more than [`MOST_VISITED`] cells no visit is made and the draw gives up. So many cells come
//! only with shapes of which most cells hold a route, so that even a keep-fraction of a hundredth,
//! of which a thinned set keeps a quarter, leaves (1 − 0.009/4)⁴⁰⁹⁶, one packet in ten thousand,
//! without one. The work is bounded by the two constants, for any image.

use crate::Switch;
use crate::path::{Path, Place};
use rand_core::Rng;
use tvlb_schema::{Decision, DrawRule, End, GlobalPort, Index, Route, SetView, Shape, ShapeSet};

/// The most cells that are tried at random.
pub const MOST_TRIES: u32 = 4096;
/// The most cells that are then visited in order.
pub const MOST_VISITED: u32 = 65_536;

/// A first and a second global link that share their intermediate group.
#[derive(Clone, Copy)]
struct Links {
    x: GlobalPort,
    y: GlobalPort,
    /// A local hop before x is needed.
    head: bool,
    /// A local hop after y is needed.
    tail: bool,
    /// The switch at which x arrives.
    v: Index,
    /// The switch that y leaves.
    w: Index,
}

/// A number below `n`, uniform up to a bias of n·2⁻³²; 0 if n is 0.
#[inline]
pub(crate) fn below(rng: &mut (impl Rng + ?Sized), n: u32) -> u32 {
    split(rng.next_u32(), n).0
}

/// A random word scaled to a number below `n`, and the random word that is left of it.
#[inline]
const fn split(random: u32, n: u32) -> (u32, u32) {
    let scaled = random as u64 * n as u64;
    ((scaled >> 32) as u32, (scaled & 0xffff_ffff) as u32)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stratum {
    Own,
    Theirs,
    Others,
    /// All ports of the source group: for triples.
    All,
}

impl Stratum {
    /// Where the routes of a shape lie.
    #[inline]
    const fn of(shape: Shape) -> Self {
        match ShapeSet::only(shape) {
            one if one.and(OWN).bits() != 0 => Self::Own,
            one if one.and(THEIRS).bits() != 0 => Self::Theirs,
            _ => Self::Others,
        }
    }
}

/// A stratum and the ways to cross the intermediate group that are wanted of it.
#[derive(Clone, Copy)]
struct Cells {
    stratum: Stratum,
    /// The shapes wanted.
    shapes: ShapeSet,
    ports: u32,
    links: u32,
    /// Way 0 is the direct one if it is wanted; each further way is a detour.
    ways: u32,
    direct: u32,
}

impl Cells {
    #[inline]
    const fn count(&self) -> u32 {
        // Below 2³²: at most 2¹² ports, 2¹² links of a pair and 2⁸ − 1 ways.
        self.ports * self.links * self.ways
    }
}

const OWN: ShapeSet = bits(0b0000_0011_1111);
const THEIRS: ShapeSet = bits(0b0101_0100_0000);
const OTHERS: ShapeSet = bits(0b1010_1000_0000);
const DETOURS: ShapeSet = bits(0b1100_0011_0000);

const fn bits(bits: u16) -> ShapeSet {
    match ShapeSet::from_bits(bits) {
        Some(set) => set,
        None => ShapeSet::EMPTY,
    }
}

/// Drawing for packets from this switch; `to` is a place in another group where nothing else is said.
impl Switch<'_> {
    /// A MIN path: one of the links between the two groups, uniformly, or the link within this one.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn draw_min(&self, to: Place, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        let (fabric, df) = (self.image.fabric(), self.dragonfly());
        if to.group == self.image.group() {
            return Path::new(GlobalPort(0), GlobalPort(0), Index(0), 1);
        }
        let links = fabric.links_between(self.image.group(), to.group);
        let k = if links.count() > 1 { below(rng, links.count()) } else { 0 };
        let (x, z) = fabric.nth(links, k)?;
        let head = df.split_port(x).0 != self.image.index();
        let tail = df.split_port(z).0 != to.index;
        Path::new(x, GlobalPort(0), Index(0), 1 + u8::from(head) + u8::from(tail))
    }

    /// A path within this group by way of a third switch, uniformly; `None` where a = 2.
    pub(crate) fn draw_within_group(
        &self,
        to: Place,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let ways = self.dragonfly().a().checked_sub(2).filter(|&ways| ways > 0)?;
        let through = detour_number(below(rng, ways), self.image.index(), to.index)?;
        Path::new(GlobalPort(0), GlobalPort(0), through, 2)
    }

    /// A VLB triple (R, leg 1, leg 2), uniformly over all: the conventional draw. With the same
    /// number of links between all groups that is R uniformly, then each leg's link uniformly.
    #[inline(never)]
    pub(crate) fn draw_triple(&self, to: Place, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        let df = self.dragonfly();
        let cells = Cells {
            stratum: Stratum::All,
            shapes: ShapeSet::ALL,
            ports: df.ports_per_group(),
            links: self.image.fabric().most_links(),
            ways: df.a(),
            direct: 0,
        };
        // Hardly any cell misses.
        let (port, k, left) = draw_port_and_link(&cells, rng);
        let links = self.links_by_x(to, ShapeSet::ALL, global_port(port), k);
        match links.and_then(|links| triple(links, split(left, cells.ways).0)) {
            Some(found) => Some(found),
            None => self.draw_by_search(to, &[cells], None, 1, rng),
        }
    }

    /// A route of a T-VLB set by the set's draw rule.
    #[inline(never)]
    pub(crate) fn draw_route(
        &self,
        to: Place,
        set: &SetView<'_>,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let shapes = set.shapes_to(self.switch_at(to));
        if let DrawRule::ByShape { weights } = &set.rule().draw {
            let shape = draw_shape(shapes, set.is_even(), weights, rng)?;
            let cells = self.stratum(Stratum::of(shape), ShapeSet::only(shape));
            return self.draw_by_search(to, &[cells], Some(set), 0, rng);
        }
        self.draw_by_route(to, set, shapes, rng)
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
        self.draw_by_search(to, &self.strata(shapes), Some(set), 0, rng)
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
        self.visit(to, &strata, &mut |links, cells, way| {
            if let Some(path) = self.kept_in(to, set, links, cells, way) {
                let detour = (path.detour() != links.w).then_some(path.detour());
                let ends = 2 + u8::from(links.head) + u8::from(links.tail);
                let shape = Shape::of_walk(links.head, path.hops().wrapping_sub(ends), links.tail);
                each(Route { x: path.x(), y: path.y(), detour }, shape);
            }
        });
    }

    /// The cells of the three strata in which routes of these shapes lie.
    #[inline]
    fn strata(&self, shapes: ShapeSet) -> [Cells; 3] {
        [Stratum::Own, Stratum::Theirs, Stratum::Others].map(|s| self.stratum(s, shapes))
    }

    /// The cells of one stratum in which routes of these shapes lie.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn stratum(&self, stratum: Stratum, shapes: ShapeSet) -> Cells {
        let df = self.dragonfly();
        let (of, ports) = match stratum {
            Stratum::Own => (OWN, df.h()),
            Stratum::Theirs => (THEIRS, df.h()),
            Stratum::Others => (OTHERS, df.ports_per_group() - df.h()),
            Stratum::All => (ShapeSet::ALL, df.ports_per_group()),
        };
        let shapes = shapes.and(of);
        let direct = u32::from(!shapes.without(DETOURS).is_empty());
        let detours = if shapes.and(DETOURS).is_empty() { 0 } else { df.a().saturating_sub(2) };
        let links = self.image.fabric().most_links();
        Cells { stratum, shapes, ports, links, ways: direct + detours, direct }
    }

    /// Draws from all these cells, as the module's head describes, where so many have been tried
    /// already.
    #[inline(never)]
    fn draw_by_search(
        &self,
        to: Place,
        strata: &[Cells],
        set: Option<&SetView<'_>>,
        tried: u32,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let total = strata.iter().map(Cells::count).fold(0, u32::saturating_add);
        for _ in tried..total.min(MOST_TRIES) {
            let mut at = if strata.len() > 1 { below(rng, total) } else { 0 };
            let cells = strata.iter().find(|cells| {
                let hit = at < cells.count();
                at = at.saturating_sub(cells.count());
                hit
            })?;
            let (port, k, left) = draw_port_and_link(cells, rng);
            let links = self.links(to, cells, port, k);
            let way = split(left, cells.ways).0;
            if let Some(found) = links.and_then(|links| self.path_in(to, set, links, cells, way)) {
                return Some(found);
            }
        }
        if total > MOST_VISITED {
            return None;
        }
        let (mut kept, mut hits) = (None, 0);
        self.visit(to, strata, &mut |links, cells, way| {
            if let Some(found) = self.path_in(to, set, links, cells, way) {
                hits += 1;
                if below(rng, hits) == 0 {
                    kept = Some(found);
                }
            }
        });
        kept
    }

    /// The path that a cell holds: a kept route of a set, or a triple.
    #[inline]
    fn path_in(
        &self,
        to: Place,
        set: Option<&SetView<'_>>,
        links: Links,
        cells: &Cells,
        way: u32,
    ) -> Option<Path> {
        match set {
            Some(set) => self.kept_in(to, set, links, cells, way),
            None => triple(links, way),
        }
    }

    /// Visits all cells that hold a pair of links, in order.
    #[cold]
    #[inline(never)]
    fn visit(&self, to: Place, strata: &[Cells], each: &mut dyn FnMut(Links, &Cells, u32)) {
        for cells in strata.iter().filter(|cells| cells.ways > 0) {
            for port in 0..cells.ports {
                for k in 0..cells.links {
                    let Some(links) = self.links(to, cells, port, k) else { continue };
                    for way in 0..cells.ways {
                        each(links, cells, way);
                    }
                }
            }
        }
    }

    /// The two links that a port and a number k name, if there are such, and if a shape that
    /// begins and ends as they do is wanted.
    #[cfg_attr(not(target_os = "none"), inline)]
    fn links(&self, to: Place, cells: &Cells, port: u32, k: u32) -> Option<Links> {
        let h = self.dragonfly().h();
        let own = u32::from(self.image.index().0) * h;
        let x = match cells.stratum {
            Stratum::Theirs => {
                let z = global_port(u32::from(to.index.0) * h + port);
                return self.links_by_z(to, cells.shapes, z, k);
            }
            Stratum::Own => own + port,
            Stratum::Others if port >= own => port + h,
            Stratum::Others | Stratum::All => port,
        };
        self.links_by_x(to, cells.shapes, global_port(x), k)
    }

    /// As [`Self::links`], where k counts the links from behind port x of this group.
    // On a switch's small machine flash counts for more than the call, which elsewhere is a fifth
    // of a decision.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    fn links_by_x(&self, to: Place, shapes: ShapeSet, x: GlobalPort, k: u32) -> Option<Links> {
        let (fabric, df, group) = (self.image.fabric(), self.dragonfly(), self.image.group());
        let (middle, kx) = fabric.link_behind(End { group, port: x })?;
        let second = fabric.links_between(middle, to.group);
        if middle == to.group || k >= second.count() {
            return None;
        }
        let (y, z) = fabric.ends(second, k);
        let head = df.split_port(x).0 != self.image.index();
        let tail = df.split_port(z).0 != to.index;
        if shapes.and(ShapeSet::of_ends(head, tail)).is_empty() {
            return None;
        }
        let (_, v) = fabric.ends(fabric.links_between(group, middle), kx);
        Some(Links { x, y, head, tail, v: df.split_port(v).0, w: df.split_port(y).0 })
    }

    /// As [`Self::links`], where k counts the links from this group to behind port z of the
    /// destination's.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    fn links_by_z(&self, to: Place, shapes: ShapeSet, z: GlobalPort, k: u32) -> Option<Links> {
        let (fabric, df, group) = (self.image.fabric(), self.dragonfly(), self.image.group());
        let (middle, kz) = fabric.link_behind(End { group: to.group, port: z })?;
        let first = fabric.links_between(group, middle);
        if middle == group || k >= first.count() {
            return None;
        }
        let (x, v) = fabric.ends(first, k);
        let head = df.split_port(x).0 != self.image.index();
        if shapes.and(ShapeSet::of_ends(head, false)).is_empty() {
            return None;
        }
        let (_, y) = fabric.ends(fabric.links_between(to.group, middle), kz);
        Some(Links { x, y, head, tail: false, v: df.split_port(v).0, w: df.split_port(y).0 })
    }

    /// The route that a cell holds, if it has one of the shapes wanted and the set keeps it.
    #[inline]
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
        let shape = Shape::of_walk(links.head, mid, links.tail);
        if !cells.shapes.contains(shape) {
            return None;
        }
        if !set.keeps_all(shape) {
            let route = Route { x: links.x, y: links.y, detour };
            let key = route.key(self.dragonfly(), self.image.switch(), self.switch_at(to));
            if !set.keeps(shape, key) {
                return None;
            }
        }
        path(links, detour.unwrap_or(links.w), mid)
    }
}

/// A cell's port and link, and the random word that is left for its way.
#[inline]
fn draw_port_and_link(cells: &Cells, rng: &mut (impl Rng + ?Sized)) -> (u32, u32, u32) {
    let random = rng.next_u64();
    let (port, left) = split((random >> 32) as u32, cells.ports);
    let (k, _) = split((random & 0xffff_ffff) as u32, cells.links);
    (port, k, left)
}

/// A global port that exists.
#[inline]
const fn global_port(number: u32) -> GlobalPort {
    #[expect(clippy::cast_possible_truncation, reason = "a port of a group, at most 4096")]
    let number = number as u16;
    GlobalPort(number)
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

/// The triple of two links and the number of R in the intermediate group.
#[inline]
fn triple(links: Links, r: u32) -> Option<Path> {
    let r = Index(u8::try_from(r).ok()?);
    // Where R is at either end of the local hop between v and w, the walk has no detour.
    let detour = if r == links.v { links.w } else { r };
    let mid = u8::from(links.v != r) + u8::from(r != links.w);
    path(links, detour, mid)
}

#[inline]
fn path(links: Links, detour: Index, mid: u8) -> Option<Path> {
    let hops = 2 + u8::from(links.head) + mid + u8::from(links.tail);
    Path::new(links.x, links.y, detour, hops)
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
