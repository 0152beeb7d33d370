//! Heat maps: a value for each row and column, as a colour and, under the pointer, as a number.

use crate::{Ink, escaped, real};
use std::fmt::Write;
use std::ops::Range;

const WIDTH: f64 = 440.0;
/// Room for the names of rows, and for those of columns.
const LEFT: f64 = 40.0;
const TOP: f64 = 32.0;
/// The largest side of a cell.
const MOST_CELL: f64 = 26.0;
/// More rows or columns than this are drawn several to a cell.
const MOST_SIDE: u32 = 48;
/// Room for the scale and the number at its end.
const SCALE: f64 = 220.0;
/// A picture up to this wide is narrow.
const NARROW: f64 = 300.0;
/// Between lines of the legend.
const LINE: f64 = 16.0;
const SHADES: f64 = 9.0;

/// A cell: the value of its colour, and the text under the pointer.
pub type Cell = (f64, String);

pub struct HeatMap<'m> {
    /// A description for those who cannot see it.
    pub title: String,
    /// The names of rows and columns.
    pub names: (&'m str, &'m str),
    /// How many there are.
    pub size: (u32, u32),
    /// Parts of the rows and columns that are marked along both axes, each by its first number; empty if there is only
    /// one.
    pub parts: &'m [HeatMapPart],
    /// The meaning of the colours.
    pub scale: Scale,
    /// The cell of these rows and columns: one of each, or several if there are too many to draw.
    pub cell: &'m dyn Fn(Range<u32>, Range<u32>) -> Option<Cell>,
}

/// A part of the rows, and of the columns as they are the same.
pub struct HeatMapPart {
    pub first: u32,
    pub name: String,
}

/// The meaning of colours.
pub enum Scale {
    /// Everything from the first value to the second.
    Even(f64, f64),
    /// These values, each with its text in the legend; at most as many as there are colours.
    Steps(Vec<(f64, String)>),
    /// Kinds of things, numbered from 0 as the values of cells, each with its ink and its text in the legend. A number
    /// beyond the last kind leaves the cell without a colour.
    Kinds(Vec<(Ink, String)>),
}

