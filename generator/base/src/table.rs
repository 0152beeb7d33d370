//! A table: columns with names and meanings, and rows. For people it is text under heads, for programs CSV, and its
//! columns make the help of the command that prints it.

use crate::text::field;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt::{self, Display, Formatter, Write};
use std::ops::Range;

/// Characters in a line of text. A wider table is broken into several, one below the other.
const LINE: usize = 100;

/// The last column of CSV, if a table says how it is drawn.
pub const DRAWN: &str = "drawn";

/// The name and meaning of a column.
#[derive(Clone, Copy, Debug)]
pub struct Column<'c> {
    /// In CSV: words joined by hyphens.
    pub name: &'c str,
    /// Above the column in text.
    head: &'c str,
    /// Its meaning, with the unit.
    meaning: &'c str,
    shown: Alignment,
}

/// How cells are shown as text.
#[derive(Clone, Copy, Debug)]
enum Alignment {
    /// To the left.
    Words,
    /// To the right, numbers with this many decimals.
    Decimals(usize),
}

impl<'c> Column<'c> {
    /// A column of words.
    pub const fn words(name: &'c str, meaning: &'c str) -> Self {
        Self { name, head: name, meaning, shown: Alignment::Words }
    }

    /// A column of numbers, shown with this many decimals; whole numbers have none.
    pub const fn number(name: &'c str, decimals: usize, meaning: &'c str) -> Self {
        Self { name, head: name, meaning, shown: Alignment::Decimals(decimals) }
    }

    /// Its head in text, if that is not its name.
    #[must_use]
    pub const fn under(self, head: &'c str) -> Self {
        Self { head, ..self }
    }
}

/// The cell of a row under a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Empty in CSV, `-` in text.
    Nothing,
    Text(String),
    Whole(i128),
    Number(f64),
    Is(bool),
}

impl Cell {
    /// Its number, if it has one.
    pub fn number(&self) -> Option<f64> {
        match *self {
            #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
            Self::Whole(number) => Some(number as f64),
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    fn shown(&self, shown: Alignment) -> Cow<'_, str> {
        match (self, shown) {
            (Self::Nothing, _) => "-".into(),
            (Self::Text(text), _) => text.into(),
            (Self::Number(number), Alignment::Decimals(decimals)) => {
                format!("{number:.decimals$}").into()
            }
            _ => self.to_string().into(),
        }
    }
}

/// As CSV has it, without the quotes.
impl Display for Cell {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Text(text) => f.write_str(text),
            Self::Whole(number) => number.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Is(is) => is.fmt(f),
        }
    }
}

/// A number as a number, nothing as nothing.
impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nothing => to.serialize_none(),
            Self::Text(text) => to.serialize_str(text),
            Self::Whole(number) => match i64::try_from(*number) {
                Ok(number) => to.serialize_i64(number),
                Err(_) => to.serialize_i128(*number),
            },
            Self::Number(number) => to.serialize_f64(*number),
            Self::Is(is) => to.serialize_bool(*is),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Cell {
    fn from(is: bool) -> Self {
        Self::Is(is)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Self::from(number as u64)
    }
}

macro_rules! whole {
    ($($number:ty),+) => {
        $(impl From<$number> for Cell {
            fn from(number: $number) -> Self {
                Self::Whole(number.into())
            }
        })+
    };
}
whole!(u8, u16, u32, u64, i16);

impl<C: Into<Self>> From<Option<C>> for Cell {
    fn from(cell: Option<C>) -> Self {
        cell.map_or(Self::Nothing, Into::into)
    }
}

/// A row of cells of any types.
#[macro_export]
macro_rules! row {
    ($($cell:expr),* $(,)?) => { Vec::from([$($crate::table::Cell::from($cell)),*]) };
}

/// Columns and rows of as many cells.
#[derive(Clone, Debug, Default)]
pub struct Table<'c> {
    columns: Vec<Column<'c>>,
    rows: Vec<Vec<Cell>>,
    /// How many columns tell rows apart.
    keys: usize,
    drawn: Option<&'static str>,
}

impl<'c> Table<'c> {
    pub fn new(columns: Vec<Column<'c>>) -> Self {
        Self { columns, rows: Vec::new(), keys: 1, drawn: None }
    }

