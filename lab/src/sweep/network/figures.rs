//! The rows of runs: what was run, its figures, and its settings.

use super::super::error::SweepError;
use super::super::kind::{StudyTable, UnitRows};
use super::super::means::Means;
use super::super::store::KeptRow;
use super::{NetworkRuns, StudyRun};
use serde::{Deserialize, Serialize};
use tvlb_base::row;
use tvlb_base::table::Cell;
use tvlb_simulator::Outcome;
use tvlb_simulator::columns::{FIGURES, IDENTITY, figures, settings, settings_columns};

/// The figures of runs that the terminal shows.
const SHOWN: &[&str] = &["saturated", "latency", "p99", "accepted", "vlb-share", "hops", "least"];

/// The kept result of a run.
#[derive(Serialize, Deserialize)]
pub(in super::super) struct Ran {
    pub(super) saturated: bool,
    /// The cells of [`FIGURES`], for all nodes and for each population.
    figures: Vec<KeptRow>,
}

impl From<&Outcome> for Ran {
    fn from(outcome: &Outcome) -> Self {
        let figures = figures(outcome).iter().map(|row| KeptRow::of(row)).collect();
        Self { saturated: outcome.saturated, figures }
    }
}

/// The used part of a search's result.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in super::super) struct SaturationFigures {
    by_latency: f64,
    by_acceptance: f64,
    accepted_beyond: f64,
}

impl NetworkRuns {
    /// The names of columns before the figures: those by which tables distinguish sets and variants, if they do, and
    /// those that describe a run.
    pub(in super::super) fn first_columns(&self) -> Vec<&'static str> {
        let names: &[&str] = if self.has_names() { &["paths", "variant"] } else { &[] };
        names.iter().copied().chain(IDENTITY.iter().map(|column| column.name)).collect()
    }

    /// These, then others, then those of the settings.
    pub(in super::super) fn columns_with(
        &self,
        own: impl Iterator<Item = &'static str>,
    ) -> Vec<&'static str> {
        let last = settings_columns().into_iter().map(|column| column.name);
        self.first_columns().into_iter().chain(own).chain(last).collect()
    }

    /// The table of runs at loads.
    pub(super) fn table_of_runs(&self) -> StudyTable {
        let figures = FIGURES.iter().map(|column| column.name);
        StudyTable {
            names: ["runs.csv", "summary.csv"],
            means: Some(Means {
                first: [&self.first_columns()[..], &["load", "population"]].concat(),
                counted: &["saturated", "growing"],
                figures: &[
                    ("latency", true),
                    ("p99", true),
                    ("accepted", true),
                    ("hops", false),
                    ("vlb-share", false),
                ],
                step: None,
                then: &[],
            }),
            pictured: Some((self.patterns(), Some(self.lines))),
            shown: SHOWN,
            ..StudyTable::figures(
                self.columns_with(["load", "seed"].into_iter().chain(figures.clone())),
                figures.collect(),
                "latency over load in flits",
            )
        }
    }

    /// The table of searches.
    pub(super) fn table_of_searches(&self, resolution: f64) -> StudyTable {
        let own = ["seed", "criterion", "saturation", "accepted-beyond", "resolution"];
        StudyTable {
            names: ["saturation.csv", "saturation-summary.csv"],
            means: Some(Means {
                first: [&self.first_columns()[..], &["criterion"]].concat(),
                counted: &[],
                figures: &[("saturation", true), ("accepted-beyond", true)],
                step: Some(resolution),
                then: &["resolution"],
            }),
            pictured: Some((self.patterns(), None)),
            ..StudyTable::figures(
                self.columns_with(own.into_iter()),
                own[2..4].to_vec(),
                "saturation in flits",
            )
        }
    }

    /// How many kinds of traffic each fabric has.
    fn patterns(&self) -> usize {
        self.traffic.first().map_or(0, Vec::len)
    }

    /// The cells of the first columns for a run.
    pub(in super::super) fn subject(&self, unit: &StudyRun) -> Vec<Cell> {
        let subject = &unit.subject;
        let paths = &self.sets[unit.tables.set];
        let (set, second_set) = paths.names();
        // Under PAR the second look has the set of the source if it has no other.
        let second_set = second_set.or((subject.scheme == "par").then_some(set));
        let mut row = Vec::new();
        if self.has_names() {
            row.extend(row![paths.heading.as_str(), unit.variant.as_str()]);
        }
        row.extend(row![
            subject.fabric.as_str(),
            subject.scheme,
            set,
            second_set,
            subject.traffic.as_str(),
            subject.traffic_content.as_deref(),
            subject.placement.as_deref().unwrap_or("identity"),
            subject.placement_content.as_deref(),
        ]);
        row
    }

    /// The cells of the last columns for a run.
    pub(in super::super) fn last(&self, unit: &StudyRun) -> Vec<Cell> {
        let (tables, subject) = (unit.tables, &unit.subject);
        let weighings = self.sets[tables.set].weighings(&self.fabrics[tables.fabric].fabric);
        // MIN and VLB decide nothing, and UGAL-G has the T of UGAL-L.
        let weighings = match subject.scheme {
            "min" | "vlb" => [None, None],
            "par" => [Some(weighings.par_source), Some(weighings.par_second)],
            _ => [Some(weighings.ugal_l), None],
        };
        let dead = &self.dead[tables.dead].name;
        settings(weighings, dead, &subject.settings)
    }

    /// The rows of runs at loads: all nodes, and each population if there are several.
    pub(super) fn rows_of<'r>(
        &self,
        unit: &StudyRun,
        runs: impl Iterator<Item = (f64, &'r Ran)>,
    ) -> Result<UnitRows, SweepError> {
        let (subject, last, seed) = (self.subject(unit), self.last(unit), unit.subject.seed);
        let row = |(load, kept): (f64, &KeptRow)| {
            let figures = kept.cells(FIGURES.len())?;
            Ok([&subject[..], &row![load, seed], &figures, &last].concat())
        };
        let kept = runs.flat_map(|(load, ran)| ran.figures.iter().map(move |kept| (load, kept)));
        kept.map(row).collect()
    }

    /// The rows of a search, one for each criterion.
    pub(super) fn search_rows(
        &self,
        unit: &StudyRun,
        resolution: f64,
        found: &SaturationFigures,
    ) -> UnitRows {
        let (subject, last, seed) = (self.subject(unit), self.last(unit), unit.subject.seed);
        let SaturationFigures { by_latency, by_acceptance, accepted_beyond } = *found;
        let rows = [
            row![seed, "latency", by_latency, accepted_beyond, resolution],
            row![seed, "acceptance", by_acceptance, None::<f64>, resolution],
        ];
        rows.map(|row| [&subject[..], &row, &last].concat()).into()
    }
}
