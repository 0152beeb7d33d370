//! When the windows of sources close: two numbers that a table set is made with and a source goes by.

use core::fmt;
use core::str::FromStr;

/// When the window of a source to a destination switch closes. The datapath of a table set is told them; its images
/// do not hold them.
///
/// # Example
/// ```
/// use tvlb_schema::WindowLimits;
///
/// let limits: WindowLimits = "150/32".parse().unwrap();
/// assert_eq!(limits, WindowLimits { delay_cycles: 150, packets: 32 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "alloc",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, rename_all = "kebab-case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct WindowLimits {
    /// The mean delay, in cycles, above which packets are held, at most [`Self::MOST_DELAY`].
    pub delay_cycles: u16,
    /// The number of packets under way at which a window is full, 1 or more.
    pub packets: u16,
}

impl WindowLimits {
    /// The longest delay that is distinguished from longer ones.
    pub const MOST_DELAY: u16 = u16::MAX / 8;
}

impl fmt::Display for WindowLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.delay_cycles, self.packets)
    }
}

/// A text that is not [`WindowLimits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoWindowLimits;

impl fmt::Display for NoWindowLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "accepted cycles, 0 to {}, and packets, 1 to {}, as in 150/32",
            WindowLimits::MOST_DELAY,
            u16::MAX
        )
    }
}

impl core::error::Error for NoWindowLimits {}

impl FromStr for WindowLimits {
    type Err = NoWindowLimits;

    fn from_str(text: &str) -> Result<Self, NoWindowLimits> {
        let (delay, packets) = text.split_once('/').ok_or(NoWindowLimits)?;
        match (delay.parse(), packets.parse()) {
            (Ok(delay_cycles @ 0..=Self::MOST_DELAY), Ok(packets @ 1..)) => {
                Ok(Self { delay_cycles, packets })
            }
            _ => Err(NoWindowLimits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn limits_read_back_from_their_text() {
        for text in ["0/1", "150/32", "8191/65535"] {
            assert_eq!(text.parse::<WindowLimits>().unwrap().to_string(), text);
        }
        for text in ["", "150", "150/0", "8192/1", "1/65536", "-1/1", "1/1/1", "a/b"] {
            assert_eq!(text.parse::<WindowLimits>(), Err(NoWindowLimits), "{text}");
        }
    }
}
