//! Lists of which a sentence shows the beginning.

use std::fmt::Display;

/// The first names of so many, with commas between them, and how many more there are.
///
/// # Example
/// ```
/// use tvlb_base::text::listed;
///
/// assert_eq!(listed(["a", "b"], 2, 5), "a, b");
/// assert_eq!(listed(["a", "b", "c"], 3, 1), "a and 2 more");
/// ```
pub fn listed<T: Display>(names: impl IntoIterator<Item = T>, count: usize, most: usize) -> String {
    let shown: Vec<String> = names.into_iter().take(most).map(|name| name.to_string()).collect();
    let more = match count.saturating_sub(shown.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.join(", ") + &more
}
