//! The point-to-point cable plan of an HPE Slingshot network: from its text to rows.
//!
//! The file is CSV of 17 columns below a preamble of lines that begin with `#`. A row is a cable
//! between the jacks of switches (`local` or `global`), of which an end may have two, or from a jack to network
//! interfaces (`edge`). `plan.rs` puts rows together.

mod jacks;
pub(crate) mod live;
mod plan;
mod xname;

use crate::files::{aries, is_aries, no_rows};
use crate::machine::Machine;
use crate::notes::Notes;
pub use plan::TwoJacks;
use plan::{Plan, PlannedCable};
use tvlb_base::text::{CsvFields, NamedText, Records, Refused, quoted};

/// The columns, in the only order accepted.
const COLUMNS: [&str; 17] = [
    "cable_id",
    "src_conn_a",
    "src_conn_b",
    "dst_conn_a",
    "dst_conn_b",
    "stage",
    "src_egress_a",
    "src_egress_b",
    "dst_egress_a",
    "dst_egress_b",
    "link_type",
    "src_group",
    "dst_group",
    "part_number",
    "part_length",
    "calculated_distance",
    "route",
];

const CABLE_ID: usize = 0;
const SOURCE: usize = 1;
const SECOND_SOURCE: usize = 2;
const DESTINATION: usize = 3;
const SECOND_DESTINATION: usize = 4;
const LINK_TYPE: usize = 10;
const SOURCE_GROUP: usize = 11;
const DESTINATION_GROUP: usize = 12;
const ROUTE: usize = 16;

/// The accepted second jack if it was not stated how such cables are joined.
const TWO_JACKS: &str = "none; or state with --two-jacks straight or --two-jacks crossed how the ports are joined of cables \
                         with two jacks at an end";

/// The text for an absent value.
const NONE: &str = "none";

/// The machine of one or several plans, the links that are live, and the map of jacks.
///
/// # Errors
/// The first thing that is wrong, with its file and line.
pub(crate) fn read(
    plans: Vec<NamedText<'_>>,
    live: Option<NamedText<'_>>,
    jack_map: Option<NamedText<'_>>,
    two_jacks: Option<TwoJacks>,
) -> Result<(Machine, Notes), Refused> {
    let mut plan = Plan::by(two_jacks);
    for source in plans {
        read_plan(source, &mut plan)?;
    }
    let jack_map = jack_map.map(jacks::read).transpose()?;
    let (mut machine, mut notes) = plan.into_machine(jack_map.as_ref())?;
    if let Some(source) = live {
        let name = source.name().to_owned();
        machine.down = live::missing(source, &machine)?;
        notes.assumed.push(format!(
            "A planned link that {name} does not name is taken to be down; the cable list has the \
             whole plan, and down.txt lists what is down."
        ));
    }
    Ok((machine, notes))
}

fn read_plan(source: NamedText<'_>, plan: &mut Plan) -> Result<(), Refused> {
    let file = plan.enter_file(source.name());
    let mut records = Records::of(source);
    records.expect_header(&[&COLUMNS]).map_err(|error| match records.place() {
        place if is_aries(records.line()) => {
            aries("the point-to-point CSV of a Slingshot network").at(place)
        }
        _ => error,
    })?;
    let (preamble, mut is_empty) = (records.comments(), true);
    while records.read_row()? {
        let cable = read_row(&records, plan.takes_two_jacks())?;
        plan.count_id(&records.fields()[CABLE_ID]);
        plan.add(file, records.line_number(), cable)?;
        is_empty = false;
    }
    plan.comments += records.comments() - preamble;
    if is_empty {
        return Err(no_rows(plan.file(file)));
    }
    Ok(())
}

