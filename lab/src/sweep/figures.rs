//! What is read of a run that a table gives, and the columns that say which run it is.

use super::plan::{Plan, Unit};
use serde::Deserialize;
use tvlb_simulator::{identity_columns, setting_columns};

/// What stands in the first columns for a run.
pub(super) fn subject(plan: &Plan, unit: &Unit) -> String {
    let subject = &unit.subject;
    let (set, second_set) = plan.sets[unit.tables.set].names();
    // Under PAR the second look has the set of the source if it has no other.
    let second_set = second_set.or((subject.scheme == "par").then_some(set));
    identity_columns([
        &subject.fabric,
        subject.scheme,
        set,
        second_set.unwrap_or_default(),
        &subject.traffic,
        subject.traffic_content.as_deref().unwrap_or_default(),
        subject.placement.as_deref().unwrap_or("identity"),
        subject.placement_content.as_deref().unwrap_or_default(),
    ])
}

/// What stands in the last columns for a run.
pub(super) fn last(plan: &Plan, unit: &Unit) -> String {
    let (tables, subject) = (unit.tables, &unit.subject);
    let weighings = plan.sets[tables.set].weighings(&plan.fabrics[tables.fabric].1);
    // MIN and VLB decide nothing, and UGAL-G has the T of UGAL-L.
    let weighings = match subject.scheme {
        "min" | "vlb" => [None, None],
        "par" => [Some(weighings.par_source), Some(weighings.par_second)],
        _ => [Some(weighings.ugal_l), None],
    };
    setting_columns(weighings, &plan.dead[tables.dead].name, &subject.settings, tables.vc_scheme)
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
