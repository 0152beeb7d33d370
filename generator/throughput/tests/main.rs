//! The throughput model against what is known of it.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod properties;
mod reference;
