//! The routes that a booted switch draws to one destination, and how often each.

use std::collections::BTreeMap;
use tvlb_firmware_model::Switch;
use tvlb_schema::{Decision, Route, Shape, SwitchId};

/// A route that a decision's set keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnRoute {
    pub shape: Shape,
    pub route: Route,
    /// The probability with which it is drawn.
    pub share: f64,
}

/// The routes of a decision's set to a switch of another group, by shape and then by their ports; their shares add up
/// to 1 unless there are none.
pub fn drawn_routes(
    switch: &Switch<'_>,
    decision: Decision,
    destination: SwitchId,
) -> Vec<DrawnRoute> {
    let rule = *switch.image().set(decision).rule();
    let mut weights: BTreeMap<(Shape, Route), f64> = BTreeMap::new();
    if rule.is_of_routes() {
        let mut of_shape = [0_u32; Shape::COUNT];
        switch.for_each_route(decision, destination, |route, shape| {
            weights.insert((shape, route), 0.0);
            of_shape[shape.number()] += 1;
        });
        for ((shape, _), weight) in &mut weights {
            *weight = if rule.is_by_shape() {
                f64::from(rule.weight_of(*shape)) / f64::from(of_shape[shape.number()])
            } else {
                1.0
            };
        }
    } else {
        switch.for_each_way(decision, destination, |route, shape, ways| {
            *weights.entry((shape, route)).or_default() += 1.0 / f64::from(ways);
        });
    }
    let total: f64 = weights.values().sum();
    let share = |((shape, route), weight)| DrawnRoute { shape, route, share: weight / total };
    weights.into_iter().map(share).collect()
}
