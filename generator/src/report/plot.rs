//! A plot of points and lines over two axes, as SVG: small enough for a phone, told apart by
//! colour, dash and mark together, with a value behind every mark.
//!
//! Colours are those of Okabe and Ito, which the colour-blind can tell apart. In a page they come
//! from its style sheet; a plot that stands alone brings the same sheet along.

use super::page::STYLE;
use crate::svg::{escaped, round_axis, ticks};
use std::fmt::Write;

const WIDTH: f64 = 460.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 448.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 236.0;
/// Where the legend begins, and the height of one of its lines.
const LEGEND: f64 = 286.0;
const LINE: f64 = 18.0;

/// What a series stands for; decides how it looks, the same in all plots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Conventional UGAL.
    Conventional,
    /// The paper's choice.
    Paper,
    /// What was chosen.
    Ours,
    /// A further one.
    Fourth,
    /// A further one.
    Fifth,
    /// A further one.
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
    /// In the units of the axis.
    pub x: f64,
    /// In the units of the axis; none lies beyond its end, and is drawn there as an arrow.
    pub y: Option<f64>,
    /// Half the length of the error bar; 0 for none.
    pub error: f64,
    /// What a pointer over it shows.
    pub hover: String,
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub struct Series {
    /// In the legend; not listed if empty.
    pub name: String,
    /// How it looks.
    pub ink: Ink,
    /// Whether a line joins them, in their order.
    pub joined: bool,
    /// The points.
    pub marks: Vec<Mark>,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it counts, with its unit.
    pub name: String,
    /// Where it begins.
    pub from: f64,
    /// What it must reach.
    pub most: f64,
}

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// For those who cannot see it.
    pub title: String,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// A level that is drawn across, with its name.
    pub level: Option<(f64, String)>,
    /// The points.
    pub series: Vec<Series>,
}

impl Plot {
    /// The picture, for a page with our style sheet.
    pub fn svg(&self) -> String {
        self.draw("")
    }

    /// The picture as a file of its own.
    pub fn file(&self) -> String {
        let style = format!(
            "<style>{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
        );
        self.draw(&style)
    }

    fn draw(&self, head: &str) -> String {
        let (x_step, x_end) = round_axis(self.x.most - self.x.from);
        let (y_step, y_end) = round_axis(self.y.most - self.y.from);
        let x = |value: f64| LEFT + (value - self.x.from) / x_end * (RIGHT - LEFT);
        let y = |value: f64| BOTTOM - (value - self.y.from) / y_end * (BOTTOM - TOP);
        let listed: Vec<&Series> = self.series.iter().filter(|s| !s.name.is_empty()).collect();
        let lines = (0..listed.len() + usize::from(self.level.is_some())).fold(0.0, |n, _| n + 1.0);
        let height = LEGEND + LINE * lines;
        let title = escaped(&self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             aria-label=\"{title}\">\n{head}"
        );
        for value in ticks(y_step, y_end) {
            let at = y(value + self.y.from);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{RIGHT}\"/><text x=\"{}\" y=\"{:.1}\" class=\"end\">{}</text>",
                LEFT - 6.0,
                at + 4.0,
                short(value + self.y.from)
            );
        }
        for value in ticks(x_step, x_end) {
            let at = x(value + self.x.from);
            let _ = writeln!(
                svg,
                "<path class=\"axis\" d=\"M{at:.1} {BOTTOM}v4\"/><text x=\"{at:.1}\" y=\"{}\" class=\"mid\">{}</text>",
                BOTTOM + 18.0,
                short(value + self.x.from)
            );
        }
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\"/>\
             <text x=\"{}\" y=\"{}\" class=\"mid\">{}</text>\
             <text transform=\"translate(12 {}) rotate(-90)\" class=\"mid\">{}</text>",
            f64::midpoint(LEFT, RIGHT),
            BOTTOM + 36.0,
            escaped(&self.x.name),
            f64::midpoint(TOP, BOTTOM),
            escaped(&self.y.name)
        );
        if let Some((level, _)) = &self.level {
            let _ = writeln!(svg, "<path class=\"level\" d=\"M{LEFT} {:.1}H{RIGHT}\"/>", y(*level));
        }
        for series in &self.series {
            draw_series(&mut svg, series, &x, &y);
        }
        let mut at = LEGEND;
        for series in listed {
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
        svg.push_str("</svg>\n");
        svg
    }
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
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beyond_the_axis_is_an_arrow_and_names_are_escaped() {
        let mark = |y| Mark { x: 0.5, y, error: 0.0, hover: "a < b".to_owned() };
        let plot = Plot {
            title: "\"t\"".to_owned(),
            x: Axis { name: "x".to_owned(), from: 0.0, most: 1.0 },
            y: Axis { name: "y".to_owned(), from: 0.0, most: 1.0 },
            level: Some((0.5, "bound".to_owned())),
            series: vec![Series {
                name: "one & other".to_owned(),
                ink: Ink::Ours,
                joined: true,
                marks: vec![mark(Some(0.5)), mark(None), mark(Some(3.0))],
            }],
        };
        let svg = plot.svg();
        assert_eq!(svg.matches("k2 open").count(), 2);
        assert_eq!(svg.matches("a &lt; b").count(), 3);
        assert!(svg.contains("one &amp; other") && svg.contains("aria-label=\"&quot;t&quot;\""));
        assert!(!svg.contains("<style>") && plot.file().contains("<style>"));
    }
}
