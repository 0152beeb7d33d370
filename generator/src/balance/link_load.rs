//! The load of each link that VLB alone makes: when every switch sends equally often to every switch of
//! other groups, or as much as is said to those that are said.
//!
//! Loads are counted over pairs (x, y) of first and second global links: all routes over one such pair
//! cross the same two switches of the intermediate group. Where all routes with two hops there are
//! kept, they load its local links evenly, so their share is spread once per intermediate group; where
//! a set keeps a part of them, by its rule or by the levels of a source switch, each route is asked. So
//! the figures are exact. Where two switches of a group share no link, each route is asked, too; where
//! they share several, each of these carries its part of the load.

use super::kept::{Kept, crossings};
use crate::routes::by_switch::for_each_way;
use crate::routes::count::RouteCounter;
use crate::topology::Topology;
use crate::topology::crossings::Crossing;
use crate::topology::links::LinkNumbers;
use rayon::prelude::*;
use tvlb_schema::{
    Dragonfly, DrawRule, GlobalPort, GroupId, LegHops, Level, SetRule, SwitchId, SwitchIndex,
};

/// How VLB paths are drawn.
#[derive(Clone, Copy, Debug)]
pub enum Draw<'d> {
    /// By conventional VLB: uniformly over triples (R, leg 1, leg 2).
    Conventional,
    /// By a set. The levels of a switch that does not thin it are empty; an empty slice says that no
    /// switch thins it.
    Set {
        rule: &'d SetRule,
        /// The levels of each switch, by switch number.
        levels: &'d [Vec<Level>],
    },
}

/// The largest load of a link over the mean load, of links within groups and of links between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Imbalance {
    /// The imbalance of local links; 1 where there are none.
    pub local: f64,
    /// The imbalance of global links.
    pub global: f64,
}

impl Imbalance {
    /// The imbalance that VLB paths make if they are drawn so.
    pub fn of(counter: &RouteCounter<'_>, draw: Draw<'_>) -> Self {
        LinkLoads::of(counter, draw).imbalance(counter.topology())
    }

    /// The larger of the two figures, each over that of another imbalance.
    pub fn against(&self, other: &Self) -> f64 {
        (self.local / other.local).max(self.global / other.global)
    }
}

/// What switches send: an amount from one switch to another of a different group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    pub source: SwitchId,
    pub destination: SwitchId,
    /// How much is sent.
    pub amount: f64,
}

/// Paths that cross each link, where each ordered pair of switches of different groups sends one path, or
/// as many as are said.
#[derive(Clone, Debug)]
pub struct LinkLoads {
    /// The load of each link by its number, see [`LinkNumbers`].
    pub by_link: Vec<f64>,
    links: LinkNumbers,
}

/// The loads that the routes from one group make.
struct Sum {
    /// The load of each link by its number.
    of: Vec<f64>,
    /// Paths with two hops in the middle, by intermediate group, by the switch at which x arrives and
    /// the switch that y leaves.
    apart: Vec<f64>,
    /// How much is sent by the paths that are being added.
    amount: f64,
    /// What is sent although there is no path.
    without: Vec<Demand>,
}

impl LinkLoads {
    /// Counts the loads. The sums are made in the order of the switches, so they are the same at any
    /// number of threads.
    pub fn of(counter: &RouteCounter<'_>, draw: Draw<'_>) -> Self {
        let topology = counter.topology();
        let df = topology.dragonfly();
        let one_to_each = |source| {
            let group = df.place(source).0;
            let others = df.switches().filter(|&destination| df.place(destination).0 != group);
            others.map(|destination| Demand { source, destination, amount: 1.0 }).collect()
        };
        Self::of_demands(topology, draw, &one_to_each).0
    }

