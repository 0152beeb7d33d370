//! `tvlb man` and `tvlb completions`: from the same definitions as `--help`.

use crate::args::{CompletionsOptions, ManOptions};
use crate::failure::{Failure, Outcome};
use crate::output::print;
use clap::Command;

/// Prints a manual page, of the whole or of one command.
pub fn man(mut whole: Command, arguments: &ManOptions) -> Outcome {
    whole.build();
    let of = whole.get_name().to_owned();
    let command = match &arguments.command {
        None => whole,
        Some(name) => {
            let found = whole.find_subcommand(name).cloned();
            let command = found.ok_or_else(|| {
                let names: Vec<&str> = whole.get_subcommands().map(Command::get_name).collect();
                Failure::Message(format!("{name}: no such command; there are {}", names.join(", ")))
            })?;
            // As `man tvlb-generate` looks for it.
            let name: &'static str = format!("{of}-{name}").leak();
            command.name(name)
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    print(&String::from_utf8_lossy(&page))
}

/// Prints a completion script for a shell.
pub fn completions(mut whole: Command, arguments: &CompletionsOptions) -> Outcome {
    let of = whole.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut whole, of, &mut script);
    print(&String::from_utf8_lossy(&script))
}
