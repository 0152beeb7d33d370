//! The groups between which dead parts may have taken VLB routes.
//!
//! A VLB route crosses two cables: one of its source group and one of its destination group. So a dead cable takes
//! routes only from pairs of switches of which one is in a group of that cable. A hop within a group may be in the
//! middle of a route, so once two switches have lost their last link, any pair may have lost routes.

use tvlb_schema::GroupId;
use tvlb_topology::Topology;

/// The groups that have lost cables, and whether local hops were lost.
pub(super) struct Reach {
    any_pair: bool,
    /// By group: whether it has fewer cables than by the plan.
    fewer_cables: Vec<bool>,
}

impl Reach {
    /// The dead parts are those that the plan has and the live wiring does not have.
    pub(super) fn of(plan: &Topology, live: &Topology) -> Self {
        let df = plan.dragonfly();
        let cables = |topology: &Topology| {
            let mut cables = vec![0_u32; df.g() as usize];
            for cable in topology.cables() {
                cables[cable.low.group.as_usize()] += 1;
                cables[cable.high.group.as_usize()] += 1;
            }
            cables
        };
        let (were, are) = (cables(plan), cables(live));
        let fewer_cables = were.iter().zip(&are).map(|(were, are)| are < were).collect();
        let any_pair = live.fewer_links().iter().any(|pair| {
            let (group, low) = df.place(pair.low);
            pair.links == 0 && plan.is_local_hop(group, low, pair.high)
        });
        Self { any_pair, fewer_cables }
    }

    /// Whether pairs of switches of two different groups can have lost routes.
    pub(super) fn contains(&self, from: GroupId, to: GroupId) -> bool {
        let of = |group: GroupId| self.fewer_cables[group.as_usize()];
        self.any_pair || of(from) || of(to)
    }

    /// As if any pair may have lost routes.
    #[cfg(test)]
    pub(super) fn everywhere() -> Self {
        Self { any_pair: true, fewer_cables: Vec::new() }
    }
}
