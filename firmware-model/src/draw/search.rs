//! How the two global links of a route of one shape are found, and the question to a switch which of its
//! links leads to a group. [`super::by_shape`] says why, and draws by it.

use super::cells::{Cells, low_u16};
use super::looking::Looking;
use tvlb_schema::{End, Shape};

/// The most times that switches are asked in a draw.
pub const MOST_ASKED: u32 = 256;

/// How routes of a shape are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// All pairs of links of the two ends of the route are looked at.
    Both,
    /// The destination is asked for the last link.
    Last,
    /// The switch at which the first link arrives is asked for the second.
    Second,
    /// The switch from which the last link comes is asked for the first.
    First,
    /// Nobody is asked: cells are tried.
    Cells,
}

impl Search {
    /// How routes of this shape are found, where asking pays.
    pub(super) const fn by_asking(shape: Shape) -> Self {
        match (shape.head(), shape.mid(), shape.tail()) {
            (0, 0, 0) => Self::Both,
            (0, _, 0) => Self::Last,
            (_, 0, 1) => Self::Second,
            (_, 0, _) => Self::First,
            _ => Self::Cells,
        }
    }

    /// How routes of this shape are found where two groups share so many links at most and a switch has
    /// so many global ports.
    pub const fn of(shape: Shape, most_links: u32, ports: u32) -> Self {
        if Self::pays(most_links, ports) { Self::by_asking(shape) } else { Self::Cells }
    }

    /// Whether asking pays, and cells do not hold routes often enough: an answer takes about as long as a
    /// try of a cell and one more for every eight ports of a switch, and is a link as many times as often
    /// as two groups share links.
    #[inline]
    pub(super) const fn pays(most_links: u32, ports: u32) -> bool {
        most_links * 8 > ports + 8
    }
}

impl Looking<'_> {
    /// The number by which the cells with this port have the link that is the `n`-th with which the
    /// switch answers that is asked; `n` itself where nobody is asked.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    #[allow(clippy::inline_always)]
    pub(super) fn ask(&self, cells: &Cells, search: Search, port: u32, n: u32) -> Option<u32> {
        let (fabric, df) = (self.switch.image.fabric(), self.switch.dragonfly());
        let (switch, asked_for) = match search {
            Search::Cells | Search::Both => return Some(n),
            Search::First => {
                let z = df.global_port(self.to.index, low_u16(port));
                let (middle, kz) = fabric.link_behind(End { group: self.to.group, port: z })?;
                let (_, y) = fabric.ends(fabric.links_between(self.to.group, middle), kz);
                ((middle, df.split_port(y).0), self.switch.image.group())
            }
            Search::Second | Search::Last => {
                let End { group: middle, port: v } =
                    self.switch.image.behind(self.first_link(cells, port))?;
                if search == Search::Second {
                    ((middle, df.split_port(v).0), self.to.group)
                } else {
                    ((self.to.group, self.to.index), middle)
                }
            }
        };
        #[cfg(not(target_os = "none"))]
        if let Some(masks) = &self.switch.link_masks
            && let Some(link) = masks.only_link(switch, asked_for)
        {
            return (n == 0 && link != 0).then(|| link.trailing_zeros());
        }
        fabric.nth_link_of_switch(switch, asked_for, n).map(|(_, k)| k)
    }
}
