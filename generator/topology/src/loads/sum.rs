//! Sums of loads over each link, path by path or over all paths that share a pair of global links.

use super::draw::{Demand, Draw};
use super::kept::KeptRoutes;
use crate::Topology;
use crate::crossings::Crossing;
use crate::links::LinkNumbers;
use crate::routes::minimal;
use crate::routes::ways::{Way, ways_of};
use tvlb_schema::{GroupId, Level, SetRule, SwitchIndex};

/// The load on the links of each number.
pub(super) struct LinkSum<'t> {
    topology: &'t Topology,
    numbers: LinkNumbers,
    of: Vec<f64>,
    /// The load with two hops in the middle, evenly over all switches there: by intermediate group, by the switch at
    /// which x arrives and the switch that y leaves.
    apart: Vec<f64>,
}

/// The load over one pair (x, y) of links.
#[derive(Clone, Copy)]
struct Portion {
    all: f64,
    /// The part with one hop in the middle, if the links do not meet on a switch.
    direct: f64,
    /// The part with two hops in the middle, evenly over all switches there.
    apart: f64,
}

impl<'t> LinkSum<'t> {
    pub(super) fn new(topology: &'t Topology) -> Self {
        let df = topology.dragonfly();
        let (a, g) = (df.a() as usize, df.g() as usize);
        let numbers = LinkNumbers::new(*df);
        let (of, apart) = (vec![0.0; numbers.count()], vec![0.0; g * a * a]);
        Self { topology, numbers, of, apart }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.of.iter_mut().zip(&other.of).for_each(|(all, one)| *all += one);
        self.apart.iter_mut().zip(&other.apart).for_each(|(all, one)| *all += one);
    }

    /// Adds a demand over all its paths, by how often each is drawn; returns whether there is one.
    pub(super) fn add_paths(&mut self, draw: Draw<'_>, demand: &Demand) -> bool {
        let df = self.topology.dragonfly();
        if df.place(demand.source).0 == df.place(demand.destination).0 {
            return self.within(!matches!(draw, Draw::Min), demand);
        }
        match draw {
            Draw::Min => self.minimal(demand),
            Draw::Conventional => self.triples(demand),
            Draw::Set { rule, .. } if rule.is_by_triple() => self.triples(demand),
            Draw::Set { rule, levels } => {
                match ways_of(self.topology, rule, demand.source, demand.destination) {
                    Some(ways) => self.walks(ways.collect(), demand),
                    None => self.routes(rule, levels, demand),
                }
            }
        }
    }

    /// Within a group: by VLB through a third switch, by MIN through one if the two share no link.
    fn within(&mut self, is_vlb: bool, demand: &Demand) -> bool {
        let (topology, numbers) = (self.topology, self.numbers);
        let df = topology.dragonfly();
        let ((group, here), (_, there)) = (df.place(demand.source), df.place(demand.destination));
        if here == there {
            return true;
        }
        if !is_vlb && topology.is_local_hop(group, here, there) {
            self.of[numbers.local(group, here, there)] += demand.amount;
            return true;
        }
        let count = topology.relays(group, here, there).fold(0.0, |count, _| count + 1.0);
        for third in topology.relays(group, here, there) {
            self.of[numbers.local(group, here, third)] += demand.amount / count;
            self.of[numbers.local(group, third, there)] += demand.amount / count;
        }
        count > 0.0
    }

    /// The MIN paths to another group.
    fn minimal(&mut self, demand: &Demand) -> bool {
        let mut has_path = false;
        for (path, share) in minimal::drawn(self.topology, demand.source, demand.destination) {
            for link in self.numbers.of_walk(path.walk.switches(), path.x) {
                self.of[link] += demand.amount * share;
            }
            has_path = true;
        }
        has_path
    }

    /// The paths of conventional VLB.
    fn triples(&mut self, demand: &Demand) -> bool {
        let topology = self.topology;
        let is_whole = topology.group_links().is_whole();
        let count = |c: &Crossing| {
            // Of the triples over (x, y), those with v or w as intermediate switch have at most one hop in the middle.
            let short = if c.v == c.w {
                1.0
            } else {
                2.0 * f64::from(u8::from(topology.is_local_hop(c.middle, c.v, c.w)))
            };
            let ways = if is_whole {
                let others = if c.v == c.w { 1 } else { 2 };
                f64::from(topology.dragonfly().switches_of(c.middle) - others)
            } else {
                topology.relays(c.middle, c.v, c.w).fold(0.0, |count, _| count + 1.0)
            };
            (short, ways)
        };
        let mut triples = 0.0;
        let crossings = || topology.crossings(demand.source, demand.destination);
        crossings().for_each(|c| {
            let (short, ways) = count(&c);
            triples += short + ways;
        });
        let each = demand.amount / triples;
        crossings().for_each(|c| {
            let (short, ways) = count(&c);
            if !is_whole {
                topology.relays(c.middle, c.v, c.w).for_each(|r| self.over(&c, r, each));
            }
            let (direct, apart) = (short * each, if is_whole { ways * each } else { 0.0 });
            self.over_links(demand, &c, Portion { all: (short + ways) * each, direct, apart });
        });
        triples > 0.0
    }

