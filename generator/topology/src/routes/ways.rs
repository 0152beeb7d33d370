//! The VLB walks from one switch to another of a different group, straight from their definition.
//!
//! A walk is a [`Crossing`], that is a first and a second global link x = (u→v) and y = (w→z), and a switch r of the
//! intermediate group through which it goes from v to w. It walks \[S→u\] x \[v→r→w\] y \[z→D\], where r may be v or w.
//! Every hop needs a link: if two switches of a group have none, no walk goes from one to the other. The families of
//! VLB paths differ in which walks they have, and in how often each is drawn:
//!
//! - The *triples* (R, leg 1, leg 2) of conventional VLB are all walks, with r as R, and all are drawn equally. A
//!   direct hop from v to w is two walks, through either of its ends; and if v is w, a walk through another switch
//!   returns to v.
//! - The *routes* of a set are the walks that come to no switch twice, a direct hop from v to w counted once.
//! - A set of *intermediate switches* has the walks of which both legs have the fewest hops of all legs to and
//!   from r. First r is drawn, then the legs.
//!
//! This is the reference that faster ways to count, load and draw walks are tested against.

use super::walk::Walk;
use crate::crossings::Crossing;
use crate::{Link, Topology};
use tvlb_schema::{
    Dragonfly, DrawRule, GroupId, Keep, LegHops, Level, Route, SetRule, Shape, SwitchId,
    SwitchIndex,
};

/// A walk over an intermediate switch.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The links that it takes.
    pub crossing: Crossing,
    pub through: SwitchIndex,
    /// If the switch is drawn first, how many ways lead through it: each is drawn with the inverse probability, given
    /// the switch. Else 1.
    pub ways: u32,
}

impl Way {
    /// Local hops in the intermediate group: 0 to 2.
    #[inline]
    pub fn mid(&self) -> u8 {
        let Crossing { v, w, .. } = self.crossing;
        u8::from(v != self.through) + u8::from(self.through != w)
    }

    /// Hops from switch to switch: 2 to 6.
    pub fn hops(&self) -> u8 {
        2 + u8::from(self.crossing.head) + self.mid() + u8::from(self.crossing.tail)
    }

    /// Whether it goes from a switch to the intermediate one and at once back.
    #[inline]
    pub fn returns(&self) -> bool {
        self.crossing.v == self.crossing.w && self.mid() == 2
    }

    /// Whether it is the one walk of its route, and comes to no switch twice.
    #[inline]
    pub fn is_route(&self) -> bool {
        let Crossing { v, w, .. } = self.crossing;
        self.through == w || (v != w && self.through != v)
    }

    /// Its shape. A walk that comes back counts as one of two hops in the middle.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.crossing.shape(self.mid())
    }

    /// The switch to go through that is neither where the first link arrives nor where the second begins.
    #[inline]
    pub fn detour(&self) -> Option<SwitchIndex> {
        let Crossing { v, w, .. } = self.crossing;
        (self.through != v && self.through != w).then_some(self.through)
    }

    #[inline]
    pub fn route(&self) -> Route {
        let Crossing { x, y, .. } = self.crossing;
        Route { x: x.from, y: y.from, detour: self.detour() }
    }

    /// How often it is drawn, if each intermediate switch counts 1.
    pub fn weight(&self) -> f64 {
        1.0 / f64::from(self.ways)
    }

    /// The switches that it visits on its way from one switch to another.
    pub fn walk(&self, df: &Dragonfly, (source, destination): (SwitchId, SwitchId)) -> Walk {
        let Crossing { middle, u, v, w, z, .. } = self.crossing;
        let own = [(df.place(source).0, u), (middle, v), (middle, self.through), (middle, w)];
        let visited = own.into_iter().chain([(df.place(destination).0, z)]);
        let switches = visited.map(|(group, index)| df.switch(group, index));
        switches.fold(Walk::at(source), Walk::to).to(destination)
    }

    /// Whether a set keeps its route from one switch to another, if the source thins the set to these levels, one for
    /// each global port of its group; an empty list thins nothing.
    #[inline]
    pub fn is_kept(
        &self,
        df: &Dragonfly,
        (rule, levels): (&SetRule, &[Level]),
        (source, destination): (SwitchId, SwitchId),
    ) -> bool {
        let (route, shape) = (self.route(), self.shape());
        let level = levels.get(route.x.as_usize()).copied().unwrap_or_default();
        rule.keep_of(shape) != Keep::NONE
            && rule.keeps_at(level, shape, route.key(df, source, destination))
    }
}

impl Crossing {
    /// The walks over these two links: over w, over v, and over other switches by rising index.
    pub fn ways(self, topology: &Topology) -> impl Iterator<Item = Way> {
        let Self { middle, v, w, .. } = self;
        let is_linked = topology.is_local_hop(middle, v, w);
        let ends = [w, v].into_iter().skip(usize::from(v == w)).filter(move |_| is_linked);
        ends.chain(topology.relays(middle, v, w)).map(move |through| Way {
            crossing: self,
            through,
            ways: 1,
        })
    }
}

/// The walks of all triples from one switch to another: by rising intermediate group, then port x, then port y,
/// then in the order of [`Crossing::ways`]. None between switches of one group.
pub fn triples(
    topology: &Topology,
    source: SwitchId,
    destination: SwitchId,
) -> impl Iterator<Item = Way> {
    let df = topology.dragonfly();
    let (from, to) = (df.place(source).0, df.place(destination).0);
    df.groups()
        .filter(move |_| from != to)
        .flat_map(move |middle| topology.crossings_through(source, destination, middle))
        .flat_map(move |crossing| crossing.ways(topology))
}

/// All routes from one switch to another, each once, in the order of [`triples`].
pub fn routes(
    topology: &Topology,
    source: SwitchId,
    destination: SwitchId,
) -> impl Iterator<Item = Way> {
    triples(topology, source, destination).filter(Way::is_route)
}

/// The routes that the rule keeps, in the order of [`triples`].
pub fn kept(
    topology: &Topology,
    rule: &SetRule,
    source: SwitchId,
    destination: SwitchId,
) -> impl Iterator<Item = Way> {
    let df = topology.dragonfly();
    routes(topology, source, destination)
        .filter(move |way| way.is_kept(df, (rule, &[]), (source, destination)))
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
pub fn ways_of<'t>(
    topology: &'t Topology,
    rule: &SetRule,
    source: SwitchId,
    destination: SwitchId,
) -> Option<Box<dyn Iterator<Item = Way> + 't>> {
    match rule.draw {
        DrawRule::BySwitch { legs, returns } => {
            Some(Box::new(by_switch(topology, (legs, returns), source, destination)))
        }
        DrawRule::ByTriple => Some(Box::new(triples(topology, source, destination))),
        DrawRule::ByRoute | DrawRule::ByShape { .. } => None,
    }
}

/// The walks that a set draws from one switch to another of a different group, by intermediate switch. A
/// route without a detour can be two walks, over either of its ends in the middle.
pub fn by_switch(
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

#[cfg(test)]
mod tests;
