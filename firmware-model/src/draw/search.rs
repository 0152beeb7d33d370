//! How to find the two global links of a route of one shape, and how to ask a switch which of its links leads to a
//! group. [`super::by_shape`] gives the reasons and uses it.

use super::cells::{Cells, low_u16};
use super::looking::Looking;
use tvlb_schema::{End, Shape};

/// The most times that switches are asked in a draw.
pub const MOST_ASKED: u32 = 256;

/// How to find routes of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Try all pairs of links of the two ends of the route.
    Both,
    /// Ask the destination for the last link.
    Last,
    /// Ask the switch at which the first link arrives for the second.
    Second,
    /// Ask the switch from which the last link comes for the first.
    First,
    /// Try cells, without asking a switch.
    Cells,
}

impl Search {
    /// How to find routes of this shape if asking pays.
    pub(super) const fn by_asking(shape: Shape) -> Self {
        match (shape.head(), shape.mid(), shape.tail()) {
            (0, 0, 0) => Self::Both,
            (0, _, 0) => Self::Last,
            (_, 0, 1) => Self::Second,
            (_, 0, _) => Self::First,
            _ => Self::Cells,
        }
    }

    /// How to find routes of this shape if two groups share at most this many links and a switch has this many global
    /// ports.
    pub const fn of(shape: Shape, most_links: u32, ports: u32) -> Self {
        if Self::pays(most_links, ports) { Self::by_asking(shape) } else { Self::Cells }
    }

    /// Whether asking pays because cells rarely hold routes: an answer takes about as long as a try of a cell and one
    /// more for every eight ports of a switch, and is more likely to be a link by the number of links that two groups
    /// share.
    #[inline]
    pub(super) const fn pays(most_links: u32, ports: u32) -> bool {
        most_links * 8 > ports + 8
    }
}

impl Looking<'_> {
    /// The number by which the cells with this port have the `n`-th link in the answer of the asked switch; `n` itself
    /// if no switch is asked.
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
