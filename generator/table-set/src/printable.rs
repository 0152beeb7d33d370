//! Text from files, made safe for a terminal.

/// Whether a terminal shows a character and a text file keeps it within its line: control characters, characters that
/// change the direction of writing, and hidden ones are not shown. No name may contain them.
pub fn is_shown(c: char) -> bool {
    let is_blank = c.is_whitespace() && !matches!(c, '\u{2028}' | '\u{2029}');
    if c.is_ascii() || is_blank {
        return !c.is_control();
    }
    // After another character, because a combining mark is shown only there.
    let escaped = ['a', c].iter().collect::<String>();
    escaped.escape_debug().eq(['a', c])
}

/// The text with every character escaped that would not be shown.
pub fn escaped_controls(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_shown(c) {
            escaped.push(c);
        } else {
            escaped.extend(c.escape_debug());
        }
    }
    escaped
}

/// Whether a text is valid as the name of a fabric, of an arrangement or of a version: 1 to 64 letters, digits and some
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

    #[test]
    fn what_ends_a_line_turns_the_writing_or_hides_is_not_shown() {
        for c in
            "\n\t\u{85}\u{2028}\u{2029}\u{200b}\u{200e}\u{202a}\u{202e}\u{2066}\u{2069}\u{feff}"
                .chars()
        {
            assert!(!is_shown(c), "{c:?}");
        }
        for c in "aé ä\u{301}\u{a0}\u{3000}名\"'\\".chars() {
            assert!(is_shown(c), "{c:?}");
        }
    }
}
