//! The cells in which a pair's routes are found.
//!
//! A *cell* is a port, the number k of a link, and a way to cross the intermediate group; it holds at
//! most one route, and every route of a pair lies in exactly one cell of one of three *strata*:
//!
//! | stratum | the port is      | k counts the links between                  | holds the shapes |
//! |---------|------------------|---------------------------------------------|------------------|
//! | own     | this switch's    | the port's group and the destination's      | 0··              |
//! | theirs  | the destination's| this group and the port's                   | 1·0              |
//! | others  | another switch's of this group | as for own                    | 1·1              |
//!
//! Draws of a single shape may find their first link in another way than by a cell: see
//! [`crate::one_shape`].
//!
//! A route is drawn uniformly from the routes wanted in up to three steps, of which nearly every draw
//! needs the first alone. Each is uniform over the same routes, so that the whole draw is.
//!
//! 1. **Tries.** Cells are drawn uniformly until one holds a route that is wanted: at most
//!    [`MOST_TRIES`], or as many as there are cells if those are fewer. Since short shapes have their
//!    own small strata, few tries miss. Where groups are joined by different numbers of links, or
//!    ports are unused, many cells may hold no two links at all: after [`MOST_MISSES`] of those the
//!    next step begins.
//! 2. **Seeks**, only on such wirings: all pairs of a first and a second link are counted, port by port
//!    where a single stratum of few ports is wanted, else group by group; then a pair is drawn by its
//!    number, found by counting again, and dropped if it is not of a shape that is wanted, until as many
//!    ports or groups have been looked at as the visit would look at cells and ports, or
//!    [`MOST_SOUGHT`]. Whatever the wiring, the first seek finds a conventional VLB path if there is one.
//! 3. **A visit** of the cells in order, each hit kept in turn with probability 1/n (reservoir
//!    sampling). Ports without a link onward are passed by. The visit ends after [`MOST_VISITED`]
//!    cells that hold two links; it is uniform over all routes where there are no more.
//!
//! - **Random words.** One 32-bit word is scaled to the port and to the way to cross. Where there are
//!   at most 2¹⁶ cells the same word gives the link too; otherwise a second word does.
//! - **Bias.** Scaling a word to n choices leaves a bias of at most n·2⁻³², where n is the product of
//!   all that the word decides. Apart from that the result is uniform.
//! - **Bound.** The four constants below bound the work of a draw, for any image. The host refuses to
//!   write a set whose draws would often need more than the tries, so a switch with a written table
//!   set hardly ever meets the bound.

use crate::Switch;
use crate::path::Place;
use rand_core::Rng;
use tvlb_schema::{End, GlobalPort, Shape, ShapeSet, SwitchIndex};

/// The most cells that are tried at random.
pub const MOST_TRIES: u32 = 4096;
/// The most of these tries that may meet no two links, where groups are joined by different numbers
/// of links or ports are unused.
pub const MOST_MISSES: u32 = 32;
/// The most groups, or ports of a switch, that are then looked at to seek pairs of links that are drawn by
/// number, once they are counted.
pub const MOST_SOUGHT: u32 = 16_384;
/// The most cells that are visited in order when all tries and seeks have missed.
pub const MOST_VISITED: u32 = 8192;
/// The most cells of which one is drawn by one random word.
const MOST_OF_ONE_WORD: u32 = 1 << 16;

/// A first and a second global link that share their intermediate group.
#[derive(Clone, Copy)]
pub(crate) struct LinkPair {
    pub(crate) x: GlobalPort,
    pub(crate) y: GlobalPort,
    /// A local hop after y is needed.
    pub(crate) tail: bool,
    /// The switch at which x arrives.
    pub(crate) v: SwitchIndex,
    /// The switch that y leaves.
    pub(crate) w: SwitchIndex,
}

/// A random word.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline)]
pub(crate) fn word(rng: &mut (impl Rng + ?Sized)) -> u32 {
    rng.next_u32()
}

/// A number below `n`, uniform up to a bias of n·2⁻³²; 0 if n is 0.
#[inline]
pub(crate) fn below(rng: &mut (impl Rng + ?Sized), n: u32) -> u32 {
    split(word(rng), n).0
}

