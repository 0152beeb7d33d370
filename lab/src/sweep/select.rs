//! Figures of a study's rows: which rows, and how rows that agree in the selected columns are combined.

use super::lists::OneOrSeveral;
use super::rows::{Rows, is_same};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use tvlb_simulator::Estimate;

/// A text, a number, or true or false, as a cell of a table has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CellValue(pub(super) String);

impl<'de> Deserialize<'de> for CellValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = toml::Value::deserialize(deserializer)?;
        Ok(Self(value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
    }
}

/// For each column that is named, the cells that a row may have there.
pub(super) type Where = BTreeMap<String, OneOrSeveral<CellValue>>;

/// Whether a row matches. A missing column counts as empty.
pub(super) fn fits(rows: &Rows, row: &[String], asked: &Where) -> bool {
    asked.iter().all(|(column, OneOrSeveral(cells))| {
        let found = rows.place(column).map_or("", |place| &row[place]);
        cells.iter().any(|CellValue(cell)| is_same(cell, found))
    })
}

/// How several rows are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Mean,
    Least,
    Most,
    Sum,
    /// The difference of the largest and the least, in percent of the first.
    Spread,
}

/// A figure of rows: a column, and how several are combined. `saturation` is the largest load of rows that are not
/// saturated, if there is no such column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Figure {
    pub(super) how: How,
    pub(super) column: String,
}

impl From<&str> for Figure {
    fn from(text: &str) -> Self {
        let hows = [
            ("mean of ", How::Mean),
            ("least of ", How::Least),
            ("most of ", How::Most),
            ("sum of ", How::Sum),
            ("spread of ", How::Spread),
        ];
        let named = hows.iter().find_map(|&(word, how)| Some((how, text.strip_prefix(word)?)));
        let (how, column) = named.unwrap_or((How::Mean, text));
        Self { how, column: column.to_owned() }
    }
}

impl<'de> Deserialize<'de> for Figure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(String::deserialize(deserializer)?.as_str().into())
    }
}

impl Figure {
    /// The figure of some rows, with its standard error if it is the mean of several; `None` if no row has a number.
    pub(super) fn of(&self, rows: &Rows, found: &[&Vec<String>]) -> Option<Estimate> {
        if self.column == "saturation" && rows.place("saturation").is_none() {
            return saturation(rows, found);
        }
        let place = rows.place(&self.column)?;
        let values: Vec<f64> = found.iter().filter_map(|row| row[place].parse().ok()).collect();
        let (least, most) = values
            .iter()
            .fold((f64::MAX, f64::MIN), |(least, most), &one| (least.min(one), most.max(one)));
        if values.is_empty() {
            return None;
        }
        let plain = |mean| Some(Estimate { mean, error: None });
        match self.how {
            How::Mean => Some(Estimate::of(&values)),
            How::Least => plain(least),
            How::Most => plain(most),
            How::Sum => plain(values.iter().sum()),
            How::Spread => plain(100.0 * (most - least) / values[0]),
        }
    }

    /// The text of the rows, if it is not a number.
    pub(super) fn text<'r>(&self, rows: &Rows, found: &[&'r Vec<String>]) -> &'r str {
        let place = rows.place(&self.column);
        place.and_then(|place| Some(found.first()?[place].as_str())).unwrap_or_default()
    }
}

/// The largest load of runs that are not saturated; 0 if all are.
fn saturation(rows: &Rows, found: &[&Vec<String>]) -> Option<Estimate> {
    let (load, saturated) = (rows.place("load")?, rows.place("saturated")?);
    let good = found.iter().filter(|row| row[saturated] == "false");
    let loads: Vec<f64> = good.filter_map(|row| row[load].parse().ok()).collect();
    let is_there = !found.is_empty();
    is_there.then(|| Estimate { mean: loads.into_iter().fold(0.0, f64::max), error: None })
}

/// The rows that fit, those together that agree in some columns, in the order in which they are first seen.
pub(super) fn grouped<'r>(
    rows: &'r Rows,
    asked: &Where,
    by: &[String],
) -> Vec<(Vec<&'r str>, Vec<&'r Vec<String>>)> {
    let places: Vec<Option<usize>> = by.iter().map(|column| rows.place(column)).collect();
    let mut groups: Vec<(Vec<&str>, Vec<&Vec<String>>)> = Vec::new();
    let mut known: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for row in rows.rows.iter().filter(|row| fits(rows, row, asked)) {
        let key: Vec<&str> =
            places.iter().map(|place| place.map_or("", |place| row[place].as_str())).collect();
        let place = *known.entry(key.clone()).or_insert(groups.len());
        if place == groups.len() {
            groups.push((key, Vec::new()));
        }
        groups[place].1.push(row);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Rows {
        Rows::parse(
            "scheme,load,latency,saturated\npar,0.1,50,false\npar,0.2,60,false\npar,0.3,900,true\n\
             min,0.1,700,true\n",
        )
        .unwrap()
    }

    fn figure(text: &str, scheme: &str) -> Option<f64> {
        let (rows, asked) = (rows(), toml::from_str(&format!("scheme = \"{scheme}\"")).unwrap());
        let groups = grouped(&rows, &asked, &[]);
        let found = groups.first().map_or(&[][..], |(_, found)| found);
        Figure::from(text).of(&rows, found).map(|found| found.mean)
    }

    #[test]
    fn figures_of_several_rows() {
        assert_eq!(figure("saturation", "par"), Some(0.2));
        assert_eq!(figure("saturation", "min"), Some(0.0));
        assert_eq!(figure("saturation", "vlb"), None);
        assert_eq!(figure("least of latency", "par"), Some(50.0));
        assert_eq!(figure("most of latency", "par"), Some(900.0));
        assert_eq!(figure("sum of latency", "par"), Some(1010.0));
        assert_eq!(figure("spread of latency", "par"), Some(1700.0));
        assert_eq!(figure("hops", "par"), None);
    }

    #[test]
    fn rows_are_grouped_in_the_order_in_which_they_are_seen() {
        let rows = rows();
        let asked: Where = toml::from_str("load = [0.1, 0.30]").unwrap();
        let groups = grouped(&rows, &asked, &["scheme".to_owned()]);
        let seen: Vec<_> = groups.iter().map(|(key, found)| (key[0], found.len())).collect();
        assert_eq!(seen, [("par", 2), ("min", 1)]);
    }
}
