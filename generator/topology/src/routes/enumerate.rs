//! The VLB routes between two switches of different groups, straight from their definition.
//!
//! This is the reference that faster ways to list, count and draw routes are tested against, so
//! it shares nothing with them and takes no short cut.
//!
//! With first global link x = (u→v) and second y = (w→z), a route walks
//! \[S→u\] x \[v→w or v→r→w\] y \[z→D\], where v and w are switches of an intermediate group other
//! than those of S and D, and the detour r is a switch of it other than v and w. Where v and w are
//! the same switch there is no detour, since it would lead back to it. Every hop goes by a link: where
//! two switches of a group have none, no route goes from one to the other.

use super::walk::Walk;
use crate::{Link, Topology};
use std::iter;
use tvlb_schema::{GroupId, Route, SetRule, Shape, SwitchId};

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
    let (from, _) = df.place(source);
    let (to, _) = df.place(destination);
    df.groups().filter(move |&middle| from != to && middle != from && middle != to).flat_map(
        move |middle| {
            topology.links(from, middle).iter().flat_map(move |x| {
                topology
                    .links(middle, to)
                    .iter()
                    .flat_map(move |y| routes_over(topology, source, destination, middle, *x, *y))
            })
        },
    )
}

/// The routes whose first global link is x, to the group `middle`, and whose second is y.
fn routes_over(
    topology: &Topology,
    source: SwitchId,
    destination: SwitchId,
    middle: GroupId,
    x: Link,
    y: Link,
) -> impl Iterator<Item = VlbRoute> {
    let df = topology.dragonfly();
    let u = df.switch(df.place(source).0, df.split_port(x.from).0);
    let v = df.split_port(x.to).0;
    let w = df.split_port(y.from).0;
    let z = df.switch(df.place(destination).0, df.split_port(y.to).0);
    let detours = df.indices(middle).filter(move |&r| v != w && r != v && r != w);
    let hops = move |walk: &Walk| {
        walk.switches().windows(2).all(|hop| {
            let ((group, one), (other_group, other)) = (df.place(hop[0]), df.place(hop[1]));
            group != other_group || topology.links_within(group, one, other) > 0
        })
    };
    let routes = iter::once(None).chain(detours.map(Some)).map(move |detour| {
        let mut walk = Walk::at(source).to(u).to(df.switch(middle, v));
        if let Some(r) = detour {
            walk = walk.to(df.switch(middle, r));
        }
        let mid = if v == w {
            0
        } else if detour.is_none() {
            1
        } else {
            2
        };
        VlbRoute {
            route: Route { x: x.from, y: y.from, detour },
            shape: Shape::of_walk(source != u, mid, z != destination),
            walk: walk.to(df.switch(middle, w)).to(z).to(destination),
        }
    });
    routes.filter(move |route| hops(&route.walk))
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
    use tvlb_schema::{GlobalPort, Keep, ShapeSet};

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
