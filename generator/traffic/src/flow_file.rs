//! Flows from a file: pairs of switches or nodes with a demand each.

use crate::{Flow, Flows};
use tvlb_base::text::{NamedText, Records, Refused, quoted};
use tvlb_schema::{NodeId, Nodes, SwitchId};
use tvlb_table_set::names::Parts;

/// The columns of flows between switches.
const OF_SWITCHES: [&str; 3] = ["source-switch", "destination-switch", "demand"];
/// The columns of flows between nodes.
const OF_NODES: [&str; 3] = ["source-node", "destination-node", "demand"];

/// A line of a file of flows.
#[derive(Clone, Debug)]
struct Line {
    /// Source and destination: switches, and which of their nodes if the file says it, else all of them alike.
    ends: [(SwitchId, Option<NodeId>); 2],
    /// Above 0.
    demand: f64,
}

/// The lines of a file, of which there is at least one.
fn lines(parts: &Parts<'_>, text: &str, origin: &str) -> Result<Vec<Line>, Refused> {
    let nodes = parts.existing_nodes();
    let mut records = Records::of(NamedText::of_text(origin, text.as_bytes()));
    let by_node = records.expect_header(&[&OF_SWITCHES, &OF_NODES])? == 1;
    let columns = if by_node { OF_NODES } else { OF_SWITCHES };
    let mut lines = Vec::new();
    while records.read()? {
        let end = |column: usize| {
            let text = &records.fields()[column];
            let found = if by_node {
                parts.node(text).map(|node| (nodes.dragonfly().switch_of(node).0, Some(node)))
            } else {
                parts.switch(text).map(|switch| (switch, None))
            };
            found.map_err(|error| Refused::new(error.to_string(), "").at(records.place()))
        };
        let ends = [end(0)?, end(1)?];
        let demand = records.fields()[2].parse().ok();
        let demand = demand.filter(|demand: &f64| demand.is_finite() && *demand > 0.0);
        let demand = demand.ok_or_else(|| {
            let found = format!("{} is {}", columns[2], quoted(&records.fields()[2]));
            Refused::new(found, "a finite number above 0").at(records.place())
        })?;
        lines.push(Line { ends, demand });
    }
    if lines.is_empty() {
        let found = "there is no line after the header";
        return Err(Refused::new(found, "a pattern with at least one flow").in_file(origin));
    }
    Ok(lines)
}

/// The flows between switches of these lines.
fn pairs(lines: &[Line]) -> impl Iterator<Item = (SwitchId, SwitchId, f64)> {
    lines.iter().map(|line| (line.ends[0].0, line.ends[1].0, line.demand))
}

impl Flows {
    /// Reads flows from CSV with the header `source-switch,destination-switch,demand` or
    /// `source-node,destination-node,demand`; demands of one pair of switches add up. Switches and nodes are
    /// named by number or by name.
    ///
    /// # Errors
    /// The first thing in the text that is no flow of this Dragonfly.
    pub fn from_csv(parts: &Parts<'_>, text: &str, origin: &str) -> Result<Self, Refused> {
        let lines = lines(parts, text, origin)?;
        Ok(Self::of_pairs(parts.existing_nodes(), origin.to_owned(), None, pairs(&lines)))
    }
}

/// Who sends how much to whom, where a node may send to many: a traffic matrix. It is scaled so that the node that
/// sends the most sends 1; the nodes of a switch of which the file speaks as a whole send and receive alike.
#[derive(Clone, Debug)]
pub struct TrafficMatrix {
    lines: Vec<Line>,
    /// Between switches, by source and then destination.
    flows: Vec<Flow>,
}

impl TrafficMatrix {
    /// Reads what [`Flows::from_csv`] reads.
    ///
    /// # Errors
    /// The first thing in the text that is no flow of this Dragonfly, or a switch without nodes.
    pub fn from_csv(parts: &Parts<'_>, text: &str, origin: &str) -> Result<Self, Refused> {
        let nodes = parts.existing_nodes();
        let mut lines = lines(parts, text, origin)?;
        for (switch, _) in lines.iter().flat_map(|line| line.ends) {
            if nodes.of_switch(switch).next().is_none() {
                let found = format!("switch {switch} has no nodes");
                return Err(Refused::new(found, "switches that have some").in_file(origin));
            }
        }
        let most = at_nodes(&lines, nodes, 0).into_iter().fold(0.0, f64::max);
        for line in &mut lines {
            line.demand /= most;
        }
        let flows = crate::flows::merged(pairs(&lines));
        Ok(Self { lines, flows })
    }

