//! The `tvlb` command: reads its arguments, runs one command, and turns the outcome into an exit
//! code. 0: done. 1: the input or the outcome is bad. 2: the command line is wrong. 130:
//! interrupted.

mod args;
mod cables;
mod experiment;
mod failure;
mod generate;
mod inspect;
mod model;
mod output;
mod paths;
mod simulate;
mod sweep;
mod topology;
mod verify;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match &arguments.command {
        Command::Generate(arguments) => generate::run(arguments),
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::Topology(arguments) => topology::run(arguments),
        Command::Cables(arguments) => cables::run(arguments),
        Command::Paths(arguments) => paths::run(arguments),
        Command::Model(arguments) => model::run(arguments),
        Command::Simulate(arguments) => simulate::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Sweep(arguments) => sweep::run(arguments),
        Command::Experiment(arguments) => experiment::run(arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
