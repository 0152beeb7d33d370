//! Values of options that need more than one of clap's own parsers.

use std::convert::Infallible;
use std::fmt::{Display, Write};
use std::str::FromStr;
use tvlb_generator::choose::baseline::MostRegret;

/// As many threads as may be asked for on a machine with few cores.
const MOST_THREADS: usize = 256;
/// Where there are many cores, this many for each.
const MOST_THREADS_PER_CORE: usize = 4;
/// More loads than this from one range are a slip of the pen.
const MOST_LOADS: u64 = 10_000;
/// Decimals that a load of a range may have.
const MOST_DECIMALS: usize = 9;

/// The value of `--threads`. Starting threads takes time and memory for each, and more than there
/// are cores gain nothing.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = MOST_THREADS.max(MOST_THREADS_PER_CORE * cores);
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("accepted 1 to {most}, on this machine of {cores} cores"))
}

/// The value of `--max-regret`.
pub(crate) fn regret(text: &str) -> Result<MostRegret, String> {
    let percent = text.parse().ok().filter(|percent| (0..=100).contains(percent));
    percent.map(MostRegret).ok_or_else(|| "accepted a whole number from 0 to 100".to_owned())
}

/// A length in bytes: a whole number, alone or with B, KB, MB or GB, which are powers of 1000.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "B" => Some(1),
        "KB" => Some(1_000),
        "MB" => Some(1_000_000),
        "GB" => Some(1_000_000_000),
        _ => None,
    };
    let number: Option<u64> = digits.parse().ok();
    number
        .zip(unit)
        .and_then(|(number, unit)| number.checked_mul(unit))
        .ok_or_else(|| "accepted a whole number of bytes, as in 12000, 100KB or 4MB".to_owned())
}

/// One or several loads: a number, or `FROM:TO:STEP`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Loads(pub(crate) Vec<f64>);

impl FromStr for Loads {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let accepted =
            || "accepted a number such as 0.1, or FROM:TO:STEP such as 0.05:0.5:0.05".to_owned();
        if let [from, to, step] = *text.split(':').collect::<Vec<_>>() {
            return range(from, to, step).map(Self);
        }
        let load = text.trim().parse().map_err(|_| accepted())?;
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
                "{name} is {text:?}, accepted a number such as 0.05 with at most {MOST_DECIMALS} \
                 decimals"
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

/// A decimal number times ten to the power of `decimals`, if it has no more decimals than that.
fn scaled(text: &str, decimals: usize) -> Option<u64> {
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

/// The first value that a list has twice.
pub(crate) fn repeated<T: PartialEq + Display>(list: &[T]) -> Option<&T> {
    list.iter().enumerate().find(|(number, value)| list[..*number].contains(value)).map(|(_, v)| v)
}

/// Refuses the former name of `--try-policy`, which was easily taken for `--candidates`.
pub(crate) fn now_try_policy(_: &str) -> Result<Infallible, String> {
    Err("this option is called --try-policy now; --candidates MxK says how many paths a decision draws"
        .to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loads(text: &str) -> Result<Vec<f64>, String> {
        text.parse().map(|Loads(loads)| loads)
    }

    #[test]
    fn a_regret_is_a_percentage() {
        assert_eq!(regret("0"), Ok(MostRegret(0)));
        assert_eq!(regret("100"), Ok(MostRegret(100)));
        for text in ["101", "-1", "3.5", "", "3%"] {
            assert_eq!(regret(text).unwrap_err(), "accepted a whole number from 0 to 100");
        }
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

    #[test]
    fn threads_are_limited() {
        assert_eq!((threads("1"), threads("256")), (Ok(1), Ok(256)));
        for text in ["0", "-1", "1000000", "", "two"] {
            assert!(threads(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_there_twice_is_found() {
        assert_eq!(repeated(&[1, 2, 3, 2, 1]), Some(&2));
        assert_eq!(repeated(&[0.1, 0.2]), None);
    }
}
