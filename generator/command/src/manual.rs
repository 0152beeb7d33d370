//! `tvlb man` and `tvlb completions`: from the same definitions as `--help`.

use crate::args::{Arguments, Completions, Man};
use crate::failure::{Failure, Outcome};
use crate::output::print;
use clap::CommandFactory;

/// Prints a manual page, of the whole or of one command.
pub(crate) fn man(arguments: &Man) -> Outcome {
    let mut whole = Arguments::command();
    whole.build();
    let command = match &arguments.command {
        None => whole,
        Some(name) => {
            let found = whole.find_subcommand(name).cloned();
            let command = found.ok_or_else(|| {
                let names: Vec<&str> =
                    whole.get_subcommands().map(clap::Command::get_name).collect();
                Failure::Message(format!("{name}: no such command; there are {}", names.join(", ")))
            })?;
            // As `man tvlb-generate` looks for it.
            let name: &'static str = format!("tvlb-{name}").leak();
            command.name(name)
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    print(&String::from_utf8_lossy(&page))
}

/// Prints what a shell completes commands and options from.
pub(crate) fn completions(arguments: &Completions) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "tvlb", &mut script);
    print(&String::from_utf8_lossy(&script))
}
