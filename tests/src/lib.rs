//! Tests that cross crates: see the files beside this one under `tests/`.