    /// The same table, with this many first columns that tell rows apart: a table too wide for a line repeats them.
    #[must_use]
    pub fn told_apart_by(self, keys: usize) -> Self {
        Self { keys, ..self }
    }

    /// The same table, with a last column of CSV that says how it is drawn: [`crate::drawing::Drawing::parse`] reads
    /// it.
    #[must_use]
    pub fn drawn(self, how: &'static str) -> Self {
        Self { drawn: Some(how), ..self }
    }

    /// Adds a row, which has a cell for each column.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.columns.len(), "a row has a cell for each column");
        self.rows.push(row);
    }

    /// The table as CSV, with a header.
    pub fn csv(&self) -> String {
        self.csv_between((&[], &[]), (&[], &[]))
    }

    /// The table as CSV between further columns, in which every row has the same cells.
    pub fn csv_between(
        &self,
        first: (&[Column<'_>], &[Cell]),
        last: (&[Column<'_>], &[Cell]),
    ) -> String {
        let joined = |parts: [&str; 4]| {
            let mut line = String::with_capacity(parts.iter().map(|part| part.len() + 1).sum());
            for part in parts.into_iter().filter(|part| !part.is_empty()) {
                line.push_str(part);
                line.push(',');
            }
            line.pop();
            line.push('\n');
            line
        };
        let how = self.drawn.unwrap_or_default();
        let column = self.drawn.map_or("", |_| DRAWN);
        let mut text = joined([&names(first.0), &names(&self.columns), &names(last.0), column]);
        let (first, last) = (csv(first.1), csv(last.1));
        self.rows.iter().for_each(|row| text.push_str(&joined([&first, &csv(row), &last, how])));
        text
    }
}

/// The table for people: cells below heads, without empty columns. Empty without rows. If it is wider than 100
/// characters, the columns without room follow below, after a copy of those that tell rows apart.
impl Display for Table<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.rows.is_empty() {
            return Ok(());
        }
        let says = |cell: &Cell| *cell != Cell::Nothing && *cell != Cell::from("");
        let stands = |&place: &usize| self.rows.iter().any(|row| says(&row[place]));
        let places: Vec<usize> = (0..self.columns.len()).filter(stands).collect();
        let mut grid: Vec<Vec<Cow<'_, str>>> =
            vec![places.iter().map(|&place| self.columns[place].head.into()).collect()];
        for row in &self.rows {
            let shown = |&place: &usize| row[place].shown(self.columns[place].shown);
            grid.push(places.iter().map(shown).collect());
        }
        let is_number =
            |place: &usize| matches!(self.columns[*place].shown, Alignment::Decimals(_));
        let to_right: Vec<bool> = places.iter().map(is_number).collect();
        let keys = places.iter().take_while(|&&place| place < self.keys).count();
        for (number, part) in broken(&widths(&grid), keys).into_iter().enumerate() {
            let part = (0..keys).chain(part);
            let of_part: Vec<Vec<&str>> = grid
                .iter()
                .map(|cells| part.clone().map(|place| cells[place].as_ref()).collect())
                .collect();
            let to_right: Vec<bool> = part.map(|place| to_right[place]).collect();
            let gap = if number == 0 { "" } else { "\n" };
            write!(f, "{gap}{}", aligned(&of_part, &to_right))?;
        }
        Ok(())
    }
}

/// The columns after the first `keys` ones, in as few parts as fit a line after those: all in one where these leave
/// less than half a line.
fn broken(widths: &[usize], keys: usize) -> Vec<Range<usize>> {
    let of_keys: usize = widths[..keys].iter().map(|width| width + 2).sum();
    let mut parts = Vec::new();
    let (mut begin, mut width) = (keys, of_keys);
    for (place, own) in widths.iter().enumerate().skip(keys) {
        if of_keys <= LINE / 2 && place > begin && width + own > LINE {
            parts.push(begin..place);
            (begin, width) = (place, of_keys);
        }
        width += own + 2;
    }
    parts.push(begin..widths.len());
    parts
}

/// The characters of the widest cell of each column.
fn widths<C: AsRef<str>>(grid: &[Vec<C>]) -> Vec<usize> {
    let mut widths: Vec<usize> = Vec::new();
    for cells in grid {
        widths.resize(widths.len().max(cells.len()), 0);
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = (*width).max(cell.as_ref().chars().count());
        }
    }
    widths
}

