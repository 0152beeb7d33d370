//! Axes, which end on round marks.

/// About this many steps to an axis.
const STEPS: f64 = 5.0;

#[derive(Clone, Debug)]
pub struct Axis {
    /// Its quantity, with the unit.
    pub name: String,
    /// The number at which the axis begins.
    pub from: f64,
    /// The value that it must reach.
    pub most: f64,
    /// Names of the places 1, 2, 3 and so on, instead of numbers; heeded to the right only.
    pub names: Vec<String>,
    /// The meaning of marks without a height. Such a mark is then drawn open in a strip above the axis, and listed in
    /// the legend, instead of an arrow; only for y axes.
    pub open_end: Option<String>,
    /// The meaning of hollow marks, for the legend; only for y axes.
    pub hollow: Option<String>,
    /// Whether equal lengths are equal ratios; heeded upwards only, and from numbers above 0.
    pub is_logarithmic: bool,
}

impl Axis {
    /// An axis of numbers from `from` that reaches `most` at least.
    pub fn new(name: impl Into<String>, from: f64, most: f64) -> Self {
        Self {
            name: name.into(),
            from,
            most,
            names: Vec::new(),
            open_end: None,
            hollow: None,
            is_logarithmic: false,
        }
    }

    /// An axis of numbers that holds these two: from 0, unless both are on the same side of it and far from it,
    /// and then from a round mark.
    ///
    /// # Example
    /// ```
    /// use tvlb_chart::Axis;
    ///
    /// assert_eq!(Axis::around("load", 0.1, 0.4).from, 0.0);
    /// assert_eq!(Axis::around("load", 0.31, 0.4).from, 0.3);
    /// assert_eq!(Axis::around("T", -3.0, 2.0).from, -3.0);
    /// ```
    pub fn around(name: impl Into<String>, least: f64, most: f64) -> Self {
        let from = if least >= 0.0 && least <= 0.6 * most {
            0.0
        } else {
            let (step, _) = round_axis(if least < most { most - least } else { least.abs() });
            // Without the noise of the division and the product.
            ((least / step + 1e-6).floor() * step * 1e9).round() / 1e9
        };
        Self::new(name, from, most)
    }

    /// An axis with a name at each of the places 1, 2, 3 and so on.
    pub fn of_names(name: impl Into<String>, names: Vec<String>) -> Self {
        let most = crate::real(names.len() + 1);
        Self { names, ..Self::new(name, 0.0, most) }
    }

    /// The axis, with this meaning of marks that have no height.
    #[must_use]
    pub fn with_open_end(self, meaning: impl Into<String>) -> Self {
        Self { open_end: Some(meaning.into()), ..self }
    }

    /// The axis, with this meaning of hollow marks.
    #[must_use]
    pub fn with_hollow(self, meaning: impl Into<String>) -> Self {
        Self { hollow: Some(meaning.into()), ..self }
    }

    /// The axis with equal lengths for equal ratios.
    #[must_use]
    pub fn logarithmic(self) -> Self {
        Self { is_logarithmic: true, ..self }
    }

    /// The range of its numbers, and its round marks.
    pub(crate) fn range(&self) -> Range {
        if self.is_logarithmic && self.from > 0.0 {
            let marks = logarithmic_marks(self.from, self.most.max(self.from));
            let end = marks.last().copied().unwrap_or(self.most);
            let from = marks.first().copied().unwrap_or(self.from);
            return Range { from, end, marks, is_logarithmic: true };
        }
        let (step, length) = match self.names.len() {
            0 => round_axis(self.most - self.from),
            names => (1.0, crate::real(names + 1)),
        };
        let from = self.from;
        let marks = ticks(step, length).map(|mark| ((mark + from) * 1e9).round() / 1e9).collect();
        Range { from, end: from + length, marks, is_logarithmic: false }
    }
}

/// The extent of an axis.
pub(crate) struct Range {
    from: f64,
    pub(crate) end: f64,
    pub(crate) marks: Vec<f64>,
    is_logarithmic: bool,
}

impl Range {
    /// The position of a number: 0 at the beginning of the axis, 1 at its end.
    pub(crate) fn share(&self, value: f64) -> f64 {
        if self.is_logarithmic {
            return (value.max(f64::MIN_POSITIVE) / self.from).ln() / (self.end / self.from).ln();
        }
        (value - self.from) / (self.end - self.from)
    }
}

/// 1, 2 and 5 times powers of ten, from the last that is not above the one number to the first that is not below the
/// other; only powers of ten if there are many.
fn logarithmic_marks(least: f64, most: f64) -> Vec<f64> {
    let of = |factors: &[f64]| {
        let mut power = 1e-9;
        let mut marks = Vec::new();
        while power < 1e15 {
            marks.extend(factors.iter().map(|factor| rounded(factor * power)));
            power *= 10.0;
        }
        let begin = marks.iter().rposition(|&mark| mark <= least * 1.000_001).unwrap_or(0);
        let end = marks.iter().position(|&mark| mark >= most * 0.999_999);
        let end = end.unwrap_or(marks.len() - 1).max(begin + 1).min(marks.len() - 1);
        marks[begin..=end].to_vec()
    };
    let marks = of(&[1.0, 2.0, 5.0]);
    if marks.len() > 10 { of(&[1.0]) } else { marks }
}

/// A number without the noise of repeated multiplication.
fn rounded(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

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

    #[test]
    fn an_axis_of_ratios_ends_on_round_marks_too() {
        let marks = |from, most| Axis::new("", from, most).logarithmic().range().marks;
        assert_eq!(marks(43.0, 480.0), [20.0, 50.0, 100.0, 200.0, 500.0]);
        assert_eq!(marks(50.0, 50.0), [50.0, 100.0]);
        assert_eq!(marks(0.3, 1.0), [0.2, 0.5, 1.0]);
        assert_eq!(marks(1.0, 1e6).len(), 7);
        let range = Axis::new("", 10.0, 1000.0).logarithmic().range();
        assert!((range.share(100.0) - 0.5).abs() < 1e-9);
        // From 0 there are no ratios.
        assert_eq!(marks(0.0, 10.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    }

    #[test]
    fn an_axis_that_does_not_begin_at_0_begins_at_a_round_mark() {
        let range = Axis::around("", 0.31, 0.4).range();
        assert_eq!(range.marks, [0.3, 0.32, 0.34, 0.36, 0.38, 0.4]);
        assert_eq!(Axis::around("", -2.0, 0.0).range().marks, [-2.0, -1.5, -1.0, -0.5, 0.0]);
        assert_eq!(Axis::around("", 7.0, 7.0).range().marks.first(), Some(&6.0));
    }
}
