//! Numbers as texts say them: together with what they count, or with their sign.

/// "1 guard", "2 guards", "3 switches".
///
/// # Example
/// ```
/// use tvlb_generator::counted::counted;
///
/// assert_eq!([1, 2].map(|count| counted(count, "switch")), ["1 switch", "2 switches"]);
/// assert_eq!(counted(0, "local link"), "0 local links");
/// ```
pub fn counted(count: u64, what: &str) -> String {
    let ending = match (count, what.ends_with("ch")) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{count} {what}{ending}")
}

/// A difference with its sign and so many decimals. What is nothing when rounded is not negative.
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
