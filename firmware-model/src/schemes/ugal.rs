//! UGAL-L: MIN or VLB by the queues of the two first output ports and the lengths of the two paths.

use crate::choice::{Choice, Chosen};
use crate::path::{Path, Place};
use crate::{Credits, Switch, VlbPaths};
use rand_core::Rng;
use tvlb_schema::Decision;

/// The scheme's name in messages and reports.
pub(crate) const NAME: &str = "ugal-l";

/// UGAL-L's choice between a MIN path and a VLB path, which is PAR's too.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline)]
pub(crate) fn weigh(
    switch: &Switch<'_>,
    to: &Place,
    min: Path,
    decision: Decision,
    paths: VlbPaths,
    credits: &(impl Credits + ?Sized),
    rng: &mut (impl Rng + ?Sized),
) -> Chosen {
    let threshold = i64::from(switch.image.threshold(decision));
    let cost = local_cost(min, credits);
    if cost <= threshold {
        // No VLB candidate costs less than 0, and MIN wins a tie.
        return Chosen { min_is_sure: true, ..Chosen::alone(min, Choice::Min) };
    }
    let Some(vlb) = switch.draw_vlb(to, decision, paths, rng) else {
        return Chosen::alone(min, Choice::MinFallback);
    };
    Chosen::cheaper((min, cost), (vlb, local_cost(vlb, credits)), threshold)
}

/// What UGAL-L and PAR compare: the first queue times the hops.
#[inline]
fn local_cost(path: Path, credits: &(impl Credits + ?Sized)) -> i64 {
    i64::from(credits.used(path.first_port())) * i64::from(path.hops())
}
