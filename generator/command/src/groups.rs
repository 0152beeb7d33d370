//! The commands by purpose, as `--help` lists them.

use clap::Command;
use std::fmt::Write;

/// Groups of commands: a title and the names of its commands.
pub type Groups = [(&'static str, &'static [&'static str])];

/// The columns at which the description of a command begins, and at which lines end.
const INDENT: usize = 15;
const WIDTH: usize = 100;

/// The template of the help, with the commands of `all` in place of clap's one list.
pub fn template(mut all: Command, groups: &Groups) -> String {
    all.build();
    let mut text = String::from("{about}\n\n{usage-heading} {usage}\n");
    for (title, names) in groups {
        let _ = write!(text, "\n{title}:\n");
        for name in *names {
            let about = all.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let mut line = format!("{:<INDENT$}", format!("  {name}"));
            for word in about.split(' ') {
                if line.chars().count() + word.chars().count() > WIDTH {
                    let _ = writeln!(text, "{}", line.trim_end());
                    line = " ".repeat(INDENT);
                }
                line.push_str(word);
                line.push(' ');
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    text.push_str("\nOptions:\n{options}{after-help}");
    text
}
