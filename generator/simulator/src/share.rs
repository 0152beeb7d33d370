//! How many threads a run may use: its share of those of the pool, which no other run needs.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many runs there are in this process.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// A run's share of the threads, for as long as the run lasts.
#[derive(Debug)]
pub(crate) struct Share {
    /// What it was when this was last asked.
    last: usize,
}

impl Share {
    /// The share of a run that begins: one thread until more have been free for a while.
    pub(crate) fn begin() -> Self {
        RUNS.fetch_add(1, Ordering::Relaxed);
        Self { last: 1 }
    }

    /// How many threads the run may use now. Where runs end and begin at every moment, some thread is always
    /// free for an instant, so only what was free when this was last asked as well counts.
    pub(crate) fn threads(&mut self) -> usize {
        // This run is one of them.
        let now = (rayon::current_num_threads() / RUNS.load(Ordering::Relaxed)).max(1);
        std::mem::replace(&mut self.last, now).min(now)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        RUNS.fetch_sub(1, Ordering::Relaxed);
    }
}
