//! The tables that the kept runs of a sweep make.

/// Two tables as CSV, and of how many runs they are.
pub(super) struct Tables {
    /// A line or several for each run.
    pub(super) runs: String,
    /// A line for all seeds of a run together.
    pub(super) summary: String,
    pub(super) found: usize,
}
