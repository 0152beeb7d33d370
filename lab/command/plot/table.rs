//! Results of other commands, read back from CSV.

use std::path::Path;
use tvlb::failure::Failure;
use tvlb_base::drawing::Drawing;
use tvlb_base::table::DRAWN;
use tvlb_base::text::{CsvFields, Records, Refused, quoted};
use tvlb_table_set::input_file;

/// A larger file is refused before it is read.
const MOST_BYTES: u64 = 256 << 20;

/// The lines of one file.
#[derive(Debug)]
pub(crate) struct PlotFile {
    /// The file's name, for a legend and for errors.
    pub(super) name: String,
    /// How the file says that it is drawn.
    pub(super) how: String,
    pub(super) drawing: Drawing,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// One line, with a cell for each column.
#[derive(Debug)]
pub(super) struct Row {
    /// Its position in the file.
    pub(super) place: String,
    pub(super) cells: Vec<String>,
}

impl PlotFile {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let text = input_file::read_given_text(path, MOST_BYTES)
            .map_err(|error| Failure::Message(format!("{name}: cannot read it: {error}")))?;
        Self::parse(&name, &text)
    }

    /// Reads a text.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, Failure> {
        let text = text.trim_start_matches('\u{feff}');
        let (columns, rows) =
            from_csv(text).map_err(|error| Failure::Message(format!("{name}: {error}")))?;
        let Some(place) = columns.iter().position(|column| column == DRAWN) else {
            let found = columns.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(",");
            return Err(Failure::Message(format!(
                "{name}: it has no column `{DRAWN}`, in which a result says how it is drawn: found {found}{}, accepted \
                 {ACCEPTED}",
                if columns.len() > 8 { ",…" } else { "" }
            )));
        };
        let Some(first) = rows.first() else {
            return Err(Failure::Message(format!(
                "{name}: it has columns but no line of figures, so there is nothing to draw"
            )));
        };
        let how = first.cells[place].clone();
        let refused = |row: &Row, accepted: String| {
            let found = quoted(&row.cells[place]);
            let Row { place, .. } = row;
            Failure::Message(format!("{name}: {place}: {DRAWN} is {found}, accepted {accepted}"))
        };
        if let Some(other) = rows.iter().find(|row| row.cells[place] != how) {
            return Err(refused(other, format!("{} as in the lines before", quoted(&how))));
        }
        let Some(drawing) = Drawing::parse(&how) else {
            let accepted =
                "the figure, then `over` a column, `in` a unit and `as points` as needed";
            return Err(refused(first, accepted.to_owned()));
        };
        Ok(Self { name: name.to_owned(), how, drawing, columns, rows })
    }
}

/// The accepted files.
const ACCEPTED: &str = "CSV of `tvlb simulate` and `tvlb-lab sweep`, runs.csv, summary.csv and figures.csv \
    of `tvlb-lab sweep`, and CSV of `tvlb model`";

type Lines = (Vec<String>, Vec<Row>);

fn from_csv(text: &str) -> Result<Lines, String> {
    let in_words = |error: Refused| error.to_string();
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    let mut records = Records::of_text(text);
    records.read_header().map_err(in_words)?;
    let cells = |fields: &CsvFields| fields.iter().map(str::to_owned).collect();
    let (columns, mut rows): (Vec<String>, _) = (cells(records.fields()), Vec::new());
    while records.read().map_err(in_words)? {
        let cells: Vec<String> = cells(records.fields());
        // The header may be repeated if files were concatenated.
        if cells != columns {
            rows.push(Row { place: format!("line {}", records.line_number()), cells });
        }
    }
    Ok((columns, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "fabric,scheme,load,seed,latency,drawn\n";

    #[test]
    fn csv_can_be_put_together() {
        let text = format!(
            "\u{feff}{HEAD}f,min,0.1,1,50,latency over load\n{HEAD}f,vlb,0.1,1,90,latency over load\n"
        );
        let table = PlotFile::parse("a.csv", &text).unwrap();
        let places: Vec<&str> = table.rows.iter().map(|row| row.place.as_str()).collect();
        assert_eq!(places, ["line 2", "line 4"]);
        assert_eq!(table.columns.len(), 6);
    }

    fn refused(text: &str) -> String {
        match PlotFile::parse("a.csv", text).unwrap_err() {
            Failure::Message(text) => text,
            _ => String::new(),
        }
    }

    #[test]
    fn what_is_not_a_result_is_refused_with_what_is() {
        for (text, words) in [
            ("", "a.csv: it is empty"),
            (" \n", "a.csv: it is empty"),
            (HEAD, "no line of figures"),
            (
                "one,two\n1,2\n",
                "no column `drawn`, in which a result says how it is drawn: found one,two, accepted CSV of",
            ),
            (&format!("{HEAD}f,min,0.1\n"), "line 2: found 3 fields, accepted 6"),
        ] {
            let error = refused(text);
            assert!(error.contains(words), "{text:?}: {error}");
        }
    }
}
