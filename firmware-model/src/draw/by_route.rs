//! Draws a route uniformly, of a set or of all triples, from cells that are tried at random.

use super::cells::{Cells, MOST_MISSES, MOST_TRIES, count, draw_cell, stratum_of};
use super::looking::Looking;
use super::search::Search;
use super::seek::Sought;
use crate::path::Path;
use crate::random::{split, word};
use rand_core::Rng;

/// The result of trying a cell.
enum Tried {
    Found(Path),
    /// Two links, but no wanted path.
    NoPath,
    /// No two links.
    NoLinks,
}

/// The random tries of a draw.
#[derive(Clone, Copy)]
pub(crate) struct Tries {
    /// How to find two links.
    pub(crate) search: Search,
    /// The most tries.
    pub(crate) most: u32,
    /// The random word of the first try.
    pub(crate) random: u32,
}

impl Looking<'_> {
    /// A VLB triple (R, leg 1, leg 2), uniformly over all: the conventional draw. If all groups share the same number
    /// of links, R is uniform, and then the link of each leg.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn draw_triple(&self, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        let cells = self.cells_of_triples();
        // Hardly any cell misses, so the first is tried apart from the rest, whose loop prepares values that are mostly
        // not needed.
        let apart =
            cfg!(not(target_os = "none")) && cells.count() > 0 && self.switch.dragonfly().is_even();
        if apart {
            let (port, k, way) = draw_cell(word(rng), &cells, rng);
            if let Some(links) = self.links(&cells, port, k)
                && let Some(found) = self.triple_over(links, way)
            {
                return Some(found);
            }
        }
        self.draw_triple_from(cells, u32::from(apart), rng)
    }

    /// As [`Self::draw_triple`], after some tries that have missed.
    #[cfg_attr(target_os = "none", inline)]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    pub(super) fn draw_triple_from(
        &self,
        cells: Cells,
        tried: u32,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        self.draw_from(&[cells], tried, rng)
    }

    /// A route of a set, or a triple without a set, uniformly from all cells of these strata, after `most` tries that
    /// have missed.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    pub(super) fn draw_from(
        &self,
        strata: &[Cells],
        tried: u32,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let most = count(strata).min(MOST_TRIES).saturating_sub(tried);
        let found = if most == 0 {
            None
        } else {
            let tries = Tries { search: Search::Cells, most, random: word(rng) };
            match strata {
                &[cells] if cfg!(not(target_os = "none")) => self.try_stratum(cells, tries, rng),
                _ => self.try_cells(strata, tries, rng),
            }
        };
        match found {
            Some(found) => Some(found),
            None => self.draw_otherwise(strata, rng),
        }
    }

    /// As [`Self::draw_from`] by random tries, which may all miss.
    // Apart from the visit, so that a switch's stack holds only one of the two at a time.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    pub(super) fn try_cells(
        &self,
        strata: &[Cells],
        tries: Tries,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let Tries { search, most, mut random } = tries;
        let mut misses = if self.switch.image.fabric().is_regular() { most } else { MOST_MISSES };
        for _ in 0..most {
            let cells = if let [cells] = strata {
                cells
            } else {
                let cells = stratum_of(strata, split(random, count(strata)).0)?;
                random = word(rng);
                cells
            };
            match self.try_cell(cells, search, random, rng) {
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

    /// As [`Self::try_cells`], for a single stratum, which is the case of nearly all draws. A host saves a tenth of the
    /// instructions of a decision if the cells are a value of their own instead of a reference; a switch's flash has no
    /// room for both.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn try_stratum(
        &self,
        cells: Cells,
        tries: Tries,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let Tries { search, most, mut random } = tries;
        let mut misses = if self.switch.image.fabric().is_regular() { most } else { MOST_MISSES };
        for _ in 0..most {
            match self.try_cell(&cells, search, random, rng) {
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

    /// Tries the cell that a random word selects.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn try_cell(
        &self,
        cells: &Cells,
        search: Search,
        random: u32,
        rng: &mut (impl Rng + ?Sized),
    ) -> Tried {
        let (port, k, way) = draw_cell(random, cells, rng);
        let is_asked = search != Search::Cells;
        let k = if is_asked { self.ask(cells, search, port, k) } else { Some(k) };
        let Some(links) = k.and_then(|k| self.links(cells, port, k)) else {
            return Tried::NoLinks;
        };
        if !self.named_fit(links, cells) {
            return Tried::NoPath;
        }
        self.path_in(links, cells, way).map_or(Tried::NoPath, Tried::Found)
    }

    /// As [`Self::draw_from`], after all tries have missed: by seeking pairs of links if the wiring has uneven cells,
    /// and by a visit if that misses too.
    // The two side by side, so that a switch's stack holds only one of them at a time.
    #[cfg_attr(target_os = "none", inline)]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    pub(super) fn draw_otherwise(
        &self,
        strata: &[Cells],
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        if !self.switch.image.fabric().is_regular()
            && let Sought::Ended(found) = self.draw_by_seeking(strata, rng)
        {
            return found;
        }
        self.draw_by_visit(strata, rng)
    }
}
