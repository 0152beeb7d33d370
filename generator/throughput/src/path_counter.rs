//! The loads of a flow's paths on the links, found by counting.
//!
//! A flow's paths fall into classes of one kind (MIN or VLB) and hop count; the model gives all
//! paths of a class one rate, so all that matters of a class is how many paths it has and how many
//! of them use each link. Whole shapes are counted per pair (x, y) of global links: the detours in
//! the middle, by far the most paths, follow from the numbers of pairs by where they enter and
//! leave the intermediate group. Only where a rule keeps a fraction is each route looked at, since
//! only its key can tell whether it is kept; and where two switches of a group share no link.
//!
//! Several links between two switches of a group count as one with the sum of their capacities. The unit of capacity is
//! a link of the fastest kind, which carries a flit per cycle.

use super::path_set::{Counting, PathSet};
use super::rule::Rule;
use super::sparse_counts::SparseCounts;
use tvlb_schema::{Dragonfly, GroupId, Keep, Route, SwitchId, SwitchIndex};
use tvlb_topology::Topology;
use tvlb_topology::crossings::Crossing;
use tvlb_topology::links::LinkNumbers;
use tvlb_topology::routes::minimal;

/// The paths of one flow, kind and hop count.
#[derive(Clone, Debug, PartialEq)]
pub struct PathClass {
    /// Whether the paths are VLB paths; MIN paths otherwise.
    pub is_vlb: bool,
    /// Switch to switch: 1 to 3 for MIN, or 5 if local hops have no link, 2 to 6 for VLB.
    pub hops: u8,
    /// How many there are; a whole number.
    pub paths: f64,
    /// For each link in use, by rising number, how many of the paths use it, divided by its capacity; whole numbers if
    /// that is 1.
    pub uses: Vec<(usize, f64)>,
}

/// MIN classes have 1 to 5 hops and come first; VLB classes have 2 to 6.
const CLASSES: usize = 10;
/// How many MIN classes there are.
const MIN_CLASSES: u8 = 5;

const fn min_class(hops: usize) -> usize {
    hops - 1
}

const fn vlb_class(hops: usize) -> usize {
    MIN_CLASSES as usize + hops - 2
}

/// Counts the paths of one flow after another, in buffers that it keeps.
///
/// The counts are whole numbers held as floating point, exact far beyond the largest Dragonfly
/// (at most (a·h)²·a < 2³³ paths a pair).
#[derive(Clone, Debug)]
pub struct PathCounter<'t> {
    topology: &'t Topology,
    df: Dragonfly,
    links: LinkNumbers,
    counting: Counting,
    paths: [f64; CLASSES],
    /// By class and link, how many paths use it. All zeros between two flows.
    uses: SparseCounts,
    /// For each hop count of paths with two hops in the middle (4, 5, 6): the pairs (x, y) by
    /// where x enters and y leaves the intermediate group.
    crossings: [Vec<f64>; 3],
    /// For each link, how many flits per cycle it carries; empty if each carries one.
    capacities: Vec<f64>,
}

impl<'t> PathCounter<'t> {
    pub fn new(topology: &'t Topology, counting: Counting) -> Self {
        let df = *topology.dragonfly();
        let links = LinkNumbers::new(df);
        let squares = (df.a() * df.a()) as usize;
        Self {
            topology,
            df,
            links,
            counting,
            paths: [0.0; CLASSES],
            uses: SparseCounts::new(CLASSES, links.count()),
            crossings: std::array::from_fn(|_| vec![0.0; squares]),
            capacities: links.capacities(topology),
        }
    }

    /// For each link number, how many flits per cycle its links carry; empty if each carries one.
    pub fn capacities(&self) -> &[f64] {
        &self.capacities
    }

    pub fn counting(&self) -> Counting {
        self.counting
    }

    /// The non-empty classes of one flow: MIN by rising hop count, then the set's VLB paths by
    /// rising hop count. None for a flow from a switch to itself.
    ///
    /// Within a group the VLB paths are the two-hop ones through its other switches; every set but
    /// `min` has them all.
    pub fn classes(
        &mut self,
        set: &PathSet,
        source: SwitchId,
        destination: SwitchId,
    ) -> Vec<PathClass> {
        self.paths.fill(0.0);
        let (from, to) = (self.df.place(source), self.df.place(destination));
        if from.0 == to.0 {
            self.within_group(set, from, to.1);
        } else {
            self.minimal(from, to);
            if !set.is_min_only() {
                for middle in self.df.groups().filter(|&k| k != from.0 && k != to.0) {
                    self.through(set, source, destination, middle);
                }
            }
        }
        self.taken()
    }