    /// As [`Self::of`], of what each switch sends to switches of other groups. Beside the loads, what is
    /// sent where there is no path, in the order of its sources.
    pub fn of_demands(
        topology: &Topology,
        draw: Draw<'_>,
        demands: &(dyn Fn(SwitchId) -> Vec<Demand> + Sync),
    ) -> (Self, Vec<Demand>) {
        let df = topology.dragonfly();
        let links = LinkNumbers::new(*df);
        let groups: Vec<GroupId> = df.groups().collect();
        let sums: Vec<Sum> =
            groups.par_iter().map(|&from| group_sum(topology, draw, from, demands)).collect();
        let mut total = Sum::new(topology);
        for mut sum in sums {
            total.without.append(&mut sum.without);
            total.of.iter_mut().zip(&sum.of).for_each(|(all, one)| *all += one);
            total.apart.iter_mut().zip(&sum.apart).for_each(|(all, one)| *all += one);
        }
        for &middle in &groups {
            spread(topology, &links, &mut total, middle);
        }
        let within = |group, one, other| topology.links_within(group, one, other);
        for (load, links) in total.of.iter_mut().zip(links.multiplicities(within)) {
            *load /= links;
        }
        (Self { by_link: total.of, links }, total.without)
    }

    /// The largest load over the mean.
    pub fn imbalance(&self, topology: &Topology) -> Imbalance {
        let (local, global) = self.means(topology);
        let over = |most: f64, mean: f64| if mean > 0.0 { most / mean } else { 1.0 };
        let most = |most: f64, loads: &[f64]| loads.iter().copied().fold(most, f64::max);
        let (most_local, most_global) = self
            .groups(topology)
            .fold((0.0, 0.0), |(l, g), (local, global)| (most(l, local), most(g, global)));
        Imbalance { local: over(most_local, local), global: over(most_global, global) }
    }

    /// The mean load of a local link, and of a global link.
    pub fn means(&self, topology: &Topology) -> (f64, f64) {
        let df = topology.dragonfly();
        if !topology.has_plain_groups() {
            return self.means_over_links(topology);
        }
        let add = |sum: f64, loads: &[f64]| loads.iter().fold(sum, |sum, load| sum + load);
        let (local, global) = self
            .groups(topology)
            .fold((0.0, 0.0), |(l, g), (local, global)| (add(l, local), add(g, global)));
        let cables = 2.0 * f64::from(u32::try_from(topology.cables().len()).unwrap_or(u32::MAX));
        let of_group = |group| f64::from(df.switches_of(group));
        let locals = df.groups().map(|g| of_group(g) * (of_group(g) - 1.0)).sum::<f64>();
        let over = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
        (over(local, locals), over(global, cables))
    }

    /// As [`Self::means`], where two switches of a group may share several links, or none.
    fn means_over_links(&self, topology: &Topology) -> (f64, f64) {
        let df = topology.dragonfly();
        let (mut local, mut locals) = (0.0, 0.0);
        for group in df.groups() {
            for from in df.indices(group) {
                for to in df.indices(group).filter(|&to| to != from) {
                    let links = f64::from(topology.links_within(group, from, to));
                    local += links * self.local(group, from, to);
                    locals += links;
                }
            }
        }
        let global: f64 = self.groups(topology).flat_map(|(_, global)| global).sum();
        let cables = 2.0 * f64::from(u32::try_from(topology.cables().len()).unwrap_or(u32::MAX));
        let over = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
        (over(local, locals), over(global, cables))
    }

    /// The loads of the local and of the global links of each group. A number that stands for no link
    /// has no load.
    fn groups(&self, topology: &Topology) -> impl Iterator<Item = (&[f64], &[f64])> {
        let a = topology.dragonfly().a() as usize;
        self.by_link.chunks(self.links.per_group()).map(move |group| group.split_at(a * a))
    }

    /// The load of a link within a group.
    pub fn local(&self, group: GroupId, from: SwitchIndex, to: SwitchIndex) -> f64 {
        self.by_link[self.links.local(group, from, to)]
    }

    /// The load of the link that a global port leads to.
    pub fn global(&self, group: GroupId, port: GlobalPort) -> f64 {
        self.by_link[self.links.global(group, port)]
    }
}

/// What one switch sends to one of another group, in flits per cycle, where all nodes send one flit per
/// cycle, evenly to the switches of other groups: on average where groups differ.
#[expect(clippy::cast_precision_loss, reason = "at most 2³² pairs")]
pub fn flits_per_pair(df: &Dragonfly) -> f64 {
    if df.is_even() {
        f64::from(df.p()) / f64::from((df.switch_count() - df.a()).max(1))
    } else {
        f64::from(df.node_count()) / df.pairs_between_groups() as f64
    }
}

