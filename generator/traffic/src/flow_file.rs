//! Flows from a file: pairs of switches or nodes with a demand each.

use std::sync::Arc;
use tvlb_base::text::{NamedText, Records, Refused, quoted};
use tvlb_schema::{NodeId, Nodes, SwitchId};
use tvlb_table_set::names::Parts;

/// The columns that a file may have.
const HEADERS: [&[&str]; 4] = [
    &["source-switch", "destination-switch", "demand"],
    &["source-node", "destination-node", "demand"],
    &["source-switch", "destination-switch"],
    &["source-node", "destination-node"],
];

/// The beginning or end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlowEnd {
    Node(NodeId),
    /// All nodes of a switch alike.
    Switch(SwitchId),
}

impl FlowEnd {
    /// The nodes that it stands for, of those that there are.
    pub(crate) fn nodes(self, among: &Nodes) -> Vec<NodeId> {
        match self {
            Self::Node(node) => Some(node).filter(|&node| among.has(node)).into_iter().collect(),
            Self::Switch(switch) => among.of_switch(switch).collect(),
        }
    }
}

/// A flow in a list, and its line there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedFlow {
    /// The line, counted from 1.
    pub line: u32,
    pub source: FlowEnd,
    pub destination: FlowEnd,
    /// Finite and above 0, in any unit.
    pub demand: f64,
}

/// Reads flows from CSV with the columns `source-node` and `destination-node`, or `source-switch` and
/// `destination-switch`, and `demand`, which is 1 where the column is not there. Switches and nodes are named by number
/// or by name.
///
/// # Errors
/// The first thing in the text that is no flow of this Dragonfly.
///
/// # Example
/// ```
/// use tvlb_schema::{Dragonfly, NodeId};
/// use tvlb_table_set::names::{Names, Parts};
/// use tvlb_traffic::{Pattern, Traffic, read_flows};
///
/// let (df, names) = (Dragonfly::new(2, 4, 2, 9)?, Names::default());
/// let text = "source-node,destination-node,demand\n0,9,3\n0,40,1\n1,40,2\n";
/// let flows = read_flows(&Parts::new(&df, &names), text, "flows.csv")?;
/// let traffic = Traffic::new(&Pattern::Flows(flows), &df, 1)?;
/// // Node 0 sends the most: three of four packets to node 9. Node 1 sends half as much.
/// assert_eq!(traffic.share_of_load(NodeId(1)), 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_flows(
    parts: &Parts<'_>,
    text: &str,
    origin: &str,
) -> Result<Arc<[ListedFlow]>, Refused> {
    let mut records = Records::of(NamedText::of_text(origin, text.as_bytes()));
    let header = records.expect_header(&HEADERS)?;
    let (by_node, has_demand) = (header % 2 == 1, header < 2);
    let mut flows = Vec::new();
    while records.read()? {
        let end = |column: usize| {
            let text = &records.fields()[column];
            let found = if by_node {
                parts.node(text).map(FlowEnd::Node)
            } else {
                parts.switch(text).map(FlowEnd::Switch)
            };
            found.map_err(|error| Refused::new(error.to_string(), "").at(records.place()))
        };
        let (source, destination) = (end(0)?, end(1)?);
        let demand = if has_demand { records.fields()[2].parse().ok() } else { Some(1.0) };
        let demand = demand.filter(|demand: &f64| demand.is_finite() && *demand > 0.0);
        let demand = demand.ok_or_else(|| {
            let found = format!("demand is {}", quoted(&records.fields()[2]));
            Refused::new(found, "a finite number above 0").at(records.place())
        })?;
        flows.push(ListedFlow { line: records.line_number(), source, destination, demand });
    }
    if flows.is_empty() {
        let found = "there is no line after the header";
        return Err(Refused::new(found, "a pattern with at least one flow").in_file(origin));
    }
    Ok(flows.into())
}
