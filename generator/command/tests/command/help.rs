//! The help texts, which are the command's documentation.

use crate::scratch::Scratch;
use insta::assert_snapshot;

const COMMANDS: [&str; 20] = [
    "generate",
    "inspect",
    "topology",
    "cables",
    "import",
    "import slingshot",
    "import ibnetdiscover",
    "paths",
    "sets",
    "sets export",
    "sets routes",
    "model",
    "load",
    "simulate",
    "verify",
    "diff",
    "faults",
    "vectors",
    "man",
    "completions",
];

/// The first word of a text.
fn word(text: &str) -> String {
    text.split_whitespace().next().unwrap_or_default().to_owned()
}

#[test]
fn help() {
    let scratch = Scratch::new();
    assert_snapshot!("help", scratch.succeeds("--help"));
    assert_eq!(scratch.succeeds("-h"), scratch.succeeds("--help"));
    // Every command is looked at.
    let all = scratch.succeeds("--help");
    let (listed, _) = all.split_once("Options:\n").unwrap();
    // Two spaces stand before a name, more before the rest of what is said of one.
    let listed = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let mut listed: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    let mut commands: Vec<&str> = COMMANDS.into_iter().filter(|name| !name.contains(' ')).collect();
    commands.push("help");
    listed.sort_unstable();
    commands.sort_unstable();
    assert_eq!(listed, commands);
    for command in COMMANDS {
        let short = scratch.succeeds(&format!("{command} -h"));
        let long = scratch.succeeds(&format!("{command} --help"));
        let name = command.replace(' ', "_");
        // The short text has the options of the long one, with the first paragraph of each.
        let options = |text: &str| -> Vec<String> {
            // Further lines of what is said of an option stand farther in.
            let first = text.lines().map(|line| line.strip_prefix("      ").unwrap_or(line));
            let first = first.filter(|line| line.starts_with("  -") || line.starts_with("--"));
            first.filter_map(|line| line.split("--").nth(1)).map(word).collect()
        };
        assert_eq!(options(&short), options(&long), "{command}");
        assert_snapshot!(format!("help_{name}_long"), long);
        assert_eq!(scratch.succeeds(&format!("help {command}")), long);
    }
}

#[test]
fn without_arguments_the_help_is_shown_as_an_error() {
    let scratch = Scratch::new();
    let run = scratch.tvlb("");
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert_eq!(run.stderr, scratch.succeeds("-h"));
}

#[test]
fn version() {
    let version = Scratch::new().succeeds("--version");
    assert_eq!(version, concat!("tvlb ", env!("CARGO_PKG_VERSION"), "\n"));
    assert_eq!(version, Scratch::new().succeeds("-V"));
}
