//! What can be wrong with the output of `ibnetdiscover`, and with groups that are looked for in it.

use tvlb_base::text::{Place, TextError, quoted};

/// Why the output of `ibnetdiscover` cannot be read, or its groups not be found.
#[derive(Debug, thiserror::Error)]
pub enum IbnetdiscoverError {
    /// The text itself.
    #[error(transparent)]
    Text(#[from] TextError),
    /// It is another machine's file.
    #[error(
        "{place}: found a line of a Cray XC (Aries) interconnect dump; its groups have two dimensions, which tvlb does not support, accepted the output of ibnetdiscover"
    )]
    Aries {
        /// The line.
        place: Place,
    },
    /// A file without a record.
    #[error(
        "{file}: found no switch, accepted the output of ibnetdiscover, whose records begin with lines such as Switch 41 \"S-b8cef60300000100\""
    )]
    NoSwitch {
        /// The file.
        file: String,
    },
    /// A line that cannot be understood.
    #[error("{place}: found {found}, accepted {accepted}")]
    Line {
        /// The line.
        place: Place,
        /// What is there, quoted.
        found: String,
        /// What would be understood.
        accepted: &'static str,
    },
    /// Two records of one name.
    #[error("{place}: {id} has a record on line {first} too, accepted one record for each")]
    RecordTwice {
        /// The line.
        place: Place,
        /// The name.
        id: String,
        /// The line of the first record.
        first: u32,
    },
    /// Two links at one port.
    #[error("{place}: port {port} of {id} is on line {first} too, accepted one link for each port")]
    PortTwice {
        /// The later line.
        place: Place,
        /// Whose port.
        id: String,
        /// The port.
        port: u32,
        /// The earlier line.
        first: u32,
    },
    /// A link to something without a record.
    #[error(
        "{place}: {id} has no record, accepted a record for each name; the file may be cut off"
    )]
    NoRecord {
        /// The line.
        place: Place,
        /// The name.
        id: String,
    },
    /// A link that only one end knows.
    #[error(
        "{place}: port {port} of {id} leads to port {far_port} of {far}, {answer}; accepted links that both ends name"
    )]
    OneSided {
        /// The line.
        place: Place,
        /// Whose port.
        id: String,
        /// The port.
        port: u32,
        /// Where it leads.
        far: String,
        /// To which port.
        far_port: u32,
        /// What the other end says.
        answer: String,
    },
    /// A link that is not one of a network of switches.
    #[error("{place}: {what}, accepted {accepted}")]
    Link {
        /// The line.
        place: Place,
        /// What the link is.
        what: String,
        /// What it may be.
        accepted: &'static str,
    },
    /// The pattern for groups is not one.
    #[error("--groups {}: {reason}", quoted(.pattern))]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A switch whose description does not say its group.
    #[error(
        "{place}: the description {description} of the switch {id} does not match --groups {}, accepted a pattern that matches the description of every switch, with a capture group that is not empty; to leave a switch out, remove its record and the lines of the ports that lead to it",
        quoted(.pattern)
    )]
    NoGroup {
        /// The switch's record.
        place: Place,
        /// The switch.
        id: String,
        /// Its description, quoted.
        description: String,
        /// The pattern.
        pattern: String,
    },
    /// The links do not tell which groups there are.
    #[error(
        "{file}: the links do not tell the groups: {reason}; accepted --groups REGEX, a pattern whose one capture group takes the group's name out of each switch's description{hint}"
    )]
    Ambiguous {
        /// The file.
        file: String,
        /// Why not.
        reason: String,
        /// What else may help.
        hint: &'static str,
    },
}
