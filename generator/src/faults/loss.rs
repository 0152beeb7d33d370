//! The losses of packets' paths when parts of a fabric are dead.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use tvlb_schema::{End, FaultSet, PerDecision, SwitchId};
use tvlb_topology::Topology;

/// The most pairs that are named.
const NAMED: usize = 10;
/// The most dead parts for which the effect of mending each alone is computed.
const MOST_TRIED: usize = 256;

/// Ordered pairs of live switches with nodes, of which some are named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PairList {
    /// How many.
    pub count: u64,
    /// The first ten, source and destination, in order.
    pub first: Vec<(SwitchId, SwitchId)>,
}

impl PairList {
    pub(super) fn add(&mut self, from: SwitchId, to: SwitchId) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push((from, to));
        }
    }
}

/// A dead part whose mending would reconnect pairs that are cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mend {
    pub part: FaultSet,
    /// How many pairs could send again.
    pub joins: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouteLoss {
    /// Pairs with a minimal path in the plan and no live one, not through third switches either.
    pub min: PairList,
    /// Pairs for which a decision's set has routes in the plan and no live one.
    pub sets: PerDecision<PairList>,
    /// Pairs without any path, neither a minimal one nor one through another group.
    pub cut: PairList,
    /// Live switches with nodes that cannot reach any such switch of another group.
    pub isolated: Vec<SwitchId>,
    /// The part whose mending alone would reconnect the most of these, the first of several; `None` if no single part
    /// would reconnect any, or there are too many to try.
    pub mend: Option<Mend>,
}

/// Counts ordered pairs of live switches with nodes that have lost their last minimal path, and those without any path,
/// if these parts of a plan are dead.
///
/// # Example
/// ```
/// use tvlb_generator::faults::lost_pairs;
/// use tvlb_topology::arrangement::{Arrangement, arrange};
/// use tvlb_schema::{Dragonfly, FaultSet};
///
/// // One cable joins every two groups, so the pairs of two groups lose their minimal paths with it.
/// let plan = arrange(Dragonfly::new(2, 4, 2, 9)?, Arrangement::default(), 1)?;
/// let faults = FaultSet { cables: [plan.cables()[0].low].into(), ..FaultSet::default() };
/// assert_eq!(lost_pairs(&plan, &faults), (32, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn lost_pairs(plan: &Topology, faults: &FaultSet) -> (u64, u64) {
    let (mut min, mut cut) = (0, 0);
    for_each_without_min(plan, &plan.without(faults), faults, |_, has_lost, is_cut| {
        min += u64::from(has_lost);
        cut += u64::from(is_cut);
    });
    (min, cut)
}

/// Calls `each` for every pair of [`near`] without a live minimal path, with whether the plan has one, and whether the
/// pair is cut off.
fn for_each_without_min(
    plan: &Topology,
    live: &Topology,
    faults: &FaultSet,
    mut each: impl FnMut((SwitchId, SwitchId), bool, bool),
) {
    for (from, to) in near(plan, live, faults) {
        if !has_min(live, from, to) {
            each((from, to), has_min(plan, from, to), is_cut(live, from, to));
        }
    }
}

/// What is lost if these parts are dead; `sets` is known.
pub(super) fn find(
    plan: &Topology,
    live: &Topology,
    faults: &FaultSet,
    sets: PerDecision<PairList>,
) -> RouteLoss {
    let mut loss = RouteLoss { sets, ..RouteLoss::default() };
    let mut cut = Vec::new();
    for_each_without_min(plan, live, faults, |(from, to), has_lost, is_cut| {
        if has_lost {
            loss.min.add(from, to);
        }
        if is_cut {
            loss.cut.add(from, to);
            cut.push((from, to));
        }
    });
    loss.isolated = isolated(live, &cut);
    loss.mend = mend(plan, faults, &cut);
    loss
}

/// The switches that are cut off from all switches of other groups.
fn isolated(live: &Topology, cut: &[(SwitchId, SwitchId)]) -> Vec<SwitchId> {
    let df = live.dragonfly();
    let mut cut_from: BTreeMap<SwitchId, usize> = BTreeMap::new();
    for (from, to) in cut {
        if df.place(*from).0 != df.place(*to).0 {
            *cut_from.entry(*from).or_default() += 1;
        }
    }
    let others = |from: SwitchId| live.ends().outside(df.place(from).0).count();
    let is_isolated = |&(from, count): &(SwitchId, usize)| count == others(from);
    cut_from.into_iter().filter(is_isolated).map(|(from, _)| from).collect()
}

