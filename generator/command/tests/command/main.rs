//! Whole-program tests of the `tvlb` command: what it prints and writes, and how it refuses.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod bandwidths;
mod between;
mod bill;
mod cables;
mod candidates;
mod choose;
mod command_line;
mod damage;
mod determinism;
mod diff;
mod dragonfly_plus;
mod exports;
mod fabric;
mod faults;
mod golden;
mod growth;
#[path = "../guide/mod.rs"]
mod guide;
mod help;
mod hostile;
mod import;
mod interruption;
mod kill;
mod kinds;
mod load;
mod machine_years;
mod missing_nodes;
mod model;
mod names;
mod odd_command_lines;
mod output;
mod pairs;
mod plain;
#[path = "../programs/mod.rs"]
mod programs;
#[path = "../report/mod.rs"]
mod report;
mod scratch;
mod set_files;
mod share;
#[path = "../signals/mod.rs"]
mod signals;
mod simulate;
mod switches;
mod terminal;
mod thinning;
mod vectors;
mod verify;
