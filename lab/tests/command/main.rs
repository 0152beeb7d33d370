//! Whole-program tests of the `tvlb-lab` command: what it prints and writes, and how it refuses.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod advise;
mod bisection;
mod cut_through;
mod escape;
mod help;
mod place;
mod plot;
#[path = "../../../generator/command/tests/programs/mod.rs"]
mod programs;
mod run;
#[allow(dead_code, reason = "shared with the tests of `tvlb`")]
#[path = "../../../generator/command/tests/command/scratch.rs"]
mod scratch;
mod search;
#[path = "../../../generator/command/tests/signals/mod.rs"]
mod signals;
