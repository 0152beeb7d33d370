//! The paths between two switches as their images give them, each with its share of the packets.

use crate::routes::drawn_routes::{DrawnRoute, drawn_routes};
use crate::topology::links::{LinkNumbers, PathLinks};
use tvlb_firmware_model::Switch;
use tvlb_schema::{Decision, FabricImage, GlobalPort, GroupId, SwitchId, SwitchIndex};

/// A path with the share of the pair's packets that take it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drawn {
    pub(super) links: PathLinks,
    pub(super) share: f64,
}

/// The MIN paths to a switch of another group, drawn uniformly by the link between the groups. None where
/// no cable joins the groups.
pub(super) fn minimal(
    switch: &Switch<'_>,
    numbers: &LinkNumbers,
    destination: SwitchId,
) -> Vec<Drawn> {
    let image = switch.image();
    let fabric = image.fabric();
    let (from, to) = (image.group(), fabric.dragonfly().place(destination).0);
    let pair = (image.switch(), destination);
    let (df, there) = (fabric.dragonfly(), fabric.dragonfly().place(destination).1);
    let ends = |(x, z)| (x, df.split_port(x).0, df.split_port(z).0);
    let all = (0..fabric.link_count(from, to)).filter_map(|k| fabric.link(from, to, k)).map(ends);
    let all: Vec<(GlobalPort, SwitchIndex, SwitchIndex)> = all.collect();
    let is_direct = |&&(_, leaves, arrives): &&(GlobalPort, SwitchIndex, SwitchIndex)| {
        fabric.is_local_hop(from, image.index(), leaves) && fabric.is_local_hop(to, arrives, there)
    };
    // Where no link does without, all are taken, by way of third switches.
    let direct = all.iter().filter(is_direct).count();
    let taken = all.iter().filter(|link| direct == 0 || is_direct(link));
    let count = if direct == 0 { all.len() } else { direct };
    let share = 1.0 / f64::from(u32::try_from(count).expect("two groups share at most 4096 links"));
    let mut drawn = Vec::new();
    for &(x, leaves, arrives) in taken {
        let (before, after) =
            (ways(fabric, from, image.index(), leaves), ways(fabric, to, arrives, there));
        let each = share / f64::from(u32::try_from(before.len() * after.len()).unwrap_or(u32::MAX));
        for &first in &before {
            for &last in &after {
                let peer = |end| fabric.peer(end);
                if let Some(links) = numbers.of_min_path(peer, pair, x, [first, last]) {
                    drawn.push(Drawn { links, share: each });
                }
            }
        }
    }
    drawn
}

/// The switches by way of which packets go from one switch of a group to another; `None` by the link
/// between the two.
fn ways(
    fabric: &FabricImage<'_>,
    group: GroupId,
    from: SwitchIndex,
    to: SwitchIndex,
) -> Vec<Option<SwitchIndex>> {
    if fabric.is_local_hop(group, from, to) {
        return vec![None];
    }
    (0..fabric.relay_count(group, from, to)).map(|n| fabric.relay(group, (from, to), n)).collect()
}

/// The routes of a decision's set to a switch of another group, in the order of their links.
pub(super) fn drawn(
    switch: &Switch<'_>,
    numbers: &LinkNumbers,
    decision: Decision,
    destination: SwitchId,
) -> Vec<Drawn> {
    let image = switch.image();
    let fabric = image.fabric();
    let pair = (image.switch(), destination);
    let mut drawn: Vec<Drawn> = drawn_routes(switch, decision, destination)
        .into_iter()
        .filter_map(|DrawnRoute { route, share, .. }| {
            let rest = Some((route.detour, route.y));
            let links = numbers.of_path(|end| fabric.peer(end), pair, route.x, rest)?;
            Some(Drawn { links, share })
        })
        .collect();
    drawn.sort_unstable_by_key(|path| path.links);
    drawn
}
