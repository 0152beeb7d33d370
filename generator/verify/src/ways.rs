//! The VLB walks from one switch to another of a different group, by the fabric image alone.

use super::crossings::{FirstLink, links};
use super::dead::is_live;
use tvlb_schema::{
    Dragonfly, End, FabricImage, GlobalPort, GroupId, Keep, Level, Route, SetView, Shape, SwitchId,
    SwitchIndex,
};

/// A first and a second global link, whose local hops at both ends have links.
#[derive(Clone, Copy)]
pub(super) struct PairOfLinks {
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
pub(super) struct LinkWay {
    pub(super) pair: PairOfLinks,
    /// The switch that it goes through: w, if it makes no detour.
    pub(super) through: SwitchIndex,
}

/// All pairs of links from one switch to another, given the first links.
pub(super) fn pairs<'p, F: IntoIterator<Item = &'p FirstLink>>(
    fabric: &'p FabricImage<'_>,
    first: F,
    (from, to): (SwitchId, SwitchId),
) -> impl Iterator<Item = PairOfLinks> + use<'p, F> {
    let df = fabric.dragonfly();
    let ((own, here), (group, there)) = (df.place(from), df.place(to));
    let leaves = first.into_iter().filter(move |link| {
        link.middle != group && fabric.is_local_hop(own, here, df.split_port(link.x).0)
    });
    leaves.flat_map(move |&FirstLink { x, middle, v }| {
        links(fabric, middle, group).filter_map(move |(y, z)| {
            let (w, z) = (df.split_port(y).0, df.split_port(z).0);
            let (head, tail) = (df.split_port(x).0 != here, z != there);
            fabric.is_local_hop(group, z, there).then_some(PairOfLinks {
                x,
                middle,
                v,
                w,
                y,
                head,
                tail,
            })
        })
    })
}

/// All pairs of links from one switch to another, the second of which arrives at that itself: these are few.
pub(super) fn pairs_into<'p>(
    fabric: &'p FabricImage<'_>,
    (from, to): (SwitchId, SwitchId),
) -> impl Iterator<Item = PairOfLinks> + use<'p> {
    let df = fabric.dragonfly();
    let ((own, here), (group, there)) = (df.place(from), df.place(to));
    let arrives = (0..df.h()).filter_map(move |slot| {
        let slot = u16::try_from(slot).expect("a slot fits 16 bits");
        let end = End { group, port: df.global_port(there, slot) };
        fabric.peer(end).filter(|_| is_live(fabric, end))
    });
    arrives.flat_map(move |End { group: middle, port: y }| {
        links(fabric, own, middle).filter_map(move |(x, v)| {
            let (u, v, w) = (df.split_port(x).0, df.split_port(v).0, df.split_port(y).0);
            let pair = PairOfLinks { x, middle, v, w, y, head: u != here, tail: false };
            fabric.is_local_hop(own, here, u).then_some(pair)
        })
    })
}

impl PairOfLinks {
    /// Whether walks over it have as many hops before x and after y as those of a shape.
    pub(super) fn has_ends_of(&self, shape: Shape) -> bool {
        (self.head, self.tail) == (shape.head() > 0, shape.tail() > 0)
    }

    /// Whether the hops in the intermediate group through one of its switches have links.
    fn is_over(&self, fabric: &FabricImage<'_>, switch: SwitchIndex) -> bool {
        let is_hop = |from, to| fabric.is_local_hop(self.middle, from, to);
        is_hop(self.v, switch) && is_hop(switch, self.w)
    }

    /// The walk over both links without a third switch in the intermediate group, if its hop there has a link.
    pub(super) fn straight(self, fabric: &FabricImage<'_>) -> Option<LinkWay> {
        self.is_over(fabric, self.w).then_some(LinkWay { pair: self, through: self.w })
    }

    /// The walks over both links, through each switch of the intermediate group. A walk of one hop there goes through
    /// both of the hop's ends.
    pub(super) fn by_switch<'f>(
        self,
        fabric: &'f FabricImage<'_>,
    ) -> impl Iterator<Item = (SwitchIndex, LinkWay)> + use<'f> {
        let switches = fabric.dragonfly().indices(self.middle);
        switches.filter(move |&switch| self.is_over(fabric, switch)).map(move |switch| {
            let through = if switch == self.v { self.w } else { switch };
            (switch, LinkWay { pair: self, through })
        })
    }

    /// The walks over both links, without repetition.
    pub(super) fn ways<'f>(
        self,
        fabric: &'f FabricImage<'_>,
    ) -> impl Iterator<Item = LinkWay> + use<'f> {
        let is_way =
            move |&r: &SwitchIndex| (r != self.v || r == self.w) && self.is_over(fabric, r);
        let through = fabric.dragonfly().indices(self.middle).filter(is_way);
        through.map(move |through| LinkWay { pair: self, through })
    }

    /// The hops of both legs of a walk over a switch of the intermediate group.
    pub(super) fn legs(&self, switch: SwitchIndex) -> [u8; 2] {
        let hops = |ends: [bool; 2]| 1 + ends.map(u8::from).iter().sum::<u8>();
        [hops([self.head, self.v != switch]), hops([self.w != switch, self.tail])]
    }
}

impl LinkWay {
    /// Whether it goes from v to another switch and back, as conventional VLB draws some walks.
    pub(super) fn returns(&self) -> bool {
        self.pair.v == self.pair.w && self.through != self.pair.w
    }

    pub(super) fn shape(&self) -> Shape {
        let PairOfLinks { v, w, head, tail, .. } = self.pair;
        let mid = if self.through == w { u8::from(v != w) } else { 2 };
        Shape::of_walk(head, mid, tail)
    }

    pub(super) fn route(&self) -> Route {
        let PairOfLinks { x, y, w, .. } = self.pair;
        Route { x, y, detour: (self.through != w).then_some(self.through) }
    }

    /// Whether a set keeps its route, after the image's thinning.
    pub(super) fn is_kept(
        &self,
        df: &Dragonfly,
        set: &SetView<'_>,
        (from, to): (SwitchId, SwitchId),
    ) -> bool {
        let (shape, rule) = (self.shape(), set.rule());
        let keep = rule.keep_of(shape);
        if keep == Keep::NONE {
            return false;
        }
        let (route, level) = (self.route(), set.level(self.pair.x));
        let is_whole = keep == Keep::ALL && level == Level::ALL;
        is_whole || rule.keeps_at(level, shape, route.key(df, from, to))
    }
}
