//! How a decision weighs MIN against VLB: its threshold, how many candidates it draws, and its gate.

use core::fmt;

/// How a decision weighs MIN against VLB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Weighing {
    /// T: MIN is taken if it costs at most T more than VLB.
    pub threshold: i16,
    /// How many paths of each kind are drawn. The cheapest of each kind is weighed.
    pub candidates: Candidates,
    /// When VLB is weighed at all.
    pub gate: Gate,
}

/// With one candidate of each kind and without a gate.
impl From<i16> for Weighing {
    fn from(threshold: i16) -> Self {
        Self { threshold, ..Self::default() }
    }
}

/// How many MIN and VLB candidates a decision draws, each 1 to 8. They are drawn with replacement, so
/// two of them may be the same path.
///
/// Its text is the two numbers with an x between: "1x4" is one MIN and four VLB candidates.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Candidates {
    /// As an image has it: MIN in the high half, VLB in the low half.
    code: u8,
}

impl Candidates {
    /// The most candidates of either kind.
    pub const MOST: u8 = 8;

    /// One of each kind.
    pub const ONE: Self = Self { code: 0x11 };

    /// So many of each kind, if both numbers are 1 to 8.
    pub const fn new(min: u8, vlb: u8) -> Option<Self> {
        if min == 0 || min > Self::MOST || vlb == 0 || vlb > Self::MOST {
            return None;
        }
        Some(Self { code: min << 4 | vlb })
    }

    /// What an image says, in range or not.
    #[inline]
    pub(crate) const fn of_code(code: u8) -> Self {
        Self { code }
    }

    /// What an image says.
    #[cfg(feature = "alloc")]
    pub(crate) const fn code(self) -> u8 {
        self.code
    }

    /// How many MIN candidates.
    #[inline]
    pub const fn min(self) -> u8 {
        self.code >> 4
    }

    /// How many VLB candidates.
    #[inline]
    pub const fn vlb(self) -> u8 {
        self.code & 0xf
    }
}

impl Default for Candidates {
    fn default() -> Self {
        Self::ONE
    }
}

impl fmt::Display for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.min(), self.vlb())
    }
}

impl fmt::Debug for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The gate c of a decision: VLB is weighed only if the queue of MIN's first port is longer than c
/// times the mean queue of the switch's links. Under adversarial load MIN's queue is much longer than
/// the others; under uniform load it is not.
///
/// It is a number of sixteenths, 1 to 255, or 0 where there is no gate. Its text is the decimal number,
/// which is exact: 20 sixteenths are "1.25".
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gate {
    sixteenths: u8,
}

impl Gate {
    /// No gate: VLB is always weighed.
    pub const NONE: Self = Self { sixteenths: 0 };

    /// The largest gate, 15.9375.
    pub const MOST: Self = Self { sixteenths: u8::MAX };

    /// A gate of so many sixteenths; none if that is 0.
    #[inline]
    pub const fn of_sixteenths(sixteenths: u8) -> Self {
        Self { sixteenths }
    }

    /// 16·c; 0 where there is no gate.
    #[inline]
    pub const fn sixteenths(self) -> u8 {
        self.sixteenths
    }

    /// Whether there is no gate.
    #[inline]
    pub const fn is_none(self) -> bool {
        self.sixteenths == 0
    }

    /// Whether VLB is weighed where the queue of MIN's first port is `queue` and the queues of the
    /// switch's `links` links add up to `sum`: whether queue > c · sum / links.
    #[inline]
    pub fn lets_vlb_in(self, queue: u32, links: u16, sum: u32) -> bool {
        // At most 4 + 32 + 16 bits, and 8 + 32.
        let scaled = u64::from(u32::from(links) << 4).wrapping_mul(queue.into());
        self.is_none() || scaled > u64::from(self.sixteenths).wrapping_mul(sum.into())
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.sixteenths >> 4)?;
        // A sixteenth is 625 of 10 000.
        let mut rest = u32::from(self.sixteenths & 15) * 625;
        let mut point = ".";
        while rest > 0 {
            write!(f, "{point}{}", rest / 1000)?;
            rest = rest % 1000 * 10;
            point = "";
        }
        Ok(())
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::ToString;

    #[test]
    fn candidates_are_one_to_eight_of_each_kind() {
        assert_eq!(Candidates::new(1, 1), Some(Candidates::default()));
        for (min, vlb) in [(0, 1), (1, 0), (9, 1), (1, 9), (17, 1), (1, 17)] {
            assert_eq!(Candidates::new(min, vlb), None);
        }
        let most = Candidates::new(8, 5).expect("in range");
        assert_eq!((most.min(), most.vlb(), most.to_string().as_str()), (8, 5, "8x5"));
    }

    #[test]
    fn a_gate_is_shown_exactly() {
        let shown = |sixteenths| Gate::of_sixteenths(sixteenths).to_string();
        assert_eq!(
            [0, 1, 8, 16, 20, 255].map(shown),
            ["0", "0.0625", "0.5", "1", "1.25", "15.9375"]
        );
        for sixteenths in 0..=u8::MAX {
            let number: f64 = shown(sixteenths).parse().expect("a number");
            assert!((number * 16.0 - f64::from(sixteenths)).abs() < 1e-9);
        }
    }

    #[test]
    fn the_gate_opens_beyond_c_times_the_mean() {
        // 1.25 times the mean of 40 over 10 links is 5.
        let gate = Gate::of_sixteenths(20);
        assert!(!gate.lets_vlb_in(5, 10, 40) && gate.lets_vlb_in(6, 10, 40));
        assert!(gate.lets_vlb_in(5, 10, 39) && !gate.lets_vlb_in(5, 10, 41));
        assert!(Gate::NONE.lets_vlb_in(0, 10, 40));
        // An empty queue is not longer than anything.
        assert!(!Gate::of_sixteenths(1).lets_vlb_in(0, 10, 0));
        assert!(Gate::MOST.lets_vlb_in(u32::MAX, u16::MAX, u32::MAX));
        assert!(!Gate::MOST.lets_vlb_in(u32::MAX, 1, u32::MAX));
    }

    proptest! {
        #[test]
        fn the_gate_compares_exactly(sixteenths in 1_u8.., queue: u32, links: u16, sum: u32) {
            let expected = 16 * u128::from(queue) * u128::from(links)
                > u128::from(sixteenths) * u128::from(sum);
            prop_assert_eq!(Gate::of_sixteenths(sixteenths).lets_vlb_in(queue, links, sum), expected);
        }
    }
}
