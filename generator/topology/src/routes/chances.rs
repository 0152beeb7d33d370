//! How likely each shape is to be drawn, given how many routes of it there are.

use tvlb_schema::{SetRule, Shape};

/// The relative probability of each shape in a rule's draws, by shape number, given how many routes of each are kept:
/// the weights of those that have a route if it draws by shape, else one for each route.
pub fn shape_weights(rule: &SetRule, found: &[u64; Shape::COUNT]) -> [u64; Shape::COUNT] {
    let mut weights = *found;
    if rule.is_by_shape() {
        for shape in Shape::all().filter(|shape| found[shape.number()] > 0) {
            weights[shape.number()] = rule.weight_of(shape).into();
        }
    }
    weights
}

/// A count as a number to divide.
#[expect(
    clippy::cast_precision_loss,
    reason = "at most 2³² routes in parts of 10 000, times 6 hops: below 2⁵³"
)]
pub(crate) fn real(count: u64) -> f64 {
    count as f64
}
