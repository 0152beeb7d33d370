//! What holds of the generator as a whole: its crates, its modules, and what verification finds.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod dependencies;
mod dragonfly_plus;
mod modules;
mod mutation;
mod own_software;
mod update_mutation;