/// The pairs of live switches with nodes whose last minimal path the dead parts may have taken: those of groups that
/// share a dead cable, those from or to an end of a dead link, and those of groups that no cable of the plan joins. In
/// order, without repetition.
fn near(plan: &Topology, live: &Topology, faults: &FaultSet) -> BTreeSet<(SwitchId, SwitchId)> {
    let (df, ends_that_live) = (plan.dragonfly(), live.ends());
    let of_group = |group| ends_that_live.of_group(group);
    let mut near = BTreeSet::new();
    for low in df.groups() {
        for high in df.groups().filter(|&high| low < high) {
            let planned = plan.links(low, high).len();
            if planned != 0 && planned == live.links(low, high).len() {
                continue;
            }
            for from in of_group(low) {
                near.extend(of_group(high).flat_map(|to| [(from, to), (to, from)]));
            }
        }
    }
    let links = faults.local_links.iter();
    let mut ends: BTreeSet<SwitchId> =
        links.flat_map(|link| [link.low, df.switch(df.place(link.low).0, link.high)]).collect();
    if !plan.group_links().is_whole() {
        // If the plan lacks links, third switches may be lost too.
        let dead = faults.local_links.iter().map(|link| link.low);
        for switch in dead.chain(faults.switches.iter().copied()) {
            ends.extend(of_group(df.place(switch).0));
        }
    }
    for &end in ends.iter().filter(|&&end| ends_that_live.has(end)) {
        let others = ends_that_live.iter().filter(|&other| other != end);
        near.extend(others.flat_map(|other| [(end, other), (other, end)]));
    }
    near
}

/// Whether a minimal path joins two switches: between groups by a link and local hops at its ends, each through a third
/// switch if it has no link; within one by a link, or through a third switch if the plan has none.
fn has_min(topology: &Topology, from: SwitchId, to: SwitchId) -> bool {
    let df = topology.dragonfly();
    let ((own, here), (group, there)) = (df.place(from), df.place(to));
    if own == group {
        return topology.has_min_within(own, here, there);
    }
    let index = |port| df.split_port(port).0;
    topology.links(own, group).iter().any(|link| {
        topology.is_near(own, here, index(link.from))
            && topology.is_near(group, index(link.to), there)
    })
}

/// Whether two switches have neither a minimal path nor one through a third switch or another group.
pub(crate) fn is_cut(topology: &Topology, from: SwitchId, to: SwitchId) -> bool {
    let df = topology.dragonfly();
    let ((own, here), (group, there)) = (df.place(from), df.place(to));
    if own == group {
        return !topology.is_near(own, here, there);
    }
    !has_min(topology, from, to)
        && !topology
            .crossings(from, to)
            .any(|crossing| topology.is_near(crossing.middle, crossing.v, crossing.w))
}

/// The part whose mending alone reconnects the most pairs that are cut off.
fn mend(plan: &Topology, faults: &FaultSet, cut: &[(SwitchId, SwitchId)]) -> Option<Mend> {
    let parts = parts(faults);
    if cut.is_empty() || parts.len() > MOST_TRIED {
        return None;
    }
    let mut best: Option<Mend> = None;
    for part in parts {
        let mut rest = faults.clone();
        for switch in &part.switches {
            rest.switches.remove(switch);
        }
        for cable in &part.cables {
            rest.cables.remove(cable);
        }
        for link in &part.local_links {
            rest.local_links.remove(link);
        }
        let live = plan.without(&rest);
        let joins = cut.iter().filter(|&&(from, to)| !is_cut(&live, from, to)).count() as u64;
        if joins > best.as_ref().map_or(0, |best| best.joins) {
            best = Some(Mend { part, joins });
        }
    }
    best
}

/// Each dead part on its own: cables, links, switches.
fn parts(faults: &FaultSet) -> Vec<FaultSet> {
    let cables = faults
        .cables
        .iter()
        .map(|&end: &End| FaultSet { cables: [end].into(), ..FaultSet::default() });
    let links = faults
        .local_links
        .iter()
        .map(|&link| FaultSet { local_links: [link].into(), ..FaultSet::default() });
    let switches = faults
        .switches
        .iter()
        .map(|&switch| FaultSet { switches: [switch].into(), ..FaultSet::default() });
    cables.chain(links).chain(switches).collect()
}
