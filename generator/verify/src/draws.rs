//! The probabilities of a pair's routes, given how many there are of each shape.

use tvlb_schema::{SetRule, Shape};

/// For each shape the probability that a given route of it is drawn.
pub(super) fn chances(rule: &SetRule, found: &[u64; Shape::COUNT]) -> [f64; Shape::COUNT] {
    // Another module knows how sets of intermediate switches and of triples draw.
    let weight = |shape: Shape| match found[shape.number()] {
        0 => 0,
        _ if rule.is_by_shape() => rule.weight_of(shape).into(),
        count => count,
    };
    let total: u64 = Shape::all().map(weight).sum();
    let mut chances = [0.0; Shape::COUNT];
    for shape in Shape::all().filter(|&shape| weight(shape) > 0) {
        #[expect(clippy::cast_precision_loss, reason = "compared to a few decimals")]
        let chance = weight(shape) as f64 / total as f64 / found[shape.number()] as f64;
        chances[shape.number()] = chance;
    }
    chances
}

/// The mean hops of a pair's routes as drawn, given how many there are by shape; 0 if there are none.
pub(super) fn mean_hops(chances: &[f64; Shape::COUNT], found: &[u64; Shape::COUNT]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "compared to six decimals")]
    let share = |shape: Shape| chances[shape.number()] * found[shape.number()] as f64;
    Shape::all().map(|shape| share(shape) * f64::from(shape.hops())).sum()
}
