//! What an experiment finds, as texts.

use super::catalogue::Experiment;
use super::kept_results::KeptResults;
use super::options::Options;
use super::pictures::pictures;
use super::results::{Curves, Figures, Line, Point, Results};
use super::tables::plain;
use super::verdict::{Judged, judge_all};
use serde::Serialize;
use std::fmt::Write;

/// What an experiment found.
#[derive(Clone, Debug)]
pub struct Findings {
    /// A table with one line for each figure, and a header.
    pub csv: String,
    /// Everything that was found, and what the paper states of it.
    pub json: String,
    /// Pictures in SVG by the names of their files, without the ending.
    pub pictures: Vec<(String, String)>,
    /// Lines for the terminal.
    pub words: String,
    /// Everything that was found, as plain values.
    pub results: Results,
}

/// `figures.json`.
#[derive(Serialize)]
struct Document<'d, M> {
    about: &'d str,
    #[serde(flatten)]
    results: &'d Results,
    stated: &'d [Judged],
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<M>,
}

/// The texts that an experiment made of its figures.
pub(super) struct Texts<M> {
    pub(super) csv: String,
    pub(super) pictures: Vec<(String, String)>,
    pub(super) words: String,
    /// All that the throughput model says.
    pub(super) model: Option<M>,
}

impl Findings {
    /// Adds what the paper states of the figures.
    pub(super) fn new<M: Serialize>(
        experiment: &Experiment,
        (figures, seconds): (Figures, f64),
        texts: Texts<M>,
        (options, known): (&Options, &KeptResults),
    ) -> Self {
        let mut results = Results {
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            experiment: experiment.name.to_owned(),
            quick: options.quick,
            seed: options.seed,
            processor_seconds: None,
            figures,
        };
        let mut known = known.clone();
        known.insert(results.clone());
        let judged = judge_all(experiment.name, &known);
        let Texts { csv, pictures, mut words, model } = texts;
        if experiment.has_paper() {
            words.push_str(&plain(&judged));
        }
        let document =
            Document { about: experiment.about, results: &results, stated: &judged, model };
        let json = to_json(&document);
        results.processor_seconds = Some(seconds);
        Self { csv, json, pictures, words, results }
    }
}

/// A document as indented JSON, with a line end.
fn to_json(value: &impl Serialize) -> String {
    let mut json = serde_json::to_string_pretty(value).expect("findings are plain values");
    json.push('\n');
    json
}

/// The findings of simulations.
pub(super) fn of_curves(
    experiment: &Experiment,
    curves: Curves,
    seconds: f64,
    context: (&Options, &KeptResults),
) -> Findings {
    let texts = Texts::<()> {
        csv: csv(&curves.lines),
        pictures: pictures(experiment, &curves, context.0.seed),
        words: words(&curves.lines),
        model: None,
    };
    Findings::new(experiment, (Figures::Curves(curves), seconds), texts, context)
}

fn csv(lines: &[Line]) -> String {
    let mut text =
        "scheme,variant,rules,set,load,latency,p99,accepted,hops,vlb-share,saturated\n".to_owned();
    for line in lines {
        let Line { scheme, variant, rules, set, .. } = line;
        let rules = rules.name();
        for point in &line.points {
            let Point { load, latency, p99, accepted, hops, vlb_share, saturated } = point;
            let _ = writeln!(
                text,
                "{scheme},{variant},{rules},\"{set}\",{load},{latency:.3},{p99},{accepted:.5},{hops:.4},{vlb_share:.4},{saturated}",
            );
        }
    }
    text
}

/// Writes the saturation of every line.
fn words(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        let Line { scheme, variant, rules, set, saturation, .. } = line;
        let space = if variant.is_empty() { "" } else { " " };
        let low = line.unsaturated().next().map_or(String::new(), |point| {
            format!(", latency {:.1} at {}", point.latency, point.load)
        });
        let set = if rules.heading() == set { String::new() } else { format!(" ({set})") };
        let _ = writeln!(
            text,
            "  {scheme}{space}{variant}, {}{set}: saturates at {saturation:.2} (mean latency above 500 cycles){low}",
            rules.heading()
        );
    }
    text
}
