//! The legend below a plot: a swatch and a text for each item, side by side if there is room.

use crate::text::{width, wrapped};
use crate::{Ink, escaped, real};
use std::fmt::Write;

pub(crate) const LINE: f64 = 18.0;
const LETTERS: f64 = 12.0;
/// Room for a swatch, and between two columns.
const SWATCH: f64 = 36.0;
const GAP: f64 = 20.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Swatch {
    /// The mark of a series, on its line if it has one.
    Series(Ink, bool),
    Level,
    /// An open mark above the axes.
    Open,
    Hollow,
}

/// A swatch and its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LegendKey {
    pub(crate) swatch: Swatch,
    pub(crate) text: String,
}

/// Draws the legend between two places along a line, from a height downwards, and returns where it ends: first the
/// series, and then the other items.
pub(crate) fn draw(svg: &mut String, entries: &[LegendKey], room: (f64, f64), top: f64) -> f64 {
    let is_series = |entry: &&LegendKey| matches!(entry.swatch, Swatch::Series(..));
    let others: Vec<LegendKey> =
        entries.iter().filter(|entry| !is_series(entry)).cloned().collect();
    let series: Vec<LegendKey> = entries.iter().filter(is_series).cloned().collect();
    let end = draw_group(svg, &series, room, top);
    draw_group(svg, &others, room, end)
}

/// Draws entries side by side, as many as the widest leaves room for.
fn draw_group(svg: &mut String, entries: &[LegendKey], (left, right): (f64, f64), top: f64) -> f64 {
    let room = right - left;
    let widest = entries.iter().map(|entry| SWATCH + width(&entry.text, LETTERS) + GAP);
    let widest = widest.fold(1.0, f64::max);
    // At most as many columns as there are entries, counted up so that no number is cut off.
    let mut columns = 1;
    while columns < entries.len() && real(columns + 1) * widest <= room + GAP {
        columns += 1;
    }
    let column_width = if columns > 1 { (room + GAP) / real(columns) } else { room };
    let mut at = top;
    for row in entries.chunks(columns) {
        let mut lines = 1;
        for (column, entry) in row.iter().enumerate() {
            let x = left + real(column) * column_width;
            entry.draw_swatch(svg, x, at);
            let texts = wrapped(&entry.text, LETTERS, column_width.max(SWATCH + GAP) - SWATCH);
            for (number, text) in texts.iter().enumerate() {
                let _ = writeln!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                    x + SWATCH,
                    at + 4.0 + LINE * real(number),
                    escaped(text)
                );
            }
            lines = lines.max(texts.len());
        }
        at += LINE * real(lines);
    }
    at
}

impl LegendKey {
    fn draw_swatch(&self, svg: &mut String, x: f64, y: f64) {
        let middle = x + 14.0;
        let _ = match self.swatch {
            Swatch::Series(ink, joined) => {
                let class = ink.class();
                if joined {
                    let _ = write!(svg, "<path class=\"{class} line\" d=\"M{x:.1} {y:.1}h28\"/>");
                }
                write!(svg, "<path class=\"{class}\" d=\"{}\"/>", ink.mark(middle, y))
            }
            Swatch::Level => write!(svg, "<path class=\"level\" d=\"M{x:.1} {y:.1}h28\"/>"),
            Swatch::Open => {
                let outline = Ink::Conventional.mark(middle, y);
                write!(svg, "<path class=\"k6 open\" d=\"{outline}\"/>")
            }
            Swatch::Hollow => {
                let outline = Ink::Conventional.mark(middle, y);
                write!(
                    svg,
                    "<path class=\"k6 line\" d=\"M{x:.1} {y:.1}h28\"/>\
                     <path class=\"k6 open hollow\" d=\"{outline}\"/>"
                )
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(texts: &[&str]) -> Vec<LegendKey> {
        let of = |text: &&str| LegendKey {
            swatch: Swatch::Series(Ink::Ours, true),
            text: (*text).to_owned(),
        };
        texts.iter().map(of).collect()
    }

    #[test]
    fn short_names_stand_side_by_side_and_long_ones_are_wrapped() {
        let mut svg = String::new();
        let end = draw(&mut svg, &entries(&["min", "vlb", "ugal-l", "par"]), (50.0, 550.0), 10.0);
        assert!((end - 10.0 - LINE).abs() < 1e-9, "{end}");
        let long = "a name of many words ".repeat(10);
        let mut svg = String::new();
        let end = draw(&mut svg, &entries(&["min", &long]), (50.0, 550.0), 10.0);
        assert!(end > 10.0 + 3.0 * LINE && svg.matches("<text").count() > 3, "{svg}");
        assert!((draw(&mut svg, &[], (50.0, 550.0), 10.0) - 10.0).abs() < 1e-9);
    }
}