    /// The same with a VLB class for each intermediate switch, or, by [`Rule::ByPath`], for each path. The hops
    /// of a class are then the most of any of its paths.
    pub(super) fn classes_by_switch(
        &mut self,
        set: &PathSet,
        (source, destination): (SwitchId, SwitchId),
        rule: Rule,
    ) -> Vec<PathClass> {
        let mut classes = self.classes(set, source, destination);
        let (df, topology) = (self.df, self.topology);
        let ((group, from), (to, index)) = (df.place(source), df.place(destination));
        let has_vlb = classes.iter().any(|class| class.is_vlb);
        classes.retain(|class| !class.is_vlb);
        if group == to && has_vlb {
            for r in topology.relays(group, from, index) {
                self.paths[vlb_class(2)] = 1.0;
                self.add(vlb_class(2), self.links.local(group, from, r), 1.0);
                self.add(vlb_class(2), self.links.local(group, r, index), 1.0);
                classes.extend(self.taken_of(vlb_class(2), 2));
            }
        }
        let middles = df.groups().filter(|&k| group != to && has_vlb && k != group && k != to);
        for (middle, r) in middles.flat_map(|k| df.indices(k).map(move |r| (k, r))) {
            let mut most = 0;
            for crossing in topology.crossings_through(source, destination, middle) {
                let pair = CrossingEnds { crossing, source, destination };
                let Some(hops) = self.through_switch(set, &pair, r) else { continue };
                most = hops.max(most);
                if rule == Rule::ByPath {
                    classes.extend(self.taken_of(vlb_class(2), hops));
                }
            }
            classes.extend(self.taken_of(vlb_class(2), most));
        }
        classes
    }

    /// Counts the hops of the triple over a crossing through a switch of the intermediate group, if the set has it.
    fn through_switch(&mut self, set: &PathSet, pair: &CrossingEnds, r: SwitchIndex) -> Option<u8> {
        let Crossing { middle, v, w, .. } = pair.crossing;
        let mid = u8::from(v != r) + u8::from(r != w);
        let shape = pair.crossing.shape(mid);
        let is_hop = |one, other| one == other || self.topology.is_local_hop(middle, one, other);
        let is_counted = match (self.counting, mid) {
            // Of a route's two triples one, and none that comes back.
            (Counting::Routes, 1) => r == w,
            (Counting::Routes, 2) => v != w,
            (Counting::Triples, 1) => set.has_triple(shape, r == v),
            _ => true,
        };
        let detour = (mid == 2).then_some(r);
        if !(is_counted && is_hop(v, r) && is_hop(r, w) && pair.keeps(set, &self.df, mid, detour)) {
            return None;
        }
        let class = vlb_class(2);
        for (one, other) in [(v, r), (r, w)].into_iter().filter(|(one, other)| one != other) {
            self.add(class, self.links.local(middle, one, other), 1.0);
        }
        self.add_outside(class, pair, 1.0);
        Some(shape.hops())
    }

    fn within_group(
        &mut self,
        set: &PathSet,
        (group, from): (GroupId, SwitchIndex),
        to: SwitchIndex,
    ) {
        if from == to {
            return;
        }
        if self.topology.is_local_hop(group, from, to) {
            self.paths[min_class(1)] = 1.0;
            self.add(min_class(1), self.links.local(group, from, to), 1.0);
            if set.is_min_only() {
                return;
            }
        }
        for r in self.topology.relays(group, from, to) {
            self.paths[vlb_class(2)] += 1.0;
            self.add(vlb_class(2), self.links.local(group, from, r), 1.0);
            self.add(vlb_class(2), self.links.local(group, r, to), 1.0);
        }
    }

