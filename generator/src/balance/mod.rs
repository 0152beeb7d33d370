//! Load balance: thin the routes by overloaded first links until no link stands out more than under
//! conventional VLB (Rahman et al., SC'19, section 3.3.3).
//!
//! What is adjusted, for each source switch and each global port of its group, is the fraction of its routes that leave
//! through that port: a level of the switch image. A route's first global link determines its local hop before that
//! link and the switch at which it enters the intermediate group, so these levels control the load of all of them. The
//! second link of a route is in another group; to thin by it, a switch would have to list all links of the fabric.
//!
//! Each round measures every link's load ([`LinkLoads`]) and lowers or raises the share of each first link by how far
//! its load, and that of the local link to it, are above the mean. It stops once the most loaded links of both kinds
//! exceed the mean hardly more than with conventional VLB ([`MARGIN`]), or after [`MOST_ROUNDS`]; the best round
//! counts. A level keeps at least a quarter, and a source switch thins nothing if some pair would lose its last route.

mod entry;
mod thinned;

pub use entry::balance_entry;
pub use thinned::thinned_mean;

use crate::policy::{Levels, Policy};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_schema::{Level, LinkKind, SetRule, SwitchId};
use tvlb_topology::Topology;
use tvlb_topology::loads::{Draw, LinkLoads};
use tvlb_topology::routes::count::RouteCounter;
use tvlb_topology::routes::presence::{present_shapes, shapes_when_thinned};

/// The largest number of rounds of adjustment.
pub const MOST_ROUNDS: usize = 12;
/// An imbalance up to this multiple of conventional VLB's is even enough.
pub const MARGIN: f64 = 1.02;
/// Pairs (x, y), times all pairs of switches, that can be counted in about a second.
const MOST_CROSSINGS: u64 = 50_000_000;

/// Whether the loads of links can be counted, and balanced, in little time.
pub fn is_countable(topology: &Topology) -> bool {
    let df = topology.dragonfly();
    let switches = topology.ends().iter().count() as u64;
    let per_pair = u64::from(df.ports_per_group()) * topology.links_per_pair().1 as u64;
    switches * switches * per_pair <= MOST_CROSSINGS
}

/// The largest load of a link over the mean load, of links within groups and of links between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Imbalance {
    /// The imbalance of local links; 1 if there are none.
    pub local: f64,
    /// The imbalance of global links.
    pub global: f64,
}

impl Imbalance {
    /// The imbalance of paths if every switch with nodes sends equally to every such switch of another group.
    pub fn of(topology: &Topology, draw: Draw<'_>) -> Self {
        Self::of_loads(&LinkLoads::one_to_each(topology, draw))
    }

    fn of_loads(loads: &LinkLoads) -> Self {
        let of = |kind| loads.spread(kind).imbalance();
        Self { local: of(LinkKind::Local), global: of(LinkKind::Global) }
    }

    /// The larger of the two figures, each relative to that of another imbalance.
    pub fn against(&self, other: &Self) -> f64 {
        (self.local / other.local).max(self.global / other.global)
    }
}

/// The levels of every switch, and the imbalance with and without them.
#[derive(Clone, Debug, PartialEq)]
pub struct Balance {
    /// How each switch thins the set.
    pub levels: Levels,
    /// The imbalance of the set without thinning.
    pub before: Imbalance,
    /// The imbalance with these levels.
    pub after: Imbalance,
}

