//! How many routes and triples a pair of switches has, without listing them.
//!
//! Choose S's or D's own links or all links of its group at either end, and the number of pairs (x, y) through a common
//! intermediate group is a sum of products of link counts; so is, with switches for groups, the number of pairs that
//! meet on a common intermediate *switch*. Each of these counts "at S" or "anywhere"; differences give the counts by
//! head and tail. Pairs that meet have no hop in the middle; each other pair has one route of one hop there and a − 2
//! of two, where a is the number of switches of the intermediate group. If groups differ in a, a second sum weights
//! each pair by a − 1 of its intermediate group.
//!
//! Exact for any wiring. The intermediate group need not be distinguished from the other two: no cable stays in its
//! group, so the products vanish there.
//!
//! If two switches of a group have no link between them, none of this holds, and all pairs (x, y) are tested one by
//! one.

mod by_source;
mod pairs;
mod runs;

pub use by_source::{GroupCounts, SourceCounts};

use super::triples::TripleCounts;
use crate::Topology;
use crate::crossings::Crossing;
use pairs::{ByEnds, ByWeight, PairWeight, Pairs, by_ends, shape_counts};
use rayon::prelude::*;
use runs::{LinkRun, LinkRuns, common};
use std::sync::Arc;
use tvlb_schema::End;
use tvlb_schema::{GroupId, Shape, SwitchId, SwitchIndex};

/// Link counts of a topology, and their sums for each pair of groups.
///
/// Takes 2 bytes for each switch and group, 12 for each two groups, and a few for each port.
///
/// # Example
/// ```
/// use tvlb_topology::routes::count::RouteCounter;
/// use tvlb_topology::arrangement::{Arrangement, arrange};
/// use tvlb_schema::{Dragonfly, SwitchId};
///
/// let topology = arrange(Dragonfly::new(4, 8, 4, 9)?, Arrangement::default(), 1)?;
/// let counter = RouteCounter::new(&topology);
/// // 896 triples (R, leg 1, leg 2) from switch 0 to 8, on fewer routes.
/// assert_eq!(counter.triples(SwitchId(0), SwitchId(8)).total(), 896);
/// let routes: u64 = counter.counts(SwitchId(0), SwitchId(8)).iter().sum();
/// assert!(routes < 896);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RouteCounter<'t> {
    topology: &'t Topology,
    /// Number of groups, g.
    groups: usize,
    /// Links from a switch to a group, by switch·g + group.
    switch_links: Vec<u16>,
    /// Links from a group to another, by group·g + group.
    group_links: Vec<u32>,
    /// Of all x and y between two groups, by group·g + group.
    anywhere: ByWeight<Vec<Pairs>>,
    /// Groups that each switch has links to, and how many.
    near_groups: LinkRuns,
    /// Switches that each switch has links to, and how many.
    near_switches: LinkRuns,
    /// How many other switches of its group are linked to each two, by (group·a + index)·a + index; empty if every two
    /// switches of a group are linked.
    thirds: Vec<u16>,
}

impl<'t> RouteCounter<'t> {
    /// Counts the links of a topology. Takes time in proportion to g³ + a·g·h².
    pub fn new(topology: &'t Topology) -> Self {
        let df = topology.dragonfly();
        let g = df.g() as usize;
        let a = df.a() as usize;
        let near_switches = LinkRuns::new(df, |s| peers(topology, s).collect());
        let near_groups =
            LinkRuns::new(df, |s| peers(topology, s).map(|s| df.place(SwitchId(s)).0.0).collect());
        let mut switch_links = vec![0; df.switch_numbers() as usize * g];
        let mut group_links = vec![0; g * g];
        for s in df.switches() {
            let number = s.as_usize();
            for run in near_groups.of(s) {
                switch_links[number * g + usize::from(run.near)] = run.links;
                group_links[number / a * g + usize::from(run.near)] += u32::from(run.links);
            }
        }
        let mut counter = Self {
            topology,
            groups: g,
            switch_links,
            group_links,
            anywhere: ByWeight { once: Vec::new(), by_others: None },
            near_groups,
            near_switches,
            thirds: Vec::new(),
        };
        if !topology.group_links().is_whole() {
            counter.thirds = thirds(topology);
        }
        counter.anywhere = counter.by_weight(|weight| counter.between_groups(weight));
        counter
    }

