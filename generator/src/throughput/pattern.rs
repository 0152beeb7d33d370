//! Traffic patterns as flows between switches.
//!
//! A flow's demand is in units of one node's injection bandwidth: where all p nodes of a switch
//! send to one other switch, it is p. Everything random comes from a seed; the same seed gives the
//! same patterns on every machine.

use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::{collections::BTreeMap, fmt};
use tvlb_schema::{Dragonfly, GroupId, NodeId, SwitchId, SwitchIndex};

/// Traffic from one switch to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// Where it starts.
    pub source: SwitchId,
    /// Where it ends; may be the source itself, and the flow then uses no link.
    pub destination: SwitchId,
    /// In units of one node's bandwidth; above 0.
    pub demand: f64,
}

/// What kind of pattern it is, and so what may be concluded from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PatternKind {
    /// shift(Δg, Δs): switch (i, j) sends to ((i + Δg) mod g, (j + Δs) mod a).
    Shift {
        /// Δg, 0 to g − 1.
        groups: u32,
        /// Δs, 0 to a − 1.
        switches: u32,
    },
    /// The n-th of `TYPE_2_SET`.
    GroupPermutation(u32),
    /// The n-th random permutation of nodes.
    NodePermutation(u32),
    /// From a file.
    Listed,
}

/// Flows that occur together.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// As in tables: `shift(2,0)`.
    pub name: String,
    /// What kind it is.
    pub kind: PatternKind,
    /// At most one for each ordered pair of switches, by source and destination.
    pub flows: Vec<Flow>,
}

/// Why a file is not a pattern.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// Not CSV, or a field is not a number.
    #[error("{origin}: {source}")]
    Csv {
        /// The file's name.
        origin: String,
        /// What is wrong with it and where.
        source: csv::Error,
    },
    /// The first line is no known header.
    #[error(
        "{origin}: the first line is {found:?}; it must be \"source-switch,destination-switch,demand\" \
         or \"source-node,destination-node,demand\""
    )]
    Header {
        /// The file's name.
        origin: String,
        /// The line.
        found: String,
    },
    /// An end that the Dragonfly does not have.
    #[error("{origin}, line {line}: there is no {what} {found}; they are numbered 0 to {last}")]
    NoSuchEnd {
        /// The file's name.
        origin: String,
        /// The line, from 1.
        line: u64,
        /// `switch` or `node`.
        what: &'static str,
        /// The number found.
        found: u32,
        /// The greatest number.
        last: u32,
    },
    /// A demand that is no amount of traffic.
    #[error("{origin}, line {line}: the demand is {found}; it must be above 0 and finite")]
    Demand {
        /// The file's name.
        origin: String,
        /// The line, from 1.
        line: u64,
        /// The number found.
        found: f64,
    },
    /// No flow at all.
    #[error("{origin}: there is no line behind the header; a pattern has at least one flow")]
    Empty {
        /// The file's name.
        origin: String,
    },
}

impl Pattern {
    /// shift(Δg, Δs), p units for each switch. Δg and Δs count modulo g and a.
    pub fn shift(df: &Dragonfly, groups: u32, switches: u32) -> Self {
        let (groups, switches) = (groups % df.g(), switches % df.a());
        let flows = each_switch(df, |group, index| {
            at(df, (u32::from(group.0) + groups) % df.g(), (u32::from(index.0) + switches) % df.a())
        });
        let kind = PatternKind::Shift { groups, switches };
        Self { name: format!("shift({groups},{switches})"), kind, flows }
    }

    /// `TYPE_1_SET`: every shift to another group, (g − 1)·a of them.
    pub fn type_1(df: &Dragonfly) -> Vec<Self> {
        (1..df.g())
            .flat_map(|groups| (0..df.a()).map(move |switches| (groups, switches)))
            .map(|(groups, switches)| Self::shift(df, groups, switches))
            .collect()
    }

