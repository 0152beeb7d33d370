//! The VLB walks from one switch to another of a different group, by the fabric image alone.

use super::crossings::{FirstLink, links};
use tvlb_schema::{FabricImage, GlobalPort, GroupId, Route, Shape, SwitchId, SwitchIndex};

/// A first and a second global link, whose local hops at both ends have links.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) x: GlobalPort,
    pub(super) middle: GroupId,
    /// The switches at which x arrives and which y leaves.
    pub(super) v: SwitchIndex,
    pub(super) w: SwitchIndex,
    pub(super) y: GlobalPort,
    /// Whether there are hops before x and after y.
    head: bool,
    tail: bool,
}

/// A walk over a pair of links.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) pair: Pair,
    /// The switch that it goes through: w, if it makes no detour.
    pub(super) through: SwitchIndex,
}

/// All pairs of links from one switch to another, the first of which are given.
pub(super) fn pairs<'p>(
    fabric: &'p FabricImage<'_>,
    first: &'p [FirstLink],
    (from, to): (SwitchId, SwitchId),
) -> impl Iterator<Item = Pair> + use<'p> {
    let df = fabric.dragonfly();
    let ((own, here), (group, there)) = (df.place(from), df.place(to));
    let leaves = first.iter().filter(move |link| {
        link.middle != group && fabric.is_local_hop(own, here, df.split_port(link.x).0)
    });
    leaves.flat_map(move |&FirstLink { x, middle, v }| {
        links(fabric, middle, group).filter_map(move |(y, z)| {
            let (w, z) = (df.split_port(y).0, df.split_port(z).0);
            let (head, tail) = (df.split_port(x).0 != here, z != there);
            fabric.is_local_hop(group, z, there).then_some(Pair { x, middle, v, w, y, head, tail })
        })
    })
}

impl Pair {
    /// The walks over both links, over each switch of the intermediate group but v.
    pub(super) fn ways<'f>(
        self,
        fabric: &'f FabricImage<'_>,
    ) -> impl Iterator<Item = Way> + use<'f> {
        let Self { middle, v, w, .. } = self;
        let is_hop = move |from, to| fabric.is_local_hop(middle, from, to);
        let is_way = move |&r: &SwitchIndex| (r != v || r == w) && is_hop(v, r) && is_hop(r, w);
        let through = fabric.dragonfly().indices(middle).filter(is_way);
        through.map(move |through| Way { pair: self, through })
    }
}

impl Way {
    /// Whether it goes from v to another switch and back, as conventional VLB draws some walks.
    pub(super) fn returns(&self) -> bool {
        self.pair.v == self.pair.w && self.through != self.pair.w
    }

    pub(super) fn shape(&self) -> Shape {
        let Pair { v, w, head, tail, .. } = self.pair;
        let mid = if self.through == w { u8::from(v != w) } else { 2 };
        Shape::of_walk(head, mid, tail)
    }

    pub(super) fn route(&self) -> Route {
        let Pair { x, y, w, .. } = self.pair;
        Route { x, y, detour: (self.through != w).then_some(self.through) }
    }
}
