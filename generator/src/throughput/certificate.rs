//! What is proven of a throughput, in plain arithmetic and whatever the solver says.
//!
//! Any split of the flows over their bundles gives a largest link load t, and 1/t is reached: a
//! lower bound. Any prices y ≥ 0 of the links give an upper bound: the largest load is at least the
//! average load weighted by the prices, and each flow pays at least the price of its cheapest
//! bundle, so t ≥ Σ demand · cheapest / Σ y. Solvers only propose splits and prices; what is
//! reported is computed here from the loads themselves.
//!
//! Rounding is accounted for. Every sum has non-negative terms only, so its relative error is at
//! most (number of operations)·2⁻⁵³; bounds are widened by twice that.

use super::bundle::Bundles;

/// A throughput x that is proven to lie in an interval, in units of a node's injection bandwidth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certified {
    /// A split that reaches this was found.
    pub lower: f64,
    /// Prices that exclude more were found.
    pub upper: f64,
}

impl Certified {
    /// What no flow that uses a link, or no prices yet, leave open.
    pub(super) fn unknown(bundles: &Bundles) -> Self {
        Self { lower: 0.0, upper: bundles.terminal_bound }
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

    /// What both intervals allow.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }
}

/// Twice the relative error of a sum of `terms` non-negative products of a few factors each.
fn error_bound(terms: usize) -> f64 {
    let operations = u32::try_from(terms).unwrap_or(u32::MAX);
    (f64::from(operations) + 32.0) * f64::EPSILON
}

/// Makes a proposal a split: nothing negative, and each flow's parts add up to 1.
pub(super) fn projected(bundles: &Bundles, mut split: Vec<f64>) -> Vec<f64> {
    for flow in &bundles.flows {
        let parts = &mut split[flow.clone()];
        for part in parts.iter_mut() {
            *part = if part.is_finite() { part.max(0.0) } else { 0.0 };
        }
        let sum: f64 = parts.iter().sum();
        if sum > 0.0 {
            for part in parts {
                *part /= sum;
            }
        } else if let Some(last) = parts.last_mut() {
            *last = 1.0;
        }
    }
    split
}

/// The load of each link under a split, at x = 1.
pub(super) fn loads(bundles: &Bundles, split: &[f64]) -> Vec<f64> {
    let mut loads = vec![0.0; bundles.rows];
    for (bundle, &part) in split.iter().enumerate().filter(|(_, part)| **part > 0.0) {
        for (link, load) in bundles.column(bundle) {
            loads[link] += part * load;
        }
    }
    loads
}

/// A proven lower bound on x, from the loads of a split that [`projected`] made.
pub(super) fn lower_bound(bundles: &Bundles, loads: &[f64]) -> f64 {
    let most = loads.iter().fold(0.0_f64, |most, &load| most.max(load));
    let most = most * (1.0 + error_bound(bundles.len()));
    if most * bundles.terminal_bound <= 1.0 { bundles.terminal_bound } else { 1.0 / most }
}

/// A proven upper bound on x, from prices; negative ones count as 0.
pub(super) fn upper_bound(bundles: &Bundles, prices: &[f64]) -> f64 {
    let price = |link: usize| if prices[link] > 0.0 { prices[link] } else { 0.0 };
    let total: f64 = (0..bundles.rows).map(price).sum();
    let mut paid = 0.0;
    let mut longest = bundles.rows;
    for flow in &bundles.flows {
        let costs = flow.clone().map(|bundle| {
            bundles.column(bundle).map(|(link, load)| load * price(link)).sum::<f64>()
        });
        paid += costs.fold(f64::INFINITY, f64::min);
        longest = longest.max(flow.len());
    }
    let terms = longest + bundles.flows.len() + bundles.rows;
    let bound = total / paid * (1.0 + error_bound(terms));
    if bound.is_finite() { bound.min(bundles.terminal_bound) } else { bundles.terminal_bound }
}
