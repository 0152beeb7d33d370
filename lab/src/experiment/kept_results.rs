//! The results of experiments, kept in one file, from which the tables of a document are made.

use super::results::Results;
use serde::{Deserialize, Serialize};
use serde_json::ser::{Formatter, PrettyFormatter};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// So deep the JSON of results is indented: a line of a figure is one line of text.
const DEPTH: usize = 4;

/// The results of experiments by their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptResults {
    experiments: BTreeMap<String, Results>,
}

impl KeptResults {
    /// Reads the JSON that [`Self::to_json`] writes.
    ///
    /// # Errors
    /// What is wrong with the JSON, and where.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// The results as JSON, a line of a figure in one line, with a line end.
    ///
    /// # Panics
    /// Never: results are plain values.
    pub fn to_json(&self) -> String {
        let mut json = Vec::new();
        let formatter = Shallow { inner: PrettyFormatter::new(), depth: 0 };
        let mut serializer = serde_json::Serializer::with_formatter(&mut json, formatter);
        self.serialize(&mut serializer).expect("results are plain values");
        json.push(b'\n');
        String::from_utf8(json).expect("JSON is UTF-8")
    }

    /// Adds the results of an experiment in the place of earlier ones.
    pub fn insert(&mut self, results: Results) {
        self.experiments.insert(results.experiment.clone(), results);
    }

    /// The results of an experiment, if it has been run.
    pub fn get(&self, experiment: &str) -> Option<&Results> {
        self.experiments.get(experiment)
    }

    /// Whether no experiment has been run.
    pub fn is_empty(&self) -> bool {
        self.experiments.is_empty()
    }
}

/// Indented JSON down to a depth, and from there on one line.
struct Shallow<'i> {
    inner: PrettyFormatter<'i>,
    depth: usize,
}

impl Shallow<'_> {
    fn is_deep(&self) -> bool {
        self.depth > DEPTH
    }
}

impl Formatter for Shallow<'_> {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        if self.is_deep() { out.write_all(b"[") } else { self.inner.begin_array(out) }
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let is_deep = self.is_deep();
        self.depth -= 1;
        if is_deep { out.write_all(b"]") } else { self.inner.end_array(out) }
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if self.is_deep() { comma(out, first) } else { self.inner.begin_array_value(out, first) }
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.is_deep() { Ok(()) } else { self.inner.end_array_value(out) }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        if self.is_deep() { out.write_all(b"{") } else { self.inner.begin_object(out) }
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let is_deep = self.is_deep();
        self.depth -= 1;
        if is_deep { out.write_all(b"}") } else { self.inner.end_object(out) }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if self.is_deep() { comma(out, first) } else { self.inner.begin_object_key(out, first) }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.is_deep() { Ok(()) } else { self.inner.end_object_value(out) }
    }
}

fn comma<W: ?Sized + Write>(out: &mut W, first: bool) -> io::Result<()> {
    if first { Ok(()) } else { out.write_all(b", ") }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn results_read_back_and_a_line_of_a_figure_is_a_line_of_text() {
        let mut kept = KeptResults::default();
        kept.insert(samples::curves("fig6", &[("ugal-l", 0.23, 0.29), ("par", 0.29, 0.38)]));
        kept.insert(samples::model());
        let json = kept.to_json();
        assert_eq!(KeptResults::parse(&json).unwrap(), kept);
        let lines = json.lines().filter(|line| line.contains("\"saturation\""));
        assert!(lines.map(|line| line.matches("\"latency\"").count()).all(|points| points > 2));
        let error = KeptResults::parse("{\"experiments\": {\"fig6\": 1}}").unwrap_err();
        assert!(error.to_string().contains("line 1"), "{error}");
    }
}
