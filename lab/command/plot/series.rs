//! From lines of results to series of points: which lines belong together, and means over seeds.

use super::columns::{NEITHER, canonical, what_was_run};
use super::table::{Row, Table};
use std::collections::BTreeMap;
use tvlb::failure::Failure;
use tvlb_base::drawing::Drawing;
use tvlb_base::text::{hint, quoted};
use tvlb_simulator::Estimate;

/// What is drawn of the lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// The column to the right.
    pub(crate) x: Option<String>,
    /// The columns upwards, one for each panel.
    pub(crate) y: Vec<String>,
    /// The columns that tell series apart, if not all that say what was run.
    pub(crate) by: Vec<String>,
    /// The column of which each value has a panel.
    pub(crate) panel: Option<String>,
    /// Only lines with one of these values in a column.
    pub(crate) only: Vec<(String, String)>,
}

impl Selection {
    /// What is drawn where nothing is said, with a panel for each value of a column, if one is named.
    pub(crate) fn with_panels(column: Option<&str>) -> Self {
        Self { panel: column.map(str::to_owned), ..Self::default() }
    }
}

/// All lines of all files, with the same columns.
struct Lines<'t> {
    columns: Vec<String>,
    all: Vec<Line<'t>>,
    first: &'t Drawing,
}

/// One line of a file.
#[derive(Clone, Copy)]
struct Line<'t> {
    table: &'t Table,
    row: &'t Row,
}

impl<'t> Line<'t> {
    /// What stands in a column; nothing where the file has no such column.
    fn cell(&self, column: &str) -> &'t str {
        let place = self.table.columns.iter().position(|name| name == column);
        place.and_then(|place| self.row.cells.get(place)).map_or("", String::as_str)
    }

    /// Where the line is, for errors.
    fn place(&self) -> String {
        format!("{}: {}", self.table.name, self.row.place)
    }

    /// The number in a column; nothing where the cell is empty.
    fn number(&self, column: &str) -> Result<Option<f64>, Failure> {
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
    fn is_saturated(&self) -> bool {
        !matches!(self.cell("saturated"), "" | "false" | "0")
    }
}

/// A place along the axis to the right.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    /// The number there, or the number of a name, from 1.
    pub(super) x: f64,
    /// Of each figure, where it is known.
    pub(super) figures: Vec<Option<Estimate>>,
    /// Whether any of the runs was saturated.
    pub(super) saturated: bool,
    /// How many runs it is the mean of.
    pub(super) runs: usize,
}

/// Points that differ in nothing but what is to the right.
#[derive(Clone, Debug)]
pub(super) struct Points {
    /// What was run, a value for each of [`Data::identity`].
    pub(super) subject: Vec<String>,
    /// The panel that it is in.
    pub(super) panel: usize,
    pub(super) all: Vec<Point>,
}

/// What is drawn.
#[derive(Debug)]
pub(super) struct Data {
    /// The column to the right; none where each series is a place.
    pub(super) x: Option<String>,
    /// The names of places, where these are no numbers.
    pub(super) names: Vec<String>,
    /// The columns upwards.
    pub(super) y: Vec<String>,
    /// The columns that say what was run; `file` is the file's name.
    pub(super) identity: Vec<String>,
    /// The column of which each value has a panel, and the values.
    pub(super) panels: Option<(String, Vec<String>)>,
    pub(super) series: Vec<Points>,
    /// The limits above which runs counted as saturated.
    pub(super) limits: Vec<String>,
    /// How many seeds there are, if there are any.
    pub(super) seeds: Vec<String>,
    pub(super) unit: String,
    /// Whether no lines join the points.
    pub(super) is_scattered: bool,
    /// How many lines are drawn.
    pub(super) runs: usize,
}

