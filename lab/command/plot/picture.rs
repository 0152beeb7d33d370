//! From series to a picture: axes that show every meaningful point, and labels.

use super::columns::{is_latency, words};
use super::names::SeriesNames;
use super::series::{Data, PlotPoint, Points};
use tvlb::failure::Failure;
use tvlb_chart::{Axis, Ink, Mark, Plot, Series, Sheet};

/// The most series that can be told apart.
pub(crate) const MOST_SERIES: usize = 8;
/// A limit is on the axis if it is at most this many times the largest latency.
const NEAR: f64 = 1.35;

/// How a picture looks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    pub(super) title: Option<String>,
    pub(super) logarithmic: bool,
    /// The end of the y axis.
    pub(super) most: Option<f64>,
    /// The latency limit, in cycles; by default that of the runs.
    pub(super) limit: Option<f64>,
    pub(super) width: Option<f64>,
    pub(super) height: Option<f64>,
}

impl Look {
    /// The defaults, with a title.
    pub(crate) fn titled(title: String) -> Self {
        Self { title: Some(title), ..Self::default() }
    }
}

/// The picture.
pub(super) fn sheet(data: &Data, look: &Look) -> Result<Sheet, Failure> {
    let names = SeriesNames::of(data);
    let mut different: Vec<&String> = names.series.iter().collect();
    different.sort_unstable();
    different.dedup();
    if data.x.is_some() && different.len() > MOST_SERIES {
        return Err(Failure::Message(format!(
            "there are {} series, accepted at most {MOST_SERIES} in one picture, which can be told apart: draw \
             fewer with --where COLUMN=VALUE, or one panel for each value with --panel COLUMN; they differ in {}",
            different.len(),
            differing(data).join(", ")
        )));
    }
    let panels = data.panels.as_ref().map_or(1, |(_, values)| values.len());
    let mut plots = Vec::new();
    for panel in 0..panels {
        for number in 0..data.y.len() {
            plots.push(plot(data, &names, (panel, number), look)?);
        }
    }
    let mut sheet = Sheet::new(look.title.clone().unwrap_or_else(|| heading(data, &names)), plots);
    sheet.subtitle = subtitle(data, &names);
    sheet.notes.clone_from(&names.sets);
    sheet.width = look.width.unwrap_or(sheet.width);
    let several = if sheet.plots.len() > 1 { 220.0 } else { sheet.height };
    sheet.height = look.height.unwrap_or(several);
    Ok(sheet)
}

/// Whether figures are never near 0, so that an axis need not show 0.
fn has_no_zero(column: &str) -> bool {
    column == "jain" || column.ends_with("hops")
}

/// The columns in which series differ.
fn differing(data: &Data) -> Vec<&str> {
    let differs = |place: usize| {
        let first = data.series.first().map(|points| &points.subject[place]);
        data.series.iter().any(|points| Some(&points.subject[place]) != first)
    };
    let columns = data.identity.iter().enumerate().filter(|(place, _)| differs(*place));
    columns.map(|(_, column)| column.as_str()).collect()
}

