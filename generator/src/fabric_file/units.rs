//! Times and lengths, which a fabric file may give for links instead of cycles.
//!
//! All are whole femtoseconds, so that the same text is the same number of cycles everywhere.

pub(super) const CYCLE: &str =
    "the length of a cycle as a string, as in \"40.96 ns\", or its frequency, as in \"1.25 GHz\"";
pub(super) const LATENCY: &str =
    "a number of cycles, or a string of times and lengths, as in \"200 ns\" or \"30 m + 200 ns\"";

const PER_NANOSECOND: u64 = 1_000_000;
/// A signal takes 5 ns per metre of cable, copper or glass.
const PER_METRE: u64 = 5 * PER_NANOSECOND;

/// The length of a cycle.
pub(super) fn cycle(text: &str) -> Option<u64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let thousandths = thousandths(number)?;
    let femtoseconds = match unit.trim() {
        "ns" => thousandths * (PER_NANOSECOND / 1000),
        "GHz" => (1000 * PER_NANOSECOND).checked_div(thousandths)?,
        _ => return None,
    };
    (femtoseconds > 0).then_some(femtoseconds)
}

/// The time of a sum of times and lengths.
pub(super) fn time(text: &str) -> Option<u64> {
    let of_term = |term: &str| {
        let (number, unit) = term.trim().split_once(' ')?;
        let thousandths = thousandths(number)?;
        match unit.trim() {
            "ns" => Some(thousandths * (PER_NANOSECOND / 1000)),
            "m" => Some(thousandths * (PER_METRE / 1000)),
            _ => None,
        }
    };
    text.split('+').map(of_term).sum()
}

/// The thousandths of a decimal number below ten million with at most three decimals.
fn thousandths(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |digits: &str, most| {
        (1..=most).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !are_digits(whole, 7) || !are_digits(decimals, 3) {
        return None;
    }
    Some(whole.parse::<u64>().ok()? * 1000 + format!("{decimals:0<3}").parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_lengths_and_their_sums_are_read() {
        for (text, picoseconds) in
            [("60 ns", 60_000), ("30 m", 150_000), ("30 m + 200.5 ns", 350_500), ("0.001 m", 5)]
        {
            assert_eq!(time(text), Some(picoseconds * 1000), "{text}");
        }
        for text in [
            "",
            "60",
            "60ns",
            "-1 ns",
            "1e3 ns",
            "1.0005 ns",
            "30 m +",
            "1 s",
            "99999999 m",
            ". ns",
        ] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn a_cycle_is_a_time_or_a_rate() {
        assert_eq!(cycle("40.96 ns"), Some(40_960_000));
        assert_eq!(cycle("1.25 GHz"), Some(800_000));
        for text in ["0 ns", "0 GHz", "1 m", "1", "GHz"] {
            assert_eq!(cycle(text), None, "{text}");
        }
    }
}
