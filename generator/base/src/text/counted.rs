//! Numbers with their nouns.

/// "1 guard", "2 guards", "3 switches", "4 leaves".
///
/// # Example
/// ```
/// use tvlb_base::text::counted;
///
/// assert_eq!([1, 2].map(|count| counted(count, "switch")), ["1 switch", "2 switches"]);
/// assert_eq!([1, 2].map(|count| counted(count, "leaf")), ["1 leaf", "2 leaves"]);
/// assert_eq!(counted(0, "local link"), "0 local links");
/// ```
pub fn counted(count: u64, what: &str) -> String {
    match what.strip_suffix('f') {
        _ if count == 1 => format!("1 {what}"),
        Some(stem) => format!("{count} {stem}ves"),
        None if what.ends_with("ch") => format!("{count} {what}es"),
        None => format!("{count} {what}s"),
    }
}
