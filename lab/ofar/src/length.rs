//! The remaining hops of a packet, by which T-OFAR weighs outputs.

use crate::place::Place;
use crate::rule::AskedSwitch;
use tvlb_schema::{GroupId, Port, SwitchIndex};

/// The most hops of a packet that is sent to another switch of its group to leave the group from there: that hop, the
/// link to another group, and three hops from its far end.
const MOST_AFTER_LEAVING: u8 = 5;

impl AskedSwitch<'_, '_> {
    /// This switch's place among the groups.
    pub(crate) fn here(&self) -> (GroupId, SwitchIndex) {
        (self.switch.image().group(), self.switch.image().index())
    }

    /// The hops of a packet that takes this output and then the shortest way; if it has to leave the group after it, as
    /// many as it may take.
    pub(crate) fn hops_by(&self, port: Port, then_leaves: bool, to: &Place) -> u8 {
        if then_leaves {
            return MOST_AFTER_LEAVING;
        }
        // Every output that is offered has a link.
        let behind = self.switch.neighbour(port);
        behind.map_or(MOST_AFTER_LEAVING, |behind| 1 + self.rest(behind, to))
    }

    /// The hops from a switch to a packet's destination, by the shortest way.
    pub(crate) fn rest(&self, (group, index): (GroupId, SwitchIndex), to: &Place) -> u8 {
        if group == to.group {
            return u8::from(index != to.index);
        }
        let (df, fabric) = (self.dragonfly(), self.switch.image().fabric());
        let links = fabric.links(group, to.group);
        let hops = (0..links.count()).map(|k| {
            let (leaves, arrives) = fabric.ends(links, k);
            let (leaves, arrives) = (df.split_port(leaves).0, df.split_port(arrives).0);
            1 + u8::from(leaves != index) + u8::from(arrives != to.index)
        });
        // Every two groups share a link.
        hops.min().unwrap_or(3)
    }
}
