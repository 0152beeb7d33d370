//! Flows from a file: pairs of switches or nodes with a demand each.

use crate::Flows;
use crate::flows::merged;
use crate::gap::Gap;
use tvlb_schema::{Dragonfly, NodeId, SwitchId};
use tvlb_text::{Place, Records, Source, TextError, quoted};

/// Why a file does not hold flows.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FlowFileError {
    /// It is not CSV with one of the headers.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A field is not a number.
    #[error("{place}: {column} is {}, accepted {accepted}", quoted(.found))]
    Field {
        /// The line.
        place: Place,
        /// The column's name.
        column: &'static str,
        /// What is there.
        found: String,
        /// What it may be.
        accepted: &'static str,
    },
    /// An end that the Dragonfly does not have.
    #[error("{place}: there is no {what} {found}; they are numbered 0 to {last}")]
    NoSuchEnd {
        /// The line.
        place: Place,
        /// `switch` or `node`.
        what: &'static str,
        /// The number found.
        found: u32,
        /// The greatest number.
        last: u32,
    },
    /// A number that no switch or node has, although some switch or node has a higher one.
    #[error("{place}: there is no {what} {found}: {gap}")]
    InGap {
        /// The line.
        place: Place,
        /// `switch` or `node`.
        what: &'static str,
        /// The number found.
        found: u32,
        /// The group to which the number falls.
        gap: Gap,
    },
    /// No flow at all.
    #[error("{origin}: there is no line after the header; a pattern has at least one flow")]
    Empty {
        /// The file's name.
        origin: String,
    },
}

/// The columns of flows between switches.
const OF_SWITCHES: [&str; 3] = ["source-switch", "destination-switch", "demand"];
/// The columns of flows between nodes.
const OF_NODES: [&str; 3] = ["source-node", "destination-node", "demand"];

impl Flows {
    /// Reads flows from CSV with the header `source-switch,destination-switch,demand` or
    /// `source-node,destination-node,demand`; demands of one pair of switches add up.
    ///
    /// # Errors
    /// The first thing in the text that is no flow of this Dragonfly.
    pub fn from_csv(df: &Dragonfly, text: &str, origin: &str) -> Result<Self, FlowFileError> {
        let mut records = Records::of(Source::of_text(origin, text.as_bytes()));
        let by_node = records.expect_header(&[&OF_SWITCHES, &OF_NODES])? == 1;
        let columns = if by_node { OF_NODES } else { OF_SWITCHES };
        let mut pairs = Vec::new();
        while records.read()? {
            let wrong = |column: usize, accepted| FlowFileError::Field {
                place: records.place(),
                column: columns[column],
                found: records.fields()[column].to_owned(),
                accepted,
            };
            let end = |column| {
                let number = records.fields()[column].parse();
                let number = number.map_err(|_| wrong(column, "a whole number"))?;
                switch_of(df, by_node, number, &records)
            };
            let (from, to) = (end(0)?, end(1)?);
            let demand = records.fields()[2].parse().ok();
            let demand = demand.filter(|demand: &f64| demand.is_finite() && *demand > 0.0);
            pairs.push((from, to, demand.ok_or_else(|| wrong(2, "a finite number above 0"))?));
        }
        if pairs.is_empty() {
            return Err(FlowFileError::Empty { origin: origin.to_owned() });
        }
        Ok(Self { name: origin.to_owned(), pattern: None, flows: merged(pairs) })
    }
}

/// The switch of this number, or that of the node of this number.
fn switch_of(
    df: &Dragonfly,
    by_node: bool,
    found: u32,
    records: &Records<'_>,
) -> Result<SwitchId, FlowFileError> {
    let switch = u16::try_from(found).ok().map(SwitchId);
    let (what, last, known, gap) = if by_node {
        let node = NodeId(found);
        let known = df.has_node(node).then(|| df.switch_of(node).0);
        ("node", df.last_node().0, known, Gap::of_node(df, node))
    } else {
        let gap = switch.and_then(|switch| Gap::of_switch(df, switch));
        let known = switch.filter(|&switch| df.has_switch(switch));
        ("switch", df.last_switch().0.into(), known, gap)
    };
    let place = || records.place();
    known.ok_or_else(|| match gap {
        Some(gap) => FlowFileError::InGap { place: place(), what, found, gap },
        None => FlowFileError::NoSuchEnd { place: place(), what, found, last },
    })
}
