//! The load of every link without a model: how much switches send to each other, times how often each path is drawn.
//!
//! VLB paths are counted over pairs (x, y) of first and second global links: all routes over one such pair cross the
//! same two switches of the intermediate group. If all routes with two hops there are kept, they load its local links
//! evenly, so their share is spread once per intermediate group; if a set keeps a part of them, by its rule or by the
//! levels of a source switch, each route is tested. So the figures are exact. If two switches of a group share no link,
//! each route is tested as well; if they share several, each of these carries its part of the load.

mod draw;
mod kept;
mod sum;

pub use draw::{Demand, Draw};
pub use kept::kept_and_hops;

use crate::Topology;
use crate::links::LinkNumbers;
use rayon::prelude::*;
use sum::LinkSum;
use tvlb_base::number::without_noise;
use tvlb_schema::End;
use tvlb_schema::{Dragonfly, GlobalPort, GroupId, LinkKind, NodeId, SwitchId, SwitchIndex};

/// Loads that differ by less are equal: symmetric links whose sums were computed in another order.
const EQUAL: f64 = 1e9;

/// The load of each link.
#[derive(Clone, Debug)]
pub struct LinkLoads {
    /// By link number, see [`LinkNumbers`]: the load of one link, of those that share a number.
    pub by_link: Vec<f64>,
    /// For each number, how many links share it.
    links: Vec<f64>,
    numbers: LinkNumbers,
}

/// The loads of all links of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// 0 if there are none.
    pub mean: f64,
    /// The load of the busiest link.
    pub most: f64,
}

impl Spread {
    /// The busiest link's load over the mean; 1 if nothing carries anything.
    pub fn imbalance(&self) -> f64 {
        if self.mean > 0.0 { self.most / self.mean } else { 1.0 }
    }
}

/// A link by its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEnds {
    /// Between two switches of a group; if they share several links, any of these.
    Local(SwitchId, SwitchId),
    /// Between two groups: the near end and the far end.
    Global(End, End),
    ToNode(NodeId),
}

impl LinkLoads {
    /// The loads if every switch with nodes sends an amount of 1 to every one of another group.
    ///
    /// Uses the threads of the current rayon pool, as all counting here does; the result is the same for any number of
    /// them, because sums are computed in the order of the switches.
    pub fn one_to_each(topology: &Topology, draw: Draw<'_>) -> Self {
        let ends = topology.ends();
        let one_to_each = |source| {
            let others = ends.outside(topology.dragonfly().place(source).0);
            let to_each = |destination| Demand { source, destination, amount: 1.0 };
            if ends.has(source) { others.map(to_each).collect() } else { Vec::new() }
        };
        Self::of_demands(topology, draw, &one_to_each).0
    }

