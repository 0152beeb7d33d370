//! When measured windows agree, so that no further one is needed.
//!
//! After each window the mean latency of everything measured so far is compared with its value before the window. While
//! queues grow, each window raises that mean; otherwise it settles soon. The rule is that of the reference: three
//! windows in a row, 5%, ten windows in all.

use std::ops::Range;

/// The most windows of a run that measures until windows agree, those of the warm-up included.
pub(crate) const MOST_WINDOWS: u32 = 10;
/// How many windows in a row have to agree.
pub(crate) const AGREEING_WINDOWS: u32 = 3;
/// The largest relative change from one mean to the next.
const MOST_CHANGE: f64 = 0.05;

/// How many of the last windows agree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreement {
    mean: f64,
    windows: u32,
}

impl Agreement {
    /// Before the first window, which is compared with a mean from the warm-up. That mean is 0 if
    /// nothing was delivered then.
    pub(crate) const fn new(warm_up_mean: f64) -> Self {
        Self { mean: warm_up_mean, windows: 0 }
    }

    /// Takes the mean at the end of a window, and says whether enough windows agree.
    pub(crate) fn reached(&mut self, mean: f64) -> bool {
        let agrees = (mean - self.mean).abs() <= MOST_CHANGE * mean;
        self.windows = if agrees { self.windows + 1 } else { 0 };
        self.mean = mean;
        self.windows >= AGREEING_WINDOWS
    }
}

/// The latencies of the packets of each half of a window.
#[derive(Clone, Debug)]
pub struct Halves {
    /// The first cycle of the second half.
    middle: u32,
    /// For each half the packets, the sum of their latencies and that of the squares.
    moments: [(u64, u64, u128); 2],
}

impl Halves {
    pub fn of(window: &Range<u32>) -> Self {
        let middle = window.start + (window.end - window.start) / 2;
        Self { middle, moments: [(0, 0, 0); 2] }
    }

    /// The halves of the same window, with zero counts.
    #[must_use]
    pub const fn like(&self) -> Self {
        Self { middle: self.middle, moments: [(0, 0, 0); 2] }
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        for (own, other) in self.moments.iter_mut().zip(other.moments) {
            *own = (own.0 + other.0, own.1 + other.1, own.2 + other.2);
        }
    }

    /// Counts a packet of this cycle of the window.
    #[inline]
    pub fn add(&mut self, cycle: u32, latency: u32) {
        let (count, sum, squares) = &mut self.moments[usize::from(cycle >= self.middle)];
        *count += 1;
        *sum += u64::from(latency);
        *squares += u128::from(latency) * u128::from(latency);
    }

    /// Whether the mean latency rose from one half to the other by more than agreeing windows may differ, and by more
    /// than chance explains.
    #[expect(clippy::cast_precision_loss, reason = "sums stay far below 2^53")]
    pub fn are_growing(&self) -> bool {
        let of = |(count, sum, squares): (u64, u64, u128)| {
            let (count, sum, squares) = (count as f64, sum as f64, squares as f64);
            let mean = sum / count;
            (mean, (squares / count - mean * mean).max(0.0) / count)
        };
        if self.moments.iter().any(|&(count, ..)| count < FEWEST_PACKETS) {
            return false;
        }
        let [(first, noise), (second, other_noise)] = self.moments.map(of);
        let rise = second - first;
        rise > MOST_CHANGE * second && rise > MOST_ERRORS * (noise + other_noise).sqrt()
    }
}

/// With fewer packets in its halves, a window says nothing.
const FEWEST_PACKETS: u64 = 100;
/// How many standard errors two halves may differ by chance. Latencies of packets that are under way together are
/// similar, so a standard error says less than that of independent ones.
const MOST_ERRORS: f64 = 4.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many windows with these means enough of them agree.
    fn windows(warm_up_mean: f64, means: &[f64]) -> Option<usize> {
        let mut agreement = Agreement::new(warm_up_mean);
        means.iter().position(|&mean| agreement.reached(mean)).map(|windows| windows + 1)
    }

    #[test]
    fn three_windows_in_a_row_have_to_agree() {
        assert_eq!(windows(100.0, &[101.0, 100.0, 99.0]), Some(3));
        assert_eq!(windows(100.0, &[104.0, 108.0, 112.0]), Some(3), "each with the one before it");
        assert_eq!(windows(80.0, &[100.0, 101.0, 102.0, 103.0]), Some(4));
        assert_eq!(windows(100.0, &[101.0, 102.0, 120.0, 121.0, 122.0, 123.0]), Some(6));
        assert_eq!(windows(100.0, &[110.0, 121.0, 133.0, 147.0, 161.0, 177.0, 195.0]), None);
        assert_eq!(windows(100.0, &[90.0, 81.0, 73.0]), None, "a mean may fall, too");
    }

    /// Whether packets with these latencies, one per cycle, count as growing.
    fn are_growing(latency: impl Fn(u32) -> u32, cycles: u32) -> bool {
        let mut halves = Halves::of(&(1000..1000 + cycles));
        (0..cycles).for_each(|cycle| halves.add(1000 + cycle, latency(cycle)));
        halves.are_growing()
    }

    #[test]
    fn a_latency_that_rises_is_told_from_one_that_varies() {
        assert!(are_growing(|cycle| 400 + cycle / 50, 10_000));
        assert!(!are_growing(|cycle| 400 - cycle / 50, 10_000), "it falls");
        assert!(!are_growing(|cycle| 400 + cycle / 500, 10_000), "by less than a twentieth");
        let spread = |cycle: u32| 50 + cycle * 7919 % 400;
        assert!(!are_growing(spread, 10_000));
        assert!(!are_growing(|cycle| spread(cycle) + 40 * (cycle / 150), 300), "within chance");
        assert!(!are_growing(|cycle| 10 * cycle, 100), "too few packets to say");
    }

    #[test]
    fn a_change_is_a_part_of_the_new_mean() {
        assert_eq!(windows(95.0, &[100.0, 100.0, 100.0]), Some(3));
        assert_eq!(windows(94.9, &[100.0, 100.0, 100.0]), None);
        assert_eq!(windows(105.0, &[100.0, 100.0, 100.0]), Some(3));
        assert_eq!(windows(105.1, &[100.0, 100.0, 100.0]), None);
    }

    #[test]
    fn without_a_packet_before_it_a_window_agrees_only_if_it_has_none_either() {
        assert_eq!(windows(0.0, &[50.0, 50.0, 50.0, 50.0]), Some(4));
        assert_eq!(windows(0.0, &[0.0, 0.0, 0.0]), Some(3));
    }
}