    fn minimal(&mut self, from: (GroupId, SwitchIndex), to: (GroupId, SwitchIndex)) {
        if !self.topology.group_links().is_whole() {
            return self.minimal_by_thirds(from, to);
        }
        for link in self.topology.links(from.0, to.0) {
            let (u, z) = (self.df.split_port(link.from).0, self.df.split_port(link.to).0);
            let class = min_class(1 + usize::from(u != from.1) + usize::from(z != to.1));
            self.paths[class] += 1.0;
            self.add(class, self.links.global(from.0, link.from), 1.0);
            if u != from.1 {
                self.add(class, self.links.local(from.0, from.1, u), 1.0);
            }
            if z != to.1 {
                self.add(class, self.links.local(to.0, z, to.1), 1.0);
            }
        }
    }

    /// As [`Self::minimal`], if hops may have to go through third switches.
    fn minimal_by_thirds(&mut self, from: (GroupId, SwitchIndex), to: (GroupId, SwitchIndex)) {
        let df = self.df;
        let [source, destination] = [from, to].map(|(group, index)| df.switch(group, index));
        for path in minimal::paths(self.topology, source, destination) {
            let class = min_class(path.hops());
            self.paths[class] += 1.0;
            for hop in path.walk.switches().windows(2) {
                let ((group, one), (other_group, other)) = (df.place(hop[0]), df.place(hop[1]));
                let link = match path.x {
                    Some(x) if group != other_group => self.links.global(group, x),
                    _ => self.links.local(group, one, other),
                };
                self.add(class, link, 1.0);
            }
        }
    }

    /// Counts the kept VLB paths through one intermediate group.
    fn through(&mut self, set: &PathSet, source: SwitchId, destination: SwitchId, middle: GroupId) {
        let mut crossed = [false; 3];
        let crossings = self.topology.crossings_through(source, destination, middle);
        // The closure and not a loop: an iterator of iterators is faster from within.
        crossings.for_each(|crossing| {
            let pair = CrossingEnds { crossing, source, destination };
            let direct = u8::from(crossing.v != crossing.w);
            let is_hop = self.topology.is_local_hop(middle, crossing.v, crossing.w);
            if is_hop && pair.keeps(set, &self.df, direct, None) {
                self.without_detour(set, &pair, direct);
            }
            match set.rule().keep_of(crossing.shape(2)) {
                Keep::NONE => {}
                Keep::ALL if self.topology.group_links().is_whole() => {
                    crossed[self.all_detours(&pair)] = true;
                }
                _ => self.some_detours(set, &pair),
            }
        });
        for (number, _) in crossed.iter().enumerate().filter(|(_, crossed)| **crossed) {
            self.spread_crossings(number, middle);
        }
    }

    fn without_detour(&mut self, set: &PathSet, pair: &CrossingEnds, mid: u8) {
        let shape = pair.crossing.shape(mid);
        let count = f64::from(set.multiplicity(shape, self.counting));
        let class = vlb_class(shape.hops().into());
        if mid == 1 {
            self.add(
                class,
                self.links.local(pair.crossing.middle, pair.crossing.v, pair.crossing.w),
                count,
            );
        }
        self.add_outside(class, pair, count);
    }

    /// Detours over every other switch; which of the crossings they were noted in.
    fn all_detours(&mut self, pair: &CrossingEnds) -> usize {
        let shape = pair.crossing.shape(2);
        let number = usize::from(shape.hops()) - 4;
        let a = self.df.a() as usize;
        let meets = pair.crossing.v == pair.crossing.w;
        if meets && self.counting == Counting::Routes {
            return number;
        }
        self.crossings[number][pair.crossing.v.as_usize() * a + pair.crossing.w.as_usize()] += 1.0;
        let detours =
            f64::from(self.df.switches_of(pair.crossing.middle)) - if meets { 1.0 } else { 2.0 };
        self.add_outside(vlb_class(shape.hops().into()), pair, detours);
        number
    }

    /// Detours one by one, each kept or not by its key.
    fn some_detours(&mut self, set: &PathSet, pair: &CrossingEnds) {
        if pair.crossing.v == pair.crossing.w && self.counting == Counting::Routes {
            return;
        }
        let df = self.df;
        let class = vlb_class(pair.crossing.shape(2).hops().into());
        let mut kept = 0.0;
        let Crossing { middle, v, w, .. } = pair.crossing;
        for r in self.topology.relays(middle, v, w) {
            if pair.keeps(set, &df, 2, Some(r)) {
                kept += 1.0;
                self.add(class, self.links.local(pair.crossing.middle, pair.crossing.v, r), 1.0);
                self.add(class, self.links.local(pair.crossing.middle, r, pair.crossing.w), 1.0);
            }
        }
        if kept > 0.0 {
            self.add_outside(class, pair, kept);
        }
    }

