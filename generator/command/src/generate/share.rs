//! `tvlb generate --share`: several processes with the same command, of which one writes the table set.
//!
//! All of them make the same tables. A process that finds the directory already written compares it, byte for byte,
//! with its own tables.

use super::check::{MadeAgain, Written};
use crate::failure::{Failure, Outcome, tell};
use std::path::Path;
use tvlb_base::text::listed;
use tvlb_generator::choose::RunsMade;
use tvlb_generator::counted::counted;
use tvlb_table_set::{Existing, WriteError, check_target};

/// Whether another process has written the table set.
pub(super) fn is_written(output: &Path) -> bool {
    matches!(check_target(output, Existing::Refuse), Err(WriteError::Exists { .. }))
}

/// Refuses a table set that differs from the one made here.
pub(super) fn compare(output: &Path, again: &MadeAgain<'_>) -> Outcome {
    let written = Written::list(output).map_err(Failure::of)?;
    let changed = again.changed_files(&written)?;
    if changed.is_empty() {
        return Ok(());
    }
    Err(Failure::Message(format!(
        "{}: it has another {} than the table set that was made here; accepted is a directory \
         that does not exist yet, or one that another process with the same command has written",
        output.display(),
        listed(&changed, changed.len(), 1)
    )))
}

/// Says on standard error who made the runs: this differs between processes, and everything else is equal.
pub(super) fn tell_runs(runs: RunsMade) {
    let RunsMade { by_this_process, found } = runs;
    tell(&format!(
        "{}: {by_this_process} made by this process, {found} before it or by others",
        counted((by_this_process + found) as u64, "run")
    ));
}
