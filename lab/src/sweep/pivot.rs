//! Tables of figures as a study file defines them: the row headings, the column headings, and the cells; in Markdown
//! for a document and in columns for the terminal.

use super::rows::Rows;
use super::select::{Figure, Where, grouped};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::fmt::Write;
use tvlb_base::table::aligned;

/// A table of a study, or of several together.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Pivot {
    /// The heading of the first column.
    #[serde(default)]
    title: String,
    /// The columns whose values are to the left.
    rows: Vec<String>,
    /// The columns whose values are above; `study` is the name of the study.
    #[serde(default)]
    columns: Vec<String>,
    cell: Template,
    /// Which rows count.
    #[serde(default, rename = "where")]
    asked: Where,
}

/// A text with figures in braces, such as `{median:.1}, {spread of median:.1}%`.
#[derive(Clone, Debug)]
struct Template(Vec<CellPart>);

#[derive(Clone, Debug)]
enum CellPart {
    Text(String),
    /// A figure with this many decimals, by default those of the rows; and whether its error, if it has one, follows.
    Figure(Figure, Option<usize>, bool),
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("found the cell {text:?}, accepted {ACCEPTED}"));
        let mut parts = Vec::new();
        for (number, piece) in text.split('{').enumerate() {
            let (figure, rest) = match number {
                0 => (None, piece),
                _ => piece
                    .split_once('}')
                    .map(|(figure, rest)| (Some(figure), rest))
                    .ok_or_else(wrong)?,
            };
            if let Some(figure) = figure {
                let (name, format) = figure.split_once(':').unwrap_or((figure, ""));
                let with_error = format.ends_with('±');
                let decimals = match format.trim_end_matches('±') {
                    "" => None,
                    text => Some(text.trim_start_matches('.').parse().map_err(|_| wrong())?),
                };
                parts.push(CellPart::Figure(name.into(), decimals, with_error));
            }
            parts.push(CellPart::Text(rest.to_owned()));
        }
        Ok(Self(parts))
    }
}

const ACCEPTED: &str =
    "figures in braces, with a number of decimals, as in {saturation:.2} or {most of load:.1}";

impl Template {
    /// The cell of some rows; empty if none of its figures exists.
    fn of(&self, rows: &Rows, found: &[&Vec<String>]) -> String {
        let (mut text, mut is_there) = (String::new(), false);
        for part in &self.0 {
            match part {
                CellPart::Text(part) => text.push_str(part),
                CellPart::Figure(figure, Some(decimals), with_error) => {
                    let Some(value) = figure.of(rows, found) else { continue };
                    is_there = true;
                    let _ = write!(text, "{:.decimals$}", value.mean);
                    if let Some(error) = value.error.filter(|_| *with_error) {
                        let _ = write!(text, " ± {error:.decimals$}");
                    }
                }
                CellPart::Figure(figure, None, _) => {
                    let said = figure.text(rows, found);
                    is_there |= !said.is_empty();
                    text.push_str(said);
                }
            }
        }
        if is_there { text } else { String::new() }
    }
}

impl Pivot {
    /// The columns of rows that the table needs.
    pub(super) fn needs(&self) -> impl Iterator<Item = &str> {
        let figures = self.cell.0.iter().filter_map(|part| match part {
            CellPart::Figure(figure, ..) => Some(figure.column.as_str()),
            CellPart::Text(_) => None,
        });
        let named = self.rows.iter().chain(&self.columns).chain(self.asked.keys());
        named.map(String::as_str).chain(figures).chain(["load", "saturated"])
    }

    /// The table of rows, with its headings first; `None` if no row counts.
    fn grid(&self, rows: &Rows) -> Option<Vec<Vec<String>>> {
        let heads = grouped(rows, &self.asked, &self.columns);
        let lefts = grouped(rows, &self.asked, &self.rows);
        if lefts.is_empty() {
            return None;
        }
        let mut first: Vec<String> = self.rows.clone();
        if !self.title.is_empty() {
            first[0].clone_from(&self.title);
        }
        first.extend(heads.iter().map(|(names, _)| names.join(", ")));
        let mut grid = vec![first];
        let mut before: Vec<&str> = Vec::new();
        for (names, of_left) in &lefts {
            // A value that repeats the row above in the first column is left out.
            let is_again = before.first() == names.first() && names.len() > 1;
            let shown = |(place, name): (usize, &&str)| {
                if place == 0 && is_again { String::new() } else { (*name).to_owned() }
            };
            let mut cells: Vec<String> = names.iter().enumerate().map(shown).collect();
            cells.extend(heads.iter().map(|(_, of_head)| {
                let both: Vec<&Vec<String>> = of_left
                    .iter()
                    .filter(|row| of_head.iter().any(|other| std::ptr::eq(**row, *other)))
                    .copied()
                    .collect();
                if both.is_empty() { String::new() } else { self.cell.of(rows, &both) }
            }));
            before.clone_from(names);
            grid.push(cells);
        }
        Some(grid)
    }

    /// The table in Markdown, with a line end.
    pub(super) fn markdown(&self, rows: &Rows) -> Option<String> {
        self.grid(rows).map(|grid| markdown(&grid))
    }

    /// The table for the terminal, its columns below each other.
    pub(super) fn plain(&self, rows: &Rows) -> Option<String> {
        self.grid(rows).map(|grid| aligned(&grid, &[]))
    }
}

/// A table in Markdown, its headings first.
pub(super) fn markdown(grid: &[Vec<String>]) -> String {
    let mut text = String::new();
    for (number, cells) in grid.iter().enumerate() {
        for cell in cells {
            let _ = write!(text, "| {} ", cell.replace('|', "\\|"));
        }
        text.push_str("|\n");
        if number == 0 {
            text.push_str(&"|---".repeat(cells.len()));
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Rows {
        Rows::parse(
            "scheme,paths,load,latency,saturated\nugal-l,all,0.1,50,false\nugal-l,few,0.1,40,false\n\
             ugal-l,few,0.2,45.25,false\npar,all,0.1,51,false\n",
        )
        .unwrap()
    }

    #[test]
    fn a_table_has_what_is_asked_for_to_the_left_and_above() {
        let pivot: Pivot = toml::from_str(
            "title = \"s\"\nrows = [\"scheme\", \"load\"]\ncolumns = [\"paths\"]\n\
             cell = \"{latency:.1} cycles\"\n",
        )
        .unwrap();
        let expected = "| s | load | all | few |\n|---|---|---|---|\n| ugal-l | 0.1 | 50.0 cycles | 40.0 cycles |\n\
                        |  | 0.2 |  | 45.2 cycles |\n| par | 0.1 | 51.0 cycles |  |\n";
        assert_eq!(pivot.markdown(&rows()).unwrap(), expected);
        assert!(pivot.plain(&rows()).unwrap().starts_with("s       load  all"));
        assert!(pivot.needs().any(|column| column == "latency"));
    }

    #[test]
    fn several_rows_of_a_cell_are_one_figure() {
        let pivot: Pivot = toml::from_str(
            "rows = [\"scheme\"]\ncell = \"{saturation:.2}; {latency:.1±}; {paths}\"\nwhere.paths = \"few\"\n",
        )
        .unwrap();
        let text = pivot.markdown(&rows()).unwrap();
        assert!(text.ends_with("| ugal-l | 0.20; 42.6 ± 2.6; few |\n"), "{text}");
        assert!(toml::from_str::<Pivot>("rows = [\"a\"]\ncell = \"{load\"").is_err());
    }
}
