//! The points of a plot and their connections: lines, bands and bars of errors.

use crate::{Ink, escaped};
use std::fmt::Write;

/// The height of a row of marks in the strip above the axes.
pub(crate) const ROW: f64 = 12.0;

#[derive(Clone, Debug)]
pub struct Mark {
    /// The place along the axis to the right, in its units.
    pub x: f64,
    /// The height along the y axis, in its units; `None` is beyond its end, and is drawn there as an arrow, or as an
    /// open mark if the axis has a name for such marks.
    pub y: Option<f64>,
    /// The possible error to either side, in the same units; 0 if unknown. Drawn as a band along a line, and as a bar
    /// at a point without a line.
    pub error: f64,
    /// Whether the mark is drawn hollow; the y axis gives the meaning.
    pub hollow: bool,
    /// The text under a pointer.
    pub hover: String,
}

impl Mark {
    /// A filled mark without an error.
    pub fn new(x: f64, y: impl Into<Option<f64>>, hover: impl Into<String>) -> Self {
        Self { x, y: y.into(), error: 0.0, hollow: false, hover: hover.into() }
    }

    /// The mark, which may be off by so much.
    #[must_use]
    pub fn with_error(self, error: f64) -> Self {
        Self { error, ..self }
    }

    /// The mark, hollow or not.
    #[must_use]
    pub fn drawn_hollow(self, hollow: bool) -> Self {
        Self { hollow, ..self }
    }
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

/// The positions of the axes of a plot in the picture.
pub(crate) struct AxisPlaces<'p> {
    /// From numbers along the axis to the right.
    pub(crate) x: &'p dyn Fn(f64) -> f64,
    /// From numbers along the axis upwards.
    pub(crate) y: &'p dyn Fn(f64) -> f64,
    /// The upper end of the axis, and its lower one.
    pub(crate) top: f64,
    pub(crate) bottom: f64,
    /// The position of the lowest row of the strip above the axes, if there is a strip.
    pub(crate) strip: Option<f64>,
}

impl Series {
    /// Draws the series. `above` are the places of the marks that are in the strip already.
    pub(crate) fn draw(&self, svg: &mut String, places: &AxisPlaces<'_>, above: &mut Vec<f64>) {
        let class = self.ink.class();
        let AxisPlaces { x, y, top, bottom, .. } = *places;
        if self.joined {
            for run in self.marks.split(|mark| mark.y.is_none()).filter(|run| run.len() > 1) {
                let at = |mark: &Mark| mark.y.map(|height| (x(mark.x), y(height)));
                let line = line_below(&run.iter().filter_map(at).collect::<Vec<_>>(), top);
                if run.iter().any(|mark| mark.error > 0.0) {
                    let band = band(run, places);
                    let _ = writeln!(svg, "<path class=\"{class} band\" d=\"{band}\"/>");
                }
                if !line.is_empty() {
                    let _ = writeln!(svg, "<path class=\"{class} line\" d=\"{line}\"/>");
                }
            }
        }
        for (number, mark) in self.marks.iter().enumerate() {
            let at = x(mark.x);
            let hover = escaped(&mark.hover);
            if let (None, Some(strip)) = (mark.y, places.strip) {
                // Marks at the same place stand above each other.
                let row = above.iter().filter(|&&other| (other - at).abs() < ROW).count();
                above.push(at);
                let outline = self.ink.mark(at, strip - ROW * crate::real(row));
                let _ = writeln!(
                    svg,
                    "<path class=\"{class} open\" d=\"{outline}\"><title>{hover}</title></path>"
                );
                continue;
            }
            let Some(value) = mark.y.filter(|&value| y(value) >= top - 0.5) else {
                let _ = writeln!(
                    svg,
                    "<path class=\"{class} open\" d=\"M{at:.1} {:.1}v-9m-3.5 4l3.5-4l3.5 4\"><title>{hover}</title></path>",
                    top + 9.0
                );
                continue;
            };
            let neighbours = [number.checked_sub(1), Some(number + 1)];
            let is_joined = self.joined
                && neighbours
                    .into_iter()
                    .flatten()
                    .any(|other| self.marks.get(other).is_some_and(|mark| mark.y.is_some()));
            if mark.error > 0.0 && !is_joined {
                let [low, high] =
                    [-mark.error, mark.error].map(|error| y(value + error).clamp(top, bottom));
                let _ = writeln!(
                    svg,
                    "<path class=\"{class} bar\" d=\"M{at:.1} {low:.1}V{high:.1}\"/>"
                );
            }
            let outline = self.ink.mark(at, y(value));
            let look = if mark.hollow { " open hollow" } else { "" };
            let _ = writeln!(
                svg,
                "<path class=\"{class}{look}\" d=\"{outline}\"><title>{hover}</title></path>"
            );
        }
    }
}

/// The outline of the possible values, within the axes.
fn band(run: &[Mark], places: &AxisPlaces<'_>) -> String {
    let AxisPlaces { x, y, top, bottom, .. } = *places;
    let edge = |mark: &Mark, error: f64| {
        let height = mark.y.unwrap_or_default() + error;
        format!("{:.1} {:.1}", x(mark.x), y(height).clamp(top, bottom))
    };
    let upper = run.iter().map(|mark| edge(mark, mark.error));
    let lower = run.iter().rev().map(|mark| edge(mark, -mark.error));
    format!("M{}z", upper.chain(lower).collect::<Vec<_>>().join("L"))
}

/// The part of the line between places that is below a height, which is a larger number: a line that leaves the axes
/// ends at their edge.
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

#[cfg(test)]
mod tests {
    use super::*;

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

    fn drawn(marks: Vec<Mark>, joined: bool) -> String {
        let places = AxisPlaces {
            x: &|x| 10.0 * x,
            y: &|y| 100.0 - y,
            top: 20.0,
            bottom: 100.0,
            strip: Some(10.0),
        };
        let mut svg = String::new();
        let series = Series { name: String::new(), ink: Ink::Ours, joined, marks };
        series.draw(&mut svg, &places, &mut Vec::new());
        svg
    }

    #[test]
    fn errors_are_a_band_along_a_line_and_a_bar_elsewhere() {
        let mark = |x, y: Option<f64>| Mark::new(x, y, "").with_error(5.0);
        let two = vec![mark(1.0, Some(50.0)), mark(2.0, Some(78.0))];
        let joined = drawn(two.clone(), true);
        assert!(joined.contains("band\" d=\"M10.0 45.0L20.0 20.0L20.0 27.0L10.0 55.0z\""));
        assert!(!joined.contains(" bar\"") && joined.contains(" line\""));
        let alone = drawn(two, false);
        assert!(!alone.contains("band") && alone.matches(" bar\"").count() == 2, "{alone}");
        // A line does not lead past a mark without a height.
        let broken =
            drawn(vec![mark(1.0, Some(50.0)), mark(2.0, None), mark(3.0, Some(1.0))], true);
        assert!(!broken.contains(" line\"") && broken.matches(" bar\"").count() == 2, "{broken}");
    }
}
