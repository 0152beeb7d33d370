//! On which side of the latency limit a run will end, as soon as that is clear.
//!
//! A search for the load of saturation needs nothing else from most loads, and most loads show it long before the
//! measured window ends: the mean latency of delivered packets stays constant, or climbs. [`Run::foresee`] makes the
//! run of [`Run::measure`] and compares, after each half of a window from the second one on, the mean latencies of the
//! packets delivered in it and in the half before. Extrapolated to the middle of the measured window, they give the
//! *expected* latency. The run ends as soon as it is clear for every population of nodes, and for all nodes together,
//! on which side of the limit that is: the further it extrapolates, the larger the required distance ([`is_plain`]). A
//! run for which that never becomes clear is judged by its measurement. It ends once the packets still on their way
//! cannot change the verdict, or could only by taking as long again as the whole run.
//!
//! The two distances were taken from runs of four fabrics, many of them at loads next to saturation, so that all of
//! these get the same verdict as from their measured window (docs/measurements/step-2.md, "Runs that end early").

use crate::run::{Run, RunError, StopRule};
use crate::setting_values::Measuring;
use serde::{Deserialize, Serialize};
use tvlb_base::progress::Progress;

/// The required distance below the limit, relative to it, for each half window of extrapolation and one more.
const BELOW: f64 = 0.125;
/// The required distance above it, likewise: queues that fill up may settle later, and then latencies climb no further.
const ABOVE: f64 = 0.15;

/// The mean latencies of a run in its measured window, in cycles: measured, or expected if they are clearly on one side
/// of the limit; above any limit if a packet starves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForeseenLatency {
    pub all: f64,
    /// Of each population of nodes, if there are several.
    pub populations: Vec<f64>,
}

impl ForeseenLatency {
    /// From the latencies of each population, followed by that of all nodes.
    fn of(mut each: Vec<f64>) -> Self {
        let all = each.pop().unwrap_or(0.0);
        let populations = if each.len() > 1 { each } else { Vec::new() };
        Self { all, populations }
    }
}

/// The expected value of each mean, `ahead` half windows after the later one; `None` unless there are two.
fn foreseen(earlier: &[Option<f64>], later: &[Option<f64>], ahead: f64) -> Option<Vec<f64>> {
    if earlier.is_empty() {
        return None;
    }
    let each = earlier.iter().zip(later);
    each.map(|(earlier, later)| Some(expected((*earlier)?, (*later)?, ahead))).collect()
}

/// The latency extrapolated from two half windows to `ahead` half windows after the later one.
fn expected(earlier: f64, later: f64, ahead: f64) -> f64 {
    later + ahead * (later - earlier).max(0.0)
}

/// Whether a latency expected `ahead` half windows later is clearly on one side of the limit.
fn is_plain(expected: f64, limit: f64, ahead: f64) -> bool {
    let distance = 1.0 + ahead;
    expected < limit * (1.0 - BELOW * distance) || expected > limit * (1.0 + ABOVE * distance)
}

impl Run<'_> {
    /// Runs from the beginning until it is clear on which side of the limit every mean latency will be, or to the end
    /// of the drain. Runs that measure until windows agree are never extrapolated.
    ///
    /// # Errors
    /// The cause that ended the run early.
    pub fn foresee(mut self, progress: &dyn Progress) -> Result<ForeseenLatency, RunError> {
        let settings = self.network.settings;
        let limit = f64::from(settings.latency_limit_cycles);
        if settings.measuring == Measuring::UntilWindowsAgree {
            let outcome = self.measure(StopRule::WhenEachPopulationIsDecided, progress)?;
            let is_starved = outcome.saturated && outcome.all.latency <= limit;
            let populations = outcome.populations.iter().map(|population| population.latency);
            return Ok(ForeseenLatency {
                all: if is_starved { f64::MAX } else { outcome.all.latency },
                populations: populations.collect(),
            });
        }
        let first = settings.window_cycles / 2;
        let halves = 2 * (settings.warm_up_windows + 1);
        let mut earlier = Vec::new();
        for half in 1..=halves {
            self.network.links.tally.restart_recent();
            let cycles = if half % 2 == 1 { first } else { settings.window_cycles - first };
            self.advance_unless_cancelled(progress, cycles)?;
            self.inspect()?;
            if half == halves {
                break;
            }
            let later = self.network.links.tally.recent_means();
            let ahead = f64::from(halves - half) - 0.5;
            if let Some(foreseen) = foreseen(&earlier, &later, ahead)
                && foreseen.iter().all(|&latency| is_plain(latency, limit, ahead))
            {
                return Ok(ForeseenLatency::of(foreseen));
            }
            earlier = later;
        }
        self.network.links.tally.close_window();
        // No packet is expected to be on its way for as long as the whole run was.
        let as_long = self.network.now;
        let is_starved = self.drain(|run| {
            let (now, tally) = (run.network.now, &run.network.links.tally);
            let least = tally.latencies_at_least(now);
            let most = tally.latencies_at_least(now.saturating_add(as_long));
            least.iter().zip(&most).all(|(&least, &most)| least > limit || most <= limit)
        })?;
        let mut measured =
            ForeseenLatency::of(self.network.links.tally.latencies_at_least(self.network.now));
        if is_starved {
            measured.all = f64::MAX;
        }
        Ok(measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_climbs_is_expected_to_go_on_climbing() {
        let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
        assert!(near(expected(60.0, 60.0, 3.5), 60.0));
        assert!(near(expected(60.0, 70.0, 3.5), 105.0));
        assert!(near(expected(70.0, 60.0, 3.5), 60.0), "a mean that falls may stay where it is");
    }

    #[test]
    fn the_further_it_looks_ahead_the_less_is_plain() {
        for (latency, plain_ahead) in [(43.0, 3.5), (68.0, 1.5), (81.0, 0.5)] {
            for ahead in [0.5, 1.5, 2.5, 3.5] {
                assert_eq!(is_plain(latency, 100.0, ahead), ahead <= plain_ahead, "{latency}");
            }
        }
        assert!(is_plain(168.0, 100.0, 3.5) && !is_plain(167.0, 100.0, 3.5));
        assert!(!is_plain(100.0, 100.0, 0.5));
    }

    #[test]
    fn nothing_is_foreseen_of_a_population_of_which_nothing_was_delivered() {
        let (none, some) = (vec![None, Some(50.0)], vec![Some(50.0), Some(50.0)]);
        assert_eq!(foreseen(&[], &some, 1.0), None);
        assert_eq!(foreseen(&none, &some, 1.0), None);
        assert_eq!(foreseen(&some, &none, 1.0), None);
        assert_eq!(foreseen(&some, &some, 1.0), Some(vec![50.0, 50.0]));
    }
}