/// Whether all fields after the sixteenth are the route: one field, or a list without quotes, whose commas have split
/// it. Other commas have shifted the columns, and a list that goes on after its bracket, or has a jack, is a row whose
/// line does not end.
fn is_route(fields: &CsvFields) -> bool {
    if fields.len() <= COLUMNS.len() {
        return true;
    }
    let parts: Vec<&str> = (ROUTE..fields.len()).map(|field| &fields[field]).collect();
    let is_jack =
        |part: &&str| xname::jack(part.trim_matches(['[', ']', '\'', '"', ' '])).is_some();
    let route = parts.join(",");
    let mut depth = 0_u32;
    let end = route.char_indices().find(|(_, character)| {
        match character {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    // A text that does not begin with a bracket ends at its first character.
    end.is_some_and(|(end, _)| end + 1 == route.len()) && !parts.iter().any(is_jack)
}

fn refuse(records: &Records<'_>, column: usize, accepted: &'static str) -> Refused {
    let found = format!("{} is {}", COLUMNS[column], quoted(records.fields().get(column)));
    Refused::new(found, accepted).at(records.place())
}

/// The network interfaces of an edge row, of which there is one at least.
fn interfaces(records: &Records<'_>) -> Result<[Option<xname::NicName>; 2], Refused> {
    let fields = records.fields();
    if !matches!(fields.get(DESTINATION_GROUP), NONE | "n/a") {
        return Err(refuse(records, DESTINATION_GROUP, "none or n/a on an edge row"));
    }
    let interface = |column| match fields.get(column) {
        NONE => Ok(None),
        field => xname::nic(field).map(Some).ok_or_else(|| {
            refuse(records, column, "a network interface, such as x1000c0s1b0n0h0, or none")
        }),
    };
    let interfaces = [interface(DESTINATION)?, interface(SECOND_DESTINATION)?];
    if interfaces == [None, None] {
        return Err(refuse(
            records,
            DESTINATION,
            "a network interface on one of an edge row's two",
        ));
    }
    Ok(interfaces)
}

fn read_row(records: &Records<'_>, takes_two_jacks: bool) -> Result<PlannedCable, Refused> {
    let fields = records.fields();
    if fields.len() < COLUMNS.len() {
        records.expect_columns()?;
    }
    let refuse = |column, accepted| refuse(records, column, accepted);
    if !is_route(fields) {
        return Err(refuse(
            ROUTE,
            "17 fields, or as the last a list in brackets, which may have commas but no name of a jack, \
             and which ends where the row ends",
        ));
    }
    let jack =
        |column, accepted| xname::jack(fields.get(column)).ok_or_else(|| refuse(column, accepted));
    let second_jack = |column| match fields.get(column) {
        NONE => Ok(None),
        _ if takes_two_jacks => jack(column, "none, or a second jack of a switch").map(Some),
        _ => Err(refuse(column, TWO_JACKS)),
    };
    let group = |column| {
        let field = fields.get(column);
        let is_number = (1..=9).contains(&field.len()) && field.bytes().all(|b| b.is_ascii_digit());
        let number = field.parse().ok().filter(|_| is_number);
        number.ok_or_else(|| refuse(column, "a group's number of at most 9 digits"))
    };
    let from = jack(SOURCE, "a jack of a switch, such as x1000c0r1j5")?;
    let link_type = match fields.get(LINK_TYPE) {
        "local" => "local",
        "global" => "global",
        "edge" => {
            if fields.get(SECOND_SOURCE) != NONE {
                return Err(refuse(SECOND_SOURCE, "none on an edge row"));
            }
            let interfaces = interfaces(records)?;
            return Ok(PlannedCable::Edge { from, group: group(SOURCE_GROUP)?, interfaces });
        }
        _ => return Err(refuse(LINK_TYPE, "edge, local or global")),
    };
    let to = jack(
        DESTINATION,
        "a jack of a switch, such as x1000c0r1j5; a network interface stands on edge rows alone",
    )?;
    let ends = [(from, second_jack(SECOND_SOURCE)?), (to, second_jack(SECOND_DESTINATION)?)];
    let [source_group, destination_group] = [group(SOURCE_GROUP)?, group(DESTINATION_GROUP)?];
    let accepted = match link_type {
        "local" if source_group != destination_group => "equal groups",
        "global" if source_group == destination_group => "two different groups",
        _ => {
            return Ok(PlannedCable::Fabric { ends, groups: [source_group, destination_group] });
        }
    };
    let found = format!(
        "link_type is {link_type}, but src_group is {source_group} and dst_group is {destination_group}"
    );
    Err(Refused::new(found, accepted).at(records.place()))
}
