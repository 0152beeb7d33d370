//! How many runs the searches for saturation of several seeds can still take at most, for a user who waits.

use crate::search::{after_thirds, most_by_thirds};
use std::sync::{Mutex, PoisonError};
use tvlb_base::progress::Progress;

/// Runs beyond saturation, to measure the accepted load there.
pub(crate) const RUNS_BEYOND: usize = 1;

/// The most new runs of the second of a seed's two searches: both begin with the same question.
pub(crate) fn most_new(steps: u32) -> usize {
    most_by_thirds(after_thirds(steps + 1))
}

/// The most runs that one seed takes: by latency, by acceptance, and beyond.
pub(crate) fn most_runs(steps: u32) -> usize {
    most_by_thirds(steps + 1) + most_new(steps) + RUNS_BEYOND
}

/// The most runs that are left, by seed.
pub(crate) struct RunsLeft<'p> {
    progress: &'p dyn Progress,
    of_seeds: Mutex<Vec<usize>>,
}

impl<'p> RunsLeft<'p> {
    /// Reports that each seed takes at most this many runs.
    pub(crate) fn new(progress: &'p dyn Progress, seeds: usize, each: usize) -> Self {
        progress.at_most_left(seeds * each);
        Self { progress, of_seeds: Mutex::new(vec![each; seeds]) }
    }

    /// Reports that a seed takes at most this many further runs.
    pub(crate) fn of_seed(&self, seed: usize, left: usize) {
        let mut of_seeds = self.of_seeds.lock().unwrap_or_else(PoisonError::into_inner);
        of_seeds[seed] = left;
        self.progress.at_most_left(of_seeds.iter().sum());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Probing, last_good};

    /// Whatever the two criteria find.
    #[test]
    fn no_search_takes_more_runs_than_are_said() {
        for steps in [1, 2, 3, 10, 20, 100] {
            let asked = |last: u32| {
                let mut asked = Vec::new();
                let _ = last_good::<()>(steps, Probing::Thirds, |tried| {
                    asked.extend(tried);
                    Ok(tried.iter().map(|&step| step <= last).collect())
                });
                asked
            };
            let all: Vec<Vec<u32>> = (0..=steps).map(asked).collect();
            let mut most = 0;
            for latency in &all {
                for acceptance in &all {
                    let new = acceptance.iter().filter(|step| !latency.contains(step)).count();
                    most = most.max(latency.len() + new + RUNS_BEYOND);
                }
            }
            let said = most_runs(steps);
            assert!(most <= said && said <= most + 4, "{steps}: {most}, said {said}");
        }
    }
}
