//! Loads as people write them: a number, or a range with its step.

use std::fmt::Write;
use std::str::FromStr;

/// More loads than this from one range are a slip of the pen.
const MOST_LOADS: u64 = 10_000;
/// Decimals that a load of a range may have.
const MOST_DECIMALS: usize = 9;

/// One or several loads: a number, or `FROM:TO:STEP`.
///
/// # Example
/// ```
/// use tvlb_traffic::loads::Loads;
///
/// let Loads(loads) = "0.05:0.2:0.05".parse()?;
/// assert_eq!(loads, [0.05, 0.1, 0.15, 0.2]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Loads(pub Vec<f64>);

impl FromStr for Loads {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let accepted =
            || "accepted a number such as 0.1, or FROM:TO:STEP such as 0.05:0.5:0.05".to_owned();
        if let [from, to, step] = *text.split(':').collect::<Vec<_>>() {
            return range(from, to, step).map(Self);
        }
        let load = text.trim().parse().ok().filter(|load: &f64| load.is_finite());
        let load = load.ok_or_else(accepted)?;
        Ok(Self(vec![load]))
    }
}

/// The loads from one to another, both included. They are counted in decimals, so that each is the
/// very number that one would type.
fn range(from: &str, to: &str, step: &str) -> Result<Vec<f64>, String> {
    let decimals =
        [from, to, step].map(|n| n.split_once('.').map_or(0, |(_, decimals)| decimals.len()));
    let decimals = decimals.into_iter().max().unwrap_or(0).min(MOST_DECIMALS);
    let scaled = |name: &str, text: &str| {
        scaled(text.trim(), decimals).ok_or_else(|| {
            format!(
                "{name} is {}, accepted a number such as 0.05 with at most {MOST_DECIMALS} \
                 decimals",
                tvlb_base::text::quoted(text)
            )
        })
    };
    let (first, last, step) = (scaled("FROM", from)?, scaled("TO", to)?, scaled("STEP", step)?);
    if step == 0 || last < first {
        return Err("accepted FROM:TO:STEP with a STEP above 0 and TO at least FROM".to_owned());
    }
    let count = (last - first) / step + 1;
    if count > MOST_LOADS {
        return Err(format!("it is {count} loads, accepted at most {MOST_LOADS}"));
    }
    let unit = 10_u64.pow(u32::try_from(decimals).map_err(|error| error.to_string())?);
    (0..count)
        .map(|number| {
            let load = first + number * step;
            let text = format!("{}.{:0decimals$}", load / unit, load % unit);
            text.parse().map_err(|error| format!("{text}: {error}"))
        })
        .collect()
}

/// A decimal number below a million times ten to the power of `decimals`, if it has no more decimals than
/// that.
pub fn scaled(text: &str, decimals: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    if !is_number(whole)
        || !is_number(fraction)
        || fraction.len() > decimals
        || whole.len() > 6
        || (whole.is_empty() && fraction.is_empty())
    {
        return None;
    }
    let mut digits = format!("0{whole}{fraction}");
    write!(digits, "{:0<1$}", "", decimals - fraction.len()).ok()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loads(text: &str) -> Result<Vec<f64>, String> {
        text.parse().map(|Loads(loads)| loads)
    }

    #[test]
    fn a_range_gives_the_numbers_that_one_would_type() {
        assert_eq!(loads("0.1").unwrap(), [0.1]);
        assert_eq!(loads("0.05:0.35:0.1").unwrap(), [0.05, 0.15, 0.25, 0.35]);
        assert_eq!(loads("0.1:0.3:.1").unwrap(), [0.1, 0.2, 0.3]);
        assert_eq!(loads("0.1:0.35:0.1").unwrap(), [0.1, 0.2, 0.3]);
        assert_eq!(loads("0.5:1:0.25").unwrap(), [0.5, 0.75, 1.0]);
        assert_eq!(loads("0.2:0.2:1").unwrap(), [0.2]);
        assert_eq!(loads("0.01:1:0.01").unwrap().len(), 100);
        assert_eq!(loads("0.01:1:0.01").unwrap()[6..8], [0.07, 0.08]);
    }

    #[test]
    fn what_is_no_load_says_what_is() {
        for text in ["30%", "", "0.1:0.2", "0.1..0.2", "a:b:c", "0.1:0.2:0", "0.3:0.1:0.1"] {
            assert!(loads(text).unwrap_err().contains("accepted"), "{text}");
        }
        for text in ["0:1:0.0000001", "-0.1:0.3:0.1", "0.1:0.3:1e-1", "0:1:0.00000000001", ":::"] {
            assert!(loads(text).is_err(), "{text}");
        }
    }
}
