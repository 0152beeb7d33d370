//! Numbers for the links of a Dragonfly: one for each direction of each local and global cable.
//!
//! The numbers of a group's own links, local ones by source and destination index and then global ones by port, are
//! consecutive, and those of the next group follow them. Renumbering the groups thus moves a link by whole groups,
//! which folding needs. A number without a link of its own (a switch to itself, an unused port) never carries load.
//! Several links between two switches of a group share one number.

use super::Topology;
use std::fmt;
use tvlb_schema::{Dragonfly, End, GlobalPort, GroupId, LinkKind, Port, SwitchId, SwitchIndex};

/// The numbering of the links of one Dragonfly.
#[derive(Clone, Copy, Debug)]
pub struct LinkNumbers {
    df: Dragonfly,
}

impl LinkNumbers {
    /// The numbering of the links of this Dragonfly.
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

    /// The link of a group's global port.
    pub fn global(&self, group: GroupId, port: GlobalPort) -> usize {
        let a = self.df.a() as usize;
        self.group_start(group) + a * a + port.as_usize()
    }

    /// For each number how many links share it, by how many join two switches of a group; empty if each stands for one.
    pub fn multiplicities(
        &self,
        links_within: impl Fn(GroupId, SwitchIndex, SwitchIndex) -> u32,
    ) -> Vec<f64> {
        if self.df.has_single_links() {
            return Vec::new();
        }
        let mut multiplicities = vec![1.0; self.count()];
        for group in self.df.groups() {
            for from in self.df.indices(group) {
                for to in self.df.indices(group).filter(|&to| to != from) {
                    let links = links_within(group, from, to).max(1);
                    multiplicities[self.local(group, from, to)] = f64::from(links);
                }
            }
        }
        multiplicities
    }

    /// For each number how many flits per cycle its links carry; empty if each carries one.
    pub fn capacities(&self, topology: &Topology) -> Vec<f64> {
        let within = |group, one, other| topology.links_within(group, one, other);
        let mut capacities = self.multiplicities(within);
        let bandwidths = topology.bandwidths();
        if !bandwidths.are_equal() {
            capacities.resize(self.count(), 1.0);
            for (link, capacity) in capacities.iter_mut().enumerate() {
                *capacity *= bandwidths.flits_per_cycle(self.kind(link));
            }
        }
        capacities
    }

    /// The kind of a number's links.
    pub fn kind(&self, link: usize) -> LinkKind {
        if self.is_global(link) { LinkKind::Global } else { LinkKind::Local }
    }

    /// The number of a group's first link.
    pub fn group_start(&self, group: GroupId) -> usize {
        group.as_usize() * self.per_group()
    }

    /// Whether the number is that of a global link.
    pub fn is_global(&self, link: usize) -> bool {
        let a = self.df.a() as usize;
        link % self.per_group() >= a * a
    }

    /// The switch that a link leaves and its port there; `None` for the number of a switch to itself.
    pub fn leaves(&self, link: usize) -> Option<(SwitchId, Port)> {
        let narrow = |n: usize| u8::try_from(n).ok().map(SwitchIndex);
        let group = GroupId(u16::try_from(link / self.per_group()).ok()?);
        let (a, h) = (self.df.a() as usize, self.df.h() as usize);
        let within = link % self.per_group();
        if within < a * a {
            let (from, to) = (narrow(within / a)?, narrow(within % a)?);
            (from != to).then(|| (self.df.switch(group, from), self.df.local_port(from, to)))
        } else {
            let (from, slot) = (narrow((within - a * a) / h)?, (within - a * a) % h);
            let slot = u16::try_from(slot).ok()?;
            Some((self.df.switch(group, from), self.df.slot_port(slot)))
        }
    }

    /// The links of the path over the global link `x` and, for VLB, through the detour, if there is one, to the global
    /// link `y`. `peer` follows a cable. `None` if a cable is missing.
    ///
    /// # Example
    /// ```
    /// use tvlb_schema::{Dragonfly, GlobalPort, GroupId, SwitchId};
    /// use tvlb_topology::arrangement::{Arrangement, arrange};
    /// use tvlb_topology::links::LinkNumbers;
    ///
    /// let df = Dragonfly::new(2, 4, 2, 9)?;
    /// let topology = arrange(df, Arrangement::Absolute, 0)?;
    /// let numbers = LinkNumbers::new(df);
    /// // Group 0 has one link to group 5; from its switch 0 there are three hops to switch 21 at most.
    /// let x = topology.links(GroupId(0), GroupId(5))[0].from;
    /// let path = numbers.of_path(|end| topology.peer(end), (SwitchId(0), SwitchId(21)), x, None);
    /// assert!(path.is_some_and(|path| path.iter().count() <= 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_path(
        &self,
        peer: impl Fn(End) -> Option<End>,
        (source, destination): (SwitchId, SwitchId),
        x: GlobalPort,
        rest: Option<(Option<SwitchIndex>, GlobalPort)>,
    ) -> Option<PathLinks> {
        let mut walk =
            LinkWalk { numbers: self, at: self.df.place(source), links: PathLinks::NONE };
        walk.by_cable(&peer, x)?;
        if let Some((detour, y)) = rest {
            if let Some(detour) = detour {
                walk.to(detour);
            }
            walk.by_cable(&peer, y)?;
        }
        walk.end_at(destination)
    }

    /// The links of the walk over these switches, which leaves its first group through the port `x` and no other group.
    pub fn of_walk(
        &self,
        switches: &[SwitchId],
        x: Option<GlobalPort>,
    ) -> impl Iterator<Item = usize> {
        switches.windows(2).map(move |hop| {
            let ((group, from), (other, to)) = (self.df.place(hop[0]), self.df.place(hop[1]));
            match x {
                Some(x) if group != other => self.global(group, x),
                _ => self.local(group, from, to),
            }
        })
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

/// The most links of a path: two local hops in each group that it leaves or enters, but one at either end, and two
/// global ones.
const MOST_LINKS: usize = 6;

/// The numbers of a path's links, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathLinks {
    /// `u32::MAX` after the last one, so that equal paths compare equal.
    links: [u32; MOST_LINKS],
}

