//! The shortest legs between one switch and all others, as bits, and the draws of a set of intermediate switches for a
//! pair of switches: counted from the legs of both, without examining each walk.
//!
//! A switch takes 4 bits or more for each other one, so that all legs of a fabric fit in memory and a pair takes some
//! steps for every 64 switches. [`super::ways`] computes the same straight from the definition.

use super::chances::real;
use crate::Topology;
use rayon::prelude::*;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_schema::{GroupId, LegHops, SwitchId, SwitchIndex};

/// The shortest legs from one switch to every switch of another group. The same are the legs back: a cable
/// carries both ways.
#[derive(Clone, Debug)]
pub struct ShortestLegs {
    switch: SwitchId,
    /// By hops less one, of 1 to 3: a bit for each switch that is so far away.
    at: [Vec<u64>; 3],
    /// How many links lead to each switch by a shortest leg: of these numbers a bit each, the lowest first.
    links: Vec<Vec<u64>>,
    /// The links that the switch can leave its group by, by the group in which they end.
    ends: Vec<LegEnd>,
    /// Where those of each group begin in `ends`, and where the last ones end.
    starts: Vec<u32>,
}

/// The far ends of the links through which a switch can leave its group.
#[derive(Clone, Copy, Debug)]
struct LegEnd {
    at: SwitchIndex,
    /// The hops of the leg to that switch: 1, or 2 with a local hop before the link.
    hops: u8,
}

/// The draws of a set of intermediate switches for one pair of switches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DrawnThrough {
    /// Routes, each counted once.
    pub routes: u64,
    /// How many of its intermediate switches a pair can draw: where walks that come back are not drawn, a
    /// switch counts as often as its other walks are drawn, given the switch.
    pub switches: f64,
    /// The hops of the walks, each weighed by how often it is drawn if a switch counts 1.
    pub hops: f64,
}

impl ShortestLegs {
    /// Those of one switch.
    pub fn of(topology: &Topology, switch: SwitchId) -> Self {
        let df = topology.dragonfly();
        let (own, here) = df.place(switch);
        // By switch the hops of its shortest legs, and how many links have one.
        let mut found: Vec<(u8, u16)> = vec![(u8::MAX, 0); df.switch_numbers() as usize];
        let (mut ends, mut starts) = (Vec::new(), vec![0]);
        for middle in df.group_numbers() {
            for link in topology.links(own, middle) {
                let (leaves, at) = (df.split_port(link.from).0, df.split_port(link.to).0);
                if !topology.is_local_hop(own, here, leaves) {
                    continue;
                }
                let end = LegEnd { at, hops: 1 + u8::from(leaves != here) };
                ends.push(end);
                let is_near = |&to: &SwitchIndex| topology.is_local_hop(middle, at, to);
                for to in df.indices(middle).filter(is_near) {
                    let hops = end.hops + u8::from(to != at);
                    let (least, links) = &mut found[df.switch(middle, to).as_usize()];
                    if hops < *least {
                        (*least, *links) = (hops, 0);
                    }
                    *links += u16::from(hops == *least);
                }
            }
            starts.push(u32::try_from(ends.len()).expect("at most as many as a group has ports"));
        }
        let words = found.len().div_ceil(64);
        let most = found.iter().map(|&(_, links)| links).max().unwrap_or(0);
        let mut at = std::array::from_fn(|_| vec![0; words]);
        let mut links = vec![vec![0; words]; (u16::BITS - most.leading_zeros()) as usize];
        for (number, &(hops, count)) in found.iter().enumerate().filter(|(_, found)| found.1 > 0) {
            let (word, bit) = (number / 64, number % 64);
            at[usize::from(hops) - 1][word] |= 1 << bit;
            for (plane, bits) in links.iter_mut().enumerate() {
                bits[word] |= u64::from(count >> plane & 1) << bit;
            }
        }
        Self { switch, at, links, ends, starts }
    }

    /// Those of all switches of a fabric, by number.
    ///
    /// # Errors
    /// The caller cancelled the work.
    pub fn of_all(topology: &Topology, progress: &dyn Progress) -> Result<Vec<Self>, Cancelled> {
        let numbers = (0..topology.dragonfly().switch_numbers()).into_par_iter();
        let legs = numbers.map(|number| {
            progress.check()?;
            Ok(Self::of(topology, SwitchId(u16::try_from(number).expect("at most 2¹⁶"))))
        });
        legs.collect()
    }

    /// How many switches of a group a set can draw by the hops of their first leg, if this is the source.
    pub fn reached(&self, topology: &Topology, legs: LegHops, group: GroupId) -> u64 {
        let switches = topology.dragonfly().switches_in(group);
        let is_first = |hops: u8| legs.contains(hops, 1);
        switches.filter(|&to| self.hops(to).is_some_and(is_first)).count() as u64
    }

    /// What a set draws from this switch to that of `other`, which is of another group, and whether it
    /// draws walks that come back.
    pub fn drawn(
        &self,
        other: &Self,
        topology: &Topology,
        (legs, returns): (LegHops, bool),
    ) -> DrawnThrough {
        let mut drawn = self.drawn_by_switch(other, legs);
        let df = topology.dragonfly();
        let (from, to) = (df.place(self.switch).0, df.place(other.switch).0);
        for middle in df.groups().filter(|&middle| middle != from && middle != to) {
            for &x in self.ends_in(middle) {
                for &y in other.ends_in(middle) {
                    let (first, second) = (x.hops, y.hops);
                    if x.at != y.at {
                        let may_be_twice = legs.contains(first, second + 1)
                            && legs.contains(first + 1, second)
                            && self.is_twice(other, topology, (middle, x, y));
                        drawn.routes -= u64::from(may_be_twice);
                    } else if !returns && legs.contains(first + 1, second + 1) {
                        self.leave_out_returns(other, topology, (middle, x, y), &mut drawn);
                    }
                }
            }
        }
        // Nothing is left of parts that were taken from a whole one by one.
        if drawn.routes > 0 { drawn } else { DrawnThrough::default() }
    }