/// Shares of the paths over one pair (x, y) of links.
#[derive(Clone, Copy)]
struct Parts {
    /// The share of all paths.
    all: f64,
    /// The share of the paths with one hop in the middle.
    direct: f64,
    /// The share of the paths with two hops in the middle, evenly over all switches there.
    apart: f64,
}

impl Sum {
    /// Adds the paths over one pair (x, y) of links.
    fn add(
        &mut self,
        topology: &Topology,
        (source, destination): (SwitchId, SwitchId),
        c: &Crossing,
        Parts { all, direct, apart }: Parts,
    ) {
        let [all, direct, apart] = [all, direct, apart].map(|share| share * self.amount);
        let df = topology.dragonfly();
        let links = LinkNumbers::new(*df);
        let ((from, here), (to, there)) = (df.place(source), df.place(destination));
        self.of[links.global(from, c.x.from)] += all;
        self.of[links.global(c.middle, c.y.from)] += all;
        if c.head {
            self.of[links.local(from, here, c.u)] += all;
        }
        if c.tail {
            self.of[links.local(to, c.z, there)] += all;
        }
        if c.v != c.w {
            self.of[links.local(c.middle, c.v, c.w)] += direct;
        }
        let a = df.a() as usize;
        let row = c.middle.as_usize() * a + c.v.as_usize();
        self.apart[row * a + c.w.as_usize()] += apart;
    }

    /// Adds the two middle hops of the paths over one switch r.
    fn over(&mut self, topology: &Topology, c: &Crossing, r: SwitchIndex, share: f64) {
        let share = share * self.amount;
        let links = LinkNumbers::new(*topology.dragonfly());
        self.of[links.local(c.middle, c.v, r)] += share;
        self.of[links.local(c.middle, r, c.w)] += share;
    }

    fn new(topology: &Topology) -> Self {
        let df = topology.dragonfly();
        let (a, g) = (df.a() as usize, df.g() as usize);
        Self {
            of: vec![0.0; LinkNumbers::new(*df).count()],
            apart: vec![0.0; g * a * a],
            amount: 1.0,
            without: Vec::new(),
        }
    }
}

/// The paths from the switches of one group.
fn group_sum(
    topology: &Topology,
    draw: Draw<'_>,
    from: GroupId,
    demands: &(dyn Fn(SwitchId) -> Vec<Demand> + Sync),
) -> Sum {
    let df = topology.dragonfly();
    let mut sum = Sum::new(topology);
    for source in df.indices(from).map(|index| df.switch(from, index)) {
        for demand in demands(source) {
            let Demand { source, destination, amount } = demand;
            sum.amount = amount;
            let has_path = match draw {
                Draw::Conventional => triples(topology, source, destination, &mut sum),
                Draw::Set { rule, levels } => {
                    let levels = levels.get(source.as_usize()).map_or(&[][..], Vec::as_slice);
                    routes(topology, rule, levels, source, destination, &mut sum)
                }
            };
            if !has_path {
                sum.without.push(demand);
            }
        }
    }
    sum
}

/// Adds the paths of conventional VLB from one switch to another, and says whether there is one.
fn triples(topology: &Topology, source: SwitchId, destination: SwitchId, sum: &mut Sum) -> bool {
    if !topology.has_whole_groups() {
        return triples_one_by_one(topology, source, destination, sum);
    }
    let df = topology.dragonfly();
    let mut count = 0.0;
    crossings(topology, &[], source, destination, |c, _| {
        count += f64::from(df.switches_of(c.middle));
    });
    let each = 1.0 / count;
    crossings(topology, &[], source, destination, |c, _| {
        let a = f64::from(df.switches_of(c.middle));
        // Of the a triples over (x, y), those whose intermediate switch is v or w have at most one hop
        // in the middle.
        let (direct, apart) = if c.v == c.w { (0.0, a - 1.0) } else { (2.0, a - 2.0) };
        let parts = Parts { all: a * each, direct: direct * each, apart: apart * each };
        sum.add(topology, (source, destination), c, parts);
    });
    count > 0.0
}

