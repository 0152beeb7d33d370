//! Means over the seeds of a study, with their standard errors.

use super::rows::Rows;
use super::select::{Where, grouped};
use tvlb_simulator::Estimate;
use tvlb_simulator::columns::settings_columns;

/// The columns of a table of means: those that describe a run, then counts, figures, further columns and settings.
pub(super) struct Means<'m> {
    pub(super) first: Vec<&'m str>,
    /// Columns of true and false, of which is counted how many are true.
    pub(super) counted: &'m [&'m str],
    /// Columns of numbers, and whether their standard errors are beside them.
    pub(super) figures: &'m [(&'m str, bool)],
    /// The step of which the first figure is a multiple, if it is one.
    pub(super) step: Option<f64>,
    pub(super) then: &'m [&'m str],
}

impl Means<'_> {
    /// The columns of counts and figures.
    pub(super) fn columns_of_figures(&self) -> impl Iterator<Item = String> {
        let counted = self.counted.iter().map(|name| (*name).to_owned());
        let figures = self.figures.iter().flat_map(|(name, has_error)| {
            let error = has_error.then(|| format!("{name}-error"));
            std::iter::once((*name).to_owned()).chain(error)
        });
        counted.chain(figures)
    }
}

/// A row for all rows that differ in nothing but the seed and the figures, in the order in which they are seen.
pub(super) fn means(rows: &Rows, table: &Means<'_>) -> Rows {
    let settings = settings_columns().into_iter().map(|column| column.name);
    let owned = |name: &str| name.to_owned();
    let firsts: Vec<String> = table.first.iter().copied().map(owned).collect();
    let lasts: Vec<String> = table.then.iter().copied().chain(settings).map(owned).collect();
    let by = [&firsts[..], &lasts].concat();
    let mut columns = firsts.clone();
    columns.push(owned("seeds"));
    columns.extend(table.columns_of_figures());
    columns.extend(lasts);
    let text = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
    let of = |(key, found): (Vec<&str>, Vec<&Vec<String>>)| {
        let values = |name: &str| {
            let place = rows.place(name).expect("the columns are those of the rows");
            found.iter().map(move |row| row[place].as_str())
        };
        let (first, last) = key.split_at(firsts.len());
        let mut row: Vec<String> = first.iter().copied().map(owned).collect();
        row.push(found.len().to_string());
        for name in table.counted {
            row.push(values(name).filter(|value| *value == "true").count().to_string());
        }
        for (place, (name, has_error)) in table.figures.iter().enumerate() {
            let numbers: Vec<f64> = values(name).filter_map(|value| value.parse().ok()).collect();
            let estimate = match table.step.filter(|_| place == 0) {
                _ if numbers.is_empty() => None,
                Some(step) => Some(Estimate::of_multiples(&numbers, step)),
                None => Some(Estimate::of(&numbers)),
            };
            row.push(text(estimate.map(|estimate| estimate.mean)));
            row.extend(has_error.then(|| text(estimate.and_then(|estimate| estimate.error))));
        }
        row.extend(last.iter().copied().map(owned));
        row
    };
    let rows = grouped(rows, &Where::new(), &by).into_iter().map(of).collect();
    Rows { columns, rows }
}
