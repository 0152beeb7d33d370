//! Axes that end on round marks.

/// About this many steps to an axis.
const STEPS: f64 = 5.0;

/// The step between the marks of an axis that must reach `most`, 1, 2 or 5 times a power of ten,
/// and the axis's end, a whole number of steps. An axis of nothing ends at 1.
///
/// # Example
/// ```
/// use tvlb_chart::{round_axis, ticks};
///
/// let (step, end) = round_axis(0.28);
/// assert_eq!(ticks(step, end).collect::<Vec<_>>(), [0.0, 0.1, 0.2, 0.3]);
/// ```
pub fn round_axis(most: f64) -> (f64, f64) {
    let most = if most > 1e-9 { most } else { 1.0 };
    // Multiplied up and not by a logarithm, whose last bit is the platform's.
    let mut power = 1e-9;
    while power * 10.0 * STEPS <= most {
        power *= 10.0;
    }
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| most / step <= STEPS * 1.001)
        .unwrap_or(10.0 * power);
    // A thousandth less, so that an axis that ends on a mark gets no empty step after it.
    (step, ((most / step - 1e-3).ceil()).max(1.0) * step)
}

/// The marks of an axis from 0 to `end`, without the noise of repeated arithmetic.
pub fn ticks(step: f64, end: f64) -> impl Iterator<Item = f64> {
    (0..=20)
        .map(move |n| (f64::from(n) * step * 1e9).round() / 1e9)
        .take_while(move |&mark| mark <= end * 1.001)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_on_round_marks() {
        let marks = |most| {
            let (step, end) = round_axis(most);
            ticks(step, end).collect::<Vec<_>>()
        };
        assert_eq!(marks(0.28), [0.0, 0.1, 0.2, 0.3]);
        assert_eq!(marks(0.5), [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]);
        assert_eq!(marks(134.0), [0.0, 50.0, 100.0, 150.0]);
        assert_eq!(marks(500.0), [0.0, 100.0, 200.0, 300.0, 400.0, 500.0]);
        assert_eq!(marks(1e-6).last(), Some(&1e-6));
        assert_eq!(marks(0.0).last(), Some(&1.0));
    }
}
