//! The rows of runs: what was run, its figures, and its settings.

use super::{NetworkRuns, StudyRun};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use tvlb_base::row;
use tvlb_base::table::Cell;
use tvlb_simulator::Outcome;
use tvlb_simulator::columns::{FIGURES, IDENTITY, figures, settings, settings_columns};

/// What is kept of a run.
#[derive(Serialize, Deserialize)]
pub(super) struct Ran {
    pub(super) saturated: bool,
    /// What stands in [`FIGURES`], for all nodes and for each population.
    #[serde(deserialize_with = "whole_rows")]
    figures: Vec<Vec<String>>,
}

/// Refuses rows of other columns than this build's.
fn whole_rows<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<String>>, D::Error> {
    let rows = Vec::<Vec<String>>::deserialize(deserializer)?;
    match rows.iter().map(Vec::len).find(|count| *count != FIGURES.len()) {
        None => Ok(rows),
        Some(found) => {
            let accepted = FIGURES.len();
            Err(D::Error::custom(format!("found {found} figures, accepted {accepted}")))
        }
    }
}

impl From<&Outcome> for Ran {
    fn from(outcome: &Outcome) -> Self {
        let figures = figures(outcome);
        let texts = figures.iter().map(|row| row.iter().map(Cell::to_string).collect());
        Self { saturated: outcome.saturated, figures: texts.collect() }
    }
}

/// What is read of a search's outcome.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct SaturationFigures {
    by_latency: f64,
    by_acceptance: f64,
    accepted_beyond: f64,
}

impl NetworkRuns {
    /// The names of columns before the figures: those by which tables tell sets and variants, if they do, and
    /// what was run.
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

    /// The columns of runs at loads.
    pub(super) fn run_columns(&self) -> Vec<&'static str> {
        let figures = FIGURES.iter().map(|column| column.name);
        self.columns_with(["load", "seed"].into_iter().chain(figures))
    }

    /// The columns of searches.
    pub(super) fn search_columns(&self) -> Vec<&'static str> {
        let own = ["seed", "criterion", "saturation", "accepted-beyond", "resolution"];
        self.columns_with(own.into_iter())
    }

    /// What stands in the first columns for a run.
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

    /// What stands in the last columns for a run.
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

    /// The rows of a run at a load: all nodes, and each population where there are several.
    pub(super) fn run_rows(&self, unit: &StudyRun, load: f64, ran: &Ran) -> Vec<Vec<Cell>> {
        let (subject, last, seed) = (self.subject(unit), self.last(unit), unit.subject.seed);
        let of = |figures: &Vec<String>| {
            let figures: Vec<Cell> = figures.iter().map(|text| text.as_str().into()).collect();
            [&subject[..], &row![load, seed], &figures, &last].concat()
        };
        ran.figures.iter().map(of).collect()
    }

    /// The rows of a search, one for each criterion.
    pub(super) fn search_rows(
        &self,
        unit: &StudyRun,
        resolution: f64,
        found: &SaturationFigures,
    ) -> Vec<Vec<Cell>> {
        let (subject, last, seed) = (self.subject(unit), self.last(unit), unit.subject.seed);
        let SaturationFigures { by_latency, by_acceptance, accepted_beyond } = *found;
        let rows = [
            row![seed, "latency", by_latency, accepted_beyond, resolution],
            row![seed, "acceptance", by_acceptance, None::<f64>, resolution],
        ];
        rows.map(|row| [&subject[..], &row, &last].concat()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::measure::{ResultStore, runs_in};
    use super::*;

    /// As where a column was added since.
    #[test]
    fn a_run_of_other_columns_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let runs = runs_in(home.path()).unwrap();
        let source = ResultStore::new(&runs, home.path(), false);
        let read = |count: usize| {
            let ran = Ran { saturated: false, figures: vec![vec![String::new(); count]] };
            runs.put("run", &ran).unwrap();
            source.kept::<Ran>(&"run").map(|ran| ran.map(|ran| ran.figures[0].len()))
        };
        let count = FIGURES.len();
        assert!(matches!(read(count), Ok(Some(found)) if found == count));
        for other in [count - 1, count + 1] {
            let said = read(other).unwrap_err().to_string();
            let expected = format!("(found {other} figures, accepted {count}");
            assert!(said.contains(".run: ") && said.contains(&expected), "{said}");
        }
    }
}
