//! The lines of all files together: which are drawn, which columns describe a run, and which lines form a series.

use super::columns::{NEITHER, canonical, is_of_line, what_was_run};
use super::table::{PlotFile, Row};
use std::collections::BTreeMap;
use tvlb::failure::Failure;
use tvlb_base::drawing::Drawing;
use tvlb_base::text::{hint, quoted};

/// Which lines and columns are drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// The column of the x axis.
    pub(crate) x: Option<String>,
    /// The columns of the y axes, one for each panel.
    pub(crate) y: Vec<String>,
    /// The columns that tell series apart; by default, all that describe a run.
    pub(crate) by: Vec<String>,
    /// The column with a panel for each value.
    pub(crate) panel: Option<String>,
    /// Only lines with one of these values in a column.
    pub(crate) only: Vec<(String, String)>,
}

impl Selection {
    /// The default, with a panel for each value of a column if one is named.
    pub(crate) fn with_panels(column: Option<&str>) -> Self {
        Self { panel: column.map(str::to_owned), ..Self::default() }
    }
}

/// All lines of all files, with the same columns.
pub(super) struct PlotLines<'t> {
    pub(super) columns: Vec<String>,
    pub(super) all: Vec<PlotLine<'t>>,
    pub(super) first: &'t Drawing,
}

/// One line of a file.
#[derive(Clone, Copy)]
pub(super) struct PlotLine<'t> {
    table: &'t PlotFile,
    row: &'t Row,
}

impl<'t> PlotLine<'t> {
    /// The value of a column; empty if the file has no such column.
    pub(super) fn cell(&self, column: &str) -> &'t str {
        let place = self.table.columns.iter().position(|name| name == column);
        place.and_then(|place| self.row.cells.get(place)).map_or("", String::as_str)
    }

    /// Where the line is, for errors.
    pub(super) fn place(&self) -> String {
        format!("{}: {}", self.table.name, self.row.place)
    }

    /// The number in a column; `None` if the cell is empty.
    pub(super) fn number(&self, column: &str) -> Result<Option<f64>, Failure> {
        let cell = self.cell(column);
        if cell.is_empty() {
            return Ok(None);
        }
        let number = cell.parse().ok().filter(|number: &f64| number.is_finite());
        number.map(Some).ok_or_else(|| {
            Failure::Message(format!(
                "{}: found {} in the column {column}, accepted a number",
                self.place(),
                quoted(cell)
            ))
        })
    }

    /// Whether a run was saturated, or how many of several were.
    pub(super) fn is_saturated(&self) -> bool {
        !matches!(self.cell("saturated"), "" | "false" | "0")
    }
}

/// The different values, in the order of their first appearance.
pub(super) fn distinct<'v>(values: impl Iterator<Item = &'v str>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for value in values {
        if !seen.iter().any(|other| other == value) {
            seen.push(value.to_owned());
        }
    }
    seen
}

/// The same run appears twice.
pub(super) struct Twice {
    /// The two lines.
    places: [String; 2],
    /// The columns in which they differ.
    differs: Vec<String>,
    pub(super) in_two_files: bool,
}

/// The series by panel and subject, and in each the lines of a place.
pub(super) type Grouped<'t> = Vec<((String, Vec<String>), Vec<(f64, Vec<PlotLine<'t>>)>)>;

