//! The paths between two switches as their images give them, each with its share of the packets.

use crate::routes::drawn_routes::{DrawnRoute, drawn_routes};
use crate::topology::links::{LinkNumbers, PathLinks};
use tvlb_firmware_model::Switch;
use tvlb_schema::{Decision, SwitchId};

/// A path with the share of the pair's packets that take it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drawn {
    pub(super) links: PathLinks,
    pub(super) share: f64,
}

/// The MIN paths to a switch of another group, one drawn uniformly. None where no cable joins the
/// groups.
pub(super) fn minimal(
    switch: &Switch<'_>,
    numbers: &LinkNumbers,
    destination: SwitchId,
) -> Vec<Drawn> {
    let image = switch.image();
    let fabric = image.fabric();
    let (from, to) = (image.group(), fabric.dragonfly().place(destination).0);
    let pair = (image.switch(), destination);
    let count = fabric.link_count(from, to);
    (0..count)
        .filter_map(|k| {
            let (x, _) = fabric.link(from, to, k)?;
            let links = numbers.of_path(|end| fabric.peer(end), pair, x, None)?;
            Some(Drawn { links, share: 1.0 / f64::from(count) })
        })
        .collect()
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