    /// The same with all walks that come back, and with a route counted for each switch that it is drawn by.
    fn drawn_by_switch(&self, other: &Self, legs: LegHops) -> DrawnThrough {
        let (mut routes, mut switches, mut hops) = (0, 0, 0);
        for word in 0..self.at[0].len() {
            let mut drawn = 0;
            for (first, one) in (1..).zip(&self.at) {
                for (second, two) in (1..).zip(&other.at) {
                    if legs.contains(first, second) {
                        let bits = one[word] & two[word];
                        drawn |= bits;
                        hops += u64::from(bits.count_ones()) * u64::from(first + second);
                    }
                }
            }
            switches += u64::from(drawn.count_ones());
            for (one, xs) in self.links.iter().enumerate() {
                for (two, ys) in other.links.iter().enumerate() {
                    let bits = drawn & xs[word] & ys[word];
                    routes += u64::from(bits.count_ones()) << (one + two);
                }
            }
        }
        DrawnThrough { routes, switches: real(switches), hops: real(hops) }
    }

    fn has(bits: &[u64], switch: SwitchId) -> bool {
        bits[switch.as_usize() / 64] >> (switch.as_usize() % 64) & 1 == 1
    }

    /// The hops to a switch; `None` if no leg leads there.
    fn hops(&self, to: SwitchId) -> Option<u8> {
        (1..).zip(&self.at).find(|(_, at)| Self::has(at, to)).map(|(hops, _)| hops)
    }

    /// The links that lead to a switch by a shortest leg.
    fn links_to(&self, to: SwitchId) -> u32 {
        let bits = self.links.iter().enumerate();
        bits.map(|(plane, bits)| u32::from(Self::has(bits, to)) << plane).sum()
    }

    fn ends_in(&self, group: GroupId) -> &[LegEnd] {
        let start = |group: usize| self.starts[group] as usize;
        &self.ends[start(group.as_usize())..start(group.as_usize() + 1)]
    }

    /// Whether the route over two links that end at different switches is drawn by either of these. Then
    /// the first leads to the one, too, by a shortest leg: a shorter one would go on to the other.
    fn is_twice(
        &self,
        other: &Self,
        topology: &Topology,
        (middle, x, y): (GroupId, LegEnd, LegEnd),
    ) -> bool {
        let df = topology.dragonfly();
        let (v, w) = (df.switch(middle, x.at), df.switch(middle, y.at));
        self.hops(w) == Some(x.hops + 1)
            && other.hops(v) == Some(y.hops + 1)
            && topology.is_local_hop(middle, x.at, y.at)
    }

    /// Takes away the walks over two links that end at the same switch, and over another switch between.
    fn leave_out_returns(
        &self,
        other: &Self,
        topology: &Topology,
        (middle, x, y): (GroupId, LegEnd, LegEnd),
        drawn: &mut DrawnThrough,
    ) {
        let df = topology.dragonfly();
        // A leg to the switch at which both end is shorter than these.
        for through in df.indices(middle) {
            let switch = df.switch(middle, through);
            let (first, second) = (x.hops + 1, y.hops + 1);
            let is_drawn = self.hops(switch) == Some(first)
                && other.hops(switch) == Some(second)
                && topology.is_local_hop(middle, x.at, through);
            if is_drawn {
                let ways = self.links_to(switch) * other.links_to(switch);
                drawn.routes -= 1;
                drawn.switches -= 1.0 / f64::from(ways);
                drawn.hops -= f64::from(first + second) / f64::from(ways);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ways::{by_switch, shortest_links};
    use super::super::wirings;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_set_draws_the_walks_of_its_definition(
            topology in wirings::any(),
            (low, more) in ((1_u8..=3, 1_u8..=3), (1_u8..=3, 1_u8..=3)),
            returns in any::<bool>(),
        ) {
            let within = |(first, second)| LegHops::within(first, second).unwrap();
            let set = within(low).or(within(more));
            let all = ShortestLegs::of_all(&topology, &()).unwrap();
            for (s, d) in wirings::inter_group_pairs(&topology) {
                let (mut routes, mut switches, mut hops) = (BTreeSet::new(), 0.0, 0.0);
                for way in by_switch(&topology, (set, returns), s, d) {
                    routes.insert(way.route());
                    switches += way.weight();
                    hops += way.weight() * f64::from(way.hops());
                }
                let drawn = all[s.as_usize()].drawn(&all[d.as_usize()], &topology, (set, returns));
                prop_assert_eq!(drawn.routes, routes.len() as u64);
                prop_assert!((drawn.switches - switches).abs() < 1e-9);
                prop_assert!((drawn.hops - hops).abs() < 1e-9);
                if routes.is_empty() {
                    prop_assert_eq!(drawn, DrawnThrough::default());
                }
            }
        }

        #[test]
        fn a_set_reaches_the_switches_within_its_first_leg(
            topology in wirings::any(),
            first in 1_u8..=3,
        ) {
            let df = topology.dragonfly();
            let set = LegHops::within(first, 3).unwrap();
            for source in df.switches() {
                let legs = ShortestLegs::of(&topology, source);
                for group in df.groups().filter(|&group| group != df.place(source).0) {
                    let hops = |to| shortest_links(&topology, source, to).map(|(hops, _)| hops);
                    let near = df.switches_in(group).filter_map(hops).filter(|&hops| hops <= first);
                    prop_assert_eq!(legs.reached(&topology, set, group), near.count() as u64);
                }
            }
        }
    }
}
