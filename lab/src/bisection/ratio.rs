//! How many times the bandwidth of a local link a global link has, exactly.

use std::fmt;
use std::str::FromStr;

/// The most digits after the point.
const MOST_DECIMALS: usize = 3;
/// The largest ratio.
const MOST: u64 = 1000;

/// The bandwidth of a global link in units of a local link's (α): a fraction in lowest terms, of a decimal
/// number above 0 and at most 1000 with at most three decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    global: u64,
    local: u64,
}

/// A text that is not a ratio.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} is not a ratio; accepted a number above 0 and at most {MOST} with at most {MOST_DECIMALS} \
     decimals, such as 1.25",
    tvlb_base::text::quoted(.text)
)]
pub struct RatioError {
    text: String,
}

impl Ratio {
    /// The weight of a global link, as a whole number: the ratio's numerator.
    pub const fn global(self) -> u64 {
        self.global
    }

    /// The weight of a local link, as a whole number: the ratio's denominator.
    pub const fn local(self) -> u64 {
        self.local
    }

    /// A weight of links, counted in these whole numbers, in units of a local link.
    #[expect(clippy::cast_precision_loss, reason = "weights of links are far below 2^53")]
    pub fn in_local_links(self, weight: u64) -> f64 {
        weight as f64 / self.local as f64
    }
}

impl FromStr for Ratio {
    type Err = RatioError;

    fn from_str(text: &str) -> Result<Self, RatioError> {
        let (whole, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
        let are_digits = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
        let unit = 10_u64.pow(u32::try_from(decimals.len().min(MOST_DECIMALS)).unwrap_or(0));
        let scaled = format!("{whole}{decimals}").parse::<u64>();
        match scaled {
            Ok(global)
                if are_digits(whole)
                    && are_digits(decimals)
                    && decimals.len() <= MOST_DECIMALS
                    && (1..=MOST * unit).contains(&global) =>
            {
                let common = greatest_common_divisor(global, unit);
                Ok(Self { global: global / common, local: unit / common })
            }
            _ => Err(RatioError { text: text.to_owned() }),
        }
    }
}

fn greatest_common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

impl fmt::Display for Ratio {
    #[expect(clippy::cast_precision_loss, reason = "both are at most a million")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&(self.global as f64 / self.local as f64).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_exact() {
        for (text, global, local, shown) in [
            ("0.5", 1, 2, "0.5"),
            ("1", 1, 1, "1"),
            ("1.250", 5, 4, "1.25"),
            ("0.1", 1, 10, "0.1"),
            (".125", 1, 8, "0.125"),
            ("1000", 1000, 1, "1000"),
            ("0.333", 333, 1000, "0.333"),
        ] {
            let ratio: Ratio = text.parse().unwrap();
            assert_eq!((ratio.global(), ratio.local()), (global, local), "{text}");
            assert_eq!(ratio.to_string(), shown);
        }
        for text in ["", ".", "0", "0.000", "1000.001", "-1", "1e3", "0.0001", "+1", "1.2.3", "1/2"]
        {
            assert!(text.parse::<Ratio>().unwrap_err().to_string().contains("accepted"), "{text}");
        }
    }
}
