//! A plot of points and lines over two axes: small enough for a phone, its series told apart by
//! colour, dash and mark together, with a value under the pointer at every mark.

use crate::{Ink, STYLE, escaped, round_axis, ticks};
use std::fmt::Write;

/// The least width of a plot; names along an axis make it wider.
const WIDTH: f64 = 460.0;
const LEFT: f64 = 52.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 236.0;
/// Room at the right of the axes.
const MARGIN: f64 = 12.0;
/// From the axes down to the first line of the legend, and the height of one of its lines.
const LEGEND: f64 = 50.0;
const LINE: f64 = 18.0;
/// Room that a name along an axis takes, and that one of its letters takes, which is set upright.
const NAME: f64 = 11.0;
const LETTER: f64 = 5.0;
/// So many letters of a heading fit into a line of a plot of the least width.
const HEADING: usize = 72;

/// One point.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The place along the axis to the right, in its units.
    pub x: f64,
    /// The height along the axis upwards, in its units; `None` is beyond its end, and is drawn there as
    /// an arrow, or as an open mark if the axis has a name for such marks.
    pub y: Option<f64>,
    /// Half the length of the error bar; 0 where there is no bar.
    pub error: f64,
    /// What a pointer over it shows.
    pub hover: String,
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub struct Series {
    /// The name in the legend; a series with an empty name is not listed there.
    pub name: String,
    /// The look of the series.
    pub ink: Ink,
    /// Whether a line joins them, in their order.
    pub joined: bool,
    /// The points of the series.
    pub marks: Vec<Mark>,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it counts, with its unit.
    pub name: String,
    /// The number at which the axis begins.
    pub from: f64,
    /// What it must reach.
    pub most: f64,
    /// Names of the places 1, 2, 3 and so on, instead of numbers; heeded to the right only.
    pub names: Vec<String>,
    /// What a mark without a height stands for. Such a mark is then drawn open at the axis's end,
    /// and listed in the legend, instead of an arrow; heeded upwards only.
    pub open_end: Option<String>,
}

impl Axis {
    /// An axis of numbers from `from` that reaches `most` at least.
    pub fn new(name: impl Into<String>, from: f64, most: f64) -> Self {
        Self { name: name.into(), from, most, names: Vec::new(), open_end: None }
    }

    /// An axis with a name at each of the places 1, 2, 3 and so on.
    pub fn of_names(name: impl Into<String>, names: Vec<String>) -> Self {
        Self { name: name.into(), from: 0.0, most: real(names.len() + 1), names, open_end: None }
    }

    /// The axis, with this meaning of marks that have no height.
    #[must_use]
    pub fn with_open_end(self, meaning: impl Into<String>) -> Self {
        Self { open_end: Some(meaning.into()), ..self }
    }
}

/// A plot.
///
/// # Example
/// ```
/// use tvlb_chart::{Axis, Ink, Mark, Plot, Series, file};
///
/// let marks = [(0.1, Some(43.0)), (0.2, None)].map(|(x, y)| Mark { x, y, error: 0.0, hover: String::new() });
/// let plot = Plot {
///     title: "latency".to_owned(),
///     x: Axis::new("load", 0.0, 0.2),
///     y: Axis::new("cycles", 0.0, 50.0),
///     level: None,
///     series: vec![Series { name: "MIN".to_owned(), ink: Ink::Ours, joined: true, marks: marks.to_vec() }],
/// };
/// assert!(plot.svg().starts_with("<svg ") && file("MIN on a small fabric", &[plot]).contains("<style>"));
/// ```
#[derive(Clone, Debug)]
pub struct Plot {
    /// What the plot shows, for those who cannot see it.
    pub title: String,
    /// The axis to the right.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// A level that is drawn across, with its name.
    pub level: Option<(f64, String)>,
    /// The series, each drawn over those before it.
    pub series: Vec<Series>,
}