    /// Of all x and y between two groups, by group·g + group.
    fn between_groups(&self, weight: PairWeight) -> Vec<Pairs> {
        let (df, g) = (self.topology.dragonfly(), self.groups);
        let mut anywhere = vec![Pairs::default(); g * g];
        for (from, row) in anywhere.chunks_exact_mut(g).enumerate() {
            for middle in df.groups() {
                let weight = weight.of(self.topology, middle);
                let middle = middle.as_usize();
                let first = self.group_links[from * g + middle] * weight;
                let seconds = &self.group_links[middle * g..][..g];
                for (pairs, second) in row.iter_mut().zip(seconds) {
                    pairs.through += first * second;
                }
            }
        }
        for v in df.switches() {
            let weight = weight.of(self.topology, df.place(v).0);
            for first in self.near_groups.of(v) {
                for second in self.near_groups.of(v) {
                    let pair = usize::from(first.near) * g + usize::from(second.near);
                    let links = u32::from(first.links) * u32::from(second.links);
                    anywhere[pair].meeting += links * weight;
                }
            }
        }
        anywhere
    }

    /// The topology whose links are counted.
    pub fn topology(&self) -> &'t Topology {
        self.topology
    }

    /// The number of routes of each shape, by shape number; all 0 between switches of one group.
    ///
    /// Takes time in proportion to h, or to the pairs (x, y) if two switches of a group have no link.
    pub fn counts(&self, source: SwitchId, destination: SwitchId) -> [u64; Shape::COUNT] {
        let mut counts = [0; Shape::COUNT];
        if !self.topology.group_links().is_whole() {
            self.for_each_crossing(source, destination, |crossing, direct, thirds| {
                let meets = crossing.v == crossing.w;
                let by_mid = if meets { [1, 0, 0] } else { [0, u64::from(direct), thirds] };
                for (mid, count) in (0..).zip(by_mid) {
                    counts[crossing.shape(mid).number()] += count;
                }
            });
            return counts;
        }
        shape_counts(self.pairs(source, destination))
    }

    /// Each switch with the counts of all pairs that it is the source of, in the order of the switches.
    pub fn sources(&self) -> impl ParallelIterator<Item = SourceCounts<'_>> {
        let df = self.topology.dragonfly();
        let groups: Vec<GroupId> = df.groups().collect();
        groups.into_par_iter().flat_map(move |group| {
            let from = self.from_group(group);
            let sources: Vec<SwitchIndex> = df.indices(group).collect();
            sources.into_par_iter().map(move |index| from.source(index))
        })
    }

    /// The counts of all pairs whose source is in this group.
    ///
    /// The part that all pairs of one source, or of one source group, share is computed once, so that the counts of a
    /// pair take a few subtractions.
    pub fn from_group(&self, group: GroupId) -> GroupCounts<'_> {
        let at_destinations = self.by_weight(|weight| self.at_destinations(group, weight));
        GroupCounts { counter: self, group, at_destinations: Arc::new(at_destinations) }
    }

    /// For each switch as a destination: pairs of a link of its own and a first link of any switch of the
    /// group `from`, by number.
    fn at_destinations(&self, from: GroupId, weight: PairWeight) -> Vec<Pairs> {
        let df = self.topology.dragonfly();
        let mut at_destinations = vec![Pairs::default(); df.switch_numbers() as usize];
        for destination in df.switches() {
            at_destinations[destination.as_usize()] = self.at_one_end(destination, from, weight);
        }
        at_destinations
    }

    /// For each switch as a destination: pairs of a link of its own and one of the source's own, by number.
    fn at_both(&self, source: SwitchId, weight: PairWeight) -> Vec<Pairs> {
        let df = self.topology.dragonfly();
        let mut at_both = vec![Pairs::default(); df.switch_numbers() as usize];
        for first in self.near_groups.of(source) {
            let middle = GroupId(first.near);
            let links = u32::from(first.links) * weight.of(self.topology, middle);
            for w in df.switches_in(middle) {
                for second in self.near_switches.of(w) {
                    at_both[usize::from(second.near)].through += links * u32::from(second.links);
                }
            }
        }
        for first in self.near_switches.of(source) {
            let w = SwitchId(first.near);
            let links = u32::from(first.links) * weight.of(self.topology, df.place(w).0);
            for second in self.near_switches.of(w) {
                at_both[usize::from(second.near)].meeting += links * u32::from(second.links);
            }
        }
        at_both
    }

    /// The value for each way to count pairs (x, y) that this fabric needs.
    fn by_weight<T>(&self, of: impl Fn(PairWeight) -> T) -> ByWeight<T> {
        let is_even = self.topology.dragonfly().is_even();
        ByWeight {
            once: of(PairWeight::Once),
            by_others: (!is_even).then(|| of(PairWeight::Others)),
        }
    }

    /// The sums over the triples. Takes as long as [`Self::counts`].
    pub fn triples(&self, source: SwitchId, destination: SwitchId) -> TripleCounts {
        let df = self.topology.dragonfly();
        let mut counts = TripleCounts::default();
        let (group, here) = df.place(source);
        if group == df.place(destination).0 {
            let elsewhere = if self.topology.group_links().is_whole() {
                u64::from(df.switches_of(group).saturating_sub(2))
            } else {
                self.thirds(group, here, df.place(destination).1)
            };
            if source != destination {
                counts.by_legs[0][0] = elsewhere;
                counts.distinct_walks = elsewhere;
            }
            return counts;
        }
        if !self.topology.group_links().is_whole() {
            self.for_each_crossing(source, destination, |crossing, direct, thirds| {
                let (head, tail) = (usize::from(crossing.head), usize::from(crossing.tail));
                if crossing.v == crossing.w {
                    // R is where the links meet, or a switch next to it, and then the walk returns.
                    counts.by_legs[head][tail] += 1;
                    counts.by_legs[head + 1][tail + 1] += thirds;
                    counts.revisiting += thirds;
                    counts.distinct_walks += 1 + thirds;
                } else {
                    let direct = u64::from(direct);
                    counts.by_legs[head + 1][tail] += direct;
                    counts.by_legs[head][tail + 1] += direct;
                    counts.by_legs[head + 1][tail + 1] += thirds;
                    counts.distinct_walks += direct + thirds;
                }
            });
            return counts;
        }
        for (head, row) in self.pairs(source, destination).into_iter().enumerate() {
            for (tail, (pairs, by_others)) in row.into_iter().enumerate() {
                let (meeting, apart) = (u64::from(pairs.meeting), pairs.apart());
                let others = u64::from(by_others.meeting);
                let elsewhere = by_others.apart() - apart;
                // R is where the links meet, or any other switch, and then the walk returns.
                counts.by_legs[head][tail] += meeting;
                counts.by_legs[head + 1][tail + 1] += others;
                counts.revisiting += others;
                // R is where the second link leaves, where the first arrives, or neither. The
                // first two are the same walk.
                counts.by_legs[head + 1][tail] += apart;
                counts.by_legs[head][tail + 1] += apart;
                counts.by_legs[head + 1][tail + 1] += elsewhere;
                counts.distinct_walks += meeting + others + apart + elsewhere;
            }
        }
        counts
    }

    /// Calls for each pair (x, y) with links for the hops at its ends: whether a link joins the switches v and w where
    /// they enter and leave the intermediate group, and how many third switches are linked to both; if v is w, how many
    /// are linked to it.
    fn for_each_crossing(
        &self,
        source: SwitchId,
        destination: SwitchId,
        mut each: impl FnMut(&Crossing, bool, u64),
    ) {
        let df = self.topology.dragonfly();
        if df.place(source).0 == df.place(destination).0 {
            return;
        }
        for crossing in self.topology.crossings(source, destination) {
            let Crossing { middle, v, w, .. } = crossing;
            let direct = v == w || self.topology.links_within(middle, v, w) > 0;
            each(&crossing, direct, self.thirds(middle, v, w));
        }
    }

    /// How many other switches of a group are linked to both of two of it.
    fn thirds(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> u64 {
        let a = self.topology.dragonfly().a() as usize;
        self.thirds[(group.as_usize() * a + one.as_usize()) * a + other.as_usize()].into()
    }

    /// Pairs (x, y) by head and tail, each once and each as [`PairWeight::Others`] says; none between switches of one
    /// group.
    fn pairs(&self, source: SwitchId, destination: SwitchId) -> [[(Pairs, Pairs); 2]; 2] {
        self.with_others(self.by_weight(|weight| self.weighted(source, destination, weight)))
    }

    /// Pairs (x, y) by head and tail, each once, and each as [`PairWeight::Others`] says.
    fn with_others(&self, ends: ByWeight<ByEnds>) -> [[(Pairs, Pairs); 2]; 2] {
        let ByWeight { once, by_others } = ends;
        let others = self.topology.dragonfly().a() - 1;
        let by_others = by_others.unwrap_or_else(|| once.map(|row| row.map(|p| p.times(others))));
        std::array::from_fn(|head| {
            std::array::from_fn(|tail| (once[head][tail], by_others[head][tail]))
        })
    }

    fn weighted(&self, source: SwitchId, destination: SwitchId, weight: PairWeight) -> ByEnds {
        let df = self.topology.dragonfly();
        let (from, _) = df.place(source);
        let (to, _) = df.place(destination);
        if from == to {
            return [[Pairs::default(); 2]; 2];
        }
        let at_both = Pairs {
            through: common(
                self.near_groups.of(source),
                self.near_groups.of(destination),
                |group| weight.of(self.topology, GroupId(group)),
            ),
            meeting: common(
                self.near_switches.of(source),
                self.near_switches.of(destination),
                |switch| weight.of(self.topology, df.place(SwitchId(switch)).0),
            ),
        };
        by_ends(
            at_both,
            self.at_one_end(source, to, weight),
            self.at_one_end(destination, from, weight),
            self.anywhere.of(weight)[from.as_usize() * self.groups + to.as_usize()],
        )
    }

    /// Pairs of a link of this switch and a second link with an end at any switch of the group. Cables lead both ways,
    /// so this serves for either end.
    fn at_one_end(&self, switch: SwitchId, group: GroupId, weight: PairWeight) -> Pairs {
        let (df, group) = (self.topology.dragonfly(), group.as_usize());
        let weight = |middle: GroupId| weight.of(self.topology, middle);
        let onward = |run: &LinkRun| usize::from(run.near) * self.groups + group;
        let through = |run: &LinkRun| {
            let onward = self.group_links[onward(run)];
            u32::from(run.links) * onward * weight(GroupId(run.near))
        };
        let meeting = |run: &LinkRun| {
            let onward = u32::from(self.switch_links[onward(run)]);
            u32::from(run.links) * onward * weight(df.place(SwitchId(run.near)).0)
        };
        Pairs {
            through: self.near_groups.of(switch).iter().map(through).sum(),
            meeting: self.near_switches.of(switch).iter().map(meeting).sum(),
        }
    }
}

