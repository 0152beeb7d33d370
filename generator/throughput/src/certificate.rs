//! The proven bounds of a throughput, in plain arithmetic and independent of the solver.
//!
//! Any split of the flows over their bundles gives a largest link load t, and 1/t is reached: a
//! lower bound. Any prices y ≥ 0 of the links give an upper bound: the largest load is at least the
//! average load weighted by the prices, and each flow pays at least the price of its cheapest
//! bundle, so t ≥ Σ demand · cheapest / Σ y. Solvers only propose splits and prices; what is
//! reported is computed here from the loads themselves.
//!
//! This is separate from all solvers on purpose. For a program that is held factored, the paths of each flow are
//! counted here one by one, so that an error in the factoring cannot vouch for itself.
//!
//! Rounding is accounted for. Every sum has non-negative terms only, so its relative error is at
//! most (number of operations)·2⁻⁵³; bounds are widened by twice that.

use super::bundle::Bundles;
use super::limit::Limit;
use super::path_counter::PathCounter;
use super::path_set::PathSet;
use super::program::{Choices, Program, largest};
use tvlb_traffic::Flows;

/// A throughput x that is proven to lie in an interval, in flits per node and cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certified {
    /// A split that reaches this was found.
    pub lower: f64,
    /// Prices that exclude more were found.
    pub upper: f64,
    /// Whose prices they were.
    pub limit: Limit,
}

impl Certified {
    /// The interval without any proof, for flows that use no link or before there are prices.
    pub(super) fn unknown(choices: &Choices) -> Self {
        Self { lower: 0.0, ..Self::by_nodes(choices) }
    }

    /// The bound of the nodes, reached.
    pub(super) fn by_nodes(choices: &Choices) -> Self {
        let bound = choices.terminal_bound;
        Self { lower: bound, upper: bound, limit: Limit::Nodes }
    }

    /// (upper − lower) / upper.
    pub fn gap(&self) -> f64 {
        if self.upper > 0.0 { ((self.upper - self.lower) / self.upper).max(0.0) } else { 0.0 }
    }

    /// The throughput as one number, if the gap is at most `tolerance`: the interval's middle, at
    /// most half the gap from the truth.
    pub fn value(&self, tolerance: f64) -> Option<f64> {
        (self.gap() <= tolerance).then_some(f64::midpoint(self.lower, self.upper))
    }

    /// The intersection of both intervals.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let least = if other.upper < self.upper { other } else { self };
        Self { lower: self.lower.max(other.lower), ..least }
    }
}

/// Twice the relative error of a sum of `terms` non-negative products of a few factors each.
fn error_bound(terms: usize) -> f64 {
    let operations = u32::try_from(terms).unwrap_or(u32::MAX);
    (f64::from(operations) + 32.0) * f64::EPSILON
}

/// A proven lower bound on x, from the loads of a split whose parts add up to 1 for each flow.
pub(super) fn lower_bound(choices: &Choices, loads: &[f64]) -> f64 {
    let most = largest(loads) * (1.0 + error_bound(choices.len()));
    if most * choices.terminal_bound <= 1.0 { choices.terminal_bound } else { 1.0 / most }
}

/// The bound from prices, which say nothing about a lower bound; negative ones count as 0.
pub(super) fn upper_bound(bundles: &Bundles, prices: &[f64]) -> Certified {
    let prices: Vec<f64> = prices.iter().map(|&price| price_of(price)).collect();
    upper_bound_of(bundles.choices(), &prices, &bundles.costs_of(&prices))
}

fn price_of(proposed: f64) -> f64 {
    if proposed > 0.0 { proposed } else { 0.0 }
}

/// An upper bound on the throughput from the cost of each bundle at some prices.
fn upper_bound_of(choices: &Choices, prices: &[f64], costs: &[f64]) -> Certified {
    let total: f64 = prices.iter().sum();
    let paid = choices.least_paid(costs);
    let longest = choices.flows.iter().map(ExactSizeIterator::len).fold(choices.rows, usize::max);
    let terms = longest + choices.flows.len() + choices.rows;
    let bound = total / paid * (1.0 + error_bound(terms));
    let unknown = Certified::unknown(choices);
    if bound < unknown.upper {
        Certified { upper: bound, limit: Limit::of_prices(prices, &choices.limits), ..unknown }
    } else {
        unknown
    }
}

/// The bounds from a split and prices, with the paths of each flow counted one flow after another: for programs too
/// large to hold, and independent of their solver.
pub(super) fn counted(
    counter: &mut PathCounter<'_>,
    pattern: &Flows,
    set: &PathSet,
    choices: &Choices,
    (split, prices): (&[f64], &[f64]),
) -> Certified {
    let prices: Vec<f64> = prices.iter().map(|&price| price_of(price)).collect();
    let mut loads = vec![0.0; choices.rows];
    let mut costs = vec![0.0; choices.len()];
    let flows = pattern.flows.iter().filter(|flow| flow.source != flow.destination);
    for (flow, bundles) in flows.zip(&choices.flows) {
        let classes = counter.classes(set, flow.source, flow.destination);
        let first_vlb = classes.iter().position(|class| class.is_vlb).unwrap_or(classes.len());
        let mut carried = 0.0;
        for (class, bundle) in classes.iter().zip(bundles.clone()).rev() {
            let rate = split[bundle] * choices.per_path[bundle];
            // A VLB path is in all bundles of its own hop count and more.
            carried = if class.is_vlb { carried + rate } else { rate };
            if carried > 0.0 {
                for &(link, count) in &class.uses {
                    loads[link] += carried * count;
                }
            }
        }
        let mut paid = 0.0;
        for (number, (class, bundle)) in classes.iter().zip(bundles.clone()).enumerate() {
            let of_class: f64 = class.uses.iter().map(|&(link, count)| count * prices[link]).sum();
            paid = if number > first_vlb { paid + of_class } else { of_class };
            costs[bundle] = paid * choices.per_path[bundle];
        }
    }
    Certified { lower: lower_bound(choices, &loads), ..upper_bound_of(choices, &prices, &costs) }
}
