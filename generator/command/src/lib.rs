//! The `tvlb` command, and what it shares with the command of the laboratory: reading arguments and files, progress,
//! printing, exit codes.
#![allow(
    clippy::missing_errors_doc,
    clippy::return_self_not_must_use,
    reason = "a library for two commands, not for others"
)]

pub mod args;
mod cables;
mod columns;
pub mod dead_parts;
mod diff;
pub mod failure;
mod faults;
pub mod files;
pub mod generate;
pub mod given;
pub mod groups;
pub mod hosts;
mod import;
mod inspect;
mod interrupt;
mod load;
pub mod manual;
mod model;
pub mod named;
pub mod output;
mod paths;
mod sets;
pub mod simulate;
pub mod switches;
pub mod tables;
mod topology;
pub mod traffic;
pub mod values;
mod vectors;
mod verify;

use clap::{CommandFactory, Parser, Subcommand};
use failure::Outcome;
use groups::Groups;
use std::process::ExitCode;

/// The commands as `--help` lists them, each in one group.
const GROUPS: &Groups = &[
    ("Make tables", &["import", "generate", "sets", "faults"]),
    (
        "Check and look at tables and wirings",
        &["verify", "inspect", "diff", "topology", "cables", "paths", "vectors"],
    ),
    ("What tables carry", &["load", "model", "simulate"]),
    ("Other commands", &["man", "completions", "help"]),
];

/// Makes and checks the routing tables of Dragonfly networks.
#[derive(Parser)]
#[command(name = "tvlb", version, arg_required_else_help = true, max_term_width = 100)]
#[command(
    help_template = groups::template(Command::augment_subcommands(clap::Command::new("tvlb")), GROUPS),
    after_help = "Exit codes: 0 done, and nothing found; 1 found something: `verify` a fault, `diff` a \
                  difference, `faults` a pair that is cut off, `generate --check` a change; 2 an error in the command line, the input \
                  or the output; 130 interrupted by Ctrl-C, 143 by SIGTERM.\n\nWith --quiet, a command prints only its result and \
                  errors.\n\nAn option that names one file to write, such as --report or --csv, replaces a file of that name. \
                  Directories that are not empty are replaced only if an option says so."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Generate(args::GenerateOptions),
    Inspect(args::InspectOptions),
    Topology(args::TopologyOptions),
    Cables(cables::CablesOptions),
    Import(import::ImportOptions),
    Paths(paths::PathsOptions),
    Sets(sets::SetsOptions),
    Load(load::LoadOptions),
    Model(args::ModelOptions),
    Simulate(Box<simulate::SimulateOptions>),
    Verify(args::VerifyOptions),
    Diff(args::DiffOptions),
    Faults(faults::FaultsOptions),
    Vectors(vectors::VectorsOptions),
    Man(args::ManOptions),
    Completions(args::CompletionsOptions),
}

/// Parses the arguments, calls `run`, and turns the outcome into an exit code. 0: done, and nothing found. 1: something
/// was found: `verify` a fault, `diff` a difference, `generate --check` a change. 2: an error in the command line, the
/// input or the output. 130: interrupted by Ctrl-C; 143: by SIGTERM.
pub fn exit_code<A: Parser>(run: impl FnOnce(&A) -> Outcome) -> ExitCode {
    let outcome = match A::try_parse() {
        Ok(arguments) => run(&arguments),
        Err(mut error) => {
            // The name of the command comes before all options.
            let command = std::env::args_os().nth(1).unwrap_or_default();
            dead_parts::add_tip(&mut error, &command.to_string_lossy());
            return failure::end_of_parsing(error);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// The `tvlb` command.
pub fn main() -> ExitCode {
    exit_code(|arguments: &Arguments| match &arguments.command {
        Command::Generate(arguments) => generate::run(arguments),
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::Topology(arguments) => topology::run(arguments),
        Command::Cables(arguments) => cables::run(arguments),
        Command::Import(arguments) => import::run(arguments),
        Command::Paths(arguments) => paths::run(arguments),
        Command::Load(arguments) => load::run(arguments),
        Command::Model(arguments) => model::run(arguments),
        Command::Sets(arguments) => sets::run(arguments),
        Command::Simulate(arguments) => simulate::run(arguments),
        Command::Verify(arguments) => {
            files::expect_table_set(&arguments.directory).and_then(|()| verify::run(arguments))
        }
        Command::Diff(arguments) => diff::run(arguments),
        Command::Faults(arguments) => faults::run(arguments),
        Command::Vectors(arguments) => vectors::run(arguments),
        Command::Man(arguments) => manual::man(Arguments::command(), arguments),
        Command::Completions(arguments) => manual::completions(Arguments::command(), arguments),
    })
}
