//! The MIN paths between two switches of different groups, from the fabric image alone, to check packets against; and
//! whether there are any paths when parts are dead.

use super::crossings::{FirstLink, links};
use super::ways::pairs;
use tvlb_schema::{FabricImage, GlobalPort, GroupId, SwitchId, SwitchIndex};

/// A MIN path.
pub(super) struct MinWalk {
    /// The port through which it leaves its source group.
    pub(super) x: GlobalPort,
    /// The third switches through which it makes its first and its last local hop.
    pub(super) thirds: [Option<SwitchId>; 2],
    /// From switch to switch.
    pub(super) hops: usize,
}

/// The links between two groups for which a MIN path has a link for every local hop.
pub(super) fn direct_links(
    fabric: &FabricImage<'_>,
    from: SwitchId,
    to: SwitchId,
) -> Vec<(GlobalPort, GlobalPort)> {
    let df = fabric.dragonfly();
    let ((out, here), (into, there)) = (df.place(from), df.place(to));
    let is_direct = |&(x, z): &(GlobalPort, GlobalPort)| {
        fabric.is_local_hop(out, here, df.split_port(x).0)
            && fabric.is_local_hop(into, df.split_port(z).0, there)
    };
    links(fabric, out, into).filter(is_direct).collect()
}

/// Those of them for which a MIN path has the fewest hops.
pub(super) fn shortest_links(
    fabric: &FabricImage<'_>,
    from: SwitchId,
    to: SwitchId,
) -> Vec<(GlobalPort, GlobalPort)> {
    let df = fabric.dragonfly();
    let (here, there) = (df.place(from).1, df.place(to).1);
    let local_hops = |&(x, z): &(GlobalPort, GlobalPort)| {
        u8::from(df.split_port(x).0 != here) + u8::from(df.split_port(z).0 != there)
    };
    let mut links = direct_links(fabric, from, to);
    let fewest = links.iter().map(local_hops).min();
    links.retain(|link| Some(local_hops(link)) == fewest);
    links
}

/// All MIN paths: over the links whose local hops have links; if there are none, over all links, through third
/// switches.
pub(super) fn walks(fabric: &FabricImage<'_>, from: SwitchId, to: SwitchId) -> Vec<MinWalk> {
    let df = fabric.dragonfly();
    let ((out, here), (into, there)) = (df.place(from), df.place(to));
    if fabric.group_links().is_whole() {
        let walk = |(x, z)| {
            let is_hop = [df.split_port(x).0 != here, df.split_port(z).0 != there];
            MinWalk {
                x,
                thirds: [None; 2],
                hops: 1 + is_hop.map(usize::from).iter().sum::<usize>(),
            }
        };
        return links(fabric, out, into).map(walk).collect();
    }
    let direct = direct_links(fabric, from, to);
    let taken = if direct.is_empty() { links(fabric, out, into).collect() } else { direct };
    let mut walks = Vec::new();
    for (x, z) in taken {
        let (leaves, arrives) = (df.split_port(x).0, df.split_port(z).0);
        for (first, head) in ways(fabric, out, here, leaves) {
            for (last, tail) in ways(fabric, into, arrives, there) {
                walks.push(MinWalk { x, thirds: [first, last], hops: 1 + head + tail });
            }
        }
    }
    walks
}

/// How to get from one switch of a group to another: through which switch, and in how many hops.
fn ways(
    fabric: &FabricImage<'_>,
    group: GroupId,
    from: SwitchIndex,
    to: SwitchIndex,
) -> Vec<(Option<SwitchId>, usize)> {
    if fabric.is_local_hop(group, from, to) {
        return vec![(None, usize::from(from != to))];
    }
    let df = fabric.dragonfly();
    let is_third = |&third: &SwitchIndex| {
        let is_linked = |one| one != third && fabric.is_local_hop(group, one, third);
        is_linked(from) && is_linked(to)
    };
    df.indices(group).filter(is_third).map(|third| (Some(df.switch(group, third)), 2)).collect()
}

/// Whether some path through another group, or through a third switch, joins two switches.
pub(super) fn has_vlb(
    fabric: &FabricImage<'_>,
    first: &[FirstLink],
    from: SwitchId,
    to: SwitchId,
) -> bool {
    let df = fabric.dragonfly();
    let ((own, here), (group, there)) = (df.place(from), df.place(to));
    if own == group {
        return fabric.relay_count(group, here, there) > 0;
    }
    pairs(fabric, first, (from, to)).any(|pair| pair.ways(fabric).next().is_some())
}

/// Whether a minimal path without a third switch joins two switches.
pub(super) fn has_direct_min(fabric: &FabricImage<'_>, from: SwitchId, to: SwitchId) -> bool {
    let ((own, here), (group, there)) =
        (fabric.dragonfly().place(from), fabric.dragonfly().place(to));
    if own == group {
        return fabric.is_local_hop(group, here, there);
    }
    !direct_links(fabric, from, to).is_empty()
}

/// Whether a minimal path joins two switches of a group: a link, or, if the plan has none, a third switch.
pub(super) fn has_min_within(
    fabric: &FabricImage<'_>,
    group: GroupId,
    (from, to): (SwitchIndex, SwitchIndex),
) -> bool {
    let is_over_third = || {
        fabric.planned_local_links(group, from, to) == 0 && fabric.relay_count(group, from, to) > 0
    };
    fabric.is_local_hop(group, from, to) || is_over_third()
}

/// Whether a pair has a minimal path.
pub(super) fn has_min(fabric: &FabricImage<'_>, from: SwitchId, to: SwitchId) -> bool {
    let df = fabric.dragonfly();
    let ((own, here), (group, there)) = (df.place(from), df.place(to));
    if own == group {
        return has_min_within(fabric, group, (here, there));
    }
    !walks(fabric, from, to).is_empty()
}
