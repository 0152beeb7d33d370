//! The escape ring: a path through all switches and back, each switch once.
//!
//! Four rules; the first that finds a ring decides:
//! 1. the groups by rising number;
//! 2. the groups in strides of 2, 3, … that visit all of them;
//! 3. a search over groups, first the group from which the fewest others can still be reached;
//! 4. on at most 4096 switches, the same over switches, so that a group may be entered several times.
//!
//! Under the first three every group is entered at one switch and left at another, with its other switches between them
//! by rising index. One cable is chosen for each step so that this works everywhere, if possible.

use super::inside::{passes, way_through};
use super::ring_hop::RingHop;
use super::{group_search, switch_search};
use std::fmt;
use tvlb_base::text::listed;
use tvlb_schema::GroupId;
use tvlb_topology::{Link, Topology};

/// The most switches of a fabric over whose switches a search is worth while.
const MOST_SWITCHES: u32 = 4096;
const MOST_STEPS: u64 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingRule {
    /// The groups by rising number.
    InOrder,
    /// The groups in strides of this length.
    Stride(usize),
    /// By a search over groups.
    Groups { steps: u64 },
    /// By a search over switches.
    Switches { steps: u64 },
}

impl fmt::Display for RingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InOrder => f.write_str("the groups in order"),
            Self::Stride(stride) => write!(f, "the groups in strides of {stride}"),
            Self::Groups { steps } => write!(f, "a search over groups, {steps} steps"),
            Self::Switches { steps } => write!(f, "a search over switches, {steps} steps"),
        }
    }
}

/// A way through all switches and back.
///
/// # Example
/// ```
/// use tvlb_schema::Dragonfly;
/// use tvlb_topology::arrangement::{Arrangement, arrange};
/// use tvlb_lab::escape::{Ring, RingRule};
///
/// let df = Dragonfly::new(4, 8, 4, 33)?;
/// let palm_tree = arrange(df, Arrangement::Palmtree, 1)?;
/// let ring = Ring::of(&palm_tree)?;
/// assert_eq!((ring.rule, ring.hops.len()), (RingRule::InOrder, 264));
/// let absolute = arrange(df, Arrangement::Absolute, 1)?;
/// assert_eq!(Ring::of(&absolute)?.rule, RingRule::Stride(13));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    pub rule: RingRule,
    /// The switches in its order, from switch 0 unless groups are searched.
    pub hops: Vec<RingHop>,
}

/// No ring was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RingError {
    #[error(
        "no escape ring: it would have to enter and leave every group by cables at two of its switches, but {} has its cables at one switch or none; an escape tree needs one cable to each group", groups(.0)
    )]
    Cut(Vec<GroupId>),
    #[error(
        "no escape ring was found: not with the groups in order, nor in strides; the search over groups {}, and that over switches {}; an escape tree works on any connected fabric", ended(*.groups), ended(*.switches)
    )]
    NotFound { groups: Option<u64>, switches: Option<u64> },
}

fn groups(groups: &[GroupId]) -> String {
    listed(groups.iter().map(|group| format!("group {group}")), groups.len(), 8)
}

fn ended(steps: Option<u64>) -> String {
    match steps {
        None => "came to its end".to_owned(),
        Some(0) => format!("is made on at most {MOST_SWITCHES} switches"),
        Some(steps) => format!("was given up after {steps} steps"),
    }
}

