//! The escape tree: every switch but the root hangs below one other.
//!
//! Groups are visited breadth first from the root's, the lower number first. Each other group hangs by one cable, the
//! lowest to the group that was visited first among its neighbours, and all its switches hang below the one at which
//! that cable ends. A path in the tree goes up to the switch above both ends and down, at most six hops if the root's
//! group is joined to all others.

use std::collections::VecDeque;
use tvlb_schema::{GroupId, Port, SwitchId, SwitchIndex};
use tvlb_topology::Topology;

/// A tree over all switches.
///
/// # Example
/// ```
/// use tvlb_schema::{Dragonfly, SwitchId};
/// use tvlb_topology::arrangement::{Arrangement, arrange};
/// use tvlb_lab::escape::Tree;
///
/// let df = Dragonfly::new(4, 8, 4, 33)?;
/// let topology = arrange(df, Arrangement::Palmtree, 1)?;
/// let tree = Tree::below(&topology, SwitchId(31))?;
/// assert_eq!((tree.root, tree.depth()), (SwitchId(31), 3));
/// assert_eq!(tree.parents.iter().flatten().count(), 263);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The switch above all others.
    pub root: SwitchId,
    /// By the number of a switch: the one above it, and its own port towards that; `None` for the root and for numbers
    /// without a switch.
    pub parents: Vec<Option<(SwitchId, Port)>>,
    /// By the number of a switch: its place in the order in which each switch comes before all that hang
    /// below it, those of lower number first, from 0.
    pub order: Vec<u32>,
    /// By the number of a switch: how many switches hang below it, itself included.
    pub sizes: Vec<u32>,
}

/// There is no tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    #[error("escape tree: there is no switch {root}; the last is {last}")]
    Root { root: SwitchId, last: SwitchId },
    #[error("no escape tree: switch {switch} cannot be reached from the root, switch {root}")]
    Unreachable { switch: SwitchId, root: SwitchId },
}

impl Tree {
    /// The default root: the first switch of group g/2, or of the last group before it if that one is absent.
    pub fn root_of(topology: &Topology) -> SwitchId {
        let df = topology.dragonfly();
        let group = df.groups().take_while(|group| u32::from(group.0) <= df.g() / 2).last();
        df.switch(group.or(df.groups().next()).unwrap_or(GroupId(0)), SwitchIndex(0))
    }

    /// The tree below a switch.
    ///
    /// # Errors
    /// There is no such switch, or the fabric is not connected.
    pub fn below(topology: &Topology, root: SwitchId) -> Result<Self, TreeError> {
        let df = topology.dragonfly();
        if !df.has_switch(root) {
            return Err(TreeError::Root { root, last: df.last_switch() });
        }
        let mut parents = vec![None; df.switch_numbers() as usize];
        let mut visited = vec![false; df.g() as usize];
        let (group, index) = df.place(root);
        visited[group.as_usize()] = true;
        let mut groups = VecDeque::from([(group, index)]);
        while let Some((group, hub)) = groups.pop_front() {
            hang_below(topology, group, hub, &mut parents);
            for other in df.groups() {
                if visited[other.as_usize()] {
                    continue;
                }
                if let Some(link) = topology.links(group, other).first() {
                    visited[other.as_usize()] = true;
                    let (gateway, slot) = df.split_port(link.to);
                    let above = df.switch(group, df.split_port(link.from).0);
                    let below = df.switch(other, gateway);
                    parents[below.as_usize()] = Some((above, df.slot_port(slot)));
                    groups.push_back((other, gateway));
                }
            }
        }
        let hangs = |switch: &SwitchId| *switch == root || parents[switch.as_usize()].is_some();
        if let Some(switch) = df.switches().find(|switch| !hangs(switch)) {
            return Err(TreeError::Unreachable { switch, root });
        }
        let (order, sizes) = in_order(root, &parents);
        Ok(Self { root, parents, order, sizes })
    }

    /// The most hops from a switch up to the root.
    pub fn depth(&self) -> u32 {
        let depth = |number: usize| {
            let mut at = self.parents[number];
            let mut hops = 0;
            while let Some((above, _)) = at {
                hops += 1;
                at = self.parents[above.as_usize()];
            }
            hops
        };
        (0..self.parents.len()).map(depth).max().unwrap_or(0)
    }
}

/// Hangs the switches of a group below one of them: directly if they share a link, which is everywhere in a whole
/// group, else below the first that is reached.
fn hang_below(
    topology: &Topology,
    group: GroupId,
    hub: SwitchIndex,
    parents: &mut [Option<(SwitchId, Port)>],
) {
    let df = topology.dragonfly();
    let count = df.switches_of(group);
    let mut reached = vec![hub];
    let mut place = 0;
    while let Some(&above) = reached.get(place) {
        place += 1;
        for index in df.indices(group) {
            if !reached.contains(&index) && topology.links_within(group, index, above) > 0 {
                let port = df.nth_local_port(count, (index, above), 0);
                let switch = df.switch(group, index);
                parents[switch.as_usize()] = Some((df.switch(group, above), port));
                reached.push(index);
            }
        }
    }
}

/// The order of a tree's switches, and how many hang below each.
fn in_order(root: SwitchId, parents: &[Option<(SwitchId, Port)>]) -> (Vec<u32>, Vec<u32>) {
    let mut below: Vec<Vec<SwitchId>> = vec![Vec::new(); parents.len()];
    for (number, parent) in (0..=u16::MAX).zip(parents) {
        if let Some((above, _)) = parent {
            below[above.as_usize()].push(SwitchId(number));
        }
    }
    let mut order = vec![0; parents.len()];
    let mut sizes = vec![0; parents.len()];
    let mut next = 0;
    let mut visits = vec![(root, false)];
    while let Some((switch, is_done)) = visits.pop() {
        let at = switch.as_usize();
        if is_done {
            sizes[at] = 1 + below[at].iter().map(|child| sizes[child.as_usize()]).sum::<u32>();
            continue;
        }
        order[at] = next;
        next += 1;
        visits.push((switch, true));
        visits.extend(below[at].iter().rev().map(|&child| (child, false)));
    }
    (order, sizes)
}
