//! When measured windows agree, so that no further one is needed.
//!
//! After each window the mean latency of everything measured so far is compared with what it was
//! before the window. Where queues still grow, each window raises that mean; where they do not, it
//! settles soon. The rule is that of the reference: three windows in a row, 5%, ten windows in all.

/// The most windows of a run that measures until windows agree, those of the warm-up included.
pub(crate) const MOST_WINDOWS: u32 = 10;
/// How many windows in a row have to agree.
pub(crate) const AGREEING_WINDOWS: u32 = 3;
/// By what part of itself a mean may differ from the one before it.
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
