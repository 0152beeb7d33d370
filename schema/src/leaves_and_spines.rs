//! Groups of leaves and spines, as those of a Dragonfly+.
//!
//! A **spine** has the cables to other groups, and a **leaf** the nodes. Links within a group join a leaf with a spine,
//! so packets go up, across and down, and virtual channels can be assigned accordingly.

use crate::{Dragonfly, End, FabricImage, FewerLinks, GlobalPort, GroupId, SwitchId, SwitchIndex};

/// The part of a wiring that distinguishes leaves from spines. Dead parts do not count as missing.
pub trait LeavesAndSpines {
    /// The sizes.
    fn dragonfly(&self) -> &Dragonfly;

    /// The switches of a group that share fewer links than others of their kind.
    fn fewer_links(&self) -> impl Iterator<Item = FewerLinks>;

    /// Whether a switch has a cable to another group.
    fn has_cable(&self, switch: SwitchId) -> bool;

    /// Whether a link joins two switches of a group.
    fn are_linked(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> bool;

    /// Whether a switch would be a spine: it has a cable to another group, or is linked to switches of its own group of
    /// which none has one.
    fn is_spine(&self, switch: SwitchId) -> bool {
        let (group, own) = self.dragonfly().place(switch);
        let has_cable = |index| self.has_cable(self.dragonfly().switch(group, index));
        let joined = |&other: &SwitchIndex| other != own && self.are_linked(group, own, other);
        let mut neighbours = self.dragonfly().indices(group).filter(joined).peekable();
        self.has_cable(switch) || neighbours.peek().is_some() && !neighbours.any(has_cable)
    }

    /// Whether every link within a group joins a leaf with a spine.
    fn has_leaves_and_spines(&self) -> bool {
        let df = self.dragonfly();
        let is_alike = |pair: &FewerLinks| {
            let high = df.switch(df.place(pair.low).0, pair.high);
            pair.links == 0 && self.is_spine(pair.low) == self.is_spine(high)
        };
        let apart =
            self.fewer_links().filter(is_alike).fold(0, |count: u32, _| count.wrapping_add(1));
        apart == pairs_alike(self)
    }

    /// The same, and only leaves have nodes: there `up-down` assigns virtual channels so that no deadlock can form.
    #[cfg(feature = "alloc")]
    fn has_leaves_and_spines_with(&self, ends: &crate::EndSwitches) -> bool {
        ends.iter().all(|switch| !self.is_spine(switch))
            && self.dragonfly().switches().any(|switch| self.is_spine(switch))
            && self.has_leaves_and_spines()
    }
}

/// How many pairs of two leaves or two spines groups have.
fn pairs_alike(wiring: &(impl LeavesAndSpines + ?Sized)) -> u32 {
    let df = wiring.dragonfly();
    // Of at most 2⁸ switches.
    let pairs = |count: u32| count.wrapping_mul(count.wrapping_sub(1)) / 2;
    let of_group = |group| {
        let spines = df.switches_in(group).filter(|&switch| wiring.is_spine(switch));
        let spines = spines.fold(0_u32, |count, _| count.wrapping_add(1));
        pairs(spines).wrapping_add(pairs(df.switches_of(group).wrapping_sub(spines)))
    };
    df.groups().map(of_group).fold(0, u32::wrapping_add)
}

/// The plan, whatever is dead.
impl LeavesAndSpines for FabricImage<'_> {
    fn dragonfly(&self) -> &Dragonfly {
        self.dragonfly()
    }

    fn fewer_links(&self) -> impl Iterator<Item = FewerLinks> {
        self.fewer_links()
    }

    fn has_cable(&self, switch: SwitchId) -> bool {
        let df = self.dragonfly();
        let (group, index) = df.place(switch);
        let first = df.global_port(index, 0).0;
        let mut ports = (0..df.h()).zip(first..).map(|(_, port)| GlobalPort(port));
        ports.any(|port| self.port_link(End { group, port }).is_some())
    }

