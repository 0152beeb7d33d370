//! Static link loads: what every link carries on average when packets take MIN, or VLB paths as a set
//! draws them, whatever the queues are.
//!
//! A load is in flits per cycle where every node that sends sends one flit per cycle. Where the largest
//! is L, nodes cannot all send more than 1/L without a queue that grows for ever: the *static saturation*,
//! which is 1 at most because a node's own link carries no more. Finite buffers can saturate earlier. Beyond
//! saturation, sources that do not need the busy link go on sending, so that the mean over all nodes can
//! rise above 1/L. Where kinds of links differ in bandwidth, each load counts as a multiple of what its link
//! takes.
//!
//! MIN is drawn uniformly among the links between two groups, and VLB as a switch draws that does not
//! thin its set. Within a group VLB goes through a third switch, whatever the set. A packet for which
//! there is no VLB path takes MIN, as in a switch; how many do so is said.
//!
//! Loads are sums of non-negative terms in f64, made in an order that does not depend on the number of
//! threads. The relative error of a sum of n terms is at most (n + 8)·2⁻⁵³: below 10⁻⁷ on any fabric, and
//! in practice the figures have twelve digits.

mod share_count;
#[cfg(test)]
mod tests;

pub use share_count::share_count;

use crate::balance::link_load::{Demand, Draw, LinkLoads};
use crate::routes::minimal;
use crate::topology::links::LinkNumbers;
use crate::topology::{End, Topology};
use std::borrow::Cow;
pub use tvlb_schema::LinkKind;
use tvlb_schema::{
    Bandwidths, Dragonfly, DrawRule, LegHops, NodeId, Nodes, SetRule, ShapeSet, SwitchId,
};
use tvlb_traffic::Traffic;

/// Loads that differ by less are equal: symmetric links whose sums were made in another order.
const EQUAL: f64 = 1e9;

/// How packets choose their paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paths {
    /// A minimal path.
    Min,
    /// A VLB path, as conventional VLB draws it.
    Conventional,
    /// A VLB path of a set. A set without paths is [`Self::Min`].
    Set(SetRule),
}

/// Why there are no loads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StaticLoadError {
    #[error(
        "the fabric has {groups} groups, and a VLB path goes through a third one; accepted `min`, or a \
         fabric of 3 groups or more"
    )]
    NoThirdGroup { groups: u32 },
    #[error(
        "the set has no path between any two switches of different groups that send to each other; \
         accepted a set that has one, or `min`"
    )]
    NoPath,
}

/// What every link carries, in flits per cycle, where every node that sends sends one flit per cycle.
#[derive(Clone, Debug)]
pub struct StaticLoads {
    /// By link number, see [`LinkNumbers`]: the load of one link, of those that share a number.
    pub by_link: Vec<f64>,
    /// What the link to each node carries, by node number.
    pub to_nodes: Vec<f64>,
    /// How many nodes send. The link from each of them carries 1.
    pub senders: u32,
    /// Flits per cycle that take MIN because there is no VLB path.
    pub without_vlb: f64,
    /// Flits per cycle that are not in any load because there is no path.
    pub left_out: f64,
    links: LinkNumbers,
    bandwidths: Bandwidths,
}

impl Paths {
    /// How VLB paths are drawn, if any are.
    fn draw(&self, topology: &Topology) -> Option<Draw<'_>> {
        match self {
            Self::Min => None,
            Self::Conventional => Some(Draw::Conventional),
            Self::Set(rule) if rule.shapes() == ShapeSet::EMPTY => None,
            Self::Set(rule) => {
                // The same draw, which is counted by groups and not by switches.
                let all = DrawRule::BySwitch { legs: LegHops::ALL, returns: true };
                let is_single = topology.links_per_pair().1 <= 1 && topology.has_whole_groups();
                Some(if rule.draw == all && is_single {
                    Draw::Conventional
                } else {
                    Draw::Set { rule, levels: &[] }
                })
            }
        }
    }
}

