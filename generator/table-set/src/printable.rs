//! Text that comes out of a file, as a terminal may be shown it.

/// The text with every character escaped that a terminal would obey instead of showing it: control
/// characters, and those that change the direction of writing or cannot be seen.
pub fn escaped_controls(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\'' | '\\' => escaped.push(c),
            _ => escaped.extend(c.escape_debug()),
        }
    }
    escaped
}

/// Whether the name of a fabric, of an arrangement or of a version: 1 to 64 letters, digits and some
/// signs.
pub(crate) fn is_plain(text: &str, signs: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || signs.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        let text = "a\u{1b}[2J\u{7}\n\u{9b}\u{202e}é \"q\" \\";
        assert_eq!(escaped_controls(text), "a\\u{1b}[2J\\u{7}\\n\\u{9b}\\u{202e}é \"q\" \\");
    }
}
