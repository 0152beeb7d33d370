//! The map from jacks to the switch chip's ports: CSV of model, jack, port and chip port.

use super::error::SlingshotError;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use tvlb_base::text::{Fields, Place, Records, Source, quoted};

const COLUMNS: [&str; 4] = ["model", "jack", "port", "asic_port"];
const MOST_JACK: u32 = 999;
const MOST_CHIP_PORT: u32 = 63;

/// What a switch is built into, which decides how its jacks are wired to its chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Model {
    Blade,
    Rack,
}

impl Model {
    const ALL: [Self; 2] = [Self::Blade, Self::Rack];

    fn name(self) -> &'static str {
        match self {
            Self::Blade => "blade",
            Self::Rack => "rack",
        }
    }
}

/// The chip's port of each jack's port; a line of no model holds for both that have none of their
/// own.
#[derive(Debug)]
pub(super) struct JackMap(HashMap<(Option<Model>, u32), (u32, u32)>);

impl JackMap {
    /// The chip's port of a port of a switch of this model, or of either model.
    pub(super) fn number(&self, model: Option<Model>, port: u32) -> Option<u32> {
        if model.is_some() {
            return self.line(model, port).map(|(number, _)| number);
        }
        let [blade, rack] = Model::ALL.map(|model| self.number(Some(model), port));
        blade.filter(|_| blade == rack)
    }

    /// The chip's port and the line of the map.
    fn line(&self, model: Option<Model>, port: u32) -> Option<(u32, u32)> {
        self.0.get(&(model, port)).or_else(|| self.0.get(&(None, port))).copied()
    }
}

pub(super) fn read(source: Source<'_>) -> Result<JackMap, SlingshotError> {
    let file = source.name().to_owned();
    let mut map = JackMap(HashMap::new());
    let mut records = Records::of(source);
    records.expect_header(&[&COLUMNS])?;
    while records.read()? {
        add(&mut map, records.fields(), &records.place())?;
    }
    if map.0.is_empty() {
        return Err(SlingshotError::NoRows { file });
    }
    check(&map, &file)?;
    Ok(map)
}

fn add(map: &mut JackMap, fields: &Fields, place: &Place) -> Result<(), SlingshotError> {
    let refuse = |column: usize, accepted| SlingshotError::Field {
        place: place.clone(),
        column: COLUMNS[column],
        found: quoted(fields.get(column)),
        accepted,
    };
    let number = |column, most, accepted| {
        let field = fields.get(column);
        let is_number = (1..=4).contains(&field.len()) && field.bytes().all(|b| b.is_ascii_digit());
        let number: Option<u32> = field.parse().ok().filter(|n| is_number && *n <= most);
        number.ok_or_else(|| refuse(column, accepted))
    };
    let model = match fields.get(0) {
        "*" => None,
        name => {
            let model = Model::ALL.into_iter().find(|model| model.name() == name);
            Some(model.ok_or_else(|| refuse(0, "*, blade or rack"))?)
        }
    };
    let jack = number(1, MOST_JACK, "a jack's number, 0 to 999")?;
    let port = 2 * jack + number(2, 1, "0 or 1")?;
    let chip_port = number(3, MOST_CHIP_PORT, "a port of the switch chip, 0 to 63")?;
    match map.0.entry((model, port)) {
        Entry::Occupied(known) => Err(SlingshotError::Twice {
            place: place.clone(),
            what: format!("j{jack}p{} of the model {}", port % 2, quoted(fields.get(0))),
            first: known.get().1,
        }),
        Entry::Vacant(free) => {
            free.insert((chip_port, place.line));
            Ok(())
        }
    }
}

/// Refuses a map that gives one chip port to two ports of a model.
fn check(map: &JackMap, file: &str) -> Result<(), SlingshotError> {
    for model in Model::ALL {
        let ports = map.0.keys().filter(|(of, _)| of.is_none_or(|of| of == model));
        let lines = ports.filter_map(|(_, port)| map.line(Some(model), *port));
        let mut lines: Vec<(u32, u32)> = lines.collect();
        lines.sort_unstable();
        lines.dedup();
        if let Some(pair) = lines.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(SlingshotError::Twice {
                place: Place { file: file.into(), line: pair[1].1 },
                what: format!("asic_port {} of the model {}", pair[0].0, model.name()),
                first: pair[0].1,
            });
        }
    }
    Ok(())
}