/// Cells below each other, two blanks between them, to the right in the columns that say so and to the left in
/// all others.
pub fn aligned<C: AsRef<str>>(grid: &[Vec<C>], to_right: &[bool]) -> String {
    let widths = widths(grid);
    let mut text = String::new();
    for cells in grid {
        let begin = text.len();
        for (place, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            let gap = if place == 0 { "" } else { "  " };
            let cell = cell.as_ref();
            let _ = match to_right.get(place) {
                Some(true) => write!(text, "{gap}{cell:>width$}"),
                _ => write!(text, "{gap}{cell:<width$}"),
            };
        }
        text.truncate(begin + text[begin..].trim_end().len());
        text.push('\n');
    }
    text
}

/// The names of columns as the header of CSV has them.
pub fn names(columns: &[Column<'_>]) -> String {
    columns.iter().map(|column| column.name).collect::<Vec<_>>().join(",")
}

/// Cells as a line of CSV, without its end.
pub fn csv(row: &[Cell]) -> String {
    let fields = row.iter().map(|cell| match cell {
        Cell::Text(text) => field(text).into_owned(),
        cell => cell.to_string(),
    });
    fields.collect::<Vec<_>>().join(",")
}

/// The meanings of columns, one or more lines each, for the help of a command.
pub fn help(columns: &[Column<'_>]) -> String {
    let width = columns.iter().map(|column| column.head.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for Column { head, meaning, .. } in columns.iter().filter(|column| !column.meaning.is_empty()) {
        let (mut line, mut is_first) = (format!("  {head:width$} "), true);
        for word in meaning.split_whitespace() {
            if !is_first && line.chars().count() + 1 + word.chars().count() > LINE {
                text = text + line.trim_end() + "\n";
                line = " ".repeat(width + 3);
            }
            line = line + " " + word;
            is_first = false;
        }
        text = text + line.trim_end() + "\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table<'static> {
        let columns = vec![
            Column::words("set", "the set"),
            Column::number("mean-hops", 2, "mean links between switches").under("hops"),
            Column::number("error", 3, ""),
        ];
        Table::new(columns)
    }

    #[test]
    fn a_table_is_text_and_csv() {
        let mut table = table();
        assert_eq!(table.to_string(), "");
        assert_eq!(table.csv(), "set,mean-hops,error\n");
        table.push(row!["a,b", 2.125, None::<f64>]);
        table.push(row!["c", 12_u32, None::<f64>]);
        assert_eq!(table.csv(), "set,mean-hops,error\n\"a,b\",2.125,\nc,12,\n");
        assert_eq!(table.to_string(), "set  hops\na,b  2.12\nc      12\n");
        table.push(row![None::<&str>, true, 0.5]);
        let text = "set  hops  error\na,b  2.12      -\nc      12      -\n-    true  0.500\n";
        assert_eq!(table.to_string(), text);
    }

    #[test]
    fn a_wide_table_is_broken_after_the_columns_that_tell_rows_apart() {
        let columns = (0..12).map(|_| Column::number("a-column", 0, "")).collect();
        let mut table = Table::new(columns).told_apart_by(2);
        table.push((0..12_u32).map(Cell::from).collect());
        table.push((20..32_u32).map(Cell::from).collect());
        let text = table.to_string();
        let lines: Vec<Vec<&str>> =
            text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines.len(), 7);
        assert!(text.lines().all(|line| line.chars().count() <= LINE), "{text}");
        assert_eq!(lines[1], ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        assert_eq!(lines[5], ["0", "1", "10", "11"]);
        assert_eq!(lines[6], ["20", "21", "30", "31"]);
        // No room is left after what tells rows apart.
        let mut table = Table::new(vec![Column::words("set", ""), Column::number("x", 0, "")]);
        table.push(row!["s".repeat(99), 1_u32]);
        assert_eq!(table.to_string().lines().count(), 2);
    }

    #[test]
    fn the_help_of_columns_is_broken_into_lines() {
        let meaning = "a mean over the runs that were made with each of the seeds, in cycles of a switch \
                       from the first flit to the last";
        let columns = [Column::number("latency", 2, meaning), Column::number("x", 0, "")];
        let text = help(&columns);
        assert!(text.starts_with("  latency  a mean over"), "{text}");
        assert!(text.lines().count() == 2 && text.lines().all(|line| line.len() <= 100), "{text}");
    }
}
