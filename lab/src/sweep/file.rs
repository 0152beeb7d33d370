//! A study file as it is written, before it is applied to a fabric: one study, or several under `study` with their
//! common part above them.

use super::asked::{Course, Curve, Jobs, ModelStudy, RoutingLine};
use super::lists::{OneOrSeveral, distinct};
use super::pivot::Pivot;
use super::select::{CellValue, Where};
use super::sets::StudySet;
use super::settings::{NamedSettings, SettingLists};
use super::statement::Statement;
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use std::fmt::{self, Formatter};
use toml::{Table, Value};
use tvlb_traffic::PlacementRule;
use tvlb_traffic::loads::Loads;

/// The word in `faults` for a machine of which nothing is dead.
pub(super) const NOTHING_DEAD: &str = "none";

/// One study.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    /// The subject, in a few words.
    #[serde(default)]
    pub(super) about: String,
    #[serde(default)]
    pub(super) fabrics: Vec<String>,
    #[serde(default)]
    pub(super) schemes: Vec<String>,
    #[serde(default)]
    pub(super) sets: Vec<StudySet>,
    /// Sets, or lines of cut-through switches, by their names in tables, that this study omits.
    #[serde(default)]
    pub(super) leave_out: Vec<String>,
    #[serde(default = "nothing_dead")]
    pub(super) faults: Vec<String>,
    #[serde(default)]
    pub(super) traffic: Vec<String>,
    #[serde(default = "identity")]
    pub(super) placements: Vec<String>,
    loads: Option<OneOrSeveral<Load>>,
    saturation: Option<SaturationSearch>,
    curve: Option<Curve>,
    pub(super) model: Option<ModelStudy>,
    /// Whether the paths of the sets are counted, and nothing is run.
    #[serde(default)]
    pub(super) paths: bool,
    /// Whether the loads of links are counted, and nothing is run.
    #[serde(default)]
    pub(super) links: bool,
    pub(super) jobs: Option<Jobs>,
    pub(super) course: Option<Course>,
    /// Lines of cut-through switches, at loads, in bursts of a number of packets per node, or each node with one packet
    /// for every other.
    #[serde(default)]
    pub(super) cut_through: Vec<RoutingLine>,
    pub(super) burst: Option<u32>,
    #[serde(default)]
    pub(super) all_to_all: bool,
    /// The cycles of cut-through switches before the measured ones, and measured.
    pub(super) cycles: Option<[u32; 2]>,
    #[serde(default)]
    pub(super) seeds: Vec<u64>,
    #[serde(default)]
    pub(super) settings: SettingLists,
    #[serde(default)]
    pub(super) variants: Vec<NamedSettings>,
    /// The columns that a document keeps besides those that tables and statements need; by default all that differ from
    /// row to row.
    pub(super) keep: Option<Vec<String>>,
    #[serde(default)]
    pub(super) tables: Vec<Pivot>,
    #[serde(default)]
    pub(super) pictures: Vec<Picture>,
    #[serde(default)]
    pub(super) statements: Vec<Statement>,
}

/// A picture of a study's rows; the defaults are those of `tvlb-lab plot`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Picture {
    /// The name of its file, without the ending.
    pub name: String,
    /// The column to the right.
    pub x: Option<String>,
    /// The columns upwards, a panel for each.
    #[serde(default)]
    pub y: Vec<String>,
    /// The columns that distinguish lines.
    #[serde(default)]
    pub by: Vec<String>,
    /// The column of which each value has a panel.
    pub panel: Option<String>,
    #[serde(default, rename = "where")]
    asked: Where,
}

impl Picture {
    /// The columns and values that rows of the picture may have.
    pub fn only(&self) -> Vec<(String, String)> {
        let of = |(column, OneOrSeveral(cells)): (&String, &OneOrSeveral<CellValue>)| {
            cells.iter().map(|CellValue(cell)| (column.clone(), cell.clone())).collect::<Vec<_>>()
        };
        self.asked.iter().flat_map(of).collect()
    }
}

/// Each process on the node of its own number.
fn identity() -> Vec<String> {
    vec![PlacementRule::Identity.to_string()]
}

fn nothing_dead() -> Vec<String> {
    vec![NOTHING_DEAD.to_owned()]
}

/// A search for the load of saturation instead of loads.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SaturationSearch {
    /// Tried loads are multiples of this.
    #[serde(default = "default_resolution")]
    pub(super) resolution: f64,
}

const fn default_resolution() -> f64 {
    0.01
}

/// An entry of `loads`: a number, or a range as a text.
struct Load(Loads);

impl<'de> Deserialize<'de> for Load {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrRange;

        impl Visitor<'_> for NumberOrRange {
            type Value = Load;

            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a range such as \"0.05:0.5:0.05\"")
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Load, E> {
                Ok(Load(Loads(vec![value])))
            }

            #[expect(clippy::cast_precision_loss, reason = "of integers only 1 is accepted later")]
            fn visit_i64<E: Error>(self, value: i64) -> Result<Load, E> {
                self.visit_f64(value as f64)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Load, E> {
                text.parse().map(Load).map_err(|error| {
                    E::custom(format!("found {}, {error}", tvlb_base::text::quoted(text)))
                })
            }
        }

        deserializer.deserialize_any(NumberOrRange)
    }
}

/// What every run of a network measures.
pub(super) enum Quantity {
    /// The figures at each of these loads.
    Loads(Vec<f64>),
    /// The resolution of a search.
    Saturation(f64),
    Curve(Curve),
}

