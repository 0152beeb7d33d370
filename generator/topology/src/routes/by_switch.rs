//! The walks of a set that is drawn by intermediate switch, for one pair of switches, straight from
//! the definition: a switch that the set has, one of the shortest links to it, and one of the shortest
//! links on from it.
//!
//! A leg is a minimal path between two switches of different groups of which each local hop has a link;
//! the shortest links are those whose legs have the fewest hops.

use crate::crossings::Crossing;
use crate::{Link, Topology};
use tvlb_schema::{GroupId, LegHops, Route, Shape, SwitchId, SwitchIndex};

/// A walk over an intermediate switch.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The links that it takes.
    pub crossing: Crossing,
    pub through: SwitchIndex,
    /// Pairs of shortest links that lead over this switch: each of its ways is drawn with the inverse
    /// probability, given the switch.
    pub ways: u32,
}

impl Way {
    /// Local hops in the intermediate group: 0 to 2.
    pub fn mid(&self) -> u8 {
        let Crossing { v, w, .. } = self.crossing;
        u8::from(v != self.through) + u8::from(self.through != w)
    }

    /// Hops from switch to switch: 2 to 6.
    pub fn hops(&self) -> u8 {
        2 + u8::from(self.crossing.head) + self.mid() + u8::from(self.crossing.tail)
    }

    /// Whether it goes from a switch to the intermediate one and at once back.
    pub fn returns(&self) -> bool {
        self.crossing.v == self.crossing.w && self.mid() == 2
    }

    /// Its shape. A walk that comes back counts as one of two hops in the middle.
    pub fn shape(&self) -> Shape {
        self.crossing.shape(self.mid())
    }

    /// The switch to go through that is neither where the first link arrives nor where the second begins.
    pub fn detour(&self) -> Option<SwitchIndex> {
        let Crossing { v, w, .. } = self.crossing;
        (self.through != v && self.through != w).then_some(self.through)
    }

    pub fn route(&self) -> Route {
        let Crossing { x, y, .. } = self.crossing;
        Route { x: x.from, y: y.from, detour: self.detour() }
    }

    /// How often it is drawn, if each intermediate switch counts 1.
    pub fn weight(&self) -> f64 {
        1.0 / f64::from(self.ways)
    }
}

/// The hops of the leg over a link from one switch to another; `None` if one of them has no link.
fn leg_hops(
    topology: &Topology,
    link: Link,
    (out, from): (GroupId, SwitchIndex),
    (into, to): (GroupId, SwitchIndex),
) -> Option<u8> {
    let df = topology.dragonfly();
    let (leaves, arrives) = (df.split_port(link.from).0, df.split_port(link.to).0);
    let is_leg =
        topology.is_local_hop(out, from, leaves) && topology.is_local_hop(into, arrives, to);
    is_leg.then(|| 1 + u8::from(leaves != from) + u8::from(arrives != to))
}

/// The shortest links from one switch to another of a different group, and the hops of their legs;
/// `None` if there is no leg.
pub fn shortest_links(
    topology: &Topology,
    from: SwitchId,
    to: SwitchId,
) -> Option<(u8, impl Iterator<Item = &Link> + Clone)> {
    let df = topology.dragonfly();
    let (from, to) = (df.place(from), df.place(to));
    let links = topology.links(from.0, to.0);
    let hops = links.iter().filter_map(|&link| leg_hops(topology, link, from, to)).min()?;
    let is_shortest = move |link: &&Link| leg_hops(topology, **link, from, to) == Some(hops);
    Some((hops, links.iter().filter(is_shortest)))
}

/// Visits every walk that the set draws from one switch to another of a different group, by
/// intermediate switch. A route without a detour can be two walks, over either of its ends in the
/// middle.
pub fn for_each_way(
    topology: &Topology,
    (legs, returns): (LegHops, bool),
    source: SwitchId,
    destination: SwitchId,
    mut each: impl FnMut(&Way),
) {
    let df = *topology.dragonfly();
    let (from, to) = (df.place(source).0, df.place(destination).0);
    for middle in df.groups().filter(|&group| group != from && group != to) {
        for through in df.indices(middle) {
            let switch = df.switch(middle, through);
            let Some((first, xs)) = shortest_links(topology, source, switch) else { continue };
            let Some((second, ys)) = shortest_links(topology, switch, destination) else {
                continue;
            };
            if !legs.contains(first, second) {
                continue;
            }
            let ways = u32::try_from(xs.clone().count() * ys.clone().count())
                .expect("two groups share at most 4096 links");
            for (&x, &y) in xs.flat_map(|x| ys.clone().map(move |y| (x, y))) {
                let crossing = Crossing::between(&df, (source, destination), middle, [x, y]);
                let way = Way { crossing, through, ways };
                if returns || !way.returns() {
                    each(&way);
                }
            }
        }
    }
}

/// What the set draws for one pair: how many routes, each counted once; the sum of the ways' weights;
/// and of their hops by weight.
pub(super) fn sums(
    topology: &Topology,
    rule: (LegHops, bool),
    source: SwitchId,
    destination: SwitchId,
) -> (u64, f64, f64) {
    let (mut routes, mut weights, mut hops) = (0_u64, 0.0, 0.0);
    for_each_way(topology, rule, source, destination, |way| {
        routes += u64::from(!is_second(topology, rule.0, way, (source, destination)));
        weights += way.weight();
        hops += way.weight() * f64::from(way.hops());
    });
    (routes, weights, hops)
}

/// Whether the same route is also a walk over a switch of lower index that the set has.
fn is_second(
    topology: &Topology,
    legs: LegHops,
    way: &Way,
    (source, destination): (SwitchId, SwitchId),
) -> bool {
    let Crossing { v, w, middle, head, tail, .. } = way.crossing;
    let other = if way.through == v { w } else { v };
    if way.detour().is_some() || other >= way.through {
        return false;
    }
    let switch = topology.dragonfly().switch(middle, other);
    let first = 1 + u8::from(head) + u8::from(v != other);
    let second = 1 + u8::from(w != other) + u8::from(tail);
    let hops = |from, to| shortest_links(topology, from, to).map(|(hops, _)| hops);
    legs.contains(first, second)
        && hops(source, switch) == Some(first)
        && hops(switch, destination) == Some(second)
}