    fn are_linked(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> bool {
        self.planned_local_links(group, one, other) > 0
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::{GroupKind, encode_fabric_image_with};
    use alloc::vec::Vec;

    /// Three groups of five switches, in which those with an index below `tier` are alike, joined in a ring by cables
    /// of the switches of index 0 or 4; `changed` are pairs of group 1 with the stated number of links.
    fn image(tier: u8, has_cables: u8, links: u16, changed: &[(u8, u8, u16)]) -> Vec<u8> {
        let kind = GroupKind::new(1, 5, 2, 3).with_local_links(links);
        let df = Dragonfly::of_kinds(&[kind]).expect("sizes of a Dragonfly");
        let end = |group: u16, slot| End {
            group: GroupId(group),
            port: df.global_port(SwitchIndex(has_cables), slot),
        };
        let cables = [(end(0, 0), end(1, 1)), (end(0, 1), end(2, 0)), (end(1, 0), end(2, 1))];
        let mut fewer = Vec::new();
        for group in df.groups() {
            for low in 0..5 {
                for high in low + 1..5 {
                    let planned = if (low < tier) == (high < tier) { 0 } else { links };
                    let other =
                        changed.iter().find(|pair| group.0 == 1 && (pair.0, pair.1) == (low, high));
                    let links_here = other.map_or(planned, |pair| pair.2);
                    if links_here < links {
                        let (low, high) = (df.switch(group, SwitchIndex(low)), SwitchIndex(high));
                        fewer.push(FewerLinks { low, high, links: links_here });
                    }
                }
            }
        }
        encode_fabric_image_with(&df, &cables, &fewer)
    }

    #[test]
    fn leaves_are_told_from_spines_and_links_are_counted() {
        // By tier, switch with cables, links, and the differences: whether groups consist of both, and whether all of
        // them are joined by as many links.
        for (tier, has_cables, links, changed, expected) in [
            (3, 4, 1, &[][..], [true, true]),
            (3, 4, 2, &[], [true, true]),
            (2, 0, 1, &[], [true, true]),
            (1, 0, 1, &[], [true, true]),
            (4, 4, 1, &[], [true, true]),
            // A leaf lacks a spine, or has one link of two.
            (3, 4, 1, &[(1, 3, 0)], [true, false]),
            (3, 4, 2, &[(1, 3, 1)], [true, false]),
            // Two leaves are linked, or two spines.
            (3, 4, 1, &[(0, 1, 1)], [false, false]),
            (3, 4, 1, &[(3, 4, 1)], [false, false]),
        ] {
            let bytes = image(tier, has_cables, links, changed);
            let image = FabricImage::decode(&bytes).unwrap();
            let found = [image.has_leaves_and_spines(), image.has_two_tiers()];
            assert_eq!(found, expected, "{tier} {links} {changed:?}");
            for (group, low, high) in (0..3).flat_map(|group| {
                (0..5).flat_map(move |low| (low + 1..5).map(move |high| (group, low, high)))
            }) {
                let planned = if (low < tier) == (high < tier) { 0 } else { links };
                let other =
                    changed.iter().find(|pair| group == 1 && (pair.0, pair.1) == (low, high));
                let expected = u32::from(other.map_or(planned, |pair| pair.2));
                let (one, other) = (SwitchIndex(low), SwitchIndex(high));
                assert_eq!(image.planned_local_links(GroupId(group), one, other), expected);
                assert_eq!(image.planned_local_links(GroupId(group), other, one), expected);
            }
        }
        // A spine without live cables is still a spine, and a leaf without a neighbour that has one is not.
        let bytes = image(3, 4, 1, &[]);
        let image = FabricImage::decode(&bytes).unwrap();
        assert_eq!(
            [0, 2, 3, 4].map(|number| image.is_spine(SwitchId(number))),
            [false, false, true, true]
        );
        assert_eq!(image.dragonfly().split_port(GlobalPort(9)).0, SwitchIndex(4));
    }
}
