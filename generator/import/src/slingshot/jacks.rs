//! The map from jacks to the switch chip's ports: CSV of model, jack, port and chip port.

use crate::files::no_rows;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use tvlb_base::text::{CsvFields, FilePlace, NamedText, Records, Refused, quoted};

const COLUMNS: [&str; 4] = ["model", "jack", "port", "asic_port"];
const MOST_JACK: u32 = 999;
const MOST_CHIP_PORT: u32 = 63;

/// The enclosure of a switch, which decides how its jacks are wired to its chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Enclosure {
    Blade,
    Rack,
}

impl Enclosure {
    const ALL: [Self; 2] = [Self::Blade, Self::Rack];

    fn name(self) -> &'static str {
        match self {
            Self::Blade => "blade",
            Self::Rack => "rack",
        }
    }
}

/// The chip's port of each jack's port; a line without a model holds for both models that have no line of their own.
#[derive(Debug)]
pub(super) struct JackMap(HashMap<(Option<Enclosure>, u32), (u32, u32)>);

impl JackMap {
    /// The chip's port of a port of a switch of this model, or of either model.
    pub(super) fn number(&self, model: Option<Enclosure>, port: u32) -> Option<u32> {
        if model.is_some() {
            return self.line(model, port).map(|(number, _)| number);
        }
        let [blade, rack] = Enclosure::ALL.map(|model| self.number(Some(model), port));
        blade.filter(|_| blade == rack)
    }

    /// The chip's port and the line of the map.
    fn line(&self, model: Option<Enclosure>, port: u32) -> Option<(u32, u32)> {
        self.0.get(&(model, port)).or_else(|| self.0.get(&(None, port))).copied()
    }
}

pub(super) fn read(source: NamedText<'_>) -> Result<JackMap, Refused> {
    let file = source.name().to_owned();
    let mut map = JackMap(HashMap::new());
    let mut records = Records::of(source);
    records.expect_header(&[&COLUMNS])?;
    while records.read()? {
        add(&mut map, records.fields(), &records.place())?;
    }
    if map.0.is_empty() {
        return Err(no_rows(&file));
    }
    check(&map, &file)?;
    Ok(map)
}

fn add(map: &mut JackMap, fields: &CsvFields, place: &FilePlace) -> Result<(), Refused> {
    let refuse = |column: usize, accepted: &'static str| {
        let found = format!("{} is {}", COLUMNS[column], quoted(fields.get(column)));
        Refused::new(found, accepted).at(place.clone())
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
            let model = Enclosure::ALL.into_iter().find(|model| model.name() == name);
            Some(model.ok_or_else(|| refuse(0, "*, blade or rack"))?)
        }
    };
    let jack = number(1, MOST_JACK, "a jack's number, 0 to 999")?;
    let port = 2 * jack + number(2, 1, "0 or 1")?;
    let chip_port = number(3, MOST_CHIP_PORT, "a port of the switch chip, 0 to 63")?;
    match map.0.entry((model, port)) {
        Entry::Occupied(known) => {
            let what = format!("j{jack}p{} of the model {}", port % 2, quoted(fields.get(0)));
            Err(twice(&what, known.get().1).at(place.clone()))
        }
        Entry::Vacant(free) => {
            free.insert((chip_port, place.line));
            Ok(())
        }
    }
}

/// That two lines say the same.
fn twice(what: &str, first: u32) -> Refused {
    Refused::new(format!("{what} is on line {first} too"), "one line for each")
}

/// Refuses a map that gives one chip port to two ports of a model.
fn check(map: &JackMap, file: &str) -> Result<(), Refused> {
    for model in Enclosure::ALL {
        let ports = map.0.keys().filter(|(of, _)| of.is_none_or(|of| of == model));
        let lines = ports.filter_map(|(_, port)| map.line(Some(model), *port));
        let mut lines: Vec<(u32, u32)> = lines.collect();
        lines.sort_unstable();
        lines.dedup();
        if let Some(pair) = lines.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let what = format!("asic_port {} of the model {}", pair[0].0, model.name());
            let place = FilePlace { file: file.into(), line: pair[1].1 };
            return Err(twice(&what, pair[0].1).at(place));
        }
    }
    Ok(())
}