/// How many other switches of its group are linked to each two switches, and to each one alone.
fn thirds(topology: &Topology) -> Vec<u16> {
    let df = topology.dragonfly();
    let a = df.a() as usize;
    let mut thirds = vec![0; df.switch_numbers() as usize * a];
    for s in df.switches() {
        let (group, one) = df.place(s);
        for other in df.indices(group) {
            let count = topology.relays(group, one, other).count();
            thirds[s.as_usize() * a + other.as_usize()] =
                u16::try_from(count).expect("a group has at most 256 switches");
        }
    }
    thirds
}

/// The far switch of each cable of a switch, by rising port.
fn peers(topology: &Topology, switch: SwitchId) -> impl Iterator<Item = u16> {
    let df = topology.dragonfly();
    let (group, index) = df.place(switch);
    (0..).take(df.h() as usize).filter_map(move |slot| {
        let far = topology.peer(End::new(df, group, index, slot))?;
        Some(df.switch(far.group, df.split_port(far.port).0).0)
    })
}

#[cfg(test)]
mod tests {
    use super::super::{listed, ways, wirings};
    use super::*;
    use proptest::prelude::*;

    fn enumerated(topology: &Topology, s: SwitchId, d: SwitchId) -> [u64; Shape::COUNT] {
        let mut counts = [0; Shape::COUNT];
        for route in ways::routes(topology, s, d) {
            counts[route.shape().number()] += 1;
        }
        counts
    }

