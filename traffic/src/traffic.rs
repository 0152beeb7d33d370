//! A pattern on one fabric, as a simulator sees it: where a node's next packet goes.
//!
//! Uniform traffic draws from all nodes, the sender included, as the reference does.

use crate::maps::{self, below};
use crate::{Pattern, TrafficError};
use rand::Rng;
use tvlb_schema::{Dragonfly, NodeId};

/// Stands in the table of destinations where each packet's is drawn from all nodes.
const UNIFORM: NodeId = NodeId(u32::MAX);
/// Stands in the table of destinations where a node sends nothing.
const SILENT: NodeId = NodeId(u32::MAX - 1);
/// The largest number of a pattern among those that a seed gives: all before it are drawn too.
const MOST_NUMBER: u32 = 9999;

/// A traffic pattern on one fabric.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// For each node its destination, [`UNIFORM`] or [`SILENT`].
    to: Vec<NodeId>,
    nodes: u32,
    /// A packet goes to a node drawn from all if a draw of 32 bits is below this.
    uniform_below: u64,
    /// How many nodes a group has, where destinations are drawn from the next group.
    next_group: Option<u32>,
    /// For each node the number of its population.
    population: Vec<u8>,
    /// The names of the populations.
    populations: Vec<&'static str>,
}

impl Traffic {
    /// The pattern on a fabric of these sizes.
    ///
    /// # Errors
    /// Why it does not fit.
    pub fn new(pattern: &Pattern, df: &Dragonfly, seed: u64) -> Result<Self, TrafficError> {
        let nodes = df.node_count();
        let mut traffic = Self {
            to: vec![UNIFORM; nodes as usize],
            nodes,
            uniform_below: 0,
            next_group: None,
            population: vec![0; nodes as usize],
            populations: vec!["all"],
        };
        match pattern {
            Pattern::Uniform => {}
            Pattern::NextGroup => traffic.next_group = Some(df.p() * df.a()),
            Pattern::Shift { groups, switches } => {
                traffic.to = fitting_shift(pattern, df, *groups, *switches)?;
            }
            Pattern::TypeTwo { number } => {
                traffic.to = nth(pattern, *number, maps::type_two(df, seed))?;
            }
            Pattern::Permutation { number } => {
                traffic.to = nth(pattern, *number, maps::permutations(df, seed))?;
            }
            Pattern::Complement => {
                traffic.to = (0..nodes).rev().map(NodeId).collect();
            }
            Pattern::Mixed { uniform, adversarial, groups, switches } => {
                shares(pattern, *uniform, *adversarial)?;
                let adverse = fitting_shift(pattern, df, *groups, *switches)?;
                traffic.populations = vec!["uniform", "adversarial"];
                // Exactly u percent of the nodes, which ones at random.
                let uniform_nodes = (u64::from(nodes) * u64::from(*uniform) + 50) / 100;
                let order = maps::permutation(nodes, &mut maps::stream(seed));
                for (rank, &node) in order.iter().enumerate() {
                    if rank as u64 >= uniform_nodes {
                        traffic.to[node.as_usize()] = adverse[node.as_usize()];
                        traffic.population[node.as_usize()] = 1;
                    }
                }
            }
            Pattern::TMixed { uniform, adversarial, groups, switches } => {
                shares(pattern, *uniform, *adversarial)?;
                traffic.to = fitting_shift(pattern, df, *groups, *switches)?;
                traffic.uniform_below = (u64::from(*uniform) << 32) / 100;
            }
            Pattern::HotSwitch => {
                traffic.populations = vec!["rest", "hot"];
                let next = fitting_shift(pattern, df, 1, 0)?;
                for node in 0..nodes {
                    if (node / df.p()).is_multiple_of(df.a()) {
                        traffic.to[node as usize] = next[node as usize];
                        traffic.population[node as usize] = 1;
                    }
                }
            }
            Pattern::Pairs(pairs) => traffic.to = listed(pattern, nodes, pairs)?,
        }
        Ok(traffic)
    }

