//! From lines of results to series of points: which lines belong together, and means over seeds.

use super::lines::{PlotLine, PlotLines, Selection, Twice, distinct};
use super::table::PlotFile;
use tvlb::failure::Failure;
use tvlb_simulator::Estimate;

/// A place on the x axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlotPoint {
    /// The number there, or the index of a name, from 1.
    pub(super) x: f64,
    /// For each figure, its value if known.
    pub(super) figures: Vec<Option<Estimate>>,
    /// Whether any of the runs was saturated.
    pub(super) saturated: bool,
    /// The number of runs in the mean.
    pub(super) runs: usize,
}

/// Points that differ only in x.
#[derive(Clone, Debug)]
pub(super) struct Points {
    /// The run: a value for each of [`Data::identity`].
    pub(super) subject: Vec<String>,
    /// The index of its panel.
    pub(super) panel: usize,
    pub(super) all: Vec<PlotPoint>,
}

/// Everything that is drawn.
#[derive(Debug)]
pub(super) struct Data {
    /// The column of the x axis; `None` if each series is a place.
    pub(super) x: Option<String>,
    /// The names of places, if they are not numbers.
    pub(super) names: Vec<String>,
    /// The columns of the y axes.
    pub(super) y: Vec<String>,
    /// The columns that describe a run; `file` is the file's name.
    pub(super) identity: Vec<String>,
    /// The column with a panel for each value, and the values.
    pub(super) panels: Option<(String, Vec<String>)>,
    pub(super) series: Vec<Points>,
    /// The limits above which runs counted as saturated.
    pub(super) limits: Vec<String>,
    /// The seeds, if there are any.
    pub(super) seeds: Vec<String>,
    pub(super) unit: String,
    /// Whether no lines join the points.
    pub(super) is_scattered: bool,
    /// How many lines are drawn.
    pub(super) runs: usize,
}

impl Data {
    /// Joins lines into series.
    pub(super) fn of(tables: &[PlotFile], selection: &Selection) -> Result<Self, Failure> {
        let lines = PlotLines::of(tables, selection)?;
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

/// The mean of some runs.
fn point(x: f64, lines: &[PlotLine<'_>], y: &[String]) -> Result<PlotPoint, Failure> {
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
        // A line that is a mean over seeds has its own error.
        if let (Some(Estimate { error, .. }), [line]) = (&mut figure, lines) {
            *error = line.number(&format!("{column}-error"))?;
        }
        figures.push(figure);
    }
    let saturated = lines.iter().any(PlotLine::is_saturated);
    Ok(PlotPoint { x, figures, saturated, runs: lines.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "fabric,scheme,set,load,seed,population,saturated,latency,accepted,hops";

    fn table(name: &str, lines: &str) -> PlotFile {
        let lines = lines.replace('\n', ",latency over load in flits\n");
        PlotFile::parse(name, &format!("{HEAD},drawn\n{lines}")).map_err(|_| name).unwrap()
    }

    fn of(tables: &[PlotFile], selection: &Selection) -> Result<Data, String> {
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
            PlotFile::parse("c.csv", "load,latency,drawn\n0.1,50,latency over load in phits\n");
        let [tables] = [[tables.into_iter().next().unwrap(), phits.map_err(|_| "").unwrap()]];
        let error = of(&tables, &none).unwrap_err();
        assert!(error.contains("c.csv has latency over load in phits"), "{error}");
        let bad = [table("a.csv", "f,min,,0.1,1,all,false,50,x,3\n")];
        assert!(of(&bad, &Selection { y: vec!["accepted".into()], ..none }).is_err());
    }

    #[test]
    fn a_table_that_says_no_unit_counts_flits() {
        let text = "load,latency,drawn\n0.1,50,latency over load\n";
        let table = PlotFile::parse("a.csv", text).map_err(|_| "a table").unwrap();
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
