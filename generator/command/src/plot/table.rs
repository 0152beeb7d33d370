//! Results of other commands, read back: from CSV, and from JSON as the same columns.

use super::kind::{Kind, SETTINGS};
use crate::failure::Failure;
use serde_json::{Map, Value};
use std::path::Path;
use tvlb_base::text::{Fields, Records, TextError};
use tvlb_generator::input_file::{self, Symlinks};

/// A larger file is refused before it is read.
const MOST_BYTES: u64 = 256 << 20;

/// The lines of one file.
#[derive(Debug)]
pub struct Table {
    /// The file's name, for a legend and for errors.
    pub(super) name: String,
    pub(super) kind: &'static Kind,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// One line, with a cell for each column.
#[derive(Debug)]
pub(super) struct Row {
    /// Where it is in the file.
    pub(super) place: String,
    pub(super) cells: Vec<String>,
}

impl Table {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let text = input_file::read_text(path, MOST_BYTES, Symlinks::Follow)
            .map_err(|error| Failure::Message(format!("{name}: cannot read it: {error}")))?;
        Self::parse(&name, &text)
    }

    /// Reads a text, JSON if it begins as such and else CSV.
    pub fn parse(name: &str, text: &str) -> Result<Self, Failure> {
        let text = text.trim_start_matches('\u{feff}');
        let (columns, rows) = match text.trim_start().chars().next() {
            None => Err("it is empty".to_owned()),
            Some('{' | '[') => from_json(text),
            Some(_) => from_csv(text),
        }
        .map_err(|error| Failure::Message(format!("{name}: {error}")))?;
        let Some(kind) = Kind::of(&columns) else {
            let found = columns.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(",");
            return Err(Failure::Message(format!(
                "{name}: its columns are not those of a result that can be drawn: found {found}{}, accepted {}",
                if columns.len() > 8 { ",…" } else { "" },
                ACCEPTED
            )));
        };
        if rows.is_empty() {
            return Err(Failure::Message(format!(
                "{name}: it has columns but no line of figures, so there is nothing to draw"
            )));
        }
        Ok(Self { name: name.to_owned(), kind, columns, rows })
    }
}

/// What can be drawn.
const ACCEPTED: &str = "CSV or JSON of `tvlb simulate` and `tvlb-lab cut-through`, runs.csv and summary.csv of \
    `tvlb-lab sweep`, figures.csv of `tvlb-lab experiment`, and CSV of `tvlb model`";

type Lines = (Vec<String>, Vec<Row>);

fn from_csv(text: &str) -> Result<Lines, String> {
    let in_words = |error: TextError| error.to_string();
    let mut records = Records::of_text(text);
    records.read_header().map_err(in_words)?;
    let cells = |fields: &Fields| fields.iter().map(str::to_owned).collect();
    let (columns, mut rows): (Vec<String>, _) = (cells(records.fields()), Vec::new());
    while records.read().map_err(in_words)? {
        let cells: Vec<String> = cells(records.fields());
        // The first line can stand again where files were put together.
        if cells != columns {
            rows.push(Row { place: format!("line {}", records.line_number()), cells });
        }
    }
    Ok((columns, rows))
}

