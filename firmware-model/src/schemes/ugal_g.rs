//! UGAL-G: MIN or VLB by the queues along both paths, which only a simulator can see.

use super::vlb;
use super::weigh::{Price, Watch, weigh_by};
use crate::choice::{Chosen, Denied};
use crate::path::{Path, Place};
use crate::{Credits, Scheme, Switch, VlbPaths};
use rand_core::Rng;
use tvlb_schema::Decision;

/// The scheme's name in messages and reports.
pub(crate) const NAME: &str = "ugal-g";

/// The source decision of UGAL-G. It weighs as UGAL-L does, by other prices. The gate is the same: it
/// compares the queue of MIN's first port with the other queues of this switch.
#[cold]
#[inline(never)]
pub(crate) fn choose(
    switch: &Switch<'_>,
    to: &Place,
    terminal: u8,
    paths: VlbPaths,
    credits: &(impl Credits + ?Sized),
    rng: &mut (impl Rng + ?Sized),
    watch: &mut impl Watch,
) -> Result<Chosen, Denied> {
    let price = |path: Path, kind| {
        let sent = path.sent(to.switch, terminal, kind);
        let queue = credits.used_along(path.first_port(), sent)?;
        Some(Price { queue, cost: queue.into() })
    };
    let Some(min) = switch.draw_min(to, rng) else {
        return vlb::choose_without_min(switch, to, Scheme::UgalG, paths, rng);
    };
    let decision = Decision::UgalL;
    let chosen = weigh_by(switch, to, min, decision, paths, credits, rng, price, watch);
    chosen.ok_or(Denied::NoGlobalView)
}