/// What every link carries under this traffic.
///
/// Uses the threads of the current rayon pool; the result is the same for any number of them.
///
/// # Errors
/// There is no VLB path to speak of.
///
/// # Example
/// ```
/// use tvlb_generator::static_load::{Paths, static_loads};
/// use tvlb_generator::topology::arrangement::{Arrangement, arrange};
/// use tvlb_schema::Dragonfly;
/// use tvlb_traffic::Traffic;
///
/// let df = Dragonfly::new(2, 4, 2, 9)?;
/// let topology = arrange(df, Arrangement::Relative, 0)?;
/// let traffic = Traffic::new(&"shift(1,0)".parse()?, &df, 0)?;
/// // All eight nodes of a group share one link.
/// let loads = static_loads(&topology, &traffic, &Paths::Min)?;
/// assert_eq!((loads.largest(), loads.saturation()), (8.0, 0.125));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn static_loads(
    topology: &Topology,
    traffic: &Traffic,
    paths: &Paths,
) -> Result<StaticLoads, StaticLoadError> {
    let df = topology.dragonfly();
    let to_switches = |source| traffic.to_switches(df, source);
    loads_of(topology, &to_switches, (traffic.received(df), traffic.senders(df)), paths)
}

/// What every link carries where each switch sends so much to others as `to_switches` says, in any unit: flits
/// per cycle, or packets of a job. `at_nodes` is what the link to each node carries, by number, and how many
/// nodes send.
///
/// Uses the threads of the current rayon pool; the result is the same for any number of them.
///
/// # Errors
/// There is no VLB path to speak of.
pub fn loads_of(
    topology: &Topology,
    to_switches: &(dyn Fn(SwitchId) -> Vec<(SwitchId, f64)> + Sync),
    at_nodes: (Vec<f64>, u32),
    paths: &Paths,
) -> Result<StaticLoads, StaticLoadError> {
    let df = topology.dragonfly();
    let group = |switch| df.place(switch).0;
    let demands = |source: SwitchId| {
        let to = to_switches(source).into_iter();
        to.map(move |(destination, amount)| Demand { source, destination, amount })
    };
    let between = |source| {
        demands(source).filter(|d| group(d.source) != group(d.destination)).collect::<Vec<_>>()
    };
    let mut by_hand = Sum::new(topology);
    let by_link = match paths.draw(topology) {
        None => {
            df.switches().flat_map(between).for_each(|demand| by_hand.minimal(&demand));
            vec![0.0; by_hand.of.len()]
        }
        Some(draw) => {
            let (loads, without) = LinkLoads::of_demands(topology, draw, &between);
            for demand in &without {
                by_hand.without_vlb += demand.amount;
                by_hand.minimal(demand);
            }
            check(df, &between, without.len())?;
            loads.by_link
        }
    };
    let is_vlb = paths.draw(topology).is_some();
    for demand in df.switches().flat_map(demands) {
        if group(demand.source) == group(demand.destination) {
            by_hand.within(&demand, is_vlb);
        }
    }
    Ok(by_hand.over(by_link, at_nodes))
}

/// Refuses VLB where no pair that sends has such a path.
fn check(
    df: &Dragonfly,
    between: &impl Fn(SwitchId) -> Vec<Demand>,
    without: usize,
) -> Result<(), StaticLoadError> {
    let is_used = || df.switches().map(|source| between(source).len()).sum::<usize>() > without;
    if without == 0 || is_used() {
        Ok(())
    } else if df.g() < 3 {
        Err(StaticLoadError::NoThirdGroup { groups: df.g() })
    } else {
        Err(StaticLoadError::NoPath)
    }
}

/// Loads of the paths that are listed one by one.
struct Sum<'t> {
    topology: &'t Topology,
    links: LinkNumbers,
    of: Vec<f64>,
    without_vlb: f64,
    left_out: f64,
}

impl<'t> Sum<'t> {
    fn new(topology: &'t Topology) -> Self {
        let links = LinkNumbers::new(*topology.dragonfly());
        Self { topology, links, of: vec![0.0; links.count()], without_vlb: 0.0, left_out: 0.0 }
    }

