//! The lines or runs of an experiment, each by itself.

use super::error::ExperimentError;
use rayon::prelude::*;
use tvlb_base::progress::Progress;

/// Does all of this work, on the threads of the current rayon pool, each piece a step of the stage `what`.
/// The results are in the order of the work.
///
/// # Errors
/// The first error in the order of the work, whatever order it is done in.
pub(super) fn in_parallel<W: Send, T: Send>(
    what: &'static str,
    work: Vec<W>,
    progress: &dyn Progress,
    run: impl Fn(W) -> Result<T, ExperimentError> + Sync,
) -> Result<Vec<T>, ExperimentError> {
    progress.stage(what, Some(work.len()));
    let found = work.into_par_iter().with_max_len(1).map(|piece| {
        let found = run(piece);
        progress.step();
        found
    });
    found.collect::<Vec<_>>().into_iter().collect()
}