impl<'t> PlotLines<'t> {
    pub(super) fn of(tables: &'t [PlotFile], selection: &Selection) -> Result<Self, Failure> {
        let first = tables.first().expect("at least one file is named");
        let counts = |table: &PlotFile| (table.drawing.over.clone(), table.drawing.unit.clone());
        if let Some(other) = tables.iter().find(|table| counts(table) != counts(first)) {
            return Err(Failure::Message(format!(
                "{} has {}, and {} has {}; accepted in one picture are files with figures over the same column \
                 and in the same unit",
                first.name, first.how, other.name, other.how
            )));
        }
        let columns = tables.iter().flat_map(|table| &table.columns).map(String::as_str);
        let columns = distinct(columns);
        let of_table =
            |table: &'t PlotFile| table.rows.iter().map(move |row| PlotLine { table, row });
        let mut lines = Self {
            columns,
            all: tables.iter().flat_map(of_table).collect(),
            first: &first.drawing,
        };
        let mut only: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (column, value) in &selection.only {
            only.entry(lines.column("--where", column)?).or_default().push(value);
        }
        for (column, values) in &only {
            for value in values {
                if !lines.all.iter().any(|line| is(line.cell(column), value)) {
                    let found = distinct(lines.all.iter().map(|line| line.cell(column)));
                    return Err(Failure::Message(format!(
                        "--where {column}={value}: no line has this value{}; accepted {}",
                        hint(value, found.iter().map(String::as_str)),
                        found.join(", ")
                    )));
                }
            }
            lines.all.retain(|line| values.iter().any(|value| is(line.cell(column), value)));
        }
        // All nodes together, unless populations are requested.
        if !only.contains_key("population")
            && selection.panel.as_deref() != Some("population")
            && !selection.by.iter().any(|column| column == "population")
        {
            lines.all.retain(|line| matches!(line.cell("population"), "" | "all"));
        }
        if lines.all.is_empty() {
            return Err(Failure::Message(
                "--where: no line has all of these values together".to_owned(),
            ));
        }
        Ok(lines)
    }

    /// A column by the name that an option gives.
    pub(super) fn column(&self, option: &str, name: &str) -> Result<String, Failure> {
        let column = canonical(name);
        if self.columns.iter().any(|other| other == column) {
            return Ok(column.to_owned());
        }
        Err(Failure::Message(format!(
            "{option} {name}: there is no such column{}; accepted {}",
            hint(name, self.columns.iter().map(String::as_str)),
            self.columns.join(", ")
        )))
    }

    /// A column with numbers.
    pub(super) fn figure(&self, name: &str) -> Result<String, Failure> {
        let column = canonical(name);
        let figures: Vec<&str> =
            self.columns.iter().map(String::as_str).filter(|c| self.is_figure(c)).collect();
        if figures.contains(&column) {
            return Ok(column.to_owned());
        }
        let is_there = self.columns.iter().any(|other| other == column);
        Err(Failure::Message(format!(
            "--y {name}: {}{}; accepted {}",
            if is_there { "the column has no figures" } else { "there is no such column" },
            hint(name, figures.iter().copied()),
            figures.join(", ")
        )))
    }

    /// Whether a column has figures: numbers that do not describe a run.
    pub(super) fn is_figure(&self, column: &str) -> bool {
        let is_other = what_was_run().any(|name| name == column)
            || NEITHER.contains(&column)
            || column.ends_with("-error");
        !is_other && self.all.iter().all(|line| is_number(line.cell(column)))
    }

    /// The columns that describe a run, in the order of a legend.
    pub(super) fn identity(
        &self,
        selection: &Selection,
        x: Option<&str>,
        panel: Option<&str>,
        y: &[String],
    ) -> Result<Vec<String>, Failure> {
        let is_free = |column: &str| {
            x != Some(column) && panel != Some(column) && !y.iter().any(|figure| figure == column)
        };
        let by = selection.by.iter().map(|name| match name.as_str() {
            "file" => Ok("file".to_owned()),
            name => self.column("--by", name),
        });
        let mut by: Vec<String> = by.collect::<Result<_, _>>()?;
        if self.first.is_scattered {
            return Ok(if by.is_empty() { vec!["on-front".to_owned()] } else { by });
        }
        let known = what_was_run();
        let known: Vec<&str> =
            known.filter(|name| self.columns.iter().any(|c| c == name)).collect();
        // Columns that are unknown or not numbers describe a run as well.
        let unknown = self.columns.iter().map(String::as_str).filter(|column| {
            !known.contains(column)
                && !NEITHER.contains(column)
                && !column.ends_with("-error")
                && !self.is_figure(column)
        });
        let has_lines = self.columns.iter().any(|column| column == "line");
        let all = known.iter().copied().chain(unknown);
        let all = all.filter(|column| is_free(column) && !(has_lines && is_of_line(column)));
        if by.is_empty() {
            return Ok(all.map(str::to_owned).collect());
        }
        // Columns with a single value make no series; the heading states them.
        let cells = |column| distinct(self.all.iter().map(|line| line.cell(column)));
        let common = all.filter(|column| cells(column).len() == 1).map(str::to_owned);
        let common: Vec<String> = common.filter(|column| !by.contains(column)).collect();
        by.extend(common);
        Ok(by)
    }

