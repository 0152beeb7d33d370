//! The sweep file as it is written, before anything in it is looked at on a fabric.

use super::lists::{OneOrSeveral, distinct};
use super::variant::SettingLists;
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use std::fmt::{self, Formatter};
use std::path::PathBuf;
use tvlb_traffic::PlacementRule;
use tvlb_traffic::loads::Loads;

/// The word in `faults` for a machine of which nothing is dead.
pub(super) const NOTHING_DEAD: &str = "none";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    pub(super) fabrics: Vec<PathBuf>,
    pub(super) schemes: Vec<String>,
    pub(super) sets: Vec<String>,
    #[serde(default = "nothing_dead")]
    pub(super) faults: Vec<String>,
    pub(super) traffic: Vec<String>,
    #[serde(default = "identity")]
    pub(super) placements: Vec<String>,
    loads: Option<OneOrSeveral<Load>>,
    pub(super) saturation: Option<Saturation>,
    pub(super) seeds: Vec<u64>,
    #[serde(default)]
    pub(super) settings: SettingLists,
}

/// Each process on the node of its own number.
fn identity() -> Vec<String> {
    vec![PlacementRule::Identity.to_string()]
}

fn nothing_dead() -> Vec<String> {
    vec![NOTHING_DEAD.to_owned()]
}

/// A search for the load of saturation in the place of loads.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Saturation {
    /// Loads that are looked at are multiples of this.
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

/// What every run of a sweep measures.
pub(super) enum Measured {
    /// The figures at each of these loads.
    Loads(Vec<f64>),
    Saturation(Saturation),
}

impl File {
    /// Reads the text of a sweep file.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| with_hint(&error.to_string(), error.message()))
    }

    /// What is measured. Loads must make sense and be there once.
    pub(super) fn measured(&self) -> Result<Measured, String> {
        let loads = match (&self.loads, self.saturation) {
            (Some(_), Some(_)) => {
                return Err(
                    "found `loads` and `[saturation]`, accepted one of them: runs at loads, \
                            or the search for the load at which the network saturates"
                        .to_owned(),
                );
            }
            (None, None) => {
                return Err(
                    "found neither `loads` nor `[saturation]`, accepted one of them".to_owned()
                );
            }
            (None, Some(search)) => {
                let Saturation { resolution } = search;
                if !(0.0001..=0.5).contains(&resolution) {
                    return Err(format!(
                        "saturation.resolution: found {resolution}, accepted 0.0001 to 0.5"
                    ));
                }
                return Ok(Measured::Saturation(search));
            }
            (Some(OneOrSeveral(loads)), None) => loads,
        };
        let loads: Vec<f64> = loads.iter().flat_map(|Load(Loads(loads))| loads.clone()).collect();
        distinct("loads", &loads)?;
        match loads.iter().find(|&&load| !(load > 0.0 && load <= 1.0)) {
            Some(load) => Err(format!("loads: found {load}, accepted above 0 and at most 1")),
            None => Ok(Measured::Loads(loads)),
        }
    }
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