impl HeatMap<'_> {
    pub fn svg(&self) -> String {
        let (rows, columns) = self.size;
        let (row_names, column_names) = self.names;
        let [row_block, column_block] = [rows, columns].map(|n| n.div_ceil(MOST_SIDE).max(1));
        let (drawn_rows, drawn_columns) =
            (rows.div_ceil(row_block), columns.div_ceil(column_block));
        let cell = ((WIDTH - LEFT) / f64::from(drawn_columns))
            .min((WIDTH - LEFT) / f64::from(drawn_rows))
            .min(MOST_CELL);
        let cell = (cell * 10.0).floor() / 10.0;
        let below = TOP + cell * f64::from(drawn_rows) + 14.0;
        let height = below + self.legend_height();
        // A small map is a narrow picture, so that more of them fit side by side.
        let width = LEFT + (cell * f64::from(drawn_columns)).max(SCALE).max(self.legend_width());
        let narrow = if width <= NARROW { " class=\"narrow\"" } else { "" };
        let to = if row_names == column_names { "to " } else { "" };
        let title = escaped(&self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\"{narrow} viewBox=\"0 0 {width:.1} {height:.1}\" role=\"img\" aria-label=\"{title}\">\n\
             <text x=\"{LEFT}\" y=\"12\">{to}{column_names} →</text>\
             <text transform=\"translate(12 {TOP}) rotate(-90)\" class=\"end\">{row_names}</text>\n"
        );
        let every = |count: u32| count.div_ceil(14).max(1);
        for column in (0..drawn_columns).filter(|n| n % every(drawn_columns) == 0) {
            let x = LEFT + cell * (f64::from(column) + 0.5);
            let _ = writeln!(
                svg,
                "<text class=\"small mid\" x=\"{x:.1}\" y=\"{}\">{}</text>",
                TOP - 7.0,
                column * column_block
            );
        }
        for row in (0..drawn_rows).filter(|n| n % every(drawn_rows) == 0) {
            let y = TOP + cell * (f64::from(row) + 0.5) + 3.0;
            let _ = writeln!(
                svg,
                "<text class=\"small end\" x=\"{}\" y=\"{y:.1}\">{}</text>",
                LEFT - 7.0,
                row * row_block
            );
        }
        let side = cell - if cell > 8.0 { 1.0 } else { 0.3 };
        for row in 0..drawn_rows {
            for column in 0..drawn_columns {
                let (x, y) = (LEFT + cell * f64::from(column), TOP + cell * f64::from(row));
                let span = |number: u32, block: u32, count: u32| {
                    number * block..((number + 1) * block).min(count)
                };
                let shown =
                    (self.cell)(span(row, row_block, rows), span(column, column_block, columns));
                let class = shown.as_ref().map_or("hn".to_owned(), |(value, _)| self.class(*value));
                let _ = write!(
                    svg,
                    "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{side:.1}\" height=\"{side:.1}\">"
                );
                if let Some((_, words)) = shown {
                    let _ = write!(svg, "<title>{}</title>", escaped(&words));
                }
                svg.push_str("</rect>\n");
            }
        }
        self.mark_parts(&mut svg, cell, row_block);
        self.legend(&mut svg, below);
        svg.push_str("</svg>\n");
        svg
    }

    /// The class of the style sheet for a value.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 8 after the clamp"
    )]
    fn class(&self, value: f64) -> String {
        let share = match &self.scale {
            Scale::Even(low, high) if high > low => (value - low) / (high - low),
            Scale::Even(..) => 0.5,
            Scale::Steps(steps) => {
                let place =
                    steps.iter().position(|(step, _)| *step >= value).unwrap_or(steps.len());
                real(place) / real(steps.len().max(2) - 1)
            }
            Scale::Kinds(kinds) => {
                let kind = kinds.iter().enumerate().find(|(number, _)| real(*number) >= value);
                return kind.map_or("hn", |(_, (ink, _))| ink.class()).to_owned();
            }
        };
        format!("h{}", (share * SHADES).floor().clamp(0.0, SHADES - 1.0) as u8)
    }

    /// A bar for each part along both axes.
    fn mark_parts(&self, svg: &mut String, cell: f64, block: u32) {
        let ends = self.parts.iter().skip(1).map(|part| part.first).chain([self.size.0]);
        for ((number, part), end) in self.parts.iter().enumerate().zip(ends) {
            let (first, length) = (f64::from(part.first) / f64::from(block), end - part.first);
            let length = f64::from(length) / f64::from(block) * cell;
            let (at, bar, words) = (first * cell, (length - 1.0).max(1.0), escaped(&part.name));
            let class = if number % 2 == 0 { "k1" } else { "k0" };
            let _ = writeln!(
                svg,
                "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{bar:.1}\" height=\"3\"><title>{words}</title></rect>\
                 <rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"3\" height=\"{bar:.1}\"><title>{words}</title></rect>",
                LEFT + at,
                TOP - 4.0,
                LEFT - 4.0,
                TOP + at
            );
        }
    }

    /// The classes of the style sheet in the legend, each with its text; empty for an even scale.
    fn entries(&self) -> Vec<(String, &str)> {
        match &self.scale {
            Scale::Even(..) => Vec::new(),
            Scale::Steps(steps) => {
                steps.iter().map(|(value, words)| (self.class(*value), words.as_str())).collect()
            }
            Scale::Kinds(kinds) => {
                kinds.iter().map(|(ink, words)| (ink.class().to_owned(), words.as_str())).collect()
            }
        }
    }

    fn legend_height(&self) -> f64 {
        14.0 + LINE * real(self.entries().len().max(1) + self.parts.len())
    }

    /// The room that the longest line takes, estimated from its characters.
    fn legend_width(&self) -> f64 {
        let entries = self.entries();
        let parts = self.parts.iter().map(|part| part.name.as_str());
        let lines = entries.iter().map(|(_, words)| *words).chain(parts);
        lines.map(|line| 30.0 + 5.2 * real(line.chars().count())).fold(0.0, f64::max)
    }

    /// Draws the meaning of the colours and of the marks along the axes, from here downwards.
    fn legend(&self, svg: &mut String, mut y: f64) {
        if let Scale::Even(low, high) = self.scale {
            even_scale(svg, y, (low, high));
        }
        let entries = self.entries();
        for (number, (class, words)) in entries.iter().enumerate() {
            let y = y + LINE * real(number);
            let _ = writeln!(
                svg,
                "<rect class=\"{class}\" x=\"{LEFT}\" y=\"{y:.1}\" width=\"20\" height=\"12\"/>\
                 <text class=\"small\" x=\"{}\" y=\"{:.1}\">{}</text>",
                LEFT + 26.0,
                y + 10.0,
                escaped(words)
            );
        }
        y += LINE * real(entries.len().max(1));
        for (number, part) in self.parts.iter().enumerate() {
            let y = y + LINE * real(number);
            let class = if number % 2 == 0 { "k1" } else { "k0" };
            let _ = writeln!(
                svg,
                "<rect class=\"{class}\" x=\"{LEFT}\" y=\"{:.1}\" width=\"20\" height=\"3\"/>\
                 <text class=\"small\" x=\"{}\" y=\"{:.1}\">{}</text>",
                y + 5.0,
                LEFT + 26.0,
                y + 10.0,
                escaped(&part.name)
            );
        }
    }
}

fn even_scale(svg: &mut String, y: f64, (low, high): (f64, f64)) {
    let _ = writeln!(
        svg,
        "<text class=\"small end\" x=\"{}\" y=\"{:.1}\">{low:.2}</text>",
        LEFT - 4.0,
        y + 10.0
    );
    let mut x = LEFT;
    for shade in 0..9 {
        let _ = writeln!(
            svg,
            "<rect class=\"h{shade}\" x=\"{x}\" y=\"{y:.1}\" width=\"20\" height=\"12\"/>"
        );
        x += 20.0;
    }
    let _ = writeln!(
        svg,
        "<text class=\"small\" x=\"{}\" y=\"{:.1}\">{high:.2}</text>",
        x + 4.0,
        y + 10.0
    );
}

