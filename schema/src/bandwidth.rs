//! How fast the kinds of links are, relative to each other.
//!
//! Time is counted in cycles, and a cycle is the time of one flit on a link of the fastest kind. The *gap* of a kind is
//! the number of cycles between the starts of two flits on a link of that kind. It is a multiple of 1/256 cycle, so
//! that arithmetic with gaps is on integers and the same everywhere.

use core::fmt;
use core::str::FromStr;

/// The ends of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// A node and its switch.
    Node,
    /// Two switches of a group.
    Local,
    /// Two groups.
    Global,
}

impl LinkKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Node, Self::Local, Self::Global];

    /// The name in files, on the command line and in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Local => "local",
            Self::Global => "global",
        }
    }
}

/// A relative bandwidth, in any unit that is the same for all kinds of links: a number above 0 with
/// at most three decimals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bandwidth {
    thousandths: u32,
}

impl Bandwidth {
    /// The default of every kind.
    pub const ONE: Self = Self { thousandths: 1000 };
    /// The largest bandwidth, 100000.
    pub const MOST: Self = Self { thousandths: 100_000_000 };

    /// A bandwidth of this many thousandths, if that is above 0 and at most [`Self::MOST`].
    pub const fn of_thousandths(thousandths: u32) -> Option<Self> {
        if thousandths == 0 || thousandths > Self::MOST.thousandths {
            return None;
        }
        Some(Self { thousandths })
    }

    /// A thousand times the bandwidth.
    pub const fn thousandths(self) -> u32 {
        self.thousandths
    }
}

impl Default for Bandwidth {
    fn default() -> Self {
        Self::ONE
    }
}

/// As people write it: "1", "0.5".
impl fmt::Display for Bandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.thousandths / 1000, self.thousandths % 1000);
        write!(f, "{whole}")?;
        let (mut rest, mut digit) = (rest, 100);
        if rest > 0 {
            f.write_str(".")?;
        }
        while rest > 0 {
            write!(f, "{}", rest / digit)?;
            (rest, digit) = (rest % digit, digit / 10);
        }
        Ok(())
    }
}

impl fmt::Debug for Bandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text is not a bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BandwidthError;

impl fmt::Display for BandwidthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "accepted a number above 0 and at most {} with at most three decimals, as in 0.5",
            Bandwidth::MOST
        )
    }
}

impl core::error::Error for BandwidthError {}

impl FromStr for Bandwidth {
    type Err = BandwidthError;

    fn from_str(text: &str) -> Result<Self, BandwidthError> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let number = |digits: &str, most: usize| {
            let is_plain = (1..=most).contains(&digits.len())
                && digits.bytes().all(|digit| digit.is_ascii_digit());
            if is_plain { digits.parse::<u32>().ok() } else { None }
        };
        let scale = match decimals.len() {
            1 => 100,
            2 => 10,
            _ => 1,
        };
        let (whole, decimals) = number(whole, 6).zip(number(decimals, 3)).ok_or(BandwidthError)?;
        Self::of_thousandths(whole * 1000 + decimals * scale).ok_or(BandwidthError)
    }
}

/// The relative bandwidth of each kind of link. The fastest kind is at most [`Self::MOST_RATIO`] times
/// as fast as the slowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "alloc", derive(serde::Serialize))]
pub struct Bandwidths {
    node: Bandwidth,
    local: Bandwidth,
    global: Bandwidth,
}

/// The kinds of links differ too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BandwidthsError(Bandwidths);

impl fmt::Display for BandwidthsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(found) = self;
        write!(
            f,
            "the bandwidths are {found}, accepted bandwidths of which the largest is at most {} times \
             the smallest",
            Bandwidths::MOST_RATIO
        )
    }
}

impl core::error::Error for BandwidthsError {}

impl Bandwidths {
    /// All kinds are equal.
    pub const ALIKE: Self =
        Self { node: Bandwidth::ONE, local: Bandwidth::ONE, global: Bandwidth::ONE };

    /// How many times as fast as the slowest kind the fastest may be.
    pub const MOST_RATIO: u32 = 64;