impl Data {
    /// Puts lines together.
    pub(super) fn of(tables: &[Table], selection: &Selection) -> Result<Self, Failure> {
        let lines = Lines::of(tables, selection)?;
        let first = lines.first;
        let y =
            if selection.y.is_empty() { vec![first.figure.clone()] } else { selection.y.clone() };
        let y = y.iter().map(|name| lines.figure(name)).collect::<Result<Vec<_>, _>>()?;
        let x = match &selection.x {
            Some(name) => Some(lines.column("--x", name)?),
            None => first.over.clone(),
        };
        let panel = selection.panel.as_ref();
        let panel = panel.map(|name| lines.column("--panel", name)).transpose()?;
        let mut identity = lines.identity(selection, x.as_deref(), panel.as_deref(), &y)?;
        let names = lines.names(x.as_deref())?;
        let grouped = match lines.group((x.as_deref(), &names), panel.as_deref(), &identity) {
            Err(Twice { in_two_files: true, .. }) if selection.by.is_empty() => {
                identity.push("file".to_owned());
                lines.group((x.as_deref(), &names), panel.as_deref(), &identity)
            }
            other => other,
        };
        let grouped = grouped.map_err(|twice| lines.twice(&twice, x.as_deref(), &identity))?;
        let values = |column: &str| distinct(lines.all.iter().map(|line| line.cell(column)));
        let panels = panel.map(|column| {
            let values = values(&column);
            (column, values)
        });
        let mut series = Vec::new();
        let mut runs = 0;
        for ((panel, subject), places) in grouped {
            let mut points = Vec::new();
            for (at, of_place) in places {
                runs += of_place.len();
                points.push(point(at, &of_place, &y)?);
            }
            points.sort_by(|one, other| one.x.total_cmp(&other.x));
            let panel =
                panels.as_ref().and_then(|(_, values)| values.iter().position(|v| *v == panel));
            series.push(Points { subject, panel: panel.unwrap_or(0), all: points });
        }
        for (number, column) in y.iter().enumerate() {
            let mut known = series.iter().flat_map(|s| &s.all);
            if known.find_map(|point| point.figures[number]).is_none() {
                return Err(Failure::Message(format!(
                    "--y {column}: the column is empty in all lines that are drawn"
                )));
            }
        }
        let (limits, seeds) = (values("latency-limit"), values("seed"));
        let known = |values: Vec<String>| values.into_iter().filter(|v| !v.is_empty()).collect();
        let (limits, seeds, is_scattered) = (known(limits), known(seeds), first.is_scattered);
        let unit = first.unit.clone().unwrap_or_else(|| "flits".to_owned());
        Ok(Self { x, names, y, identity, panels, series, limits, seeds, unit, is_scattered, runs })
    }
}

/// Values in the order in which they first stand, each once.
fn distinct<'v>(values: impl Iterator<Item = &'v str>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for value in values {
        if !seen.iter().any(|other| other == value) {
            seen.push(value.to_owned());
        }
    }
    seen
}

/// The mean of some runs.
fn point(x: f64, lines: &[Line<'_>], y: &[String]) -> Result<Point, Failure> {
    let mut figures = Vec::new();
    for column in y {
        let mut values = Vec::new();
        for line in lines {
            values.extend(line.number(column)?);
        }
        let step = lines.first().map(|line| line.number("resolution")).transpose()?.flatten();
        let is_multiple = ["saturation", "by-latency", "by-acceptance"].contains(&column.as_str());
        let estimate = |values: &[f64]| match step.filter(|_| is_multiple) {
            Some(step) => Estimate::of_multiples(values, step),
            None => Estimate::of(values),
        };
        let mut figure = (!values.is_empty()).then(|| estimate(&values));
        // A line that is a mean over seeds brings its error.
        if let (Some(Estimate { error, .. }), [line]) = (&mut figure, lines) {
            *error = line.number(&format!("{column}-error"))?;
        }
        figures.push(figure);
    }
    let saturated = lines.iter().any(Line::is_saturated);
    Ok(Point { x, figures, saturated, runs: lines.len() })
}

/// The same run stands twice.
struct Twice {
    /// The two lines.
    places: [String; 2],
    /// The columns in which they differ.
    differs: Vec<String>,
    in_two_files: bool,
}

/// The series by panel and subject, and in each the lines of a place.
type Grouped<'t> = Vec<((String, Vec<String>), Vec<(f64, Vec<Line<'t>>)>)>;

