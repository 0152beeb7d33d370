//! `tvlb diff`.

use crate::args::DiffOptions;
use crate::failure::{Failure, Outcome};
use crate::files::expect_table_set;
use crate::output::{Bars, catch_interrupt, print, print_json};
use tvlb_generator::diff::{DiffError, DiffSettings, DiffTables, Difference, compare};

pub(crate) fn run(arguments: &DiffOptions) -> Outcome {
    arguments.work.use_threads()?;
    catch_interrupt()?;
    expect_table_set(&arguments.old)?;
    expect_table_set(&arguments.new)?;
    let old = DiffTables::open(&arguments.old).map_err(Failure::of)?;
    let new = DiffTables::open(&arguments.new).map_err(Failure::of)?;
    let settings = DiffSettings { most_routes: arguments.most_routes, seed: arguments.seed };
    let difference = difference(&old, &new, settings, arguments.work.quiet)?;
    let printed = match (arguments.work.quiet, arguments.json) {
        (true, _) => Ok(()),
        (false, true) => print_json(&difference),
        (false, false) => print(&difference),
    };
    found(difference.same, printed)
}

/// Compares with a bar on the terminal.
pub(crate) fn difference(
    old: &DiffTables,
    new: &DiffTables,
    settings: DiffSettings,
    quiet: bool,
) -> Result<Difference, Failure> {
    let difference =
        compare(old, new, settings, &Bars::beginning(quiet, &"comparing the two table sets"));
    difference.map_err(|error| match error {
        DiffError::Cancelled(_) => Failure::Interrupted,
        error => Failure::of(error),
    })
}

/// The outcome once a report was printed: it stands even if the reader stopped reading.
pub(crate) fn found(same: bool, printed: Outcome) -> Outcome {
    match printed {
        Ok(()) | Err(Failure::BrokenPipe) if !same => Err(Failure::Found),
        printed => printed,
    }
}
