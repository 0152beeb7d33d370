//! How many threads a run may use: its share of those of the pool, which no other run needs.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many runs there are in this process.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// A run's share of the threads, for as long as the run lasts.
#[derive(Debug)]
pub(crate) struct Share {
    /// What it was when this was last asked.
    last: NonZeroUsize,
}

impl Share {
    /// The share of a run that begins: one thread until more have been free for a while.
    pub(crate) fn begin() -> Self {
        RUNS.fetch_add(1, Ordering::Relaxed);
        Self { last: NonZeroUsize::MIN }
    }

    /// How many threads the run may use now. Where runs end and begin at every moment, some thread is always
    /// free for an instant, so only what was free when this was last asked as well counts.
    pub(crate) fn threads(&mut self) -> usize {
        let runs = RUNS.load(Ordering::Relaxed).max(1);
        let now = NonZeroUsize::new(rayon::current_num_threads() / runs);
        let now = now.unwrap_or(NonZeroUsize::MIN);
        std::mem::replace(&mut self.last, now).min(now).get()
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        RUNS.fetch_sub(1, Ordering::Relaxed);
    }
}
