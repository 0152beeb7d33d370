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
//! uniform, up to the bias of at most n·2⁻³² of scaling a 32-bit number to n choices. Where there
//! are more than [`MOST_VISITED`] cells no visit is made and the draw gives up. So many cells come
//! only with shapes of which most cells hold a route, so that even a keep-fraction of a hundredth
//! leaves (1 − 0.009)¹⁰²⁴, one packet in ten thousand, without one. The work is bounded by the two
//! constants, for any image.

use rand_core::Rng;
use tvlb_schema::{
    DrawRule, End, FabricImage, GlobalPort, Group, Index, Keep, Route, SetView, Shape, ShapeSet,
    Switch,
};

/// The most cells that are tried at random.
pub const MOST_TRIES: u32 = 1024;
/// The most cells that are then visited in order.
pub const MOST_VISITED: u32 = 65_536;

/// The two ends of the paths that are drawn, in different groups.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'f, 'a> {
    pub(crate) fabric: &'f FabricImage<'a>,
    pub(crate) source: Switch,
    pub(crate) destination: Switch,
    /// The source's group and index.
    pub(crate) from: (Group, Index),
    /// The destination's group and index.
    pub(crate) to: (Group, Index),
}

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

/// A path between switches of different groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) x: GlobalPort,
    /// On a MIN path 0, like `detour`.
    pub(crate) y: GlobalPort,
    /// A switch of the intermediate group to visit before y's, or y's own.
    pub(crate) detour: Index,
    /// Hops from switch to switch.
    pub(crate) hops: u8,
}

/// A number below `n`, uniform up to a bias of n·2⁻³²; 0 if n is 0.
#[inline]
pub(crate) fn below(rng: &mut (impl Rng + ?Sized), n: u32) -> u32 {
    scale(rng.next_u32(), n)
}

