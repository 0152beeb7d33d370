//! The picture of `--plot`: that which `tvlb plot` makes of the CSV of the same runs.

use super::report::Csv;
use crate::failure::{Failure, Outcome};
use crate::plot::{Ending, Look, Selection, Table, draw};
use std::path::Path;

/// Draws mean latency over load.
pub(super) fn write(path: &Path, runs: &Csv<'_>) -> Outcome {
    let ending = Ending::of("--plot", path)?;
    let table = Table::parse("--plot", &runs.to_string())?;
    draw(&[table], &Selection::default(), &Look::default(), (path, ending, false)).map(|_| ())
}

/// Refuses what cannot be drawn, before anything runs.
pub(super) fn check(path: &Path, is_search: bool) -> Outcome {
    if is_search {
        return Err(Failure::Message(format!(
            "--plot {}: --saturation has no curve to draw, because each seed's search visits other loads; accepted \
             with --load, as in --load 0.05:0.5:0.05",
            path.display()
        )));
    }
    Ending::of("--plot", path).map(|_| ())
}
