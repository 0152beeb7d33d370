//! For the topology `anytopo` of SST's merlin: Python that makes a graph of routers, and a function that makes its
//! routing table from the lines of `tvlb paths --all --json --set`.
//!
//! Merlin's `topoAny` numbers routers from 0 without gaps, counts each link between two routers once, and stops at a
//! router without endpoints.

use super::error::ExportError;
use super::like_groups::linked_switches;
use crate::Topology;
use std::fmt;
use tvlb_schema::{Nodes, SwitchId};
use tvlb_table_set::names::Names;

const FORMAT: &str = "merlin's anytopo";

/// Makes a routing table of merlin: for each router and each destination its paths with their weights.
const ROUTING_TABLE: &str = r#"

def routing_table(lines, vlb):
    """The table for sourceRoutingPlugin, from lines that `tvlb paths --all --json --set SET` prints.

    vlb is the part of the packets that take VLB where there are paths of both kinds, from 0 to 1.
    """
    router_of = {data["switch"]: router for router, data in graph.nodes(data=True)}
    table = {router: {} for router in graph.nodes()}
    for line in lines:
        pair = json.loads(line)
        shares = {"min": 1 - vlb, "vlb": vlb}
        if not pair["min"] or not pair["vlb"]:
            shares = {"min": 1, "vlb": 1}
        paths = [
            (shares[kind] * path["probability"], [router_of[switch] for switch in path["switches"][1:]])
            for kind in ("min", "vlb")
            for path in pair[kind]
            if shares[kind] > 0
        ]
        if not paths:
            raise ValueError(f"no path from switch {pair['source']} to switch {pair['destination']}")
        table[router_of[pair["source"]]][router_of[pair["destination"]]] = paths
    return table
"#;

/// A wiring for `anytopo`; its `Display` is the text in Python.
#[derive(Clone, Debug)]
pub struct Anytopo<'t> {
    topology: &'t Topology,
    nodes: Nodes,
    /// By rising number; a router is a switch's place among them.
    switches: Vec<SwitchId>,
    links: Vec<(SwitchId, SwitchId)>,
}

/// The wiring for `anytopo`.
///
/// # Errors
/// Two switches that share several links, or a switch without nodes.
pub fn anytopo<'t>(topology: &'t Topology, names: &Names) -> Result<Anytopo<'t>, ExportError> {
    let links = linked_switches(topology, names, FORMAT)?;
    let (df, nodes) = (topology.dragonfly(), topology.nodes(names));
    let switches: Vec<SwitchId> = df.switches().filter(|&switch| topology.lives(switch)).collect();
    match switches.iter().find(|&&switch| nodes.of_switch(switch).next().is_none()) {
        None => Ok(Anytopo { topology, nodes, switches, links }),
        Some(&switch) => Err(ExportError::NoNodes { format: FORMAT, switch: names.named(switch) }),
    }
}

impl fmt::Display for Anytopo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let df = self.topology.dragonfly();
        writeln!(
            f,
            "# {df} for the topology anytopo of SST's merlin, with one line for each router and for"
        )?;
        writeln!(
            f,
            "# each link. Routers, latencies and everything else are left to you. Give graph to import_graph,"
        )?;
        writeln!(f, "# and routing_table(...) to the plugin sourceRoutingPlugin.")?;
        writeln!(f, "import json\n\nimport networkx\n\ngraph = networkx.Graph()")?;
        writeln!(f, "graph.add_nodes_from([")?;
        for (router, &switch) in self.switches.iter().enumerate() {
            let endpoints = self.nodes.of_switch(switch).count();
            writeln!(f, "    ({router}, {{\"switch\": {switch}, \"endpoints\": {endpoints}}}),")?;
        }
        writeln!(f, "])\ngraph.add_edges_from([")?;
        let router = |switch| self.switches.binary_search(&switch).map_err(|_| fmt::Error);
        for &(one, other) in &self.links {
            writeln!(f, "    ({}, {}),", router(one)?, router(other)?)?;
        }
        write!(f, "])\n{ROUTING_TABLE}")
    }
}

#[cfg(test)]
mod tests;
