//! What can be wrong with the cable plan of a Slingshot network and the files that go with it.

use tvlb_base::text::{Place, TextError};

/// Why a Slingshot cable plan cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SlingshotError {
    #[error(transparent)]
    Text(#[from] TextError),
    #[error(
        "{place}: found a line of a Cray XC (Aries) interconnect dump; its groups have two dimensions, which tvlb does not support, accepted the point-to-point CSV of a Slingshot network"
    )]
    Aries { place: Place },
    #[error("{file}: found no row below the header, accepted at least one")]
    NoRows { file: String },
    #[error("{place}: {column} is {found}, accepted {accepted}")]
    Field { place: Place, column: &'static str, found: String, accepted: &'static str },
    #[error(
        "{place}: link_type is {link_type}, but src_group is {source_group} and dst_group is {destination_group}, accepted {accepted}"
    )]
    Groups {
        place: Place,
        link_type: &'static str,
        source_group: u32,
        destination_group: u32,
        accepted: &'static str,
    },
    #[error("{place}: both ends are jacks of the switch {switch}, accepted two different switches")]
    Itself { place: Place, switch: String },
    #[error(
        "{place}: the switch {switch} is in group {group}, but {first} says that it is in group {other}, accepted one group for each switch"
    )]
    TwoGroups { place: Place, switch: String, group: u32, first: Place, other: u32 },
    #[error(
        "{place}: the jack {jack} leads to {partner}, but {first} says that it leads to {other}, accepted one row for each jack"
    )]
    JackTaken { place: Place, jack: String, partner: String, first: Box<Place>, other: String },
    #[error(
        "{place}: the cable at the jack {jack} is on line {first} too, accepted one row for each cable in a file"
    )]
    RowTwice { place: Place, jack: String, first: u32 },
    #[error(
        "{place}: the interface {interface} is on the row of {first} too, accepted one row for each interface"
    )]
    InterfaceTaken { place: Place, interface: String, first: Place },
    #[error(
        "{place}: the switch {switch} has {found} ports in use with this row, accepted at most {most}, as many as a Slingshot switch has"
    )]
    Ports { place: Place, switch: String, found: usize, most: usize },
    #[error("{place}: the live link {link} is not planned: {planned}; accepted links of the plan")]
    NotPlanned { place: Place, link: String, planned: String },
    #[error(
        "{file}: found no link, accepted a text that names every live link as in x1000c0r1j5p0-x1000c0r3j6p0"
    )]
    NoLiveLinks { file: String },
    #[error("{place}: {what} is on line {first} too, accepted one line for each")]
    Twice { place: Place, what: String, first: u32 },
}
