//! PAR: UGAL-L with sets of its own, and a second look at the second switch.

use super::ugal::{Watch, check_credits, second_min, weigh};
use crate::choice::{Choice, Chosen};
use crate::path::{Path, Place};
use crate::{Channels, Credits, Error, Header, Scheme, Stage, Switch, VlbPaths, forward};
use rand_core::Rng;
use tvlb_schema::{Decision, End, GlobalPort, SwitchIndex, VcScheme};

/// The scheme's name in messages and reports.
pub(crate) const NAME: &str = "par";

/// The virtual channels that PAR needs: its longest path has a second local hop in the source group.
pub(crate) const fn channels(assignment: VcScheme) -> Channels {
    match assignment {
        VcScheme::Ordered => Channels::ORDERED_PAR,
        VcScheme::PerHop => Channels::PER_HOP_PAR,
        VcScheme::Positional => Channels::POSITIONAL_PAR,
        VcScheme::UpDown => Channels::UP_DOWN,
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
    if !switch.serves(Scheme::Par, paths) {
        return Err(switch.wrong_scheme(Scheme::Par, paths));
    }
    check_credits(switch, Decision::ParSecond, credits)?;
    match look_again(switch, header, paths, credits, rng, &mut ()) {
        Some(chosen) => Ok(chosen.reroute(header)),
        None => Err(forward::wrong_with(switch, header)),
    }
}

/// The second look at a packet that is open to it: MIN candidates, of which the first is the rest of the packet's own
/// path or drawn here as the image says, against VLB paths from here. `None` if the header makes no sense here.
#[inline]
pub(crate) fn look_again(
    switch: &Switch<'_>,
    header: Header,
    paths: VlbPaths,
    credits: &(impl Credits + ?Sized),
    rng: &mut (impl Rng + ?Sized),
    watch: &mut impl Watch,
) -> Option<Chosen> {
    let MinRest { to, path, lives } = minimal_rest(switch, header)?;
    // The packet's own link joins the two groups, so if groups are whole a path is always drawn.
    let min = match second_min(switch, &to, rng) {
        Some(min) => min,
        None if lives => path,
        None => match switch.draw_min_by_links(&to, false, rng) {
            Some(min) => min,
            None => return Some(without_min(switch, &to, path, paths, rng)),
        },
    };
    Some(weigh(switch, &to, min, Decision::ParSecond, paths, credits, rng, watch))
}

/// The rest of a MIN path.
struct MinRest {
    /// Its destination.
    to: Place,
    path: Path,
    /// Whether no part of it is known to be dead.
    lives: bool,
}

/// The rest of the MIN path of a packet in its source group, before its global link.
fn minimal_rest(switch: &Switch<'_>, header: Header) -> Option<MinRest> {
    if !forward::is_in_range(switch, header) {
        return None;
    }
    let df = switch.dragonfly();
    let (at, slot) = df.split_port(header.x());
    let to = switch.place(header.destination());
    let is_here = at == switch.image.index();
    let arrival =
        if is_here { switch.image.peer(slot)? } else { switch.image.behind(header.x())? };
    if arrival.group != to.group {
        return None;
    }
    let fabric = switch.image.fabric();
    let (tail, lives) = if fabric.group_links().is_whole() {
        (u8::from(df.split_port(arrival.port).0 != to.index), true)
    } else {
        let tail = switch.local_hops(to.group, df.split_port(arrival.port).0, to.index);
        let end = End { group: switch.image.group(), port: header.x() };
        (tail.min(2), tail <= 2 && fabric.has_live_cable(end))
    };
    // Otherwise the packet goes through this switch to the one that has x, if they share a link. This switch may not
    // know of the dead link because of which the packet comes here.
    let (first, lives) = if is_here {
        ((df.slot_port(slot), Stage::Destination), lives)
    } else if !switch.image.has_index(at) {
        return None;
    } else if let Some(port) = switch.first_port_to(at) {
        ((port, Stage::SourceLocalAgain), lives)
    } else {
        ((df.local_port(switch.image.index(), at), Stage::SourceLocalAgain), false)
    };
    let hops = 1 + u8::from(!is_here) + tail;
    let path = Path::new(first, header.x(), GlobalPort(0), SwitchIndex(0), hops)?;
    Some(MinRest { to, path, lives })
}

/// The choice if no MIN path is left: a VLB path, or, if there is none either, the packet's own path, which ends at the
/// dead part.
#[cold]
#[inline(never)]
fn without_min(
    switch: &Switch<'_>,
    to: &Place,
    own: Path,
    paths: VlbPaths,
    rng: &mut (impl Rng + ?Sized),
) -> Chosen {
    let decision = Decision::ParSecond;
    let vlb = match switch.draw_vlb(to, decision, paths, rng) {
        Some(vlb) => Some(vlb),
        None => switch.draw_in_place_of_set(to, decision, rng),
    };
    vlb.map_or(Chosen::alone(own, Choice::MinFallback), |vlb| {
        Chosen::alone(vlb, Choice::VlbFallback)
    })
}
