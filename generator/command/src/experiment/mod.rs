//! `tvlb experiment`: the figures of section 4 of Rahman et al., SC'19, each by its name.

mod catalogue;
mod curves;
mod kept;
mod step_one;
mod topologies;

use crate::failure::{Failure, Outcome};
use crate::files::outside_table_sets;
use crate::output::{catch_interrupt, print, use_threads, write_file};
use crate::values;
use catalogue::{EXPERIMENTS, Experiment, Kind};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

/// Repeat a figure of the T-UGAL paper (Rahman et al., SC'19, section 4)
///
/// Writes CSV, JSON and SVG into a directory, and prints a line for each figure that the paper's
/// text states, ours beside it. docs/measurements/reproduction.md holds all of them.
#[derive(Args)]
#[command(after_long_help = catalogue::help())]
pub(crate) struct Arguments {
    /// Its name
    #[arg(value_parser = PossibleValuesParser::new(EXPERIMENTS.iter().map(|e| e.name)), hide_possible_values = true)]
    name: String,
    /// The directory to write to; files of the same names in it are replaced
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Short windows, few loads, few patterns: to see what it does, not to compare figures
    #[arg(long)]
    quick: bool,
    /// UGAL-L's and UGAL-G's set to show as ours, with a threshold if it has one: `SET` or `SET T=N`
    #[arg(long, value_name = "SET", default_value = curves::OURS_UGAL)]
    ours_ugal: String,
    /// The same for PAR: `SET` or, with another at its second look, `SET then SET`, each with a
    /// threshold if it has one
    #[arg(long, value_name = "SET", default_value = curves::OURS_PAR)]
    ours_par: String,
    /// Keep every simulated run in DIR, so that an interrupted experiment goes on
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// Decides random traffic, patterns and fractions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Use this many threads instead of one per core; the figures are the same for any number
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = values::threads)]
    threads: Option<usize>,
    /// Show no progress: print nothing but the result and errors
    #[arg(short, long)]
    quiet: bool,
}

/// What an experiment comes to.
struct Findings {
    /// One line for each figure, with a header.
    csv: String,
    /// Everything.
    json: String,
    /// Pictures by the names of their files, without the ending.
    pictures: Vec<(String, String)>,
    /// For the terminal.
    words: String,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let begin = Instant::now();
    use_threads(arguments.threads)?;
    catch_interrupt()?;
    let experiment = EXPERIMENTS
        .iter()
        .find(|experiment| experiment.name == arguments.name)
        .expect("the parser lets no other name through");
    outside_table_sets([
        ("--output", Some(arguments.output.as_path())),
        ("--state", arguments.state.as_deref()),
    ])?;
    // Before the work, so that a directory that cannot be written to is known at once.
    let directory = &arguments.output;
    fs::create_dir_all(directory).map_err(|error| {
        Failure::Message(format!("{}: cannot create the directory: {error}", directory.display()))
    })?;
    let found = match &experiment.kind {
        Kind::Model { p, a, h, g } => step_one::run([*p, *a, *h, *g], experiment, arguments),
        Kind::Curves(study) => curves::run(study, experiment, arguments),
        Kind::Topologies => topologies::run(experiment, arguments),
    };
    let found = found.map_err(|failure| {
        failure.stopped(|| match (&experiment.kind, &arguments.state) {
            (Kind::Curves(_), Some(state)) => format!(
                "no figure was written; {} keeps the runs so far, and the same command goes on from \
                 there",
                state.display()
            ),
            (Kind::Curves(_), None) => {
                "nothing was written; with --state DIR, the same command goes on from there"
                    .to_owned()
            }
            _ => "nothing was written".to_owned(),
        })
    })?;
    write_file(&directory.join("figures.csv"), &found.csv)?;
    write_file(&directory.join("figures.json"), &found.json)?;
    for (name, svg) in &found.pictures {
        write_file(&directory.join(format!("{name}.svg")), svg)?;
    }
    let note = if arguments.quick { " (--quick: saturations come out too high)" } else { "" };
    print(&format_args!("{}: {}{note}\n{}", experiment.name, experiment.about, found.words))?;
    if !arguments.quiet {
        eprintln!(
            "{}: {} files, {:.1} s",
            directory.display(),
            found.pictures.len() + 2,
            begin.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

/// What every `figures.json` begins with.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Heading<'e> {
    tool_version: &'static str,
    experiment: &'e str,
    about: &'e str,
    quick: bool,
    seed: u64,
}

impl<'e> Heading<'e> {
    fn new(experiment: &'e Experiment, arguments: &Arguments) -> Self {
        Self {
            tool_version: env!("CARGO_PKG_VERSION"),
            experiment: experiment.name,
            about: experiment.about,
            quick: arguments.quick,
            seed: arguments.seed,
        }
    }
}

fn to_json(value: &impl Serialize) -> Result<String, Failure> {
    let mut json = serde_json::to_string_pretty(value).map_err(Failure::of)?;
    json.push('\n');
    Ok(json)
}

/// Ours beside the paper's, in words.
fn compared(ours: f64, paper: f64) -> String {
    format!("{ours:.4} (paper {paper}, {:+.1}%)", 100.0 * (ours / paper - 1.0))
}
