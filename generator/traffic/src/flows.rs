//! A pattern on one fabric, in a model's view: flows between switches.
//!
//! A flow's demand is in units of what one node sends: if all p nodes of a switch send to one other switch, it is p.

use crate::traffic::unfit;
use crate::{Pattern, Placement, Traffic, maps};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::{collections::BTreeMap, fmt};
use tvlb_base::text::Refused;
use tvlb_schema::{Dragonfly, FaultSet, GroupId, NodeId, Nodes, SwitchId};

/// Traffic from one switch to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    pub source: SwitchId,
    /// The switch that receives. It may be the source itself; the flow then uses no link.
    pub destination: SwitchId,
    /// In units of what one node sends; above 0.
    pub demand: f64,
}

/// Flows that occur together.
#[derive(Clone, Debug, PartialEq)]
pub struct Flows {
    /// The name in tables: that of the pattern, or that of the file.
    pub name: String,
    pub pattern: Pattern,
    /// At most one for each ordered pair of switches, by source and destination.
    pub flows: Vec<Flow>,
    /// See [`Self::terminal_bound`].
    terminal_bound: f64,
}

impl Flows {
    /// The flows of a pattern in which each node sends to one other at most, or of listed flows.
    ///
    /// # Errors
    /// The pattern does not fit the fabric, or draws destinations from all nodes or from groups.
    ///
    /// # Example
    /// ```
    /// use tvlb_schema::Dragonfly;
    /// use tvlb_traffic::{Flows, Pattern};
    ///
    /// let df = Dragonfly::new(2, 4, 2, 9)?;
    /// let flows = Flows::new(&"type2#3".parse()?, &df, 1)?;
    /// // The fourth of the set of this seed: one flow of p units from each of 36 switches.
    /// assert_eq!(flows, Flows::type_2_set(&df, 4, 1)[3]);
    /// assert_eq!((flows.flows.len(), flows.flows[0].demand), (36, 2.0));
    /// assert!(Flows::new(&Pattern::Uniform, &df, 1).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(pattern: &Pattern, among: impl Into<Nodes>, seed: u64) -> Result<Self, Refused> {
        Self::placed(pattern, among, &Placement::default(), seed)
    }

    /// As [`Self::new`], between processes that run where a placement says.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn placed(
        pattern: &Pattern,
        among: impl Into<Nodes>,
        placement: &Placement,
        seed: u64,
    ) -> Result<Self, Refused> {
        let nodes = &among.into();
        let traffic = Traffic::new(pattern, nodes, seed)?.placed(placement);
        if !traffic.is_listed() {
            let accepted = "patterns in which each node sends to one: shift(Δg,Δs), type2, permutation, \
                            complement, or flows:FILE";
            let found = match pattern {
                Pattern::Changing { .. } => "it changes, which the model does not take",
                _ => "a node sends to many, which the model does not take",
            };
            return Err(unfit(pattern, found, accepted));
        }
        let df = nodes.dragonfly();
        let flows = df.switches().flat_map(|source| {
            let to = traffic.to_switches(df, source);
            to.into_iter().map(move |(destination, demand)| Flow { source, destination, demand })
        });
        Ok(Self::of_flows(nodes, pattern.clone(), flows.collect()))
    }

    /// shift(Δg, Δs), where Δg and Δs count modulo g and a. Both may be 0: a switch then sends to
    /// itself.
    pub fn shift(among: impl Into<Nodes>, groups: u32, switches: u32) -> Self {
        let nodes = &among.into();
        let df = nodes.dragonfly();
        let (groups, switches) = (groups % df.g(), switches % df.a());
        let pattern = Pattern::Shift { groups, switches };
        Self::of_destinations(nodes, pattern, &maps::shift(nodes, groups, switches))
    }

    /// `TYPE_1_SET`: every shift to another group, (g − 1)·a of them.
    pub fn type_1_set(among: impl Into<Nodes>) -> Vec<Self> {
        let nodes = &among.into();
        let (groups, a) = (nodes.groups().fold(0, |count, _| count + 1), nodes.dragonfly().a());
        (1..groups)
            .flat_map(|groups| (0..a).map(move |switches| (groups, switches)))
            .map(|(groups, switches)| Self::shift(nodes, groups, switches))
            .collect()
    }

    /// `TYPE_2_SET`: the first patterns `type2` of a seed.
    pub fn type_2_set(among: impl Into<Nodes>, count: u32, seed: u64) -> Vec<Self> {
        let nodes = &among.into();
        let numbered = (0..count).zip(maps::type_two(nodes, seed));
        numbered
            .map(|(number, to)| Self::of_destinations(nodes, Pattern::TypeTwo { number }, &to))
            .collect()
    }

    /// The first permutations of the nodes of a seed.
    pub fn permutation_set(among: impl Into<Nodes>, count: u32, seed: u64) -> Vec<Self> {
        let nodes = &among.into();
        let numbered = (0..count).zip(maps::permutations(nodes, seed));
        numbered
            .map(|(number, to)| Self::of_destinations(nodes, Pattern::Permutation { number }, &to))
            .collect()
    }

    fn of_destinations(nodes: &Nodes, pattern: Pattern, to: &[NodeId]) -> Self {
        let df = nodes.dragonfly();
        let mut sums = BTreeMap::new();
        for (from, &to) in (0..).map(NodeId).zip(to).filter(|&(_, &to)| to != maps::SILENT) {
            *sums.entry((df.switch_of(from).0, df.switch_of(to).0)).or_insert(0.0) += 1.0;
        }
        let flow = |((source, destination), demand)| Flow { source, destination, demand };
        Self::of_flows(nodes, pattern, sums.into_iter().map(flow).collect())
    }

    /// These flows, which stand by source and destination.
    fn of_flows(nodes: &Nodes, pattern: Pattern, flows: Vec<Flow>) -> Self {
        let terminal_bound = terminal_bound(&flows, nodes);
        Self { name: pattern.to_string(), pattern, flows, terminal_bound }
    }

    /// The same flows under another name.
    #[must_use]
    pub fn named(self, name: String) -> Self {
        Self { name, ..self }
    }

    /// Leaves out the traffic of dead switches from flows among these nodes.
    pub fn leave_out(&mut self, faults: &FaultSet, nodes: &Nodes) {
        let is_dead = |switch| faults.switches.contains(&switch);
        self.flows.retain(|flow| !is_dead(flow.source) && !is_dead(flow.destination));
        self.terminal_bound = terminal_bound(&self.flows, &nodes.live(faults));
    }

    /// The greatest x that the terminals allow: each node of a switch sends and receives at most 1, so
    /// that no switch can send or receive more than it has nodes. At most 1.
    pub const fn terminal_bound(&self) -> f64 {
        self.terminal_bound
    }

    /// How much all nodes send, in units of what one node sends.
    pub fn demand(&self) -> f64 {
        self.flows.iter().map(|flow| flow.demand).sum()
    }

    /// Whether renumbering the groups by one leaves the flows as they are.
    pub fn is_rotation_invariant(&self, df: &Dragonfly) -> bool {
        if !df.is_even() {
            return false;
        }
        let next = |s: SwitchId| {
            let (group, index) = df.place(s);
            let group = if u32::from(group.0) + 1 == df.g() { 0 } else { group.0 + 1 };
            df.switch(GroupId(group), index)
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

impl fmt::Display for Flows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

/// `count` of the patterns, drawn from the seed without repetition, in their given order; all of
/// them where there are no more.
pub fn sample(patterns: Vec<Flows>, count: usize, seed: u64) -> Vec<Flows> {
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

/// See [`Flows::terminal_bound`].
fn terminal_bound(flows: &[Flow], nodes: &Nodes) -> f64 {
    let df = nodes.dragonfly();
    let mut sent = vec![0.0; df.switch_numbers() as usize];
    let mut received = sent.clone();
    for flow in flows {
        sent[flow.source.as_usize()] += flow.demand;
        received[flow.destination.as_usize()] += flow.demand;
    }
    let mut bound: f64 = 1.0;
    for switch in df.switches() {
        let count = nodes.of_switch(switch).fold(0.0, |count, _| count + 1.0);
        let most = sent[switch.as_usize()].max(received[switch.as_usize()]);
        if most > count {
            bound = bound.min(count / most);
        }
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_views_of_a_pattern_are_the_same_traffic() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        for text in ["shift(2,1)", "type2", "type2#4", "permutation", "permutation#2", "complement"]
        {
            for seed in [0, 1, 77] {
                let pattern: Pattern = text.parse().unwrap();
                let traffic = Traffic::new(&pattern, &df, seed).unwrap();
                let flows = Flows::new(&pattern, &df, seed).unwrap();
                let mut sent: BTreeMap<(SwitchId, SwitchId), f64> = BTreeMap::new();
                // A packet of the simulator goes where a flow of the model goes.
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
                for node in df.nodes() {
                    let to = traffic.draw(node, &mut rng);
                    *sent.entry((df.switch_of(node).0, df.switch_of(to).0)).or_default() += 1.0;
                }
                let of = |flow: &Flow| ((flow.source, flow.destination), flow.demand);
                assert_eq!(flows.flows.iter().map(of).collect::<BTreeMap<_, _>>(), sent, "{text}");
                assert_eq!((flows.to_string(), &flows.pattern), (text.to_owned(), &pattern));
            }
        }
    }

    #[test]
    fn the_sets_of_a_seed_are_its_numbered_patterns() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let numbered = |name: &str| -> Vec<Flows> {
            let name = |n| format!("{name}#{n}");
            (0..3).map(|n| Flows::new(&name(n).parse().unwrap(), &df, 5).unwrap()).collect()
        };
        assert_eq!(Flows::type_2_set(&df, 3, 5), numbered("type2"));
        assert_eq!(Flows::permutation_set(&df, 3, 5), numbered("permutation"));
    }

    #[test]
    fn patterns_with_many_destinations_have_no_flows() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        for text in ["uniform", "mixed(50,50)", "tmixed(50,50)", "hot-switch", "next-group"] {
            let error = Flows::new(&text.parse().unwrap(), &df, 1).unwrap_err();
            assert!(error.to_string().contains("a node sends to many"), "{error}");
        }
        let error = Flows::new(&"type2#10000".parse().unwrap(), &df, 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "traffic type2#10000: found number 10000, accepted 0 to 9999"
        );
    }
}
