//! On which side of the latency limit a run will end, as soon as that is plain.
//!
//! A search for the load of saturation asks nothing else of most loads, and most loads say it long
//! before the measured window ends: the mean latency of what is delivered stands still, or climbs.
//! [`Run::foresee`] makes the run of [`Run::measure`] and looks, after each half of a window from the
//! second one on, at the mean latencies of what was delivered in it and in the half before. What that
//! comes to in the middle of the measured window, if it goes on climbing as it does, is the *expected*
//! latency. The run ends as soon as it is plain for every population of nodes, and for all nodes
//! together, on which side of the limit that is: the further it looks ahead, the larger the distance
//! that makes it plain ([`is_plain`]). A run of which that is never plain is judged by what was measured. It
//! ends once what is still on its way can change nothing, or could only by taking as long again as the
//! whole run.
//!
//! The two distances were taken from runs of four fabrics, many of them at loads next to saturation, so that
//! none of these is judged otherwise than by its measured window (docs/measurements/step-2.md, "Runs that
//! end early").

use crate::run::{Run, RunError, StopRule};
use crate::setting_values::Measuring;
use serde::{Deserialize, Serialize};
use tvlb_base::progress::Progress;

/// By what part of the limit an expected latency is plainly below it, for each half window that it looks
/// ahead and one more.
const BELOW: f64 = 0.125;
/// By what part of the limit it is plainly above it, likewise: queues that fill up may stand still
/// later, and then latencies climb no more.
const ABOVE: f64 = 0.15;

/// The mean latencies of a run in its measured window, in cycles: measured, or expected where they are
/// plainly on one side of the limit; above any limit where a packet starves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForeseenLatency {
    pub all: f64,
    /// Of each population of nodes, if there are several.
    pub populations: Vec<f64>,
}

impl ForeseenLatency {
    /// From the latencies of each population, and those of all nodes behind them.
    fn of(mut each: Vec<f64>) -> Self {
        let all = each.pop().unwrap_or(0.0);
        let populations = if each.len() > 1 { each } else { Vec::new() };
        Self { all, populations }
    }
}

/// What is expected of each mean, so many half windows after the later one; `None` where there are not two.
fn foreseen(earlier: &[Option<f64>], later: &[Option<f64>], ahead: f64) -> Option<Vec<f64>> {
    if earlier.is_empty() {
        return None;
    }
    let each = earlier.iter().zip(later);
    each.map(|(earlier, later)| Some(expected((*earlier)?, (*later)?, ahead))).collect()
}

/// The latency that comes after two half windows with these, so many half windows after the later one.
fn expected(earlier: f64, later: f64, ahead: f64) -> f64 {
    later + ahead * (later - earlier).max(0.0)
}

/// Whether a latency that is expected so many half windows ahead is plainly on one side of the limit.
fn is_plain(expected: f64, limit: f64, ahead: f64) -> bool {
    let distance = 1.0 + ahead;
    expected < limit * (1.0 - BELOW * distance) || expected > limit * (1.0 + ABOVE * distance)
}

impl Run<'_> {
    /// Runs from the beginning until it is plain on which side of the limit every mean latency will be,
    /// or to the end of the drain. Settings that measure until windows agree are never foreseen.
    ///
    /// # Errors
    /// What ended the run before its end.
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
