//! Static link loads: the mean load of every link when packets take MIN, or VLB paths drawn from a set, whatever the
//! queues.
//!
//! A load is in flits per cycle if every node that sends sends one flit per cycle. If the largest is L, nodes cannot
//! all send more than 1/L without a queue that grows without limit: the *static saturation*, which is 1 at most because
//! a node's own link carries no more. Finite buffers can saturate earlier. Beyond saturation, sources that do not need
//! the busy link continue to send, so that the mean over all nodes can rise above 1/L. If kinds of links differ in
//! bandwidth, each load counts relative to the bandwidth of its link.
//!
//! MIN is drawn uniformly among the links between two groups, and VLB as by a switch that does not thin its set. Within
//! a group VLB goes through a third switch, whatever the set. As in a switch, a packet without a VLB path takes MIN;
//! the amount of these is reported.
//!
//! Loads are sums of non-negative terms in f64, made in an order that does not depend on the number of
//! threads. The relative error of a sum of n terms is at most (n + 8)·2⁻⁵³: below 10⁻⁷ on any fabric, and
//! in practice the figures have twelve digits.

mod share_count;
#[cfg(test)]
mod tests;

pub use share_count::share_count;

pub use tvlb_schema::LinkKind;
use tvlb_schema::{
    Bandwidths, Dragonfly, DrawRule, LegHops, NodeId, Nodes, SetRule, ShapeSet, SwitchId,
};
use tvlb_topology::Topology;
pub use tvlb_topology::loads::LinkEnds;
use tvlb_topology::loads::{self, Demand, Draw, LinkLoads};
use tvlb_traffic::Traffic;

/// How packets choose their paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoadPaths {
    /// A minimal path.
    Min,
    /// A VLB path, as conventional VLB draws it.
    Conventional,
    /// A VLB path of a set. A set without paths is [`Self::Min`].
    Set(SetRule),
}

/// Why no loads can be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StaticLoadError {
    /// The traffic changes during a run, so that a link has no single load.
    #[error("the traffic changes, accepted traffic that stays as it is")]
    Changing,
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

/// The load of every link, in flits per cycle, if every node that sends sends one flit per cycle.
#[derive(Clone, Debug)]
pub struct StaticLoads {
    /// The loads of links between switches.
    pub links: LinkLoads,
    /// The load of the link to each node, by node number.
    pub to_nodes: Vec<f64>,
    /// How many nodes send. The link from each of them carries 1.
    pub senders: u32,
    /// Flits per cycle that take MIN because there is no VLB path.
    pub without_vlb: f64,
    /// Flits per cycle that have no path and are in no load.
    pub left_out: f64,
    bandwidths: Bandwidths,
}

impl LoadPaths {
    fn draw(&self, topology: &Topology) -> Draw<'_> {
        match self {
            Self::Min => Draw::Min,
            Self::Conventional => Draw::Conventional,
            Self::Set(rule) if rule.shapes() == ShapeSet::EMPTY => Draw::Min,
            Self::Set(rule) => {
                // The same draw, which is counted by groups instead of switches.
                let all = DrawRule::BySwitch { legs: LegHops::ALL, returns: true };
                let is_single =
                    topology.links_per_pair().1 <= 1 && topology.group_links().is_whole();
                if rule.draw == all && is_single {
                    Draw::Conventional
                } else {
                    Draw::Set { rule, levels: &[] }
                }
            }
        }
    }
}

/// The load of every link under this traffic.
///
/// Uses the threads of the current rayon pool; the result is the same for any number of them.
///
/// # Errors
/// There is no VLB path at all, or the traffic changes.
///
/// # Example
/// ```
/// use tvlb_generator::static_load::{LoadPaths, static_loads};
/// use tvlb_topology::arrangement::{Arrangement, arrange};
/// use tvlb_schema::Dragonfly;
/// use tvlb_traffic::Traffic;
///
/// let df = Dragonfly::new(2, 4, 2, 9)?;
/// let topology = arrange(df, Arrangement::Relative, 0)?;
/// let traffic = Traffic::new(&"shift(1,0)".parse()?, &df, 0)?;
/// // All eight nodes of a group share one link.
/// let loads = static_loads(&topology, &traffic, &LoadPaths::Min)?;
/// assert_eq!((loads.largest(), loads.saturation()), (8.0, 0.125));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn static_loads(
    topology: &Topology,
    traffic: &Traffic,
    paths: &LoadPaths,
) -> Result<StaticLoads, StaticLoadError> {
    let df = topology.dragonfly();
    if !traffic.changes().is_empty() {
        return Err(StaticLoadError::Changing);
    }
    let to_switches = |source| traffic.to_switches(df, source);
    loads_of(topology, &to_switches, (traffic.received(df), traffic.senders(df)), paths)
}

