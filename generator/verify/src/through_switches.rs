//! The draws of a set of intermediate switches between the switches of two groups, by the fabric image alone: how many
//! routes, and how long its walks are.
//!
//! Each switch of the two groups has a row of its shortest legs, and a pair is counted switch by switch from two rows,
//! without a list of its walks. [`super::by_switch`] lists them from the same rows, if all paths are walked. The
//! topology crate counts in another way: verification must not share an error with the code that it verifies.

use super::crossings::{FirstLink, links};
use tvlb_schema::{Dragonfly, FabricImage, GroupId, LegHops, SwitchId, SwitchIndex};

/// The shortest legs between a switch and all others, by their number.
pub(super) struct LegRow {
    /// The hops of a leg, 1 to 3; 0 if there is none.
    hops: Vec<u8>,
    /// The number of links over which there is one.
    links: Vec<u16>,
}

impl LegRow {
    /// Those of a group's switches, by index.
    pub(super) fn of_group(fabric: &FabricImage<'_>, group: GroupId) -> Vec<Self> {
        let switches = fabric.dragonfly().switches_in(group);
        switches.map(|switch| Self::of(fabric, switch)).collect()
    }

    pub(super) fn of(fabric: &FabricImage<'_>, switch: SwitchId) -> Self {
        let df = fabric.dragonfly();
        let numbers = df.switch_numbers() as usize;
        let mut row = Self { hops: vec![0; numbers], links: vec![0; numbers] };
        let (own, here) = df.place(switch);
        for group in df.groups().filter(|&group| group != own) {
            for (leaves, arrives) in links(fabric, own, group) {
                let (u, v) = (df.split_port(leaves).0, df.split_port(arrives).0);
                if !fabric.is_local_hop(own, here, u) {
                    continue;
                }
                for r in df.indices(group).filter(|&r| fabric.is_local_hop(group, v, r)) {
                    row.note(df.switch(group, r), 1 + u8::from(u != here) + u8::from(r != v));
                }
            }
        }
        row
    }

    /// Adds one leg to a switch.
    fn note(&mut self, to: SwitchId, hops: u8) {
        let (least, links) = (&mut self.hops[to.as_usize()], &mut self.links[to.as_usize()]);
        if *least == 0 || hops < *least {
            (*least, *links) = (hops, 0);
        }
        *links += u16::from(hops == *least);
    }

    /// Whether the shortest legs to a switch have this many hops.
    pub(super) fn is(&self, to: SwitchId, hops: u8) -> bool {
        self.hops[to.as_usize()] == hops
    }

    /// The number of links over which there is a shortest leg to a switch.
    pub(super) fn links(&self, to: SwitchId) -> u32 {
        self.links[to.as_usize()].into()
    }
}

/// A link out of the source group and one into the destination group that share their third group.
struct LinksToThird {
    middle: GroupId,
    /// The switches that the first leaves and at which it arrives, and the same of the second.
    ends: [SwitchIndex; 4],
}

/// Two groups, and the legs of their switches.
pub(super) struct GroupPair<'f, 'i> {
    fabric: &'f FabricImage<'i>,
    df: Dragonfly,
    from: GroupId,
    to: GroupId,
    /// By index of the switch in its group.
    first: &'f [LegRow],
    second: Vec<LegRow>,
    links: Vec<LinksToThird>,
}

impl<'f, 'i> GroupPair<'f, 'i> {
    /// From a group, whose legs and outgoing links are given, to another.
    pub(super) fn new(
        fabric: &'f FabricImage<'i>,
        (from, first, leaving): (GroupId, &'f [LegRow], &[FirstLink]),
        to: GroupId,
    ) -> Self {
        let df = *fabric.dragonfly();
        let pairs = leaving.iter().filter(|link| link.middle != to).flat_map(|link| {
            let end = |port| df.split_port(port).0;
            links(fabric, link.middle, to).map(move |(y, z)| LinksToThird {
                middle: link.middle,
                ends: [end(link.x), link.v, end(y), end(z)],
            })
        });
        let links = pairs.collect();
        Self { fabric, df, from, to, first, second: LegRow::of_group(fabric, to), links }
    }

    /// A switch of the source group, and its set: which switches, and whether walks return.
    pub(super) fn source(
        &self,
        own: SwitchIndex,
        set: (LegHops, bool),
    ) -> SourceSwitch<'_, 'f, 'i> {
        // With each pair of numbers of hops a set includes all smaller ones.
        let most = [0, 1, 2, 3].map(|first| {
            (1..=3).filter(|&second| first > 0 && set.0.contains(first, second)).max().unwrap_or(0)
        });
        let row = &self.first[usize::from(own.0)];
        let most = row.hops.iter().map(|&hops| most[usize::from(hops)]).collect();
        SourceSwitch { between: self, own, set, row, most }
    }
}

/// One switch of the source group with one set.
pub(super) struct SourceSwitch<'b, 'f, 'i> {
    between: &'b GroupPair<'f, 'i>,
    own: SwitchIndex,
    set: (LegHops, bool),
    row: &'b LegRow,
    /// By number of an intermediate switch, the most hops of the second leg with which the set includes it; 0 if it
    /// does not.
    most: Vec<u8>,
}