    /// The names on the x axis, if its column has values that are not numbers.
    pub(super) fn names(&self, x: Option<&str>) -> Result<Vec<String>, Failure> {
        let Some(x) = x else { return Ok(Vec::new()) };
        let values = distinct(self.all.iter().map(|line| line.cell(x)));
        if values.iter().all(|value| is_number(value)) {
            if values.iter().all(String::is_empty) {
                return Err(Failure::Message(format!(
                    "--x {x}: the column is empty in all lines that are drawn"
                )));
            }
            return Ok(Vec::new());
        }
        Ok(values.into_iter().filter(|value| !value.is_empty()).collect())
    }

    /// Joins lines that differ only in the seed.
    pub(super) fn group(
        &self,
        (x, names): (Option<&str>, &[String]),
        panel: Option<&str>,
        identity: &[String],
    ) -> Result<Grouped<'t>, Twice> {
        let mut grouped: Grouped<'t> = Vec::new();
        for &line in &self.all {
            let at = match x {
                None => Some(1.0),
                Some(x) if names.is_empty() => line.cell(x).parse().ok(),
                Some(x) => {
                    let place = names.iter().position(|name| name == line.cell(x));
                    place.and_then(|place| u32::try_from(place + 1).ok()).map(f64::from)
                }
            };
            let Some(at) = at else { continue };
            let of = |column: &String| match column.as_str() {
                "file" => line.table.name.clone(),
                column => line.cell(column).to_owned(),
            };
            let key = (
                panel.map_or(String::new(), |panel| line.cell(panel).to_owned()),
                identity.iter().map(of).collect::<Vec<_>>(),
            );
            let series = grouped.iter().position(|(other, _)| *other == key);
            let series = series.unwrap_or_else(|| {
                grouped.push((key, Vec::new()));
                grouped.len() - 1
            });
            let places = &mut grouped[series].1;
            match places.iter().position(|(other, _)| other.total_cmp(&at).is_eq()) {
                _ if self.first.is_scattered => places.push((at, vec![line])),
                None => places.push((at, vec![line])),
                Some(place) => {
                    let seed = line.cell("seed");
                    let others = &mut places[place].1;
                    match others.iter().find(|other| other.cell("seed") == seed) {
                        None => others.push(line),
                        Some(other) => self.same(*other, line)?,
                    }
                }
            }
        }
        Ok(grouped)
    }

    /// An error if two lines are the same run.
    pub(super) fn same(&self, one: PlotLine<'_>, other: PlotLine<'_>) -> Result<(), Twice> {
        let differs = self.columns.iter().filter(|column| one.cell(column) != other.cell(column));
        let differs: Vec<String> = differs.cloned().collect();
        if differs.is_empty() {
            return Ok(());
        }
        let in_two_files = one.table.name != other.table.name;
        Err(Twice { places: [one.place(), other.place()], differs, in_two_files })
    }

    /// Why runs that appear twice cannot be drawn.
    pub(super) fn twice(&self, twice: &Twice, x: Option<&str>, identity: &[String]) -> Failure {
        let Twice { places: [one, other], differs, in_two_files } = twice;
        let by = |c: &&String| !identity.contains(c) && x != Some(c.as_str()) && !self.is_figure(c);
        let by: Vec<&str> = differs.iter().filter(by).map(String::as_str).collect();
        let advice = match by.first() {
            Some(column) => format!(
                "tell them apart with --by or --panel, or choose one with --where {column}=VALUE"
            ),
            None if *in_two_files => "tell them apart with --by file".to_owned(),
            None => "accepted each run once".to_owned(),
        };
        let shown = if by.is_empty() { differs.iter().map(String::as_str).collect() } else { by };
        let shown = shown.into_iter().take(4).collect::<Vec<_>>().join(", ");
        Failure::Message(format!(
            "{one} and {other} would be the same point, and differ in {shown}; {advice}"
        ))
    }
}

/// Whether a cell is a number, or empty.
fn is_number(cell: &str) -> bool {
    cell.is_empty() || cell.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Whether a cell has a value, as text or as a number.
fn is(cell: &str, value: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    cell == value || number(cell).is_some_and(|cell| Some(cell) == number(value))
}
