//! On which node each process of a pattern runs, and which nodes jobs take.
//!
//! A rule puts the nodes of a machine in an order. Jobs take nodes in that order. Of a pattern, whose destinations
//! are computed on processes, there are as many processes as nodes, and the process of number k belongs to
//! the node of rank k, its *contiguous* node; a placement says on which node it runs instead: the k-th of
//! the order.

use crate::maps::{NodeRanks, below};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use tvlb_base::text::{Refused, quoted};
use tvlb_schema::{GroupId, NodeId, Nodes, SwitchIndex};
use tvlb_table_set::names::ListedNode;

/// Keeps the draws of shuffled groups apart from those of patterns and packets of the same seed.
const GROUP_STREAM: u64 = 0x706c_6163_696e_6773;
/// The same of nodes in random order.
const NODE_STREAM: u64 = 0x6a6f_6273_6f6e_6466;

/// What names a placement, on no fabric in particular.
const ACCEPTED: &str = "identity, spread, random, groups and listed:FILE";

/// A placement by name, on no fabric in particular.
///
/// # Example
/// ```
/// use tvlb_schema::{Dragonfly, NodeId};
/// use tvlb_traffic::{Pattern, PlacementRule, Traffic};
///
/// let df = Dragonfly::new(2, 4, 2, 9)?;
/// let placement = "groups".parse::<PlacementRule>()?.on(&df, 7)?;
/// // Processes 8 to 15 run on one group, in their order.
/// let first = placement.node(NodeId(8));
/// assert_eq!((first.0 % 8, placement.node(NodeId(11)).0), (0, first.0 + 3));
/// // Process 8 sends to process 16: so does the node of the one to the node of the other.
/// let traffic = Traffic::new(&"shift(1,0)".parse()?, &df, 7)?.placed(&placement);
/// let mut map = traffic.map().ok_or("each node sends to one other")?;
/// assert!(map.any(|pair| pair == (first, placement.node(NodeId(16)))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PlacementRule {
    /// By rising number, group by group and switch by switch: each process runs on its contiguous node.
    #[default]
    Identity,
    /// The nodes of the first switch of every group, then of the second of every group, and so on.
    Spread,
    /// In random order.
    Random,
    /// By rising number, but the groups in random order. If all groups are alike, a process whose contiguous
    /// node is in group i runs on the node of the same place in group π(i).
    Groups,
    /// In the order of a list, and on no other nodes: the k-th is that of process k, counted from 0.
    /// [`Parts::node_list`](tvlb_table_set::names::Parts::node_list) reads such a list.
    Listed(Vec<ListedNode>),
}

impl FromStr for PlacementRule {
    type Err = Refused;

    /// Reads a name; the list of [`Self::Listed`] is in a file.
    fn from_str(text: &str) -> Result<Self, Refused> {
        match text.trim() {
            "identity" => Ok(Self::Identity),
            "spread" => Ok(Self::Spread),
            "random" => Ok(Self::Random),
            "groups" => Ok(Self::Groups),
            _ => Err(Refused::new(format!("{} is not a placement", quoted(text)), ACCEPTED)),
        }
    }
}

impl fmt::Display for PlacementRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Identity => "identity",
            Self::Spread => "spread",
            Self::Random => "random",
            Self::Groups => "groups",
            Self::Listed(_) => "listed",
        })
    }
}