    /// The bandwidths of the links to nodes, within groups and between groups.
    ///
    /// # Errors
    /// One is more than [`Self::MOST_RATIO`] times another.
    ///
    /// # Example
    /// ```
    /// use tvlb_schema::{Bandwidth, Bandwidths, LinkKind};
    ///
    /// // Links between groups are half as fast as all others: a flit starts every two cycles.
    /// let half = "0.5".parse()?;
    /// let bandwidths = Bandwidths::new(Bandwidth::ONE, Bandwidth::ONE, half)?;
    /// assert_eq!(bandwidths.gap_256ths(LinkKind::Global), 512);
    /// assert_eq!(bandwidths.gap_256ths(LinkKind::Local), 256);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn new(
        node: Bandwidth,
        local: Bandwidth,
        global: Bandwidth,
    ) -> Result<Self, BandwidthsError> {
        let found = Self { node, local, global };
        found.check().map(|()| found)
    }

    /// These with another bandwidth of one kind, to be accepted by [`Self::check`].
    #[must_use]
    pub const fn with(self, kind: LinkKind, bandwidth: Bandwidth) -> Self {
        match kind {
            LinkKind::Node => Self { node: bandwidth, ..self },
            LinkKind::Local => Self { local: bandwidth, ..self },
            LinkKind::Global => Self { global: bandwidth, ..self },
        }
    }

    /// Accepts bandwidths of which none is more than [`Self::MOST_RATIO`] times another.
    ///
    /// # Errors
    /// One is.
    pub fn check(self) -> Result<(), BandwidthsError> {
        let least = self.node.min(self.local).min(self.global);
        if self.fastest().thousandths.div_ceil(Self::MOST_RATIO) > least.thousandths {
            return Err(BandwidthsError(self));
        }
        Ok(())
    }

    /// The bandwidth of a kind.
    pub const fn of(&self, kind: LinkKind) -> Bandwidth {
        match kind {
            LinkKind::Node => self.node,
            LinkKind::Local => self.local,
            LinkKind::Global => self.global,
        }
    }

    /// The bandwidth of the fastest kind, whose links carry a flit per cycle.
    pub fn fastest(&self) -> Bandwidth {
        self.node.max(self.local).max(self.global)
    }

    /// Whether all kinds are equal, so that every link carries a flit per cycle.
    pub fn are_equal(&self) -> bool {
        self.node == self.local && self.local == self.global
    }

    /// The time between the starts of two flits on a link of a kind, in 1/256 of a cycle, rounded.
    pub fn gap_256ths(&self, kind: LinkKind) -> u32 {
        let (fastest, own) = (u64::from(self.fastest().thousandths), self.of(kind).thousandths);
        let gap = (fastest * 256 + u64::from(own / 2)) / u64::from(own);
        u32::try_from(gap).unwrap_or(Self::MOST_RATIO * 256)
    }

    /// How many flits a link of a kind carries per cycle.
    pub fn flits_per_cycle(&self, kind: LinkKind) -> f64 {
        256.0 / f64::from(self.gap_256ths(kind))
    }
}

/// "node 1, local 1, global 0.5".
impl fmt::Display for Bandwidths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, local, global } = self;
        write!(f, "node {node}, local {local}, global {global}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    fn of(texts: [&str; 3]) -> Result<Bandwidths, BandwidthsError> {
        let [node, local, global] = texts.map(|text| text.parse().unwrap());
        Bandwidths::new(node, local, global)
    }

    #[test]
    fn a_bandwidth_reads_back_from_its_text_and_nothing_else_is_read() {
        for text in ["1", "0.5", "1.25", "0.001", "100000", "99999.999", "200"] {
            assert_eq!(text.parse::<Bandwidth>().unwrap().to_string(), text);
        }
        assert_eq!("2.50".parse(), "2.5".parse::<Bandwidth>());
        for text in ["", "0", "0.000", "-1", "+1", "1e3", ".5", "1.", "0.0005", "100000.001", "x"] {
            assert_eq!(text.parse::<Bandwidth>(), Err(BandwidthError), "{text}");
        }
    }

    #[test]
    fn the_fastest_kind_takes_a_flit_per_cycle() {
        let gaps = |texts| LinkKind::ALL.map(|kind| of(texts).unwrap().gap_256ths(kind));
        assert_eq!(gaps(["1", "1", "1"]), [256; 3]);
        assert_eq!(gaps(["200", "200", "100"]), [256, 256, 512]);
        assert_eq!(gaps(["1", "1", "4"]), [1024, 1024, 256]);
        assert_eq!(gaps(["1", "1", "1.5"]), [384, 384, 256]);
        assert_eq!(gaps(["1", "3", "1"]), [768, 256, 768]);
        assert!(of(["7", "7", "7"]).unwrap().are_equal());
    }

    #[test]
    fn kinds_that_differ_too_much_are_refused() {
        assert!(of(["64", "1", "1"]).is_ok());
        let error = of(["64.001", "1", "1"]).unwrap_err().to_string();
        assert!(error.starts_with("the bandwidths are node 64.001, local 1, global 1,"), "{error}");
    }
}
