//! How a decision weighs MIN against VLB: its threshold, how many candidates it draws, its gate, and which credits it
//! counts; and which link its VLB packets take out of their intermediate group.

use core::fmt;
use core::str::FromStr;

/// How a decision weighs MIN against VLB, and how its VLB packets go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Weighing {
    /// T: MIN is taken if it costs at most T more than VLB.
    pub threshold: i16,
    /// How many paths of each kind are drawn. The cheapest of each kind is weighed.
    pub candidates: Candidates,
    /// When VLB is weighed.
    pub gate: Gate,
    /// Which credits are the queue of a port.
    pub queue: Queue,
    /// By which link a VLB packet leaves its intermediate group. The decision at the source determines this for all
    /// packets of a scheme; for PAR's second look it has no effect.
    pub onward: Onward,
}

/// By which link a VLB packet leaves its intermediate group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "alloc",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Onward {
    /// The one that was drawn with its path, as in the papers.
    #[default]
    Drawn,
    /// The cheapest by the queues of the switch where it arrives in the group, among the links to the group of its
    /// destination: the source does not see congestion within an intermediate group.
    Cheapest,
}

impl Onward {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Drawn, Self::Cheapest];

    /// The name in texts of policies, in fabric files and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drawn => "drawn",
            Self::Cheapest => "cheapest",
        }
    }
}

impl fmt::Display for Onward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which credits in use a decision counts as the queue of a port, in the cost of a candidate and in the gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "alloc",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Queue {
    /// Those of all virtual channels of the port, as in the papers.
    #[default]
    Port,
    /// Those of the virtual channel that a packet decided here takes on its first link: "virtual channel
    /// discrimination" (Kim et al., ISCA 2008). Packets that wait on other channels of the link, for a node or on their
    /// way through another group, then do not count.
    Channel,
}

impl Queue {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Port, Self::Channel];

    /// The name in texts of policies, in fabric files and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Port => "port",
            Self::Channel => "channel",
        }
    }
}

impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// With one candidate of each kind, no gate, the queues of ports, and the drawn link onward.
impl From<i16> for Weighing {
    fn from(threshold: i16) -> Self {
        Self { threshold, ..Self::default() }
    }
}

/// "T = 0", and "T = 0, candidates 1x4, gate 1.25, queue channel, onward cheapest" with values other than one of each
/// kind, none, that of the port and drawn.
impl fmt::Display for Weighing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T = {}", self.threshold)?;
        if self.candidates != Candidates::ONE {
            write!(f, ", candidates {}", self.candidates)?;
        }
        if !self.gate.is_none() {
            write!(f, ", gate {}", self.gate)?;
        }
        if self.queue != Queue::Port {
            write!(f, ", queue {}", self.queue)?;
        }
        if self.onward != Onward::Drawn {
            write!(f, ", onward {}", self.onward)?;
        }
        Ok(())
    }
}

/// A text is not a number of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidatesError;

impl fmt::Display for CandidatesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("accepted the numbers of MIN and VLB candidates, each 1 to 8, with an x between, as in 1x4")
    }
}

impl core::error::Error for CandidatesError {}

impl FromStr for Candidates {
    type Err = CandidatesError;

    fn from_str(text: &str) -> Result<Self, CandidatesError> {
        // A digit each: neither a sign nor a leading zero.
        let &[min, b'x', vlb] = text.as_bytes() else { return Err(CandidatesError) };
        Self::new(min.wrapping_sub(b'0'), vlb.wrapping_sub(b'0')).ok_or(CandidatesError)
    }
}

/// A text is not a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateError;

impl fmt::Display for GateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "accepted a multiple of 1/16 from 0, which is no gate, to {}, as in 1.25",
            Gate::MOST
        )
    }
}

impl core::error::Error for GateError {}

impl FromStr for Gate {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Self, GateError> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        // Only the message distinguishes a meaningless text from one with too many digits.
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || fraction.len() > 9 {
            return Err(GateError);
        }
        let whole: u64 = whole.parse().map_err(|_| GateError)?;
        let scale = (0..fraction.len()).fold(1_u64, |scale, _| scale * 10);
        let sixteenths = fraction.parse::<u64>().map_err(|_| GateError)? * 16;
        if whole > 15 || !sixteenths.is_multiple_of(scale) {
            return Err(GateError);
        }
        let sixteenths = whole * 16 + sixteenths / scale;
        u8::try_from(sixteenths).map(Self::of_sixteenths).map_err(|_| GateError)
    }
}

/// How many MIN and VLB candidates a decision draws, each 1 to 8. They are drawn with replacement, so
/// two of them may be the same path.
///
/// Its text is the two numbers with an x between: "1x4" is one MIN and four VLB candidates.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Candidates {
    /// As in an image: MIN in the high half, VLB in the low half.
    code: u8,
}