impl PlacementRule {
    /// The nodes of a machine in order; those of a list alone, if that is the rule. The seed decides what is
    /// random, by draws of its own, so that the seed of a run can be given whatever else depends on it.
    ///
    /// # Errors
    /// A list of nodes of which one is not there, or is there twice.
    pub fn order(&self, among: &Nodes, seed: u64) -> Result<Vec<NodeId>, Refused> {
        let df = among.dragonfly();
        let mut nodes: Vec<NodeId> = among.iter().collect();
        match self {
            Self::Identity => {}
            Self::Spread => nodes.sort_by_key(|node| {
                let (group, index): (GroupId, SwitchIndex) = df.place(df.switch_of(*node).0);
                (index, group) // stable: the nodes of a switch stay in order
            }),
            Self::Random => {
                nodes.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed ^ NODE_STREAM));
            }
            Self::Groups => {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ GROUP_STREAM);
                let mut order: Vec<GroupId> = df.group_numbers().collect();
                for last in (1..df.g()).rev() {
                    order.swap(last as usize, below(&mut rng, last + 1) as usize);
                }
                let mut places = vec![0; order.len()];
                for (place, group) in order.iter().enumerate() {
                    places[group.as_usize()] = place;
                }
                nodes.sort_by_key(|node| places[df.place(df.switch_of(*node).0).0.as_usize()]);
            }
            Self::Listed(list) => return listed(among, list),
        }
        Ok(nodes)
    }

    /// The placement of the processes of a pattern on the nodes of a fabric.
    ///
    /// # Errors
    /// A list that does not have each node of the fabric once.
    pub fn on(&self, among: impl Into<Nodes>, seed: u64) -> Result<Placement, Refused> {
        let among = &among.into();
        if *self == Self::Identity {
            return Ok(Placement(None));
        }
        let order = self.order(among, seed)?;
        let ranks = NodeRanks::of(among);
        let none = NodeId(u32::MAX);
        let mut node_of = vec![none; among.dragonfly().node_numbers() as usize];
        let mut process_of = node_of.clone();
        for (process, &node) in (0..).zip(&order) {
            let process = ranks.node(process);
            node_of[process.as_usize()] = node;
            process_of[node.as_usize()] = process;
        }
        if let Some(missing) = among.iter().find(|node| process_of[node.as_usize()] == none) {
            let found = u32::try_from(order.len()).expect("a list without doubles is short");
            let found = format!(
                "the list ends after {found} nodes, and the first that it lacks is node {missing}"
            );
            let count = ranks.count();
            let accepted = format!("each of the fabric's {count} nodes once, one to a line");
            return Err(Refused::new(found, accepted));
        }
        Ok(Placement(Some(Arc::new(Permutation { node_of, process_of }))))
    }
}

/// On which node of one fabric each process runs. A process is named by its contiguous node.
#[derive(Clone, Debug, Default)]
pub struct Placement(Option<Arc<Permutation>>);

/// A permutation of the nodes, and its inverse; entries of numbers without a node mean nothing.
#[derive(Debug)]
struct Permutation {
    node_of: Vec<NodeId>,
    process_of: Vec<NodeId>,
}

impl Placement {
    /// Whether every process runs on its contiguous node because no other placement was asked for.
    pub fn is_identity(&self) -> bool {
        self.0.is_none()
    }

    /// The node on which a process runs.
    #[inline]
    pub fn node(&self, process: NodeId) -> NodeId {
        self.0.as_ref().map_or(process, |placed| placed.node_of[process.as_usize()])
    }

    /// The process that runs on a node.
    #[inline]
    pub fn process(&self, node: NodeId) -> NodeId {
        self.0.as_ref().map_or(node, |placed| placed.process_of[node.as_usize()])
    }
}

