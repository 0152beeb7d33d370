//! The paths between two switches according to their images, each with its share of the packets.

use crate::routes::drawn_routes::{DrawnRoute, drawn_routes};
use tvlb_firmware_model::Switch;
use tvlb_schema::{Decision, SwitchId};
use tvlb_topology::Topology;
use tvlb_topology::links::{LinkNumbers, PathLinks};
use tvlb_topology::routes::minimal;

/// A path with the share of the pair's packets that take it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathShare {
    pub(super) links: PathLinks,
    pub(super) share: f64,
}

/// Two shares are the same if they differ by less than this part of the larger one, 2⁻³⁶: equal quotients may come from
/// different sums. A sum of n routes is off by n·2⁻⁵³ at most, which stays below this for 2¹⁷ routes; and a share that
/// changes by less changes no figure of a report.
const ALIKE: f64 = 1.0 / 68_719_476_736.0;

/// Whether two lists have the same paths with the same shares.
pub(super) fn are_same(one: &[PathShare], other: &[PathShare]) -> bool {
    let is_same = |(one, other): (&PathShare, &PathShare)| {
        let (difference, most) = ((one.share - other.share).abs(), one.share.max(other.share));
        one.links == other.links && difference <= most * ALIKE
    };
    one.len() == other.len() && one.iter().zip(other).all(is_same)
}

/// The MIN paths to a switch of another group, in the order of their links. Empty if no cable joins the groups.
pub(super) fn minimal(
    topology: &Topology,
    numbers: &LinkNumbers,
    (source, destination): (SwitchId, SwitchId),
) -> Vec<PathShare> {
    let drawn = minimal::drawn(topology, source, destination);
    let drawn = drawn.map(|(path, share)| {
        let links = numbers.of_walk(path.walk.switches(), path.x);
        PathShare { links: PathLinks::of(links), share }
    });
    let mut drawn: Vec<PathShare> = drawn.collect();
    drawn.sort_unstable_by_key(|path| path.links);
    drawn
}

/// The routes of a decision's set to a switch of another group, in the order of their links.
pub(super) fn drawn(
    switch: &Switch<'_>,
    numbers: &LinkNumbers,
    decision: Decision,
    destination: SwitchId,
) -> Vec<PathShare> {
    let image = switch.image();
    let fabric = image.fabric();
    let pair = (image.switch(), destination);
    let mut drawn: Vec<PathShare> = drawn_routes(switch, decision, destination)
        .into_iter()
        .filter_map(|DrawnRoute { route, share, .. }| {
            let rest = Some((route.detour, route.y));
            let links = numbers.of_path(|end| fabric.peer(end), pair, route.x, rest)?;
            Some(PathShare { links, share })
        })
        .collect();
    drawn.sort_unstable_by_key(|path| path.links);
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_differ_by_more_than_the_order_of_their_sums() {
        let paths = |shares: [f64; 3]| {
            let drawn = (0..).zip(shares);
            let of = |(link, share)| PathShare { links: PathLinks::of([link].into_iter()), share };
            drawn.map(of).collect::<Vec<_>>()
        };
        let one = paths([0.1 + 0.2, 0.3, 0.4]);
        // The sums differ in their last bit, which is no difference for packets.
        assert!(one[0].share > 0.3 && are_same(&one, &paths([0.3, 0.3, 0.4])));
        assert!(!are_same(&one, &paths([0.300_000_001, 0.3, 0.4])));
        assert!(!are_same(&one, &one[..2]) && !are_same(&one[1..], &one[..2]));
    }
}