/// A picture that stands alone: a heading, and plots one below the other.
pub fn file(heading: &str, plots: &[Plot]) -> String {
    let width = plots.iter().map(Plot::width).fold(WIDTH, f64::max);
    let mut body = String::new();
    let mut at = 0.0;
    for line in lines(heading, width) {
        at += LINE;
        let _ = writeln!(body, "<text x=\"{MARGIN}\" y=\"{at}\">{}</text>", escaped(&line));
    }
    at += LINE / 2.0;
    for plot in plots {
        let title = escaped(&plot.title);
        let _ = writeln!(
            body,
            "<g transform=\"translate(0 {at})\" role=\"img\" aria-label=\"{title}\">\n{}</g>",
            plot.body()
        );
        at += plot.height();
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {width:.0} {at:.0}\">\n\
         <style>{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n"
    )
}

impl Plot {
    /// The picture, for a page that has [`STYLE`].
    pub fn svg(&self) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {:.0} {:.0}\" role=\"img\" \
             aria-label=\"{}\">\n{}</svg>\n",
            self.width(),
            self.height(),
            escaped(&self.title),
            self.body()
        )
    }

    /// The picture as a file of its own, under its title.
    pub fn file(&self) -> String {
        file(&self.title, std::slice::from_ref(self))
    }

    /// The right end of the axes.
    fn right(&self) -> f64 {
        (LEFT + NAME * real(self.x.names.len() + 1)).max(WIDTH - MARGIN)
    }

    fn width(&self) -> f64 {
        self.right() + MARGIN
    }

    /// Where the names of the places along the axis to the right end.
    fn names_end(&self) -> f64 {
        let letters = self.x.names.iter().map(|name| name.chars().count()).max();
        letters.map_or(BOTTOM, |letters| BOTTOM + LETTER * real(letters))
    }

    /// The series that the legend lists.
    fn listed(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(|series| !series.name.is_empty())
    }

    fn height(&self) -> f64 {
        let further = [self.level.is_some(), self.y.open_end.is_some()];
        let lines = self.listed().count() + further.into_iter().filter(|line| *line).count();
        self.names_end() + LEGEND + LINE * real(lines)
    }

    /// Everything within the element.
    fn body(&self) -> String {
        let right = self.right();
        let (x_step, x_end) = match self.x.names.len() {
            0 => round_axis(self.x.most - self.x.from),
            names => (1.0, real(names + 1)),
        };
        let (y_step, y_end) = round_axis(self.y.most - self.y.from);
        let x = |value: f64| LEFT + (value - self.x.from) / x_end * (right - LEFT);
        let y = |value: f64| BOTTOM - (value - self.y.from) / y_end * (BOTTOM - TOP);
        let mut svg = String::new();
        for value in ticks(y_step, y_end) {
            let at = y(value + self.y.from);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{right}\"/><text x=\"{}\" y=\"{:.1}\" class=\"end\">{}</text>",
                LEFT - 6.0,
                at + 4.0,
                short(value + self.y.from)
            );
        }
        self.draw_places(&mut svg, (x_step, x_end), &x);
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{LEFT} {TOP}V{BOTTOM}H{right}\"/>\
             <text x=\"{}\" y=\"{}\" class=\"mid\">{}</text>\
             <text transform=\"translate(12 {}) rotate(-90)\" class=\"mid\">{}</text>",
            f64::midpoint(LEFT, right),
            self.names_end() + 36.0,
            escaped(&self.x.name),
            f64::midpoint(TOP, BOTTOM),
            escaped(&self.y.name)
        );
        if let Some((level, _)) = &self.level {
            let _ = writeln!(svg, "<path class=\"level\" d=\"M{LEFT} {:.1}H{right}\"/>", y(*level));
        }
        for series in &self.series {
            draw_series(&mut svg, series, self.y.open_end.is_some(), (&x, &y));
        }
        self.draw_legend(&mut svg);
        svg
    }

    /// The marks along the axis to the right, with their numbers or names.
    fn draw_places(&self, svg: &mut String, (step, end): (f64, f64), x: &impl Fn(f64) -> f64) {
        for (number, name) in self.x.names.iter().enumerate() {
            let at = x(real(number + 1));
            let _ = writeln!(
                svg,
                "<path class=\"axis\" d=\"M{at:.1} {BOTTOM}v4\"/>\
                 <text transform=\"translate({:.1} {}) rotate(-90)\" class=\"end small\">{}</text>",
                at + 3.0,
                BOTTOM + 8.0,
                escaped(name)
            );
        }
        for value in ticks(step, end).filter(|_| self.x.names.is_empty()) {
            let at = x(value + self.x.from);
            let _ = writeln!(
                svg,
                "<path class=\"axis\" d=\"M{at:.1} {BOTTOM}v4\"/><text x=\"{at:.1}\" y=\"{}\" class=\"mid\">{}</text>",
                BOTTOM + 18.0,
                short(value + self.x.from)
            );
        }
    }

    fn draw_legend(&self, svg: &mut String) {
        let mut at = self.names_end() + LEGEND;
        for series in self.listed() {
            let class = series.ink.class();
            let line = if series.joined { format!("M{LEFT} {at}h28") } else { String::new() };
            let _ = writeln!(
                svg,
                "<path class=\"{class} line\" d=\"{line}\"/><path class=\"{class}\" d=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text>",
                series.ink.mark(LEFT + 14.0, at),
                LEFT + 36.0,
                at + 4.0,
                escaped(&series.name)
            );
            at += LINE;
        }
        if let Some((_, name)) = &self.level {
            let _ = writeln!(
                svg,
                "<path class=\"level\" d=\"M{LEFT} {at}h28\"/><text x=\"{}\" y=\"{}\">{}</text>",
                LEFT + 36.0,
                at + 4.0,
                escaped(name)
            );
            at += LINE;
        }
        if let Some(meaning) = &self.y.open_end {
            let _ = writeln!(
                svg,
                "<path class=\"k6 open\" d=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text>",
                Ink::Conventional.mark(LEFT + 14.0, at),
                LEFT + 36.0,
                at + 4.0,
                escaped(meaning)
            );
        }
    }
}

