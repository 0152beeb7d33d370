//! How a message shows the offending text.

/// The most characters of a found text that a message shows.
const SHOWN: usize = 64;

/// At most 64 characters of a text, in quotes and with control characters escaped. Of a longer text the
/// message shows the beginning and `…`, because a message must not be as long as its input.
///
/// # Example
/// ```
/// assert_eq!(tvlb_base::text::quoted("a \"b\"\n"), r#""a \"b\"\n""#);
/// assert_eq!(tvlb_base::text::quoted(&"9".repeat(65)), format!("\"{}…\"", "9".repeat(64)));
/// ```
pub fn quoted(text: &str) -> String {
    format!("{:?}", cut(text))
}

/// The same without quotes and escapes, for a text that is known to be plain, such as a number.
pub fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
