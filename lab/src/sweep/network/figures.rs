//! The rows of runs: what was run, its figures, and its settings.

use super::{Network, Unit};
use serde::{Deserialize, Serialize};
use tvlb_simulator::{
    FIGURE_COLUMNS, IDENTITY_COLUMNS, Outcome, csv_field, figure_columns, identity_columns,
    setting_columns, setting_columns_heads,
};

/// What is kept of a run.
#[derive(Serialize, Deserialize)]
pub(super) struct Ran {
    pub(super) saturated: bool,
    /// What stands in [`FIGURE_COLUMNS`], for all nodes and for each population.
    figures: Vec<String>,
}

impl From<&Outcome> for Ran {
    fn from(outcome: &Outcome) -> Self {
        Self { saturated: outcome.saturated, figures: figure_columns(outcome) }
    }
}

/// What is read of a search's outcome.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Found {
    by_latency: f64,
    by_acceptance: f64,
    accepted_beyond: f64,
}

impl Network {
    /// The names of columns before the figures: those by which tables tell sets and variants, if they do, and
    /// what was run.
    pub(in super::super) fn first_columns(&self) -> String {
        let names = if self.has_names() { "paths,variant," } else { "" };
        format!("{names}{IDENTITY_COLUMNS}")
    }

    /// The columns of runs at loads.
    pub(super) fn run_columns(&self) -> String {
        format!("{},load,seed,{FIGURE_COLUMNS},{}", self.first_columns(), setting_columns_heads())
    }

    /// The columns of searches.
    pub(super) fn search_columns(&self) -> String {
        format!(
            "{},seed,criterion,saturation,accepted-beyond,resolution,{}",
            self.first_columns(),
            setting_columns_heads()
        )
    }

    /// What stands in the first columns for a run.
    pub(in super::super) fn subject(&self, unit: &Unit) -> String {
        let subject = &unit.subject;
        let paths = &self.sets[unit.tables.set];
        let (set, second_set) = paths.names();
        // Under PAR the second look has the set of the source if it has no other.
        let second_set = second_set.or((subject.scheme == "par").then_some(set));
        let identity = identity_columns([
            &subject.fabric,
            subject.scheme,
            set,
            second_set.unwrap_or_default(),
            &subject.traffic,
            subject.traffic_content.as_deref().unwrap_or_default(),
            subject.placement.as_deref().unwrap_or("identity"),
            subject.placement_content.as_deref().unwrap_or_default(),
        ]);
        if self.has_names() {
            format!("{},{},{identity}", csv_field(&paths.heading), csv_field(&unit.variant))
        } else {
            identity
        }
    }

    /// What stands in the last columns for a run.
    pub(in super::super) fn last(&self, unit: &Unit) -> String {
        let (tables, subject) = (unit.tables, &unit.subject);
        let weighings = self.sets[tables.set].weighings(&self.fabrics[tables.fabric].fabric);
        // MIN and VLB decide nothing, and UGAL-G has the T of UGAL-L.
        let weighings = match subject.scheme {
            "min" | "vlb" => [None, None],
            "par" => [Some(weighings.par_source), Some(weighings.par_second)],
            _ => [Some(weighings.ugal_l), None],
        };
        let dead = &self.dead[tables.dead].name;
        setting_columns(weighings, dead, &subject.settings, tables.vc_scheme)
    }

    /// The lines of a run at a load: all nodes, and each population where there are several.
    pub(super) fn run_lines(&self, unit: &Unit, load: f64, ran: &Ran) -> String {
        let (subject, last, seed) = (self.subject(unit), self.last(unit), unit.subject.seed);
        let line = |figures: &String| format!("{subject},{load},{seed},{figures},{last}\n");
        ran.figures.iter().map(line).collect()
    }

    /// The lines of a search, one for each criterion.
    pub(super) fn search_lines(&self, unit: &Unit, resolution: f64, found: &Found) -> String {
        let (subject, last, seed) = (self.subject(unit), self.last(unit), unit.subject.seed);
        let Found { by_latency, by_acceptance, accepted_beyond } = found;
        format!(
            "{subject},{seed},latency,{by_latency},{accepted_beyond},{resolution},{last}\n\
             {subject},{seed},acceptance,{by_acceptance},,{resolution},{last}\n"
        )
    }
}
