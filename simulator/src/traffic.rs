//! Traffic: who sends to whom.
//!
//! A [`Pattern`] is what a user asks for; [`Traffic`] is the pattern on one fabric, with every
//! random choice that it makes once (a permutation, say) made from the run's seed.
//!
//! Uniform traffic draws from all nodes, the sender included, as the reference does.

use crate::pattern::Pattern;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_schema::Dragonfly;

/// Stands in the table of destinations where each packet's is drawn from all nodes.
const UNIFORM: u32 = u32::MAX;
/// Stands in the table of destinations where a node sends nothing.
const SILENT: u32 = u32::MAX - 1;
/// Keeps the draws of patterns apart from those of nodes and switches.
const STREAM: u64 = 0x7261_6666_6963;

/// A pattern that does not fit the fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficError {
    /// A shift goes farther than the fabric is large.
    #[error("traffic {pattern}: {what} is {found}, but this fabric accepts 0 to {most}")]
    Shift {
        /// The pattern.
        pattern: Pattern,
        /// Which of the two shifts it is.
        what: &'static str,
        /// The shift that was found.
        found: u32,
        /// The largest shift that the fabric accepts.
        most: u32,
    },
    /// Every node would send to itself.
    #[error("traffic {pattern}: it sends nothing anywhere; shift groups or switches by at least 1")]
    NoShift {
        /// The pattern.
        pattern: Pattern,
    },
    /// The shares of the two kinds of traffic do not add up to 100 percent.
    #[error("traffic {pattern}: the two shares add up to {sum} percent, accepted 100")]
    Shares {
        /// The pattern.
        pattern: Pattern,
        /// What the shares add up to.
        sum: u32,
    },
    /// A pair names a node that the fabric does not have.
    #[error("traffic {pattern}: pair {number} names node {node}, but the last node is {last}")]
    Node {
        /// The pattern.
        pattern: Pattern,
        /// The number of the pair, counted from 1.
        number: usize,
        /// The node.
        node: u32,
        /// The last node of the fabric.
        last: u32,
    },
    /// A node is given two destinations.
    #[error("traffic {pattern}: pair {number} gives node {node} a second destination")]
    Twice {
        /// The pattern.
        pattern: Pattern,
        /// The number of the pair, counted from 1.
        number: usize,
        /// The node.
        node: u32,
    },
    /// The list of pairs is empty.
    #[error("traffic {pattern}: there is no pair in it")]
    NoPair {
        /// The pattern.
        pattern: Pattern,
    },
}

/// A traffic pattern on one fabric.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// For each node its destination, [`UNIFORM`] or [`SILENT`].
    to: Vec<u32>,
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
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ STREAM);
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
                traffic.to = shift(pattern, df, *groups, *switches)?;
            }
            Pattern::TypeTwo => traffic.to = type_two(df, &mut rng),
            Pattern::Permutation => traffic.to = permutation(nodes, &mut rng),
            Pattern::Complement => traffic.to = (0..nodes).map(|n| nodes - 1 - n).collect(),
            Pattern::Mixed { uniform, adversarial, groups, switches } => {
                shares(pattern, *uniform, *adversarial)?;
                let adverse = shift(pattern, df, *groups, *switches)?;
                traffic.populations = vec!["uniform", "adversarial"];
                // Exactly u percent of the nodes, which ones at random.
                let uniform_nodes = (u64::from(nodes) * u64::from(*uniform) + 50) / 100;
                for (rank, &node) in permutation(nodes, &mut rng).iter().enumerate() {
                    if rank as u64 >= uniform_nodes {
                        traffic.to[node as usize] = adverse[node as usize];
                        traffic.population[node as usize] = 1;
                    }
                }
            }
            Pattern::TMixed { uniform, adversarial, groups, switches } => {
                shares(pattern, *uniform, *adversarial)?;
                traffic.to = shift(pattern, df, *groups, *switches)?;
                traffic.uniform_below = (u64::from(*uniform) << 32) / 100;
            }
            Pattern::HotSwitch => {
                traffic.populations = vec!["rest", "hot"];
                let next = shift(pattern, df, 1, 0)?;
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
    pub fn sends(&self, node: u32) -> bool {
        self.to[node as usize] != SILENT
    }

    /// The names of the populations among which figures are divided.
    pub fn populations(&self) -> &[&'static str] {
        &self.populations
    }

    /// The number of a node's population.
    pub fn population(&self, node: u32) -> usize {
        usize::from(self.population[node as usize])
    }

    /// The destination of a node's next packet.
    #[inline]
    pub(crate) fn draw(&self, node: u32, rng: &mut impl Rng) -> u32 {
        let to = self.to[node as usize];
        if to == UNIFORM {
            if let Some(size) = self.next_group {
                let group = (node / size + 1) % (self.nodes / size);
                return group * size + below(rng, size);
            }
            return below(rng, self.nodes);
        }
        if self.uniform_below > 0 && u64::from(rng.next_u32()) < self.uniform_below {
            return below(rng, self.nodes);
        }
        to
    }
}

