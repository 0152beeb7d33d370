//! Numbers that are computed in binary fractions and written in decimals.

/// A number without the noise of adding: if it is next to a decimal of at most twelve digits, that decimal. The mean of
/// 0.7, 0.69 and 0.71 is 0.7, and not 0.6999999999999998. Any other number is unchanged.
///
/// # Example
/// ```
/// use tvlb_base::number::without_noise;
///
/// let mean = (0.7 + 0.69 + 0.71) / 3.0;
/// assert!(mean < 0.7);
/// assert_eq!(without_noise(mean), 0.7);
/// assert_eq!(without_noise(1.0 / 3.0), 1.0 / 3.0);
/// ```
pub fn without_noise(number: f64) -> f64 {
    // Fourteen digits, of which the last two are zeros.
    let written = format!("{number:.13e}");
    let is_short = written.split_once('e').is_some_and(|(digits, _)| digits.ends_with("00"));
    if is_short { written.parse().unwrap_or(number) } else { number }
}
