//! The simulator as its users see it.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

#[path = "../src/test_images.rs"]
mod test_images;

mod bad_input;
mod bandwidths;
mod decider;
mod in_time;
mod known_limits;
mod measuring;
mod reproducible;
mod stop_rule;
mod zero_load;
