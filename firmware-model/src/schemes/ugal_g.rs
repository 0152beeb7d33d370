//! UGAL-G: MIN or VLB by the queues along both paths, which only a simulator can see.

use super::vlb;
use crate::choice::{Choice, Chosen, Denied};
use crate::path::{Path, Place};
use crate::{Credits, Kind, Scheme, Switch, VlbPaths};
use rand_core::Rng;
use tvlb_schema::Decision;

/// The scheme's name in messages and reports.
pub(crate) const NAME: &str = "ugal-g";

/// The source decision of UGAL-G.
#[cold]
#[inline(never)]
pub(crate) fn choose(
    switch: &Switch<'_>,
    to: &Place,
    terminal: u8,
    paths: VlbPaths,
    credits: &(impl Credits + ?Sized),
    rng: &mut (impl Rng + ?Sized),
) -> Result<Chosen, Denied> {
    let cost = |path: Path, kind| {
        let header = path.sent(to.switch, terminal, kind);
        credits.used_along(path.first_port(), header).map(i64::from)
    };
    let threshold = i64::from(switch.image.threshold(Decision::UgalL));
    let Some(min) = switch.draw_min(to, rng) else {
        return vlb::choose_without_min(switch, to, Scheme::UgalG, paths, rng);
    };
    let min_cost = cost(min, Kind::Min);
    if min_cost.is_some_and(|cost| cost <= threshold) {
        return Ok(Chosen { min_is_sure: true, ..Chosen::alone(min, Choice::Min) });
    }
    let Some(vlb) = switch.draw_vlb(to, Decision::UgalL, paths, rng) else {
        return Ok(Chosen::alone(min, Choice::MinFallback));
    };
    let (Some(min_cost), Some(vlb_cost)) = (min_cost, cost(vlb, Kind::Vlb)) else {
        return Err(Denied::NoGlobalView);
    };
    Ok(Chosen::cheaper((min, min_cost), (vlb, vlb_cost), threshold))
}
