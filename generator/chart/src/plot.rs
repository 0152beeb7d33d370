//! A plot of points and lines over two axes: small enough for a phone, its series distinguished by colour, dash and
//! mark together, with a value under the pointer at every mark.

use crate::axis::{Axis, Range};
use crate::legend::{self, LegendKey, Swatch};
use crate::series::{AxisPlaces, ROW, Series};
use crate::text::width;
use crate::{escaped, real};
use std::fmt::Write;

const LEFT: f64 = 52.0;
const TOP: f64 = 14.0;
/// Room at the right of the axes.
pub(crate) const MARGIN: f64 = 12.0;
/// From the names along the axis to the right down to the axis's own, and from there to the first line
/// of the legend.
const NAME_BELOW: f64 = 36.0;
const LEGEND: f64 = 22.0;
/// Room that a name along an axis takes which is set upright, and the size of its letters.
const NAME: f64 = 13.0;
const NAME_LETTERS: f64 = 10.5;
/// Between the end of an axis and a level beyond it: the axis is broken there.
const BREAK: f64 = 16.0;
/// The most rows of marks in the strip above the axes.
const MOST_ROWS: usize = 8;

/// How large a plot is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    /// The least width of the whole; names along an axis make it wider.
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Beside others on a page.
const ON_A_PAGE: Size = Size { width: 460.0, height: 222.0 };

/// A plot.
///
/// # Example
/// ```
/// use tvlb_chart::{Axis, Ink, Mark, Plot, Series, file};
///
/// let marks = [(0.1, Some(43.0)), (0.2, None)].map(|(x, y)| Mark::new(x, y, ""));
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
    /// A description of the plot, for those who cannot see it.
    pub title: String,
    /// The axis to the right.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// A named level that is drawn across. If it is beyond the axis and there are marks without a height, the axis is
    /// broken, and the level is below these marks.
    pub level: Option<(f64, String)>,
    /// The series, each drawn over those before it.
    pub series: Vec<Series>,
}

