//! The point-to-point cable plan of an HPE Slingshot network: from its text to rows.
//!
//! The file is CSV of 17 columns below a preamble of lines that begin with `#`. A row is a cable
//! between the jacks of two switches (`local` or `global`), or from a jack to network interfaces
//! (`edge`). `plan.rs` puts rows together.

mod error;
mod header;
mod jacks;
pub(crate) mod live;
mod plan;
mod xname;

use crate::lines::{Fields, Lines, Place, Source, TextError, is_aries, shown};
use crate::machine::Machine;
use crate::notes::Notes;
use header::check_header;
use plan::{Cable, Plan};

pub use error::SlingshotError;

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

/// How the text says that there is nothing.
const NONE: &str = "none";

/// The machine of one or several plans, the links that are live, and the map of jacks.
///
/// # Errors
/// The first thing that is wrong, with its file and line.
pub(crate) fn read(
    plans: Vec<Source<'_>>,
    live: Option<Source<'_>>,
    jack_map: Option<Source<'_>>,
) -> Result<(Machine, Notes), SlingshotError> {
    let mut plan = Plan::default();
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

fn read_plan(source: Source<'_>, plan: &mut Plan) -> Result<(), SlingshotError> {
    let file = plan.enter_file(source.name());
    let mut lines = Lines::of(source);
    find_header(&mut lines)?;
    let (mut fields, mut is_empty) = (Fields::default(), true);
    while let Some(line) = lines.next()? {
        if line.trim().is_empty() {
            continue;
        }
        if line.starts_with('#') {
            plan.comments += 1;
            continue;
        }
        let split = fields.split(line);
        let place = || lines.place();
        split.map_err(|column| TextError::OpenQuote { place: place(), column })?;
        let row = read_row(&fields, &place)?;
        plan.count_id(fields.get(CABLE_ID));
        plan.add(file, lines.number(), row)?;
        is_empty = false;
    }
    if is_empty {
        return Err(SlingshotError::NoRows { file: plan.file(file).to_owned() });
    }
    Ok(())
}

/// Reads up to the header, and the header.
fn find_header(lines: &mut Lines<'_>) -> Result<(), SlingshotError> {
    // A comment may be a quoted field that goes on for several lines.
    let (mut is_quoted, mut has_preamble) = (false, false);
    loop {
        let Some(line) = lines.next()? else {
            let found = if has_preamble { "a preamble and no header" } else { "an empty file" };
            return Err(no_header(&lines.place(), found.to_owned()));
        };
        let plain = line.trim_start_matches([' ', '"']);
        if is_quoted || plain.starts_with('#') {
            is_quoted ^= line.bytes().filter(|&byte| byte == b'"').count() % 2 == 1;
            has_preamble = true;
        } else if plain.starts_with(COLUMNS[0]) {
            let mut fields = Fields::default();
            let split = fields.split(line);
            split.map_err(|column| TextError::OpenQuote { place: lines.place(), column })?;
            return check_header(&lines.place(), &fields, &COLUMNS);
        } else if is_aries(line) {
            return Err(SlingshotError::Aries { place: lines.place() });
        } else if !line.trim_matches([',', ' ', '\t']).is_empty() {
            let found = format!("{} on line {}", shown(line), lines.number());
            return Err(no_header(&lines.place(), found));
        }
    }
}

fn no_header(place: &Place, found: String) -> SlingshotError {
    SlingshotError::NoHeader { file: place.file.to_string(), found, begin: COLUMNS[0] }
}

/// What a row says. `place` is made only for an error.
fn read_row(fields: &Fields, place: &dyn Fn() -> Place) -> Result<Cable, SlingshotError> {
    if fields.len() < COLUMNS.len() {
        let (found, accepted) = (fields.len(), COLUMNS.len());
        return Err(SlingshotError::Fields { place: place(), found, accepted });
    }
    let refuse = |column: usize, accepted: &'static str| SlingshotError::Field {
        place: place(),
        column: COLUMNS[column],
        found: shown(fields.get(column)),
        accepted,
    };
    if fields.len() > COLUMNS.len() {
        // The commas of a route that nobody quoted; anything else has shifted the columns.
        let (begin, end) = (fields.get(ROUTE), fields.get(fields.len() - 1));
        if !(begin.starts_with('[') && end.ends_with(']')) {
            return Err(refuse(
                ROUTE,
                "17 fields, or a list in brackets as the last that may have commas",
            ));
        }
    }
    let jack =
        |column, accepted| xname::jack(fields.get(column)).ok_or_else(|| refuse(column, accepted));
    let expect_none = |column| match fields.get(column) {
        NONE => Ok(()),
        _ => Err(refuse(column, "none")),
    };
    let group = |column| {
        let field = fields.get(column);
        let is_number = (1..=9).contains(&field.len()) && field.bytes().all(|b| b.is_ascii_digit());
        let number = field.parse().ok().filter(|_| is_number);
        number.ok_or_else(|| refuse(column, "a group's number of at most 9 digits"))
    };
    let from = jack(SOURCE, "a jack of a switch, such as x1000c0r1j5")?;
    expect_none(SECOND_SOURCE)?;
    let link_type = match fields.get(LINK_TYPE) {
        "local" => "local",
        "global" => "global",
        "edge" => {
            if !matches!(fields.get(DESTINATION_GROUP), NONE | "n/a") {
                return Err(refuse(DESTINATION_GROUP, "none or n/a on an edge row"));
            }
            let interface = |column| match fields.get(column) {
                NONE => Ok(None),
                field => xname::nic(field).map(Some).ok_or_else(|| {
                    refuse(column, "a network interface, such as x1000c0s1b0n0h0, or none")
                }),
            };
            let interfaces = [interface(DESTINATION)?, interface(SECOND_DESTINATION)?];
            if interfaces == [None, None] {
                return Err(refuse(DESTINATION, "a network interface on one of an edge row's two"));
            }
            return Ok(Cable::Edge { from, group: group(SOURCE_GROUP)?, interfaces });
        }
        _ => return Err(refuse(LINK_TYPE, "edge, local or global")),
    };
    let to = jack(
        DESTINATION,
        "a jack of a switch, such as x1000c0r1j5; a network interface stands on edge rows alone",
    )?;
    expect_none(SECOND_DESTINATION)?;
    let [source_group, destination_group] = [group(SOURCE_GROUP)?, group(DESTINATION_GROUP)?];
    let accepted = match link_type {
        "local" if source_group != destination_group => "equal groups",
        "global" if source_group == destination_group => "two different groups",
        _ => {
            return Ok(Cable::Fabric {
                ends: [from, to],
                groups: [source_group, destination_group],
            });
        }
    };
    Err(SlingshotError::Groups {
        place: place(),
        link_type,
        source_group,
        destination_group,
        accepted,
    })
}
