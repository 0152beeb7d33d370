//! The picture of `--plot`: that which `tvlb-lab plot` makes of the CSV of the same runs.

use super::report::Csv;
use crate::failure::Outcome;
use crate::plot::{Ending, Look, Selection, Table, draw};
use std::path::Path;

/// Draws mean latency over load.
pub(super) fn write(path: &Path, runs: &Csv<'_>) -> Outcome {
    let ending = Ending::of("--plot", path)?;
    let table = Table::parse("--plot", &runs.to_string())?;
    draw(&[table], &Selection::default(), &Look::default(), (path, ending, false)).map(|_| ())
}