impl Plot {
    /// The picture, for a page that has [`STYLE`](crate::STYLE).
    pub fn svg(&self) -> String {
        let mut body = String::new();
        let width = self.width(ON_A_PAGE);
        let end = self.draw(&mut body, ON_A_PAGE);
        let end = draw_legend(&mut body, &self.entries(), width, end);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {width:.0} {end:.0}\" role=\"img\" \
             aria-label=\"{}\">\n{body}</svg>\n",
            escaped(&self.title)
        )
    }

    /// How wide it is if it has this size.
    pub(crate) fn width(&self, size: Size) -> f64 {
        let names = if self.has_upright_names(size) { self.x.names.len() + 1 } else { 0 };
        (LEFT + NAME * real(names) + MARGIN).max(size.width)
    }

    /// Whether the names along the axis are too long to fit side by side.
    fn has_upright_names(&self, size: Size) -> bool {
        let room = (size.width - LEFT - MARGIN) / real(self.x.names.len() + 1);
        self.x.names.iter().any(|name| width(name, NAME_LETTERS) + 8.0 > room)
    }

    /// Where the names of the places along the axis to the right end, below a height.
    fn names_end(&self, size: Size, bottom: f64) -> f64 {
        if !self.has_upright_names(size) {
            return bottom;
        }
        let longest = self.x.names.iter().map(|name| width(name, NAME_LETTERS));
        bottom + longest.fold(0.0, f64::max)
    }

    /// How many rows of marks there are above the axes.
    fn rows_above(&self) -> usize {
        if self.y.open_end.is_none() {
            return 0;
        }
        let open = || self.series.iter().flat_map(|s| &s.marks).filter(|mark| mark.y.is_none());
        // Marks that are close stand above each other.
        let near = ROW / (ON_A_PAGE.width - LEFT) * (self.x.most - self.x.from);
        let close = open().map(|mark| open().filter(|o| (o.x - mark.x).abs() < near).count());
        close.max().unwrap_or(0).min(MOST_ROWS)
    }

    /// Draws everything but the legend, and returns where it ends.
    pub(crate) fn draw(&self, svg: &mut String, size: Size) -> f64 {
        let right = self.width(size) - MARGIN;
        let (x_range, y_range) = (self.x.range(), self.y.range());
        let rows = self.rows_above();
        let level = self.level.as_ref().map(|(level, _)| *level);
        let is_beyond = level.is_some_and(|level| level > y_range.end * 1.000_001);
        let strip = if rows > 0 { ROW * real(rows) + 4.0 } else { 0.0 };
        let gap = if rows > 0 && is_beyond { BREAK } else { 0.0 };
        let top = TOP + strip + gap;
        let bottom = top + size.height;
        let x = |value: f64| LEFT + x_range.share(value) * (right - LEFT);
        let y = |value: f64| bottom - y_range.share(value) * (bottom - top);
        for &value in &y_range.marks {
            let at = y(value);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{right:.1}\"/><text x=\"{}\" y=\"{:.1}\" class=\"end\">{}</text>",
                LEFT - 6.0,
                at + 4.0,
                short(value)
            );
        }
        self.draw_places(svg, &x_range, &x, (size, bottom));
        let names_end = self.names_end(size, bottom);
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{LEFT} {top}V{bottom}H{right:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" class=\"mid\">{}</text>\
             <text transform=\"translate(13 {:.1}) rotate(-90)\" class=\"mid\">{}</text>",
            f64::midpoint(LEFT, right),
            names_end + NAME_BELOW,
            escaped(&self.x.name),
            f64::midpoint(top, bottom),
            escaped(&self.y.name)
        );
        let edge = TOP + strip;
        match level {
            Some(level) if !is_beyond => {
                let at = y(level);
                let _ = writeln!(svg, "<path class=\"level\" d=\"M{LEFT} {at:.1}H{right:.1}\"/>");
            }
            // The axis is broken, and goes on at the level.
            Some(level) if gap > 0.0 => {
                let middle = edge + gap / 2.0;
                let _ = writeln!(
                    svg,
                    "<path class=\"level\" d=\"M{LEFT} {edge:.1}H{right:.1}\"/>\
                     <text x=\"{}\" y=\"{:.1}\" class=\"end\">{}</text>\
                     <path class=\"axis\" d=\"M{} {:.1}l8-4m-8 8l8-4M{LEFT} {edge:.1}V{TOP}\"/>",
                    LEFT - 6.0,
                    edge + 4.0,
                    short(level),
                    LEFT - 4.0,
                    middle,
                );
            }
            _ => {}
        }
        let strip = (rows > 0).then_some(edge - ROW / 2.0 - 1.0);
        let places = AxisPlaces { x: &x, y: &y, top, bottom, strip };
        let mut above = Vec::new();
        for series in &self.series {
            series.draw(svg, &places, &mut above);
        }
        names_end + NAME_BELOW
    }

    /// The marks along the axis to the right, with their numbers or names.
    fn draw_places(
        &self,
        svg: &mut String,
        range: &Range,
        x: &dyn Fn(f64) -> f64,
        (size, bottom): (Size, f64),
    ) {
        let is_upright = self.has_upright_names(size);
        for (number, name) in self.x.names.iter().enumerate() {
            let (at, name) = (x(real(number + 1)), escaped(name));
            let place = if is_upright {
                format!(
                    "transform=\"translate({:.1} {}) rotate(-90)\" class=\"end small\"",
                    at + 3.5,
                    bottom + 8.0
                )
            } else {
                format!("x=\"{at:.1}\" y=\"{}\" class=\"mid small\"", bottom + 18.0)
            };
            let _ = writeln!(
                svg,
                "<path class=\"axis\" d=\"M{at:.1} {bottom}v4\"/><text {place}>{name}</text>"
            );
        }
        for &value in range.marks.iter().filter(|_| self.x.names.is_empty()) {
            let at = x(value);
            let _ = writeln!(
                svg,
                "<path class=\"axis\" d=\"M{at:.1} {bottom}v4\"/><text x=\"{at:.1}\" y=\"{}\" class=\"mid\">{}</text>",
                bottom + 18.0,
                short(value)
            );
        }
    }

    /// The entries of the legend.
    pub(crate) fn entries(&self) -> Vec<LegendKey> {
        let series = self.series.iter().filter(|series| !series.name.is_empty());
        let mut entries: Vec<LegendKey> = series
            .map(|series| LegendKey {
                swatch: Swatch::Series(series.ink, series.joined),
                text: series.name.clone(),
            })
            .collect();
        let is_drawn =
            |level: f64| self.rows_above() > 0 || level <= self.y.range().end * 1.000_001;
        if let Some((_, name)) = self.level.as_ref().filter(|(level, _)| is_drawn(*level)) {
            entries.push(LegendKey { swatch: Swatch::Level, text: name.clone() });
        }
        let mut marks = self.series.iter().flat_map(|series| &series.marks);
        if let Some(meaning) = self.y.open_end.as_ref().filter(|_| self.rows_above() > 0) {
            entries.push(LegendKey { swatch: Swatch::Open, text: meaning.clone() });
        }
        if let Some(meaning) = self.y.hollow.as_ref().filter(|_| marks.any(|mark| mark.hollow)) {
            entries.push(LegendKey { swatch: Swatch::Hollow, text: meaning.clone() });
        }
        entries
    }
}

