//! The `tvlb` command: reads its arguments, runs one command, and turns the outcome into an exit
//! code. 0: done, and nothing found. 1: something was found: `verify` a fault, `diff` a difference,
//! `generate --check` a change. 2: an error in the command line, the input or the output. 130:
//! interrupted by Ctrl-C; 143: by SIGTERM.

mod advise;
mod args;
mod bisection;
mod cables;
mod columns;
mod cut_through;
mod dead_parts;
mod diff;
mod estimate;
mod experiment;
mod failure;
mod faults;
mod files;
mod generate;
mod groups;
mod import;
mod inspect;
mod interrupt;
mod jobs;
mod load;
mod manual;
mod model;
mod named;
mod output;
mod paths;
mod place;
mod plot;
mod run;
mod search;
mod sets;
mod simulate;
mod sweep;
mod switches;
mod tables;
mod topology;
mod traffic;
mod values;
mod verify;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(mut error) => {
            // No option stands before the name of a command.
            let command = std::env::args_os().nth(1).unwrap_or_default();
            dead_parts::add_tip(&mut error, &command.to_string_lossy());
            return failure::end_of_parsing(error);
        }
    };
    let outcome = match &arguments.command {
        Command::Generate(arguments) => generate::run(arguments),
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::Topology(arguments) => topology::run(arguments),
        Command::Cables(arguments) => cables::run(arguments),
        Command::Import(arguments) => import::run(arguments),
        Command::Paths(arguments) => paths::run(arguments),
        Command::Load(arguments) => load::run(arguments),
        Command::Place(arguments) => place::run(arguments),
        Command::Bisection(arguments) => bisection::run(arguments),
        Command::Model(arguments) => model::run(arguments),
        Command::Search(arguments) => search::run(arguments),
        Command::Sets(arguments) => sets::run(arguments),
        Command::Simulate(arguments) => simulate::run(arguments),
        Command::CutThrough(arguments) => cut_through::run(arguments),
        Command::Run(arguments) => run::run(arguments),
        Command::Advise(arguments) => advise::run(arguments),
        Command::Verify(arguments) => {
            files::expect_table_set(&arguments.directory).and_then(|()| verify::run(arguments))
        }
        Command::Sweep(arguments) => sweep::run(arguments),
        Command::Plot(arguments) => plot::run(arguments),
        Command::Experiment(arguments) => experiment::run(arguments),
        Command::Diff(arguments) => diff::run(arguments),
        Command::Faults(arguments) => faults::run(arguments),
        Command::Man(arguments) => manual::man(arguments),
        Command::Completions(arguments) => manual::completions(arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