    #[test]
    fn counting_is_enumerating_for_every_pair() {
        for sizes in [[2, 4, 2, 9], [4, 8, 4, 9]] {
            let [p, a, h, g] = sizes;
            let topology = wirings::absolute(p, a, h, g);
            let counter = RouteCounter::new(&topology);
            for s in topology.dragonfly().switches() {
                for d in topology.dragonfly().switches() {
                    assert_eq!(
                        counter.counts(s, d),
                        enumerated(&topology, s, d),
                        "{sizes:?}, {s} to {d}"
                    );
                    assert_eq!(
                        counter.triples(s, d),
                        TripleCounts::of(listed::triples(&topology, s, d)),
                        "{sizes:?}, {s} to {d}"
                    );
                }
            }
        }
    }

    /// The counts from each source, in order.
    fn counted_by_source(counter: &RouteCounter<'_>) -> Vec<(SwitchId, Vec<[u64; Shape::COUNT]>)> {
        let switches = || counter.topology().dragonfly().switches();
        let counts = |from: SourceCounts<'_>| switches().map(|d| from.counts(d)).collect();
        counter.sources().map(|from| (from.source(), counts(from))).collect()
    }

    proptest! {
        #[test]
        fn counting_is_enumerating_on_any_wiring(topology in wirings::any()) {
            let counter = RouteCounter::new(&topology);
            let switches = || topology.dragonfly().switches();
            let pair_by_pair =
                switches().map(|s| (s, switches().map(|d| counter.counts(s, d)).collect()));
            prop_assert_eq!(counted_by_source(&counter), pair_by_pair.collect::<Vec<_>>());
            for s in topology.dragonfly().switches() {
                for d in topology.dragonfly().switches() {
                    prop_assert_eq!(counter.counts(s, d), enumerated(&topology, s, d));
                    prop_assert_eq!(
                        counter.triples(s, d),
                        TripleCounts::of(listed::triples(&topology, s, d))
                    );
                }
            }
        }
    }