    /// Whether a node sends at all.
    pub fn sends(&self, node: NodeId) -> bool {
        self.to[node.as_usize()] != SILENT
    }

    /// The nodes that send, each with the one node that it sends to; `None` where destinations are
    /// drawn packet by packet.
    pub fn map(&self) -> Option<impl Iterator<Item = (NodeId, NodeId)>> {
        let is_map = self.uniform_below == 0 && !self.to.contains(&UNIFORM);
        let pairs = (0..).map(NodeId).zip(self.to.iter().copied());
        is_map.then(|| pairs.filter(|&(_, to)| to != SILENT))
    }

    /// The names of the populations among which figures are divided.
    pub fn populations(&self) -> &[&'static str] {
        &self.populations
    }

    /// The number of a node's population.
    pub fn population(&self, node: NodeId) -> usize {
        usize::from(self.population[node.as_usize()])
    }

    /// The destination of the next packet of a node that sends.
    #[inline]
    pub fn draw(&self, node: NodeId, rng: &mut impl Rng) -> NodeId {
        let to = self.to[node.as_usize()];
        if to == UNIFORM {
            if let Some(size) = self.next_group {
                let group = (node.0 / size + 1) % (self.nodes / size);
                return NodeId(group * size + below(rng, size));
            }
            return NodeId(below(rng, self.nodes));
        }
        if self.uniform_below > 0 && u64::from(rng.next_u32()) < self.uniform_below {
            return NodeId(below(rng, self.nodes));
        }
        to
    }
}

fn shares(pattern: &Pattern, one: u32, other: u32) -> Result<(), TrafficError> {
    let sum = one.saturating_add(other);
    if sum == 100 { Ok(()) } else { Err(TrafficError::Shares { pattern: pattern.clone(), sum }) }
}

/// The shift, if it is one on this fabric.
fn fitting_shift(
    pattern: &Pattern,
    df: &Dragonfly,
    groups: u32,
    switches: u32,
) -> Result<Vec<NodeId>, TrafficError> {
    let check = |what, found, most| {
        if found <= most {
            Ok(())
        } else {
            Err(TrafficError::Shift { pattern: pattern.clone(), what, found, most })
        }
    };
    check("the shift of groups", groups, df.g() - 1)?;
    check("the shift of switches", switches, df.a() - 1)?;
    if groups == 0 && switches == 0 {
        return Err(TrafficError::NoShift { pattern: pattern.clone() });
    }
    Ok(maps::shift(df, groups, switches))
}

/// The pattern of this number, of those that a seed gives.
fn nth(
    pattern: &Pattern,
    number: u32,
    mut all: impl Iterator<Item = Vec<NodeId>>,
) -> Result<Vec<NodeId>, TrafficError> {
    let found = (number <= MOST_NUMBER).then(|| all.nth(number as usize)).flatten();
    found.ok_or_else(|| TrafficError::Number { pattern: pattern.clone(), most: MOST_NUMBER })
}

/// The pairs, if they are those of a map.
fn listed(
    pattern: &Pattern,
    nodes: u32,
    pairs: &[(NodeId, NodeId)],
) -> Result<Vec<NodeId>, TrafficError> {
    if pairs.is_empty() {
        return Err(TrafficError::NoPair { pattern: pattern.clone() });
    }
    let mut to = vec![SILENT; nodes as usize];
    for (number, &(source, destination)) in (1..).zip(pairs) {
        for node in [source, destination] {
            if node.0 >= nodes {
                let (pattern, last) = (pattern.clone(), NodeId(nodes - 1));
                return Err(TrafficError::Node { pattern, number, node, last });
            }
        }
        if to[source.as_usize()] != SILENT {
            return Err(TrafficError::Twice { pattern: pattern.clone(), number, node: source });
        }
        to[source.as_usize()] = destination;
    }
    Ok(to)
}
