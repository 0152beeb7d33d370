//! The `tvlb-lab` command, for people who study networks: it reads its arguments, runs one command, and ends with the
//! same exit codes as `tvlb`.

mod advise;
mod bisection;
mod escape;
mod jobs;
mod ofar;
mod place;
mod plot;
mod requests;
mod run;
mod search;
mod sweep;

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;
use tvlb::args::{CompletionsOptions, ManOptions};
use tvlb::groups::{self, Groups};
use tvlb::manual;

const GROUPS: &Groups = &[
    ("Other switches", &["escape"]),
    ("Jobs", &["place", "run", "advise"]),
    ("Study", &["sweep", "bisection", "search", "plot"]),
    ("Other commands", &["man", "completions", "help"]),
];

/// Studies Dragonfly networks: other switches, jobs, searches, many runs at once, and pictures.
#[derive(Parser)]
#[command(name = "tvlb-lab", version, arg_required_else_help = true, max_term_width = 100)]
#[command(
    help_template = groups::template(LabCommand::augment_subcommands(clap::Command::new("tvlb-lab")), GROUPS),
    after_help = "`tvlb` makes, checks and simulates the tables that these commands read.\n\nExit codes: 0 done; 1 an escape image is wrong, or \
                  `sweep --collect` lacks a run; 2 an error in the command line, the input or the output; 130 interrupted by \
                  Ctrl-C, 143 by SIGTERM.\n\nWith --quiet, a command \
                  prints only its result and errors."
)]
struct LabArguments {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand)]
enum LabCommand {
    Escape(escape::EscapeOptions),
    Run(run::RunOptions),
    Place(place::PlaceOptions),
    Advise(advise::AdviseOptions),
    Bisection(bisection::BisectionOptions),
    Search(search::SearchOptions),
    Sweep(sweep::SweepOptions),
    Plot(plot::PlotOptions),
    Man(ManOptions),
    Completions(CompletionsOptions),
}

fn main() -> ExitCode {
    tvlb::exit_code(|arguments: &LabArguments| match &arguments.command {
        LabCommand::Escape(arguments) => escape::run(arguments),
        LabCommand::Run(arguments) => run::run(arguments),
        LabCommand::Place(arguments) => place::run(arguments),
        LabCommand::Advise(arguments) => advise::run(arguments),
        LabCommand::Bisection(arguments) => bisection::run(arguments),
        LabCommand::Search(arguments) => search::run(arguments),
        LabCommand::Sweep(arguments) => sweep::run(arguments),
        LabCommand::Plot(arguments) => plot::run(arguments),
        LabCommand::Man(arguments) => manual::man(LabArguments::command(), arguments),
        LabCommand::Completions(arguments) => {
            manual::completions(LabArguments::command(), arguments)
        }
    })
}