    /// How much a switch sends to each other and to itself.
    pub fn to_switches(&self, source: SwitchId) -> Vec<(SwitchId, f64)> {
        let first = self.flows.partition_point(|flow| flow.source < source);
        let flows = self.flows[first..].iter().take_while(|flow| flow.source == source);
        flows.map(|flow| (flow.destination, flow.demand)).collect()
    }

    /// How much each node receives of what these nodes send to each other, by number, and how many of them send.
    pub fn among(&self, nodes: &Nodes) -> (Vec<f64>, u32) {
        let sent = at_nodes(&self.lines, nodes, 0);
        let senders = sent.iter().filter(|&&sent| sent > 0.0).fold(0, |count, _| count + 1);
        (at_nodes(&self.lines, nodes, 1), senders)
    }

    /// How much all nodes send.
    pub fn sent(&self) -> f64 {
        self.lines.iter().map(|line| line.demand).sum()
    }
}

/// How much each node sends (`end` 0) or receives (1) of what these nodes send to each other, by number.
fn at_nodes(lines: &[Line], nodes: &Nodes, end: usize) -> Vec<f64> {
    let of_end = |(switch, node): (SwitchId, Option<NodeId>)| -> Vec<NodeId> {
        nodes
            .of_switch(switch)
            .filter(|&of_switch| node.is_none_or(|node| node == of_switch))
            .collect()
    };
    let mut amounts = vec![0.0; nodes.dragonfly().node_numbers() as usize];
    for Line { ends, demand } in lines {
        let [sources, destinations] = ends.map(of_end);
        if !sources.is_empty() && !destinations.is_empty() {
            let of_line = if end == 0 { sources } else { destinations };
            let count = of_line.iter().fold(0.0, |count, _| count + 1.0);
            for node in of_line {
                amounts[node.as_usize()] += demand / count;
            }
        }
    }
    amounts
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::Dragonfly;
    use tvlb_table_set::names::Names;

    fn read(text: &str) -> Result<TrafficMatrix, Refused> {
        let df = Dragonfly::new(2, 2, 1, 3).unwrap();
        let names =
            Names::read(&df, "group,switch,port,name,physical\n2,1,node 0,,\n2,1,node 1,,\n")
                .unwrap();
        TrafficMatrix::from_csv(&Parts::new(&df, &names), text, "flows.csv")
    }

    #[test]
    fn a_node_may_send_to_many() {
        let matrix = read("source-node,destination-node,demand\n0,2,3\n0,4,1\n1,4,2\n").unwrap();
        assert_eq!(matrix.to_switches(SwitchId(0)), [(SwitchId(1), 0.75), (SwitchId(2), 0.75)]);
        assert_eq!(matrix.to_switches(SwitchId(1)), []);
        let df = Dragonfly::new(2, 2, 1, 3).unwrap();
        let (received, senders) = matrix.among(&Nodes::from(&df));
        assert_eq!((&received[..6], senders), (&[0.0, 0.0, 0.75, 0.0, 0.75, 0.0][..], 2));
        assert!((matrix.sent() - 1.5).abs() < 1e-12);
        // Without node 1, and then without the one that receives most.
        let (received, senders) = matrix.among(&Nodes::from(&df).without([NodeId(1)]));
        assert_eq!((received[4], senders), (0.25, 1));
        assert_eq!(matrix.among(&Nodes::from(&df).without([NodeId(4)])).1, 1);
    }

    #[test]
    fn the_nodes_of_a_switch_share_what_it_sends() {
        let matrix = read("source-switch,destination-switch,demand\n0,1,3\n1,2,1\n").unwrap();
        assert_eq!(matrix.to_switches(SwitchId(0)), [(SwitchId(1), 2.0)]);
        let df = Dragonfly::new(2, 2, 1, 3).unwrap();
        let (received, senders) = matrix.among(&Nodes::from(&df));
        assert_eq!((received[2], received[3], senders), (1.0, 1.0, 4));
        let refused = read("source-switch,destination-switch,demand\n0,5,3\n").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "flows.csv: switch 5 has no nodes, accepted switches that have some"
        );
    }
}