impl<'t> Lines<'t> {
    fn of(tables: &'t [Table], selection: &Selection) -> Result<Self, Failure> {
        let first = tables.first().expect("at least one file is named");
        let counts = |table: &Table| (table.drawing.over.clone(), table.drawing.unit.clone());
        if let Some(other) = tables.iter().find(|table| counts(table) != counts(first)) {
            return Err(Failure::Message(format!(
                "{} has {}, and {} has {}; accepted in one picture are files with figures over the same column \
                 and in the same unit",
                first.name, first.how, other.name, other.how
            )));
        }
        let columns = tables.iter().flat_map(|table| &table.columns).map(String::as_str);
        let columns = distinct(columns);
        let of_table = |table: &'t Table| table.rows.iter().map(move |row| Line { table, row });
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
        // All nodes together, unless populations are asked for.
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
    fn column(&self, option: &str, name: &str) -> Result<String, Failure> {
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
    fn figure(&self, name: &str) -> Result<String, Failure> {
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

    /// Whether a column has figures: numbers that do not say what was run.
    fn is_figure(&self, column: &str) -> bool {
        let is_other = what_was_run().any(|name| name == column)
            || NEITHER.contains(&column)
            || column.ends_with("-error");
        !is_other && self.all.iter().all(|line| is_number(line.cell(column)))
    }

    /// The columns that say what was run, in the order in which a legend names them.
    fn identity(
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
        // What we do not know and what is no number says what was run, too.
        let unknown = self.columns.iter().map(String::as_str).filter(|column| {
            !known.contains(column)
                && !NEITHER.contains(column)
                && !column.ends_with("-error")
                && !self.is_figure(column)
        });
        let all = known.iter().copied().chain(unknown).filter(|column| is_free(column));
        if by.is_empty() {
            return Ok(all.map(str::to_owned).collect());
        }
        // What is the same in all lines makes no series, and the heading says it.
        let cells = |column| distinct(self.all.iter().map(|line| line.cell(column)));
        let common = all.filter(|column| cells(column).len() == 1).map(str::to_owned);
        let common: Vec<String> = common.filter(|column| !by.contains(column)).collect();
        by.extend(common);
        Ok(by)
    }

    /// The names of places, if the column to the right has any that are no numbers.
    fn names(&self, x: Option<&str>) -> Result<Vec<String>, Failure> {
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

    /// Puts lines together that differ in nothing but the seed.
    fn group(
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

    /// Nothing, if two lines are the same run.
    fn same(&self, one: Line<'_>, other: Line<'_>) -> Result<(), Twice> {
        let differs = self.columns.iter().filter(|column| one.cell(column) != other.cell(column));
        let differs: Vec<String> = differs.cloned().collect();
        if differs.is_empty() {
            return Ok(());
        }
        let in_two_files = one.table.name != other.table.name;
        Err(Twice { places: [one.place(), other.place()], differs, in_two_files })
    }

    /// Why runs that stand twice cannot be drawn.
    fn twice(&self, twice: &Twice, x: Option<&str>, identity: &[String]) -> Failure {
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

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "fabric,scheme,set,load,seed,population,saturated,latency,accepted,hops";

    fn table(name: &str, lines: &str) -> Table {
        let lines = lines.replace('\n', ",latency over load in flits\n");
        Table::parse(name, &format!("{HEAD},drawn\n{lines}")).map_err(|_| name).unwrap()
    }

    fn of(tables: &[Table], selection: &Selection) -> Result<Data, String> {
        Data::of(tables, selection).map_err(|failure| match failure {
            Failure::Message(text) => text,
            _ => String::new(),
        })
    }

    #[test]
    fn seeds_are_averaged_and_what_was_run_makes_series() {
        let lines = "f,min,,0.2,1,all,true,700,0.15,3\nf,min,,0.1,1,all,false,50,0.1,3\n\
                     f,min,,0.1,2,all,false,54,0.1,3\nf,par,all,0.1,1,all,false,60,0.1,4\n\
                     f,par,all,0.1,1,hot,false,99,0.1,4\n";
        let data = of(&[table("a.csv", lines)], &Selection::default()).unwrap();
        assert_eq!((data.x.as_deref(), data.series.len(), data.runs), (Some("load"), 2, 4));
        let min = &data.series[0].all;
        assert_eq!(
            min.iter().map(|p| (p.x, p.saturated, p.runs)).collect::<Vec<_>>(),
            [(0.1, false, 2), (0.2, true, 1)]
        );
        let latency = min[0].figures[0].unwrap();
        assert!((latency.mean - 52.0).abs() < 1e-9 && latency.error.unwrap() > 1.9);
        // One seed has no error.
        assert_eq!(min[1].figures[0].unwrap().error, None);
        let by =
            Selection { only: vec![("population".into(), "hot".into())], ..Selection::default() };
        assert_eq!(of(&[table("a.csv", lines)], &by).unwrap().runs, 1);
    }

    #[test]
    fn the_same_run_counts_once_and_another_one_by_its_file() {
        let one = "f,min,,0.1,1,all,false,50,0.1,3\n";
        let twice = of(&[table("a.csv", one), table("b.csv", one)], &Selection::default()).unwrap();
        assert_eq!((twice.runs, twice.series.len()), (1, 1));
        let other = table("b.csv", "f,min,,0.1,1,all,false,51,0.1,3\n");
        let two = of(&[table("a.csv", one), other], &Selection::default()).unwrap();
        assert_eq!((two.series.len(), two.identity.last().map(String::as_str)), (2, Some("file")));
        let lines = format!("{one}f,min,,0.1,1,all,false,51,0.1,3\n");
        let error = of(&[table("a.csv", &lines)], &Selection::default()).unwrap_err();
        assert_eq!(
            error,
            "a.csv: line 2 and a.csv: line 3 would be the same point, and differ in latency; accepted each run once"
        );
        let lines = "f,min,,0.1,1,all,false,50,0.1,3\nf,par,,0.1,1,all,false,50,0.1,3\n";
        let by = Selection { by: vec!["set".to_owned()], ..Selection::default() };
        let error = of(&[table("a.csv", lines)], &by).unwrap_err();
        assert!(error.contains("differ in scheme; tell them apart with --by"), "{error}");
    }

    #[test]
    fn what_is_not_there_is_refused_with_what_is() {
        let tables = [table("a.csv", "f,min,,0.1,1,all,false,50,0.1,3\n")];
        let refused = |selection: &Selection| of(&tables, selection).unwrap_err();
        let none = Selection::default();
        for (selection, words) in [
            (
                Selection { y: vec!["latancy".into()], ..none.clone() },
                "--y latancy: there is no such column (did you mean latency?); accepted latency, accepted, hops",
            ),
            (
                Selection { y: vec!["scheme".into()], ..none.clone() },
                "--y scheme: the column has no figures",
            ),
            (
                Selection { x: Some("laod".into()), ..none.clone() },
                "--x laod: there is no such column (did you mean load?); accepted fabric, ",
            ),
            (Selection { x: Some("set".into()), ..none.clone() }, "--x set: the column is empty"),
            (
                Selection { only: vec![("scheme".into(), "mni".into())], ..none.clone() },
                "--where scheme=mni: no line has this value (did you mean min?); accepted min",
            ),
            (
                Selection { panel: Some("traffic".into()), ..none.clone() },
                "--panel traffic: there is no such column",
            ),
        ] {
            let error = refused(&selection);
            assert!(error.contains(words), "{error}");
        }
        let phits =
            Table::parse("c.csv", "load,latency,drawn\n0.1,50,latency over load in phits\n");
        let [tables] = [[tables.into_iter().next().unwrap(), phits.map_err(|_| "").unwrap()]];
        let error = of(&tables, &none).unwrap_err();
        assert!(error.contains("c.csv has latency over load in phits"), "{error}");
        let bad = [table("a.csv", "f,min,,0.1,1,all,false,50,x,3\n")];
        assert!(of(&bad, &Selection { y: vec!["accepted".into()], ..none }).is_err());
    }

    #[test]
    fn a_table_that_says_no_unit_counts_flits() {
        let text = "load,latency,drawn\n0.1,50,latency over load\n";
        let table = Table::parse("a.csv", text).map_err(|_| "a table").unwrap();
        assert_eq!(of(&[table], &Selection::default()).unwrap().unit, "flits");
    }

    #[test]
    fn what_is_no_number_is_a_place() {
        let lines = "f,min,,0.1,1,all,false,50,0.1,3\nf,par,,0.1,1,all,false,60,0.1,3\n";
        let by = Selection { x: Some("scheme".to_owned()), ..Selection::default() };
        let data = of(&[table("a.csv", lines)], &by).unwrap();
        assert_eq!((data.names, data.series.len()), (vec!["min".to_owned(), "par".to_owned()], 1));
    }
}
