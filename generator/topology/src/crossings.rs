//! Crossings: the pairs of global links (x, y) over which VLB paths from one switch to another go through a third
//! group.
//!
//! All routes and triples over one crossing have the same ends: a local hop to the switch that x leaves, unless the
//! source is that switch, and one from the switch at which y arrives, unless the destination is that one. They differ
//! only in how they get from where x enters the intermediate group to where y leaves it. All counts of paths or of
//! their loads iterate over crossings. A pair (x, y) is not a crossing if one of the local hops at its ends has no
//! link.

use crate::{Link, Topology};
use tvlb_schema::End;
use tvlb_schema::{Dragonfly, GlobalPort, GroupId, Shape, SwitchId, SwitchIndex};

/// A first and a second global link of a pair of switches, with the local hops that they imply.
#[derive(Clone, Copy, Debug)]
pub struct Crossing {
    /// The link into the intermediate group.
    pub x: Link,
    /// The link out of the intermediate group.
    pub y: Link,
    pub middle: GroupId,
    /// The switch that x leaves.
    pub u: SwitchIndex,
    /// The switch at which x arrives.
    pub v: SwitchIndex,
    /// The switch that y leaves.
    pub w: SwitchIndex,
    /// The switch at which y arrives.
    pub z: SwitchIndex,
    /// Whether the source differs from `u`.
    pub head: bool,
    /// Whether the destination differs from `z`.
    pub tail: bool,
}

impl Crossing {
    /// From one switch to another by a link into the group `middle` and one out of it, whether or not the local hops at
    /// its ends have links.
    #[inline]
    pub fn between(
        df: &Dragonfly,
        (source, destination): (SwitchId, SwitchId),
        middle: GroupId,
        [x, y]: [Link; 2],
    ) -> Self {
        let (u, v) = (df.split_port(x.from).0, df.split_port(x.to).0);
        let (w, z) = (df.split_port(y.from).0, df.split_port(y.to).0);
        let (head, tail) = (u != df.place(source).1, z != df.place(destination).1);
        Self { x, y, middle, u, v, w, z, head, tail }
    }

    /// The shape of the routes over this crossing with this many hops in the intermediate group.
    #[inline]
    pub fn shape(&self, mid: u8) -> Shape {
        Shape::of_walk(self.head, mid, self.tail)
    }
}

impl Topology {
    /// The crossings of two switches of different groups, by the ports that x leaves and then y.
    #[inline]
    pub fn crossings(
        &self,
        source: SwitchId,
        destination: SwitchId,
    ) -> impl Iterator<Item = Crossing> {
        let df = self.dragonfly();
        let (from, to) = (df.place(source).0, df.place(destination).0);
        df.global_ports()
            .filter_map(move |port| {
                let End { group, port: arrives } = self.peer(End { group: from, port })?;
                (group != to).then_some((group, Link { from: port, to: arrives }))
            })
            .flat_map(move |(middle, x)| self.crossings_by(source, destination, middle, x))
    }

    /// The crossings of two switches of different groups for routes of one shape.
    ///
    /// Begins at an end that has the global link on its own switch, if there is one, so that few pairs of links are
    /// tried in vain.
    pub fn crossings_of(
        &self,
        pair: (SwitchId, SwitchId),
        shape: Shape,
    ) -> impl Iterator<Item = Crossing> {
        let df = self.dragonfly();
        let is_forward = shape.head() <= shape.tail();
        let (near, far) = if is_forward { pair } else { (pair.1, pair.0) };
        let (group, there) = df.place(far);
        self.links_at(near, shape.head().min(shape.tail())).flat_map(move |(middle, x)| {
            let all = self.links(middle, group);
            let seconds =
                if shape.mid() > 0 { all } else { links_of(df, all, df.split_port(x.to).0) };
            let crossings = seconds.iter().map(move |&y| {
                let links = if is_forward { [x, y] } else { [y.back(), x.back()] };
                (df.split_port(y.to).0, Crossing::between(df, pair, middle, links))
            });
            crossings.filter_map(move |(arrives, crossing)| {
                let is_shape = crossing.shape(shape.mid()) == shape;
                (is_shape && self.is_local_hop(group, arrives, there)).then_some(crossing)
            })
        })
    }