fn heading(data: &Data, names: &SeriesNames) -> String {
    let without_unit = |column: &str| {
        let words = words(column, &data.unit);
        words.split(" (").next().unwrap_or(column).to_owned()
    };
    let upwards: Vec<String> = data.y.iter().map(|column| without_unit(column)).collect();
    let mut heading = upwards.join(", ");
    if let Some(x) = &data.x {
        heading = format!("{heading} over {}", without_unit(x));
    }
    if let Some(fabric) = &names.fabric {
        heading = format!("{heading}: {fabric}");
    }
    let mut letters = heading.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// What all series have in common, and the meaning of bands.
fn subtitle(data: &Data, names: &SeriesNames) -> String {
    let mut parts = names.common.clone();
    if data.x.is_some() && names.series.len() == 1 && !names.series[0].is_empty() {
        parts.insert(0, names.series[0].clone());
    }
    match &data.seeds[..] {
        [] => {}
        [seed] => parts.push(format!("seed {seed}")),
        seeds => parts.push(format!("means over {} seeds", seeds.len())),
    }
    let has_errors = data
        .series
        .iter()
        .flat_map(|points| &points.all)
        .flat_map(|point| point.figures.iter().flatten())
        .any(|figure| figure.error.is_some());
    let mut subtitle = parts.join(", ");
    if has_errors {
        let stop = if subtitle.is_empty() { "" } else { "; " };
        let what = if data.x.is_some() { "bands" } else { "bars" };
        subtitle = format!("{subtitle}{stop}{what}: ± one standard error");
    }
    subtitle
}

/// The axis with a label for the marks of saturated points.
fn with_marks(y: Axis, limit: Option<f64>) -> Axis {
    let criterion = match limit {
        Some(limit) => format!("mean latency above {limit} cycles"),
        None => "mean latency above the limit of the run".to_owned(),
    };
    y.with_open_end(format!("saturated: {criterion}; drawn above the axis"))
        .with_hollow(format!("saturated: {criterion}"))
}

/// The y axis of a figure, which by default ends at the largest point drawn.
fn height(
    data: &Data,
    column: &str,
    look: &Look,
    (least, most): (f64, f64),
    drawn: &[(f64, f64, f64)],
) -> Axis {
    let name = words(column, &data.unit);
    if look.logarithmic {
        let positive = drawn.iter().map(|(_, mean, _)| *mean).filter(|mean| *mean > 0.0);
        let least = positive.fold(f64::MAX, f64::min);
        if least >= most {
            Axis::new(name, most / 2.0, most).logarithmic()
        } else {
            Axis::new(name, least, most).logarithmic()
        }
    } else if drawn.is_empty() || look.most.is_some() || !has_no_zero(column) {
        Axis::new(name, least.min(0.0), most)
    } else {
        Axis::around(name, least, most)
    }
}

/// The x axis; the given names stand side by side.
fn width(data: &Data, names: Vec<String>) -> Axis {
    match &data.x {
        None => Axis::of_names("", names),
        Some(x) if !data.names.is_empty() => {
            Axis::of_names(words(x, &data.unit), data.names.clone())
        }
        Some(x) => {
            let all = || data.series.iter().flat_map(|s| &s.all).map(|point| point.x);
            let (least, most) = (all().fold(f64::MAX, f64::min), all().fold(f64::MIN, f64::max));
            Axis::around(words(x, &data.unit), least, most)
        }
    }
}

/// The plot of one figure in one panel.
fn plot(
    data: &Data,
    names: &SeriesNames,
    (panel, number): (usize, usize),
    look: &Look,
) -> Result<Plot, Failure> {
    let column = data.y[number].as_str();
    let hides_saturated = is_latency(column);
    let limit = look.limit.or_else(|| match &data.limits[..] {
        [limit] => limit.parse().ok(),
        _ => None,
    });
    let is_drawn = |point: &&PlotPoint| !(hides_saturated && point.saturated);
    let of_panel = || data.series.iter().zip(&names.series).filter(|(s, _)| s.panel == panel);
    // All panels have the same axes, so that they can be compared.
    let drawn = || data.series.iter().flat_map(|s| &s.all).filter(is_drawn);
    let ends = drawn().filter_map(|point| point.figures[number]).map(|figure| {
        let error = figure.error.unwrap_or_default();
        (figure.mean - error, figure.mean, figure.mean + error)
    });
    let ends: Vec<(f64, f64, f64)> = ends.collect();
    let least = ends.iter().map(|(low, ..)| *low).fold(f64::MAX, f64::min);
    let mut most = ends.iter().map(|(.., high)| *high).fold(f64::MIN, f64::max);
    if ends.is_empty() {
        most = limit.unwrap_or(1.0);
    }
    let has_saturated = data.series.iter().flat_map(|s| &s.all).any(|point| point.saturated);
    let shows_limit = column == "latency" && (has_saturated || look.limit.is_some());
    let level = limit.filter(|_| shows_limit);
    if let Some(level) =
        level.filter(|level| *level <= NEAR * most || look.limit.is_some() && !has_saturated)
    {
        most = most.max(level);
    }
    let most = look.most.unwrap_or(most);
    let y = height(data, column, look, (least, most), &ends);
    if look.logarithmic && y.from <= 0.0 {
        return Err(Failure::Message(format!(
            "--log: {column} has no figure above 0, and the axis has no place for others"
        )));
    }
    let y = with_marks(y, limit);
    let series = match &data.x {
        Some(_) => of_panel()
            .map(|(points, name)| {
                let ink = Ink::nth(place(&names.series, name));
                let only = names.series.len() == 1;
                let name = if only { "" } else { name };
                let drawn = series(points, name, ink, (number, hides_saturated));
                Series { joined: !data.is_scattered, ..drawn }
            })
            .collect(),
        None => vec![by_names(&of_panel().collect::<Vec<_>>(), number)],
    };
    let shown: Vec<String> = of_panel().map(|(_, name)| names.of_place(name)).collect();
    let x = width(data, shown);
    let of_panel = data.panels.as_ref().map(|(column, values)| match values[panel].as_str() {
        "" => format!("no {column}"),
        value => format!("{column} {value}"),
    });
    let title = of_panel.map_or_else(
        || words(column, &data.unit),
        |panel| format!("{panel}: {}", words(column, &data.unit)),
    );
    let level = level.map(|level| (level, format!("limit of the mean latency: {level} cycles")));
    Ok(Plot { title, x, y, level, series })
}

/// The place of a name among different names.
fn place(names: &[String], name: &str) -> usize {
    let mut before: Vec<&str> = Vec::new();
    for other in names {
        if other == name {
            break;
        }
        if !before.contains(&other.as_str()) {
            before.push(other);
        }
    }
    before.len()
}

/// A line with its points.
fn series(
    points: &Points,
    name: &str,
    ink: Ink,
    (number, hides_saturated): (usize, bool),
) -> Series {
    let marks = points.all.iter().filter_map(|point| {
        let figure = point.figures[number]?;
        let is_hidden = hides_saturated && point.saturated;
        let value = match figure.error {
            Some(error) => format!("{:.4} ± {error:.4}", figure.mean),
            None => format!("{:.4}", figure.mean),
        };
        let (before, saturated) = (
            if name.is_empty() { "" } else { ": " },
            if point.saturated { ", saturated" } else { "" },
        );
        let hover = format!("{name}{before}{value} at {}{saturated}", point.x);
        let mark = Mark::new(point.x, (!is_hidden).then_some(figure.mean), hover);
        Some(
            mark.with_error(figure.error.unwrap_or_default())
                .drawn_hollow(point.saturated && !is_hidden),
        )
    });
    Series { name: name.to_owned(), ink, joined: true, marks: marks.collect() }
}

/// A point for each name.
fn by_names(all: &[(&Points, &String)], number: usize) -> Series {
    let marks = (1_u32..).zip(all).filter_map(|(place, (points, name))| {
        let figure = points.all.first()?.figures[number]?;
        let hover = format!("{name}: {:.4}", figure.mean);
        let mark = Mark::new(f64::from(place), figure.mean, hover);
        Some(mark.with_error(figure.error.unwrap_or_default()))
    });
    Series { name: String::new(), ink: Ink::Ours, joined: false, marks: marks.collect() }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Selection;
    use super::super::table::PlotFile;
    use super::*;

    fn drawn(lines: &str, look: &Look, y: &[&str]) -> Sheet {
        let head = "fabric,scheme,load,seed,saturated,latency-limit,latency,accepted";
        let lines = lines.replace('\n', ",latency over load in flits\n");
        let table =
            PlotFile::parse("a.csv", &format!("{head},drawn\n{lines}")).map_err(|_| "").unwrap();
        let y = y.iter().map(|&column| column.to_owned()).collect();
        let selection = Selection { y, ..Selection::default() };
        let data = Data::of(&[table], &selection).map_err(|_| "data").unwrap();
        sheet(&data, look).map_err(|_| "sheet").unwrap()
    }

    const LINES: &str = "f,par,0.1,1,false,500,50,0.1\nf,par,0.2,1,false,500,134,0.2\nf,par,0.3,1,true,500,900,0.25\n";

    /// A saturated latency has no height; all others are on the axis, whatever the limit.
    #[test]
    fn the_axis_holds_every_point_that_is_not_saturated() {
        let sheet = drawn(LINES, &Look::default(), &["latency"]);
        let plot = &sheet.plots[0];
        let heights: Vec<Option<f64>> = plot.series[0].marks.iter().map(|mark| mark.y).collect();
        assert_eq!(heights, [Some(50.0), Some(134.0), None]);
        assert!((plot.y.most - 134.0).abs() < 1e-9 && plot.y.from.abs() < 1e-9);
        assert_eq!(plot.level.as_ref().map(|(level, _)| *level), Some(500.0));
        // A latency close to the limit: the limit is on the axis.
        let near = LINES.replace(",134,", ",450,");
        assert!(
            (drawn(&near, &Look::default(), &["latency"]).plots[0].y.most - 500.0).abs() < 1e-9
        );
        assert_eq!(sheet.heading, "Mean latency over offered load: f");
        assert_eq!(sheet.subtitle, "par, seed 1");
    }

    /// The load that a saturated network accepts is meaningful: it is drawn at its value, hollow.
    #[test]
    fn what_is_accepted_is_drawn_beyond_saturation() {
        let sheet = drawn(LINES, &Look::default(), &["accepted", "latency"]);
        let marks = &sheet.plots[0].series[0].marks;
        assert_eq!(marks.iter().map(|mark| mark.hollow).collect::<Vec<_>>(), [false, false, true]);
        assert_eq!(marks[2].y, Some(0.25));
        assert_eq!(sheet.plots.len(), 2);
    }

    #[test]
    fn options_come_before_what_suits_the_figures() {
        let look = Look {
            title: Some("t".to_owned()),
            most: Some(1000.0),
            limit: Some(300.0),
            width: Some(500.0),
            ..Look::default()
        };
        let sheet = drawn(LINES, &look, &["latency"]);
        let plot = &sheet.plots[0];
        assert_eq!((sheet.heading.as_str(), plot.y.most, sheet.width), ("t", 1000.0, 500.0));
        assert_eq!(plot.level.as_ref().map(|(level, _)| *level), Some(300.0));
        let logarithmic = Look { logarithmic: true, ..Look::default() };
        let plot = drawn(LINES, &logarithmic, &["latency"]).plots.remove(0);
        assert!(plot.y.is_logarithmic && (plot.y.from - 50.0).abs() < 1e-9);
    }

    #[test]
    fn all_saturated_leaves_an_axis_to_the_limit() {
        let sheet = drawn("f,par,0.3,1,true,500,900,0.25\n", &Look::default(), &["latency"]);
        assert!((sheet.plots[0].y.most - 500.0).abs() < 1e-9);
        assert!(sheet.svg().contains("limit of the mean latency: 500 cycles"));
    }
}
