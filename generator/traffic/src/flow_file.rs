//! Flows from a file: pairs of switches or nodes with a demand each.

use crate::Flows;
use tvlb_base::text::{NamedText, Records, Refused, quoted};
use tvlb_table_set::names::Parts;

/// The columns of flows between switches.
const OF_SWITCHES: [&str; 3] = ["source-switch", "destination-switch", "demand"];
/// The columns of flows between nodes.
const OF_NODES: [&str; 3] = ["source-node", "destination-node", "demand"];

impl Flows {
    /// Reads flows from CSV with the header `source-switch,destination-switch,demand` or
    /// `source-node,destination-node,demand`; demands of one pair of switches add up. Switches and nodes are
    /// named by number or by name.
    ///
    /// # Errors
    /// The first thing in the text that is no flow of this Dragonfly.
    pub fn from_csv(parts: &Parts<'_>, text: &str, origin: &str) -> Result<Self, Refused> {
        let nodes = parts.existing_nodes();
        let mut records = Records::of(NamedText::of_text(origin, text.as_bytes()));
        let by_node = records.expect_header(&[&OF_SWITCHES, &OF_NODES])? == 1;
        let columns = if by_node { OF_NODES } else { OF_SWITCHES };
        let mut pairs = Vec::new();
        while records.read()? {
            let end = |column: usize| {
                let text = &records.fields()[column];
                let found = if by_node {
                    parts.node(text).map(|node| nodes.dragonfly().switch_of(node).0)
                } else {
                    parts.switch(text)
                };
                found.map_err(|error| Refused::new(error.to_string(), "").at(records.place()))
            };
            let (from, to) = (end(0)?, end(1)?);
            let demand = records.fields()[2].parse().ok();
            let demand = demand.filter(|demand: &f64| demand.is_finite() && *demand > 0.0);
            pairs.push((
                from,
                to,
                demand.ok_or_else(|| {
                    let found = format!("{} is {}", columns[2], quoted(&records.fields()[2]));
                    Refused::new(found, "a finite number above 0").at(records.place())
                })?,
            ));
        }
        if pairs.is_empty() {
            let found = "there is no line after the header";
            return Err(Refused::new(found, "a pattern with at least one flow").in_file(origin));
        }
        Ok(Self::of_pairs(nodes, origin.to_owned(), None, pairs))
    }
}
