//! VLB: always a path through an intermediate group. Also the fallback of every scheme if a pair has no MIN candidate.

use crate::choice::{Choice, Chosen};
use crate::path::Place;
use crate::{Channels, Scheme, Switch, VlbPaths};
use rand_core::Rng;
use tvlb_schema::VcScheme;

/// The scheme's name in messages and reports.
pub(crate) const NAME: &str = "vlb";

/// The virtual channels that a VLB path needs. A MIN path is shorter, and UGAL takes one or the other,
/// so MIN, VLB and UGAL all need these.
pub(crate) const fn channels(assignment: VcScheme) -> Channels {
    match assignment {
        VcScheme::Ordered => Channels::ORDERED,
        VcScheme::PerHop => Channels::PER_HOP,
        VcScheme::Positional => Channels::POSITIONAL,
        VcScheme::UpDown => Channels::UP_DOWN,
    }
}

/// The source decision if there is no MIN candidate, because no cable joins the groups, no link joins the two switches
/// of a group, or the scheme takes VLB only: a VLB path of the set, or else any path that exists. Within a group whose
/// plan has no link, the way through a third switch is minimal.
#[inline(never)]
pub(crate) fn choose_without_min(
    switch: &Switch<'_>,
    to: &Place,
    scheme: Scheme,
    paths: VlbPaths,
    rng: &mut (impl Rng + ?Sized),
) -> Option<Chosen> {
    if !switch.image.fabric().lives(to.switch) {
        return None;
    }
    let only_vlb = scheme == Scheme::Vlb;
    if !only_vlb && let Some(min) = switch.draw_min_over_third(to, rng) {
        return Some(Chosen::alone(min, Choice::Min));
    }
    let decision = scheme.decision();
    if scheme != Scheme::Min
        && let Some(vlb) = switch.draw_vlb(to, decision, paths, rng)
    {
        let choice = if only_vlb { Choice::Vlb } else { Choice::VlbFallback };
        return Some(Chosen::alone(vlb, choice));
    }
    if only_vlb && let Some(min) = switch.draw_min(to, rng) {
        return Some(Chosen::alone(min, Choice::MinFallback));
    }
    let vlb = switch.draw_in_place_of_set(to, decision, rng);
    Some(Chosen::alone(vlb?, Choice::VlbFallback))
}