    /// The routes of a set that is drawn by route or by shape.
    fn routes(&mut self, rule: &SetRule, levels: &[Vec<Level>], demand: &Demand) -> bool {
        let topology = self.topology;
        let levels = levels.get(demand.source.as_usize()).map_or(&[][..], Vec::as_slice);
        // A first pass counts the routes of each shape. From that follows the probability of a single route of a shape,
        // and a second pass adds the routes with it.
        let pair = (demand.source, demand.destination);
        let kept = KeptRoutes { topology, set: (rule, levels), pair };
        let counts = kept.counts();
        let each = kept.chances(&counts).map(|chance| chance * demand.amount);
        topology.crossings(pair.0, pair.1).for_each(|c| {
            let of = |mid: u8| each[c.shape(mid).number()];
            let direct = kept.short(&c).map_or(0.0, of);
            let mut parts = Portion { direct, apart: 0.0, all: direct };
            if let Some(ways) = kept.alike(&c) {
                parts.apart = f64::from(ways) * of(2);
                parts.all += parts.apart;
            } else {
                for r in kept.detours(&c) {
                    parts.all += of(2);
                    self.over(&c, r, of(2));
                }
            }
            if parts.all > 0.0 {
                self.over_links(demand, &c, parts);
            }
        });
        counts.iter().any(|&count| count > 0)
    }

    /// The walks of a set over intermediate switches.
    fn walks(&mut self, ways: Vec<Way>, demand: &Demand) -> bool {
        let total: f64 = ways.iter().map(Way::weight).sum();
        for way in ways {
            let all = demand.amount * (way.weight() / total);
            let direct = if way.mid() == 1 { all } else { 0.0 };
            self.over_links(demand, &way.crossing, Portion { all, direct, apart: 0.0 });
            if way.mid() == 2 {
                self.over(&way.crossing, way.through, all);
            }
        }
        total > 0.0
    }

    /// Adds the load over one pair (x, y) of links.
    fn over_links(
        &mut self,
        demand: &Demand,
        c: &Crossing,
        Portion { all, direct, apart }: Portion,
    ) {
        let df = self.topology.dragonfly();
        let ((from, here), (to, there)) = (df.place(demand.source), df.place(demand.destination));
        self.of[self.numbers.global(from, c.x.from)] += all;
        self.of[self.numbers.global(c.middle, c.y.from)] += all;
        if c.head {
            self.of[self.numbers.local(from, here, c.u)] += all;
        }
        if c.tail {
            self.of[self.numbers.local(to, c.z, there)] += all;
        }
        if c.v != c.w {
            self.of[self.numbers.local(c.middle, c.v, c.w)] += direct;
        }
        let a = df.a() as usize;
        let row = c.middle.as_usize() * a + c.v.as_usize();
        self.apart[row * a + c.w.as_usize()] += apart;
    }

    /// Adds the two middle hops of the paths through one switch r.
    fn over(&mut self, c: &Crossing, r: SwitchIndex, amount: f64) {
        self.of[self.numbers.local(c.middle, c.v, r)] += amount;
        self.of[self.numbers.local(c.middle, r, c.w)] += amount;
    }

    /// The load on each link, with paths of two hops in a group spread over the switches that they can visit there.
    pub(super) fn spread(mut self) -> Vec<f64> {
        for middle in self.topology.dragonfly().groups() {
            self.spread_in(middle);
        }
        self.of
    }

    /// Each detour is added on its own: the sums of the throughput model's path counter, which are whole numbers, would
    /// lose digits here by subtraction.
    fn spread_in(&mut self, middle: GroupId) {
        let df = self.topology.dragonfly();
        let a = df.a() as usize;
        let first = middle.as_usize() * a * a;
        for v in df.indices(middle) {
            for w in df.indices(middle) {
                let amount = self.apart[first + v.as_usize() * a + w.as_usize()];
                let ways = df.switches_of(middle) - if v == w { 1 } else { 2 };
                if amount > 0.0 && ways > 0 {
                    let each = amount / f64::from(ways);
                    for r in df.indices(middle).filter(|&r| r != v && r != w) {
                        self.of[self.numbers.local(middle, v, r)] += each;
                        self.of[self.numbers.local(middle, r, w)] += each;
                    }
                }
            }
        }
    }
}
