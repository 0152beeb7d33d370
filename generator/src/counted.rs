//! A number together with what it counts, as texts say it.

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
