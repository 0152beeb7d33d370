//! The packets that PAR's second look may meet: by which local hops they come to a switch, and to which groups they go.

use super::crossings::FirstLink;
use super::groups::Groups;
use super::packet::{BootedSwitches, HeaderRoute, Hop, MIN, Stepped};
use tvlb_schema::{GlobalPort, GroupId, SwitchId, SwitchIndex};

/// MIN packets that come to a switch by a local hop in their source group.
#[derive(Clone, Debug)]
pub(super) struct FirstHopPackets {
    /// The hops, in the order of their channels; at least one.
    pub(super) hops: Vec<Hop>,
    /// The groups. If links within groups are missing, packets to some switches there may take another way: then more
    /// is checked than exists, and never less.
    pub(super) bound: Groups,
}

/// All that PAR's second look may meet at a switch.
#[derive(Clone, Debug)]
pub(super) struct SecondLook(pub(super) Vec<FirstHopPackets>);

impl SecondLook {
    /// For a switch, given the first links of its group.
    pub(super) fn at(fabric: &BootedSwitches<'_>, switch: SwitchId, first: &[FirstLink]) -> Self {
        let (df, image) = (&fabric.df, fabric.switch(switch).image().fabric());
        let (group, here) = fabric.place(switch);
        let is_end = |other| fabric.ends.has(df.switch(group, other));
        let is_hop = |from, to| image.is_local_hop(group, from, to);
        let others: Vec<SwitchIndex> = df
            .indices(group)
            .filter(|&other| other != here && is_hop(other, here) && is_end(other))
            .collect();
        let leaves = |link: &&FirstLink| df.split_port(link.x).0;
        let has_ends = |link: &&FirstLink| fabric.ends.of_group(link.middle).next().is_some();
        let own = first.iter().filter(|link| leaves(link) == here).filter(has_ends);
        let mut before = vec![Self::by(fabric, switch, &others, own)];
        if !fabric.group_links().is_whole() {
            // Others go through this switch to one that they have no link to.
            before.extend(others.iter().map(|&other| {
                let is_far = |&one: &SwitchIndex| is_hop(here, one) && !is_hop(other, one);
                let far: Vec<SwitchIndex> = df.indices(group).filter(is_far).collect();
                let links =
                    first.iter().filter(|link| far.contains(&leaves(link))).filter(has_ends);
                if far.is_empty() { None } else { Self::by(fabric, switch, &[other], links) }
            }));
        }
        Self(before.into_iter().flatten().collect())
    }

    /// Those of these other switches of the group that take one of these links, if any.
    fn by<'l>(
        fabric: &BootedSwitches<'_>,
        switch: SwitchId,
        others: &[SwitchIndex],
        mut links: impl Iterator<Item = &'l FirstLink> + Clone,
    ) -> Option<FirstHopPackets> {
        let (df, (group, here)) = (&fabric.df, fabric.place(switch));
        let mut bound = Groups::none(df);
        links.clone().for_each(|link| bound.insert(link.middle));
        let FirstLink { x, middle, v } = *links.next()?;
        let (destination, y, detour) = (df.switch(middle, v), GlobalPort(0), SwitchIndex(0));
        let header = HeaderRoute { destination, x, y, detour, kind: MIN }.header(None);
        let hop = |&other: &SwitchIndex| match fabric.step(df.switch(group, other), header) {
            Ok(Stepped::Crossed(hop, _)) => {
                Some(Hop { port: df.local_port(other, here), to: switch, ..hop })
            }
            // A MIN path that fails is found from its own source.
            _ => None,
        };
        let mut hops: Vec<Hop> = others.iter().filter_map(hop).collect();
        hops.sort_by_key(|hop| hop.channel);
        (!hops.is_empty()).then_some(FirstHopPackets { hops, bound })
    }

    /// The states of packets on their way to a group.
    pub(super) fn to(&self, group: GroupId) -> impl Iterator<Item = &FirstHopPackets> {
        self.0.iter().filter(move |before| before.bound.has(group))
    }
}
