//! Numbers for the links of a Dragonfly: one for each direction of each local and global cable.
//!
//! The numbers of a group's own links, local ones by source and destination index and then global
//! ones by port, follow each other, and those of the next group follow these. Renumbering the
//! groups thus moves a link by whole groups, which is what folding needs. A number without a link
//! behind it (a switch to itself, an unused port) never carries load.

use std::fmt;
use tvlb_schema::{Dragonfly, GlobalPort, GroupId, SwitchIndex};

/// The numbering of the links of one Dragonfly.
#[derive(Clone, Copy, Debug)]
pub struct Links {
    df: Dragonfly,
}

impl Links {
    /// Of this Dragonfly.
    pub fn new(df: Dragonfly) -> Self {
        Self { df }
    }

    /// How many numbers each group takes: a² + a·h.
    pub fn per_group(&self) -> usize {
        let a = self.df.a() as usize;
        a * a + self.df.ports_per_group() as usize
    }

    /// How many numbers there are.
    pub fn count(&self) -> usize {
        self.per_group() * self.df.g() as usize
    }

    /// The link between two switches of a group.
    pub fn local(&self, group: GroupId, from: SwitchIndex, to: SwitchIndex) -> usize {
        self.group_start(group) + from.as_usize() * self.df.a() as usize + to.as_usize()
    }

    /// The link by which a group's global port leaves it.
    pub fn global(&self, group: GroupId, port: GlobalPort) -> usize {
        let a = self.df.a() as usize;
        self.group_start(group) + a * a + port.as_usize()
    }

    /// The number of a group's first link.
    pub fn group_start(&self, group: GroupId) -> usize {
        group.as_usize() * self.per_group()
    }

    /// "group 3, switch 1 to switch 4", "group 3, switch 1, global port 0".
    pub fn in_words(&self, link: usize) -> impl fmt::Display + use<> {
        let a = self.df.a() as usize;
        let (group, within) = (link / self.per_group(), link % self.per_group());
        if within < a * a {
            format!("group {group}, switch {} to switch {}", within / a, within % a)
        } else {
            let (port, h) = (within - a * a, self.df.h() as usize);
            format!("group {group}, switch {}, global port {}", port / h, port % h)
        }
    }
}
