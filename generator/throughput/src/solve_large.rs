//! From a program too large for a matrix to a certified throughput.
//!
//! The same steps as in `solve.rs`: a few even splits against the price bound of the global links,
//! and where these leave a gap a method that closes it, here the first-order one. What came out is
//! certified once, by counting the paths of each flow again.

use super::certificate::{Certified, counted};
use super::factored::Factored;
use super::first_order;
use super::path_counter::PathCounter;
use super::path_set::PathSet;
use super::program::{Program, largest};
use super::solve::{Method, Solved, Warm, best_fraction};
use tvlb_traffic::Flows;

/// The source of the paths of the program's flows.
pub(super) struct FlowPaths<'p, 't> {
    pub(super) counter: &'p mut PathCounter<'t>,
    pub(super) pattern: &'p Flows,
    pub(super) set: &'p PathSet,
}

/// The throughput to a relative gap of `tolerance` if possible, given that `reached` is known to be reached (0 if
/// nothing is).
pub(super) fn solve(
    program: &Factored,
    paths: FlowPaths<'_, '_>,
    reached: f64,
    tolerance: f64,
    warm: &mut Warm,
) -> Solved {
    let choices = program.choices();
    let certify = |split: &[f64], prices: &[f64]| -> Certified {
        let FlowPaths { counter, pattern, set } = paths;
        let found = counted(counter, pattern, set, choices, (split, prices));
        Certified { lower: found.lower.max(reached), ..found }
    };
    if choices.is_empty() {
        let certified = Certified::by_nodes(choices);
        return Solved { certified, by: Method::Even, rounds: 0, links: 0 };
    }
    let prices = &choices.global_prices;
    let needed = needed(program, prices);
    let (split, carried) = best_even_split(program);
    let most = carried.min(1.0 / reached).max(1.0 / choices.terminal_bound);
    if most - needed <= tolerance * most {
        let certified = certify(&split, prices);
        let by = if certified.lower > reached { Method::Even } else { Method::Nested };
        return Solved { certified, by, rounds: 0, links: 0 };
    }
    let found = first_order::solve(program, split, needed, tolerance, &mut warm.regrets);
    let split = choices.projected(found.split);
    let better = if self::needed(program, &found.prices) > needed { &found.prices } else { prices };
    let certified = certify(&split, better);
    let rounds = usize::try_from(found.rounds).unwrap_or(usize::MAX);
    Solved { certified, by: Method::FirstOrder, rounds, links: choices.rows }
}

/// A lower bound of the largest load, from these prices, or from the terminals.
fn needed(program: &Factored, prices: &[f64]) -> f64 {
    let choices = program.choices();
    let paid = choices.least_paid(&program.costs_of(prices));
    let total: f64 = prices.iter().sum();
    (if total > 0.0 { paid / total } else { 0.0 }).max(1.0 / choices.terminal_bound)
}

/// Each flow over its MIN paths evenly and over its VLB paths of at most so many hops evenly, the
/// same fraction of all flows to MIN; the best number of hops and fraction,
/// with the largest load of that split.
fn best_even_split(program: &Factored) -> (Vec<f64>, f64) {
    let choices = program.choices();
    let mut best = choices.even(None);
    let min = best.clone();
    let min_loads = program.loads_of(&min);
    let mut least = largest(&min_loads);
    for level in choices.levels() {
        let vlb = choices.even(Some(level));
        let vlb_loads = program.loads_of(&vlb);
        let (fraction, most) = best_fraction(&min_loads, &vlb_loads);
        if most < least {
            least = most;
            let mix = |(m, v): (&f64, &f64)| fraction * m + (1.0 - fraction) * v;
            best = min.iter().zip(&vlb).map(mix).collect();
        }
    }
    (best, least)
}
