//! Flows from a file: pairs of switches or nodes with a demand each.

use crate::Flows;
use crate::flows::merged;
use tvlb_names::{PartError, Parts};

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
    /// An end that names no switch or node.
    #[error("{origin}, line {line}: {error}")]
    End {
        /// The file's name.
        origin: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        error: Box<PartError>,
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
    /// `source-node,destination-node,demand`; demands of one pair of switches add up. Switches and nodes are
    /// named by number or by name.
    ///
    /// # Errors
    /// The first thing in the text that is no flow of this Dragonfly.
    pub fn from_csv(parts: &Parts<'_>, text: &str, origin: &str) -> Result<Self, FlowFileError> {
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
        let mut pairs = Vec::new();
        for record in reader.into_records() {
            let record = record.map_err(csv_error)?;
            let line = record.position().map_or(0, csv::Position::line);
            let (from, to, demand): (&str, &str, f64) =
                record.deserialize(None).map_err(csv_error)?;
            let switch = |text: &str| {
                let found = if by_node {
                    parts.node(text).map(|node| parts.dragonfly().switch_of(node).0)
                } else {
                    parts.switch(text)
                };
                found.map_err(|error| FlowFileError::End {
                    origin: origin.to_owned(),
                    line,
                    error: Box::new(error),
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
        Ok(Self { name: origin.to_owned(), pattern: None, flows: merged(pairs) })
    }
}