    /// Adds the hops of a walk. The links between two switches of different groups are told by `x`.
    fn minimal(&mut self, demand: &Demand) {
        let df = self.topology.dragonfly();
        let paths = minimal::paths(self.topology, demand.source, demand.destination);
        if paths.is_empty() {
            self.left_out += demand.amount;
            return;
        }
        let links = paths.chunk_by(|one, next| one.x == next.x).count();
        for path in &paths {
            let shared = u32::try_from(links).expect("at most 4096") * path.ways;
            let share = demand.amount / f64::from(shared);
            for hop in path.walk.switches().windows(2) {
                let ((from, here), (to, there)) = (df.place(hop[0]), df.place(hop[1]));
                let link = match path.x {
                    Some(x) if from != to => self.links.global(from, x),
                    _ => self.links.local(from, here, there),
                };
                self.of[link] += share;
            }
        }
    }

    /// Adds what one switch sends to another of its group: by VLB through a third switch, by MIN
    /// through one where the two share no link.
    fn within(&mut self, demand: &Demand, is_vlb: bool) {
        let df = self.topology.dragonfly();
        let ((group, here), (_, there)) = (df.place(demand.source), df.place(demand.destination));
        if here == there {
            return;
        }
        let is_linked = self.topology.is_local_hop(group, here, there);
        let thirds: Vec<_> = self.topology.relays(group, here, there).collect();
        if is_linked && (!is_vlb || thirds.is_empty()) {
            self.of[self.links.local(group, here, there)] += demand.amount;
            self.without_vlb += if is_vlb { demand.amount } else { 0.0 };
        } else if thirds.is_empty() {
            self.left_out += demand.amount;
        } else {
            let share = demand.amount / f64::from(u32::try_from(thirds.len()).expect("below a"));
            for third in thirds {
                self.of[self.links.local(group, here, third)] += share;
                self.of[self.links.local(group, third, there)] += share;
            }
        }
    }

