//! Where the switches of a machine stand, as people write it.
//!
//! ```text
//! place,x,y
//! cabinet x1000,0,0
//! cabinet x1001,0.6,0
//! group 7,0,2.4
//! "switch (8,1)",1.2,2.4
//! ```
//!
//! A place is named as in a list of dead parts ([`tvlb_table_set::dead_parts`]): a cabinet or a chassis by the names of
//! its switches, a group, a switch, or the switches that match a pattern. Every switch has one place.

use crate::Topology;
use std::collections::BTreeMap;
use tvlb_base::number::without_noise;
use tvlb_base::text::{Records, Refused, quoted};
use tvlb_schema::SwitchId;
use tvlb_table_set::dead_parts::{FaultsError, switches_of_line};
use tvlb_table_set::names::{NamedSwitch, Names, Parts};

/// The columns, in the only order accepted. x and y are in metres.
pub const COLUMNS: [&str; 3] = ["place", "x", "y"];

/// The largest coordinate and the longest length, in metres.
pub const MOST_METRES: f64 = 10_000.0;

/// Where all switches of a wiring stand.
#[derive(Clone, Debug)]
pub struct Places {
    /// The name, x and y of each place, in the order of the list.
    places: Vec<(String, [f64; 2])>,
    of_switch: BTreeMap<SwitchId, usize>,
}

/// Why a text does not give a place to every switch. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacesError {
    #[error(transparent)]
    Text(#[from] Refused),
    #[error(transparent)]
    Place(#[from] FaultsError),
    #[error("line {line}: {column} is {found}, accepted metres, -10000 to 10000")]
    Position { line: usize, column: &'static str, found: String },
    #[error(
        "line {line}: switch {switch} is in {place} already; accepted is one place for each switch"
    )]
    Twice { line: usize, switch: NamedSwitch, place: String },
    #[error("no line says where switch {0} is; accepted is one place for each switch")]
    Missing(NamedSwitch),
}

impl Places {
    /// The places of the switches of a wiring.
    ///
    /// # Errors
    /// The first line that is invalid or has a switch that was already placed, or a switch without a place.
    pub fn read(topology: &Topology, names: &Names, text: &str) -> Result<Self, PlacesError> {
        let mut records = Records::of_text(text);
        records.expect_header(&[&COLUMNS])?;
        let parts = Parts::new(topology.dragonfly(), names);
        let mut found = Self { places: Vec::new(), of_switch: BTreeMap::new() };
        while records.read()? {
            let (line, fields) = (records.line_number() as usize, records.fields());
            let position = |column: usize| {
                let (column, field) = (COLUMNS[column], &fields[column]);
                let metres = field.parse().ok().filter(|metres: &f64| metres.abs() <= MOST_METRES);
                metres.ok_or_else(|| PlacesError::Position { line, column, found: quoted(field) })
            };
            let at = [position(1)?, position(2)?];
            for switch in switches_of_line(&fields[0], line, topology, (names, &parts))? {
                if let Some(first) = found.of_switch.insert(switch, found.places.len()) {
                    let place = found.places.get(first).map_or(&fields[0], |(name, _)| name);
                    let (switch, place) = (names.named(switch), place.to_owned());
                    return Err(PlacesError::Twice { line, switch, place });
                }
            }
            found.places.push((fields[0].to_owned(), at));
        }
        let mut switches = topology.dragonfly().switches();
        match switches.find(|switch| !found.of_switch.contains_key(switch)) {
            None => Ok(found),
            Some(switch) => Err(PlacesError::Missing(names.named(switch))),
        }
    }

    /// The number of the place of a switch, in the order of the list.
    pub(super) fn of(&self, switch: SwitchId) -> usize {
        self.of_switch[&switch]
    }

    /// The name of a place in the list.
    pub(super) fn name(&self, place: usize) -> &str {
        &self.places[place].0
    }

    /// The distance of two places, in metres along x plus along y.
    pub(super) fn distance(&self, [one, other]: [usize; 2]) -> f64 {
        let [one, other] = [one, other].map(|place| self.places[place].1);
        without_noise((one[0] - other[0]).abs() + (one[1] - other[1]).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::wirings;

    const NAMES: &str =
        "group,switch,port,name,physical\n0,0,,x1000c0r1,\n0,1,,x1000c0r3,\n1,0,,x1001c0r1,\n";

    fn read(rows: &str) -> Result<Places, String> {
        let topology = wirings::absolute(1, 2, 1, 3);
        let names = Names::read(topology.dragonfly(), NAMES).unwrap();
        let text = format!("place,x,y\n{rows}");
        Places::read(&topology, &names, &text).map_err(|error| error.to_string())
    }

    #[test]
    fn places_are_named_as_parts_of_a_machine() {
        let places =
            read("cabinet x1000,0,0.1\nswitch x1001*,0.7,0\n\"switch (1,1)\",-1,0\ngroup 2,5,5\n");
        let places = places.unwrap();
        let of = [0, 1, 2, 3, 4, 5].map(|switch| places.of(SwitchId(switch)));
        assert_eq!(of, [0, 0, 1, 2, 3, 3]);
        // Without the noise of 0.7 + 0.1.
        let distance = |pair| places.distance(pair).to_string();
        assert_eq!([[0, 1], [1, 2], [2, 2]].map(distance), ["0.8", "1.7", "0"]);
    }

    #[test]
    fn what_says_no_place_is_refused() {
        let refused = |rows: &str| read(rows).unwrap_err();
        insta::assert_snapshot!(refused("cabinet x1000,0,0\n"), @"no line says where switch 2 x1001c0r1 is; accepted is one place for each switch");
        insta::assert_snapshot!(refused("group 0,0,0\ngroup 1,0,0\n\"switch (2,0)\",0,0\n"), @"no line says where switch 5 is; accepted is one place for each switch");
        insta::assert_snapshot!(refused("group 0,0,0\nswitch 1,2,0\n"), @"line 3: switch 1 x1000c0r3 is in group 0 already; accepted is one place for each switch");
        insta::assert_snapshot!(refused("group 0,0,far\n"), @r#"line 2: y is "far", accepted metres, -10000 to 10000"#);
        insta::assert_snapshot!(refused("group 0,NaN,0\n"), @r#"line 2: x is "NaN", accepted metres, -10000 to 10000"#);
        insta::assert_snapshot!(refused("cabinet x1002,0,0\n"), @r#"line 2: "x1002" is not a cabinet; accepted that of a switch with a name such as x1000c0r3, which is in cabinet x1000 and in chassis x1000c0 (did you mean x1000?)"#);
        insta::assert_snapshot!(refused("\"cable (0,0):0\",0,0\n"), @r#"line 2: found "cable (0,0):0", accepted `switch (GROUP,SWITCH)`, `group (GROUP)`, `cabinet NAME`, `chassis NAME`, or names of the list in their place"#);
        insta::assert_snapshot!(refused("group 0,0\n"), @"line 2: found 2 fields, accepted 3: place,x,y");
    }
}
