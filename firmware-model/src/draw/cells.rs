//! The cells in which a pair's routes are found, and the random choice of one.
//!
//! A *cell* is a port, the number k of a link, and a way to cross the intermediate group; it holds at most one route,
//! and every route of a pair is in exactly one cell of one of three *strata*:
//!
//! | stratum | the port is      | k counts the links between                  | holds the shapes |
//! |---------|------------------|---------------------------------------------|------------------|
//! | own     | this switch's    | the port's group and the destination's      | 0··              |
//! | theirs  | the destination's| this group and the port's                   | 1·0              |
//! | others  | another switch's of this group | as for own                    | 1·1              |
//!
//! One random word is scaled to the port and to the way to cross. If there are at most 2¹⁶ cells the same word gives
//! the link too; otherwise a second word does.

use crate::random::{split, word};
use rand_core::Rng;
use tvlb_schema::{GlobalPort, Shape, ShapeSet, SwitchIndex};

/// The most cells that are tried at random.
pub const MOST_TRIES: u32 = 4096;
/// The most of these tries that may find no two links, if groups are joined by different numbers of links or ports are
/// unused.
pub const MOST_MISSES: u32 = 32;
/// The most groups, or ports of a switch, that are then examined to seek pairs of links, which are counted and drawn by
/// number.
pub const MOST_SOUGHT: u32 = 16_384;
/// The most cells that are visited in order when all tries and seeks have missed.
pub const MOST_VISITED: u32 = 8192;
/// The most cells from which one random word draws.
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
    pub(super) const fn of(shape: Shape) -> Self {
        match ShapeSet::only(shape) {
            one if one.and(OWN).bits() != 0 => Self::Own,
            one if one.and(THEIRS).bits() != 0 => Self::Theirs,
            _ => Self::Others,
        }
    }
}

/// A stratum and the wanted ways to cross the intermediate group.
#[derive(Clone, Copy)]
pub(crate) struct Cells {
    pub(crate) stratum: Stratum,
    /// Bit 2·mid + tail is set if shapes with these are wanted.
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
    pub(super) const fn count(&self) -> u32 {
        // Saturated if two groups of 256 switches share all their 4096 ports.
        (self.ports as u32 * self.links as u32).saturating_mul(self.ways as u32)
    }

    /// The routes in these cells have a local hop before x.
    #[inline]
    pub(super) fn head(&self) -> bool {
        self.stratum != Stratum::Own
    }

    /// The shape of these hops after x, if it is wanted.
    #[inline]
    pub(super) fn shape(&self, mid: u8, tail: bool) -> Option<Shape> {
        let behind = mid << 1 | u8::from(tail);
        let wanted = self.wanted >> behind & 1 == 1;
        wanted.then(|| Shape::of_walk(self.head(), mid, tail))
    }

    /// Whether a tail like that of these links is wanted.
    #[inline]
    pub(super) const fn wants(&self, tail: bool) -> bool {
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

/// The rest of a random word after a choice.
#[derive(Clone, Copy)]
pub(crate) struct Rest {
    word: u32,
    /// The number of alternatives of the choice.
    of: u32,
}

impl Rest {
    /// A choice among `of` by a random word, and the rest of the word.
    #[inline]
    pub(super) const fn split(random: u32, of: u32) -> (u32, Self) {
        let (choice, word) = split(random, of);
        (choice, Self { word, of })
    }

    /// The random word to draw one of the cells: the rest, if that has enough randomness.
    #[inline]
    pub(super) fn or_word(self, cells: &Cells, rng: &mut (impl Rng + ?Sized)) -> u32 {
        if cells.count().saturating_mul(self.of) <= MOST_OF_ONE_WORD {
            self.word
        } else {
            word(rng)
        }
    }
}

/// A cell, uniformly: its port, its link and its way, from this random word if one is enough.
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

/// The stratum that the cell of this number is in.
#[inline]
pub(super) fn stratum_of(strata: &[Cells], cell: u32) -> Option<&Cells> {
    let mut at = cell;
    strata.iter().find(|cells| {
        let hit = at < cells.count();
        at = at.saturating_sub(cells.count());
        hit
    })
}

/// The cells of some strata.
#[inline]
pub(super) fn count(strata: &[Cells]) -> u32 {
    strata.iter().map(Cells::count).fold(0, u32::saturating_add)
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