/// A number below `n`, uniform up to a bias of n·2⁻³².
#[inline]
pub(crate) fn below(rng: &mut impl Rng, n: u32) -> u32 {
    ((u64::from(rng.next_u32()) * u64::from(n)) >> 32) as u32
}

fn shares(pattern: &Pattern, one: u32, other: u32) -> Result<(), TrafficError> {
    let sum = one.saturating_add(other);
    if sum == 100 { Ok(()) } else { Err(TrafficError::Shares { pattern: pattern.clone(), sum }) }
}

fn shift(
    pattern: &Pattern,
    df: &Dragonfly,
    groups: u32,
    switches: u32,
) -> Result<Vec<u32>, TrafficError> {
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
    let to = |node: u32| {
        let (switch, terminal) = (node / df.p(), node % df.p());
        let (group, index) = (switch / df.a(), switch % df.a());
        let (group, index) = ((group + groups) % df.g(), (index + switches) % df.a());
        (group * df.a() + index) * df.p() + terminal
    };
    Ok((0..df.node_count()).map(to).collect())
}

/// A permutation of the groups that leaves none in place, and of the switches of each group.
fn type_two(df: &Dragonfly, rng: &mut impl Rng) -> Vec<u32> {
    let groups = loop {
        // One in e permutations has no fixed point, so this ends soon.
        let groups = permutation(df.g(), rng);
        if groups.iter().zip(0..).all(|(&to, from)| to != from) {
            break groups;
        }
    };
    let mut to = Vec::with_capacity(df.node_count() as usize);
    for group in groups {
        for index in permutation(df.a(), rng) {
            to.extend((0..df.p()).map(|terminal| (group * df.a() + index) * df.p() + terminal));
        }
    }
    to
}

/// A permutation of 0 to n − 1, every one equally likely.
fn permutation(n: u32, rng: &mut impl Rng) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n).collect();
    for last in (1..n).rev() {
        order.swap(last as usize, below(rng, last + 1) as usize);
    }
    order
}

fn listed(pattern: &Pattern, nodes: u32, pairs: &[(u32, u32)]) -> Result<Vec<u32>, TrafficError> {
    if pairs.is_empty() {
        return Err(TrafficError::NoPair { pattern: pattern.clone() });
    }
    let mut to = vec![SILENT; nodes as usize];
    for (number, &(source, destination)) in (1..).zip(pairs) {
        for node in [source, destination] {
            if node >= nodes {
                let (pattern, last) = (pattern.clone(), nodes - 1);
                return Err(TrafficError::Node { pattern, number, node, last });
            }
        }
        if to[source as usize] != SILENT {
            return Err(TrafficError::Twice { pattern: pattern.clone(), number, node: source });
        }
        to[source as usize] = destination;
    }
    Ok(to)
}