/// The studies of a text by their names, in the order of the text; `alone` is the name of a single one without a name.
/// With `quick`, the keys under `quick` override the others.
pub(super) fn studies(text: &str, alone: &str, quick: bool) -> Result<Vec<(String, File)>, String> {
    let mut shared: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let Some(named) = shared.remove("study") else {
        let file = if quick || shared.contains_key("quick") {
            one(shared, quick)
        } else {
            toml::from_str(text).map_err(|error| with_hint(&error.to_string(), error.message()))
        };
        return Ok(vec![(alone.to_owned(), file?)]);
    };
    let Value::Table(named) = named else {
        return Err("study: found no table, accepted a table of studies by their names".to_owned());
    };
    // TOML's tables are in the order of their names, studies in that of the text.
    let place = |name: &String| text.find(&format!("[study.{name}]")).unwrap_or(usize::MAX);
    let mut names: Vec<&String> = named.keys().collect();
    names.sort_by_key(|name| (place(name), name.len()));
    let read = |name: &String| {
        let mut table = shared.clone();
        let file =
            add_study(&mut table, &named, name, named.len()).and_then(|()| one(table, quick));
        Ok((name.clone(), file.map_err(|error| format!("study.{name}: {error}"))?))
    };
    names.into_iter().map(read).collect()
}

/// Overrides a table by a study, after the study that it is `like`, and so on for at most this many more.
fn add_study(table: &mut Table, named: &Table, name: &str, more: usize) -> Result<(), String> {
    let Some(Value::Table(own)) = named.get(name) else {
        return Err(format!("found no table study.{name}, accepted one"));
    };
    let mut own = own.clone();
    match own.remove("like") {
        None => {}
        Some(Value::String(other)) if more > 0 => add_study(table, named, &other, more - 1)?,
        Some(other) => {
            return Err(format!(
                "like: found {other}, accepted the name of a study that is not like this one"
            ));
        }
    }
    merge(table, &own);
    Ok(())
}

/// A study of a table, with or without its changes under `quick`.
pub(super) fn one(mut table: Table, quick: bool) -> Result<File, String> {
    if let Some(Value::Table(changes)) = table.remove("quick")
        && quick
    {
        merge(&mut table, &changes);
    }
    let read: Result<File, toml::de::Error> = Value::Table(table).try_into();
    read.map_err(|error| with_hint(error.to_string().trim_end(), error.message()))
}

/// Overrides a table by another, table by table.
fn merge(table: &mut Table, own: &Table) {
    for (key, value) in own {
        match (table.get_mut(key), value) {
            (Some(Value::Table(before)), Value::Table(value)) => merge(before, value),
            _ => {
                table.insert(key.clone(), value.clone());
            }
        }
    }
}

impl File {
    /// Whether it states the loads of runs, or how loads are found.
    pub(super) const fn has_loads(&self) -> bool {
        self.loads.is_some() || self.saturation.is_some() || self.curve.is_some()
    }

    /// The measured quantity. Loads must be valid and without repetition.
    pub(super) fn measured(&self) -> Result<Quantity, String> {
        let loads = match (&self.loads, self.saturation, self.curve) {
            (Some(OneOrSeveral(loads)), None, None) => loads,
            (None, Some(SaturationSearch { resolution }), None) => {
                if !(0.0001..=0.5).contains(&resolution) {
                    return Err(format!(
                        "saturation.resolution: found {resolution}, accepted 0.0001 to 0.5"
                    ));
                }
                return Ok(Quantity::Saturation(resolution));
            }
            (None, None, Some(curve)) => {
                let Curve { lowest, coarse, fine } = curve;
                for (name, step) in [("lowest", lowest), ("coarse", coarse), ("fine", fine)] {
                    if !(0.0001..=0.5).contains(&step) || !is_multiple(step, 0.0001) {
                        return Err(format!(
                            "curve.{name}: found {step}, accepted 0.0001 to 0.5 in steps of 0.0001"
                        ));
                    }
                }
                if !is_multiple(coarse, fine) {
                    return Err(format!(
                        "curve.coarse: found {coarse}, accepted a multiple of {fine}"
                    ));
                }
                return Ok(Quantity::Curve(curve));
            }
            (None, None, None) => {
                return Err(format!("found neither {MEASURES}, accepted one of them"));
            }
            (Some(_), Some(_), _) => {
                return Err(
                    "found `loads` and `[saturation]`, accepted one of them: runs at loads, \
                            or the search for the load at which the network saturates"
                        .to_owned(),
                );
            }
            _ => {
                return Err(
                    "found `curve` and `loads` or `[saturation]`, accepted one of them".to_owned()
                );
            }
        };
        let loads: Vec<f64> = loads.iter().flat_map(|Load(Loads(loads))| loads.clone()).collect();
        distinct("loads", &loads)?;
        match loads.iter().find(|&&load| !(load > 0.0 && load <= 1.0)) {
            Some(load) => Err(format!("loads: found {load}, accepted above 0 and at most 1")),
            None => Ok(Quantity::Loads(loads)),
        }
    }
}

/// What a study of a network can measure.
const MEASURES: &str = "`loads` nor `[saturation]` nor `[curve]`";

/// Whether a step is a multiple of another, up to rounding.
fn is_multiple(step: f64, of: f64) -> bool {
    let times = step / of;
    (times - times.round()).abs() < 1e-6 && times > 0.5
}

/// The error of a misspelt key or word, with the name that may have been meant.
fn with_hint(error: &str, message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let is_unknown = message.starts_with("unknown ");
    let hint = match quoted.next() {
        Some(found) if is_unknown => tvlb_base::text::hint(found, quoted),
        _ => String::new(),
    };
    match message.split_once(", expected ") {
        Some((found, _)) => error.replacen(found, &format!("{found}{hint}"), 1),
        None => error.to_owned(),
    }
}