/// Balances how one set loads the links. `conventional` is conventional VLB's imbalance on this fabric.
///
/// # Errors
/// The work was cancelled, which is checked before each round.
pub fn balance(
    counter: &RouteCounter<'_>,
    rule: &SetRule,
    conventional: Imbalance,
    progress: &dyn Progress,
) -> Result<Balance, Cancelled> {
    let topology = counter.topology();
    let df = topology.dragonfly();
    let switches: Vec<SwitchId> = df.switches().collect();
    let mut loads = LinkLoads::one_to_each(topology, Draw::Set { rule, levels: &[] });
    let before = Imbalance::of_loads(&loads);
    let mut best = Balance { levels: Levels::default(), before, after: before };
    let mut shares = vec![vec![1.0; df.ports_per_group() as usize]; switches.len()];
    for _ in 0..MOST_ROUNDS {
        if best.after.against(&conventional) <= MARGIN {
            break;
        }
        progress.check()?;
        let [local, global] =
            [LinkKind::Local, LinkKind::Global].map(|kind| loads.spread(kind).mean);
        for (shares, &switch) in shares.iter_mut().zip(&switches) {
            let (group, here) = df.place(switch);
            for (share, x) in shares.iter_mut().zip(df.global_ports()) {
                let owner = df.split_port(x).0;
                let mut excess = loads.global(group, x) / global;
                if owner != here && local > 0.0 {
                    excess *= loads.local(group, here, owner) / local;
                }
                // A port without a cable has no load.
                if excess > 0.0 {
                    *share /= excess;
                }
            }
            let most = shares.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            for share in shares.iter_mut() {
                *share = (*share / most).max(0.25);
            }
        }
        let of_switches: Vec<Vec<Level>> = switches
            .par_iter()
            .zip(&shares)
            .map(|(&switch, shares)| safe_levels(counter, rule, switch, shares))
            .collect();
        let mut levels = vec![Vec::new(); df.switch_numbers() as usize];
        for (switch, of_switch) in switches.iter().zip(of_switches) {
            levels[switch.as_usize()] = of_switch;
        }
        loads = LinkLoads::one_to_each(topology, Draw::Set { rule, levels: &levels });
        let after = Imbalance::of_loads(&loads);
        if after.against(&conventional) < best.after.against(&conventional) {
            best = Balance { levels: levels.into(), after, ..best };
        }
    }
    Ok(best)
}

/// Balances the sets of one fabric, each once.
pub struct Balancer<'c> {
    counter: &'c RouteCounter<'c>,
    conventional: Imbalance,
    /// The rules that have been balanced, with their levels.
    known: Mutex<Vec<(SetRule, Levels)>>,
}

impl<'c> Balancer<'c> {
    /// A balancer that has not balanced any set.
    pub fn new(counter: &'c RouteCounter<'c>) -> Self {
        let conventional = Imbalance::of(counter.topology(), Draw::Conventional);
        Self { counter, conventional, known: Mutex::default() }
    }

    /// The policy with its set balanced; existing levels are replaced. A set of intermediate switches or of triples
    /// cannot be thinned and stays the same.
    ///
    /// # Errors
    /// The work was cancelled.
    pub fn balanced(&self, policy: &Policy, progress: &dyn Progress) -> Result<Policy, Cancelled> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let with = |levels: &Levels| Policy { levels: levels.clone(), ..policy.clone() };
        if !policy.rule.is_of_routes() {
            return Ok(policy.clone());
        }
        if let Some((_, levels)) = known().iter().find(|(rule, _)| *rule == policy.rule) {
            return Ok(with(levels));
        }
        // Not under the lock: this thread may steal work that asks for another set meanwhile.
        let levels = balance(self.counter, &policy.rule, self.conventional, progress)?.levels;
        known().push((policy.rule, levels.clone()));
        Ok(with(&levels))
    }
}

/// The levels nearest to these shares, or none if a destination would lose its last route.
fn safe_levels(
    counter: &RouteCounter<'_>,
    rule: &SetRule,
    source: SwitchId,
    shares: &[f64],
) -> Vec<Level> {
    let levels: Vec<Level> = shares.iter().map(|&share| nearest(share)).collect();
    if levels.iter().all(|&level| level == Level::ALL) {
        return Vec::new();
    }
    let topology = counter.topology();
    let mut others = topology.ends().outside(topology.dragonfly().place(source).0);
    let is_safe = others.all(|to| {
        !shapes_when_thinned(counter, rule, &levels, source, to).is_empty()
            || present_shapes(counter, rule, source, to).is_empty()
    });
    if is_safe { levels } else { Vec::new() }
}

/// The level that keeps the part nearest to this share.
fn nearest(share: f64) -> Level {
    let least = Level::LEAST.number();
    (least..Level::ALL.number())
        .rev()
        .filter_map(Level::new)
        .find(|level| (f64::from(level.number()) + 1.5) / 16.0 < share)
        .map_or(Level::LEAST, |below| Level::new(below.number() + 1).unwrap_or(Level::ALL))
}

#[cfg(test)]
mod tests;
