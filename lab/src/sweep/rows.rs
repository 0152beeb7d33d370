//! The results of a study: a table in which some columns describe a run and the others are figures.

use std::collections::BTreeSet;
use tvlb_base::table::{Cell, DRAWN};
use tvlb_base::text::{Records, Refused, field};

/// A table of texts, each row with a cell for each column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Rows {
    /// Reads CSV.
    ///
    /// # Errors
    /// A line has more or fewer fields than there are columns.
    pub fn parse(csv: &str) -> Result<Self, Refused> {
        let mut records = Records::of_text(csv);
        records.read_header()?;
        let columns = records.fields().iter().map(str::to_owned).collect();
        let mut rows = Vec::new();
        while records.read()? {
            rows.push(records.fields().iter().map(str::to_owned).collect());
        }
        Ok(Self { columns, rows })
    }

    /// The table as CSV.
    pub fn csv(&self) -> String {
        let line = |cells: &Vec<String>| {
            let cells: Vec<_> = cells.iter().map(|cell| field(cell)).collect();
            cells.join(",") + "\n"
        };
        std::iter::once(&self.columns).chain(&self.rows).map(line).collect()
    }

    /// The rows as objects of JSON, each with its columns but for how the table is drawn: numbers as numbers, nothing
    /// as null.
    pub fn objects(&self) -> Vec<serde_json::Map<String, serde_json::Value>> {
        let entry = |(column, text): (&String, &String)| {
            let value = serde_json::to_value(cell(text)).unwrap_or_default();
            (column.clone(), value)
        };
        let named = |row: &Vec<String>| {
            let cells = self.columns.iter().zip(row).filter(|(column, _)| *column != DRAWN);
            cells.map(entry).collect()
        };
        self.rows.iter().map(named).collect()
    }

    /// The place of a column.
    pub(super) fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| name == column)
    }

    /// Adds a column in front that has the same text in every row.
    pub(super) fn labelled(mut self, column: &str, text: &str) -> Self {
        self.columns.insert(0, column.to_owned());
        self.rows.iter_mut().for_each(|row| row.insert(0, text.to_owned()));
        self
    }

    /// Sets how the table is drawn.
    pub(super) fn drawn(mut self, how: &str) -> Self {
        self.columns.push(DRAWN.to_owned());
        self.rows.iter_mut().for_each(|row| row.push(how.to_owned()));
        self
    }

    /// Adds the rows of a table. A column that one of both does not have is empty there.
    pub(super) fn extend(&mut self, other: &Self) {
        for column in &other.columns {
            if self.place(column).is_none() {
                self.columns.push(column.clone());
                self.rows.iter_mut().for_each(|row| row.push(String::new()));
            }
        }
        let places: Vec<_> = self.columns.iter().map(|column| other.place(column)).collect();
        let cell = |row: &[String], place: Option<usize>| {
            place.map_or_else(String::new, |place| row[place].clone())
        };
        self.rows.extend(
            other.rows.iter().map(|row| places.iter().map(|&place| cell(row, place)).collect()),
        );
    }

    /// The part that tables and statements use, and that a document keeps: how the table is drawn, the requested
    /// columns, and, with `all`, those that do not have one value in all rows; of populations of nodes all together;
    /// numbers to six decimals.
    pub(super) fn kept(&self, asked: &BTreeSet<String>, all: bool) -> Self {
        let is_kept = |&place: &usize| {
            let mut values = self.rows.iter().map(|row| &row[place]);
            let first = values.next();
            let mut differs = || values.any(|value| Some(value) != first);
            let column = &self.columns[place];
            column == DRAWN || asked.contains(column) || all && differs()
        };
        let places: Vec<usize> = (0..self.columns.len()).filter(is_kept).collect();
        let of = |row: &Vec<String>| places.iter().map(|&place| rounded(&row[place])).collect();
        let population = self.place("population");
        let is_of_all = |row: &&Vec<String>| population.is_none_or(|place| row[place] == "all");
        Self {
            columns: places.iter().map(|&place| self.columns[place].clone()).collect(),
            rows: self.rows.iter().filter(is_of_all).map(of).collect(),
        }
    }
}

/// A text as a cell: a number, true or false, nothing, or the text.
pub(super) fn cell(text: &str) -> Cell {
    match text {
        "" => Cell::Nothing,
        "true" => true.into(),
        "false" => false.into(),
        _ => match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(whole), _) => Cell::Whole(whole.into()),
            (_, Ok(number)) if number.is_finite() => number.into(),
            _ => text.into(),
        },
    }
}

/// A number to six decimals; any other text as it is.
fn rounded(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(number) if text.contains('.') && number.is_finite() => {
            ((number * 1e6).round() / 1e6).to_string()
        }
        _ => text.to_owned(),
    }
}

/// Whether two cells are equal: as numbers if both are, else as texts.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    one == other
        || match (one.parse::<f64>(), other.parse::<f64>()) {
            (Ok(one), Ok(other)) => (one - other).abs() < 1e-9,
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_read_back_and_can_stand_together() {
        let one = Rows::parse("set,load\n\"a,b\",0.10000004\nc,0.2\n").unwrap();
        assert_eq!(Rows::parse(&one.csv()).unwrap(), one);
        let mut both = Rows::default();
        both.extend(&one.clone().labelled("study", "x"));
        both.extend(&Rows::parse("load,hops\n0.3,4\n").unwrap());
        assert_eq!(both.columns, ["study", "set", "load", "hops"]);
        assert_eq!(both.rows[2], ["", "", "0.3", "4"]);
        let kept = one.kept(&BTreeSet::new(), true);
        assert_eq!(kept.rows[0], ["a,b", "0.1"]);
        assert!(Rows::parse("a,b\n1\n").is_err());
    }

    #[test]
    fn a_column_with_one_value_is_kept_if_it_is_asked_for() {
        let rows = Rows::parse("a,b\n1,2\n1,3\n").unwrap();
        assert_eq!(rows.kept(&BTreeSet::new(), true).columns, ["b"]);
        assert_eq!(rows.kept(&["a".to_owned()].into(), true).columns, ["a", "b"]);
        assert_eq!(rows.kept(&["a".to_owned()].into(), false).columns, ["a"]);
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        assert!(is_same("0.1", "0.10") && is_same("par", "par"));
        assert!(!is_same("0.1", "0.2") && !is_same("a", "0"));
    }
}