impl Candidates {
    /// The most candidates of either kind.
    pub const MOST: u8 = 8;

    /// One of each kind.
    pub const ONE: Self = Self { code: 0x11 };

    /// This many of each kind, if both numbers are 1 to 8.
    pub const fn new(min: u8, vlb: u8) -> Option<Self> {
        if min == 0 || min > Self::MOST || vlb == 0 || vlb > Self::MOST {
            return None;
        }
        Some(Self { code: min << 4 | vlb })
    }

    /// The code in an image, in range or not.
    #[inline]
    pub(crate) const fn of_code(code: u8) -> Self {
        Self { code }
    }

    /// The code in an image.
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
/// It is a number of sixteenths, 1 to 255, or 0 without a gate. Its text is the decimal number, which is exact: 20
/// sixteenths are "1.25".
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gate {
    sixteenths: u8,
}

impl Gate {
    /// No gate: VLB is always weighed.
    pub const NONE: Self = Self { sixteenths: 0 };

    /// The largest gate, 15.9375.
    pub const MOST: Self = Self { sixteenths: u8::MAX };

    /// A gate of this many sixteenths; none if that is 0.
    #[inline]
    pub const fn of_sixteenths(sixteenths: u8) -> Self {
        Self { sixteenths }
    }

    /// 16·c; 0 without a gate.
    #[inline]
    pub const fn sixteenths(self) -> u8 {
        self.sixteenths
    }

    /// Whether there is no gate.
    #[inline]
    pub const fn is_none(self) -> bool {
        self.sixteenths == 0
    }

    /// Whether VLB is weighed if the queue of MIN's first port is `queue` and the queues of the switch's `links` links
    /// add up to `sum`: whether queue > c · sum / links.
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
    fn candidates_and_gates_are_read_from_their_texts() {
        for text in ["1x1", "1x4", "8x8"] {
            assert_eq!(text.parse::<Candidates>().expect("in range").to_string(), text);
        }
        for text in ["", "x", "1x", "x4", "0x1", "1x0", "9x1", "1x9", "01x1", "1X4", "1 x4", "+1x4"]
        {
            assert_eq!(text.parse::<Candidates>(), Err(CandidatesError), "{text}");
        }
        let gate = |text: &str| text.parse::<Gate>().map(Gate::sixteenths);
        assert_eq!(["0", "1", "1.25", "1.2500", "15.9375"].map(gate), [0, 16, 20, 20, 255].map(Ok));
        for text in [
            "",
            ".",
            "1.",
            ".5",
            "16",
            "15.94",
            "1.3",
            "-1",
            "+1",
            "1e0",
            "1.2500000000",
            "99999999999999999999",
        ] {
            assert_eq!(gate(text), Err(GateError), "{text}");
        }
        assert_eq!(
            CandidatesError.to_string(),
            "accepted the numbers of MIN and VLB candidates, each 1 to 8, with an x between, as in 1x4"
        );
        assert_eq!(
            GateError.to_string(),
            "accepted a multiple of 1/16 from 0, which is no gate, to 15.9375, as in 1.25"
        );
    }

    #[test]
    fn a_weighing_in_words_leaves_out_what_is_as_it_was() {
        assert_eq!(Weighing::from(-2).to_string(), "T = -2");
        let candidates = Candidates::new(1, 4).expect("in range");
        let weighing =
            Weighing { candidates, gate: Gate::of_sixteenths(20), ..Weighing::default() };
        assert_eq!(weighing.to_string(), "T = 0, candidates 1x4, gate 1.25");
        let weighing = Weighing { queue: Queue::Channel, ..Weighing::default() };
        assert_eq!(weighing.to_string(), "T = 0, queue channel");
        let weighing = Weighing { onward: Onward::Cheapest, ..Weighing::default() };
        assert_eq!(weighing.to_string(), "T = 0, onward cheapest");
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
        fn texts_are_read_as_they_are_shown(min in 1_u8..9, vlb in 1_u8..9, sixteenths: u8, text: std::string::String) {
            let candidates = Candidates::new(min, vlb).expect("in range");
            prop_assert_eq!(candidates.to_string().parse(), Ok(candidates));
            let gate = Gate::of_sixteenths(sixteenths);
            prop_assert_eq!(gate.to_string().parse(), Ok(gate));
            // Anything else is an error, never a panic.
            let _ = (text.parse::<Candidates>(), text.parse::<Gate>());
        }

        #[test]
        fn the_gate_compares_exactly(sixteenths in 1_u8.., queue: u32, links: u16, sum: u32) {
            let expected = 16 * u128::from(queue) * u128::from(links)
                > u128::from(sixteenths) * u128::from(sum);
            prop_assert_eq!(Gate::of_sixteenths(sixteenths).lets_vlb_in(queue, links, sum), expected);
        }
    }
}