/// The load of every link if each switch sends to others as `to_switches` says, in any unit: flits per cycle, or
/// packets of a job. `at_nodes` is the load of the link to each node, by number, and how many nodes send.
///
/// Uses the threads of the current rayon pool; the result is the same for any number of them.
///
/// # Errors
/// There is no VLB path at all.
pub fn loads_of(
    topology: &Topology,
    to_switches: &(dyn Fn(SwitchId) -> Vec<(SwitchId, f64)> + Sync),
    at_nodes: (Vec<f64>, u32),
    paths: &LoadPaths,
) -> Result<StaticLoads, StaticLoadError> {
    let demands = |source| {
        let to = to_switches(source).into_iter();
        to.map(|(destination, amount)| Demand { source, destination, amount }).collect()
    };
    let draw = paths.draw(topology);
    let (mut links, mut left_out) = LinkLoads::of_demands(topology, draw, &demands);
    let mut without_vlb = 0.0;
    if !matches!(draw, Draw::Min) {
        let without = left_out;
        check(topology.dragonfly(), &demands, &without)?;
        let by_source = |source| {
            let first = without.partition_point(|demand| demand.source < source);
            let of_source = without[first..].chunk_by(|one, next| one.source == next.source).next();
            let of_source = of_source.filter(|demands| demands[0].source == source);
            of_source.map_or_else(Vec::new, <[Demand]>::to_vec)
        };
        let min = LinkLoads::of_demands(topology, Draw::Min, &by_source);
        left_out = min.1;
        links = links.mixed(1.0, &min.0, 1.0);
        without_vlb = total(&without) - total(&left_out);
    }
    let (to_nodes, senders) = at_nodes;
    let (left_out, bandwidths) = (total(&left_out), *topology.bandwidths());
    Ok(StaticLoads { links, to_nodes, senders, without_vlb, left_out, bandwidths })
}

fn total(demands: &[Demand]) -> f64 {
    demands.iter().fold(0.0, |sum, demand| sum + demand.amount)
}

/// Refuses VLB if no pair that sends between different groups has such a path.
fn check(
    df: &Dragonfly,
    demands: &impl Fn(SwitchId) -> Vec<Demand>,
    without: &[Demand],
) -> Result<(), StaticLoadError> {
    let group = |switch| df.place(switch).0;
    let is_between = |demand: &&Demand| group(demand.source) != group(demand.destination);
    let without = without.iter().filter(is_between).count();
    let of_source = |source| demands(source).iter().filter(is_between).count();
    if without == 0 || df.switches().map(of_source).sum::<usize>() > without {
        Ok(())
    } else if df.groups().nth(2).is_none() {
        let groups = df.groups().fold(0, |count, _| count + 1);
        Err(StaticLoadError::NoThirdGroup { groups })
    } else {
        Err(StaticLoadError::NoPath)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct LoadedLink {
    pub link: LinkEnds,
    /// Flits per cycle.
    pub load: f64,
}

impl StaticLoads {
    /// The same loads if only these nodes are left, because the switches of the others are dead. `at_nodes` is what
    /// each node receives from them, by number, and how many of them send. On links between switches the others have no
    /// load in any case, as no path leads there.
    #[must_use]
    pub fn among(self, nodes: &Nodes, (mut to_nodes, senders): (Vec<f64>, u32)) -> Self {
        for node in nodes.missing() {
            to_nodes[node.as_usize()] = 0.0;
        }
        Self { to_nodes, senders, ..self }
    }

    /// The loads if this share of the packets takes these paths, and the rest those of `others`: loads of the same
    /// traffic on the same wiring.
    #[must_use]
    pub fn mixed(&self, share: f64, others: &Self) -> Self {
        let mix = |own: f64, other: f64| share * own + (1.0 - share) * other;
        Self {
            links: self.links.clone().mixed(share, &others.links, 1.0 - share),
            without_vlb: mix(self.without_vlb, others.without_vlb),
            left_out: mix(self.left_out, others.left_out),
            ..self.clone()
        }
    }

    /// The largest load of any link, the links of the nodes included, relative to its bandwidth.
    pub fn largest(&self) -> f64 {
        let own: f64 = if self.senders > 0 { 1.0 } else { 0.0 };
        let nodes = self.to_nodes.iter().copied().fold(own, f64::max);
        let mut most = nodes / self.bandwidths.flits_per_cycle(LinkKind::Node);
        for kind in [LinkKind::Local, LinkKind::Global] {
            most = most.max(self.links.spread(kind).most / self.bandwidths.flits_per_cycle(kind));
        }
        most
    }

    /// The bandwidth of a kind of links, in flits per cycle.
    pub fn flits_per_cycle(&self, kind: LinkKind) -> f64 {
        self.bandwidths.flits_per_cycle(kind)
    }

    /// The largest load, in flits per node and cycle, that no link is too narrow for: 1 at most.
    pub fn saturation(&self) -> f64 {
        // The largest load is at least 1 if any node sends.
        1.0 / self.largest().max(1.0)
    }

    /// The links of a kind that carry most, at most `count`, the busiest first; of equal ones that with the lowest
    /// number. Idle links are left out.
    pub fn busiest(&self, topology: &Topology, kind: LinkKind, count: usize) -> Vec<LoadedLink> {
        let ends = |link| match kind {
            LinkKind::Node => {
                LinkEnds::ToNode(NodeId(u32::try_from(link).expect("below 2²⁴ nodes")))
            }
            _ => self.links.ends(topology, link),
        };
        let busiest = match kind {
            LinkKind::Node => loads::busiest(self.to_nodes.iter().copied().enumerate(), count),
            _ => self.links.busiest(kind, count),
        };
        busiest.into_iter().map(|(link, load)| LoadedLink { link: ends(link), load }).collect()
    }

    /// How many links of a kind carry as much as the busiest.
    pub fn as_busy(&self, kind: LinkKind) -> usize {
        match kind {
            LinkKind::Node => loads::as_busy(self.to_nodes.iter().copied()),
            _ => loads::as_busy(self.links.of_kind(kind).map(|(_, _, load)| load)),
        }
    }
}