impl PathLinks {
    const NONE: Self = Self { links: [u32::MAX; MOST_LINKS] };

    /// These links, of which there are at most six.
    pub fn of(links: impl Iterator<Item = usize>) -> Self {
        links.fold(Self::NONE, |mut all, link| {
            all.push(link);
            all
        })
    }

    /// The links in the order in which a packet takes them.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.links.into_iter().take_while(|&link| link != u32::MAX).map(|link| link as usize)
    }

    fn push(&mut self, link: usize) {
        let free = self.links.iter_mut().find(|link| **link == u32::MAX);
        *free.expect("a path has six links at most") =
            u32::try_from(link).expect("a Dragonfly has fewer than 2^32 links");
    }
}

/// A walk over links.
struct LinkWalk<'n> {
    numbers: &'n LinkNumbers,
    at: (GroupId, SwitchIndex),
    links: PathLinks,
}

impl LinkWalk<'_> {
    /// Moves to a switch of the same group, unless the walk is already there.
    fn to(&mut self, to: SwitchIndex) {
        let (group, from) = self.at;
        if from != to {
            self.links.push(self.numbers.local(group, from, to));
            self.at.1 = to;
        }
    }

    /// The links of the walk, which ends at this switch; `None` if that is in another group.
    fn end_at(mut self, destination: SwitchId) -> Option<PathLinks> {
        let (group, last) = self.numbers.df.place(destination);
        (self.at.0 == group).then(|| {
            self.to(last);
            self.links
        })
    }

    /// Moves to the switch that has this port, and over the port's cable.
    fn by_cable(&mut self, peer: &impl Fn(End) -> Option<End>, port: GlobalPort) -> Option<()> {
        let df = &self.numbers.df;
        let group = self.at.0;
        self.to(df.split_port(port).0);
        self.links.push(self.numbers.global(group, port));
        let far = peer(End { group, port })?;
        self.at = (far.group, df.split_port(far.port).0);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrangement::{Arrangement, arrange};

    #[test]
    fn every_link_has_one_number_and_leaves_by_one_port() {
        let df = Dragonfly::new(3, 4, 2, 9).unwrap();
        let numbers = LinkNumbers::new(df);
        let mut met = 0;
        for link in 0..numbers.count() {
            let Some((switch, port)) = numbers.leaves(link) else { continue };
            let (group, index) = df.place(switch);
            let first_global = df.p() + df.a() - 1;
            assert_eq!(numbers.is_global(link), u32::from(port.0) >= first_global);
            let again = if numbers.is_global(link) {
                let slot = port.0 - u16::try_from(first_global).unwrap();
                numbers.global(group, df.global_port(index, slot))
            } else {
                let to =
                    df.indices(group).find(|&to| to != index && df.local_port(index, to) == port);
                numbers.local(group, index, to.unwrap())
            };
            assert_eq!(again, link);
            met += 1;
        }
        // 3 local and 2 global links of each of 36 switches.
        assert_eq!(met, 5 * 36);
    }

    #[test]
    fn a_path_is_its_links_in_order() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let topology = arrange(df, Arrangement::Absolute, 0).unwrap();
        let numbers = LinkNumbers::new(df);
        let (source, destination) = (SwitchId(0), SwitchId(10));
        let peer = |end| topology.peer(end);
        let x = topology.links(GroupId(0), GroupId(5))[0];
        let y = topology.links(GroupId(5), GroupId(2))[0];
        let index = |port| df.split_port(port).0;
        let detour = df.indices(GroupId(5)).find(|&r| r != index(x.to) && r != index(y.from));
        let path = numbers.of_path(peer, (source, destination), x.from, Some((detour, y.from)));
        let mut expected = Vec::new();
        if index(x.from) != SwitchIndex(0) {
            expected.push(numbers.local(GroupId(0), SwitchIndex(0), index(x.from)));
        }
        expected.push(numbers.global(GroupId(0), x.from));
        expected.push(numbers.local(GroupId(5), index(x.to), detour.unwrap()));
        expected.push(numbers.local(GroupId(5), detour.unwrap(), index(y.from)));
        expected.push(numbers.global(GroupId(5), y.from));
        if index(y.to) != SwitchIndex(2) {
            expected.push(numbers.local(GroupId(2), index(y.to), SwitchIndex(2)));
        }
        assert_eq!(path.unwrap().iter().collect::<Vec<_>>(), expected);
        // A path that ends in another group does not lead to the destination.
        assert_eq!(numbers.of_path(peer, (source, destination), x.from, None), None);
    }
}
