//! `tvlb experiment`.

use crate::failure::{Failure, Outcome};
use crate::files::outside_table_sets;
use crate::output::{Bars, catch_interrupt, print, use_threads, write_file};
use crate::values;
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;
use tvlb_lab::experiment::{
    EXPERIMENTS, Experiment, ExperimentError, OURS_PAR, OURS_UGAL, Options, find,
};

/// Repeat a figure of the T-UGAL paper (Rahman et al., SC'19), or one of our own
///
/// Writes CSV, JSON and SVG into a directory, and prints a line for each figure that the paper's
/// text states, ours beside it. docs/measurements/reproduction.md holds all of them.
#[derive(Args)]
#[command(after_long_help = help())]
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
    #[arg(long, value_name = "SET", default_value = OURS_UGAL)]
    ours_ugal: String,
    /// The same for PAR: `SET` or, with another at its second look, `SET then SET`, each with a
    /// threshold if it has one
    #[arg(long, value_name = "SET", default_value = OURS_PAR)]
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

/// The list of experiments for --help.
fn help() -> String {
    let mut text = String::from("Experiments:\n");
    for Experiment { name, about, .. } in &EXPERIMENTS {
        let _ = writeln!(text, "  {name:<15} {about}");
    }
    text
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let begin = Instant::now();
    use_threads(arguments.threads)?;
    catch_interrupt()?;
    let experiment = find(&arguments.name).expect("the parser lets no other name through");
    outside_table_sets([
        ("--output", Some(arguments.output.as_path())),
        ("--state", arguments.state.as_deref()),
    ])?;
    // Before the work, so that a directory that cannot be written to is known at once.
    let directory = &arguments.output;
    fs::create_dir_all(directory).map_err(|error| {
        Failure::Message(format!("{}: cannot create the directory: {error}", directory.display()))
    })?;
    let options = Options {
        quick: arguments.quick,
        ours_ugal: arguments.ours_ugal.clone(),
        ours_par: arguments.ours_par.clone(),
        state: arguments.state.clone(),
        seed: arguments.seed,
    };
    let stages = Bars::new(arguments.quiet);
    let found = experiment.run(&options, &stages);
    stages.finish();
    let found = found.map_err(|error| match error {
        ExperimentError::Cancelled(_) => Failure::Stopped(what_became(experiment, &options)),
        error => Failure::of(error),
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

/// What becomes of the work of an experiment that is interrupted.
fn what_became(experiment: &Experiment, options: &Options) -> String {
    match &options.state {
        _ if !experiment.simulates() => "nothing was written".to_owned(),
        Some(state) => format!(
            "no figure was written; {} keeps the runs so far, and the same command goes on from \
             there",
            state.display()
        ),
        None => {
            "nothing was written; with --state DIR, the same command goes on from there".to_owned()
        }
    }
}