/// As [`triples`], where two switches of a group may share no link.
fn triples_one_by_one(
    topology: &Topology,
    source: SwitchId,
    destination: SwitchId,
    sum: &mut Sum,
) -> bool {
    // Those with at most one hop in the middle, of which there are two over one walk where v is not w.
    let short = |c: &Crossing| {
        let is_hop = f64::from(u8::from(topology.is_local_hop(c.middle, c.v, c.w)));
        if c.v == c.w { 1.0 } else { 2.0 * is_hop }
    };
    let mut count = 0.0;
    crossings(topology, &[], source, destination, |c, _| {
        count += short(c) + topology.relays(c.middle, c.v, c.w).fold(0.0, |count, _| count + 1.0);
    });
    let each = 1.0 / count;
    crossings(topology, &[], source, destination, |c, _| {
        let mut all = short(c);
        for r in topology.relays(c.middle, c.v, c.w) {
            sum.over(topology, c, r, each);
            all += 1.0;
        }
        let direct = if c.v == c.w { 0.0 } else { short(c) };
        let parts = Parts { all: all * each, direct: direct * each, apart: 0.0 };
        sum.add(topology, (source, destination), c, parts);
    });
    count > 0.0
}

/// Adds the routes of a set from one switch to another, by how often each is drawn, and says whether
/// there is one.
fn routes(
    topology: &Topology,
    rule: &SetRule,
    levels: &[Level],
    source: SwitchId,
    destination: SwitchId,
    sum: &mut Sum,
) -> bool {
    if let DrawRule::BySwitch { legs, returns } = rule.draw {
        return walks(topology, (legs, returns), (source, destination), sum);
    }
    // A first pass counts the routes of each shape. From that follows the chance of a single route of
    // a shape, and a second pass adds the routes by it.
    let kept = Kept { topology, rule, pair: (source, destination) };
    let counts = kept.counts(levels);
    let each = kept.chances(&counts);
    crossings(topology, levels, source, destination, |c, level| {
        let of = |mid: u8| each[c.shape(mid).number()];
        let mut parts = Parts { direct: 0.0, apart: 0.0, all: 0.0 };
        if c.v == c.w {
            if kept.has(c, level, 0, None) {
                parts.all = of(0);
            }
        } else {
            if kept.has_direct(c, level) {
                parts.direct = of(1);
            }
            parts.all = parts.direct;
            match kept.all_alike(c, level) {
                Some(false) => {}
                Some(true) => {
                    parts.apart = f64::from(kept.ways(c)) * of(2);
                    parts.all += parts.apart;
                }
                None => {
                    for r in kept.detours(c, level) {
                        parts.all += of(2);
                        sum.over(topology, c, r, of(2));
                    }
                }
            }
        }
        if parts.all > 0.0 {
            sum.add(topology, (source, destination), c, parts);
        }
    });
    counts.iter().any(|&count| count > 0)
}

/// Adds the walks of a set of intermediate switches from one switch to another, by how often each is
/// drawn, and says whether there is one.
fn walks(
    topology: &Topology,
    rule: (LegHops, bool),
    (source, destination): (SwitchId, SwitchId),
    sum: &mut Sum,
) -> bool {
    let mut total = 0.0;
    for_each_way(topology, rule, source, destination, |way| total += way.weight());
    for_each_way(topology, rule, source, destination, |way| {
        let share = way.weight() / total;
        let direct = if way.mid() == 1 { share } else { 0.0 };
        let parts = Parts { all: share, direct, apart: 0.0 };
        sum.add(topology, (source, destination), &way.crossing, parts);
        if way.mid() == 2 {
            sum.over(topology, &way.crossing, way.through, share);
        }
    });
    total > 0.0
}

/// Spreads the paths with two hops in a group over the switches that they can visit there.
///
/// Each detour is added on its own: the sums of the throughput model's path counter, which are whole
/// numbers, would lose digits here by subtraction.
fn spread(topology: &Topology, links: &LinkNumbers, sum: &mut Sum, middle: GroupId) {
    let df = topology.dragonfly();
    let a = df.a() as usize;
    let first = middle.as_usize() * a * a;
    for v in df.indices(middle) {
        for w in df.indices(middle) {
            let paths = sum.apart[first + v.as_usize() * a + w.as_usize()];
            let ways = df.switches_of(middle) - if v == w { 1 } else { 2 };
            if paths > 0.0 && ways > 0 {
                let each = paths / f64::from(ways);
                for r in df.indices(middle).filter(|&r| r != v && r != w) {
                    sum.of[links.local(middle, v, r)] += each;
                    sum.of[links.local(middle, r, w)] += each;
                }
            }
        }
    }
}
