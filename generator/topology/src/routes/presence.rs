//! Of which shapes a rule keeps at least one route of a pair of switches.
//!
//! Exact. Where a rule keeps no route or every route of a shape, the route counts decide. Where
//! it keeps a fraction, routes of just that shape are tried until one is kept.

use super::count::RouteCounter;
use crate::{Link, Topology};
use tvlb_schema::End;
use tvlb_schema::{
    GlobalPort, GroupId, Keep, Level, Route, SetRule, Shape, ShapeSet, SwitchId, SwitchIndex,
};

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
    (rule, levels): (&SetRule, &[Level]),
    (source, destination): (SwitchId, SwitchId),
    shape: Shape,
) -> bool {
    rule.keep_of(shape) != Keep::NONE
        && Search { topology, rule, levels, source, destination }.finds(shape)
}

/// The search for one kept route between two switches of different groups.
struct Search<'a> {
    topology: &'a Topology,
    rule: &'a SetRule,
    levels: &'a [Level],
    source: SwitchId,
    destination: SwitchId,
}

impl Search<'_> {
    /// Whether the rule keeps a route of this shape.
    ///
    /// Begins at an end that has the global link on its own switch, where there is one, so that
    /// few pairs of links are looked at in vain.
    fn finds(&self, shape: Shape) -> bool {
        let df = self.topology.dragonfly();
        let (from, _) = df.place(self.source);
        let (to, _) = df.place(self.destination);
        if shape.head() <= shape.tail() {
            self.ends(self.source, shape.head()).any(|(x, v)| {
                self.onward(v, to, shape.mid()).iter().any(|y| {
                    self.is_local(self.destination, y.to, shape.tail())
                        && self.keeps_over(shape, v, x, y.from)
                })
            })
        } else {
            self.ends(self.destination, shape.tail()).any(|(_, w)| {
                self.onward(w, from, shape.mid()).iter().any(|x| {
                    self.is_local(self.source, x.to, shape.head())
                        && self.keeps_over(
                            shape,
                            End { group: w.group, port: x.from },
                            x.to,
                            w.port,
                        )
                })
            })
        }
    }

    /// The global ports of a switch's group that are `local` hops, 0 or 1, from the switch, with
    /// the far ends of their cables.
    fn ends(&self, switch: SwitchId, local: u8) -> impl Iterator<Item = (GlobalPort, End)> {
        let df = self.topology.dragonfly();
        let (group, index) = df.place(switch);
        let first = df.global_port(index, 0).0;
        // No group has more than 4096 ports.
        let (h, all) = ((df.h() & 0xffff) as u16, (df.ports_per_group() & 0xffff) as u16);
        let own = first..first + h;
        let (low, high) = if local == 0 { (own, 0..0) } else { (0..own.start, own.end..all) };
        low.chain(high).filter_map(move |port| {
            let port = GlobalPort(port);
            if !self.topology.is_local_hop(group, index, df.split_port(port).0) {
                return None;
            }
            Some((port, self.topology.peer(End { group, port })?))
        })
    }

    /// The links to `group` from the group that a cable has come to at `arrival`: those of the
    /// same switch if there is no hop in the middle, else all.
    ///
    /// None if the cable has come to `group` itself.
    fn onward(&self, arrival: End, group: GroupId, mid: u8) -> &[Link] {
        let links = self.topology.links(arrival.group, group);
        if mid > 0 {
            return links;
        }
        let df = self.topology.dragonfly();
        let (switch, _) = df.split_port(arrival.port);
        let start = links.partition_point(|link| df.split_port(link.from).0 < switch);
        let end = links.partition_point(|link| df.split_port(link.from).0 <= switch);
        &links[start..end]
    }

    /// Whether a global port of the switch's group is `local` hops, 0 or 1, from the switch.
    fn is_local(&self, switch: SwitchId, port: GlobalPort, local: u8) -> bool {
        let df = self.topology.dragonfly();
        let ((group, here), there) = (df.place(switch), df.split_port(port).0);
        (there != here) == (local == 1) && self.topology.is_local_hop(group, here, there)
    }

    /// Whether the rule keeps a route of this shape with first link x, arriving at `arrival` in
    /// the intermediate group, and second link y. The head and the tail have been seen to.
    fn keeps_over(&self, shape: Shape, arrival: End, x: GlobalPort, y: GlobalPort) -> bool {
        let df = self.topology.dragonfly();
        let (topology, group) = (self.topology, arrival.group);
        let v = df.split_port(arrival.port).0;
        let w = df.split_port(y).0;
        let hops = |from, to| topology.is_local_hop(group, from, to);
        let keeps = |detour| {
            let route = Route { x, y, detour };
            let level = self.levels.get(x.as_usize()).copied().unwrap_or_default();
            self.rule.keeps_at(level, shape, route.key(df, self.source, self.destination))
        };
        match shape.mid() {
            0 => v == w && keeps(None),
            1 => v != w && hops(v, w) && keeps(None),
            _ => {
                let is_detour = |&r: &SwitchIndex| r != v && r != w && hops(v, r) && hops(r, w);
                v != w && df.indices(group).filter(is_detour).any(|r| keeps(Some(r)))
            }
        }
    }
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
