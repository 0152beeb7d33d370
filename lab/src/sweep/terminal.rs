//! Rows for the terminal: what all have in common in one line, and below it what distinguishes them and the main
//! figures.

use super::rows::{Rows, cell};
use std::collections::BTreeMap;
use tvlb_base::table::{Cell, Column, Table};

/// The rows as text. `figures` are the columns that were found, `shown` those of them that the text has, all of them
/// if it is empty. Of the other columns the text has those that the ones before them do not decide.
pub(super) fn text(rows: &Rows, figures: &[&str], shown: &[&str]) -> String {
    let is_figure = |place: &usize| figures.contains(&rows.columns[*place].as_str());
    let value = |row: usize, place: usize| rows.rows[row][place].as_str();
    let differs =
        |place: &usize| (1..rows.rows.len()).any(|row| value(row, *place) != value(0, *place));
    let is_shown = |place: &usize| {
        let name = rows.columns[*place].as_str();
        shown.is_empty() || shown.contains(&name)
    };
    let mut places: Vec<usize> = Vec::new();
    let mut keys: Vec<usize> = Vec::new();
    for place in 0..rows.columns.len() {
        if is_figure(&place) {
            places.extend(Some(place).filter(is_shown));
        } else if !is_decided(rows, &keys, place) {
            places.push(place);
            keys.push(place);
        }
    }
    let subject = (0..rows.columns.len()).take_while(|place| !is_figure(place));
    let common = subject.filter(|place| !differs(place) && !rows.rows.is_empty());
    let common = common.filter(|&place| !value(0, place).is_empty());
    let common = common.map(|place| format!("{} {}", rows.columns[place], value(0, place)));
    let common: Vec<String> = common.collect();
    let cells = |place: usize| rows.rows.iter().map(move |row| cell(&row[place]));
    let column = |&place: &usize| {
        let name = rows.columns[place].as_str();
        let is_number = cells(place).all(|cell| cell == Cell::Nothing || cell.number().is_some());
        if is_number {
            Column::number(name, decimals(cells(place)), "")
        } else {
            Column::words(name, "")
        }
    };
    let leading = places.iter().zip(&keys).take_while(|(place, key)| place == key).count();
    let mut table = Table::new(places.iter().map(column).collect()).told_apart_by(leading);
    for row in &rows.rows {
        table.push(places.iter().map(|&place| cell(&row[place])).collect());
    }
    format!("{}\n\n{table}", common.join(", "))
}

/// Whether rows that have the same in some columns have the same in another one.
fn is_decided(rows: &Rows, keys: &[usize], place: usize) -> bool {
    let mut seen: BTreeMap<Vec<&str>, &str> = BTreeMap::new();
    rows.rows.iter().all(|row| {
        let key = keys.iter().map(|&key| row[key].as_str()).collect();
        *seen.entry(key).or_insert(&row[place]) == row[place]
    })
}

/// With how many decimals numbers are shown: four digits of the largest, and no more than three decimals.
fn decimals(cells: impl Iterator<Item = Cell>) -> usize {
    let largest =
        cells.filter_map(|cell| cell.number()).fold(0.0, |most: f64, n| most.max(n.abs()));
    match largest {
        1000.0.. => 0,
        10.0.. => 1,
        _ => 3,
    }
}