/// The mean of the values of some rows and columns; `None` if none has one.
pub fn mean(
    (rows, columns): (&Range<u32>, &Range<u32>),
    value: &dyn Fn(u32, u32) -> Option<f64>,
) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for row in rows.clone() {
        for value in columns.clone().filter_map(|column| value(row, column)) {
            sum += value;
            count += 1.0;
        }
    }
    (count > 0.0).then(|| sum / count)
}

/// Rows or columns in words: "3", or "3 to 5".
pub fn span(numbers: &Range<u32>) -> String {
    match numbers.end - numbers.start {
        1 => numbers.start.to_string(),
        _ => format!("{} to {}", numbers.start, numbers.end - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(size: (u32, u32)) -> String {
        let value = |row, column| (row != column).then(|| f64::from(row));
        let cell = |rows: Range<u32>, columns: Range<u32>| {
            let value = mean((&rows, &columns), &value)?;
            Some((value, format!("group {}, group <{}>: {value:.3}", span(&rows), span(&columns))))
        };
        let (names, scale) = (("group", "group"), Scale::Even(0.0, 2.0));
        HeatMap { title: "t".to_owned(), names, size, parts: &[], scale, cell: &cell }.svg()
    }

    #[test]
    fn each_value_has_its_shade_and_its_number() {
        let svg = map((3, 3));
        assert!(svg.contains("<title>group 2, group &lt;0&gt;: 2.000</title>"));
        assert_eq!(svg.matches("class=\"hn\"").count(), 3);
        // Two cells and one step of the scale.
        assert_eq!(svg.matches("class=\"h8\"").count(), 3);
        assert_eq!(svg.matches("class=\"h0\"").count(), 3);
    }

    #[test]
    fn a_small_map_is_narrow_and_a_large_one_stays_small() {
        assert!(map((9, 8)).contains("class=\"narrow\" viewBox=\"0 0 260.0 "));
        assert!(!map((27, 27)).contains("narrow"));
        let svg = map((512, 512));
        assert!(svg.len() < 400_000, "{}", svg.len());
        assert!(svg.contains("group 0 to 10, group &lt;11 to 21&gt;: 5.000"));
    }

    /// Rows and columns are drawn several to a cell each by their own number, and a number beyond the kinds is grey.
    #[test]
    fn kinds_have_their_inks_and_are_in_the_legend() {
        let cell = |rows: Range<u32>, columns: Range<u32>| {
            Some((f64::from(rows.start), format!("row {}, column {}", span(&rows), span(&columns))))
        };
        let kinds = vec![(Ink::Ours, "one".to_owned()), (Ink::Fourth, "a & b".to_owned())];
        let (title, scale) = ("t".to_owned(), Scale::Kinds(kinds));
        let (names, size) = (("row", "column"), (3, 60));
        let svg = HeatMap { title, names, size, parts: &[], scale, cell: &cell }.svg();
        let count = |class: &str| svg.matches(&format!("class=\"{class}\"")).count();
        assert_eq!([count("k2"), count("k3"), count("hn")], [30 + 1, 30 + 1, 30]);
        assert!(svg.contains(">row 2, column 58 to 59<") && svg.contains(">a &amp; b</text>"));
    }

    #[test]
    fn steps_and_parts_are_in_the_legend() {
        let cell = |rows: Range<u32>, columns: Range<u32>| {
            (rows != columns).then(|| (if rows.start == 3 { 1.0 } else { 4.0 }, String::new()))
        };
        let parts = [("first", 0), ("a & b", 3)]
            .map(|(name, first)| HeatMapPart { first, name: name.to_owned() });
        let steps = [1.0, 4.0].map(|value| (value, format!("{value} links"))).to_vec();
        let (names, scale) = (("group", "group"), Scale::Steps(steps));
        let (title, size) = ("t".to_owned(), (4, 4));
        let svg = HeatMap { title, names, size, parts: &parts, scale, cell: &cell }.svg();
        // The last row, and its swatch; all other cells, and theirs.
        assert_eq!(svg.matches("class=\"h0\"").count(), 3 + 1);
        assert_eq!(svg.matches("class=\"h8\"").count(), 9 + 1);
        for text in [">1 links</text>", ">4 links</text>", ">first</text>", ">a &amp; b</text>"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        // Three groups of 26 units, and one; the bars end a unit before the next begins.
        assert!(svg.contains("class=\"k1\" x=\"40.0\" y=\"28.0\" width=\"77.0\" height=\"3\""));
        assert!(svg.contains("class=\"k0\" x=\"118.0\" y=\"28.0\" width=\"25.0\" height=\"3\""));
    }
}