impl Ring {
    /// The ring of a wiring.
    ///
    /// # Errors
    /// There is no ring, or none was found.
    pub fn of(topology: &Topology) -> Result<Self, RingError> {
        let df = topology.dragonfly();
        let cut: Vec<GroupId> = df.groups().filter(|&group| is_cut(topology, group)).collect();
        if !cut.is_empty() {
            return Err(RingError::Cut(cut));
        }
        let all: Vec<GroupId> = df.groups().collect();
        for stride in 1..all.len().max(2) {
            let order = strides(&all, stride);
            if let Some(links) = links_along(topology, &order) {
                let rule = if stride == 1 { RingRule::InOrder } else { RingRule::Stride(stride) };
                return Ok(Self { rule, hops: hops_along(topology, &order, &links) });
            }
        }
        let groups = match group_search::search(topology, MOST_STEPS) {
            group_search::GroupSearchOutcome::Ring { order, links, steps } => {
                let hops = hops_along(topology, &order, &links);
                return Ok(Self { rule: RingRule::Groups { steps }, hops });
            }
            group_search::GroupSearchOutcome::Nothing => None,
            group_search::GroupSearchOutcome::GivenUp { steps } => Some(steps),
        };
        if df.switch_count() > MOST_SWITCHES {
            return Err(RingError::NotFound { groups, switches: Some(0) });
        }
        match switch_search::search(topology, MOST_STEPS) {
            switch_search::SwitchSearchOutcome::Ring { hops, steps } => {
                Ok(Self { rule: RingRule::Switches { steps }, hops })
            }
            switch_search::SwitchSearchOutcome::Nothing => {
                Err(RingError::NotFound { groups, switches: None })
            }
            switch_search::SwitchSearchOutcome::GivenUp { steps } => {
                Err(RingError::NotFound { groups, switches: Some(steps) })
            }
        }
    }
}

/// Whether a ring cannot pass through a group: it has fewer than two cables, or all of them at one switch
/// although it has several.
fn is_cut(topology: &Topology, group: GroupId) -> bool {
    let df = topology.dragonfly();
    let others = df.groups().filter(|&other| other != group);
    let mut switches: Vec<_> = others
        .flat_map(|other| topology.links(group, other))
        .map(|link| df.split_port(link.from).0)
        .collect();
    let cables = switches.len();
    switches.sort_unstable();
    switches.dedup();
    cables < 2 || (df.switches_of(group) > 1 && switches.len() < 2)
}

/// These groups in strides from the first; fewer of them if the stride does not visit all.
fn strides(groups: &[GroupId], stride: usize) -> Vec<GroupId> {
    let mut order = Vec::new();
    let mut at = 0;
    loop {
        order.push(groups[at]);
        at = (at + stride) % groups.len();
        if at == 0 {
            return order;
        }
    }
}

/// One link for each step from group to group and back to the first, such that every group can be passed; `None` if
/// there are none, or the order does not have all groups.
fn links_along(topology: &Topology, order: &[GroupId]) -> Option<Vec<Link>> {
    if order.len() != topology.dragonfly().groups().count() {
        return None;
    }
    let after = |place: usize| order[(place + 1) % order.len()];
    topology.links(order[0], after(0)).iter().find_map(|&first| {
        // For each step the links that can be reached from the first, each with the place of one before it.
        let mut steps: Vec<Vec<(Link, usize)>> = vec![vec![(first, 0)]];
        for place in 1..order.len() {
            let before = &steps[place - 1];
            let reached = topology.links(order[place], after(place)).iter().filter_map(|&link| {
                let fits = |(last, _): &(Link, usize)| passes(topology, order[place], *last, link);
                before.iter().position(fits).map(|at| (link, at))
            });
            let reached: Vec<(Link, usize)> = reached.collect();
            if reached.is_empty() {
                return None;
            }
            steps.push(reached);
        }
        let closes = |(last, _): &(Link, usize)| passes(topology, order[0], *last, first);
        let mut at = steps.last()?.iter().position(closes)?;
        let mut links = Vec::with_capacity(order.len());
        for step in steps.iter().rev() {
            let (link, before) = step[at];
            links.push(link);
            at = before;
        }
        links.reverse();
        Some(links)
    })
}

/// The switches along groups that are joined by these links, each link leading from a group to the next.
fn hops_along(topology: &Topology, order: &[GroupId], links: &[Link]) -> Vec<RingHop> {
    let df = topology.dragonfly();
    let mut hops = Vec::with_capacity(df.switch_count() as usize);
    for (place, &group) in order.iter().enumerate() {
        let entering = links[(place + links.len() - 1) % links.len()];
        let leaving = links[place];
        let (entered, (left, slot)) = (df.split_port(entering.to).0, df.split_port(leaving.from));
        let way = way_through(topology, group, entered, left);
        let way = way.expect("links are chosen so that every group can be passed");
        for (here, next) in way.iter().zip(&way[1..]) {
            let port = df.nth_local_port(df.switches_of(group), (*here, *next), 0);
            hops.push(RingHop { switch: df.switch(group, *here), port });
        }
        hops.push(RingHop { switch: df.switch(group, left), port: df.slot_port(slot) });
    }
    hops
}
