//! Which nodes of a fabric exist. Only the host needs this: a switch forwards to a terminal whether or not it has a
//! node.

use crate::{Dragonfly, FaultSet, GroupId, NodeId, SwitchId};
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

/// The existing nodes of a fabric: those of its sizes, without missing ones.
///
/// A node is missing if a switch has fewer nodes than its group's p, or if its switch is dead.
///
/// # Example
/// ```
/// use tvlb_schema::{Dragonfly, NodeId, Nodes};
///
/// let df = Dragonfly::new(2, 4, 2, 9)?;
/// let nodes = Nodes::from(&df).without([NodeId(3)]);
/// assert_eq!((nodes.count(), nodes.has(NodeId(2)), nodes.has(NodeId(3))), (71, true, false));
/// # Ok::<(), tvlb_schema::DragonflyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    dragonfly: Dragonfly,
    /// Missing nodes of the sizes.
    missing: BTreeSet<NodeId>,
}

impl From<&Dragonfly> for Nodes {
    /// All nodes of the sizes.
    fn from(dragonfly: &Dragonfly) -> Self {
        Self { dragonfly: *dragonfly, missing: BTreeSet::new() }
    }
}

impl From<&Self> for Nodes {
    fn from(nodes: &Self) -> Self {
        nodes.clone()
    }
}

impl Nodes {
    /// These nodes without some of them.
    #[must_use]
    pub fn without(mut self, missing: impl IntoIterator<Item = NodeId>) -> Self {
        let df = self.dragonfly;
        self.missing.extend(missing.into_iter().filter(|&node| df.has_node(node)));
        self
    }

    /// These nodes without those of dead switches.
    #[must_use]
    pub fn live(&self, faults: &FaultSet) -> Self {
        let df = self.dragonfly;
        let of_switch = |&switch: &SwitchId| nodes_of(&df, switch);
        self.clone().without(faults.switches.iter().flat_map(of_switch))
    }

    /// The sizes of the fabric.
    pub const fn dragonfly(&self) -> &Dragonfly {
        &self.dragonfly
    }

    /// Whether a node exists.
    pub fn has(&self, node: NodeId) -> bool {
        self.dragonfly.has_node(node) && !self.missing.contains(&node)
    }

    /// All nodes, in order.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> {
        self.dragonfly.nodes().filter(|node| !self.missing.contains(node))
    }

    /// The nodes of a switch, in order.
    pub fn of_switch(&self, switch: SwitchId) -> impl Iterator<Item = NodeId> {
        nodes_of(&self.dragonfly, switch).filter(|node| !self.missing.contains(node))
    }

    /// The switches that have nodes.
    pub fn ends(&self) -> EndSwitches {
        self.into()
    }

    /// The groups that have nodes, in order.
    pub fn groups(&self) -> impl Iterator<Item = GroupId> {
        let df = &self.dragonfly;
        let switches = move |group| df.indices(group).map(move |index| df.switch(group, index));
        df.groups().filter(move |&group| {
            switches(group).any(|switch| self.of_switch(switch).next().is_some())
        })
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        // At most as many as the sizes have, which fits 32 bits.
        self.missing.iter().fold(self.dragonfly.node_count(), |count, _| count - 1)
    }

    /// The node of the highest number, if there are any.
    pub fn last(&self) -> Option<NodeId> {
        let all = (0..self.dragonfly.node_numbers()).rev().map(NodeId);
        all.into_iter().find(|&node| self.has(node))
    }

    /// The missing nodes of the sizes, in order.
    pub fn missing(&self) -> impl ExactSizeIterator<Item = NodeId> {
        self.missing.iter().copied()
    }
}

/// The switches of a fabric that have nodes. Every packet begins at one of them and ends at another, so only pairs of
/// these matter; other switches only pass packets on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndSwitches {
    dragonfly: Dragonfly,
    /// By the number of the switch.
    has: Vec<bool>,
}