/// The nodes of a list, if the machine has them and none is there twice.
fn listed(among: &Nodes, list: &[ListedNode]) -> Result<Vec<NodeId>, Refused> {
    let wanted = NodeRanks::of(among).count();
    // The line of each node, 0 where it has none.
    let mut lines = vec![0; among.dragonfly().node_numbers() as usize];
    for (number, &ListedNode { line, node }) in (0..).zip(list) {
        if !among.has(node) {
            let last = among.last().unwrap_or_default();
            let found = format!("there is no node {node}; the last node is {last}");
            return Err(Refused::new(found, "").on_line(line));
        }
        match std::mem::replace(&mut lines[node.as_usize()], line) {
            0 => {}
            _ if number >= wanted => {
                let found = format!("the list has named each of the fabric's {wanted} nodes");
                return Err(Refused::new(found, "its end").on_line(line));
            }
            first => {
                let found = format!("node {node} already stands in line {first}");
                return Err(Refused::new(found, "each node once").on_line(line));
            }
        }
    }
    Ok(list.iter().map(|listed| listed.node).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flows, Pattern, Traffic};
    use std::collections::BTreeMap;
    use tvlb_schema::{Dragonfly, GroupKind};
    use tvlb_table_set::names::{Names, Parts};

    fn on_list(df: &Dragonfly, text: &str) -> Result<Placement, String> {
        let names = Names::default();
        let list = Parts::new(df, &names).node_list(text).map_err(|error| error.to_string())?;
        PlacementRule::Listed(list).on(df, 1).map_err(|error| error.to_string())
    }

    /// A list of these nodes.
    fn lines(nodes: impl Iterator<Item = NodeId>) -> String {
        nodes.map(|node| node.to_string()).collect::<Vec<_>>().join("\n")
    }

    fn error(df: &Dragonfly, text: &str) -> String {
        on_list(df, text).unwrap_err()
    }

    #[test]
    fn a_list_names_each_node_once() {
        let df = Dragonfly::new(1, 2, 1, 3).unwrap();
        let placement = on_list(&df, "# node of each process\n5\n4\n\n3\n2\n1\n0\n").unwrap();
        assert_eq!(
            (0..6).map(|n| placement.node(NodeId(n)).0).collect::<Vec<_>>(),
            [5, 4, 3, 2, 1, 0]
        );
        assert_eq!(placement.process(NodeId(5)), NodeId(0));
        assert_eq!(
            error(&df, "0\n1\n2\n\n4\n"),
            "the list ends after 4 nodes, and the first that it lacks is node 3, accepted each of the \
             fabric's 6 nodes once, one to a line"
        );
        assert_eq!(
            error(&df, "0\n1\n2\n3\n4\n5\n# more\n0"),
            "line 8: the list has named each of the fabric's 6 nodes, accepted its end"
        );
        assert_eq!(
            error(&df, "0\n1\n\n1\n3\n4\n5\n"),
            "line 4: node 1 already stands in line 2, accepted each node once"
        );
        assert_eq!(error(&df, "0\n6\n"), "line 2: there is no node 6; the last node is 5");
        let other = Dragonfly::new(1, 2, 1, 2).unwrap();
        let list = PlacementRule::Listed(vec![ListedNode { line: 2, node: NodeId(4) }]);
        assert_eq!(
            list.on(&other, 1).unwrap_err().to_string(),
            "line 2: there is no node 4; the last node is 3"
        );
        assert!(error(&df, "").starts_with("the list ends after 0 nodes"));
    }

    #[test]
    fn a_list_of_an_uneven_fabric_names_the_nodes_that_there_are() {
        let kind = |p, a, g| GroupKind::new(p, a, 2, g);
        let df = Dragonfly::of_kinds(&[kind(2, 3, 1), kind(1, 2, 1), kind(2, 3, 1)]).unwrap();
        let all: Vec<NodeId> = df.nodes().collect();
        let text = lines(all.iter().rev().copied());
        let placement = on_list(&df, &text).unwrap();
        for (process, node) in all.iter().zip(all.iter().rev()) {
            assert_eq!((placement.node(*process), placement.process(*node)), (*node, *process));
        }
        let said = error(&df, &text.replacen("17\n", "7\n", 1));
        assert_eq!(
            said,
            "line 1: there is no node 7; group 1, to which the number falls, has the nodes 6, 8"
        );
    }

    #[test]
    fn names_read_back() {
        for name in ["identity", "spread", "random", "groups"] {
            assert_eq!(name.parse::<PlacementRule>().unwrap().to_string(), name);
        }
        let error = "group".parse::<PlacementRule>().unwrap_err().to_string();
        assert_eq!(
            error,
            "\"group\" is not a placement, accepted identity, spread, random, groups and listed:FILE"
        );
    }

    #[test]
    fn groups_move_as_a_whole_and_the_draws_of_a_seed_do_not_change() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let order = |seed| -> Vec<u32> {
            let placement = PlacementRule::Groups.on(&df, seed).unwrap();
            let first = |group| placement.node(NodeId(8 * group)).0 / 8;
            for process in df.nodes() {
                let node = placement.node(process);
                assert_eq!((node.0 / 8, node.0 % 8), (first(process.0 / 8), process.0 % 8));
                assert_eq!(placement.process(node), process);
            }
            (0..9).map(first).collect()
        };
        assert_eq!(order(1), [2, 8, 1, 3, 0, 4, 7, 6, 5]);
        assert_eq!(order(2), [2, 6, 0, 8, 3, 7, 1, 4, 5]);
    }

    #[test]
    fn orders_of_a_small_machine() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let order = |rule: PlacementRule, seed| -> Vec<u32> {
            rule.order(&(&df).into(), seed).unwrap().into_iter().map(|node| node.0).collect()
        };
        assert_eq!(order(PlacementRule::Identity, 1), (0..72).collect::<Vec<_>>());
        let spread = order(PlacementRule::Spread, 1);
        assert_eq!(spread[..6], [0, 1, 8, 9, 16, 17]);
        assert_eq!((&spread[18..22], spread[71]), (&[2, 3, 10, 11][..], 71));
        assert_eq!(order(PlacementRule::Random, 1)[..6], [66, 39, 13, 26, 41, 5]);
        let placed = PlacementRule::Spread.on(&df, 1).unwrap();
        assert_eq!((placed.node(NodeId(2)), placed.process(NodeId(8))), (NodeId(8), NodeId(2)));
    }

    /// Every pattern is the same traffic between processes, wherever they run.
    #[test]
    fn a_placed_pattern_is_the_pattern_on_processes() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let placement = PlacementRule::Groups.on(&df, 3).unwrap();
        for text in ["shift(2,1)", "type2#2", "permutation", "complement"] {
            let pattern: Pattern = text.parse().unwrap();
            let traffic = Traffic::new(&pattern, &df, 5).unwrap();
            let of = |(from, to)| (placement.node(from), placement.node(to));
            let expected: BTreeMap<_, _> = traffic.map().unwrap().map(of).collect();
            let placed = traffic.placed(&placement);
            assert_eq!(placed.map().unwrap().collect::<BTreeMap<_, _>>(), expected, "{text}");
            let flows = Flows::placed(&pattern, &df, &placement, 5).unwrap();
            let mut demands = BTreeMap::new();
            for (from, to) in expected {
                *demands.entry((df.switch_of(from).0, df.switch_of(to).0)).or_insert(0.0) += 1.0;
            }
            let of = |flow: &crate::Flow| ((flow.source, flow.destination), flow.demand);
            assert_eq!(flows.flows.iter().map(of).collect::<BTreeMap<_, _>>(), demands, "{text}");
        }
    }

    #[test]
    fn draws_are_made_among_processes() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let placement = PlacementRule::Groups.on(&df, 3).unwrap();
        for text in ["uniform", "next-group", "tmixed(50,50,2,1)", "mixed(50,50)", "hot-switch"] {
            let plain = Traffic::new(&text.parse().unwrap(), &df, 5).unwrap();
            let placed = plain.clone().placed(&placement);
            assert_eq!(placed.populations(), plain.populations());
            let rng = || Xoshiro256PlusPlus::seed_from_u64(9);
            for process in df.nodes() {
                let node = placement.node(process);
                assert_eq!(placed.population(node), plain.population(process));
                let (mut one, mut other) = (rng(), rng());
                for _ in 0..20 {
                    let expected = placement.node(plain.draw(process, &mut one));
                    assert_eq!(placed.draw(node, &mut other), expected, "{text}");
                }
            }
        }
    }

    #[test]
    fn the_identity_leaves_traffic_as_it_is() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let identity = PlacementRule::Identity.on(&df, 3).unwrap();
        assert!(identity.is_identity());
        let in_order = lines((0..72).map(NodeId));
        let listed = on_list(&df, &in_order).unwrap();
        let pattern = Pattern::Permutation { number: 0 };
        let traffic = Traffic::new(&pattern, &df, 5).unwrap();
        let map: Vec<_> = traffic.map().unwrap().collect();
        for placement in [identity, listed] {
            let placed = traffic.clone().placed(&placement);
            assert_eq!(placed.map().unwrap().collect::<Vec<_>>(), map);
        }
    }
}
