//! What the faults of an update can affect: which pairs of switches may have lost routes, and which may have other MIN
//! paths.

use super::crossings;
use tvlb_schema::{FabricImage, GroupId, SwitchId};

/// What faults can affect.
pub(super) struct Concerned {
    groups: usize,
    /// By source and destination group: whether a cable between them is dead, or there is none.
    fewer_cables: Vec<bool>,
    /// By group: whether it has a dead cable.
    with_dead_cable: Vec<bool>,
    /// Whether some local hop has no link left, so that routes of any pair may have used it.
    any_middle: bool,
    /// By switch: whether it is an end of a dead local link, or may have lost a third switch.
    ends: Vec<bool>,
}

impl Concerned {
    pub(super) fn new(planned: &FabricImage<'_>, live: &FabricImage<'_>) -> Self {
        let df = live.dragonfly();
        let groups = df.g() as usize;
        let mut fewer_cables = vec![false; groups * groups];
        let mut with_dead_cable = vec![false; groups];
        for low in df.groups() {
            for high in df.groups().filter(|&high| high > low) {
                let links = planned.links(low, high);
                let left = crossings::links(live, low, high).count();
                let is_dead = left != links.count() as usize;
                if is_dead || left == 0 {
                    fewer_cables[low.as_usize() * groups + high.as_usize()] = true;
                    fewer_cables[high.as_usize() * groups + low.as_usize()] = true;
                }
                with_dead_cable[low.as_usize()] |= is_dead;
                with_dead_cable[high.as_usize()] |= is_dead;
            }
        }
        let mut ends = vec![false; df.switch_numbers() as usize];
        let (mut any_middle, mut without_third) = (false, vec![false; groups]);
        for link in live.dead_local_links() {
            let group = df.place(link.low).0;
            ends[link.low.as_usize()] = true;
            ends[df.switch(group, link.high).as_usize()] = true;
            any_middle |= !live.is_local_hop(group, df.place(link.low).1, link.high);
            without_third[group.as_usize()] = true;
        }
        for switch in live.dead_switches() {
            any_middle = true;
            without_third[df.place(switch).0.as_usize()] = true;
        }
        if !planned.group_links().is_whole() {
            for group in df.groups().filter(|group| without_third[group.as_usize()]) {
                df.indices(group).for_each(|i| ends[df.switch(group, i).as_usize()] = true);
            }
        }
        Self { groups, fewer_cables, with_dead_cable, any_middle, ends }
    }

    /// Whether pairs of switches of two groups may have lost routes of a shape: by a hop within any group, or by a
    /// cable of either group.
    pub(super) fn has_shapes(&self, from: GroupId, to: GroupId) -> bool {
        let of = |group: GroupId| self.with_dead_cable[group.as_usize()];
        self.any_middle || of(from) || of(to)
    }

    /// The live switches, in order, to which the MIN paths of one may have changed, and those of other groups to which
    /// it `has_lost` routes; none for a dead one.
    pub(super) fn near(
        &self,
        live: &FabricImage<'_>,
        from: SwitchId,
        has_lost: Option<&impl Fn(SwitchId) -> bool>,
    ) -> Vec<SwitchId> {
        let df = live.dragonfly();
        let mut near = Vec::new();
        if !live.lives(from) {
            return near;
        }
        let own = df.place(from).0;
        for group in df.groups() {
            let cables = own.as_usize() * self.groups + group.as_usize();
            let all = self.ends[from.as_usize()] || self.fewer_cables[cables];
            let has_lost = has_lost.filter(|_| group != own);
            let is_near = |&to: &SwitchId| {
                all || self.ends[to.as_usize()] || has_lost.is_some_and(|has_lost| has_lost(to))
            };
            let switches = df.switches_in(group);
            near.extend(switches.filter(is_near).filter(|&to| to != from && live.lives(to)));
        }
        near
    }
}
