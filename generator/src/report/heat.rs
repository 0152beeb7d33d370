//! Heat maps: a value for each row and column, as a colour and, under the pointer, as a number.

use std::fmt::Write;
use tvlb_chart::escaped;

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
/// Colours.
const SHADES: f64 = 9.0;

/// What a map shows.
pub(super) struct HeatMap<'m> {
    /// For those who cannot see it.
    pub(super) title: String,
    /// What rows and columns are.
    pub(super) names: (&'m str, &'m str),
    /// What a row and a column are called beside their numbers, with a space before it; nothing if they
    /// have no names.
    pub(super) called: &'m dyn Fn(u32, u32) -> (String, String),
    /// How many there are.
    pub(super) size: (u32, u32),
    /// The values at the two ends of the scale.
    pub(super) range: (f64, f64),
    /// The value of a row and column.
    pub(super) value: &'m dyn Fn(u32, u32) -> Option<f64>,
}

impl HeatMap<'_> {
    /// The picture.
    pub(super) fn svg(&self) -> String {
        let (rows, columns) = self.size;
        let (row_names, column_names) = self.names;
        let block = rows.max(columns).div_ceil(MOST_SIDE).max(1);
        let (drawn_rows, drawn_columns) = (rows.div_ceil(block), columns.div_ceil(block));
        let cell = ((WIDTH - LEFT) / f64::from(drawn_columns))
            .min((WIDTH - LEFT) / f64::from(drawn_rows))
            .min(MOST_CELL);
        let cell = (cell * 10.0).floor() / 10.0;
        let height = TOP + cell * f64::from(drawn_rows) + 44.0;
        // A small map is a narrow picture, so that more of them stand side by side.
        let width = LEFT + (cell * f64::from(drawn_columns)).max(SCALE);
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
                TOP - 5.0,
                column * block
            );
        }
        for row in (0..drawn_rows).filter(|n| n % every(drawn_rows) == 0) {
            let y = TOP + cell * (f64::from(row) + 0.5) + 3.0;
            let _ = writeln!(
                svg,
                "<text class=\"small end\" x=\"{}\" y=\"{y:.1}\">{}</text>",
                LEFT - 4.0,
                row * block
            );
        }
        let side = cell - if cell > 8.0 { 1.0 } else { 0.3 };
        for row in 0..drawn_rows {
            for column in 0..drawn_columns {
                let (x, y) = (LEFT + cell * f64::from(column), TOP + cell * f64::from(row));
                let value = self.mean(row * block, column * block, block);
                let class =
                    value.map_or("hn".to_owned(), |value| format!("h{}", self.shade(value)));
                let _ = write!(
                    svg,
                    "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{side:.1}\" height=\"{side:.1}\">"
                );
                if let Some(value) = value {
                    let (mut from, mut to) = (span(row, block, rows), span(column, block, columns));
                    if block == 1 {
                        let (row, column) = (self.called)(row, column);
                        from.push_str(&escaped(&row));
                        to.push_str(&escaped(&column));
                    }
                    let _ = write!(
                        svg,
                        "<title>{row_names} {from}, {column_names} {to}: {value:.3}</title>"
                    );
                }
                svg.push_str("</rect>\n");
            }
        }
        self.scale(&mut svg, height - 30.0);
        svg.push_str("</svg>\n");
        svg
    }

    /// The mean over a block of cells.
    fn mean(&self, row: u32, column: u32, block: u32) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for row in row..(row + block).min(self.size.0) {
            for column in column..(column + block).min(self.size.1) {
                if let Some(value) = (self.value)(row, column) {
                    sum += value;
                    count += 1.0;
                }
            }
        }
        (count > 0.0).then(|| sum / count)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 8 after the clamp"
    )]
    fn shade(&self, value: f64) -> u8 {
        let (low, high) = self.range;
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        (share * SHADES).floor().clamp(0.0, SHADES - 1.0) as u8
    }

    fn scale(&self, svg: &mut String, y: f64) {
        let (low, high) = self.range;
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
}

/// The rows or columns of a block, in words.
fn span(number: u32, block: u32, count: u32) -> String {
    let (first, last) = (number * block, ((number + 1) * block).min(count) - 1);
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(size: (u32, u32)) -> String {
        let value = |row, column| (row != column).then(|| f64::from(row));
        let names = ("group", "group");
        let called =
            |row, _| (if row == 1 { " a&b".to_owned() } else { String::new() }, String::new());
        let range = (0.0, 2.0);
        HeatMap { title: "t".to_owned(), names, called: &called, size, range, value: &value }.svg()
    }

    #[test]
    fn each_value_has_its_shade_and_its_number() {
        let svg = map((3, 3));
        assert!(svg.contains("<title>group 2, group 0: 2.000</title>"));
        assert!(svg.contains("<title>group 1 a&amp;b, group 0: 1.000</title>"));
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
        assert!(svg.contains("group 0 to 10, group 11 to 21: 5.000"));
    }
}