/// Draws a legend below what ends at this height, and returns where it ends.
pub(crate) fn draw_legend(svg: &mut String, entries: &[LegendKey], width: f64, end: f64) -> f64 {
    if entries.is_empty() {
        return end + MARGIN;
    }
    legend::draw(svg, entries, (LEFT, width - MARGIN), end + LEGEND)
}

/// A number with as many decimals as it takes, at most four.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ink, Mark};

    fn plot() -> Plot {
        let mark = |y: Option<f64>| Mark::new(0.5, y, "a < b");
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
    fn a_mark_without_a_height_can_be_an_open_mark_that_the_legend_names() {
        let named = Plot { y: Axis::new("y", 0.0, 1.0).with_open_end("too much"), ..plot() };
        let svg = named.svg();
        assert!(svg.contains("too much") && !plot().svg().contains("too much"));
        // One mark has no height, another lies beyond the axis; the legend shows an open mark.
        assert_eq!((svg.matches("v-9m").count(), svg.matches("k2 open").count()), (1, 2));
        assert_eq!(svg.matches("k6 open").count(), 1);
        // Nothing is explained that is not there.
        let mut without = named;
        without.series[0].marks.remove(1);
        assert!(!without.svg().contains("too much"));
    }

    #[test]
    fn a_level_beyond_the_axis_is_below_the_marks_without_a_height() {
        let y = Axis::new("y", 0.0, 1.0).with_open_end("too much");
        let broken = Plot { y, level: Some((500.0, "limit".to_owned())), ..plot() };
        let svg = broken.svg();
        assert!(svg.contains(">500</text>") && svg.contains(">limit</text>"), "{svg}");
        // Without such marks there is nothing that the level would be below.
        let mut without = broken;
        without.series[0].marks.remove(1);
        let svg = without.svg();
        assert!(!svg.contains(">500</text>") && !svg.contains(">limit</text>"), "{svg}");
    }

    #[test]
    fn a_hollow_mark_is_explained() {
        let y = Axis::new("y", 0.0, 1.0).with_hollow("not certain");
        let mut hollow = Plot { y, ..plot() };
        assert!(!hollow.svg().contains("not certain"));
        hollow.series[0].marks[0].hollow = true;
        let svg = hollow.svg();
        assert!(svg.contains("not certain") && svg.contains("k2 open hollow"));
    }

    #[test]
    fn names_stand_at_whole_numbers_and_make_room_for_themselves() {
        let names = (0..82).map(|n| format!("set {n}")).collect();
        let named = Plot { x: Axis::of_names("sets", names), ..plot() };
        assert!(named.width(ON_A_PAGE) > plot().width(ON_A_PAGE));
        let svg = named.svg();
        assert_eq!(svg.matches("class=\"end small\"").count(), 82);
        assert!(svg.contains(">set 81<"));
        // Few short names stand side by side.
        let few =
            Plot { x: Axis::of_names("sets", vec!["one".to_owned(), "two".to_owned()]), ..plot() };
        assert!(few.svg().contains("class=\"mid small\">one</text>"));
    }
}
