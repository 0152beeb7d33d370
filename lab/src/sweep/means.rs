//! Means over the seeds of a study, with their standard errors.

use super::rows::Rows;
use super::select::{Where, grouped};
use std::fmt::Write;
use tvlb_base::text::field;
use tvlb_simulator::{Estimate, setting_columns_heads};

/// What a table of means has: columns that say what was run, then counts, figures, further columns and settings.
pub(super) struct Means<'m> {
    pub(super) first: &'m str,
    /// Columns of true and false, of which is counted how many are true.
    pub(super) counted: &'m [&'m str],
    /// Columns of numbers, and whether their standard errors stand beside them.
    pub(super) figures: &'m [(&'m str, bool)],
    /// The step of which the first figure is a multiple, if it is one.
    pub(super) step: Option<f64>,
    pub(super) then: &'m [&'m str],
}

/// A line for all rows that differ in nothing but the seed and the figures, in the order in which they are seen.
pub(super) fn means(rows: &Rows, table: &Means<'_>) -> String {
    let settings = setting_columns_heads();
    let firsts: Vec<&str> = table.first.split(',').collect();
    let lasts: Vec<&str> = table.then.iter().copied().chain(settings.split(',')).collect();
    let by: Vec<String> = firsts.iter().chain(&lasts).map(|name| (*name).to_owned()).collect();
    let mut csv = format!("{},seeds", table.first);
    table.counted.iter().for_each(|name| csv.extend([",", name]));
    for (name, has_error) in table.figures {
        let _ = write!(csv, ",{name}");
        if *has_error {
            let _ = write!(csv, ",{name}-error");
        }
    }
    let _ = writeln!(csv, ",{}", lasts.join(","));
    for (key, found) in grouped(rows, &Where::new(), &by) {
        let values = |name: &str| {
            let place = rows.place(name).expect("the columns are those of the rows");
            found.iter().map(move |row| row[place].as_str())
        };
        let cells = |key: &[&str]| key.iter().map(|cell| field(cell)).collect::<Vec<_>>().join(",");
        let _ = write!(csv, "{},{}", cells(&key[..firsts.len()]), found.len());
        for name in table.counted {
            let _ = write!(csv, ",{}", values(name).filter(|value| *value == "true").count());
        }
        for (place, (name, has_error)) in table.figures.iter().enumerate() {
            let numbers: Vec<f64> = values(name).filter_map(|value| value.parse().ok()).collect();
            let estimate = match table.step.filter(|_| place == 0) {
                _ if numbers.is_empty() => None,
                Some(step) => Some(Estimate::of_multiples(&numbers, step)),
                None => Some(Estimate::of(&numbers)),
            };
            let mean = estimate.map_or_else(String::new, |estimate| estimate.mean.to_string());
            let _ = write!(csv, ",{mean}");
            if *has_error {
                let error = estimate.and_then(|estimate| estimate.error);
                let _ =
                    write!(csv, ",{}", error.map_or_else(String::new, |error| error.to_string()));
            }
        }
        let _ = writeln!(csv, ",{}", cells(&key[firsts.len()..]));
    }
    csv
}
