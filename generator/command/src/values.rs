//! Values of options that clap's own parsers cannot read.

use std::fmt::Display;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::str::FromStr;
use tvlb_generator::choose::MostRegret;

/// The most threads on a machine with few cores.
const MOST_THREADS: usize = 256;
/// The most threads per core on a machine with many cores.
const MOST_THREADS_PER_CORE: usize = 4;

/// The value of `--threads`. Each thread takes time and memory to start, and more threads than cores gain nothing.
pub fn threads(text: &str) -> Result<usize, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = MOST_THREADS.max(MOST_THREADS_PER_CORE * cores);
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("accepted 1 to {most}, on this machine of {cores} cores"))
}

/// The most cycles that an option may ask for.
pub const MOST_CYCLES: u32 = 1_000_000_000;
/// The most walks, routes or steps that an option accepts: more than any machine can do.
pub const MOST_STEPS: u64 = 1_000_000_000_000_000;

/// A whole number within limits, which the error names.
pub fn count<T: FromStr + PartialOrd + Display>(
    accepted: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone
where
    RangeInclusive<T>: Clone,
{
    move |text| {
        let number = text.parse().ok().filter(|number| accepted.contains(number));
        let (least, most) = (accepted.start(), accepted.end());
        number.ok_or_else(|| format!("accepted a whole number from {least} to {most}"))
    }
}

/// A number of cycles that is not zero.
pub fn cycles(text: &str) -> Result<NonZeroU32, String> {
    let number = count(1..=MOST_CYCLES)(text)?;
    NonZeroU32::new(number).ok_or_else(String::new)
}

/// The value of `--max-regret`.
pub fn regret(text: &str) -> Result<MostRegret, String> {
    count(0..=100)(text).map(MostRegret)
}

/// The longest length that an option takes, in bytes.
const MOST_BYTES: u64 = 1_000_000_000_000_000;

/// A length in bytes: a whole number, alone or with B, KB, MB or GB, which are powers of 1000.
pub fn bytes(text: &str) -> Result<u64, String> {
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
        .filter(|bytes| *bytes <= MOST_BYTES)
        .ok_or_else(|| {
            format!(
                "accepted a whole number of bytes, 0 to {MOST_BYTES}, as in 12000, 100KB or 4MB"
            )
        })
}

/// The first value that a list has twice.
pub fn repeated<T: PartialEq + Display>(list: &[T]) -> Option<&T> {
    list.iter().enumerate().find(|(number, value)| list[..*number].contains(value)).map(|(_, v)| v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regret_is_a_percentage() {
        assert_eq!(regret("0"), Ok(MostRegret(0)));
        assert_eq!(regret("100"), Ok(MostRegret(100)));
        for text in ["101", "-1", "3.5", "", "3%"] {
            assert_eq!(regret(text).unwrap_err(), "accepted a whole number from 0 to 100");
        }
    }

    #[test]
    fn a_count_is_refused_with_its_limits() {
        let iterations = count(NonZeroU32::MIN..=NonZeroU32::new(9).unwrap());
        assert_eq!(iterations("9"), NonZeroU32::new(9).ok_or_else(String::new));
        for text in ["0", "10", "99999999999999999999", "-1", "", "two"] {
            assert_eq!(iterations(text).unwrap_err(), "accepted a whole number from 1 to 9");
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
