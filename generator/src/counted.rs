//! Numbers in texts: with their noun, or with their sign.

pub use tvlb_base::text::counted;

/// A difference with its sign, rounded to `decimals`. What rounds to zero is not negative.
///
/// # Example
/// ```
/// use tvlb_generator::counted::with_sign;
///
/// assert_eq!([0.26, -0.26, -0.04].map(|value| with_sign(value, 1)), ["+0.3", "-0.3", "+0.0"]);
/// ```
pub fn with_sign(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    let is_nothing = text.chars().all(|c| matches!(c, '-' | '0' | '.'));
    if is_nothing { text.replace('-', "+") } else { text }
}
