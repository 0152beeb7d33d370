//! The VLB routes between two switches of different groups, straight from their definition.
//!
//! This is the reference that faster ways to count and draw routes are tested against; it is itself tested
//! against the triples, with which it shares nothing.
//!
//! With first global link x = (u→v) and second y = (w→z), a route walks
//! \[S→u\] x \[v→w or v→r→w\] y \[z→D\], where v and w are switches of an intermediate group other
//! than those of S and D, and the detour r is a switch of it other than v and w. Where v and w are
//! the same switch there is no detour, since it would lead back to it. Every hop goes by a link: where
//! two switches of a group have none, no route goes from one to the other.

use super::walk::Walk;
use crate::Topology;
use crate::crossings::Crossing;
use tvlb_schema::{Route, SetRule, Shape, SwitchId};

/// A VLB route with what its definition says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VlbRoute {
    /// The two global ports and the detour.
    pub route: Route,
    /// The local hops in the three groups.
    pub shape: Shape,
    /// The switches from source to destination.
    pub walk: Walk,
}

/// All routes from one switch to another, each once: by rising intermediate group, then port x,
/// then port y, then the one without detour before those with one, by rising detour.
///
/// None between switches of one group.
pub fn routes(
    topology: &Topology,
    source: SwitchId,
    destination: SwitchId,
) -> impl Iterator<Item = VlbRoute> {
    let df = topology.dragonfly();
    let (from, to) = (df.place(source).0, df.place(destination).0);
    df.groups()
        .filter(move |&middle| from != to && middle != from && middle != to)
        .flat_map(move |middle| topology.crossings_through(source, destination, middle))
        .flat_map(move |crossing| routes_over(topology, (source, destination), crossing))
}

fn routes_over(
    topology: &Topology,
    pair: (SwitchId, SwitchId),
    crossing: Crossing,
) -> impl Iterator<Item = VlbRoute> {
    let Crossing { x, y, middle, v, w, .. } = crossing;
    let straight = topology.is_local_hop(middle, v, w).then_some(None);
    let detours = topology.relays(middle, v, w).filter(move |_| v != w).map(Some);
    straight.into_iter().chain(detours).map(move |detour| {
        let mid = if detour.is_some() { 2 } else { u8::from(v != w) };
        VlbRoute {
            route: Route { x: x.from, y: y.from, detour },
            shape: crossing.shape(mid),
            walk: crossing.walk(topology.dragonfly(), pair, detour),
        }
    })
}

/// The routes that the rule keeps, in the order of [`routes`].
pub fn kept(
    topology: &Topology,
    rule: &SetRule,
    source: SwitchId,
    destination: SwitchId,
) -> impl Iterator<Item = VlbRoute> {
    let df = topology.dragonfly();
    routes(topology, source, destination)
        .filter(move |r| rule.keeps(r.shape, r.route.key(df, source, destination)))
}

#[cfg(test)]
mod tests {
    use super::super::is_walk::is_walk;
    use super::super::{triples, wirings};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use tvlb_schema::{GlobalPort, GroupId, Keep, ShapeSet};

    /// Everything that the definition promises of the routes of one pair.
    fn check(topology: &Topology, s: SwitchId, d: SwitchId) -> Result<(), TestCaseError> {
        let df = topology.dragonfly();
        let (from, to) = (df.place(s).0, df.place(d).0);
        let mut walks = BTreeSet::new();
        let mut keys = BTreeSet::new();
        for r in routes(topology, s, d) {
            prop_assert!(is_walk(topology, s, d, &r.walk));
            prop_assert!(!r.walk.revisits());
            prop_assert_eq!(r.walk.hops(), usize::from(r.shape.hops()));
            let groups: Vec<GroupId> = r.walk.switches().iter().map(|&s| df.place(s).0).collect();
            let local = |group| groups.windows(2).filter(|w| w == &[group, group]).count();
            let middle = groups[usize::from(r.shape.head()) + 1];
            prop_assert!(middle != from && middle != to);
            prop_assert_eq!(local(from), usize::from(r.shape.head()));
            prop_assert_eq!(local(middle), usize::from(r.shape.mid()));
            prop_assert_eq!(local(to), usize::from(r.shape.tail()));
            prop_assert!(keys.insert(r.route.key(df, s, d)));
            prop_assert!(walks.insert((r.route.x, r.route.y, r.walk)));
        }
        // Routes are just the walks of the triples that do not come to a switch twice.
        let simple: BTreeSet<(GlobalPort, GlobalPort, Walk)> = triples::triples(topology, s, d)
            .filter(|t| !t.walk().revisits())
            .map(|t| (t.first.x.unwrap(), t.second.x.unwrap(), t.walk()))
            .collect();
        prop_assert_eq!(walks, simple);
        Ok(())
    }

    #[test]
    fn routes_are_the_simple_walks_of_the_triples() {
        let topology = wirings::absolute(2, 4, 2, 9);
        for (s, d) in wirings::inter_group_pairs(&topology) {
            check(&topology, s, d).unwrap();
        }
        let topology = wirings::absolute(4, 8, 4, 9);
        for (s, d) in [(0, 8), (1, 17), (71, 0), (40, 39)] {
            check(&topology, SwitchId(s), SwitchId(d)).unwrap();
        }
    }

    proptest! {
        #[test]
        fn routes_are_the_simple_walks_of_the_triples_on_any_wiring(topology in wirings::any()) {
            for (s, d) in wirings::inter_group_pairs(&topology) {
                check(&topology, s, d)?;
            }
        }
    }

    #[test]
    fn the_order_is_as_documented() {
        let topology = wirings::absolute(2, 4, 2, 9);
        let df = topology.dragonfly();
        for (s, d) in wirings::inter_group_pairs(&topology) {
            let order: Vec<_> = routes(&topology, s, d)
                .map(|r| {
                    let middle = df.place(r.walk.switches()[usize::from(r.shape.head()) + 1]).0;
                    (middle, r.route.x, r.route.y, r.route.detour)
                })
                .collect();
            assert!(order.is_sorted());
        }
    }

    #[test]
    fn a_switch_has_no_routes_to_its_own_group() {
        let topology = wirings::absolute(2, 4, 2, 9);
        assert_eq!(routes(&topology, SwitchId(0), SwitchId(3)).count(), 0);
        assert_eq!(routes(&topology, SwitchId(0), SwitchId(0)).count(), 0);
    }

    #[test]
    fn a_rule_keeps_whole_shapes_and_fractions() {
        let topology = wirings::absolute(4, 8, 4, 9);
        let (s, d) = (SwitchId(1), SwitchId(17));
        let shapes = ShapeSet::generated_by(&[Shape::new(0, 1, 1).unwrap()]);
        let whole = SetRule::whole(shapes);
        let expected: Vec<VlbRoute> =
            routes(&topology, s, d).filter(|r| shapes.contains(r.shape)).collect();
        assert!(kept(&topology, &whole, s, d).eq(expected));
        let mut half = SetRule::whole(ShapeSet::ALL);
        half.keep = [Keep::new(5000).unwrap(); Shape::COUNT];
        let all = routes(&topology, s, d).count();
        let count = kept(&topology, &half, s, d).count();
        // Four standard deviations of the binomial.
        assert!(count.abs_diff(all / 2) < 52, "{count} of {all}");
    }
}