    /// These loads on top of others, which are by single link already.
    fn over(self, mut by_link: Vec<f64>, (to_nodes, senders): (Vec<f64>, u32)) -> StaticLoads {
        let within = |group, one, other| self.topology.links_within(group, one, other);
        let multiplicities = self.links.multiplicities(within);
        for (link, (load, own)) in by_link.iter_mut().zip(&self.of).enumerate() {
            *load += own / multiplicities.get(link).copied().unwrap_or(1.0);
        }
        StaticLoads {
            by_link,
            to_nodes,
            senders,
            without_vlb: self.without_vlb,
            left_out: self.left_out,
            links: self.links,
            bandwidths: *self.topology.bandwidths(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct LoadedLink {
    pub link: LinkEnds,
    /// Flits per cycle.
    pub load: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEnds {
    /// Between two switches of a group; where they share several links, any of these.
    Local(SwitchId, SwitchId),
    /// Between two groups: the near end and the far end.
    Global(End, End),
    ToNode(NodeId),
}

impl StaticLoads {
    /// The same loads where these nodes alone are left, the others being those of dead switches, and `live`
    /// the traffic without what they send. On links between switches they have no load in any case, as no path
    /// leads there.
    #[must_use]
    pub fn among(self, nodes: &Nodes, live: &Traffic) -> Self {
        let df = nodes.dragonfly();
        let mut to_nodes = live.received(df);
        for node in nodes.missing() {
            to_nodes[node.as_usize()] = 0.0;
        }
        Self { to_nodes, senders: live.senders(df), ..self }
    }

    /// The loads where this share of the packets take these paths, and all others those of `others`: loads of
    /// the same traffic on the same wiring.
    #[must_use]
    pub fn mixed(&self, share: f64, others: &Self) -> Self {
        let mix = |own: f64, other: f64| share * own + (1.0 - share) * other;
        let by_link =
            self.by_link.iter().zip(&others.by_link).map(|(own, other)| mix(*own, *other));
        Self {
            by_link: by_link.collect(),
            without_vlb: mix(self.without_vlb, others.without_vlb),
            left_out: mix(self.left_out, others.left_out),
            ..self.clone()
        }
    }

    /// The largest load of any link, the links of the nodes included, as a multiple of what the link takes.
    pub fn largest(&self) -> f64 {
        let own: f64 = if self.senders > 0 { 1.0 } else { 0.0 };
        let nodes = self.to_nodes.iter().copied().fold(own, f64::max);
        let mut most = nodes / self.bandwidths.flits_per_cycle(LinkKind::Node);
        for kind in [LinkKind::Local, LinkKind::Global] {
            let of_kind = self.by_link.iter().enumerate();
            let of_kind = of_kind.filter(|&(link, _)| self.links.kind(link) == kind);
            let largest = of_kind.fold(0.0, |most: f64, (_, &load)| most.max(load));
            most = most.max(largest / self.bandwidths.flits_per_cycle(kind));
        }
        most
    }

    /// How many flits per cycle a link of a kind takes.
    pub fn flits_per_cycle(&self, kind: LinkKind) -> f64 {
        self.bandwidths.flits_per_cycle(kind)
    }

    /// The largest load of flits per node and cycle that no link is too narrow for: 1 at most.
    pub fn saturation(&self) -> f64 {
        // The largest load is at least 1 where any node sends.
        1.0 / self.largest().max(1.0)
    }

    /// The links of a kind that carry most, at most so many, the busiest first; of equal ones the one of
    /// the lowest number. Idle links are left out.
    pub fn busiest(&self, topology: &Topology, kind: LinkKind, count: usize) -> Vec<LoadedLink> {
        let loads = match kind {
            LinkKind::Node => Cow::Borrowed(&self.to_nodes),
            LinkKind::Local | LinkKind::Global => {
                let is_global = kind == LinkKind::Global;
                let of_kind = |(link, &load)| {
                    if self.links.is_global(link) == is_global { load } else { 0.0 }
                };
                Cow::Owned(self.by_link.iter().enumerate().map(of_kind).collect())
            }
        };
        let mut order: Vec<usize> = (0..loads.len()).filter(|&link| loads[link] > 0.0).collect();
        let rounded = |link: usize| (loads[link] * EQUAL).round();
        order.sort_by(|&one, &other| rounded(other).total_cmp(&rounded(one)).then(one.cmp(&other)));
        order.truncate(count);
        let loaded = |link| LoadedLink { link: self.ends(topology, kind, link), load: loads[link] };
        order.into_iter().map(loaded).collect()
    }

    /// How many links of a kind carry as much as the busiest.
    pub fn as_busy(&self, kind: LinkKind) -> usize {
        let of_kind = |&(link, _): &(usize, &f64)| match kind {
            LinkKind::Node => true,
            LinkKind::Local => !self.links.is_global(link),
            LinkKind::Global => self.links.is_global(link),
        };
        let all = if kind == LinkKind::Node { &self.to_nodes } else { &self.by_link };
        let loads =
            || all.iter().enumerate().filter(of_kind).map(|(_, &load)| (load * EQUAL).round());
        let most = loads().fold(0.0, f64::max);
        loads().filter(|&load| most > 0.0 && load >= most).count()
    }

    fn ends(&self, topology: &Topology, kind: LinkKind, link: usize) -> LinkEnds {
        let df = topology.dragonfly();
        if kind == LinkKind::Node {
            return LinkEnds::ToNode(NodeId(u32::try_from(link).expect("below 2²⁴ nodes")));
        }
        let (switch, _) = self.links.leaves(link).expect("a link that carries something");
        let (group, index) = df.place(switch);
        if kind == LinkKind::Global {
            let port = df.global_ports().find(|&port| self.links.global(group, port) == link);
            let near = End { group, port: port.expect("each global link leaves by a port") };
            return LinkEnds::Global(near, topology.peer(near).expect("it carries something"));
        }
        let to = df.indices(group).find(|&to| self.links.local(group, index, to) == link);
        LinkEnds::Local(switch, df.switch(group, to.expect("each local link leads to a switch")))
    }
}
