//! Draws a route of one shape: by cells, or by asking a switch which of its links leads to a group.
//!
//! Some shapes fix both links at one switch: without a hop in the middle, the second link leaves the switch at which
//! the first arrives, and without one at either end, both belong to the two ends of the route. A cell tried at random
//! ([`super::cells`]) finds such a route about once in as many tries as a group has switches. So here one of the links
//! is drawn, and the switch that must have the other is asked: its ports are scanned for those that lead to the group.
//! The share of answers with a link is about the number of a switch's ports for each group of the fabric.
//!
//! | shape    | drawn                              | asked for a link                             |
//! |----------|------------------------------------|----------------------------------------------|
//! | 010, 020 | a first link of this switch        | the destination, to the first link's group   |
//! | 001, 101 | a first link                       | the switch where it arrives, to the destination's group |
//! | 100      | a last link, of the destination    | the switch from which it comes, to this group |
//! | 000      | nothing: all pairs of a first link of this switch and a last one of the destination are tried | |
//!
//! **Uniform.** A switch may have several links to a group, c. The number of the one to take is drawn below M, the most
//! that any switch has, and a number from c on is a miss. So every pair of links is drawn with the same probability,
//! whatever the c. For 000 one of the pairs is kept by reservoir sampling.
//!
//! **Bound.** A draw asks as often as cells would be tried, at most [`MOST_ASKED`] times, and scans the ports of one
//! switch each time; then it continues as if all tries had missed.

use super::by_route::Tries;
use super::cells::{Cells, MOST_TRIES, Rest, Stratum, low_u16};
use super::looking::Looking;
use super::search::{MOST_ASKED, Search};
use crate::path::Path;
use crate::random::{below, word};
use rand_core::Rng;
use tvlb_schema::{End, Shape, ShapeSet};

/// How to draw a route of one shape, which is known beforehand.
struct OneShape {
    stratum: Stratum,
    /// As [`Cells::wanted`].
    wanted: u8,
    is_detour: bool,
    /// How to search, if asking pays.
    search: Search,
}

impl OneShape {
    /// For each shape.
    const ALL: [Self; Shape::COUNT] = {
        let mut all = [const { Self::of(Shape::of_walk(false, 0, false)) }; Shape::COUNT];
        let mut number = 0;
        while let Some(shape) = Shape::from_number(number) {
            all[number] = Self::of(shape);
            number += 1;
        }
        all
    };

    const fn of(shape: Shape) -> Self {
        Self {
            stratum: Stratum::of(shape),
            wanted: 1 << (shape.mid() << 1 | shape.tail()),
            is_detour: shape.mid() == 2,
            search: Search::by_asking(shape),
        }
    }
}

impl Looking<'_> {
    /// A route of a set of this shape, uniformly, by tries that may all miss. `rest` is the remaining randomness after
    /// drawing the shape.
    // Separate on a switch, so that other draws do not need its stack.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(super) fn try_shape(
        &self,
        shape: Shape,
        rest: Rest,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let (fabric, df) = (self.switch.image.fabric(), self.switch.dragonfly());
        let &OneShape { stratum, wanted: behind, is_detour, search } =
            OneShape::ALL.get(shape.number())?;
        let ports = match stratum {
            Stratum::Others => df.ports_per_group() - df.h(),
            _ => df.h(),
        };
        let ways = if is_detour { df.a().saturating_sub(2) } else { 1 };
        // As often as the following visit would try cells.
        let tries = (ports * fabric.most_links()).saturating_mul(ways);
        let search = if Search::pays(fabric.most_links(), df.h()) { search } else { Search::Cells };
        let (links, most) = match search {
            Search::Cells => (fabric.most_links(), MOST_TRIES),
            _ => (fabric.most_links_of_switch(), MOST_ASKED),
        };
        let cells = Cells {
            stratum,
            wanted: behind,
            ports: low_u16(ports),
            links: low_u16(links),
            ways: low_u16(ways),
            direct: u8::from(!is_detour),
        };
        if search == Search::Both {
            return self.draw_of_both(&cells, rng);
        }
        let random = rest.or_word(&cells, rng);
        let tries = Tries { search, most: tries.min(most), random };
        if cfg!(target_os = "none") {
            self.try_cells(&[cells], tries, rng)
        } else {
            // A loop of its own for each search, so that none prepares values that only another needs.
            let mut tried_by = |search, stratum| {
                let cells = Cells { stratum, ..cells };
                self.try_stratum(cells, Tries { search, ..tries }, rng)
            };
            match (search, stratum) {
                (Search::Last, _) => tried_by(Search::Last, Stratum::Own),
                (Search::Second, _) => tried_by(Search::Second, stratum),
                (Search::First, _) => tried_by(Search::First, Stratum::Theirs),
                (_, Stratum::Theirs) => tried_by(Search::Cells, Stratum::Theirs),
                _ => tried_by(Search::Cells, stratum),
            }
        }
    }

    /// As [`Self::try_shape`], after the allowed number of misses.
    #[cold]
    #[inline(never)]
    pub(super) fn draw_of_shape_otherwise(
        &self,
        shape: Shape,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let cells = self.stratum(Stratum::of(shape), ShapeSet::only(shape));
        self.draw_otherwise(&[cells], rng)
    }

    /// A route of a set of shape 000, uniformly: all pairs of a link of this switch and one of the destination are
    /// tried.
    #[inline(never)]
    pub(super) fn draw_of_both(
        &self,
        cells: &Cells,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let (fabric, df) = (self.switch.image.fabric(), self.switch.dragonfly());
        let (mut kept, mut hits) = (None, 0);
        for slot in 0..df.h() {
            let z = End::new(df, self.to.group, self.to.index, low_u16(slot));
            let Some((middle, kz)) = fabric.link_behind(z) else { continue };
            for x in self.switch.image.own_links_to(middle) {
                if let Some(links) = self.links_by_x(x, kz)
                    && let Some(found) = self.path_in(links, cells, 0)
                {
                    hits += 1;
                    if hits == 1 || below(rng, hits) == 0 {
                        kept = Some(found);
                    }
                }
            }
        }
        kept
    }
}

/// A shape by its weight, and the rest of the random word; `None` if there is none to draw.
#[inline]
pub(super) fn draw_shape(
    shapes: ShapeSet,
    is_even: bool,
    weights: &[u16; Shape::COUNT],
    rng: &mut (impl Rng + ?Sized),
) -> Option<(Shape, Rest)> {
    // Equal weights cancel out, so the general rule below draws the same; this is a shortcut for a host.
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
