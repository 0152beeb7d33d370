//! The help texts, which are the command's documentation.

use crate::scratch::Scratch;
use insta::assert_snapshot;

const COMMANDS: [&str; 8] =
    ["escape", "run", "place", "advise", "bisection", "search", "sweep", "plot"];

#[test]
fn help() {
    let scratch = Scratch::new();
    for command in COMMANDS {
        let name = command.replace(' ', "_");
        let long = scratch.succeeds(&format!("{command} --help"));
        assert_snapshot!(format!("help_{name}_long"), long);
    }
    let help = std::process::Command::new(env!("CARGO_BIN_EXE_tvlb-lab")).arg("--help").output();
    assert_snapshot!("help", String::from_utf8(help.unwrap().stdout).unwrap());
}
