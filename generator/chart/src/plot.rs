//! A plot of points and lines over two axes: small enough for a phone, its series told apart by
//! colour, dash and mark together, with a value under the pointer at every mark.

use crate::{STYLE, escaped, round_axis, ticks};
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

/// What a series stands for; decides how it looks, the same in all plots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Conventional UGAL.
    Conventional,
    /// The paper's choice.
    Paper,
    /// What was chosen.
    Ours,
    /// A fourth series.
    Fourth,
    /// A fifth series.
    Fifth,
    /// A sixth series.
    Sixth,
    /// Everything else.
    Plain,
}

impl Ink {
    /// In the order of a legend.
    pub const ALL: [Self; 7] = [
        Self::Conventional,
        Self::Paper,
        Self::Ours,
        Self::Fourth,
        Self::Fifth,
        Self::Sixth,
        Self::Plain,
    ];

    /// The ink of the n-th of several.
    pub fn nth(n: usize) -> Self {
        Self::ALL[n % 6]
    }

    const fn class(self) -> &'static str {
        match self {
            Self::Conventional => "k0",
            Self::Paper => "k1",
            Self::Ours => "k2",
            Self::Fourth => "k3",
            Self::Fifth => "k4",
            Self::Sixth => "k5",
            Self::Plain => "k6",
        }
    }

    /// The outline of its mark around a point.
    fn mark(self, x: f64, y: f64) -> String {
        match self {
            Self::Conventional => format!("M{:.1} {:.1}h7v7h-7z", x - 3.5, y - 3.5),
            Self::Paper => format!("M{x:.1} {:.1}l4.2 7.4h-8.4z", y - 4.6),
            Self::Ours => format!("M{x:.1} {:.1}l4.8 4.8l-4.8 4.8l-4.8-4.8z", y - 4.8),
            Self::Fourth => format!("M{x:.1} {:.1}l4.2-7.4h-8.4z", y + 4.6),
            Self::Fifth => format!("M{:.1} {:.1}h3v-3h3v3h3v3h-3v3h-3v-3h-3z", x - 4.5, y - 1.5),
            Self::Sixth => format!("M{:.1} {:.1}h5v10h-5z", x - 2.5, y - 5.0),
            Self::Plain => format!("M{:.1} {:.1}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0z", x - 2.5, y),
        }
    }
}

/// One point.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The place along the axis to the right, in its units.
    pub x: f64,
    /// The height along the axis upwards, in its units; `None` is beyond its end, and is drawn there as
    /// an arrow.
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
}

impl Axis {
    /// An axis of numbers from `from` that reaches `most` at least.
    pub fn new(name: impl Into<String>, from: f64, most: f64) -> Self {
        Self { name: name.into(), from, most, names: Vec::new() }
    }

    /// An axis with a name at each of the places 1, 2, 3 and so on.
    pub fn of_names(name: impl Into<String>, names: Vec<String>) -> Self {
        Self { name: name.into(), from: 0.0, most: real(names.len() + 1), names }
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
        let lines = self.listed().count() + usize::from(self.level.is_some());
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
            draw_series(&mut svg, series, &x, &y);
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
    x: &impl Fn(f64) -> f64,
    y: &impl Fn(f64) -> f64,
) {
    let class = series.ink.class();
    if series.joined {
        let mut line = String::new();
        for mark in &series.marks {
            let Some(value) = mark.y else { continue };
            let verb = if line.is_empty() { 'M' } else { 'L' };
            let _ = write!(line, "{verb}{:.1} {:.1}", x(mark.x), y(value).max(TOP));
        }
        let _ = writeln!(svg, "<path class=\"{class} line\" d=\"{line}\"/>");
    }
    for mark in &series.marks {
        let at = x(mark.x);
        let hover = escaped(&mark.hover);
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
