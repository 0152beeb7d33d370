//! The cost for a switch of drawing a route of a set, pair by pair: the *looks* of a draw.
//!
//! A look is a try of or visit to a cell, a link of a leg to or from an intermediate switch, or a group that is
//! examined while pairs of links are sought, as `firmware-model/src/draw` describes them. A list of a switch's links to
//! a group (`firmware-model/src/draw/by_shape.rs`) takes one look, and one more for every eight of its ports. The
//! expected number follows from the number of routes of each shape that a pair has, without any draw: it is exact for
//! whole sets on regular wirings, where every try is equally likely to hit, and an estimate elsewhere (fractions and
//! thinning count by their mean; on other wirings links count as evenly spread over the ports). A set that costs a
//! switch too much is refused ([`DrawWork::check`]).

mod in_cells;
mod through_switches;
mod tries;

use in_cells::SharedWork;
use rayon::prelude::*;
use std::collections::BTreeMap;
use through_switches::ThroughSwitches;
use tries::real;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_schema::{Level, SetRule, SwitchId};
use tvlb_table_set::grammar::canonical;
use tvlb_table_set::names::{NamedSwitch, Names};
use tvlb_topology::routes::count::RouteCounter;

/// The largest mean of looks per draw, over all pairs, that a set may take.
///
/// Some 67 000 instructions of a Cortex-M4, at 260 a look (`firmware-model/README.md`, Work).
pub const MOST_MEAN_LOOKS: f64 = 256.0;

/// The largest mean of looks per draw for any one pair that a set may take.
///
/// Some 1.1 million instructions of a Cortex-M4, at 260 a look.
pub const MOST_PAIR_LOOKS: f64 = 4096.0;

/// Looks of a draw of one set on one fabric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawWork {
    /// Mean over all ordered pairs of switches with nodes of different groups.
    pub mean: f64,
    /// Mean for the pair where it is largest.
    pub most: f64,
    /// That pair, source and destination: the first in the order of the switches.
    pub pair: (SwitchId, SwitchId),
}

/// A set whose draws cost a switch too much.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "set {set:?}: a draw takes a switch {:.0} looks at cells on average, and {:.0} from switch {} to \
     switch {}; accepted are at most {MOST_MEAN_LOOKS} and {MOST_PAIR_LOOKS}. Too few of the routes \
     that it looks at are kept: keep a larger fraction, leave out shapes of which few pairs have a \
     route, or draw by shape",
    .work.mean, .work.most, .pair.0, .pair.1
)]
pub struct TooMuchWork {
    /// The set, in the grammar of sets.
    pub set: String,
    pub work: DrawWork,
    /// The pair of switches with the largest cost.
    pub pair: (NamedSwitch, NamedSwitch),
}

impl TooMuchWork {
    /// The same with the machine's names of its switches.
    #[must_use]
    pub fn with_names(self, names: &Names) -> Self {
        let (from, to) = self.work.pair;
        Self { pair: (names.named(from), names.named(to)), ..self }
    }
}

impl DrawWork {
    /// Checks the cost against the limits; `rule` is the set's, for the message.
    ///
    /// # Errors
    /// If the mean is above [`MOST_MEAN_LOOKS`] or some pair's above [`MOST_PAIR_LOOKS`].
    pub fn check(self, rule: &SetRule) -> Result<Self, TooMuchWork> {
        if self.mean <= MOST_MEAN_LOOKS && self.most <= MOST_PAIR_LOOKS {
            return Ok(self);
        }
        let (from, to) = self.pair;
        Err(TooMuchWork { set: canonical(rule), work: self, pair: (from.into(), to.into()) })
    }
}

/// The looks of a draw from the set of a rule, which each switch thins by its `levels` (empty for a switch that thins
/// nothing).
///
/// Uses the threads of the current rayon pool; the result is the same for any number of them. Each source is a
/// step of the stage "draws".
///
/// # Errors
/// The caller cancelled the work.
pub fn draw_work<'l>(
    counter: &RouteCounter<'_>,
    rule: &SetRule,
    levels: impl Fn(SwitchId) -> &'l [Level] + Sync,
    progress: &dyn Progress,
) -> Result<DrawWork, Cancelled> {
    let (df, ends) = (*counter.topology().dragonfly(), counter.topology().ends());
    let wiring = SharedWork::of(counter);
    progress.stage("draws", Some(ends.iter().count()));
    let through = ThroughSwitches::of(counter.topology(), rule, progress)?;
    let by_source: Result<Vec<(f64, u64, f64, SwitchId)>, Cancelled> = counter
        .sources()
        .filter(|from| ends.has(from.source()))
        .map(|from| {
            progress.check()?;
            let source = from.source();
            let thinning = mean_fraction(levels(source));
            let through = through.as_ref().map(|through| (through, through.looks_at_all(source)));
            // Most pairs of a source have the same numbers of routes of each shape as others.
            let mut known = BTreeMap::new();
            let mut sum = (0.0, 0, -1.0, source);
            for destination in ends.outside(df.place(source).0) {
                let looks = if let Some((through, at_all)) = &through {
                    through.looks(at_all[df.place(destination).0.as_usize()], (source, destination))
                } else {
                    let counts = from.counts(destination);
                    let find = || wiring.pair_looks(rule, thinning, &counts);
                    *known.entry(counts).or_insert_with(find)
                };
                sum.0 += looks;
                sum.1 += 1;
                if looks > sum.2 {
                    (sum.2, sum.3) = (looks, destination);
                }
            }
            progress.step();
            Ok(sum)
        })
        .collect();
    let mut work = DrawWork { mean: 0.0, most: -1.0, pair: (SwitchId(0), SwitchId(0)) };
    let mut pairs = 0;
    for (source, (looks, count, most, destination)) in ends.iter().zip(by_source?) {
        work.mean += looks;
        pairs += count;
        if most > work.most {
            (work.most, work.pair) = (most, (source, destination));
        }
    }
    work.mean /= real(pairs.max(1));
    Ok(work)
}

/// The fraction of routes that levels keep on average over the ports.
fn mean_fraction(levels: &[Level]) -> f64 {
    if levels.is_empty() {
        return 1.0;
    }
    let sixteenths: u64 = levels.iter().map(|level| u64::from(level.number()) + 1).sum();
    real(sixteenths) / (16.0 * real(levels.len() as u64))
}
