//! How many threads a run may use: its share of those of the pool that other runs leave free.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many runs there are in this process.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// A run's share of the threads, for as long as the run lasts.
#[derive(Debug)]
pub(crate) struct Share {
    /// Its value at the last call.
    last: usize,
}

impl Share {
    /// The share of a run that begins: one thread until more have been free for a while.
    pub(crate) fn begin() -> Self {
        RUNS.fetch_add(1, Ordering::Relaxed);
        Self { last: 1 }
    }

    /// How many threads the run may use now. While runs end and begin all the time, some thread is always free for an
    /// instant, so only what was free at the last call as well counts.
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
