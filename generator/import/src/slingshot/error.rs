//! What can be wrong with the cable plan of a Slingshot network and the files that go with it.

use tvlb_base::text::{Place, TextError};

/// Why a Slingshot cable plan cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SlingshotError {
    /// The text itself.
    #[error(transparent)]
    Text(#[from] TextError),
    /// It is another machine's file.
    #[error(
        "{place}: found a line of a Cray XC (Aries) interconnect dump; its groups have two dimensions, which tvlb does not support, accepted the point-to-point CSV of a Slingshot network"
    )]
    Aries {
        /// The line.
        place: Place,
    },
    /// A header and nothing else.
    #[error("{file}: found no row below the header, accepted at least one")]
    NoRows {
        /// The file.
        file: String,
    },
    /// A field that cannot be understood.
    #[error("{place}: {column} is {found}, accepted {accepted}")]
    Field {
        /// The row.
        place: Place,
        /// The column's name.
        column: &'static str,
        /// The field, quoted.
        found: String,
        /// What would be understood.
        accepted: &'static str,
    },
    /// The groups do not suit the kind of cable.
    #[error(
        "{place}: link_type is {link_type}, but src_group is {source_group} and dst_group is {destination_group}, accepted {accepted}"
    )]
    Groups {
        /// The row.
        place: Place,
        /// The kind of cable.
        link_type: &'static str,
        /// The group of its source.
        source_group: u32,
        /// The group of its destination.
        destination_group: u32,
        /// Which groups it may have.
        accepted: &'static str,
    },
    /// A cable from a switch to itself.
    #[error("{place}: both ends are jacks of the switch {switch}, accepted two different switches")]
    Itself {
        /// The row.
        place: Place,
        /// The switch.
        switch: String,
    },
    /// A switch in two groups.
    #[error(
        "{place}: the switch {switch} is in group {group}, but {first} says that it is in group {other}, accepted one group for each switch"
    )]
    TwoGroups {
        /// The row.
        place: Place,
        /// The switch.
        switch: String,
        /// Its group there.
        group: u32,
        /// The row that named it first.
        first: Place,
        /// Its group there.
        other: u32,
    },
    /// A jack with two cables.
    #[error(
        "{place}: the jack {jack} leads to {partner}, but {first} says that it leads to {other}, accepted one row for each jack"
    )]
    JackTaken {
        /// The later row.
        place: Place,
        /// The jack.
        jack: String,
        /// Where it leads.
        partner: String,
        /// The earlier row.
        first: Box<Place>,
        /// Where it leads there.
        other: String,
    },
    /// One cable on two rows of a file.
    #[error(
        "{place}: the cable at the jack {jack} is on line {first} too, accepted one row for each cable in a file"
    )]
    RowTwice {
        /// The later row.
        place: Place,
        /// A jack of the cable.
        jack: String,
        /// The earlier row's line.
        first: u32,
    },
    /// An interface at two jacks.
    #[error(
        "{place}: the interface {interface} is on the row of {first} too, accepted one row for each interface"
    )]
    InterfaceTaken {
        /// The later row.
        place: Place,
        /// The interface.
        interface: String,
        /// The earlier row.
        first: Place,
    },
    /// More ports than a switch has.
    #[error(
        "{place}: the switch {switch} has {found} ports in use with this row, accepted at most {most}, as many as a Slingshot switch has"
    )]
    Ports {
        /// The row that brings the first port too many.
        place: Place,
        /// The switch.
        switch: String,
        /// How many ports are in use.
        found: usize,
        /// How many there can be.
        most: usize,
    },
    /// A live link that the plan does not have.
    #[error("{place}: the live link {link} is not planned: {planned}; accepted links of the plan")]
    NotPlanned {
        /// The line.
        place: Place,
        /// The link.
        link: String,
        /// What the plan has there.
        planned: String,
    },
    /// A file of live links without any.
    #[error(
        "{file}: found no link, accepted a text that names every live link as in x1000c0r1j5p0-x1000c0r3j6p0"
    )]
    NoLiveLinks {
        /// The file.
        file: String,
    },
    /// A line of the jack map that says again what another says.
    #[error("{place}: {what} is on line {first} too, accepted one line for each")]
    Twice {
        /// The line.
        place: Place,
        /// What occurs twice.
        what: String,
        /// The line where it occurs first.
        first: u32,
    },
}