impl SourceSwitch<'_, '_, '_> {
    /// How many routes the set draws to a switch of the destination group, each counted once, and their mean hops as
    /// drawn; 0 if there are none.
    pub(super) fn routes_and_hops(&self, there: SwitchIndex) -> (u64, f64) {
        let second = &self.between.second[usize::from(there.0)];
        let (mut routes, switches, hops) = self.by_switch(second);
        let (mut switches, mut hops) = (f64::from(switches), f64::from(hops));
        for links in &self.between.links {
            let [u, v, w, z] = links.ends;
            let (head, tail) = (1 + u8::from(u != self.own), 1 + u8::from(z != there));
            if v != w {
                let is_twice = self.set.0.contains(head, tail + 1)
                    && self.set.0.contains(head + 1, tail)
                    && self.is_twice(second, links, (head, tail))
                    && self.has_ends(links, there);
                routes -= u64::from(is_twice);
            } else if !self.set.1 && self.set.0.contains(head + 1, tail + 1) {
                if !self.has_ends(links, there) {
                    continue;
                }
                for ways in self.coming_back(second, links, (head, tail)) {
                    routes -= 1;
                    switches -= 1.0 / f64::from(ways);
                    hops -= f64::from(head + tail + 2) / f64::from(ways);
                }
            }
        }
        (routes, if routes > 0 { hops / switches } else { 0.0 })
    }

    /// Routes, intermediate switches and the hops of a walk over each, counted as if all returning walks were drawn,
    /// and with a route counted for each switch by which it is drawn.
    fn by_switch(&self, second: &LegRow) -> (u64, u32, u32) {
        let (mut routes, mut switches, mut hops) = (0, 0, 0);
        let firsts = self.row.hops.iter().zip(&self.row.links).zip(&self.most);
        let seconds = second.hops.iter().zip(&second.links);
        for (((&one, &xs), &most), (&two, &ys)) in firsts.zip(seconds) {
            let is_drawn = two != 0 && two <= most;
            switches += u32::from(is_drawn);
            hops += if is_drawn { u32::from(one + two) } else { 0 };
            routes += if is_drawn { u64::from(xs) * u64::from(ys) } else { 0 };
        }
        (routes, switches, hops)
    }

    /// Whether the hops in the source and the destination group have links.
    fn has_ends(&self, links: &LinksToThird, there: SwitchIndex) -> bool {
        let GroupPair { fabric, from, to, .. } = self.between;
        let [u, _, _, z] = links.ends;
        fabric.is_local_hop(*from, self.own, u) && fabric.is_local_hop(*to, z, there)
    }

    /// Whether the route over two links is drawn both by the switch at which the first arrives and by the one that the
    /// second leaves. Hops before the one and after the other include the links.
    fn is_twice(&self, second: &LegRow, links: &LinksToThird, (head, tail): (u8, u8)) -> bool {
        let LinksToThird { middle, ends: [_, v, w, _] } = *links;
        let switch = |index| self.between.df.switch(middle, index);
        self.row.is(switch(v), head)
            && second.is(switch(v), tail + 1)
            && self.row.is(switch(w), head + 1)
            && second.is(switch(w), tail)
            && self.between.fabric.is_local_hop(middle, v, w)
    }

    /// For each switch to which a walk over two links goes and straight back, in how many ways it is reached.
    fn coming_back(
        &self,
        second: &LegRow,
        links: &LinksToThird,
        (head, tail): (u8, u8),
    ) -> impl Iterator<Item = u32> {
        let LinksToThird { middle, ends: [_, v, ..] } = *links;
        let GroupPair { fabric, df, .. } = self.between;
        df.indices(middle).filter_map(move |r| {
            let switch = df.switch(middle, r);
            // There are shorter legs to the switch at which both links end.
            let is_drawn = self.row.is(switch, head + 1)
                && second.is(switch, tail + 1)
                && fabric.is_local_hop(middle, v, r);
            is_drawn.then(|| self.row.links(switch) * second.links(switch))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::by_switch::{Through, routes_and_hops, walks};
    use super::super::crossings::{Crossings, Unlinked, first_links, tests::with_dead_parts};
    use super::*;

    #[test]
    fn pairs_are_counted_as_their_walks_are() {
        let within = |first, second| LegHops::within(first, second).unwrap();
        let legs = [within(2, 3), within(3, 3), within(1, 2).or(within(2, 1)), within(3, 1)];
        with_dead_parts(|_, image| {
            let df = image.dragonfly();
            let unlinked = Unlinked::of(image);
            let mut crossings = Crossings::new(df, &unlinked);
            for from in df.groups() {
                let (rows, leaving) = (LegRow::of_group(image, from), first_links(image, from));
                for to in df.groups().filter(|&to| to != from) {
                    let between = GroupPair::new(image, (from, &rows, &leaving), to);
                    crossings.count(image, &leaving, to, &()).unwrap();
                    for (own, there) in
                        df.indices(from).flat_map(|own| df.indices(to).map(move |to| (own, to)))
                    {
                        let pair = (df.switch(from, own), df.switch(to, there));
                        let listed = routes_and_hops(&walks(image, &leaving, Through::Any, pair));
                        let found = crossings.triples((from, own), (to, there));
                        assert_eq!(found.0, listed.0, "{pair:?}");
                        assert!((found.1 - listed.1).abs() < 1e-9, "{pair:?}");
                    }
                    for set in legs.into_iter().flat_map(|legs| [(legs, false), (legs, true)]) {
                        for own in df.indices(from) {
                            let counted = between.source(own, set);
                            for there in df.indices(to) {
                                let pair = (df.switch(from, own), df.switch(to, there));
                                let through = Through::Shortest(set.0, set.1);
                                let listed =
                                    routes_and_hops(&walks(image, &leaving, through, pair));
                                let found = counted.routes_and_hops(there);
                                assert_eq!(found.0, listed.0, "{pair:?} {set:?}");
                                assert!((found.1 - listed.1).abs() < 1e-9, "{pair:?} {set:?}");
                            }
                        }
                    }
                }
            }
        });
    }
}