    /// The loads of these demands; and the part without a path, in no load, in the order of its sources.
    pub fn of_demands(
        topology: &Topology,
        draw: Draw<'_>,
        demands: &(dyn Fn(SwitchId) -> Vec<Demand> + Sync),
    ) -> (Self, Vec<Demand>) {
        let df = topology.dragonfly();
        let groups: Vec<GroupId> = df.groups().collect();
        let of_group = |&group: &GroupId| {
            let mut sum = LinkSum::new(topology);
            let sources = df.switches_in(group);
            let without: Vec<Demand> =
                sources.flat_map(demands).filter(|demand| !sum.add_paths(draw, demand)).collect();
            (sum, without)
        };
        let sums: Vec<(LinkSum<'_>, Vec<Demand>)> = groups.par_iter().map(of_group).collect();
        let (mut total, mut without) = (LinkSum::new(topology), Vec::new());
        for (sum, mut of_group) in sums {
            total.add(&sum);
            without.append(&mut of_group);
        }
        (Self::of_sums(topology, total.spread()), without)
    }

    /// The loads if these sums go over the links of each number.
    pub fn of_sums(topology: &Topology, mut sums: Vec<f64>) -> Self {
        let df = topology.dragonfly();
        let numbers = LinkNumbers::new(*df);
        let mut links = vec![0.0; numbers.count()];
        for group in df.groups() {
            for from in df.indices(group) {
                for to in df.indices(group).filter(|&to| to != from) {
                    let within = topology.links_within(group, from, to);
                    links[numbers.local(group, from, to)] = f64::from(within);
                }
            }
        }
        for End { group, port } in
            topology.cables().iter().flat_map(|cable| [cable.low, cable.high])
        {
            links[numbers.global(group, port)] = 1.0;
        }
        for (sum, links) in sums.iter_mut().zip(&links) {
            *sum /= f64::max(*links, 1.0);
        }
        Self { by_link: sums, links, numbers }
    }

    /// Both loads, each times a factor, on the same wiring.
    #[must_use]
    pub fn mixed(mut self, own: f64, other: &Self, others: f64) -> Self {
        for (load, other) in self.by_link.iter_mut().zip(&other.by_link) {
            *load = own * *load + others * other;
        }
        self
    }

    /// The loads in another unit.
    #[must_use]
    pub fn times(mut self, factor: f64) -> Self {
        self.by_link.iter_mut().for_each(|load| *load *= factor);
        self
    }

    /// The links of a kind, several that share a number once: the number, how many links share it, and the load of
    /// each.
    pub fn of_kind(&self, kind: LinkKind) -> impl Iterator<Item = (usize, f64, f64)> {
        let all = self.links.iter().zip(&self.by_link).enumerate();
        let of_kind = all.filter(move |&(link, _)| self.numbers.kind(link) == kind);
        of_kind.map(|(link, (&links, &load))| (link, links, load)).filter(|link| link.1 > 0.0)
    }

    /// Mean and most of the links of a kind.
    pub fn spread(&self, kind: LinkKind) -> Spread {
        let (mut sum, mut count, mut most) = (0.0, 0.0, 0.0_f64);
        for (_, links, load) in self.of_kind(kind) {
            sum += links * load;
            count += links;
            most = most.max(load);
        }
        Spread { mean: if count > 0.0 { without_noise(sum / count) } else { 0.0 }, most }
    }

    /// The load of a link within a group.
    pub fn local(&self, group: GroupId, from: SwitchIndex, to: SwitchIndex) -> f64 {
        self.by_link[self.numbers.local(group, from, to)]
    }

    /// The load of the link that a global port leads to.
    pub fn global(&self, group: GroupId, port: GlobalPort) -> f64 {
        self.by_link[self.numbers.global(group, port)]
    }

    /// The mean load of the links from one group to another; `None` if there is no link.
    pub fn between(&self, topology: &Topology, from: GroupId, to: GroupId) -> Option<f64> {
        let links = topology.links(from, to);
        let sum = links.iter().fold(0.0, |sum, link| sum + self.global(from, link.from));
        let count = u32::try_from(links.len()).expect("two groups share at most 4096 links");
        (count > 0).then(|| sum / f64::from(count))
    }

    /// The load of the busiest link of a kind that leaves a switch; `None` if it has none.
    pub fn busiest_of(&self, df: &Dragonfly, switch: SwitchId, kind: LinkKind) -> Option<f64> {
        let first = self.numbers.group_start(df.place(switch).0);
        let leaves = |link| self.numbers.leaves(link).is_some_and(|(from, _)| from == switch);
        let own = (first..first + self.numbers.per_group()).filter(|&link| {
            self.links[link] > 0.0 && self.numbers.kind(link) == kind && leaves(link)
        });
        own.map(|link| self.by_link[link]).reduce(f64::max)
    }

    /// The links of a kind that carry most, see [`busiest`].
    pub fn busiest(&self, kind: LinkKind, count: usize) -> Vec<(usize, f64)> {
        busiest(self.of_kind(kind).map(|(link, _, load)| (link, load)), count)
    }

    /// The ends of a link.
    ///
    /// # Panics
    /// If the number has no link.
    pub fn ends(&self, topology: &Topology, link: usize) -> LinkEnds {
        let df = topology.dragonfly();
        let (switch, port) = self.numbers.leaves(link).expect("a number of a link");
        let (group, index) = df.place(switch);
        if let Some(slot) = port.0.checked_sub(df.slot_port(0).0) {
            let near = End { group, port: df.global_port(index, slot) };
            return LinkEnds::Global(near, topology.peer(near).expect("a port with a cable"));
        }
        let to = df.indices(group).find(|&to| to != index && df.local_port(index, to) == port);
        LinkEnds::Local(switch, df.switch(group, to.expect("each local link leads to a switch")))
    }
}

/// The largest loads, at most `count`, the largest first; of equal ones that with the lowest number. Zeros are left
/// out.
pub fn busiest(loads: impl Iterator<Item = (usize, f64)>, count: usize) -> Vec<(usize, f64)> {
    let mut order: Vec<(usize, f64)> = loads.filter(|&(_, load)| load > 0.0).collect();
    let rounded = |(_, load): &(usize, f64)| (load * EQUAL).round();
    order.sort_by(|one, other| rounded(other).total_cmp(&rounded(one)).then(one.0.cmp(&other.0)));
    order.truncate(count);
    order
}

/// How many loads are as large as the largest, if that is not zero.
pub fn as_busy(loads: impl Iterator<Item = f64>) -> usize {
    let rounded: Vec<f64> = loads.map(|load| (load * EQUAL).round()).collect();
    let most = rounded.iter().copied().fold(0.0, f64::max);
    rounded.iter().filter(|&&load| most > 0.0 && load >= most).count()
}

/// The flits per cycle that one switch sends to one of another group, if all nodes send one flit per cycle, evenly to
/// the switches of other groups: a mean if groups differ.
#[expect(clippy::cast_precision_loss, reason = "at most 2³² pairs")]
pub fn flits_per_pair(topology: &Topology) -> f64 {
    let (df, ends) = (topology.dragonfly(), topology.ends());
    let nodes: u32 = ends.iter().map(|end| df.nodes_of(df.place(end).0)).sum();
    f64::from(nodes) / ends.pairs_between_groups().max(1) as f64
}