/// A heading in lines that fit the width; a word that does not fit has a line of its own.
fn lines(heading: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in heading.split_whitespace() {
        match lines.last_mut() {
            Some(line)
                if real(line.chars().count() + word.chars().count()) * WIDTH
                    < real(HEADING) * width =>
            {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A count as a number to reckon with.
fn real(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

fn draw_series(
    svg: &mut String,
    series: &Series,
    has_open_marks: bool,
    (x, y): (&impl Fn(f64) -> f64, &impl Fn(f64) -> f64),
) {
    let class = series.ink.class();
    if series.joined {
        let places = series.marks.iter().filter_map(|mark| Some((x(mark.x), y(mark.y?))));
        let line = line_below(&places.collect::<Vec<_>>(), TOP);
        let _ = writeln!(svg, "<path class=\"{class} line\" d=\"{line}\"/>");
    }
    for mark in &series.marks {
        let at = x(mark.x);
        let hover = escaped(&mark.hover);
        if mark.y.is_none() && has_open_marks {
            let outline = series.ink.mark(at, TOP);
            let _ = writeln!(
                svg,
                "<path class=\"{class} open\" d=\"{outline}\"><title>{hover}</title></path>"
            );
            continue;
        }
        let Some(value) = mark.y.filter(|&value| y(value) >= TOP - 0.5) else {
            let _ = writeln!(
                svg,
                "<path class=\"{class} open\" d=\"M{at:.1} {}v-9m-3.5 4l3.5-4l3.5 4\"><title>{hover}</title></path>",
                TOP + 9.0
            );
            continue;
        };
        if mark.error > 0.0 {
            let (low, high) = (y(value - mark.error), y(value + mark.error));
            let _ =
                writeln!(svg, "<path class=\"{class} line\" d=\"M{at:.1} {low:.1}V{high:.1}\"/>");
        }
        let outline = series.ink.mark(at, y(value));
        let _ =
            writeln!(svg, "<path class=\"{class}\" d=\"{outline}\"><title>{hover}</title></path>");
    }
}

/// The line that joins places, as far as it lies below a height, which is a larger number: where the
/// line leaves the axes, it ends at their edge.
fn line_below(places: &[(f64, f64)], top: f64) -> String {
    let mut line = String::new();
    let mut before: Option<(f64, f64)> = None;
    for &(x, y) in places {
        let edge = |(other_x, other_y): (f64, f64)| {
            (other_x + (x - other_x) * (other_y - top) / (other_y - y), top)
        };
        let (from, to) = match before {
            None => (Some((x, y)).filter(|_| y >= top), None),
            Some(other) if other.1 >= top && y >= top => (None, Some((x, y))),
            Some(other) if other.1 >= top => (None, Some(edge(other))),
            Some(other) if y >= top => (Some(edge(other)), Some((x, y))),
            Some(_) => (None, None),
        };
        for (verb, (x, y)) in
            from.map(|place| ('M', place)).into_iter().chain(to.map(|place| ('L', place)))
        {
            let _ = write!(line, "{verb}{x:.1} {y:.1}");
        }
        before = Some((x, y));
    }
    line
}

/// A number with as many decimals as it takes, at most four.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> Plot {
        let mark = |y| Mark { x: 0.5, y, error: 0.0, hover: "a < b".to_owned() };
        Plot {
            title: "\"t\"".to_owned(),
            x: Axis::new("x", 0.0, 1.0),
            y: Axis::new("y", 0.0, 1.0),
            level: Some((0.5, "bound".to_owned())),
            series: vec![Series {
                name: "one & other".to_owned(),
                ink: Ink::Ours,
                joined: true,
                marks: vec![mark(Some(0.5)), mark(None), mark(Some(3.0))],
            }],
        }
    }

    #[test]
    fn what_lies_beyond_the_axis_is_an_arrow_and_names_are_escaped() {
        let svg = plot().svg();
        assert_eq!(svg.matches("k2 open").count(), 2);
        assert_eq!(svg.matches("a &lt; b").count(), 3);
        assert!(svg.contains("one &amp; other") && svg.contains("aria-label=\"&quot;t&quot;\""));
        assert!(!svg.contains("<style>"));
    }

    #[test]
    fn a_line_ends_where_it_leaves_the_axes() {
        // Upwards is towards 0, and the edge is at 10.
        let places =
            [(0.0, 30.0), (10.0, 20.0), (20.0, 0.0), (30.0, -10.0), (40.0, 30.0), (50.0, 30.0)];
        assert_eq!(
            line_below(&places, 10.0),
            "M0.0 30.0L10.0 20.0L15.0 10.0M35.0 10.0L40.0 30.0L50.0 30.0"
        );
        assert_eq!(line_below(&places[2..4], 10.0), "");
    }

    #[test]
    fn a_mark_without_a_height_can_be_an_open_mark_that_the_legend_names() {
        let plain = plot();
        let named = Plot { y: Axis::new("y", 0.0, 1.0).with_open_end("too much"), ..plot() };
        let svg = named.svg();
        assert!(svg.contains("too much") && named.height() > plain.height());
        // One mark has no height, another lies beyond the axis; the legend shows an open mark.
        let open = format!("k2 open\" d=\"{}", Ink::Ours.mark(250.0, TOP));
        assert_eq!((svg.matches(&open).count(), svg.matches("k2 open").count()), (1, 2));
        assert_eq!(svg.matches("k6 open").count(), 1);
    }

    #[test]
    fn a_file_has_its_style_its_heading_and_all_plots() {
        let heading = "word ".repeat(40);
        let svg = file(&heading, &[plot(), plot()]);
        assert!(svg.contains("<style>") && svg.matches("&quot;t&quot;").count() == 2);
        assert_eq!(svg.matches("word").count(), 40);
        let lines = svg.lines().filter(|line| line.contains("word"));
        assert!(lines.map(str::len).max() < Some(HEADING + 40));
    }

    #[test]
    fn names_stand_at_whole_numbers_and_make_room_for_themselves() {
        let names = (0..82).map(|n| format!("set {n}")).collect();
        let named = Plot { x: Axis::of_names("sets", names), ..plot() };
        assert!(named.width() > plot().width() && named.height() > plot().height());
        let svg = named.svg();
        assert_eq!(svg.matches("class=\"end small\"").count(), 82);
        assert!(svg.contains(">set 81<"));
    }
}