fn from_json(text: &str) -> Result<Lines, String> {
    let document: Value =
        serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    let runs = if document["curve"].is_array() {
        of_curve(&document)
    } else if document["saturation"].is_object() {
        of_saturation(&document)
    } else if document["runs"].is_array() && document["settings"].is_array() {
        of_cut_through(&document)
    } else {
        return Err(format!("it is JSON, but not a result that can be drawn: accepted {ACCEPTED}"));
    };
    // Every run has its own keys; a column is there if any run has it.
    let mut columns: Vec<String> = Vec::new();
    for key in runs.iter().flat_map(Map::keys) {
        if !columns.iter().any(|column| column == key) {
            columns.push(key.clone());
        }
    }
    let cell =
        |run: &Map<String, Value>, column: &String| run.get(column).map_or(String::new(), text_of);
    let rows = runs.iter().enumerate().map(|(number, run)| Row {
        place: format!("run {number}"),
        cells: columns.iter().map(|column| cell(run, column)).collect(),
    });
    let rows = rows.collect();
    Ok((columns, rows))
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Copies those keys that have a plain value.
fn copy(from: &Value, keys: &[(&str, &str)], to: &mut Map<String, Value>) {
    for (key, column) in keys {
        if let Some(value) = from.get(key).filter(|value| !value.is_array() && !value.is_object()) {
            to.insert((*column).to_owned(), value.clone());
        }
    }
}

/// What was run, as the CSV of `simulate` says it.
fn identity(document: &Value) -> Map<String, Value> {
    let mut run = Map::new();
    copy(document, &[("fabric", "fabric")], &mut run);
    copy(&document["settings"], &[("scheme", "scheme")], &mut run);
    copy(
        document,
        &[
            ("set", "set"),
            ("second-set", "second-set"),
            ("traffic", "traffic"),
            ("traffic-content", "traffic-content"),
            ("placement-content", "placement-content"),
            ("faults", "faults"),
            ("vc-scheme", "vc-scheme"),
        ],
        &mut run,
    );
    let placement = document.get("placement").cloned();
    run.insert("placement".to_owned(), placement.unwrap_or_else(|| "identity".into()));
    let decisions: &[(&str, &str)] = match document["settings"]["scheme"].as_str() {
        Some("ugal-l" | "ugal-g") => &[("ugal-l", "")],
        Some("par") => &[("par-source", ""), ("par-second", "second-")],
        _ => &[],
    };
    for (of, column) in
        [("thresholds", "threshold"), ("candidates", "candidates"), ("gates", "gate")]
    {
        for (decision, prefix) in decisions {
            copy(&document[of], &[(decision, &format!("{prefix}{column}"))], &mut run);
        }
    }
    let settings = SETTINGS.map(|(name, _)| (name, name));
    copy(&document["settings"], &settings, &mut run);
    run
}

/// A run for each load, seed and population.
fn of_curve(document: &Value) -> Vec<Map<String, Value>> {
    let (mut runs, identity) = (Vec::new(), identity(document));
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let seeds = list(&document["seeds"]);
    for point in list(&document["curve"]) {
        for (outcome, seed) in list(&point["runs"]).iter().zip(&seeds) {
            let populations = list(&outcome["populations"]);
            for figures in std::iter::once(&outcome["all"]).chain(&populations) {
                let mut run = identity.clone();
                let marks = ["load", "saturated", "growing"].map(|key| (key, key));
                copy(outcome, &marks, &mut run);
                run.insert("seed".to_owned(), seed.clone());
                copy_all(figures, &mut run);
                run.remove("nodes");
                copy_all(&outcome["fairness"], &mut run);
                links(outcome, &mut run);
                runs.push(run);
            }
        }
    }
    runs
}

/// Copies all keys that have a plain value.
fn copy_all(from: &Value, to: &mut Map<String, Value>) {
    for key in from.as_object().into_iter().flat_map(Map::keys) {
        copy(from, &[(key, key)], to);
    }
}

/// The loads of links.
fn links(outcome: &Value, run: &mut Map<String, Value>) {
    let (local, global) = (&outcome["local-links"], &outcome["global-links"]);
    copy(local, &[("mean", "local-mean"), ("most", "local-most")], run);
    copy(global, &[("mean", "global-mean"), ("most", "global-most")], run);
}

fn of_saturation(document: &Value) -> Vec<Map<String, Value>> {
    let seeds = document["saturation"]["seeds"].as_array().cloned().unwrap_or_default();
    let of_seed = |found: &Value| {
        let mut run = identity(document);
        copy_all(found, &mut run);
        copy(&document["saturation"], &[("resolution", "resolution")], &mut run);
        run
    };
    seeds.iter().map(of_seed).collect()
}

fn of_cut_through(document: &Value) -> Vec<Map<String, Value>> {
    let runs = document["runs"].as_array().cloned().unwrap_or_default();
    let of_run = |outcome: &Value| {
        let mut run = Map::new();
        copy_all(document, &mut run);
        run.remove("tool-version");
        run.remove("fabric-identity");
        copy_all(outcome, &mut run);
        run.remove("grants");
        let hops = &outcome["hops"];
        copy(hops, &[("local", "local-hops"), ("global", "global-hops")], &mut run);
        copy(
            &outcome["escape"],
            &[("hops", "escape-hops"), ("entries", "escape-entries")],
            &mut run,
        );
        links(outcome, &mut run);
        run
    };
    runs.iter().map(of_run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "fabric,scheme,load,seed,latency,accepted\n";

    #[test]
    fn csv_can_be_put_together() {
        let text = format!("\u{feff}{HEAD}f,min,0.1,1,50,0.1\n{HEAD}f,vlb,0.1,1,90,0.1\n");
        let table = Table::parse("a.csv", &text).unwrap();
        let places: Vec<&str> = table.rows.iter().map(|row| row.place.as_str()).collect();
        assert_eq!(places, ["line 2", "line 4"]);
        assert_eq!(table.columns.len(), 6);
    }

    fn refused(text: &str) -> String {
        match Table::parse("a.csv", text).unwrap_err() {
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
            ("one,two\n1,2\n", "found one,two, accepted CSV or JSON of"),
            ("{\"a\": 1}", "it is JSON, but not a result"),
            ("{\"a\": ", "it is not JSON"),
            (
                "fabric,scheme,load,seed,latency,accepted\nf,min,0.1\n",
                "line 2: found 3 fields, accepted 6",
            ),
        ] {
            let error = refused(text);
            assert!(error.contains(words), "{text:?}: {error}");
        }
    }
}
