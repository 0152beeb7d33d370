//! Jobs as the laboratory sees them.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

#[path = "../../../generator/simulator/src/test_images.rs"]
mod test_images;

mod send_order;
mod workload_apart;
