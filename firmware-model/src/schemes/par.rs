//! PAR: UGAL-L with sets of its own, and a second look at the second switch.

use super::ugal;
use crate::path::{Path, Place};
use crate::{Channels, Credits, Error, Header, Stage, Switch, VlbPaths, forward};
use rand_core::Rng;
use tvlb_schema::{Decision, GlobalPort, MinCandidate, SwitchIndex, VcScheme};

/// The scheme's name in messages and reports.
pub(crate) const NAME: &str = "par";

/// The virtual channels that PAR needs: its longest path has a second local hop in the source group.
pub(crate) const fn channels(assignment: VcScheme) -> Channels {
    match assignment {
        VcScheme::Ordered => Channels::ORDERED_PAR,
        VcScheme::PerHop => Channels::PER_HOP_PAR,
        VcScheme::Positional => Channels::POSITIONAL_PAR,
    }
}

/// Does the work of [`Switch::reconsider`].
#[inline]
pub(crate) fn reconsider(
    switch: &Switch<'_>,
    header: Header,
    paths: VlbPaths,
    credits: &(impl Credits + ?Sized),
    rng: &mut (impl Rng + ?Sized),
) -> Result<Header, Error> {
    if !header.is_open() {
        return Ok(header);
    }
    let Some((to, kept)) = minimal_rest(switch, header) else {
        return Err(forward::wrong_with(switch, header));
    };
    let min = second_min(switch, &to, kept, rng);
    Ok(ugal::weigh(switch, &to, min, Decision::ParSecond, paths, credits, rng).reroute(header))
}

/// The MIN path that a second look weighs, of a packet whose own path from here is `kept`.
pub(crate) fn second_min(
    switch: &Switch<'_>,
    to: &Place,
    kept: Path,
    rng: &mut (impl Rng + ?Sized),
) -> Path {
    let drawn = match switch.image.second_min() {
        MinCandidate::Kept => return kept,
        MinCandidate::Shortest => switch.draw_shortest_min(to, rng),
        MinCandidate::Any => switch.draw_min(to, rng),
    };
    // The packet's own link joins the two groups, so a path is always drawn.
    drawn.unwrap_or(kept)
}

/// The rest of the MIN path of a packet in its source group that stands before its global
/// link, and where it goes.
pub(crate) fn minimal_rest(switch: &Switch<'_>, header: Header) -> Option<(Place, Path)> {
    if !forward::is_in_range(switch, header) {
        return None;
    }
    let df = switch.dragonfly();
    let (at, slot) = df.split_port(header.x());
    let to = switch.place(header.destination());
    let arrival = if at == switch.image.index() { switch.image.peer(slot)? } else { return None };
    if arrival.group != to.group {
        return None;
    }
    let tail = df.split_port(arrival.port).0 != to.index;
    let first = (df.slot_port(slot), Stage::Destination);
    let path = Path::new(first, header.x(), GlobalPort(0), SwitchIndex(0), 1 + u8::from(tail))?;
    Some((to, path))
}