/// A random word scaled to a number below `n`, and the random word that is left of it.
#[inline]
pub(crate) const fn split(random: u32, n: u32) -> (u32, u32) {
    let scaled = random as u64 * n as u64;
    ((scaled >> 32) as u32, (scaled & 0xffff_ffff) as u32)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stratum {
    Own,
    Theirs,
    Others,
    /// All ports of the source group: for triples.
    All,
}

impl Stratum {
    /// Where the routes of a shape lie.
    #[inline]
    pub(crate) const fn of(shape: Shape) -> Self {
        match ShapeSet::only(shape) {
            one if one.and(OWN).bits() != 0 => Self::Own,
            one if one.and(THEIRS).bits() != 0 => Self::Theirs,
            _ => Self::Others,
        }
    }
}

/// A stratum and the ways to cross the intermediate group that are wanted of it.
#[derive(Clone, Copy)]
pub(crate) struct Cells {
    pub(crate) stratum: Stratum,
    /// Bit 2·mid + tail is set where shapes with these are wanted.
    pub(crate) wanted: u8,
    /// At most 2¹².
    pub(crate) ports: u16,
    /// At most 2¹².
    pub(crate) links: u16,
    /// Way 0 is the direct one if it is wanted; each further way is a detour. At most 2⁸.
    pub(crate) ways: u16,
    /// 1 if the direct way is wanted, else 0.
    pub(crate) direct: u8,
}

impl Cells {
    #[inline]
    pub(crate) const fn count(&self) -> u32 {
        // Saturated where two groups of 256 switches share all their 4096 ports.
        (self.ports as u32 * self.links as u32).saturating_mul(self.ways as u32)
    }

    /// The routes in these cells have a local hop before x.
    #[inline]
    pub(crate) fn head(&self) -> bool {
        self.stratum != Stratum::Own
    }

    /// The shape of these hops behind x, if it is wanted.
    #[inline]
    pub(crate) fn shape(&self, mid: u8, tail: bool) -> Option<Shape> {
        let behind = mid << 1 | u8::from(tail);
        let wanted = self.wanted >> behind & 1 == 1;
        wanted.then(|| Shape::of_walk(self.head(), mid, tail))
    }

    /// Whether a tail like that of these links is wanted.
    #[inline]
    pub(crate) const fn wants(&self, tail: bool) -> bool {
        self.wanted & 0b01_0101 << tail as u8 != 0
    }
}

pub(crate) const OWN: ShapeSet = bits(0b0000_0011_1111);
pub(crate) const THEIRS: ShapeSet = bits(0b0101_0100_0000);
pub(crate) const OTHERS: ShapeSet = bits(0b1010_1000_0000);
pub(crate) const DETOURS: ShapeSet = bits(0b1100_0011_0000);

pub(crate) const fn bits(bits: u16) -> ShapeSet {
    match ShapeSet::from_bits(bits) {
        Some(set) => set,
        None => ShapeSet::EMPTY,
    }
}

/// Finding; `to` is a place in another group.
impl Switch<'_> {
    /// The cells of the three strata in which routes of these shapes lie.
    #[inline]
    pub(crate) fn strata(&self, shapes: ShapeSet) -> [Cells; 3] {
        [
            self.stratum(Stratum::Own, shapes),
            self.stratum(Stratum::Theirs, shapes),
            self.stratum(Stratum::Others, shapes),
        ]
    }

    /// The cells of one stratum in which routes of these shapes lie.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn stratum(&self, stratum: Stratum, shapes: ShapeSet) -> Cells {
        let df = self.dragonfly();
        let (of, ports) = match stratum {
            Stratum::Own => (OWN, df.h()),
            Stratum::Theirs => (THEIRS, df.h()),
            Stratum::Others => (OTHERS, df.ports_per_group() - df.h()),
            Stratum::All => (ShapeSet::ALL, df.ports_per_group()),
        };
        let shapes = shapes.and(of);
        let direct = u8::from(!shapes.without(DETOURS).is_empty());
        let detours = if shapes.and(DETOURS).is_empty() { 0 } else { df.a().saturating_sub(2) };
        let links = self.image.fabric().most_links();
        // Of one stratum: the shapes without a head, or those with one, which begin with number 6.
        let bits = shapes.bits();
        let wanted = ((bits | bits >> 6) & 0x3f) as u8;
        let ways = u32::from(direct) + detours;
        let [ports, links, ways] = [ports, links, ways].map(low_u16);
        Cells { stratum, wanted, ports, links, ways, direct }
    }

    /// Visits the cells that hold two links, in order, `most` of them at most.
    #[inline]
    pub(crate) fn visit(
        &self,
        to: &Place,
        strata: &[Cells],
        most: u32,
        mut each: impl FnMut(LinkPair, &Cells, u32),
    ) {
        let mut left = most;
        for cells in strata.iter().filter(|cells| cells.ways > 0) {
            for port in 0..cells.ports.into() {
                for k in 0..cells.links.into() {
                    let Some(links) = self.links(to, cells, port, k) else { break };
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

    /// Passes by as many pairs of a first and a second link as `pair` says, which counts down, and
    /// returns the next; `None` where there are no more. Takes the ports of a single stratum of few in order,
    /// so it looks at h of them; else the groups between, g at most.
    #[cfg_attr(target_os = "none", inline(never))]
    pub(crate) fn seek(&self, to: &Place, of: Option<&Cells>, pair: &mut u32) -> Option<LinkPair> {
        let (fabric, group) = (self.image.fabric(), self.image.group());
        if let Some(cells) = of {
            for port in 0..cells.ports.into() {
                let pairs = self.pairs_at(to, cells, port);
                if *pair < pairs {
                    return self.links(to, cells, port, *pair);
                }
                *pair -= pairs;
            }
            return None;
        }
        for middle in self.dragonfly().group_numbers() {
            if middle == group || middle == to.group {
                continue;
            }
            let first = fabric.links_between(group, middle);
            let seconds = fabric.links_between(middle, to.group).count();
            // Both are at most 2¹².
            let pairs = first.count().wrapping_mul(seconds);
            if *pair < pairs {
                let x = fabric.ends(first, pair.checked_div(seconds)?).0;
                return self.links_by_x(to, x, pair.checked_rem(seconds)?);
            }
            *pair -= pairs;
        }
        None
    }

    /// How many pairs of links [`Self::links`] has with this port.
    fn pairs_at(&self, to: &Place, cells: &Cells, port: u32) -> u32 {
        let (fabric, group) = (self.image.fabric(), self.image.group());
        let (end, middle) = if cells.stratum == Stratum::Theirs {
            let port = self.dragonfly().global_port(to.index, low_u16(port));
            let behind = fabric.link_behind(End { group: to.group, port });
            (group, behind.map(|(middle, _)| middle))
        } else {
            let behind = self.image.behind(self.first_link(cells, port));
            (to.group, behind.map(|behind| behind.group))
        };
        let other = middle.filter(|&middle| middle != end);
        other.map_or(0, |middle| fabric.links_between(middle, end).count())
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
}

/// What is left of a random word after a choice.
#[derive(Clone, Copy)]
pub(crate) struct Rest {
    word: u32,
    /// Among how many the choice was.
    of: u32,
}

impl Rest {
    /// A choice among `of` by a random word, and the rest of the word.
    #[inline]
    pub(crate) const fn split(random: u32, of: u32) -> (u32, Self) {
        let (choice, word) = split(random, of);
        (choice, Self { word, of })
    }

    /// The random word that draws one of the cells: the rest where that decides little enough.
    #[inline]
    pub(crate) fn or_word(self, cells: &Cells, rng: &mut (impl Rng + ?Sized)) -> u32 {
        if cells.count().saturating_mul(self.of) <= MOST_OF_ONE_WORD {
            self.word
        } else {
            word(rng)
        }
    }
}

/// A cell, uniformly: its port, its link and its way. By this random word if one is enough.
#[inline]
pub(crate) fn draw_cell(
    random: u32,
    cells: &Cells,
    rng: &mut (impl Rng + ?Sized),
) -> (u32, u32, u32) {
    let (port, left) = split(random, cells.ports.into());
    let (way, left) = split(left, cells.ways.into());
    let left = if cells.count() <= MOST_OF_ONE_WORD { left } else { word(rng) };
    (port, split(left, cells.links.into()).0, way)
}

/// A global port that exists.
#[inline]
pub(crate) const fn global_port(number: u32) -> GlobalPort {
    GlobalPort(low_u16(number))
}

/// A number of ports, links or ways, or a port of a group: at most 2¹².
#[inline]
pub(crate) const fn low_u16(number: u32) -> u16 {
    (number & 0xffff) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_cells_as_there_can_be_are_still_too_many_to_visit() {
        // Triples where two groups of 256 switches share all their 4096 ports.
        let cells = Cells {
            stratum: Stratum::All,
            wanted: 0x3f,
            ports: 4096,
            links: 4096,
            ways: 256,
            direct: 0,
        };
        assert!(cells.count() > MOST_VISITED);
        assert_eq!(cells.count(), u32::MAX);
    }
}
