//! What is read of a run that a table gives, and the columns that say which run it is.

use super::plan::{Plan, Unit};
use super::variant::{SETTINGS_COLUMNS, settings_columns};
use serde::Deserialize;
use tvlb_simulator::{WEIGHING_COLUMNS, weighing_columns};

/// The columns that say what was run, but for load and seed.
pub(super) const SUBJECT_COLUMNS: &str = "fabric,scheme,set,traffic,placement";

/// The last columns of every table: how decisions weigh, what is dead, and all settings.
pub(super) fn last_columns() -> String {
    format!("{WEIGHING_COLUMNS},faults,{SETTINGS_COLUMNS}")
}

/// What stands in [`SUBJECT_COLUMNS`] for a run.
pub(super) fn subject(unit: &Unit) -> String {
    let subject = &unit.subject;
    let placement = subject.placement.as_deref().unwrap_or("identity");
    let (fabric, scheme) = (&subject.fabric, subject.scheme);
    let placement = quoted_if_needed(placement);
    format!("{fabric},{scheme},{},{},{placement}", quoted(&subject.set), quoted(&subject.traffic))
}

/// What stands in [`last_columns`] for a run.
pub(super) fn last(plan: &Plan, unit: &Unit) -> String {
    let (tables, subject) = (unit.tables, &unit.subject);
    let weighings = plan.sets[tables.set].weighings(&plan.fabrics[tables.fabric].1);
    // MIN and VLB decide nothing, and UGAL-G has the T of UGAL-L.
    let [source, second] = match subject.scheme {
        "min" | "vlb" => [None, None],
        "par" => [Some(weighings.par_source), Some(weighings.par_second)],
        _ => [Some(weighings.ugal_l), None],
    };
    let weighing = weighing_columns(source, second);
    let dead = &plan.dead[tables.dead].name;
    let dead = quoted_if_needed(dead);
    format!("{weighing},{dead},{}", settings_columns(&subject.settings, tables.vc_scheme))
}

/// A field of CSV that seldom has commas.
fn quoted_if_needed(text: &str) -> String {
    if text.contains([',', '"']) { quoted(text) } else { text.to_owned() }
}

/// A field of CSV that may have commas.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// The figures of all nodes, or of a population of them.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Figures {
    pub(super) population: String,
    pub(super) packets: u64,
    pub(super) latency: f64,
    pub(super) p50: u32,
    pub(super) p99: u32,
    // Runs that were kept before have the second name.
    #[serde(rename = "p99.9", alias = "p999")]
    pub(super) p999: u32,
    #[serde(rename = "max", alias = "most")]
    pub(super) most: u32,
    pub(super) network_latency: f64,
    pub(super) accepted: f64,
    pub(super) hops: f64,
    pub(super) vlb_share: f64,
}
