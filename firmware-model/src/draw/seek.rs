//! Seeks: counts pairs of links, and draws one by its number.

use super::cells::{Cells, LinkPair, MOST_SOUGHT, Stratum, low_u16};
use super::looking::Looking;
use crate::path::Path;
use crate::random::below;
use rand_core::Rng;
use tvlb_schema::End;

/// The result of a seek.
pub(super) enum Sought {
    /// A path, or the certainty that there is none.
    Ended(Option<Path>),
    /// Neither.
    Missed,
}

impl Looking<'_> {
    /// As [`Self::draw_from`] by pairs of links that are drawn by number.
    #[cold]
    #[inline(never)]
    pub(super) fn draw_by_seeking(
        &self,
        strata: &[Cells],
        rng: &mut (impl Rng + ?Sized),
    ) -> Sought {
        let mut used = strata.iter().filter(|cells| cells.ways > 0);
        let single = used.next().filter(|_| used.next().is_none());
        // If there are several, they share the pairs between them, so that one number selects a pair of any.
        let ways = single.map_or(self.switch.dragonfly().a(), |cells| cells.ways.into());
        let few = single.filter(|cells| matches!(cells.stratum, Stratum::Own | Stratum::Theirs));
        let each = few.map_or(self.switch.dragonfly().g(), |cells| cells.ports.into());
        let mut left = u32::MAX;
        self.seek(few, &mut left);
        let pairs = !left;
        // No more looks than the visit takes, which always ends the search.
        let cells = pairs.saturating_mul(ways);
        let looks =
            cells.saturating_add(self.switch.dragonfly().ports_per_group()).min(MOST_SOUGHT);
        for _ in 0..looks.checked_div(each).unwrap_or(0) {
            let mut pair = below(rng, pairs);
            let Some(links) = self.seek(few, &mut pair) else {
                return Sought::Ended(None);
            };
            let way = below(rng, ways);
            if let Some(cells) = strata.iter().find(|cells| self.fits(links, cells))
                && way < cells.ways.into()
                && let Some(found) = self.path_in(links, cells, way)
            {
                return Sought::Ended(Some(found));
            }
        }
        Sought::Missed
    }

    /// Skips as many pairs of a first and a second link as `pair`, which counts down, and returns the next; `None` if
    /// there are no more. Takes the ports of a single stratum of few in order, so it examines h of them; else the
    /// groups between, at most g.
    #[cfg_attr(target_os = "none", inline(never))]
    pub(super) fn seek(&self, of: Option<&Cells>, pair: &mut u32) -> Option<LinkPair> {
        let (fabric, group) = (self.switch.image.fabric(), self.switch.image.group());
        if let Some(cells) = of {
            for port in 0..cells.ports.into() {
                let pairs = self.pairs_at(cells, port);
                if *pair < pairs {
                    return self.links(cells, port, *pair);
                }
                *pair -= pairs;
            }
            return None;
        }
        for middle in self.switch.dragonfly().group_numbers() {
            if middle == group || middle == self.to.group {
                continue;
            }
            let first = fabric.links_between(group, middle);
            let seconds = fabric.links_between(middle, self.to.group).count();
            // Both are at most 2¹².
            let pairs = first.count().wrapping_mul(seconds);
            if *pair < pairs {
                let x = fabric.ends(first, pair.checked_div(seconds)?).0;
                return self.links_by_x(x, pair.checked_rem(seconds)?);
            }
            *pair -= pairs;
        }
        None
    }

    /// How many pairs of links [`Self::links`] has with this port.
    pub(super) fn pairs_at(&self, cells: &Cells, port: u32) -> u32 {
        let (fabric, group) = (self.switch.image.fabric(), self.switch.image.group());
        let (end, middle) = if cells.stratum == Stratum::Theirs {
            let port = self.switch.dragonfly().global_port(self.to.index, low_u16(port));
            let behind = fabric.link_behind(End { group: self.to.group, port });
            (group, behind.map(|(middle, _)| middle))
        } else {
            let behind = self.switch.image.behind(self.first_link(cells, port));
            (self.to.group, behind.map(|behind| behind.group))
        };
        let other = middle.filter(|&middle| middle != end);
        other.map_or(0, |middle| fabric.links_between(middle, end).count())
    }
}
