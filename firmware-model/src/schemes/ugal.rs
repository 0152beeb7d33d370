//! UGAL-L: MIN or VLB by the queues of the two first output ports and the lengths of the two paths.

use super::weigh::{Price, Watch, weigh_by};
use crate::choice::Chosen;
use crate::path::{Path, Place};
use crate::{Credits, Switch, VlbPaths};
use rand_core::Rng;
use tvlb_schema::Decision;

/// The scheme's name in messages and reports.
pub(crate) const NAME: &str = "ugal-l";

/// UGAL-L's choice between MIN paths and VLB paths, which is PAR's too. `min` is the first MIN
/// candidate.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline)]
#[expect(clippy::too_many_arguments, reason = "a structure of them would need stack")]
pub(crate) fn weigh(
    switch: &Switch<'_>,
    to: &Place,
    min: Path,
    decision: Decision,
    paths: VlbPaths,
    credits: &(impl Credits + ?Sized),
    rng: &mut (impl Rng + ?Sized),
    watch: &mut impl Watch,
) -> Chosen {
    let price = |path: Path, _| Some(local_price(path, credits));
    let chosen = weigh_by(switch, to, min, decision, paths, credits, rng, price, watch);
    // Every path has a price here.
    chosen.unwrap_or(Chosen::min(min))
}

/// What UGAL-L and PAR compare: the first queue times the hops.
#[inline]
pub(crate) fn local_price(path: Path, credits: &(impl Credits + ?Sized)) -> Price {
    let queue = credits.used(path.first_port());
    Price { queue, cost: i64::from(queue) * i64::from(path.hops()) }
}
