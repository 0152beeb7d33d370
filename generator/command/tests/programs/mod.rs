//! The two commands, `tvlb` and `tvlb-lab`, which cargo builds side by side.

use std::path::{Path, PathBuf};

/// The command of the package whose tests these are.
const OWN: &str = match option_env!("CARGO_BIN_EXE_tvlb") {
    Some(path) => path,
    None => match option_env!("CARGO_BIN_EXE_tvlb-lab") {
        Some(path) => path,
        None => panic!("cargo builds one of the two for these tests"),
    },
};

/// What `tvlb-lab` does.
const OF_LAB: [&str; 8] =
    ["escape", "run", "place", "advise", "bisection", "search", "sweep", "plot"];

/// The program that has the command of this name. The other package's is there once the whole workspace is built.
pub(crate) fn program(command: &str) -> PathBuf {
    let name = if OF_LAB.contains(&command) { "tvlb-lab" } else { "tvlb" };
    let path = Path::new(OWN).with_file_name(name);
    assert!(path.is_file(), "{} is missing; `cargo build --workspace` makes it", path.display());
    path
}
