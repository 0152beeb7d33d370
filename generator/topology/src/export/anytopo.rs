//! For the topology `anytopo` of SST's merlin: Python that makes a graph of routers, and a function that makes its
//! routing table from the lines of `tvlb paths --all --json --set`.
//!
//! Merlin's `topoAny` numbers routers from 0 without gaps, counts each link between two routers once, and stops at a
//! router without endpoints.

use super::error::ExportError;
use super::wiring::Wiring;
use std::fmt::Write;

const PROGRAM: &str = "merlin's anytopo";

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

/// The text in Python. A router is numbered by its switch's position among the live ones.
///
/// # Errors
/// Two switches that share several links, or a switch without nodes.
pub fn anytopo(wiring: &Wiring<'_>) -> Result<String, ExportError> {
    let links = wiring.single_links(PROGRAM)?;
    let mut text = format!(
        "# {} for the topology anytopo of SST's merlin, with one line for each router and for\n\
         # each link. Routers, latencies and everything else are left to you. Give graph to import_graph,\n\
         # and routing_table(...) to the plugin sourceRoutingPlugin.\n\
         import json\n\nimport networkx\n\ngraph = networkx.Graph()\ngraph.add_nodes_from([\n",
        wiring.dragonfly()
    );
    for (router, &switch) in wiring.switches().iter().enumerate() {
        let endpoints = wiring.nodes_of(switch).count();
        if endpoints == 0 {
            return Err(ExportError::refused(
                PROGRAM,
                "stops at a router without endpoints",
                format!("switch {} has no nodes", wiring.names().named(switch)),
                "nodes on each switch",
            ));
        }
        let _ =
            writeln!(text, "    ({router}, {{\"switch\": {switch}, \"endpoints\": {endpoints}}}),");
    }
    text += "])\ngraph.add_edges_from([\n";
    for pair in links {
        let [one, other] = pair.map(|switch| wiring.place(switch));
        let _ = writeln!(text, "    ({one}, {other}),");
    }
    Ok(text + "])\n" + ROUTING_TABLE)
}

#[cfg(test)]
mod tests;