#[inline]
const fn scale(random: u32, n: u32) -> u32 {
    ((random as u64 * n as u64) >> 32) as u32
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stratum {
    Own,
    Theirs,
    Others,
    /// All ports of the source group: for triples.
    All,
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

impl Pair<'_, '_> {
    /// A MIN path: one of the links between the two groups, uniformly.
    #[inline]
    pub(crate) fn draw_min(&self, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        let df = self.fabric.dragonfly();
        let count = self.fabric.link_count(self.from.0, self.to.0);
        let k = if count > 1 { below(rng, count) } else { 0 };
        let (x, z) = self.fabric.link(self.from.0, self.to.0, k)?;
        let head = df.split_port(x).0 != self.from.1;
        let tail = df.split_port(z).0 != self.to.1;
        Some(Path {
            x,
            y: GlobalPort(0),
            detour: Index(0),
            hops: 1 + u8::from(head) + u8::from(tail),
        })
    }

    /// A VLB triple (R, leg 1, leg 2), uniformly over all: the conventional draw. With the same
    /// number of links between all groups that is R uniformly, then each leg's link uniformly.
    pub(crate) fn draw_triple(&self, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        let df = self.fabric.dragonfly();
        let cells = Cells {
            stratum: Stratum::All,
            shapes: ShapeSet::ALL,
            ports: df.ports_per_group(),
            links: self.fabric.most_links(),
            ways: 1,
            direct: 1,
        };
        let (links, r) =
            self.draw_cell(&[cells], rng, |links, _, rng| Some((links, below(rng, df.a()))))?;
        #[expect(clippy::cast_possible_truncation, reason = "below a, at most 256")]
        let r = Index(r as u8);
        // Where R is at either end of the local hop between v and w, the walk has no detour.
        let detour = if r == links.v { links.w } else { r };
        let mid = u8::from(links.v != r) + u8::from(r != links.w);
        Some(path(links, detour, mid))
    }

    /// A route of a T-VLB set by the set's draw rule.
    pub(crate) fn draw_route(
        &self,
        set: &SetView<'_>,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let mut shapes = set.shapes_to(self.destination);
        if let DrawRule::ByShape { weights } = &set.rule().draw {
            shapes = ShapeSet::only(draw_shape(shapes, weights, rng)?);
        }
        let strata = self.strata(shapes);
        self.draw_cell(&strata, rng, |links, (cells, way), _| self.kept_in(set, links, cells, way))
    }

    /// Every kept route of a set, each once, with its shape: what the image means for this pair.
    pub(crate) fn for_each_route(&self, set: &SetView<'_>, mut each: impl FnMut(Route, Shape)) {
        let strata = self.strata(set.shapes_to(self.destination));
        self.visit(&strata, |links, (cells, way)| {
            if let Some(path) = self.kept_in(set, links, cells, way) {
                let detour = (path.detour != links.w).then_some(path.detour);
                let mid = path.hops - 2 - u8::from(links.head) - u8::from(links.tail);
                each(
                    Route { x: path.x, y: path.y, detour },
                    Shape::of_walk(links.head, mid, links.tail),
                );
            }
        });
    }

    /// The cells of the three strata in which routes of these shapes lie.
    fn strata(&self, shapes: ShapeSet) -> [Cells; 3] {
        let df = self.fabric.dragonfly();
        let cells = |stratum, of: ShapeSet, ports| {
            let shapes = shapes.and(of);
            let direct = u32::from(!shapes.without(DETOURS).is_empty());
            let detours = if shapes.and(DETOURS).is_empty() { 0 } else { df.a().saturating_sub(2) };
            Cells {
                stratum,
                shapes,
                ports,
                links: self.fabric.most_links(),
                ways: direct + detours,
                direct,
            }
        };
        [
            cells(Stratum::Own, OWN, df.h()),
            cells(Stratum::Theirs, THEIRS, df.h()),
            cells(Stratum::Others, OTHERS, df.ports_per_group() - df.h()),
        ]
    }

    /// Draws cells until one yields something, as the module's head describes.
    #[inline]
    fn draw_cell<T, R: Rng + ?Sized>(
        &self,
        strata: &[Cells],
        rng: &mut R,
        mut accept: impl FnMut(Links, (&Cells, u32), &mut R) -> Option<T>,
    ) -> Option<T> {
        let total = strata.iter().map(Cells::count).fold(0, u32::saturating_add);
        for _ in 0..total.min(MOST_TRIES) {
            let mut left = if strata.len() > 1 { below(rng, total) } else { 0 };
            let Some(cells) = strata.iter().find(|cells| {
                let hit = left < cells.count();
                left = left.saturating_sub(cells.count());
                hit
            }) else {
                continue;
            };
            let random = rng.next_u64();
            let port = scale((random >> 32) as u32, cells.ports);
            let k = scale((random & 0xffff_ffff) as u32, cells.links);
            let way = if cells.ways > 1 { below(rng, cells.ways) } else { 0 };
            let found = self.links(cells, port, k).and_then(|l| accept(l, (cells, way), rng));
            if found.is_some() {
                return found;
            }
        }
        self.draw_by_visit(strata, total, rng, accept)
    }

    /// As [`Self::draw_cell`] where chance has found nothing.
    #[cold]
    #[inline(never)]
    fn draw_by_visit<T, R: Rng + ?Sized>(
        &self,
        strata: &[Cells],
        total: u32,
        rng: &mut R,
        mut accept: impl FnMut(Links, (&Cells, u32), &mut R) -> Option<T>,
    ) -> Option<T> {
        if total > MOST_VISITED {
            return None;
        }
        let (mut kept, mut hits) = (None, 0);
        self.visit(strata, |links, cell| {
            if let Some(found) = accept(links, cell, rng) {
                hits += 1;
                if below(rng, hits) == 0 {
                    kept = Some(found);
                }
            }
        });
        kept
    }

    /// Visits all cells that hold a pair of links, in order.
    fn visit(&self, strata: &[Cells], mut each: impl FnMut(Links, (&Cells, u32))) {
        for cells in strata.iter().filter(|cells| cells.ways > 0) {
            for port in 0..cells.ports {
                for k in 0..cells.links {
                    let Some(links) = self.links(cells, port, k) else { continue };
                    for way in 0..cells.ways {
                        each(links, (cells, way));
                    }
                }
            }
        }
    }

    /// The two links that a port and a number k name, if there are such, and if a shape that
    /// begins and ends as they do is wanted.
    #[inline]
    fn links(&self, cells: &Cells, port: u32, k: u32) -> Option<Links> {
        let (fabric, df) = (self.fabric, self.fabric.dragonfly());
        let own = u32::from(self.from.1.0) * df.h();
        #[expect(clippy::cast_possible_truncation, reason = "a port of a group, at most 4096")]
        let global_port = |number: u32| GlobalPort(number as u16);
        let index = |port| df.split_port(port).0;
        let wanted = |head, tail| !cells.shapes.and(ShapeSet::of_ends(head, tail)).is_empty();
        if cells.stratum == Stratum::Theirs {
            let z = global_port(u32::from(self.to.1.0) * df.h() + port);
            let (middle, ky) = fabric.port_link(End { group: self.to.0, port: z })?;
            if middle == self.from.0 {
                return None;
            }
            let (x, v) = fabric.link(self.from.0, middle, k)?;
            let head = index(x) != self.from.1;
            if !wanted(head, false) {
                return None;
            }
            let (_, y) = fabric.link(self.to.0, middle, ky)?;
            return Some(Links { x, y, head, tail: false, v: index(v), w: index(y) });
        }
        let (x, head) = match cells.stratum {
            Stratum::Own => (global_port(own + port), false),
            Stratum::Others if port >= own => (global_port(port + df.h()), true),
            Stratum::Others => (global_port(port), true),
            _ => {
                let x = global_port(port);
                (x, index(x) != self.from.1)
            }
        };
        let (middle, kx) = fabric.port_link(End { group: self.from.0, port: x })?;
        if middle == self.to.0 {
            return None;
        }
        let (y, z) = fabric.link(middle, self.to.0, k)?;
        let tail = index(z) != self.to.1;
        if !wanted(head, tail) {
            return None;
        }
        let (_, v) = fabric.link(self.from.0, middle, kx)?;
        Some(Links { x, y, head, tail, v: index(v), w: index(y) })
    }

    /// The route that a cell holds, if it has one of the shapes wanted and the set keeps it.
    #[inline]
    fn kept_in(&self, set: &SetView<'_>, links: Links, cells: &Cells, way: u32) -> Option<Path> {
        let (detour, mid) = if way < cells.direct {
            (None, u8::from(links.v != links.w))
        } else {
            (Some(detour_number(way - cells.direct, links.v, links.w)?), 2)
        };
        let shape = Shape::of_walk(links.head, mid, links.tail);
        if !cells.shapes.contains(shape) {
            return None;
        }
        let keep = set.rule().keep_of(shape);
        if keep != Keep::ALL {
            let route = Route { x: links.x, y: links.y, detour };
            let key = route.key(self.fabric.dragonfly(), self.source, self.destination);
            if !set.rule().keeps(shape, key) {
                return None;
            }
        }
        Some(path(links, detour.unwrap_or(links.w), mid))
    }
}

/// A shape by its weight; `None` if there is none to draw.
#[inline]
fn draw_shape(
    shapes: ShapeSet,
    weights: &[u16; Shape::COUNT],
    rng: &mut (impl Rng + ?Sized),
) -> Option<Shape> {
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

#[inline]
const fn path(links: Links, detour: Index, mid: u8) -> Path {
    let hops = 2 + links.head as u8 + mid + links.tail as u8;
    Path { x: links.x, y: links.y, detour, hops }
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

/// A switch of one's own group to go through: neither of the two, uniformly; `None` where a = 2.
pub(crate) fn draw_within_group(
    a: u32,
    from: Index,
    to: Index,
    rng: &mut (impl Rng + ?Sized),
) -> Option<Index> {
    if a <= 2 { None } else { detour_number(below(rng, a - 2), from, to) }
}
