//! Advice for users who give a list of dead parts to a command that takes none.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The option by which commands take the list.
const OPTION: &str = "--faults";

/// Adds to an error about `--faults` how to get what the user of this command may have wanted.
pub(crate) fn add_tip(error: &mut clap::Error, command: &str) {
    let is_list = matches!(
        error.get(ContextKind::InvalidArg),
        Some(ContextValue::String(found)) if found == OPTION
    );
    if error.kind() != ErrorKind::UnknownArgument || !is_list {
        return;
    }
    let Some(tip) = tip(command) else { return };
    // Where there is better advice, an option with a similar name is no help.
    error.remove(ContextKind::SuggestedArg);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
}

/// Why a command takes no list, and what to do instead; `None` for commands that take one, or read neither a fabric nor
/// a table set.
fn tip(command: &str) -> Option<&'static str> {
    let tip = match command {
        "generate" => {
            "tables are made of the plan, whatever is dead, and stay; generate them without --faults, and \
             `tvlb faults DIR --faults LIST -o UPDATE` makes what switches install besides"
        }
        "search" => {
            "sets are searched for and chosen on the plan, and stay; `tvlb faults` makes what switches \
             install where parts are dead"
        }
        "simulate" => {
            "--faults-at CYCLE:LIST says from which cycle on parts are dead, --update-at CYCLE:UPDATE \
             installs an update of `tvlb faults` from a cycle on, and --update UPDATE from the beginning"
        }
        "escape" => {
            "the escape network assumes that nothing is dead; with an update, switches decide by UGAL-L or PAR"
        }
        "verify" => {
            "--update UPDATE verifies switches with an update installed, which `tvlb faults` makes from a list"
        }
        "inspect" => {
            "--update UPDATE shows what an update of `tvlb faults` says is dead, and --switch N with it that \
             switch; `tvlb paths FABRIC --faults LIST` shows the paths that are left"
        }
        "diff" => {
            "it compares table sets, which are made for the plan; `tvlb faults` says what a list of dead \
             parts changes"
        }
        "sets" => {
            "sets are made for the plan, and stay when parts die; `tvlb paths FABRIC --faults LIST` shows the \
             remaining paths"
        }
        "sweep" => {
            "`faults = [\"none\", \"LIST\"]` in the sweep file says what is dead in its runs"
        }
        "place" => {
            "--with listed:FILE leaves out the nodes of dead switches; no other part matters here"
        }
        "run" => {
            "its switches have no update installed; --with listed:FILE leaves out nodes, and `tvlb simulate \
             --update UPDATE` runs traffic where parts are dead"
        }
        "advise" => {
            "its switches have no update installed; --with listed:FILE leaves out the nodes of dead switches"
        }
        "vectors" => {
            "--update DIR makes the switch decide with an update of `tvlb faults`, which says what is dead"
        }
        "cables" => "it lists the cables of a plan, in which nothing is dead",
        _ => return None,
    };
    Some(tip)
}

#[cfg(test)]
mod tests {
    use super::tip;
    use crate::Arguments;
    use clap::CommandFactory;

    /// Commands that read neither fabrics nor table sets.
    const OTHERS: [&str; 5] = ["import", "plot", "man", "completions", "help"];

    #[test]
    fn every_command_takes_a_list_or_says_why_not() {
        for command in Arguments::command().get_subcommands() {
            let name = command.get_name();
            let takes = command.get_arguments().any(|a| a.get_long() == Some("faults"));
            let says = tip(name).is_some();
            assert_eq!(takes || OTHERS.contains(&name), !says, "{name}");
        }
    }
}