    /// Puts the noted crossings of a group on its local links, and forgets them.
    ///
    /// With c(v, w) pairs that enter at v and leave at w, the link from s to t is the first local
    /// hop of those that enter at s and leave elsewhere than at t, and the second of those that
    /// leave at t and entered elsewhere than at s; a pair that leaves where it entered goes to any
    /// other switch and back. All are whole numbers, so the subtraction is exact; where loads are
    /// fractions (`tvlb_generator::balance`) each detour is added instead.
    fn spread_crossings(&mut self, number: usize, middle: GroupId) {
        let (a, of_group) = (self.df.a() as usize, self.df.switches_of(middle) as usize);
        let crossings = &mut self.crossings[number];
        let mut entering = vec![0.0; of_group];
        let mut leaving = vec![0.0; of_group];
        for v in 0..of_group {
            for w in (0..of_group).filter(|&w| w != v) {
                entering[v] += crossings[v * a + w];
                leaving[w] += crossings[v * a + w];
            }
        }
        let (class, start) = (vlb_class(number + 4), self.links.group_start(middle));
        for s in 0..of_group {
            let back_at_s = crossings[s * a + s];
            for t in (0..of_group).filter(|&t| t != s) {
                let there_and_back = back_at_s + crossings[t * a + t];
                let count = entering[s] + leaving[t] - 2.0 * crossings[s * a + t] + there_and_back;
                self.uses.add(class, start + s * a + t, count);
            }
        }
        crossings.fill(0.0);
    }

    /// Everything outside the intermediate group, and the number of paths itself.
    fn add_outside(&mut self, class: usize, pair: &CrossingEnds, count: f64) {
        let (from, here) = self.df.place(pair.source);
        let (to, there) = self.df.place(pair.destination);
        let c = &pair.crossing;
        self.paths[class] += count;
        self.add(class, self.links.global(from, c.x.from), count);
        self.add(class, self.links.global(c.middle, c.y.from), count);
        if c.head {
            self.add(class, self.links.local(from, here, c.u), count);
        }
        if c.tail {
            self.add(class, self.links.local(to, c.z, there), count);
        }
    }

    fn add(&mut self, class: usize, link: usize, count: f64) {
        self.uses.add(class, link, count);
    }

    fn taken(&mut self) -> Vec<PathClass> {
        let mut classes = Vec::new();
        for (number, class) in (0..CLASSES).zip(0..) {
            let is_vlb = class >= MIN_CLASSES;
            let hops = if is_vlb { class + 2 - MIN_CLASSES } else { class + 1 };
            classes.extend(self.taken_of(number, hops));
        }
        classes
    }

    /// What was counted of one class, whose paths have so many hops; nothing is counted afterwards.
    fn taken_of(&mut self, class: usize, hops: u8) -> Option<PathClass> {
        let mut uses = self.uses.take(class);
        let paths = std::mem::take(&mut self.paths[class]);
        for (link, count) in &mut uses {
            *count /= self.capacities.get(*link).unwrap_or(&1.0);
        }
        let is_vlb = class >= usize::from(MIN_CLASSES);
        (paths > 0.0).then_some(PathClass { is_vlb, hops, paths, uses })
    }
}

/// A crossing with the switches that it joins.
#[derive(Clone, Copy)]
struct CrossingEnds {
    crossing: Crossing,
    source: SwitchId,
    destination: SwitchId,
}

impl CrossingEnds {
    /// Whether the set keeps the walk over this crossing with this detour. A triple that comes back
    /// to where it entered has the key of a detour over the switch that it visits.
    fn keeps(&self, set: &PathSet, df: &Dragonfly, mid: u8, detour: Option<SwitchIndex>) -> bool {
        let c = &self.crossing;
        let shape = c.shape(mid);
        match set.rule().keep_of(shape) {
            Keep::NONE => false,
            Keep::ALL => true,
            _ => {
                let route = Route { x: c.x.from, y: c.y.from, detour };
                set.rule().keeps(shape, route.key(df, self.source, self.destination))
            }
        }
    }
}
