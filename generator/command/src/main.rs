//! The `tvlb` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    tvlb::main()
}