    /// `TYPE_2_SET`: a random group permutation that leaves no group where it is, and a random
    /// switch permutation for each group.
    ///
    /// The group permutation is uniform over those without a fixed group: permutations are drawn
    /// until one has none, 2.7 on average.
    pub fn type_2(df: &Dragonfly, count: u32, seed: u64) -> Vec<Self> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..count)
            .map(|number| {
                let mut groups: Vec<u32> = (0..df.g()).collect();
                loop {
                    groups.shuffle(&mut rng);
                    if (0..).zip(&groups).all(|(i, &to)| i != to) {
                        break;
                    }
                }
                let switches: Vec<Vec<u32>> = df
                    .groups()
                    .map(|_| {
                        let mut permutation: Vec<u32> = (0..df.a()).collect();
                        permutation.shuffle(&mut rng);
                        permutation
                    })
                    .collect();
                let flows = each_switch(df, |group, index| {
                    let from = group.as_usize();
                    at(df, groups[from], switches[from][index.as_usize()])
                });
                let kind = PatternKind::GroupPermutation(number);
                Self { name: format!("type-2 #{number}"), kind, flows }
            })
            .collect()
    }

    /// Random permutations of the nodes: each node sends to one other node or to itself.
    pub fn node_permutations(df: &Dragonfly, count: u32, seed: u64) -> Vec<Self> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..count)
            .map(|number| {
                let mut nodes: Vec<u32> = (0..df.node_count()).collect();
                nodes.shuffle(&mut rng);
                let pairs = (0..).zip(&nodes).map(|(from, &to)| {
                    (df.switch_of(NodeId(from)).0, df.switch_of(NodeId(to)).0, 1.0)
                });
                Self {
                    name: format!("permutation #{number}"),
                    kind: PatternKind::NodePermutation(number),
                    flows: merged(pairs),
                }
            })
            .collect()
    }

    /// Reads a pattern from CSV with the header `source-switch,destination-switch,demand` or
    /// `source-node,destination-node,demand`; demands of one pair of switches add up.
    ///
    /// # Errors
    /// The first thing in the text that is no flow of this Dragonfly.
    pub fn from_csv(df: &Dragonfly, text: &str, origin: &str) -> Result<Self, PatternError> {
        let csv_error = |source| PatternError::Csv { origin: origin.to_owned(), source };
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        let header = reader.headers().map_err(csv_error)?.iter().collect::<Vec<_>>().join(",");
        let by_node = match header.as_str() {
            "source-switch,destination-switch,demand" => false,
            "source-node,destination-node,demand" => true,
            _ => return Err(PatternError::Header { origin: origin.to_owned(), found: header }),
        };
        let (what, count) =
            if by_node { ("node", df.node_count()) } else { ("switch", df.switch_count()) };
        let mut pairs = Vec::new();
        for record in reader.into_records() {
            let record = record.map_err(csv_error)?;
            let line = record.position().map_or(0, csv::Position::line);
            let (from, to, demand): (u32, u32, f64) =
                record.deserialize(None).map_err(csv_error)?;
            let switch = |number: u32| {
                let node =
                    if by_node { NodeId(number) } else { NodeId(number.saturating_mul(df.p())) };
                if number < count {
                    Ok(df.switch_of(node).0)
                } else {
                    let origin = origin.to_owned();
                    Err(PatternError::NoSuchEnd {
                        origin,
                        line,
                        what,
                        found: number,
                        last: count - 1,
                    })
                }
            };
            let (from, to) = (switch(from)?, switch(to)?);
            if !(demand.is_finite() && demand > 0.0) {
                let origin = origin.to_owned();
                return Err(PatternError::Demand { origin, line, found: demand });
            }
            pairs.push((from, to, demand));
        }
        if pairs.is_empty() {
            return Err(PatternError::Empty { origin: origin.to_owned() });
        }
        Ok(Self { name: origin.to_owned(), kind: PatternKind::Listed, flows: merged(pairs) })
    }

    /// The greatest x that the terminals allow: each of a switch's p terminals sends and receives
    /// at most 1, so that no switch can send or receive more than p. At most 1.
    pub fn terminal_bound(&self, df: &Dragonfly) -> f64 {
        let mut sent = vec![0.0; df.switch_count() as usize];
        let mut received = sent.clone();
        for flow in &self.flows {
            sent[flow.source.as_usize()] += flow.demand;
            received[flow.destination.as_usize()] += flow.demand;
        }
        let most = sent.iter().chain(&received).fold(0.0, |most: f64, &sum| most.max(sum));
        let p = f64::from(df.p());
        if most <= p { 1.0 } else { p / most }
    }

    /// Whether renumbering the groups by one leaves the flows as they are.
    pub fn is_rotation_invariant(&self, df: &Dragonfly) -> bool {
        let next = |s: SwitchId| {
            let (group, index) = df.place(s);
            at(df, (u32::from(group.0) + 1) % df.g(), index.0.into())
        };
        let key = |source: SwitchId, destination: SwitchId| (source, destination);
        self.flows.iter().all(|flow| {
            let moved = key(next(flow.source), next(flow.destination));
            self.flows
                .binary_search_by_key(&moved, |f| key(f.source, f.destination))
                .is_ok_and(|place| self.flows[place].demand.to_bits() == flow.demand.to_bits())
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

/// `count` of the patterns, drawn from the seed without repetition, in their given order; all of
/// them where there are no more.
pub fn sample(patterns: Vec<Pattern>, count: usize, seed: u64) -> Vec<Pattern> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut left = patterns.len();
    let mut wanted = count;
    patterns
        .into_iter()
        .filter(|_| {
            // Selection sampling: each is taken with probability wanted / left.
            let left_now = u32::try_from(left).unwrap_or(u32::MAX);
            let taken =
                wanted > 0 && (wanted >= left || (rng.random_range(0..left_now) as usize) < wanted);
            left -= 1;
            wanted -= usize::from(taken);
            taken
        })
        .collect()
}

/// One flow of p units from each switch.
fn each_switch(
    df: &Dragonfly,
    destination: impl Fn(GroupId, SwitchIndex) -> SwitchId,
) -> Vec<Flow> {
    df.switches()
        .map(|source| {
            let (group, index) = df.place(source);
            Flow { source, destination: destination(group, index), demand: f64::from(df.p()) }
        })
        .collect()
}

fn at(df: &Dragonfly, group: u32, index: u32) -> SwitchId {
    let group = u16::try_from(group).expect("a Dragonfly's groups fit 16 bits");
    let index = u8::try_from(index).expect("a group's indices fit 8 bits");
    df.switch(GroupId(group), SwitchIndex(index))
}

/// Adds up the demands of equal pairs.
fn merged(pairs: impl IntoIterator<Item = (SwitchId, SwitchId, f64)>) -> Vec<Flow> {
    let mut sums = BTreeMap::new();
    for (source, destination, demand) in pairs {
        *sums.entry((source, destination)).or_insert(0.0) += demand;
    }
    sums.into_iter()
        .map(|((source, destination), demand)| Flow { source, destination, demand })
        .collect()
}
