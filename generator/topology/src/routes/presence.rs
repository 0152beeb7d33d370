//! Of which shapes a rule keeps at least one route of a pair of switches.
//!
//! Exact. If a rule keeps no route or every route of a shape, the route counts decide. If it keeps a fraction, routes
//! of only that shape are tried until one is kept.

use super::count::RouteCounter;
use super::ways::Way;
use crate::Topology;
use tvlb_schema::{Keep, Level, SetRule, Shape, ShapeSet, SwitchId};

/// The shapes of which the rule keeps a route from `source` to `destination`; none between
/// switches of one group.
///
/// Takes time in proportion to h where the rule keeps no fractions. Each shape with a fraction
/// adds about the inverse of the fraction, or the number of its routes if that is less.
pub fn present_shapes(
    counter: &RouteCounter<'_>,
    rule: &SetRule,
    source: SwitchId,
    destination: SwitchId,
) -> ShapeSet {
    shapes_when_thinned(counter, rule, &[], source, destination)
}

/// As [`present_shapes`], where `source` thins the set to these levels, one for each global port
/// of its group; where there are none, it does not.
///
/// A thinned shape takes as a shape with a fraction does.
pub fn shapes_when_thinned(
    counter: &RouteCounter<'_>,
    rule: &SetRule,
    levels: &[Level],
    source: SwitchId,
    destination: SwitchId,
) -> ShapeSet {
    let counts = counter.counts(source, destination);
    shapes_of_counts(counter.topology(), (rule, levels), (source, destination), &counts)
}

/// As [`shapes_when_thinned`], where it is known how many routes of each shape there are.
pub fn shapes_of_counts(
    topology: &Topology,
    set: (&SetRule, &[Level]),
    pair: (SwitchId, SwitchId),
    counts: &[u64; Shape::COUNT],
) -> ShapeSet {
    let is_there =
        |shape: &Shape| has_counted_shape(topology, set, pair, (*shape, counts[shape.number()]));
    Shape::all().filter(is_there).collect()
}

/// As [`has_shape`], where it is known how many routes of the shape there are.
pub fn has_counted_shape(
    topology: &Topology,
    set: (&SetRule, &[Level]),
    pair: (SwitchId, SwitchId),
    (shape, count): (Shape, u64),
) -> bool {
    let (rule, levels) = set;
    let keeps_all = rule.keep_of(shape) == Keep::ALL && levels.is_empty();
    count > 0 && (keeps_all || has_shape(topology, set, pair, shape))
}

/// Whether the rule keeps a route of one shape between two switches of different groups, where the source
/// thins the set to these levels, one for each global port of its group; where there are none, it does not.
/// Tries routes of that shape until one is kept.
pub fn has_shape(
    topology: &Topology,
    set: (&SetRule, &[Level]),
    pair: (SwitchId, SwitchId),
    shape: Shape,
) -> bool {
    // A route that makes two hops in the middle comes after that which makes fewer.
    let most = if shape.mid() == 2 { usize::MAX } else { 1 };
    let is_found = |way: Way| {
        let is_shape = way.is_route() && way.shape() == shape;
        is_shape && way.is_kept(topology.dragonfly(), set, pair)
    };
    set.0.keep_of(shape) != Keep::NONE
        && topology
            .crossings_of(pair, shape)
            .any(|crossing| crossing.ways(topology).take(most).any(is_found))
}

#[cfg(test)]
mod tests {
    use super::super::{ways, wirings};
    use super::*;
    use proptest::prelude::*;
    use tvlb_schema::DrawRule;

    /// One rule out of keep-fractions, in parts of 10 000, and a seed.
    fn rule(parts: [u16; Shape::COUNT], seed: u64) -> SetRule {
        SetRule {
            keep: parts.map(|parts| Keep::new(parts).unwrap()),
            draw: DrawRule::ByRoute,
            seed,
        }
    }

    fn check(topology: &Topology, rule: &SetRule) -> Result<(), TestCaseError> {
        let counter = RouteCounter::new(topology);
        for s in topology.dragonfly().switches() {
            for d in topology.dragonfly().switches() {
                let expected: ShapeSet =
                    ways::kept(topology, rule, s, d).map(|way| way.shape()).collect();
                prop_assert_eq!(present_shapes(&counter, rule, s, d), expected);
            }
        }
        Ok(())
    }

    /// One level for each global port of a group, out of some numbers that are taken in turn.
    fn levels(topology: &Topology, numbers: &[u8]) -> Vec<Level> {
        let ports = topology.dragonfly().ports_per_group() as usize;
        numbers.iter().map(|&n| Level::new(n).unwrap()).cycle().take(ports).collect()
    }

    fn check_thinned(
        topology: &Topology,
        rule: &SetRule,
        levels: &[Level],
    ) -> Result<(), TestCaseError> {
        let (counter, df) = (RouteCounter::new(topology), topology.dragonfly());
        for s in df.switches() {
            for d in df.switches() {
                let expected: ShapeSet = ways::routes(topology, s, d)
                    .filter(|way| {
                        let route = way.route();
                        let level = levels[route.x.as_usize()];
                        rule.keeps_at(level, way.shape(), route.key(df, s, d))
                    })
                    .map(|way| way.shape())
                    .collect();
                prop_assert_eq!(shapes_when_thinned(&counter, rule, levels, s, d), expected);
            }
        }
        Ok(())
    }

    fn any_parts() -> impl Strategy<Value = u16> {
        prop_oneof![Just(0), Just(10_000), 100_u16..=300, 100_u16..=10_000]
    }

    proptest! {
        #[test]
        fn a_shape_is_present_just_if_a_route_of_it_is_kept(
            topology in wirings::any(),
            parts in prop::array::uniform12(any_parts()),
            seed: u64,
        ) {
            check(&topology, &rule(parts, seed))?;
        }

        #[test]
        fn a_shape_is_present_just_if_a_route_of_it_is_left_by_thinning(
            topology in wirings::any(),
            parts in prop::array::uniform12(any_parts()),
            numbers in prop::collection::vec(3..=15_u8, 1..8),
            seed: u64,
        ) {
            check_thinned(&topology, &rule(parts, seed), &levels(&topology, &numbers))?;
        }
    }

    #[test]
    fn few_kept_routes_are_found_and_none_is_made_up() {
        for parts in [100, 500, 5000] {
            check(&wirings::absolute(2, 4, 2, 9), &rule([parts; 12], 7)).unwrap();
            check(&wirings::absolute(4, 8, 4, 9), &rule([parts; 12], 7)).unwrap();
        }
    }
}