impl From<&Nodes> for EndSwitches {
    fn from(nodes: &Nodes) -> Self {
        let dragonfly = nodes.dragonfly;
        let mut has = vec![false; dragonfly.switch_numbers() as usize];
        for switch in dragonfly.switches() {
            has[switch.as_usize()] = nodes.of_switch(switch).next().is_some();
        }
        Self { dragonfly, has }
    }
}

impl EndSwitches {
    /// Whether a switch has a node.
    pub fn has(&self, switch: SwitchId) -> bool {
        self.has.get(switch.as_usize()).is_some_and(|&has| has)
    }

    /// Without some switches.
    #[must_use]
    pub fn without(&self, switches: impl IntoIterator<Item = SwitchId>) -> Self {
        let mut left = self.clone();
        for switch in switches {
            left.has[switch.as_usize()] = false;
        }
        left
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = SwitchId> {
        self.dragonfly.switches().filter(|&switch| self.has(switch))
    }

    /// Those of a group, in order.
    pub fn of_group(&self, group: GroupId) -> impl Iterator<Item = SwitchId> {
        self.dragonfly.switches_in(group).filter(|&switch| self.has(switch))
    }

    /// Those of all other groups, in order.
    pub fn outside(&self, group: GroupId) -> impl Iterator<Item = SwitchId> {
        self.iter().filter(move |&switch| self.dragonfly.place(switch).0 != group)
    }

    /// How many ordered pairs of them are in different groups.
    pub fn pairs_between_groups(&self) -> u64 {
        let all = self.iter().count();
        let of_group = |group| self.of_group(group).count();
        let pairs = self.dragonfly.groups().map(of_group).map(|count| count * (all - count));
        pairs.map(|pairs| pairs as u64).sum()
    }
}

/// The nodes of a switch by the sizes.
fn nodes_of(df: &Dragonfly, switch: SwitchId) -> impl Iterator<Item = NodeId> + use<> {
    let first = u32::from(switch.0) * df.p();
    let count = if df.has_switch(switch) { df.nodes_of(df.place(switch).0) } else { 0 };
    (first..first + count).map(NodeId)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GroupKind;

    #[test]
    fn nodes_are_missing_by_themselves_and_with_their_switches() {
        let kind = |p, a, g| GroupKind::new(p, a, 2, g);
        // Groups of three switches with two nodes each, of two with one, and of two with none.
        let df = Dragonfly::of_kinds(&[kind(2, 3, 1), kind(1, 2, 1), kind(0, 2, 1)]).unwrap();
        let all = Nodes::from(&df);
        assert!(all.iter().eq(df.nodes()));
        assert_eq!((all.count(), all.last()), (8, Some(df.last_node())));
        // A node that the sizes do not have is not missing.
        let nodes = all.without([NodeId(1), NodeId(7), NodeId(99)]);
        assert_eq!(nodes.missing().collect::<Vec<_>>(), [NodeId(1)]);
        assert_eq!(nodes.of_switch(SwitchId(0)).collect::<Vec<_>>(), [NodeId(0)]);
        assert!(!nodes.has(NodeId(1)) && nodes.has(NodeId(2)) && !nodes.has(NodeId(99)));
        let switches = [SwitchId(0), SwitchId(3), SwitchId(4)].into();
        let live = nodes.live(&FaultSet { switches, ..FaultSet::default() });
        assert_eq!(live.iter().collect::<Vec<_>>(), [2, 3, 4, 5].map(NodeId));
        assert_eq!((live.count(), live.last()), (4, Some(NodeId(5))));
        assert!(live.groups().eq([GroupId(0)]) && nodes.groups().eq([0, 1].map(GroupId)));

        let ends = EndSwitches::from(&live);
        assert!(ends.iter().eq([1, 2].map(SwitchId)) && ends.outside(GroupId(0)).count() == 0);
        assert_eq!(ends.pairs_between_groups(), 0);
        let ends = EndSwitches::from(&nodes);
        assert!(ends.of_group(GroupId(1)).eq([3, 4].map(SwitchId)) && !ends.has(SwitchId(5)));
        assert_eq!((ends.iter().count(), ends.pairs_between_groups()), (5, 2 * 3 * 2));
    }
}