    /// The links out of a switch's group that are a local hop away from it, or none, and their groups.
    fn links_at(&self, switch: SwitchId, local: u8) -> impl Iterator<Item = (GroupId, Link)> {
        let df = self.dragonfly();
        let (group, here) = df.place(switch);
        let (first, [h, all]) = (df.global_port(here, 0).0.into(), [df.h(), df.ports_per_group()]);
        let own = first..first + h;
        let [low, high] = if local == 0 { [own, 0..0] } else { [0..own.start, own.end..all] };
        low.chain(high).filter_map(move |port| {
            let from = GlobalPort((port & 0xffff) as u16);
            let End { group: middle, port: to } = self.peer(End { group, port: from })?;
            let is_hop = self.is_local_hop(group, here, df.split_port(from).0);
            is_hop.then_some((middle, Link { from, to }))
        })
    }

    /// The crossings of two switches that go through one intermediate group, in the order of
    /// [`Self::crossings`].
    #[inline]
    pub fn crossings_through(
        &self,
        source: SwitchId,
        destination: SwitchId,
        middle: GroupId,
    ) -> impl Iterator<Item = Crossing> {
        let from = self.dragonfly().place(source).0;
        self.links(from, middle)
            .iter()
            .flat_map(move |&x| self.crossings_by(source, destination, middle, x))
    }

    /// The crossings of two switches that begin with the link `x` into the group `middle`.
    #[inline]
    fn crossings_by(
        &self,
        source: SwitchId,
        destination: SwitchId,
        middle: GroupId,
        x: Link,
    ) -> impl Iterator<Item = Crossing> {
        let df = self.dragonfly();
        let ((from, here), (to, there)) = (df.place(source), df.place(destination));
        let is_head = self.is_local_hop(from, here, df.split_port(x.from).0);
        let seconds = if is_head { self.links(middle, to) } else { &[] };
        seconds.iter().filter_map(move |&y| {
            let crossing = Crossing::between(df, (source, destination), middle, [x, y]);
            self.is_local_hop(to, crossing.z, there).then_some(crossing)
        })
    }
}

/// Those of the given links, by rising port, that leave one switch.
fn links_of<'l>(df: &Dragonfly, links: &'l [Link], switch: SwitchIndex) -> &'l [Link] {
    let leaves = |link: &Link| df.split_port(link.from).0;
    let start = links.partition_point(|link| leaves(link) < switch);
    let end = links.partition_point(|link| leaves(link) <= switch);
    &links[start..end]
}

#[cfg(test)]
mod tests {
    use crate::arrangement::{Arrangement, arrange};
    use crate::routes::count::RouteCounter;
    use tvlb_schema::{Dragonfly, Shape};

    /// Each crossing has one route without a hop in the middle, or one of one hop and a − 2 of two.
    #[test]
    fn crossings_have_as_many_routes_as_are_counted() {
        for arrangement in Arrangement::ALL {
            let df = Dragonfly::new(1, 4, 2, 7).unwrap();
            let topology = arrange(df, arrangement, 3).unwrap();
            let counter = RouteCounter::new(&topology);
            let others = |d| df.switches().filter(move |&s| df.place(s).0 != df.place(d).0);
            for destination in df.switches() {
                for source in others(destination) {
                    let mut counts = [0; Shape::COUNT];
                    for crossing in topology.crossings(source, destination) {
                        if crossing.v == crossing.w {
                            counts[crossing.shape(0).number()] += 1;
                        } else {
                            counts[crossing.shape(1).number()] += 1;
                            counts[crossing.shape(2).number()] += 2;
                        }
                    }
                    assert_eq!(counts, counter.counts(source, destination));
                    let by_group = df
                        .groups()
                        .flat_map(|k| topology.crossings_through(source, destination, k));
                    assert_eq!(by_group.count(), topology.crossings(source, destination).count());
                }
            }
        }
    }
}
