//! What can be wrong with the output of `ibnetdiscover`, and with groups that are looked for in it.

use tvlb_base::text::{Place, TextError, quoted};

/// Why the output of `ibnetdiscover` cannot be read, or its groups not be found.
#[derive(Debug, thiserror::Error)]
pub enum IbnetdiscoverError {
    #[error(transparent)]
    Text(#[from] TextError),
    #[error(
        "{place}: found a line of a Cray XC (Aries) interconnect dump; its groups have two dimensions, which tvlb does not support, accepted the output of ibnetdiscover"
    )]
    Aries { place: Place },
    #[error(
        "{file}: found no switch, accepted the output of ibnetdiscover, whose records begin with lines such as Switch 41 \"S-b8cef60300000100\""
    )]
    NoSwitch { file: String },
    #[error("{place}: found {found}, accepted {accepted}")]
    Line { place: Place, found: String, accepted: &'static str },
    #[error("{place}: {id} has a record on line {first} too, accepted one record for each")]
    RecordTwice { place: Place, id: String, first: u32 },
    #[error("{place}: port {port} of {id} is on line {first} too, accepted one link for each port")]
    PortTwice { place: Place, id: String, port: u32, first: u32 },
    #[error(
        "{place}: {id} has no record, accepted a record for each name; the file may be cut off"
    )]
    NoRecord { place: Place, id: String },
    #[error(
        "{place}: port {port} of {id} leads to port {far_port} of {far}, {answer}; accepted links that both ends name"
    )]
    OneSided { place: Place, id: String, port: u32, far: String, far_port: u32, answer: String },
    #[error("{place}: {what}, accepted {accepted}")]
    Link { place: Place, what: String, accepted: &'static str },
    #[error("--groups {}: {reason}", quoted(.pattern))]
    Pattern { pattern: String, reason: String },
    #[error(
        "{place}: the description {description} of the switch {id} does not match --groups {}, accepted a pattern that matches the description of every switch, with a capture group that is not empty; to leave a switch out, remove its record and the lines of the ports that lead to it",
        quoted(.pattern)
    )]
    NoGroup { place: Place, id: String, description: String, pattern: String },
    #[error(
        "{file}: the links do not tell the groups: {reason}; accepted --groups REGEX, a pattern whose one capture group takes the group's name out of each switch's description{hint}"
    )]
    Ambiguous { file: String, reason: String, hint: &'static str },
}