    /// Mean triples of an inter-group pair by the hops of leg 1 and leg 2.
    fn mean_triples(topology: &Topology) -> [[f64; 3]; 3] {
        let counter = RouteCounter::new(topology);
        let pairs = wirings::inter_group_pairs(topology);
        let mut sum = [[0_u32; 3]; 3];
        for &(s, d) in &pairs {
            let counts = counter.triples(s, d);
            for (sum, count) in sum.iter_mut().flatten().zip(counts.by_legs.iter().flatten()) {
                *sum += u32::try_from(*count).unwrap();
            }
        }
        let pairs = f64::from(u32::try_from(pairs.len()).unwrap());
        sum.map(|row| row.map(|sum| f64::from(sum) / pairs))
    }

    #[test]
    fn mean_triples_by_legs_are_the_known_ones() {
        // By (1,1), (1,2), (1,3), (2,2), (2,3), (3,3), rounded half a unit up.
        let rounded = |means: [[f64; 3]; 3], digits: [i32; 6]| {
            let legs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
            let mut rounded = [0.0; 6];
            for ((place, (i, j)), digits) in rounded.iter_mut().zip(legs).zip(digits) {
                assert!((means[i][j] - means[j][i]).abs() < 1e-9);
                let unit = 10_f64.powi(digits);
                *place = (means[i][j] * unit).round() / unit;
            }
            rounded.map(|mean| mean.to_string()).join(" ")
        };
        let means = mean_triples(&wirings::absolute(2, 4, 2, 9));
        assert_eq!(rounded(means, [2; 6]), "0.06 0.56 1.13 3.75 6.19 8.44");
        let means = mean_triples(&wirings::absolute(4, 8, 4, 9));
        assert_eq!(rounded(means, [2, 2, 2, 2, 1, 1]), "0.19 2.88 10.94 41.75 151.4 523.7");
        let means = mean_triples(&wirings::absolute(4, 8, 4, 33));
        assert_eq!(rounded(means, [2, 2, 2, 1, 1, 1]), "0.05 0.77 3.06 11.4 42.1 144.7");
    }

    #[test]
    fn a_large_fabric_has_as_many_routes_as_its_sizes_say() {
        // Of the 25·13² pairs of links of a pair of groups, c meet, and each other makes 25 routes.
        let topology = wirings::absolute(13, 26, 13, 27);
        let counter = RouteCounter::new(&topology);
        let df = topology.dragonfly();
        for (s, d) in [(0, 26), (1, 700), (350, 13)].map(|(s, d)| (SwitchId(s), SwitchId(d))) {
            let from = df.place(s).0;
            let to = df.place(d).0;
            let mut meeting = 0;
            for v in df.switches() {
                let links =
                    |group| peers(&topology, v).filter(move |&p| df.place(SwitchId(p)).0 == group);
                meeting += links(from).count() * links(to).count();
            }
            let routes = meeting + (25 * 13 * 13 - meeting) * 25;
            assert_eq!(counter.counts(s, d).iter().sum::<u64>(), routes as u64);
        }
    }

    /// `cargo test --release -- --ignored --nocapture counting_every_pair` prints how long it takes.
    #[test]
    #[ignore = "a measurement"]
    fn counting_every_pair_of_dfly_13_26_13_27() {
        let topology = wirings::absolute(13, 26, 13, 27);
        let started = std::time::Instant::now();
        let counter = RouteCounter::new(&topology);
        let built = started.elapsed();
        let pairs = wirings::inter_group_pairs(&topology);
        let started = std::time::Instant::now();
        let routes: u64 = pairs.iter().flat_map(|&(s, d)| counter.counts(s, d)).sum();
        let took = started.elapsed();
        println!("{} pairs, {routes} routes: built in {built:?}, counted in {took:?}", pairs.len());
    }
}
