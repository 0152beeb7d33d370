//! Groups of leaves and spines, as those of a Dragonfly+ (Shpiner et al., HiPINEB 2017).
//!
//! A **spine** has the cables to other groups, and a **leaf** the nodes. Links within a group join a leaf with a
//! spine, so packets go up, across and down, and virtual channels can be assigned by that.

use crate::{Dragonfly, End, FabricImage, FewerLinks, GroupId, SwitchId, SwitchIndex};

/// A wiring, as far as it tells leaves from spines. Nothing that is dead counts as missing.
pub trait LeavesAndSpines {
    /// The sizes.
    fn dragonfly(&self) -> &Dragonfly;

    /// The switches of a group that share fewer links than others of their kind.
    fn fewer_links(&self) -> impl Iterator<Item = FewerLinks>;

    /// Whether a switch has a cable to another group.
    fn has_cable(&self, switch: SwitchId) -> bool;

    /// Whether a link joins two switches of a group.
    fn are_linked(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> bool;

    /// Whether a switch would be a spine: it has a cable to another group, or is linked to no switch of its own that
    /// has one.
    fn is_spine(&self, switch: SwitchId) -> bool {
        let (group, own) = self.dragonfly().place(switch);
        let has_cable = |index| self.has_cable(self.dragonfly().switch(group, index));
        let joined = |&other: &SwitchIndex| other != own && self.are_linked(group, own, other);
        let mut neighbours = self.dragonfly().indices(group).filter(joined);
        self.has_cable(switch) || !neighbours.any(has_cable)
    }

    /// Whether all links within groups join a leaf with a spine.
    fn has_leaves_and_spines(&self) -> bool {
        Apart::of(self).alike == pairs_alike(self)
    }

    /// The same, and nodes are at leaves alone: there `up-down` assigns virtual channels so that no deadlock can form.
    #[cfg(feature = "alloc")]
    fn has_leaves_and_spines_with(&self, ends: &crate::EndSwitches) -> bool {
        ends.iter().all(|switch| !self.is_spine(switch)) && self.has_leaves_and_spines()
    }

    /// Whether links within groups join all leaves with all spines, and nothing else.
    fn joins_all_leaves_and_spines(&self) -> bool {
        Apart::of(self) == Apart { alike: pairs_alike(self), unlike: 0 }
    }
}

/// How many pairs of switches of a group share no link.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Apart {
    /// Two leaves or two spines.
    alike: u32,
    unlike: u32,
}

impl Apart {
    fn of(wiring: &(impl LeavesAndSpines + ?Sized)) -> Self {
        let df = wiring.dragonfly();
        let mut apart = Self { alike: 0, unlike: 0 };
        for pair in wiring.fewer_links().filter(|pair| pair.links == 0) {
            let high = df.switch(df.place(pair.low).0, pair.high);
            let is_alike = wiring.is_spine(pair.low) == wiring.is_spine(high);
            let count = if is_alike { &mut apart.alike } else { &mut apart.unlike };
            *count = count.wrapping_add(1);
        }
        apart
    }
}

/// How many pairs of two leaves or two spines groups have.
fn pairs_alike(wiring: &(impl LeavesAndSpines + ?Sized)) -> u32 {
    let df = wiring.dragonfly();
    // Of at most 2⁸ switches.
    let pairs = |count: u32| count.wrapping_mul(count.wrapping_sub(1)) / 2;
    let of_group = |group| {
        let spines = df.switches_in(group).filter(|&switch| wiring.is_spine(switch)).count();
        let (all, spines) = (df.switches_of(group), spines as u32);
        pairs(spines).wrapping_add(pairs(all.wrapping_sub(spines)))
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
        let mut ports = (0..df.h()).map(|slot| df.global_port(index, slot as u16));
        ports.any(|port| self.port_link(End { group, port }).is_some())
    }

    fn are_linked(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> bool {
        self.planned_local_links(group, one, other) > 0
    }
}
