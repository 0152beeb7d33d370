//! Flows from a file: pairs of switches or nodes with a demand each.

use crate::Flows;
use crate::gap::Gap;
use tvlb_schema::{NodeId, Nodes, SwitchId};

/// Why a file does not hold flows.
#[derive(Debug, thiserror::Error)]
pub enum FlowFileError {
    /// Not CSV, or a field is not a number.
    #[error("{origin}: {source}")]
    Csv {
        /// The file's name.
        origin: String,
        /// What is wrong with it and where.
        source: csv::Error,
    },
    /// The first line is not a known header.
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
    /// A number that no switch or node has, although some switch or node has a higher one.
    #[error("{origin}, line {line}: there is no {what} {found}: {gap}")]
    InGap {
        /// The file's name.
        origin: String,
        /// The line, from 1.
        line: u64,
        /// `switch` or `node`.
        what: &'static str,
        /// The number found.
        found: u32,
        /// The group to which the number falls.
        gap: Gap,
    },
    /// A demand that is not an amount of traffic.
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
    #[error("{origin}: there is no line after the header; a pattern has at least one flow")]
    Empty {
        /// The file's name.
        origin: String,
    },
}

impl Flows {
    /// Reads flows from CSV with the header `source-switch,destination-switch,demand` or
    /// `source-node,destination-node,demand`; demands of one pair of switches add up.
    ///
    /// # Errors
    /// The first thing in the text that is no flow among these nodes.
    pub fn from_csv(
        among: impl Into<Nodes>,
        text: &str,
        origin: &str,
    ) -> Result<Self, FlowFileError> {
        let nodes = &among.into();
        let df = nodes.dragonfly();
        let csv_error = |source| FlowFileError::Csv { origin: origin.to_owned(), source };
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        let header = reader.headers().map_err(csv_error)?.iter().collect::<Vec<_>>().join(",");
        let by_node = match header.as_str() {
            "source-switch,destination-switch,demand" => false,
            "source-node,destination-node,demand" => true,
            _ => return Err(FlowFileError::Header { origin: origin.to_owned(), found: header }),
        };
        let (what, last) = if by_node {
            ("node", nodes.last().unwrap_or_default().0)
        } else {
            ("switch", df.last_switch().0.into())
        };
        let mut pairs = Vec::new();
        for record in reader.into_records() {
            let record = record.map_err(csv_error)?;
            let line = record.position().map_or(0, csv::Position::line);
            let (from, to, demand): (u32, u32, f64) =
                record.deserialize(None).map_err(csv_error)?;
            let switch = |number: u32| {
                let found = if by_node {
                    let node = NodeId(number);
                    nodes.has(node).then(|| df.switch_of(node).0)
                } else {
                    u16::try_from(number).ok().map(SwitchId).filter(|&switch| df.has_switch(switch))
                };
                found.ok_or_else(|| {
                    let origin = origin.to_owned();
                    let gap = if by_node {
                        Gap::of_node(nodes, NodeId(number))
                    } else {
                        u16::try_from(number).ok().and_then(|n| Gap::of_switch(df, SwitchId(n)))
                    };
                    match gap {
                        Some(gap) => {
                            FlowFileError::InGap { origin, line, what, found: number, gap }
                        }
                        None => {
                            FlowFileError::NoSuchEnd { origin, line, what, found: number, last }
                        }
                    }
                })
            };
            let (from, to) = (switch(from)?, switch(to)?);
            if !(demand.is_finite() && demand > 0.0) {
                let origin = origin.to_owned();
                return Err(FlowFileError::Demand { origin, line, found: demand });
            }
            pairs.push((from, to, demand));
        }
        if pairs.is_empty() {
            return Err(FlowFileError::Empty { origin: origin.to_owned() });
        }
        Ok(Self::of_pairs(nodes, origin.to_owned(), None, pairs))
    }
}
