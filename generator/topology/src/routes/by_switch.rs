//! The walks of a set that is drawn by intermediate switch, for one pair of switches, straight from
//! the definition: a switch that the set has, one of the shortest links to it, and one of the shortest
//! links on from it.
//!
//! A leg is a minimal path between two switches of different groups of which each local hop has a link;
//! the shortest links are those whose legs have the fewest hops.

use crate::crossings::Crossing;
use crate::{Link, Topology};
use tvlb_schema::{DrawRule, GroupId, LegHops, Route, SetRule, Shape, SwitchId, SwitchIndex};

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

/// The walks over intermediate switches that a set draws from one switch to another of a different group; `None`
/// of a set that is drawn by route or by shape.
pub fn ways_of(
    topology: &Topology,
    rule: &SetRule,
    source: SwitchId,
    destination: SwitchId,
) -> Option<Vec<Way>> {
    match rule.draw {
        DrawRule::BySwitch { legs, returns } => {
            Some(ways(topology, (legs, returns), source, destination).collect())
        }
        DrawRule::ByTriple => Some(triple_ways(topology, source, destination).collect()),
        DrawRule::ByRoute | DrawRule::ByShape { .. } => None,
    }
}

/// The walks of all triples from one switch to another of a different group, each drawn as often as any other.
fn triple_ways(
    topology: &Topology,
    source: SwitchId,
    destination: SwitchId,
) -> impl Iterator<Item = Way> {
    let df = *topology.dragonfly();
    topology.crossings(source, destination).flat_map(move |crossing| {
        let Crossing { middle, v, w, .. } = crossing;
        let is_hop = move |from, to| topology.is_local_hop(middle, from, to);
        let linked = move |&r: &SwitchIndex| is_hop(v, r) && is_hop(r, w);
        df.indices(middle).filter(linked).map(move |through| Way { crossing, through, ways: 1 })
    })
}

/// The walks that a set draws from one switch to another of a different group, by intermediate switch. A
/// route without a detour can be two walks, over either of its ends in the middle.
pub fn ways(
    topology: &Topology,
    (legs, returns): (LegHops, bool),
    source: SwitchId,
    destination: SwitchId,
) -> impl Iterator<Item = Way> {
    let df = *topology.dragonfly();
    let (from, to) = (df.place(source).0, df.place(destination).0);
    let middles = df.groups().filter(move |&group| group != from && group != to);
    let each = middles.flat_map(move |middle| df.indices(middle).map(move |index| (middle, index)));
    let ways = each.flat_map(move |(middle, through)| {
        let switch = df.switch(middle, through);
        let first = shortest_links(topology, source, switch);
        let both = first.zip(shortest_links(topology, switch, destination));
        let drawn = both.filter(|((first, _), (second, _))| legs.contains(*first, *second));
        drawn.into_iter().flat_map(move |((_, xs), (_, ys))| {
            let ways = u32::try_from(xs.clone().count() * ys.clone().count())
                .expect("two groups share at most 4096 links");
            let pairs = xs.flat_map(move |&x| ys.clone().map(move |&y| [x, y]));
            pairs.map(move |links| Way {
                crossing: Crossing::between(&df, (source, destination), middle, links),
                through,
                ways,
            })
        })
    });
    ways.filter(move |way| returns || !way.returns())
}
